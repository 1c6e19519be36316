#pragma once
// An experiment as an array job of Slurm: each task is a worker (ExperimentPart::kWorker) on the shared
// folder.

#include <atomic>
#include <filesystem>
#include <functional>
#include <iosfwd>
#include <string>
#include <vector>

namespace warpvp {

struct SlurmRequest {
  std::string name;                  ///< of the job
  std::filesystem::path folder;      ///< the experiment's; gets slurm/job.sh, slurm/job, slurm/task-N.log
  std::vector<std::string> command;  ///< what one task runs, in the present folder
  unsigned tasks = 1;
  unsigned jobs = 1;                 ///< runs at the same time in one task: processors that it asks for
  std::vector<std::string> options;  ///< for sbatch, before warpvp's own
};

/// How many tasks of a job are in which state.
struct SlurmTasks {
  std::size_t pending = 0, running = 0;
  std::size_t all() const { return pending + running; }
};

class SlurmJob {
 public:
  explicit SlurmJob(SlurmRequest request) : request_(std::move(request)) {}

  /// The number of the job that was last submitted for this folder, if some of it is in the queue; else
  /// empty. InputError if Slurm does not answer.
  std::string active() const;
  /// Submits the array job and returns its number. InputError with sbatch's words if it refuses.
  std::string submit() const;
  /// Waits until nothing of the job is in the queue. `on_look` gets the tasks that are, every few seconds.
  /// False: interrupted; the job goes on. InputError if Slurm does not answer for five minutes.
  bool wait(const std::string& job, const std::atomic<bool>& interrupted,
            const std::function<void(const SlurmTasks&)>& on_look) const;

 private:
  bool tasks(const std::string& job, SlurmTasks& out, std::string& why) const;

  SlurmRequest request_;
};

}  // namespace warpvp
