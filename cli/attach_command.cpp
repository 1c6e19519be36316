// `warpvp attach`: a workload as a process of its own, at a device that `warpvp serve` serves
// (docs/serve.md).

#include <fmt/format.h>

#include "base/end_guard.h"
#include "cli/commands.h"
#include "cli/interrupt.h"
#include "cli/run_choice.h"
#include "platform/run/attached.h"

namespace warpvp {
namespace po = boost::program_options;

CommandOptions attach_options() {
  CommandOptions options({"attach", "FILE --socket PATH",
                          "Runs the workload of a run file at a device that `warpvp serve` serves: as a "
                          "program outside, with the\n"
                          "runtime over the device's BARs. FILE is a run file or a workload, as for `run`; "
                          "its platform is the one\n"
                          "that is served.",
                          "  warpvp attach vector_add --platform small --socket /tmp/gpu.sock\n"});
  add_run_choice(options);
  options.add()("socket", po::value<std::string>()->value_name("PATH"), "Where the device is served.");
  return options;
}

ExitCode attach_command(const Words& words, const Console& console) {
  CommandOptions options = attach_options();
  if (!options.parse(words, *console.out)) return ExitCode::kOk;
  EndGuard::of_process().start(watch_for_interrupts());
  if (!options.has("socket"))
    throw InputError("attach: no socket; write --socket PATH, where the device is served");
  RunChoice choice = chosen_run(options, "attach");
  choice.file.apply(choice.sets);
  return run_attached(choice.file, options.get<std::string>("socket"));
}

}  // namespace warpvp
