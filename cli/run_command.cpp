// `warpvp run` and `warpvp experiment`.

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <ostream>

#include "base/data_folder.h"
#include "base/end_guard.h"
#include "cli/commands.h"
#include "cli/farm_options.h"
#include "cli/interrupt.h"
#include "cli/options.h"
#include "cli/run_request.h"
#include "platform/config/run_input.h"
#include "platform/run/run.h"
#include "study/experiment/experiment_runner.h"

namespace warpvp {
namespace fs = std::filesystem;
namespace po = boost::program_options;

namespace {

PlatformOrigin named_origin(const std::string& text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0)
    throw InputError(fmt::format("--platform-origin is '{}'; allowed: NAME=FILE", text));
  return {text.substr(0, equals), text.substr(equals + 1), false};
}

/// Files whose content a run depends on without naming it: the shipped kernels and the shipped firmware.
std::vector<fs::path> shipped_inputs() {
  std::vector<fs::path> files;
  std::error_code error;
  for (const char* folder : {"sw/kernels", "sw/firmware/prebuilt"})
    for (const auto& entry : fs::directory_iterator(data_folder(folder), error))
      if (entry.path().extension() == ".ptx" || entry.path().extension() == ".elf")
        files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  return files;
}

/// What stands at these keys below each other; nullptr: nothing.
const Setting* below(const Setting& tree, const std::vector<const char*>& keys) {
  const Setting* setting = &tree;
  for (const char* key : keys) {
    setting = setting->find(key);
    if (setting == nullptr) return nullptr;
  }
  return setting;
}

/// Files that the platform names by their paths: firmware of the user's own, and profiles of kernels.
std::vector<fs::path> platform_inputs(const Setting& resolved) {
  std::vector<fs::path> files;
  const Setting* const firmware = below(resolved, {"platform", "command_processor", "firmware"});
  // It may be a name, or for the run to complain about.
  if (firmware != nullptr && fs::is_regular_file(firmware->text)) files.emplace_back(firmware->text);
  if (const Setting* const profiles = below(resolved, {"platform", "sm", "profiles"}))
    for (const Setting& file : profiles->items) files.emplace_back(file.text);
  return files;
}

/// What became of the runs: the numbers add up to that of all.
std::string summary(const ExperimentOutcome& outcome) {
  const std::size_t in_vain = outcome.failed - outcome.not_run;
  const std::size_t ran_in_vain = std::min(in_vain, outcome.ran);  // the others failed before, or elsewhere
  const std::size_t elsewhere_in_vain = std::min(in_vain - ran_in_vain, outcome.elsewhere);
  const std::size_t before_in_vain = in_vain - ran_in_vain - elsewhere_in_vain;
  return fmt::format(
      "{} runs: {} ran, {} finished before, {}{} failed, {} not run{}",
      outcome.ran + outcome.reused + outcome.elsewhere + outcome.not_run, outcome.ran - ran_in_vain,
      outcome.reused - before_in_vain,
      outcome.elsewhere != 0 ? fmt::format("{} by other processes, ", outcome.elsewhere - elsewhere_in_vain)
                             : "",
      in_vain, outcome.not_run,
      outcome.changed != 0
          ? fmt::format("; {} had a result that was changed since it was written", outcome.changed)
          : "");
}

ExitCode experiment(const CommandOptions& options, const fs::path& file, const ConfigSearch& search,
                    const Console& console) {
  ExperimentRequest request;
  read_farm_options(options, request);
  request.file = file;
  request.out = options.get_or<std::string>("out", "");
  request.overrides = overrides(options);
  if (options.has("seeds")) {
    request.seeds = parse_override("seeds=" + options.get<std::string>("seeds"), ".").value;
    request.seeds->place = "--seeds";
  }
  request.jobs = static_cast<unsigned>(options.number_or("jobs", 1, 4096, 0));
  request.wall_seconds = wall_limit(options);
  request.quiet = options.has("quiet");
  request.search = search;
  request.platform = visit_platform_config;
  request.program = {console.program, "run", "--quiet"};
  request.more_inputs = shipped_inputs();
  request.platform_inputs = platform_inputs;
  request.key_error = [](const std::string& key) { return result_reference().why_no_number(key); };
  request.interrupted = &watch_for_interrupts();
  request.output = console.out;
  request.progress = console.err;
  request.progress_is_terminal = console.err_is_terminal;
  request.progress_seconds = progress_interval(options);
  if (ExitCode code = ExitCode::kOk; options.has("slurm") && !run_on_slurm(options, console, request, code))
    return code;
  const ExperimentOutcome outcome = run_experiment(request);
  if (!request.quiet) *console.err << summary(outcome) << "\n";
  return outcome.exit_code;
}

}  // namespace

CommandOptions run_options() {
  CommandOptions options(
      {"run", "FILE",
       "Runs one simulation, or an experiment when FILE is one. FILE is a run file, an experiment or a\n"
       "workload: a path, or a name in configs/experiments or configs/workloads.",
       "  warpvp run vector_add --platform titan_v\n"
       "  warpvp run my_run.yaml --set platform.sm.warp_scheduler=gto --set workload.params.count=4096\n"
       "  warpvp run my_run.yaml --out results/first --seed 7\n"
       "  warpvp run many_streams --gdb 3333 --gdb-wait\n"});
  add_run_options(options, true);
  add_debug_options(options);
  options.add()("platform-origin", po::value<std::string>()->value_name("NAME=FILE"),
                "What `provenance` of result.json calls the platform of a run file that has it written out; "
                "experiments tell it to their runs.");
  return options;
}

ExitCode run_command(const Words& words, const Console& console) {
  CommandOptions options = run_options();
  if (!options.parse(words, *console.out)) return ExitCode::kOk;
  guard(options);
  const ConfigSearch search = ConfigSearch::standard();
  const fs::path file = find_run(options.required("file"), search);
  RunFile run = RunFile::from_tree(load_run(file, search), search);
  const std::optional<DebugRequest> debug = debug_request(options);
  if (debug && run.is_experiment())
    throw InputError(
        "--gdb is for a single run, and this file is an experiment; allowed: one of its run files");
  if (run.is_experiment()) return experiment(options, file, search, console);
  for (const char* option : {"jobs", "seeds"})
    if (options.has(option))
      throw InputError(fmt::format("--{} is for experiments, and this file is one run", option));
  run.apply(overrides(options));
  if (options.has("platform-origin"))
    run.set_platform_origin(named_origin(options.get<std::string>("platform-origin")));
  RunRequest request = run_request(options, std::move(run), file.stem().string(), console);
  request.debug = debug;
  return run_simulation(request);
}

CommandOptions experiment_options() {
  CommandOptions options(
      {"experiment", "FILE",
       "Runs every combination of an experiment's matrix, in parallel, and prints its tables. Finished\n"
       "runs are not run again. FILE is a path or the name of a file in configs/experiments.\n"
       "Any number of processes, on machines that share the folder, may do one experiment together.",
       "  warpvp experiment qaws_quick\n"
       "  warpvp experiment my_experiment.yaml --jobs 4 --out results/today\n"
       "  warpvp experiment my_experiment.yaml --slurm --tasks 100 --sbatch=--partition=long\n"});
  add_run_options(options, true);
  add_farm_options(options);
  return options;
}

ExitCode experiment_command(const Words& words, const Console& console) {
  CommandOptions options = experiment_options();
  if (!options.parse(words, *console.out)) return ExitCode::kOk;
  guard(options);
  const ConfigSearch search = ConfigSearch::standard();
  return experiment(options, search.find(options.required("file"), "experiments", ".", ""), search, console);
}

}  // namespace warpvp
