#include "sw/pagoda/task_workload.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/random_factor.h"

namespace warpvp::pagoda {

namespace {

enum DrawnTask : std::uint64_t { kThreads = 1, kSize };

/// A number below 4.
unsigned quarter(std::uint64_t seed, DrawnTask what, std::uint32_t task) {
  return std::min(static_cast<unsigned>(4 * uniform_number(seed, what, task)), 3u);
}

}  // namespace

std::uint32_t TaskPlan::threads_of(std::uint32_t i) const {
  return irregular ? 32u << quarter(seed, kThreads, i) : threads;
}

std::uint32_t TaskPlan::size_of(std::uint32_t i, std::uint32_t size, std::uint32_t step) const {
  static constexpr std::uint32_t kQuarters[] = {2, 3, 4, 6};
  const std::uint32_t drawn = irregular ? size * kQuarters[quarter(seed, kSize, i)] / 4 : size;
  return std::max(drawn / step * step, step);
}

apps::AppResult verify(TaskWorkload& workload, const std::vector<bool>& left_out) {
  const auto counts = [&](std::uint32_t i) { return i >= left_out.size() || !left_out[i]; };
  for (std::uint32_t i = 0; i < workload.tasks(); ++i)
    if (counts(i)) workload.compute(i);
  for (std::uint32_t i = 0; i < workload.tasks(); ++i) {
    if (!counts(i)) continue;
    apps::AppResult one = workload.compare(i);
    if (one.verified) continue;
    one.message = fmt::format("task {}: {}", i, one.message);
    return one;
  }
  return {true, ""};
}

}  // namespace warpvp::pagoda
