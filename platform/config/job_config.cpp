// `jobs:` of a launch list.
#include <fmt/format.h>

#include <set>

#include "base/error.h"
#include "platform/config/run_config.h"

namespace warpvp {

void JobConfig::fields(ConfigVisitor& v) {
  v.field("name", name, "Shown in results; empty: job and its number, from 1.");
  v.field("arrival_us", arrival_us, "us", "When the host puts it into its stream.",
          Constraint::range(0, 1e9));
  v.field("deadline_us", deadline_us, "us", "For all of it, counted from its arrival; 0: none.",
          Constraint::range(0, 1e9));
  v.field("context", context, "", "Context (address space and owner) of its launches.");
  v.field("priority", priority, "", "Of its stream; greater is more urgent.",
          Constraint::range(-32768, 32767));
  v.list("launches", launches, "Its kernels, one after the other: keys as in `workload.launches`.");
}

namespace {

[[noreturn]] void wrong_job(const std::string& place, const std::string& what) {
  throw InputError(fmt::format("{}: {}", place, what));
}

void check_launch_of_job(const LaunchConfig& launch, const std::string& path, const std::string& place) {
  const LaunchConfig other;
  const char* key = launch.start_us != other.start_us         ? "start_us"
                    : launch.deadline_us != other.deadline_us ? "deadline_us"
                    : launch.stream != other.stream           ? "stream"
                    : launch.context != other.context         ? "context"
                    : launch.priority != other.priority       ? "priority"
                                                              : nullptr;
  if (key == nullptr) return;
  const std::string instead = std::string(key) == "start_us" ? "arrival_us"
                              : std::string(key) == "stream" ? ""
                                                             : key;
  wrong_job(place, fmt::format("'{}.{}' of a launch in a job; {}", path, key,
                               instead.empty() ? "a job has a stream of its own"
                                               : fmt::format("give the job '{}' instead", instead)));
}

}  // namespace

void check_jobs(WorkloadConfig& w, const Setting* list) {
  std::set<std::string> names;
  for (std::size_t i = 0; i < w.jobs.size(); ++i) {
    JobConfig& job = w.jobs[i];
    const std::string path = fmt::format("workload.jobs.{}", i);
    const Setting& setting = list->items[i];
    job.place = setting.place;
    if (job.launches.empty())
      wrong_job(job.place, fmt::format("'{}' has no kernels; give it 'launches', at least one", path));
    if (job.name.empty()) job.name = fmt::format("job{}", i + 1);
    if (!names.insert(job.name).second)
      wrong_job(job.place, fmt::format("'{}.name' is '{}', as another job's; allowed: a name of its own",
                                       path, job.name));
    for (std::size_t k = 0; k < job.launches.size(); ++k) {
      check_launch_of_job(job.launches[k], fmt::format("{}.launches.{}", path, k),
                          setting.find("launches")->items[k].place);
      job.launches[k].context = job.context;
      job.launches[k].priority = job.priority;
    }
  }
}

// Queue 0 is that of the host's own stream, over which buffers are filled.
void check_jobs_fit(const WorkloadConfig& w, unsigned queues) {
  if (w.jobs.size() < queues) return;
  wrong_job(
      w.jobs[queues - 1].place,
      fmt::format("{} jobs, each in a queue of its own, and {} hardware queues, of which the host takes one; "
                  "raise command_processor.queues (at most 256), or leave out jobs",
                  w.jobs.size(), queues));
}

}  // namespace warpvp
