#pragma once
// Jobs: commands of a stream that belong together and share one deadline, as a request to a service does.
// What the host asks of the runtime, and what the runtime says of them.

#include <cstdint>
#include <optional>
#include <string>

#include "base/sim_time.h"

namespace warpvp::rt {

/// Handle; valid as long as the Runtime. 0 is no job.
struct Job {
  std::uint32_t id = 0;
};

struct JobOptions {
  std::string name;        ///< shown in results; "" gets "job<N>"
  double deadline_us = 0;  ///< for the job as a whole, from its arrival; 0: none
  /// Kernels that it will have, if the host knows: schedulers may want to, and nothing follows the last of
  /// them, unless `commands` says so. 0: not known; then end_job sends a packet of its own that says so.
  std::uint32_t kernels = 0;
  /// Commands that it will have, kernels and copies, if the host knows: then copies may follow the last kernel, and
  /// end_job sends no packet. 0: not said.
  std::uint32_t commands = 0;
  std::optional<SimTime> arrival{};  ///< when it came, if the host gets to it only now; not in the future
  /// Deadline that the device is told in place of deadline_us (0: none), for studies of deadlines that are
  /// wrong; whether the job met its deadline is a matter of deadline_us alone.
  std::optional<double> told_deadline_us{};
};

enum class JobState : std::uint8_t {
  kOpen,      ///< end_job has not been called
  kQueued,    ///< nothing of it is known to be complete
  kRunning,   ///< some of its commands are complete
  kComplete,  ///< all of them are
  kRejected,  ///< a scheduler on the device has rejected some or all of it
};
inline const char* job_state_text(JobState state) {
  constexpr const char* kTexts[] = {"open", "queued", "running", "complete", "rejected"};
  return kTexts[static_cast<unsigned>(state)];
}

/// What the host knows of a job, which is what completion signals have told it.
struct JobStatus {
  JobState state = JobState::kOpen;
  std::uint32_t code = 0;  ///< of the rejection
  SimTime arrival;
  SimTime deadline;              ///< absolute; zero: none
  std::optional<SimTime> start;  ///< of the first command that has run
  std::optional<SimTime> end;    ///< of the last command; of a rejected job, when the rejection took effect
  std::optional<bool> met;       ///< its deadline; not known before the end, or there is none
  std::uint32_t commands = 0, commands_done = 0, commands_rejected = 0;
};

/// A command of a job that has completed, as the host came to know it.
struct JobCompletion {
  Job job;
  std::uint32_t code = 0;  ///< of its rejection; 0: it ran
  SimTime start, end;      ///< as the device has them, to the nanosecond
};

}  // namespace warpvp::rt
