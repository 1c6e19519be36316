#pragma once
// What most workloads have in common: independent tasks, each with a stretch of one output array.

#include <utility>
#include <vector>

#include "sw/pagoda/task_workload.h"

namespace warpvp::pagoda {

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

/// `Out`: what an element of the output is.
template <class Out>
class IndependentTasks : public TaskWorkload {
 public:
  std::uint32_t tasks() const override { return plan_.tasks; }
  void place(rt::Runtime& device) override {
    for (PlacedArray* array : arrays_) array->place(device);
  }
  void release(rt::Runtime& device) override {
    for (PlacedArray* array : arrays_) array->release(device);
  }
  apps::AppResult compare(std::uint32_t i) const override {
    return compare_part("out", out_.host, expected_, parts_.first(i), parts_.count(i));
  }

 protected:
  /// The end of make(): room for the outputs of all parts_. `arrays`: members of the workload, out_ among
  /// them, in the order in which they are allocated.
  void make_arrays(std::vector<PlacedArray*> arrays) {
    out_.host.resize(parts_.total());
    expected_.resize(parts_.total());
    arrays_ = std::move(arrays);
  }
  /// A task that leaves its part of out_.
  template <class Arguments>
  TaskSpec spec_of(std::uint32_t i, const char* function, const Arguments& arguments,
                   std::vector<TaskCopy> inputs) const {
    TaskSpec spec;
    spec.function = function;
    spec.threads = plan_.threads_of(i);
    spec.blocks = plan_.blocks;
    spec.arguments = argument_bytes(arguments);
    spec.inputs = std::move(inputs);
    spec.outputs = {out_.copy(parts_.first(i), parts_.count(i))};
    return spec;
  }

  TaskPlan plan_;
  Stretches parts_;  ///< of out_
  TaskArray<Out> out_;
  std::vector<Out> expected_;

 private:
  std::vector<PlacedArray*> arrays_;
};

}  // namespace warpvp::pagoda
