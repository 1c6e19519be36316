// `warpvp record`.

#include <fmt/format.h>

#include <algorithm>
#include <ostream>

#include "base/error.h"
#include "cli/commands.h"
#include "cli/interrupt.h"
#include "cli/run_choice.h"
#include "platform/run/run.h"

namespace warpvp {
namespace fs = std::filesystem;
namespace po = boost::program_options;

namespace {

/// What the run has written of its host programs, in order of names.
std::vector<fs::path> traces_in(const fs::path& folder) {
  std::vector<fs::path> traces;
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, error))
    if (entry.path().filename().string().rfind("application_", 0) == 0) traces.push_back(entry.path());
  std::sort(traces.begin(), traces.end());
  return traces;
}

void copy_to(const fs::path& from, const fs::path& to) {
  std::error_code error;
  if (to.has_parent_path()) fs::create_directories(to.parent_path(), error);
  if (!fs::copy_file(from, to, fs::copy_options::overwrite_existing, error))
    throw InputError(fmt::format("cannot write {}: {}", to.string(), error.message()));
}

}  // namespace

CommandOptions record_options() {
  CommandOptions options(
      {"record", "FILE",
       "Runs FILE and writes what its host programs call as traces of applications, to be "
       "played as processes\n"
       "(docs/processes.md): copies, launches, events, and the CPU's time in between. FILE "
       "is as for run.",
       "  warpvp record spmv --platform titan_v -o spmv.yaml\n"
       "  warpvp profile spmv --platform titan_v -o spmv_profiles.yaml\n"});
  add_run_choice(options);
  options.add()(
      "out,o", po::value<std::string>(),
      "File for the trace, with several processes the folder for those of each; default: the folder of the "
      "run.")("runs", po::value<std::string>(), "Folder for the run; default: runs/record_NAME.")(
      "quiet,q", "Say nothing of the run.");
  return options;
}

ExitCode record_command(const Words& words, const Console& console) {
  CommandOptions options = record_options();
  if (!options.parse(words, *console.out)) return ExitCode::kOk;
  RunRequest request;
  RunChoice run = chosen_run(options, "record");
  run.sets.emplace_back("output.applications=true");
  run.file.apply(run.sets);
  request.file = std::move(run.file);
  request.out = options.get_or<std::string>("runs", (fs::path("runs") / ("record_" + run.name)).string());
  for (const fs::path& old : traces_in(request.out)) fs::remove(old);
  request.quiet = options.has("quiet");
  request.interrupted = &watch_for_interrupts();
  const ExitCode code = run_simulation(request);
  if (code != ExitCode::kOk) return code;
  std::vector<fs::path> traces = traces_in(request.out);
  if (options.has("out")) {
    const fs::path out = options.get<std::string>("out");
    const bool one = traces.size() == 1;
    for (fs::path& trace : traces) {
      const std::string name = trace.filename().string().substr(std::string("application_").size());
      const fs::path to = one ? out : out / name;
      copy_to(trace, to);
      trace = to;
    }
  }
  for (const fs::path& trace : traces) *console.out << trace.string() << "\n";
  return ExitCode::kOk;
}

}  // namespace warpvp
