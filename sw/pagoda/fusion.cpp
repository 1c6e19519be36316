// Static task fusion: many tasks are one kernel, whose thread blocks all have the same size (section 5.4.4 of
// Yeh's thesis). A task is over when its kernel is.

#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "sw/pagoda/event_clock.h"
#include "sw/pagoda/task_batch.h"

namespace warpvp::pagoda {
namespace {

struct FusionParams {
  std::uint32_t batch = 256, block = 256, streams = 2;
  std::string copies = "joined";

  void fields(FieldVisitor& v) {
    v.field("batch", batch, "thread blocks",
            "Tasks are put into one kernel until it has so many thread blocks (figure 5.9).",
            Constraint::range(1, 1u << 20));
    v.field("block", block, "threads",
            "Size of the kernel's thread blocks; of a smaller task's the rest does nothing.",
            Constraint::range(32, 1024));
    v.field("streams", streams, "",
            "Streams that kernels are dealt to in turn; with two, copies of one run beside the other.",
            Constraint::range(1, 128));
    v.field("copies", copies,
            "joined: copies of tasks whose data lie side by side are one; each: every task's are made by "
            "themselves, as a program does whose tasks have buffers of their own. The thesis does not say.",
            Constraint::words({"joined", "each"}));
  }
};

class Fusion : public TaskRuntime {
 public:
  explicit Fusion(const FusionParams& params) : params_(params) {}

  void open(rt::Runtime& device, rt::ModuleHandle module) override {
    device_ = &device;
    kernel_ = device.kernel(module, "fused_tasks");
    functions_.open(device, module);
    for (std::uint32_t i = 0; i < params_.streams; ++i) {
      Slot slot;
      slot.batch = TaskBatch(params_.copies == "joined");
      slot.stream = device.create_stream({fmt::format("fused{}", i), 0, 0});
      slots_.push_back(std::move(slot));
    }
    clock_.start(device);
  }

  TaskId spawn(const TaskSpec& task) override {
    if (task.depends)
      throw InputError("fusion: task '" + task.function +
                       "' depends on others; a fused kernel's tasks must be known beforehand");
    if (task.threads > params_.block)
      throw InputError(
          fmt::format("fusion: task '{}' has {} threads a thread block; allowed: at most block, {}",
                      task.function, task.threads, params_.block));
    times_.push_back({clock_.now_us(), 0});
    finish(slot());  // what was launched from it before, if anything, still uses its memory
    slot().batch.add(task, functions_.of(task.function));
    slot().shared_bytes = std::max(slot().shared_bytes, task.shared_bytes);
    slot().tasks.push_back(times_.size() - 1);
    batch_of_.push_back(kernels_);
    if (slot().batch.records().size() >= params_.batch) launch();
    return static_cast<TaskId>(times_.size() + 1);
  }

  void wait(TaskId task) override {
    if (!is_known(task) || times_[task - 2].noticed > 0) return;
    if (batch_of_[task - 2] == kernels_) launch();
    finish(slots_[batch_of_[task - 2] % slots_.size()]);
  }
  bool check(TaskId task) override {
    if (!is_known(task) || times_[task - 2].noticed > 0) return true;
    if (batch_of_[task - 2] == kernels_) return false;
    return device_->completed(slots_[batch_of_[task - 2] % slots_.size()].end);
  }
  void wait_all() override {
    if (slot().batch.tasks() > 0 && !slot().launched) launch();
    for (Slot& s : slots_) finish(s);
  }
  /// Batches that are not full wait for more tasks, so there is nothing to do.
  void pass(std::optional<SimTime> until) override {
    if (until)
      sleep_until(device_->host(), *until);
    else
      wait_all();
  }
  void close() override {
    wait_all();
    for (Slot& s : slots_) {
      if (s.capacity > 0) device_->free(s.memory);
      s.capacity = 0;
    }
  }
  const std::vector<TaskTimes>& times() const override { return times_; }

 private:
  /// A stream with one kernel: being filled, or launched.
  struct Slot {
    rt::Stream stream;
    TaskBatch batch;
    std::vector<std::size_t> tasks;  ///< of the batch, by the order of spawning
    unsigned shared_bytes = 0;
    bool launched = false;
    rt::Event end;
    rt::DevicePtr memory = 0;  ///< of the records
    std::size_t capacity = 0;
  };

  bool is_known(TaskId task) const { return task >= 2 && task - 2 < times_.size(); }
  Slot& slot() { return slots_[kernels_ % slots_.size()]; }

  void launch() {
    Slot& s = slot();
    const std::vector<TaskRecord>& records = s.batch.records();
    if (records.size() > s.capacity) {
      if (s.capacity > 0) device_->free(s.memory);
      s.memory = device_->malloc(records.size() * sizeof(TaskRecord));
      s.capacity = records.size();
    }
    s.batch.copy_inputs(*device_, s.stream);
    device_->copy_to_device_async(s.memory, records.data(), records.size() * sizeof(TaskRecord), s.stream);
    rt::LaunchOptions options;
    options.dynamic_shared_bytes = s.shared_bytes;
    device_->launch(kernel_, rt::Dim3(static_cast<std::uint32_t>(records.size())), rt::Dim3(params_.block),
                    rt::Args::of(s.memory), s.stream, options);
    s.batch.copy_outputs(*device_, s.stream);
    s.end = device_->mark(s.stream);
    s.launched = true;
    ++kernels_;
  }

  /// Waits for the slot's kernel, if there is one, and makes it empty.
  void finish(Slot& s) {
    if (!s.launched) return;
    device_->synchronize(s.end);
    for (const std::size_t task : s.tasks) times_[task].noticed = clock_.us_of(s.end);
    s.batch.clear();
    s.tasks.clear();
    s.shared_bytes = 0;
    s.launched = false;
  }

  const FusionParams params_;
  rt::Runtime* device_ = nullptr;
  rt::Kernel kernel_;
  FunctionNumbers functions_;
  std::vector<Slot> slots_;
  std::size_t kernels_ = 0;            ///< launched so far
  std::vector<std::size_t> batch_of_;  ///< of each task, the number of its kernel
  std::vector<TaskTimes> times_;
  EventClock clock_;
};

WARPVP_REGISTER_POLICY_WITH_PARAMS(
    TaskRuntime, Fusion, FusionParams, "fusion",
    "Static fusion: one kernel of many tasks, with thread blocks of one size.");

}  // namespace
}  // namespace warpvp::pagoda
