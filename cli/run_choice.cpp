#include "cli/run_choice.h"

#include <fmt/format.h>

#include "base/error.h"
#include "platform/config/run_input.h"

namespace warpvp {
namespace fs = std::filesystem;
namespace po = boost::program_options;

void add_run_choice(CommandOptions& options) {
  options.positional("file", 1);
  options.add()("set,s", po::value<Words>()->composing(),
                "Set a.b.c=value on top of the file; may be repeated.")(
      "platform,p", po::value<std::string>(), "The same as --set platform=NAME.")(
      "seed", po::value<std::string>()->value_name("N"), "The same as --set seed=N.");
}

RunChoice chosen_run(const CommandOptions& options, const std::string& command) {
  const ConfigSearch search = ConfigSearch::standard();
  const fs::path file = find_run(options.required("file"), search);
  RunChoice run{RunFile::from_tree(load_run(file, search), search), file.stem().string(),
                options.get_or<Words>("set", {})};
  if (run.file.is_experiment())
    throw InputError(
        fmt::format("{} is an experiment; {} takes a run file or a workload", file.string(), command));
  if (options.has("platform")) run.sets.push_back("platform=" + options.get<std::string>("platform"));
  if (options.has("seed")) run.sets.push_back(fmt::format("seed={}", options.number("seed", 0, kAnyNumber)));
  return run;
}

}  // namespace warpvp
