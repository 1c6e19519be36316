#include "predict/schedule.h"

#include <algorithm>
#include <tuple>

namespace warpvp::predict {

Cycle Schedule::makespan() const {
  std::vector<std::pair<Cycle, Cycle>> spans;
  for (const Residence& r : ctas) spans.emplace_back(r.begin, r.end);
  std::sort(spans.begin(), spans.end());
  Cycle sum = 0, covered = 0;
  for (const auto& [begin, end] : spans) {
    if (end <= covered) continue;
    sum += end - std::max(begin, covered);
    covered = end;
  }
  return sum;
}

std::uint64_t Schedule::nops() const {
  return static_cast<std::uint64_t>(
      std::count_if(issues.begin(), issues.end(), [](const Issue& i) { return i.pc == Issue::kNop; }));
}

namespace {

std::vector<std::vector<Issue>> by_scheduler(const Schedule& schedule) {
  std::vector<std::vector<Issue>> streams;
  for (const Issue& issue : schedule.issues) {
    if (issue.scheduler >= streams.size()) streams.resize(issue.scheduler + 1u);
    streams[issue.scheduler].push_back(issue);
  }
  return streams;
}

Cycle edge_of(const Departure& d) {
  return std::min(d.predicted ? d.predicted->cycle : kNever, d.simulated ? d.simulated->cycle : kNever);
}

/// The first place at which `same` does not hold becomes `first` if it is earlier than what stands there.
template <class Same>
void find(const std::vector<Issue>& predicted, const std::vector<Issue>& simulated, unsigned scheduler,
          Same same, std::optional<Departure>& first) {
  const std::size_t common = std::min(predicted.size(), simulated.size());
  std::size_t i = 0;
  while (i < common && same(predicted[i], simulated[i])) ++i;
  if (i == common && predicted.size() == simulated.size()) return;
  Departure found;
  found.scheduler = scheduler;
  found.index = i;
  if (i < predicted.size()) found.predicted = predicted[i];
  if (i < simulated.size()) found.simulated = simulated[i];
  if (!first || edge_of(found) < edge_of(*first)) first = found;
}

}  // namespace

Comparison compare(const Schedule& predicted, const Schedule& simulated) {
  Comparison result;
  auto left = by_scheduler(predicted), right = by_scheduler(simulated);
  const std::size_t schedulers = std::max(left.size(), right.size());
  left.resize(schedulers);
  right.resize(schedulers);
  for (unsigned s = 0; s < schedulers; ++s) {
    find(
        left[s], right[s], s, [](const Issue& a, const Issue& b) { return a.same_choice(b); }, result.order);
    find(
        left[s], right[s], s,
        [](const Issue& a, const Issue& b) { return a.same_choice(b) && a.cycle == b.cycle; }, result.time);
  }
  const auto sorted = [](const Schedule& schedule) {
    std::vector<std::tuple<std::uint32_t, Cycle, Cycle>> list;
    for (const Residence& r : schedule.ctas) list.emplace_back(r.cta, r.begin, r.end);
    std::sort(list.begin(), list.end());
    return list;
  };
  result.same_residence = sorted(predicted) == sorted(simulated);
  result.predicted_makespan = predicted.makespan();
  result.simulated_makespan = simulated.makespan();
  result.predicted_issues = predicted.issues.size();
  result.simulated_issues = simulated.issues.size();
  return result;
}

}  // namespace warpvp::predict
