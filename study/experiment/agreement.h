#pragma once
// How well values agree with figures from elsewhere.

#include <optional>
#include <utility>
#include <vector>

namespace warpvp {

/// A value and the figure that it is compared with.
using Compared = std::pair<double, double>;

/// Mean of |value / figure - 1|; nullopt for an empty list or a figure that is zero.
std::optional<double> mean_relative_error(const std::vector<Compared>& pairs);

/// Pearson's correlation of the logarithms; nullopt for fewer than two pairs, a number that is not positive,
/// or values or figures that are all the same.
std::optional<double> log_correlation(const std::vector<Compared>& pairs);

}  // namespace warpvp
