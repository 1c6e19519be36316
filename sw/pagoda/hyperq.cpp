// CUDA-HyperQ: a kernel a task, in one of several streams, each a hardware queue while there are queues
// (section 5.4.1 of Yeh's thesis: 32 connections).

#include <fmt/format.h>

#include <map>

#include "sw/pagoda/event_clock.h"
#include "sw/pagoda/task_runtime.h"

namespace warpvp::pagoda {
namespace {

struct HyperQParams {
  std::uint32_t streams = 32;

  void fields(FieldVisitor& v) {
    v.field("streams", streams, "",
            "Streams that tasks are dealt to in turn; more than there are hardware queues share those.",
            Constraint::range(1, 4096));
  }
};

class HyperQ : public TaskRuntime {
 public:
  explicit HyperQ(const HyperQParams& params) : params_(params) {}

  void open(rt::Runtime& device, rt::ModuleHandle module) override {
    device_ = &device;
    module_ = module;
    for (std::uint32_t i = 0; i < params_.streams; ++i)
      streams_.push_back(device.create_stream({fmt::format("tasks{}", i), 0, 0}));
    clock_.start(device);
  }

  TaskId spawn(const TaskSpec& task) override {
    times_.push_back({clock_.now_us(), 0});
    const rt::Stream stream = streams_[marks_.size() % streams_.size()];
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
    marks_.push_back(device_->mark(stream));
    return static_cast<TaskId>(marks_.size() + 1);
  }

  void wait(TaskId task) override {
    if (is_known(task)) device_->synchronize(marks_[task - 2]);
  }
  bool check(TaskId task) override { return !is_known(task) || device_->completed(marks_[task - 2]); }
  void wait_all() override {
    for (const rt::Stream s : streams_) device_->synchronize(s);
    for (std::size_t i = noted_; i < marks_.size(); ++i) times_[i].noticed = clock_.us_of(marks_[i]);
    noted_ = marks_.size();
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

  const HyperQParams params_;
  rt::Runtime* device_ = nullptr;
  rt::ModuleHandle module_;
  std::vector<rt::Stream> streams_;
  std::map<std::string, rt::Kernel> kernels_;
  std::vector<rt::Event> marks_;  ///< of each task, by the order of spawning
  std::size_t noted_ = 0;         ///< tasks whose end is in times_
  std::vector<TaskTimes> times_;
  EventClock clock_;
};

WARPVP_REGISTER_POLICY_WITH_PARAMS(TaskRuntime, HyperQ, HyperQParams, "hyperq",
                                   "A kernel a task, in streams that are hardware queues (CUDA-HyperQ).");

}  // namespace
}  // namespace warpvp::pagoda
