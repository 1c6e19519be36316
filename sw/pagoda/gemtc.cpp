// GeMTC (Krieder et al., "Design and Evaluation of the GeMTC Framework for GPU-Enabled Many-Task Computing",
// HPDC 2014) as Yeh's thesis describes it: a SuperKernel whose thread blocks stay and take tasks out of one
// queue under a lock; the host brings tasks in batches, and the next batch when all of the one before are
// done. A task is one thread block, without shared memory and without barriers unless parameters say
// otherwise.

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>

#include "sw/pagoda/event_clock.h"
#include "sw/pagoda/task_batch.h"
#include "sw/runtime/device_hang.h"

namespace warpvp::pagoda {
namespace {

struct GemtcParams {
  std::uint32_t batch = 0, block = 128, shared_bytes = 0;
  double poll_us = 2, task_limit_us = 100000;
  bool barriers = false;

  void fields(FieldVisitor& v) {
    v.field("batch", batch, "tasks", "Tasks of a batch; 0: as many as thread blocks stay on the device.",
            Constraint::range(0, 1u << 20));
    v.field("block", block, "threads", "Size of the SuperKernel's thread blocks.",
            Constraint::range(32, 1024));
    v.field("poll_us", poll_us, "us", "The host looks so often whether a batch is done.",
            Constraint::range(0.1, 1e6));
    v.field("task_limit_us", task_limit_us, "us",
            "A batch counts as one that never ends when none of its tasks has ended for so long.",
            Constraint::range(1, 1e9));
    v.field("barriers", barriers,
            "Tasks may have barriers, which GeMTC does not support: without them not all workloads can run.");
    v.field("shared_bytes", shared_bytes, "bytes",
            "Shared memory that each thread block of the SuperKernel has for tasks; GeMTC has none.",
            Constraint::range(0, 1u << 24));
  }
};

class Gemtc : public TaskRuntime {
 public:
  explicit Gemtc(const GemtcParams& params) : params_(params) {}

  void open(rt::Runtime& device, rt::ModuleHandle module) override {
    device_ = &device;
    functions_.open(device, module);
    const rt::Kernel kernel = device.kernel(module, "super_kernel");
    const unsigned blocks = device.sm_count() * device.occupancy(kernel, params_.block, params_.shared_bytes);
    capacity_ = params_.batch > 0 ? params_.batch : blocks;
    records_ = device.malloc(capacity_ * sizeof(TaskRecord));
    queue_ = device.malloc(sizeof(TaskQueue));
    kernel_stream_ = device.create_stream({"super_kernel", 0, 0});
    stream_ = device.create_stream({"batches", 0, 0});
    device.memset_async(queue_, 0, sizeof(TaskQueue), stream_);
    device.synchronize(stream_);
    clock_.start(device);
    rt::LaunchOptions options;
    options.dynamic_shared_bytes = params_.shared_bytes;
    device.launch(kernel, rt::Dim3(blocks), rt::Dim3(params_.block),
                  rt::Args::of(queue_, records_, static_cast<std::uint32_t>(capacity_)), kernel_stream_,
                  options);
  }

  TaskId spawn(const TaskSpec& task) override {
    refuse(task);
    times_.push_back({clock_.now_us(), 0});
    batch_.add(task, functions_.of(task.function));
    if (batch_.tasks() == capacity_) run_batch();
    return static_cast<TaskId>(times_.size() + 1);
  }

  void wait(TaskId task) override {
    if (!check(task)) run_batch();
  }
  /// Tasks that are not over wait for their batch to be complete.
  bool check(TaskId task) override {
    return task < 2 || task - 2 >= times_.size() || task - 2 < times_.size() - batch_.tasks();
  }
  void wait_all() override {
    if (batch_.tasks() > 0) run_batch();
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
    stop_ = 1;
    device_->copy_to_device_async(queue_ + offsetof(TaskQueue, stop), &stop_, sizeof stop_, stream_);
    device_->synchronize(stream_);
    device_->synchronize(kernel_stream_);
    device_->free(records_);
    device_->free(queue_);
  }
  const std::vector<TaskTimes>& times() const override { return times_; }

