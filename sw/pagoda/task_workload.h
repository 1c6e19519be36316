#pragma once
// What narrow tasks compute: the benchmarks of table 5.3 of Yeh's thesis. A workload makes the inputs of its
// tasks from the seed, gives them one by one to a runtime (task_runtime.h) and compares what they left with a
// CPU computation.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sw/apps/compare.h"
#include "sw/apps/inputs.h"
#include "sw/pagoda/task_runtime.h"

namespace warpvp::pagoda {

/// How many tasks and of what shape; common to all workloads.
struct TaskPlan {
  std::uint32_t tasks = 64;
  std::uint32_t threads = 128;  ///< of a thread block; a multiple of 32
  std::uint32_t blocks = 1;     ///< thread blocks of a task
  bool irregular = false;       ///< threads and sizes of each task are drawn (section 5.4.4)
  std::uint64_t seed = 1;

  /// Of task `i`: 32, 64, 128 or 256 if irregular.
  std::uint32_t threads_of(std::uint32_t i) const;
  /// The size of task `i` where a regular one has `size`: a half, three quarters, all or one and a half of
  /// it, rounded down to a multiple of `step`, at least that.
  std::uint32_t size_of(std::uint32_t i, std::uint32_t size, std::uint32_t step) const;
};

/// Hands the tasks of a workload to a runtime, with their copies or with those done apart.
class TaskFeed {
 public:
  virtual ~TaskFeed() = default;
  virtual TaskId spawn(std::uint32_t task) = 0;
  virtual bool check(TaskId id) = 0;
  virtual void wait(TaskId id) = 0;
};

class TaskWorkload {
 public:
  static constexpr const char* kKind = "task_workload";
  virtual ~TaskWorkload() = default;

  /// File of the kernels below the folder of kernels: "pagoda/filter_bank.ptx".
  virtual std::string module() const = 0;
  /// Makes the inputs, on the host alone. InputError for a plan that it cannot do.
  virtual void make(const TaskPlan& plan) = 0;
  /// Allocates on the device, copies what all tasks share, and waits for it.
  virtual void place(rt::Runtime& device) = 0;
  /// Tasks that there are, known after make(): those of the plan, or about as many.
  virtual std::uint32_t tasks() const = 0;
  virtual TaskSpec task(std::uint32_t i) const = 0;
  /// Spawns all; returns when none is left to spawn.
  virtual void run(TaskFeed& feed) {
    for (std::uint32_t i = 0; i < tasks(); ++i) feed.spawn(i);
  }
  /// Computes a task on the CPU. Several threads may compute different tasks, each when those that it depends
  /// on are over.
  virtual void compute(std::uint32_t i) = 0;
  /// Compares what a task left, copied back, with what compute() gave.
  virtual apps::AppResult compare(std::uint32_t i) const = 0;
  virtual void release(rt::Runtime& device) = 0;
};

/// Computes and compares all tasks but those that are true in `left_out`; the message names the first that
/// differs.
apps::AppResult verify(TaskWorkload& workload, const std::vector<bool>& left_out = {});

/// The bytes of an argument structure.
template <class Arguments>
std::vector<std::uint8_t> argument_bytes(const Arguments& arguments) {
  static_assert(sizeof(Arguments) <= kMaxArgumentBytes);
  const auto* p = reinterpret_cast<const std::uint8_t*>(&arguments);
  return {p, p + sizeof(Arguments)};
}

/// When the device gets what an array has on the host: with the tasks that read it, or when it is placed,
/// since all tasks do.
enum class Filled : std::uint8_t { kByTasks, kWhenPlaced };

/// An array of any type for all tasks of a workload. Freed by release() alone, as workloads outlive the
/// device.
class PlacedArray {
 public:
  explicit PlacedArray(Filled filled) : filled_(filled) {}
  virtual ~PlacedArray() = default;
  /// Allocates it on the device, and fills it there if it is to be, and waits for that.
  void place(rt::Runtime& device) {
    device_ = device.malloc(bytes());
    if (filled_ == Filled::kWhenPlaced) device.copy_to_device(device_, data(), bytes());
  }
  void release(rt::Runtime& device) { device.free(device_); }

 protected:
  rt::DevicePtr device() const { return device_; }

 private:
  virtual const void* data() const = 0;
  virtual std::size_t bytes() const = 0;

  Filled filled_;
  rt::DevicePtr device_ = 0;
};

/// It lies on the host and on the device: the same place in each for every task, so that runtimes may join
/// the copies of neighbours.
template <class T>
class TaskArray : public PlacedArray {
 public:
  explicit TaskArray(Filled filled = Filled::kByTasks) : PlacedArray(filled) {}
  rt::DevicePtr at(std::size_t element) const { return device() + element * sizeof(T); }
  /// A copy of `count` elements from `first` on.
  TaskCopy copy(std::size_t first, std::size_t count) const {
    return {at(first), const_cast<T*>(host.data()) + first, count * sizeof(T)};
  }

  std::vector<T> host;

 private:
  const void* data() const override { return host.data(); }
  std::size_t bytes() const override { return host.size() * sizeof(T); }
};

/// compare() of apps for `count` elements from `first` on, all bits the same.
template <class T>
apps::AppResult compare_part(const char* name, const std::vector<T>& got, const std::vector<T>& expected,
                             std::size_t first, std::size_t count) {
  const auto begin = static_cast<std::ptrdiff_t>(first), end = static_cast<std::ptrdiff_t>(first + count);
  return apps::compare(name, std::vector<T>(got.begin() + begin, got.begin() + end),
                       std::vector<T>(expected.begin() + begin, expected.begin() + end));
}

}  // namespace warpvp::pagoda
