#pragma once
// What most workloads have in common: independent tasks, each with a stretch of one input and of one output
// array.

#include "sw/pagoda/task_workload.h"

namespace warpvp::pagoda {

class IndependentTasks : public TaskWorkload {
 public:
  std::uint32_t tasks() const override { return plan_.tasks; }

 protected:
  /// A task's specification, but for its function, arguments and copies.
  TaskSpec shape(std::uint32_t i) const {
    TaskSpec spec;
    spec.threads = plan_.threads_of(i);
    spec.blocks = plan_.blocks;
    return spec;
  }

  TaskPlan plan_;
};

/// Where the stretches of tasks lie in an array: one after the other.
class Stretches {
 public:
  void add(std::size_t count) {
    first_.push_back(total_);
    total_ += count;
  }
  std::size_t first(std::uint32_t task) const { return first_[task]; }
  std::size_t count(std::uint32_t task) const {
    return (task + 1 < first_.size() ? first_[task + 1] : total_) - first_[task];
  }
  std::size_t total() const { return total_; }

 private:
  std::vector<std::size_t> first_;
  std::size_t total_ = 0;
};

}  // namespace warpvp::pagoda
