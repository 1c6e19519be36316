// The host thread's side of Pagoda: spawning, and learning what is over.
#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <utility>

#include "base/error.h"
#include "interconnect/host_interface.h"
#include "sw/pagoda/pagoda_runtime.h"
#include "sw/pagoda/task_batch.h"
#include "sw/runtime/device_hang.h"

namespace warpvp::pagoda {

namespace dev = ::pagoda;

namespace {
constexpr std::size_t kStateBytes = offsetof(dev::TaskEntry, threads);  ///< ready and sched
}

PagodaSpawner::PagodaSpawner(Pagoda& of, rt::Runtime& runtime)
    : of_(of),
      runtime_(runtime),
      tasks_(runtime.create_stream({"pagoda_tasks"})),
      results_(runtime.create_stream({"pagoda_results"})),
      seen_(of.table_->size()),
      copied_back_(runtime.host().now()) {
  clock_.start(runtime);
}

TaskId PagodaSpawner::spawn(const TaskSpec& task) {
  of_.check_task(task);
  const std::uint64_t function = of_.address_of(task.function, runtime_);
  settle(false);
  if (of_.params_.batch != 0 && in_batch_ == of_.params_.batch) wait_all();
  ++in_batch_;
  Running running;
  const std::size_t number = of_.times_.size();
  running.number = number;
  running.function = task.function;
  running.outputs = task.outputs;
  of_.times_.push_back({clock_.now_us(), 0, false});
  of_.host_steps_.emplace_back();
  for (const TaskCopy& input : task.inputs)
    runtime_.copy_to_device_async(input.device, input.host, input.bytes, tasks_);

  const unsigned at = find_entry();
  const TaskId id = of_.table_->id(at);
  if (running_.empty()) waiting_since_.reset();
  running_[at] = std::move(running);
  seen_[at] = {};  // what was seen there was another task, maybe of another thread
  if (of_.params_.fill_entry_ns > 0) runtime_.host().compute(SimTime::from_ns(of_.params_.fill_entry_ns));
  dev::TaskEntry& entry = (*of_.table_)[at];
  entry = {};
  // The parameters of the task before are complete when this entry has come (figure 5.3).
  entry.ready = last_ ? dev::kFirstReference + static_cast<int>(*last_) : dev::kArrived;
  entry.threads = task.threads;
  entry.blocks = task.blocks;
  entry.shared_bytes = task.shared_bytes;
  constexpr std::size_t kMostNumbers = 0x7fffffff;  // further ones have no stamps
  entry.flags = 2 * static_cast<unsigned>(std::min(number, kMostNumbers)) + (task.sync ? dev::kSync : 0);
  entry.function = function;
  std::copy(task.arguments.begin(), task.arguments.end(), entry.arguments);
  runtime_.copy_to_device_async(of_.entries_ + at * sizeof entry, &entry, sizeof entry, tasks_);
  of_.host_steps_[number].sent = clock_.now_us();
  if (number < of_.params_.steps) copies_.emplace_back(number, runtime_.mark(tasks_));
  last_ = at;
  return id;
}

/// Takes an entry. Where all are taken the table is copied back, all of it at once: the lazy aggregate
/// update.
unsigned PagodaSpawner::find_entry() {
  for (;;) {
    unsigned looked = 0;
    const std::optional<unsigned> entry = of_.table_->take(looked);
    if (of_.params_.find_entry_ns > 0)
      runtime_.host().compute(SimTime::from_ns(of_.params_.find_entry_ns * looked));
    if (entry) return *entry;
    const unsigned before = of_.table_->taken();
    copy_back_all();
    if (of_.table_->taken() < before) continue;
    release_last();  // the next one may be long in coming
    pause();
  }
}

bool PagodaSpawner::due() const {
  return runtime_.host().now() >= copied_back_ + SimTime::from_us(of_.params_.timeout_us);
}

/// Waits for the time-out to pass.
void PagodaSpawner::pause() {
  check_progress();
  const SimTime at = copied_back_ + SimTime::from_us(of_.params_.timeout_us);
  if (runtime_.host().now() < at) runtime_.host().sleep(at - runtime_.host().now());
}

// The stream keeps order, so what comes back is newer than all entries that this thread has sent. Of other
// threads' it may be older, and they look for themselves.
void PagodaSpawner::copy_back_all() {
  runtime_.copy_to_host_async(seen_.data(), of_.entries_, seen_.size() * sizeof seen_[0], tasks_);
  runtime_.synchronize(tasks_);
  copied_back_ = runtime_.host().now();
  std::vector<unsigned> entries;
  for (const auto& [entry, running] : running_) entries.push_back(entry);
  Returning batch;
  for (unsigned entry : entries) note(entry, seen_[entry], batch);
  finish_batch(std::move(batch));
  if (!waiting_since_) waiting_since_ = copied_back_;
}

void PagodaSpawner::copy_back(unsigned entry) {
  runtime_.copy_to_host_async(&seen_[entry], of_.entries_ + entry * sizeof seen_[0], kStateBytes, tasks_);
  runtime_.synchronize(tasks_);
  copied_back_ = runtime_.host().now();
  Returning batch;
  note(entry, seen_[entry], batch);
  finish_batch(std::move(batch));
  if (!waiting_since_) waiting_since_ = copied_back_;
}

/// For who waits for the task in that entry.
void PagodaSpawner::look_at(unsigned entry) {
  const bool all = of_.params_.look == "table";
  all ? copy_back_all() : copy_back(entry);
  if (all || last_ == entry) release_last();
}

/// Takes note of a task that is over.
void PagodaSpawner::note(unsigned entry, const dev::TaskEntry& seen, Returning& batch) {
  if (seen.ready != dev::kFree) return;
  const auto it = running_.find(entry);
  waiting_since_.reset();
  if (it->second.outputs.empty()) {
    of_.times_[it->second.number].noticed = clock_.now_us();
    ++over_;
  } else {
    batch.tasks.push_back(of_.table_->id(entry));
    batch.numbers.push_back(it->second.number);
    batch.outputs.insert(batch.outputs.end(), it->second.outputs.begin(), it->second.outputs.end());
  }
  running_.erase(it);
  of_.table_->release(entry);
}

/// Asks for the outputs of tasks that were seen over together; those that lie side by side come as one.
void PagodaSpawner::finish_batch(Returning batch) {
  if (batch.tasks.empty()) return;
  std::sort(batch.outputs.begin(), batch.outputs.end(),
            [](const TaskCopy& a, const TaskCopy& b) { return a.device < b.device; });
  for (std::size_t i = 0; i < batch.outputs.size();) {
    TaskCopy joined = batch.outputs[i++];
    for (; i < batch.outputs.size() && goes_on(runtime_, joined, batch.outputs[i]); ++i)
      joined.bytes += batch.outputs[i].bytes;
    runtime_.copy_to_host_async(joined.host, joined.device, joined.bytes, results_);
  }
  batch.outputs.clear();
  batch.there = runtime_.mark(results_);
  returning_.push_back(std::move(batch));
}

/// No other task has come after the last one: the host releases it, once the GPU has seen it (end of the
/// example in section 5.2.2). After a copy-back of its entry, which says whether it has.
void PagodaSpawner::release_last() {
  if (!last_ || seen_[*last_].ready != dev::kArrived || seen_[*last_].sched != 0) return;
  dev::TaskEntry& entry = (*of_.table_)[*last_];
  entry.ready = dev::kReleased;
  entry.sched = 1;
  runtime_.copy_to_device_async(of_.entries_ + *last_ * sizeof entry, &entry, kStateBytes, tasks_);
  of_.host_steps_[running_.at(*last_).number].released = clock_.now_us();
  last_.reset();
}

/// Takes note of outputs that have come; `wait_for_all`: of all that are on their way.
void PagodaSpawner::settle(bool wait_for_all) {
  while (!returning_.empty()) {
    if (wait_for_all) runtime_.synchronize(returning_.front().there);
    if (!runtime_.completed(returning_.front().there)) return;
    const double there = clock_.us_of(returning_.front().there);
    for (std::size_t number : returning_.front().numbers) of_.times_[number].noticed = there;
    over_ += returning_.front().numbers.size();
    returning_.pop_front();
  }
}

/// Whether the GPU was last seen to have given warps to the task of the entry, or to be about to.
bool PagodaSpawner::seen_running(unsigned entry) const {
  return seen_[entry].ready == dev::kReleased && seen_[entry].sched == 0;
}

/// Which task keeps the others from ending: the oldest of those that have warps, if one was seen to.
void PagodaSpawner::check_progress() const {
  if (running_.empty() || !waiting_since_) return;
  const SimTime now = runtime_.host().now();
  if (now < *waiting_since_ + SimTime::from_us(of_.params_.task_limit_us)) return;
  const auto order = [&](const auto& entry) {
    return std::make_pair(!seen_running(entry.first), entry.second.number);
  };
  const auto culprit = std::min_element(running_.begin(), running_.end(),
                                        [&](const auto& a, const auto& b) { return order(a) < order(b); });
  const std::size_t number = culprit->second.number;
  throw rt::DeviceHang(
      fmt::format("pagoda: task {} ('{}') does not end: spawned {:.1f} us ago, {}, and of the {} tasks under "
                  "way none has ended for {} us; task_limit_us is how long one may be waited for",
                  number, culprit->second.function, clock_.now_us() - of_.times_[number].spawned,
                  seen_running(culprit->first) ? "it has warps" : "it was not seen to have warps",
                  running_.size(), of_.params_.task_limit_us));
}

bool PagodaSpawner::check(TaskId task) {
  settle(false);
  std::optional<unsigned> entry = of_.table_->entry_of(task);
  if (entry && running_.count(*entry) != 0 && due()) {
    check_progress();
    look_at(*entry);
    entry = of_.table_->entry_of(task);
    settle(false);
  }
  if (entry) return false;
  return std::none_of(returning_.begin(), returning_.end(), [&](const Returning& r) {
    return std::find(r.tasks.begin(), r.tasks.end(), task) != r.tasks.end();
  });
}

void PagodaSpawner::wait(TaskId task) {
  while (const std::optional<unsigned> entry = of_.table_->entry_of(task)) {
    if (running_.count(*entry) == 0)
      throw InputError(
          fmt::format("pagoda: task {} is waited for by a host thread that has not spawned it", task));
    pause();
    look_at(*entry);
  }
  for (const Returning& r : returning_)
    if (std::find(r.tasks.begin(), r.tasks.end(), task) != r.tasks.end()) runtime_.synchronize(r.there);
  settle(false);
}

void PagodaSpawner::pass(std::optional<SimTime> until) {
  HostInterface& host = runtime_.host();
  const std::size_t before = over_;
  for (;;) {
    settle(false);
    if (over_ != before || (until && host.now() >= *until)) return;
    // What comes first: outputs that are on their way, the next look at the table, or the time.
    std::optional<SimTime> latest = until;
    if (!running_.empty()) {
      const SimTime look = copied_back_ + SimTime::from_us(of_.params_.timeout_us);
      if (!latest || look < *latest) latest = look;
    }
    if (!returning_.empty()) {
      const auto there = [&, event = returning_.front().there] { return runtime_.completed(event); };
      if (!latest)
        host.wait_until(there);
      else if (host.wait_until(there, *latest))
        continue;
    } else if (latest) {
      sleep_until(host, *latest);
    } else {
      return;
    }
    if (running_.empty() || !due() || (until && host.now() >= *until)) continue;
    check_progress();
    copy_back_all();
    release_last();
  }
}

void PagodaSpawner::wait_all() {
  while (!running_.empty()) {
    pause();
    copy_back_all();
    release_last();
  }
  settle(true);
  for (const auto& [number, event] : copies_) of_.host_steps_[number].copied = clock_.us_of(event);
  copies_.clear();
  in_batch_ = 0;
}

}  // namespace warpvp::pagoda
