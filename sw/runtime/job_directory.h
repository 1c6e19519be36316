#pragma once
// What the host knows of each job of a run, by job id. What the device knows of a job's kernels is kept under
// their launch ids.

#include <cstdint>
#include <deque>
#include <string>

#include "sw/runtime/job.h"

namespace warpvp::rt {

struct JobInfo {
  std::uint32_t id = 0;
  std::string name;
  std::string stream;  ///< name
  unsigned stream_id = 0, context = 0;
  int priority = 0;
  std::uint32_t expected_kernels = 0, expected_commands = 0;  ///< as the host said; 0: it did not
  std::uint32_t kernels = 0;           ///< launched
  bool ended = false;                  ///< end_job was called
  SimTime told_deadline;               ///< absolute, as the device is told; zero: none
  JobStatus status;                    ///< as it grows; status_of() says what of it holds
};

/// What the host knows of the job by now.
inline JobStatus status_of(const JobInfo& info) {
  JobStatus status = info.status;
  const bool over = status.commands_done == status.commands;
  if (status.code != 0) {
    status.state = JobState::kRejected;
  } else if (!info.ended) {
    status.state = JobState::kOpen;
  } else if (over) {
    status.state = JobState::kComplete;
  } else {
    status.state = status.commands_done > 0 ? JobState::kRunning : JobState::kQueued;
  }
  if (status.state != JobState::kRejected && status.state != JobState::kComplete) status.end.reset();
  if (status.deadline != SimTime() && status.end)
    status.met = status.state == JobState::kComplete && *status.end <= status.deadline;
  return status;
}

/// Ids count from 1 in the order of the calls.
class JobDirectory {
 public:
  JobInfo& add(JobInfo info) {
    info.id = static_cast<std::uint32_t>(jobs_.size()) + 1;
    jobs_.push_back(std::move(info));
    return jobs_.back();
  }
  /// `id` from 1 to size().
  JobInfo& at(std::uint32_t id) { return jobs_.at(id - 1); }
  const JobInfo& at(std::uint32_t id) const { return jobs_.at(id - 1); }
  std::uint32_t size() const { return static_cast<std::uint32_t>(jobs_.size()); }
  const std::deque<JobInfo>& jobs() const { return jobs_; }

 private:
  std::deque<JobInfo> jobs_;  // stay where they are
};

}  // namespace warpvp::rt
