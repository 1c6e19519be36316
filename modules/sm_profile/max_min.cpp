#include "modules/sm_profile/max_min.h"

#include <algorithm>

namespace warpvp {

double max_min_level(std::vector<Claim>& claims, double capacity) {
  double sum = 0, claimants = 0;
  for (const Claim& claim : claims) {
    sum += claim.each * claim.count;
    claimants += claim.count;
  }
  if (sum <= capacity) return kNoLevel;
  std::sort(claims.begin(), claims.end(), [](const Claim& a, const Claim& b) { return a.each < b.each; });
  // Who asks for less than an equal part of what is left gets it, and leaves more to the others.
  double left = capacity;
  for (const Claim& claim : claims) {
    const double level = left / claimants;
    if (claim.each > level) return level;
    left -= claim.each * claim.count;
    claimants -= claim.count;
  }
  return kNoLevel;  // the sum exceeded the capacity by no more than rounding
}

}  // namespace warpvp
