// CUDA-HyperQ: a kernel a task, in one of several streams, each a hardware queue while there are queues
// (section 5.4.1 of Yeh's thesis: 32 connections).

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "sw/pagoda/event_clock.h"
#include "sw/pagoda/task_runtime.h"

namespace warpvp::pagoda {
namespace {

struct HyperQParams {
  std::uint32_t streams = 32;
  std::string deal = "turn";

  void fields(FieldVisitor& v) {
    v.field("streams", streams, "",
            "Streams that tasks are dealt to; more than there are hardware queues share those.",
            Constraint::range(1, 4096));
    v.field("deal", deal,
            "turn: to one stream after the other; free: to a stream that has nothing to do, which the host "
            "waits for, so that a scheduler on the device finds one task in a queue.",
            Constraint::words({"turn", "free"}));
  }
};

/// A task with a deadline is a job of the runtime (sw/runtime/job.h), which schedulers on the device know and
/// may turn down.
class HyperQ : public TaskRuntime {
 public:
  explicit HyperQ(const HyperQParams& params) : params_(params) {}

  void open(rt::Runtime& device, rt::ModuleHandle module) override {
    device_ = &device;
    module_ = module;
    for (std::uint32_t i = 0; i < params_.streams; ++i)
      streams_.push_back(device.create_stream({fmt::format("tasks{}", i), 0, 0}));
    last_of_.resize(streams_.size());
    clock_.start(device);
  }

  TaskId spawn(const TaskSpec& task) override {
    times_.push_back({clock_.now_us(), 0, false});
    const std::size_t place = params_.deal == "free" ? free_stream() : marks_.size() % streams_.size();
    const rt::Stream stream = streams_[place];
    const rt::Job job = task.deadline_us > 0 ? begin_job(task, stream) : rt::Job{};
    for (const TaskCopy& copy : task.inputs)
      device_->copy_to_device_async(copy.device, copy.host, copy.bytes, stream);
    rt::Args args;
    args.add(task.arguments.data(), task.arguments.size());
    rt::LaunchOptions options;
    options.dynamic_shared_bytes = task.shared_bytes;
    device_->launch(kernel(task.function), rt::Dim3(task.blocks), rt::Dim3(task.threads), args, stream,
                    options);
    for (const TaskCopy& copy : task.outputs)
      device_->copy_to_host_async(copy.host, copy.device, copy.bytes, stream);
    if (job.id != 0) device_->end_job(job);
    jobs_.push_back(job);
    last_of_[place] = marks_.size();
    under_way_.push_back(marks_.size());
    marks_.push_back(device_->mark(stream));
    return static_cast<TaskId>(marks_.size() + 1);
  }

  void wait(TaskId task) override {
    if (is_known(task)) device_->synchronize(marks_[task - 2]);
  }
  bool check(TaskId task) override { return !is_known(task) || device_->completed(marks_[task - 2]); }
  void wait_all() override {
    for (const rt::Stream s : streams_) device_->synchronize(s);
    note();
  }
  void pass(std::optional<SimTime> until) override {
    const std::size_t before = under_way_.size();
    const auto fewer = [&] {
      note();
      return under_way_.size() < before;
    };
    if (until)
      device_->host().wait_until(fewer, *until);
    else if (before > 0)
      device_->host().wait_until(fewer);
  }
  void close() override { wait_all(); }
  const std::vector<TaskTimes>& times() const override { return times_; }

 private:
  bool is_known(TaskId task) const { return task >= 2 && task - 2 < marks_.size(); }
  rt::Kernel kernel(const std::string& function) {
    const auto known = kernels_.find(function);
    if (known != kernels_.end()) return known->second;
    return kernels_[function] = device_->kernel(module_, function + "_task");
  }

  rt::Job begin_job(const TaskSpec& task, rt::Stream stream) {
    rt::JobOptions options;
    options.name = fmt::format("task{}", marks_.size());
    options.deadline_us = task.deadline_us;
    options.kernels = 1;
    options.commands = static_cast<std::uint32_t>(task.inputs.size() + 1 + task.outputs.size());
    options.arrival = task.arrival;
    return device_->begin_job(stream, options);
  }

  /// Whose tasks are all over; the search begins behind the stream of the task before.
  std::size_t free_stream() {
    const auto search = [&] {
      for (std::size_t i = 0; i < streams_.size(); ++i) {
        free_ = (free_ + 1) % streams_.size();
        const std::optional<std::size_t> last = last_of_[free_];
        if (!last || device_->completed(marks_[*last])) return true;
      }
      return false;
    };
    device_->host().wait_until(search);
    return free_;
  }

  /// Takes note of tasks that are over.
  void note() {
    const auto is_over = [&](std::size_t task) {
      if (!device_->completed(marks_[task])) return false;
      times_[task].noticed = clock_.us_of(marks_[task]);
      times_[task].rejected =
          jobs_[task].id != 0 && device_->job_status(jobs_[task]).state == rt::JobState::kRejected;
      return true;
    };
    under_way_.erase(std::remove_if(under_way_.begin(), under_way_.end(), is_over), under_way_.end());
  }

  const HyperQParams params_;
  rt::Runtime* device_ = nullptr;
  rt::ModuleHandle module_;
  std::vector<rt::Stream> streams_;
  std::map<std::string, rt::Kernel> kernels_;
  std::vector<rt::Event> marks_;                     ///< of each task, by the order of spawning
  std::vector<rt::Job> jobs_;                        ///< of each task; none without a deadline
  std::vector<std::size_t> under_way_;               ///< tasks that are not known to be over
  std::vector<std::optional<std::size_t>> last_of_;  ///< task of each stream
  std::size_t free_ = 0;
  std::vector<TaskTimes> times_;
  EventClock clock_;
};

WARPVP_REGISTER_POLICY_WITH_PARAMS(TaskRuntime, HyperQ, HyperQParams, "hyperq",
                                   "A kernel a task, in streams that are hardware queues (CUDA-HyperQ).");

}  // namespace
}  // namespace warpvp::pagoda
