#include "sw/pagoda/demand.h"

#include <algorithm>

#include "base/random_factor.h"

namespace warpvp::pagoda {

namespace {
enum DrawnDemand : std::uint64_t { kArrival = 16, kDeadline };  // TaskPlan draws others from the same seed
constexpr std::uint8_t kPattern = 0xa5;
}  // namespace

void TaskDemand::fields(FieldVisitor& v) {
  v.field("arrival_us", arrival_us, "us",
          "Mean time between arrivals of tasks, drawn from an exponential distribution; the host spawns none "
          "before it has arrived. 0: all are there at the beginning.",
          Constraint::range(0, 1e6));
  v.field("deadline_us", deadline_us, "us",
          "Each task is wanted so long after its arrival, outputs on the host included; 0: there are no "
          "deadlines.",
          Constraint::range(0, 1e6));
  v.field(
      "deadline_spread", deadline_spread, "",
      "Deadlines are drawn evenly from deadline_us less this part of it to deadline_us and this part more.",
      Constraint::range(0, 0.99));
  v.require(deadline_spread == 0 || deadline_us > 0, "deadline_spread",
            "needs deadlines; set deadline_us, too");
}

std::vector<TaskWish> draw_wishes(const TaskDemand& demand, std::uint32_t tasks, std::uint64_t seed) {
  std::vector<TaskWish> wishes(tasks);
  double at_us = 0;
  for (std::uint32_t i = 0; i < tasks; ++i) {
    if (demand.arrival_us > 0) at_us += demand.arrival_us * exponential_factor(seed, kArrival, i);
    wishes[i].arrival_us = at_us;
    wishes[i].deadline_us =
        demand.deadline_us * (1 + demand.deadline_spread * (2 * uniform_number(seed, kDeadline, i) - 1));
  }
  return wishes;
}

void OutputGuard::fill(rt::Runtime& device, const TaskWorkload& workload) const {
  for (std::uint32_t i = 0; i < workload.tasks(); ++i)
    for (const TaskCopy& copy : workload.task(i).outputs)
      device.memset_async(copy.device, kPattern, copy.bytes, rt::Stream{0});
  device.synchronize(rt::Stream{0});
}

bool OutputGuard::untouched(rt::Runtime& device, const TaskWorkload& workload, std::uint32_t task) const {
  for (const TaskCopy& copy : workload.task(task).outputs) {
    std::vector<std::uint8_t> left(copy.bytes);
    device.copy_to_host(left.data(), copy.device, left.size());
    if (std::any_of(left.begin(), left.end(), [](std::uint8_t byte) { return byte != kPattern; }))
      return false;
  }
  return true;
}

}  // namespace warpvp::pagoda
