#pragma once
// Values of an experiment's runs, found by the point of the matrix.

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "study/experiment/experiment.h"

namespace warpvp {

struct FinishedRun;

class RunValues {
 public:
  /// A point is an alternative of every axis.
  using Point = std::vector<std::size_t>;

  /// `runs` and `results` run in parallel; all three must outlive this.
  RunValues(const Experiment& experiment, const std::vector<ExperimentRun>& runs,
            const std::vector<FinishedRun>& results);

  /// Moves `point` to the labels that are named.
  void choose(Point& point, const Selection& selection) const;

  /// The value under a key in the run at `point`; nullptr if the run failed or has none.
  const nlohmann::ordered_json* value(const Point& point, const std::string& key) const;
  /// The value of an expression in the run at `point`.
  std::optional<double> number(const Point& point, const Expression& expression) const;

  /// The alternative of `best.axis` that is best, as the mean over `points`; the first of equals. None unless
  /// all these runs have a value.
  std::optional<std::size_t> best(std::vector<Point> points, const BestSpec& best) const;

 private:
  std::size_t number_of(const Point& point) const;
  const nlohmann::ordered_json* result(const Point& point) const;

  const Experiment& e_;
  const std::vector<FinishedRun>& results_;
  std::vector<std::size_t> run_at_;  ///< by the point's number, the last axis varying fastest
};

}  // namespace warpvp
