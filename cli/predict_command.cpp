// `warpvp predict`.

#include <fmt/format.h>

#include <ostream>

#include "cli/commands.h"
#include "cli/interrupt.h"
#include "cli/run_choice.h"
#include "study/prediction.h"

namespace warpvp {
namespace fs = std::filesystem;
namespace po = boost::program_options;

namespace {

/// Names, or YAML values such as {name: select, mode: strict}, with commas between.
Words split(const std::string& list) {
  Words words(1);
  int depth = 0;
  for (char c : list) {
    depth += (c == '{') - (c == '}');
    if (c == ',' && depth == 0) {
      words.emplace_back();
    } else {
      words.back() += c;
    }
  }
  for (const std::string& word : words)
    if (word.empty()) throw InputError("--policies is a list of names with commas between, such as lrr,gtlo");
  return words;
}

}  // namespace

CommandOptions predict_options() {
  CommandOptions options(
      {"predict", "FILE",
       "Computes warp schedules from traces of the warps alone, simulates the same, and compares both.\n"
       "With the coordinated front end (SWaS) they are the same, edge by edge; for separate fetch and\n"
       "issue it says where the simulated schedule leaves the intended one and what that costs.\n"
       "Every run uses sm.memory.model: isolated, sm.barrier_interval: 0 and sm.warp_exit: stores_taken. "
       "FILE is as for run.",
       "  warpvp predict swas_sgemm --platform vortex_sm\n"
       "  warpvp predict swas_psort --platform vortex_sm --policies gtlrr --set platform.sm.schedulers=4\n"
       "  warpvp predict my_run.yaml --save-traces traces.txt\n"
       "  warpvp predict my_run.yaml --traces traces.txt\n"});
  add_run_choice(options);
  options.add()("policies", po::value<std::string>()->default_value("lrr,gtlrr,gtlo"),
                "Warp schedulers, with commas between; with parameters: '{name: select, mode: strict}'.")(
      "traces", po::value<std::string>(), "Predict from these traces; default: record them.")(
      "save-traces", po::value<std::string>(),
      "Where recorded traces go; default: traces.txt in the folder.")(
      "out,o", po::value<std::string>(), "Folder for the results; default: runs/predict_NAME.")(
      "quiet,q", "Results only: no table.");
  return options;
}

ExitCode predict_command(const Words& words, const Console& console) {
  CommandOptions options = predict_options();
  if (!options.parse(words, *console.out)) return ExitCode::kOk;
  PredictRequest request;
  request.policies = split(options.get<std::string>("policies"));
  request.traces = options.get_or<std::string>("traces", "");
  request.save_traces = options.get_or<std::string>("save-traces", "");
  if (!request.traces.empty() && !request.save_traces.empty())
    throw InputError("--traces and --save-traces exclude each other: traces that are read are not recorded");
  RunChoice run = chosen_run(options, "predict");
  run.file.apply(run.sets);
  request.file = std::move(run.file);
  request.out = options.get_or<std::string>("out", (fs::path("runs") / ("predict_" + run.name)).string());
  request.quiet = options.has("quiet");
  request.interrupted = &watch_for_interrupts();
  request.output = console.out;
  return predict_schedules(request);
}

}  // namespace warpvp
