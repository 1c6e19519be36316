#pragma once
// Tasks that are asked for over time, each wanted by a deadline, in place of tasks that are all there at the
// beginning.

#include <cstdint>
#include <vector>

#include "base/fields.h"
#include "sw/pagoda/task_workload.h"

namespace warpvp::pagoda {

/// How often tasks arrive and how soon they are wanted.
struct TaskDemand {
  double arrival_us = 0;  ///< mean time between arrivals; 0: all arrive at once
  double deadline_us = 0, deadline_spread = 0;

  void fields(FieldVisitor& v);
  bool plain() const { return arrival_us == 0 && deadline_us == 0; }
};

/// Of one task, microseconds.
struct TaskWish {
  double arrival_us = 0;   ///< from the begin
  double deadline_us = 0;  ///< from the arrival; 0: none
};

/// Times between arrivals are exponential, deadlines uniform, both functions of the seed and the task's
/// number: the same tasks come at all rates, and their arrivals differ by a factor alone.
std::vector<TaskWish> draw_wishes(const TaskDemand& demand, std::uint32_t tasks, std::uint64_t seed);

/// Finds tasks that have run although they were turned down, by what is in the device's memory where their
/// outputs would be.
class OutputGuard {
 public:
  /// Fills the outputs of all tasks with a pattern, and waits for it. Before any task runs.
  void fill(rt::Runtime& device, const TaskWorkload& workload) const;
  /// Whether the pattern is still in all of the task's outputs.
  bool untouched(rt::Runtime& device, const TaskWorkload& workload, std::uint32_t task) const;
};

}  // namespace warpvp::pagoda
