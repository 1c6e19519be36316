#pragma once
// The Runtime of a program whose work has a deadline, request by request, without the program's saying so:
// what it puts into a stream from the first kernel after it has waited until it waits again is a job
// (sw/runtime/job.h). So schedulers that go by jobs have programs that know of none
// (docs/processes.md#deadlines).

#include <cstdint>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include "sw/runtime/forwarding_runtime.h"

namespace warpvp::rt {

/// Thrown by the wait after which the program knows that a request of its was turned down: that never ran
/// whole, and what should have come of it is not there. The next request may go well.
class RequestRejected : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Requests of which the program knows what became.
struct RequestCounts {
  std::uint64_t met = 0, missed = 0, rejected = 0;
};

class RequestRuntime : public ForwardingRuntime {
 public:
  /// Each request's deadline is `deadline_us` after the call that begins it; jobs are named `name` and a
  /// number.
  RequestRuntime(Runtime& inner, std::string name, double deadline_us)
      : ForwardingRuntime(inner), name_(std::move(name)), deadline_us_(deadline_us) {}

  const RequestCounts& counts() const { return counts_; }

  void launch(Kernel kernel, Dim3 grid, Dim3 block, const Args& args, Stream s = Stream{0},
              const LaunchOptions& options = {}) override;
  /// Waiting, or asking whether something has completed, ends the requests of all streams. RequestRejected as
  /// said above.
  void synchronize(Event e) override;
  void synchronize(Stream s) override;
  void synchronize() override;
  bool completed(Event e) override;
  /// InputError: its jobs are the requests.
  Job begin_job(Stream s, const JobOptions& options = {}) override;
  using ForwardingRuntime::synchronize;

 private:
  void end_requests();
  /// Counts those that are over. RequestRejected where one was turned down.
  void settle();

  const std::string name_;
  const double deadline_us_;
  std::uint64_t begun_ = 0;
  std::map<unsigned, Job> open_;  ///< by stream
  std::vector<Job> ended_;        ///< no more commands come, and some may be under way
  RequestCounts counts_;
};

}  // namespace warpvp::rt
