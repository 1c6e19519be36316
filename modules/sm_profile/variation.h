#pragma once
// By how much the time of one CTA differs from its kernel's mean.

#include <cstdint>

namespace warpvp {

/// A factor of a log-normal distribution with mean 1 and coefficient of variation `variation`; 1 for 0. The
/// same for the same arguments, whatever else is drawn.
double cta_time_factor(double variation, std::uint64_t seed, std::uint32_t launch, std::uint64_t cta);

}  // namespace warpvp