 private:
  void refuse(const TaskSpec& task) const {
    const auto refuse = [&](const std::string& what) {
      throw InputError(fmt::format("gemtc: task '{}' {}", task.function, what));
    };
    if (task.depends) refuse("depends on others; a batch's tasks must be known beforehand");
    if (task.shared_bytes > params_.shared_bytes)
      refuse(fmt::format("needs {} bytes of shared memory; allowed: at most shared_bytes, {}",
                         task.shared_bytes, params_.shared_bytes));
    if (task.sync && !params_.barriers) refuse("has barriers; allowed: none (or barriers: true)");
    if (task.blocks != 1) refuse(fmt::format("has {} thread blocks; allowed: one", task.blocks));
    if (task.threads > params_.block)
      refuse(fmt::format("has {} threads; allowed: at most block, {}", task.threads, params_.block));
  }

  /// Brings the tasks that have been spawned, and waits until they are done and their outputs are back.
  void run_batch() {
    const std::vector<TaskRecord>& records = batch_.records();
    batch_.copy_inputs(*device_, stream_);
    // Where the records of the queue go on, and from its begin.
    const std::size_t first = put_ % capacity_, before_end = std::min(records.size(), capacity_ - first);
    copy_records(records.data(), first, before_end);
    copy_records(records.data() + before_end, 0, records.size() - before_end);
    put_ += static_cast<unsigned>(records.size());
    device_->copy_to_device_async(queue_ + offsetof(TaskQueue, put), &put_, sizeof put_, stream_);
    device_->synchronize(stream_);
    unsigned done = put_ - static_cast<unsigned>(records.size());
    for (SimTime ended = device_->host().now();;) {
      const unsigned before = done;
      device_->copy_to_host_async(&done, queue_ + offsetof(TaskQueue, done), sizeof done, stream_);
      device_->synchronize(stream_);
      if (done == put_) break;
      if (done != before) ended = device_->host().now();
      if (device_->host().now() >= ended + SimTime::from_us(params_.task_limit_us)) give_up(done);
      device_->host().sleep(SimTime::from_us(params_.poll_us));
    }
    batch_.copy_outputs(*device_, stream_);
    device_->synchronize(stream_);
    for (std::size_t i = times_.size() - batch_.tasks(); i < times_.size(); ++i)
      times_[i].noticed = clock_.now_us();
    batch_.clear();
  }
  /// `done` counts thread blocks of all batches, and a task here is one.
  [[noreturn]] void give_up(unsigned done) const {
    const std::size_t tasks = batch_.tasks(), first = times_.size() - tasks;
    throw rt::DeviceHang(fmt::format(
        "gemtc: a batch does not end: of its {} tasks, {} to {}, {} are over, and none has ended for {} us; "
        "task_limit_us is how long one may be waited for",
        tasks, first, times_.size() - 1, tasks - (put_ - done), params_.task_limit_us));
  }
  void copy_records(const TaskRecord* records, std::size_t place, std::size_t count) {
    device_->copy_to_device_async(records_ + place * sizeof(TaskRecord), records, count * sizeof(TaskRecord),
                                  stream_);
  }

  const GemtcParams params_;
  rt::Runtime* device_ = nullptr;
  FunctionNumbers functions_;
  rt::Stream kernel_stream_, stream_;
  rt::DevicePtr records_ = 0, queue_ = 0;
  std::size_t capacity_ = 0;  ///< records in the queue, and tasks of a batch
  unsigned put_ = 0, stop_ = 0;
  TaskBatch batch_;
  std::vector<TaskTimes> times_;
  EventClock clock_;
};

WARPVP_REGISTER_POLICY_WITH_PARAMS(
    TaskRuntime, Gemtc, GemtcParams, "gemtc",
    "GeMTC: a SuperKernel takes tasks out of one queue; the host brings them in batches.");

}  // namespace
}  // namespace warpvp::pagoda
