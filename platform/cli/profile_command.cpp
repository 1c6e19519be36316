// `warpvp profile`.

#include <fmt/format.h>

#include <ostream>

#include "platform/cli/commands.h"
#include "platform/cli/interrupt.h"
#include "platform/cli/options.h"
#include "platform/config/run_input.h"
#include "platform/record_profiles.h"
#include "platform/results/provenance.h"

namespace warpvp {
namespace fs = std::filesystem;
namespace po = boost::program_options;

CommandOptions profile_options() {
  CommandOptions options({"profile", "FILE",
                          "Records profiles of kernels for `sm.type: profile` from runs at cycle grain: FILE "
                          "is run with one CTA\n"
                          "at a time, with one SM, and as it is. FILE is as for run.",
                          "  warpvp profile matmul --platform titan_v -o matmul.yaml\n"
                          "  warpvp run matmul --platform titan_v --set platform.sm=profile --set "
                          "platform.sm.profiles=matmul.yaml\n"});
  options.positional("file", 1);
  options.add()("set,s", po::value<Words>()->composing(),
                "Set a.b.c=value on top of the file; may be repeated.")(
      "platform,p", po::value<std::string>(), "The same as --set platform=NAME.")(
      "seed", po::value<std::string>()->value_name("N"), "The same as --set seed=N.")(
      "out,o", po::value<std::string>(),
      "File for the profiles; default: profiles.yaml in the folder of the runs.")(
      "runs", po::value<std::string>(), "Folder for the runs; default: runs/profile_NAME.")(
      "quiet,q", "Say nothing of the end.");
  return options;
}

ExitCode profile_command(const Words& words, const Console& console) {
  CommandOptions options = profile_options();
  if (!options.parse(words, *console.out)) return ExitCode::kOk;
  const ConfigSearch search = ConfigSearch::standard();
  const fs::path file = find_run(options.required("file"), search);
  ProfileRequest request;
  request.file = RunFile::from_tree(load_run(file, search), search);
  if (request.file.is_experiment())
    throw InputError(file.string() + " is an experiment; profile takes a run file or a workload");
  Words sets = options.get_or<Words>("set", {});
  if (options.has("platform")) sets.push_back("platform=" + options.get<std::string>("platform"));
  if (options.has("seed")) sets.push_back(fmt::format("seed={}", options.number("seed", 0, kAnyNumber)));
  request.file.apply(sets);
  request.runs =
      options.get_or<std::string>("runs", (fs::path("runs") / ("profile_" + file.stem().string())).string());
  request.profiles = options.get_or<std::string>("out", (request.runs / "profiles.yaml").string());
  Words command = {"warpvp", "profile"};
  command.insert(command.end(), words.begin(), words.end());
  request.command = shell_text(command);
  request.quiet = options.has("quiet");
  request.interrupted = &watch_for_interrupts();
  request.output = console.out;
  return record_profiles(request);
}

}  // namespace warpvp
