#pragma once
// A mean with its confidence interval, from runs that differ in their seed.

#include <cstddef>
#include <optional>
#include <vector>

namespace warpvp {

/// The mean of `runs` values and how far the true mean may lie from it.
struct Estimate {
  std::size_t runs = 0;
  double mean = 0;
  /// Half the width of the 95 % confidence interval of the mean: Student's t with runs - 1 degrees of freedom
  /// times the standard error. It supposes independent values, about normally distributed. None for one run.
  std::optional<double> half;
};

/// nullopt for an empty list.
std::optional<Estimate> estimate(const std::vector<double>& values);

}  // namespace warpvp
