#pragma once
// Tasks that are brought to the device together: their records (sw/kernels/pagoda/task_record.h) and their
// copies, those of neighbours joined if wanted.

#include <map>
#include <string>
#include <vector>

#include "sw/kernels/pagoda/task_record.h"
#include "sw/pagoda/task_runtime.h"

namespace warpvp::pagoda {

/// The numbers that bodies have in a module's kernels of many tasks, read from the device once each.
class FunctionNumbers {
 public:
  void open(rt::Runtime& device, rt::ModuleHandle module) { device_ = &device, module_ = module; }
  unsigned of(const std::string& function);

 private:
  rt::Runtime* device_ = nullptr;
  rt::ModuleHandle module_;
  std::map<std::string, unsigned> known_;
};

/// Whether `next` goes on where `last` ends, on both sides and in the same allocation of the device, so that
/// one copy can be both.
bool goes_on(const rt::Runtime& device, const TaskCopy& last, const TaskCopy& next);

class TaskBatch {
 public:
  /// `join`: copies of tasks that lie side by side are one.
  explicit TaskBatch(bool join = true) : join_(join) {}

  /// One record for each of its thread blocks.
  void add(const TaskSpec& task, unsigned function);
  std::size_t tasks() const { return tasks_; }
  const std::vector<TaskRecord>& records() const { return records_; }
  void copy_inputs(rt::Runtime& device, rt::Stream s) const;
  void copy_outputs(rt::Runtime& device, rt::Stream s) const;
  void clear();

 private:
  template <class Copy>
  void each_copy(const rt::Runtime& device, const std::vector<TaskCopy>& copies, Copy copy) const;

  bool join_;
  std::size_t tasks_ = 0;
  std::vector<TaskRecord> records_;
  std::vector<TaskCopy> inputs_, outputs_;
};

}  // namespace warpvp::pagoda
