#include "sw/runtime/request_runtime.h"

#include <fmt/format.h>

namespace warpvp::rt {

namespace {
/// Of a job whose only launch the runtime has refused: no scheduler gives this code.
constexpr std::uint32_t kNeverLaunched = 65535;
}  // namespace

void RequestRuntime::launch(Kernel kernel, Dim3 grid, Dim3 block, const Args& args, Stream s,
                            const LaunchOptions& options) {
  const bool first = open_.count(s.id) == 0;
  if (first) {
    JobOptions job;
    job.name = fmt::format("{} {}", name_, ++begun_);
    job.deadline_us = deadline_us_;
    open_[s.id] = inner_.begin_job(s, job);
  }
  try {
    inner_.launch(kernel, grid, block, args, s, options);
  } catch (const InputError&) {
    if (first) {
      inner_.reject_job(open_[s.id], kNeverLaunched);
      open_.erase(s.id);
    }
    throw;
  }
}

void RequestRuntime::synchronize(Event e) {
  end_requests();
  inner_.synchronize(e);
  settle();
}

void RequestRuntime::synchronize(Stream s) {
  end_requests();
  inner_.synchronize(s);
  settle();
}

void RequestRuntime::synchronize() {
  end_requests();
  inner_.synchronize();
  settle();
}

bool RequestRuntime::completed(Event e) {
  end_requests();
  return inner_.completed(e);
}

Job RequestRuntime::begin_job(Stream, const JobOptions& options) {
  throw InputError(fmt::format(
      "begin_job '{}': process '{}' has a deadline, which makes jobs of what it puts into streams; leave out "
      "its 'deadline_us'",
      options.name, name_));
}

void RequestRuntime::end_requests() {
  for (const auto& [stream, job] : open_) {
    inner_.end_job(job);
    ended_.push_back(job);
  }
  open_.clear();
}

void RequestRuntime::settle() {
  std::string rejected;
  std::vector<Job> left;
  for (const Job& job : ended_) {
    const JobStatus status = inner_.job_status(job);
    if (status.commands_done < status.commands) {
      left.push_back(job);
    } else if (status.state == JobState::kRejected) {
      ++counts_.rejected;
      rejected = fmt::format("a request of '{}' was turned down by the device's scheduler, with code {}",
                             name_, status.code);
    } else {
      ++(status.met.value_or(true) ? counts_.met : counts_.missed);
    }
  }
  ended_ = std::move(left);
  if (!rejected.empty()) throw RequestRejected(rejected);
}

}  // namespace warpvp::rt
