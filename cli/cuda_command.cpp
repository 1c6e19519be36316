// `warpvp cuda`: a CUDA program on a platform.

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <utility>
#include <vector>

#include "base/end_guard.h"
#include "cli/commands.h"
#include "cli/interrupt.h"
#include "platform/config/run_input.h"
#include "platform/config/yaml_document.h"
#include "platform/results/provenance.h"
#include "platform/run/run.h"

namespace warpvp {
namespace fs = std::filesystem;
namespace po = boost::program_options;

namespace {

/// The text as YAML has it between ''.
std::string quoted(const std::string& text) {
  std::string out = "'";
  for (const char c : text) out += c == '\'' ? "''" : std::string(1, c);
  return out + "'";
}

}  // namespace

CommandOptions cuda_options() {
  CommandOptions options(
      {"cuda", "-- PROGRAM ARGUMENTS",
       "Runs a CUDA program, as nvcc has compiled it, with PTX in it, on a platform: with the program's own\n"
       "output and exit status, and result.json. Several programs at once: a run file with\n"
       "`workload: {processes: [{app: cuda, params: {program: ...}}, ...]}`.",
       "  warpvp cuda -- ./vector_add 100000\n"
       "  warpvp cuda --functional -- ./vector_add 100000000\n"
       "  warpvp cuda --platform qv100 --set platform.sm.warp_scheduler=gto --summary -- "
       "./matrix_multiply\n"});
  options.add()("set,s", po::value<Words>()->composing(), "Set a.b.c=value; may be repeated.")(
      "platform,p", po::value<std::string>()->default_value("titan_v"), "The platform.")(
      "functional",
      "For the program's results alone, tens of times faster: SMs without a pipeline, on all processors of "
      "the host, and copies without traffic; the same as --set platform.sm.type=functional --set "
      "platform.sm.exchange=auto --set platform.evaluation.threads=0 --set platform.dma.traffic=false.")(
      "out,o", po::value<std::string>(), "Folder for the results; default: runs/PROGRAM.")(
      "seed", po::value<std::string>()->value_name("N"), "The same as --set seed=N.")(
      "trace", "Record a timeline for Perfetto; the same as --set trace.enabled=true.")(
      "wall-limit", po::value<double>()->value_name("SECONDS"),
      "Give up after so many seconds of the host's time, with exit status 124.")(
      "summary", "Print what the program's kernels did after its end.");
  return options;
}

ExitCode cuda_command(const Words& words, const Console& console) {
  const auto dashes = std::find(words.begin(), words.end(), "--");
  CommandOptions options = cuda_options();
  if (!options.parse(Words(words.begin(), dashes), *console.out)) return ExitCode::kOk;
  if (dashes == words.end() || dashes + 1 == words.end())
    throw InputError(
        "cuda: no program; write it with its arguments behind '--': warpvp cuda -- ./program 100");
  EndGuard::of_process().start(watch_for_interrupts());
  const std::string& program = dashes[1];
  const std::string name = fs::path(program).filename().string();
  // Programs are what they are: some read a little beyond what they have, which no chip minds.
  // Of hundreds of thousands of launches the first ones: the list is written in the time that Ctrl-C has.
  Words sets = {"platform.memory.stray_accesses=page", "output.most_kernels=5000"};
  if (options.has("functional"))
    sets.insert(sets.end(), {"platform.sm.type=functional", "platform.sm.exchange=auto",
                             "platform.evaluation.threads=0", "platform.dma.traffic=false"});
  const Words own_sets = options.get_or<Words>("set", {});
  sets.insert(sets.end(), own_sets.begin(), own_sets.end());
  sets.push_back("platform=" + options.get<std::string>("platform"));
  if (options.has("seed")) sets.push_back(fmt::format("seed={}", options.number("seed", 0, kAnyNumber)));
  if (options.has("trace")) sets.emplace_back("trace.enabled=true");
  if (options.has("wall-limit"))
    sets.push_back(fmt::format("limits.wall_seconds={}", options.get<double>("wall-limit")));
  const std::string yaml = fmt::format(
      "workload:\n  processes:\n    - {{name: {}, app: cuda, params: {{program: {}, arguments: {}}}}}\n",
      quoted(name), quoted(program), quoted(shell_text(Words(dashes + 2, words.end()))));
  RunRequest request;
  request.file = RunFile::from_tree(parse_yaml(yaml, "warpvp cuda", "."), ConfigSearch::standard());
  request.file.apply(sets);
  request.out = options.get_or<std::string>("out", (fs::path("runs") / name).string());
  request.quiet = !options.has("summary");
  request.interrupted = &watch_for_interrupts();
  request.progress = nullptr;
  std::vector<std::pair<std::string, double>> measured;
  request.measured = &measured;
  const ExitCode code = run_simulation(request);
  if (code == ExitCode::kWallLimit && !options.has("functional"))
    *console.err << "warpvp: --functional computes the results alone, tens of times faster "
                    "(docs/functional-sm.md)\n";
  if (code != ExitCode::kOk && code != ExitCode::kResultDiffers) return code;
  // The program's own.
  for (const auto& [figure, value] : measured)
    if (figure == "exit_status") return static_cast<ExitCode>(value);
  return code;
}

}  // namespace warpvp
