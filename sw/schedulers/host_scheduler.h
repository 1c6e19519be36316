#pragma once
// Schedulers that run on the CPU: host software that decides when which kernels of which jobs are given to
// the device. One file each, registered by name. A scheduler sees what the host sees: arrivals, completion
// signals, and what it was told of kernels beforehand; it acts through JobHost, which is the public runtime
// (runtime_job_host.h) or, in tests, a model of a device.

#include <cstdint>
#include <optional>
#include <vector>

#include "base/fields.h"
#include "base/registry.h"
#include "base/sim_time.h"
#include "sw/apps/job_stream.h"

namespace warpvp::sched {

/// Code of a job that the host turned down because it would miss its deadline.
inline constexpr std::uint32_t kTooLate = 1;

/// A job, from its arrival on.
struct JobProgress {
  unsigned launched = 0;  ///< kernels that were asked for, whether or not the device has them by now
  unsigned done = 0;      ///< kernels that are complete, or were rejected by the device
  bool over = false;      ///< complete, or rejected
};

class JobHost {
 public:
  virtual ~JobHost() = default;

  virtual SimTime now() const = 0;
  virtual const apps::JobStream& stream() const = 0;
  /// Jobs by their numbers in stream().jobs; one that is open has arrived and is not over.
  virtual const JobProgress& progress(unsigned job) const = 0;
  virtual const std::vector<unsigned>& open_jobs() const = 0;  ///< in order of arrival
  virtual SimTime arrival(unsigned job) const = 0;             ///< absolute
  /// CTAs of this kernel that the whole device has room for at once, if it has nothing else.
  virtual unsigned room_for(unsigned kernel) const = 0;

  /// Puts the job's next `kernels` kernels into its stream, `delay_us` from now.
  virtual void launch(unsigned job, unsigned kernels, double delay_us) = 0;
  /// Launches the next kernel of each of these jobs, which is the same, as one kernel with the CTAs of all.
  virtual void launch_batch(const std::vector<unsigned>& jobs, double delay_us) = 0;
  /// Turns down a job of which nothing was launched.
  virtual void reject(unsigned job, std::uint32_t code) = 0;
  /// Writes the job's priority into the register of its hardware queue; greater is more urgent.
  virtual void set_priority(unsigned job, int priority) = 0;

  /// Absolute, as it was told; nothing: it has none.
  std::optional<SimTime> deadline(unsigned job) const {
    const double us = stream().jobs[job].told_deadline_us;
    return us > 0 ? std::optional<SimTime>(arrival(job) + SimTime::from_us(us)) : std::nullopt;
  }
  unsigned kernels_of(unsigned job) const { return static_cast<unsigned>(stream().jobs[job].kernels.size()); }
  unsigned kernel(unsigned job, unsigned index) const { return stream().jobs[job].kernels[index]; }
};

class HostScheduler {
 public:
  static constexpr const char* kKind = "host_scheduler";
  virtual ~HostScheduler() = default;

  virtual void begin(JobHost&) {}
  virtual void arrived(JobHost& host, unsigned job) = 0;
  /// The job's kernel `index` is complete; it ran from `start` to `end`, or was rejected (both equal).
  virtual void kernel_done(JobHost&, unsigned job, unsigned index, SimTime start, SimTime end) {
    (void)job, (void)index, (void)start, (void)end;
  }
  virtual void job_over(JobHost&, unsigned job) { (void)job; }
  /// When all that has happened by now was told.
  virtual void schedule(JobHost&) {}
  /// When schedule() is to be called at the latest; nothing: when something happens.
  virtual std::optional<SimTime> next_call() const { return {}; }
};

}  // namespace warpvp::sched
