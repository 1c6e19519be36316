#pragma once
// Max-min fair division: everybody gets what he asks for, but no more than a level that all have in common
// (Bertsekas and Gallager, Data Networks, section 6.5.2).

#include <limits>
#include <vector>

namespace warpvp {

inline constexpr double kNoLevel = std::numeric_limits<double>::infinity();

/// `count` claimants that ask for `each`.
struct Claim {
  double each = 0;
  double count = 1;
};

/// The level at which the claims, each cut at it, add up to `capacity`; kNoLevel if they do not exceed it.
/// Reorders `claims`.
double max_min_level(std::vector<Claim>& claims, double capacity);

}  // namespace warpvp
