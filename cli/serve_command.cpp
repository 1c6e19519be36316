// `warpvp serve`: a platform as a PCIe device of other processes (docs/serve.md).

#include <fmt/format.h>

#include "cli/commands.h"
#include "cli/run_choice.h"
#include "cli/run_request.h"
#include "platform/config/yaml_document.h"

namespace warpvp {
namespace fs = std::filesystem;
namespace po = boost::program_options;

CommandOptions serve_options() {
  CommandOptions options(
      {"serve", "FILE --socket PATH",
       "Serves the platform of a run file as a PCIe device, to virtual machines and other processes that "
       "speak\n"
       "vfio-user. They are the host: the file has no workload. The run ends when the last of them has gone.",
       "  warpvp serve my_platform.yaml --socket /tmp/gpu.sock\n"
       "  warpvp serve my_platform.yaml --socket /tmp/gpu.sock --set platform.host.ends=never --gdb 3333\n"});
  add_run_options(options, false);
  options.add()("socket", po::value<std::string>()->value_name("PATH"),
                "The UNIX socket at which clients arrive; the same as --set platform.host.socket=PATH.");
  add_debug_options(options);
  return options;
}

ExitCode serve_command(const Words& words, const Console& console) {
  CommandOptions options = serve_options();
  if (!options.parse(words, *console.out)) return ExitCode::kOk;
  guard(options);
  const ConfigSearch search = ConfigSearch::standard();
  const fs::path file = find_run(options.required("file"), search);
  RunFile run = RunFile::from_tree(load_run(file, search), search);
  if (run.is_experiment())
    throw InputError(fmt::format("{} is an experiment; allowed: a run file", file.string()));
  Words sets = overrides(options);
  sets.emplace_back("platform.host.type=vfio_user");
  if (options.has("socket")) sets.push_back("platform.host.socket=" + options.get<std::string>("socket"));
  run.apply(sets);
  RunRequest request = run_request(options, std::move(run), file.stem().string(), console);
  request.debug = debug_request(options);
  return run_simulation(request);
}

}  // namespace warpvp
