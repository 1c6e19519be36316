#include "cli/farm_options.h"

#include <fmt/format.h>
#include <fmt/ostream.h>

#include <algorithm>

#include "base/error.h"
#include "platform/config/setting.h"
#include "study/experiment/slurm_job.h"

namespace warpvp {
namespace po = boost::program_options;

namespace {

constexpr unsigned kTasks = 64;

using Words = std::vector<std::string>;

/// "2/5": the second of five.
std::pair<unsigned, unsigned> shard(const std::string& text) {
  const std::size_t slash = std::min(text.find('/'), text.size());
  std::uint64_t one = 0, all = 0;
  if (!parse_unsigned(text.substr(0, slash), one) || slash == text.size() ||
      !parse_unsigned(text.substr(slash + 1), all) || one < 1 || one > all || all > 100'000)
    throw InputError(
        fmt::format("--shard is '{}'; allowed: I/N, the I-th of N shares, as in 1/8 to 8/8", text));
  return {static_cast<unsigned>(one), static_cast<unsigned>(all)};
}

/// The options that a task gets as they were given: those that say what is run.
Words passed_on(const CommandOptions& options) {
  Words out;
  for (const std::string& set : options.get_or<Words>("set", {})) {
    out.emplace_back("--set");
    out.push_back(set);
  }
  for (const char* name : {"platform", "seed", "seeds", "lease"})
    if (options.has(name)) {
      out.push_back(fmt::format("--{}", name));
      out.push_back(options.get<std::string>(name));
    }
  return out;
}

}  // namespace

void add_farm_options(CommandOptions& options) {
  options.add()("worker",
                "Take runs that no other process has until none is left, and end: no waiting for others, no "
                "tables.")("shard", po::value<std::string>()->value_name("I/N"),
                           "The same with the I-th of N shares of the runs only.")(
      "merge", "Run nothing: the tables, database and page of what there is.")(
      "lease", po::value<std::string>()->value_name("SECONDS"),
      "Take over the runs of a process on another machine that shows no sign of life for so long; default: "
      "60. "
      "The same in all processes.")("attempt", po::value<std::string>()->value_name("NAME"),
                                    "Runs that failed in an attempt of this name are not tried again; "
                                    "default: every process is an attempt.")(
      "slurm", "Do the runs as an array job of Slurm, wait for it, and merge.")(
      "tasks", po::value<std::string>()->value_name("N"),
      "With --slurm: tasks of the array; default: as many as there are runs to do, at most 64.")(
      "sbatch", po::value<Words>()->composing()->value_name("OPTION"),
      "With --slurm: an option for sbatch, as in --sbatch=--partition=long; may be repeated.")(
      "detach", "With --slurm: do not wait. The same command without it waits and merges.");
}

void read_farm_options(const CommandOptions& options, ExperimentRequest& request) {
  const Words modes = {"worker", "shard", "merge", "slurm"};
  Words given;
  for (const std::string& mode : modes)
    if (options.has(mode.c_str())) given.push_back("--" + mode);
  if (given.size() > 1)
    throw InputError(
        fmt::format("{} and {}; allowed: one of --worker, --shard, --merge, --slurm", given[0], given[1]));
  for (const char* name : {"tasks", "sbatch", "detach"})
    if (options.has(name) && !options.has("slurm"))
      throw InputError(fmt::format("--{} is for --slurm", name));
  if (options.has("slurm") && options.has("wall-limit"))
    throw InputError("--wall-limit and --slurm; allowed: Slurm's own limit, as in --sbatch=--time=2:00:00");
  if (options.has("worker") || options.has("shard")) request.part = ExperimentPart::kWorker;
  if (options.has("shard")) {
    const auto [one, all] = shard(options.get<std::string>("shard"));
    request.shard = one;
    request.shards = all;
  }
  if (options.has("merge")) request.part = ExperimentPart::kMerge;
  request.lease_seconds = static_cast<double>(options.number_or("lease", 1, 86'400, 60));
  request.attempt = options.get_or<std::string>("attempt", "");
}

bool run_on_slurm(const CommandOptions& options, const Console& console, ExperimentRequest& request,
                  ExitCode& code) {
  const ExperimentStanding standing = experiment_standing(request);
  request.part = ExperimentPart::kMerge;
  const auto tell = [&](const std::string& line) {
    if (!request.quiet) *console.err << line << "\n" << std::flush;
  };
  SlurmRequest slurm;
  slurm.name = standing.name;
  slurm.folder = standing.folder;
  slurm.jobs = request.jobs != 0 ? request.jobs : 1;
  slurm.tasks = static_cast<unsigned>(
      options.number_or("tasks", 1, 100'000, std::clamp<std::uint64_t>(standing.missing, 1, kTasks)));
  slurm.options = options.get_or<Words>("sbatch", {});
  slurm.command = {console.program, "experiment", request.file.string(),        "--worker",
                   "--quiet",       "--jobs",     fmt::format("{}", slurm.jobs)};
  if (!request.out.empty()) slurm.command.insert(slurm.command.end(), {"--out", request.out.string()});
  const Words more = passed_on(options);
  slurm.command.insert(slurm.command.end(), more.begin(), more.end());
  const SlurmJob queue(slurm);
  std::string job = queue.active();
  if (!job.empty()) {
    tell(fmt::format("Slurm job {} is under way", job));
  } else if (standing.missing == 0) {
    return true;
  } else {
    job = queue.submit();
    tell(fmt::format("Slurm job {}: {} runs in {} tasks, {} finished before", job, standing.missing,
                     slurm.tasks, standing.good));
  }
  if (options.has("detach")) {
    tell("the same command without --detach waits for it and prints the tables");
    return false;
  }
  std::string last;
  const bool ended = queue.wait(job, *request.interrupted, [&](const SlurmTasks& tasks) {
    const std::string line =
        fmt::format("Slurm job {}: {} tasks running, {} pending", job, tasks.running, tasks.pending);
    if (line != last) tell(line);
    last = line;
  });
  if (ended) return true;
  tell(fmt::format(
      "interrupted; job {0} goes on (scancel {0} ends it), and the same command waits for it again", job));
  code = ExitCode::kInterrupted;
  return false;
}

}  // namespace warpvp
