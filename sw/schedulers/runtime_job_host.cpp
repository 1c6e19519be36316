#include "sw/schedulers/runtime_job_host.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

namespace warpvp::sched {

RuntimeJobHost::RuntimeJobHost(rt::Runtime& device, const apps::JobStream& stream,
                               const JobHostOptions& options, apps::JobKernels* kernels)
    : device_(device), stream_(stream), jobs_(stream.jobs.size()) {
  load_kernels(kernels);
  known_ = Knowledge(*this);
  const auto wanted = std::min<std::size_t>(options.queues, stream.jobs.size());
  for (std::size_t i = 1; i < wanted; ++i) {
    rt::StreamOptions named;
    named.name = fmt::format("queue{}", i);
    free_.push_back(device.create_stream(named));
  }
  free_.push_back(rt::Stream{0});
  std::reverse(free_.begin(), free_.end());
}

void RuntimeJobHost::load_kernels(apps::JobKernels* real) {
  std::vector<std::string> names;
  for (const apps::StreamKernel& kernel : stream_.kernels) names.push_back(kernel.launch.kernel);
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  rt::ModuleHandle module;
  if (!real) module = device_.load_module_text("job_stream", apps::stub_ptx(names));
  for (const apps::StreamKernel& kernel : stream_.kernels) {
    const apps::TraceLaunch& launch = kernel.launch;
    KnownKernel known;
    known.real = real != nullptr;
    if (real) {
      const apps::JobLaunch of =
          real->launch(launch.kernel, static_cast<std::uint32_t>(kernel.ctas()) * kernel.threads());
      known.kernel = of.kernel;
      known.args = of.args;
    } else {
      known.kernel = device_.kernel(module, launch.kernel);
      known.registers = launch.registers;
      known.shared_bytes = launch.shared_bytes;
    }
    known.room = device_.sm_count() *
                 device_.occupancy(known.kernel, kernel.threads(), known.shared_bytes, known.registers);
    kernels_.push_back(known);
  }
}

rt::LaunchOptions RuntimeJobHost::options_of(unsigned kernel) const {
  rt::LaunchOptions options;
  options.registers = kernels_[kernel].registers;
  options.dynamic_shared_bytes = kernels_[kernel].shared_bytes;
  options.expected_us = known_.alone_us(kernel);
  return options;
}

void RuntimeJobHost::run(HostScheduler& scheduler) {
  (void)device_.next_completion();  // from now on they are kept
  begin_ = now();
  scheduler.begin(*this);
  std::size_t ended = 0;
  while (ended < jobs_.size()) {
    take_completions(scheduler);
    take_arrivals(scheduler);
    scheduler.schedule(*this);
    while (!due_.empty() && due_.begin()->first <= now()) {
      const Due due = due_.begin()->second;
      due_.erase(due_.begin());
      submit(due);
    }
    if (!over_.empty()) {
      for (const unsigned job : over_) scheduler.job_over(*this, job);
      ended += over_.size();
      over_.clear();
      continue;
    }
    std::optional<SimTime> latest;
    const auto at_the_latest = [&latest](SimTime time) { latest = latest ? std::min(*latest, time) : time; };
    if (next_arrival_ < jobs_.size() && !free_.empty())
      at_the_latest(begin_ + stream_.jobs[next_arrival_].arrival);
    if (!due_.empty()) at_the_latest(due_.begin()->first);
    if (const auto call = scheduler.next_call()) at_the_latest(*call);
    // Any write of the device wakes the thread, which then looks at what has completed.
    bool woken = false;
    const auto something = [&woken] { return std::exchange(woken, true); };
    // Without a time of its own the host is no reason to wait for ever: the watchdog may end the run.
    if (latest) {
      device_.host().wait_until(something, *latest);
    } else {
      device_.host().wait_until(something);
    }
  }
}

void RuntimeJobHost::take_arrivals(HostScheduler& scheduler) {
  while (next_arrival_ < jobs_.size() && !free_.empty() &&
         arrival(static_cast<unsigned>(next_arrival_)) <= now()) {
    const auto number = static_cast<unsigned>(next_arrival_++);
    const apps::StreamJob& job = stream_.jobs[number];
    OpenJob& open = jobs_[number];
    open.stream = free_.back();
    free_.pop_back();
    rt::JobOptions options;
    options.name = job.name;
    options.deadline_us = job.deadline_us;
    options.told_deadline_us = job.told_deadline_us;
    options.kernels = static_cast<std::uint32_t>(job.kernels.size());
    options.arrival = arrival(number);
    open.handle = device_.begin_job(open.stream, options);
    by_handle_[open.handle.id] = number;
    open_.push_back(number);
    scheduler.arrived(*this, number);
  }
}

void RuntimeJobHost::take_completions(HostScheduler& scheduler) {
  while (const auto completion = device_.next_completion()) {
    const auto found = by_handle_.find(completion->job.id);
    if (found == by_handle_.end()) continue;  // of another program
    const unsigned number = found->second;
    OpenJob& job = jobs_[number];
    const unsigned index = job.progress.done++;
    scheduler.kernel_done(*this, number, index, completion->start, completion->end);
    if (job.progress.done == stream_.jobs[number].kernels.size()) close(number);
  }
}

void RuntimeJobHost::close(unsigned number) {
  OpenJob& job = jobs_[number];
  job.progress.over = true;
  free_.push_back(job.stream);
  open_.erase(std::find(open_.begin(), open_.end(), number));
  over_.push_back(number);
}

void RuntimeJobHost::launch(unsigned job, unsigned kernels, double delay_us) {
  jobs_[job].progress.launched += kernels;
  const Due due{{job}, kernels, false};
  if (delay_us <= 0) return submit(due);
  due_.emplace(now() + SimTime::from_us(delay_us), due);
}

void RuntimeJobHost::launch_batch(const std::vector<unsigned>& jobs, double delay_us) {
  for (const unsigned job : jobs) ++jobs_[job].progress.launched;
  const Due due{jobs, 1, true};
  if (delay_us <= 0) return submit(due);
  due_.emplace(now() + SimTime::from_us(delay_us), due);
}

void RuntimeJobHost::submit(const Due& due) {
  if (due.batch) return submit_batch(due.jobs);
  const unsigned number = due.jobs.front();
  OpenJob& job = jobs_[number];
  for (unsigned i = 0; i < due.kernels; ++i) {
    const unsigned k = kernel(number, job.submitted + i);
    const apps::TraceLaunch& l = stream_.kernels[k].launch;
    device_.launch(kernels_[k].kernel, {l.grid[0], l.grid[1], l.grid[2]},
                   {l.block[0], l.block[1], l.block[2]}, kernels_[k].args, job.stream, options_of(k));
  }
  submitted(number, due.kernels);
}

void RuntimeJobHost::submit_batch(const std::vector<unsigned>& jobs) {
  const unsigned k = kernel(jobs.front(), jobs_[jobs.front()].submitted);
  const apps::TraceLaunch& l = stream_.kernels[k].launch;
  if (kernels_[k].real)
    throw InputError(
        fmt::format("a batch of kernel '{}': only kernels known by their profiles can be batched", l.kernel));
  rt::LaunchOptions options = options_of(k);
  for (const unsigned job : jobs) options.batch.push_back(jobs_[job].handle);
  BatchStream& batches = stream_for_batch();
  batches.job = jobs.front();
  batches.done = jobs_[jobs.front()].submitted + 1;
  device_.launch(kernels_[k].kernel,
                 {l.grid[0] * static_cast<std::uint32_t>(jobs.size()), l.grid[1], l.grid[2]},
                 {l.block[0], l.block[1], l.block[2]}, {}, batches.stream, options);
  for (const unsigned job : jobs) submitted(job, 1);
}

void RuntimeJobHost::submitted(unsigned number, unsigned kernels) {
  OpenJob& job = jobs_[number];
  job.submitted += kernels;
  if (job.submitted == stream_.jobs[number].kernels.size()) device_.end_job(job.handle);
}

/// One in which nothing is under way, so that no batch waits for another one.
RuntimeJobHost::BatchStream& RuntimeJobHost::stream_for_batch() {
  for (BatchStream& batches : batch_streams_)
    if (jobs_[batches.job].progress.done >= batches.done) return batches;
  rt::StreamOptions named;
  named.name = fmt::format("batches{}", batch_streams_.size() + 1);
  batch_streams_.push_back({device_.create_stream(named)});
  return batch_streams_.back();
}

void RuntimeJobHost::reject(unsigned job, std::uint32_t code) {
  device_.reject_job(jobs_[job].handle, code);
  close(job);
}

void RuntimeJobHost::set_priority(unsigned job, int priority) {
  device_.set_priority(jobs_[job].stream, priority);
}

}  // namespace warpvp::sched
