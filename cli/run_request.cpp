#include "cli/run_request.h"

#include <fmt/format.h>

#include <filesystem>

#include "base/end_guard.h"
#include "cli/interrupt.h"

namespace warpvp {
namespace fs = std::filesystem;
namespace po = boost::program_options;

void add_run_options(CommandOptions& options, bool experiments) {
  options.positional("file", 1);
  options.add()("set,s", po::value<Words>()->composing(),
                "Set a.b.c=value on top of the file; may be repeated.")(
      "platform,p", po::value<std::string>(), "The same as --set platform=NAME.")(
      "out,o", po::value<std::string>(), "Folder for the results; default: runs/NAME.")(
      "wall-limit", po::value<double>()->value_name("SECONDS"),
      "Give up after so many seconds of the host's time, with exit status 124: a run (the same as --set "
      "limits.wall_seconds=SECONDS), or all of an experiment.")(
      "seed", po::value<std::string>()->value_name("N"), "The same as --set seed=N.")(
      "intervals", po::value<std::string>()->value_name("CYCLES"),
      "Write counters over time to intervals.csv, a row for so many SM cycles; the same as --set "
      "output.intervals.cycles=CYCLES.")("trace",
                                         "Record a timeline for Perfetto; the same as --set "
                                         "trace.enabled=true.");
  if (experiments)
    options.add()("seeds", po::value<std::string>()->value_name("N"),
                  "Experiments: run everything with so many seeds (or with those of a list, as in [3,7]) and "
                  "print means "
                  "with confidence intervals.")("jobs,j", po::value<std::string>()->value_name("N"),
                                                "Experiments: runs at the same time; default: one a core.");
  options.add()("quiet,q", "Results only: no progress and no summary.")(
      "progress", po::value<double>()->value_name("SECONDS"),
      "Tell every so many seconds how far it is; default: twice a second on a terminal, where the line is "
      "written over, else a run every half minute, an experiment with each run that ends.");
}

void add_debug_options(CommandOptions& options) {
  options.add()("gdb", po::value<std::string>()->value_name("PORT"),
                "Serve GDB for the command processor's firmware on this port of the loopback interface; 0: a "
                "free one, which is printed.")(
      "gdb-wait", "With --gdb: the firmware waits for GDB before its first instruction.");
}

Words overrides(const CommandOptions& options) {
  Words sets = options.get_or<Words>("set", {});
  if (options.has("platform")) sets.push_back("platform=" + options.get<std::string>("platform"));
  if (options.has("seed")) sets.push_back(fmt::format("seed={}", options.number("seed", 0, kAnyNumber)));
  if (options.has("intervals"))
    sets.push_back(
        fmt::format("output.intervals.cycles={}", options.number("intervals", 1, 1'000'000'000'000)));
  if (options.has("trace")) sets.emplace_back("trace.enabled=true");
  return sets;
}

double wall_limit(const CommandOptions& options) {
  if (!options.has("wall-limit")) return 0;
  const auto seconds = options.get<double>("wall-limit");
  if (!(seconds > 0 && seconds <= 1e9))
    throw InputError(fmt::format("--wall-limit is {}; allowed: more than 0, at most 1e9 seconds", seconds));
  return seconds;
}

void guard(const CommandOptions& options) {
  EndGuard& guard = EndGuard::of_process();
  guard.start(watch_for_interrupts());
  if (const double limit = wall_limit(options); limit > 0) guard.set_limit(limit);
}

double progress_interval(const CommandOptions& options) {
  if (!options.has("progress")) return 0;
  const auto seconds = options.get<double>("progress");
  if (!(seconds >= 0.01 && seconds <= 1e9))
    throw InputError(fmt::format("--progress is {}; allowed: from 0.01 to 1e9 seconds", seconds));
  return seconds;
}

std::optional<DebugRequest> debug_request(const CommandOptions& options) {
  if (options.has("gdb-wait") && !options.has("gdb")) throw InputError("--gdb-wait needs --gdb PORT");
  if (!options.has("gdb")) return std::nullopt;
  const std::uint64_t port = options.number("gdb", 0, 65535);
  return DebugRequest{static_cast<std::uint16_t>(port), options.has("gdb-wait")};
}

RunRequest run_request(const CommandOptions& options, RunFile file, const std::string& name,
                       const Console& console) {
  if (const double limit = wall_limit(options); limit > 0)
    file.apply({fmt::format("limits.wall_seconds={}", limit)});
  RunRequest request;
  request.file = std::move(file);
  request.out = options.get_or<std::string>("out", (fs::path("runs") / name).string());
  request.quiet = options.has("quiet");
  request.interrupted = &watch_for_interrupts();
  request.progress = console.err;
  request.progress_is_terminal = console.err_is_terminal;
  request.progress_seconds = progress_interval(options);
  return request;
}

}  // namespace warpvp
