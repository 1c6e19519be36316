#include "study/experiment/run_values.h"

#include <algorithm>

#include "platform/config/setting.h"
#include "platform/results/json_stats.h"
#include "study/experiment/result_table.h"

namespace warpvp {

namespace {

constexpr std::size_t kNoRun = ~std::size_t{0};

/// The number under a key; with `*` in it, the sum over the list's items.
std::optional<double> sum_at(const nlohmann::ordered_json& root, const std::string& key) {
  const std::size_t star = key.find(".*");
  const nlohmann::ordered_json* found = key.empty() ? &root : find_value(root, key.substr(0, star));
  if (!found) return std::nullopt;
  if (star == std::string::npos) {
    if (found->is_boolean()) return found->get<bool>() ? 1 : 0;
    return found->is_number() ? std::optional<double>(found->get<double>()) : std::nullopt;
  }
  if (!found->is_array()) return std::nullopt;
  double sum = 0;
  for (const nlohmann::ordered_json& item : *found) {
    const std::optional<double> one = sum_at(item, key.substr(std::min(star + 3, key.size())));
    if (!one) return std::nullopt;
    sum += *one;
  }
  return sum;
}

}  // namespace

RunValues::RunValues(const Experiment& experiment, const std::vector<ExperimentRun>& runs,
                     const std::vector<FinishedRun>& results)
    : e_(experiment), results_(results) {
  std::size_t points = 1;
  for (const Axis& axis : e_.matrix) points *= axis.alternatives.size();
  run_at_.assign(points, kNoRun);
  for (std::size_t i = 0; i < runs.size(); ++i) run_at_[number_of(runs[i].choice)] = i;
}

std::size_t RunValues::number_of(const Point& point) const {
  std::size_t number = 0;
  for (std::size_t i = 0; i < e_.matrix.size(); ++i)
    number = number * e_.matrix[i].alternatives.size() + point[i];
  return number;
}

void RunValues::choose(Point& point, const Selection& selection) const {
  for (const auto& [name, label] : selection) {
    const std::size_t axis = e_.axis(name);
    const auto& alternatives = e_.matrix[axis].alternatives;
    for (std::size_t i = 0; i < alternatives.size(); ++i)
      if (alternatives[i].label == label) point[axis] = i;
  }
}

const nlohmann::ordered_json* RunValues::result(const Point& point) const {
  const std::size_t run = run_at_[number_of(point)];
  if (run == kNoRun) return nullptr;
  const FinishedRun& result = results_[run];
  return result.exit_code == 0 && result.result.is_object() ? &result.result : nullptr;
}

const nlohmann::ordered_json* RunValues::value(const Point& point, const std::string& key) const {
  const nlohmann::ordered_json* found = result(point);
  return found ? find_value(*found, key) : nullptr;
}

std::optional<double> RunValues::number(const Point& point, const Expression& expression) const {
  return expression.evaluate([&](const std::string& name) -> std::optional<double> {
    if (name[0] == '$') {
      const std::size_t axis = e_.axis(name.substr(1));
      double number = 0;
      if (!parse_double(e_.matrix[axis].alternatives[point[axis]].label, number)) return std::nullopt;
      return number;
    }
    if (name[0] == '#') {
      const std::size_t axis = e_.axis(e_.figures->axis);
      return e_.figures->figures.number(e_.matrix[axis].alternatives[point[axis]].label, name.substr(1));
    }
    if (name[0] == '@') {
      const Expression::Elsewhere there = Expression::elsewhere(name);
      Point other = point;
      choose(other, {{there.axis, there.label}});
      const nlohmann::ordered_json* found = result(other);
      return found ? sum_at(*found, there.key) : std::nullopt;
    }
    const nlohmann::ordered_json* found = result(point);
    return found ? sum_at(*found, name) : std::nullopt;
  });
}

std::optional<std::size_t> RunValues::best(std::vector<Point> points, const BestSpec& best) const {
  const std::size_t axis = e_.axis(best.axis);
  std::optional<double> least;
  std::optional<std::size_t> winner;
  for (const std::string& label : best.among) {
    for (Point& point : points) choose(point, {{best.axis, label}});
    // What is excluded is no candidate; what has no result leaves the winner open.
    if (std::all_of(points.begin(), points.end(),
                    [&](const Point& point) { return run_at_[number_of(point)] == kNoRun; }))
      continue;
    double sum = 0;
    for (const Point& point : points) {
      const std::optional<double> one = number(point, best.by);
      if (!one) return std::nullopt;
      sum += *one;
    }
    if (least && (best.highest ? sum <= *least : sum >= *least)) continue;
    least = sum;
    winner = points.front()[axis];
  }
  return winner;
}

}  // namespace warpvp
