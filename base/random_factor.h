#pragma once
// Random numbers that are functions of what they belong to: the same for the same arguments, whatever else
// is drawn, on every host.

#include <cstdint>

namespace warpvp {

/// A factor of a log-normal distribution with mean 1 and coefficient of variation `variation`; 1 for 0.
/// `group` and `member` say of what: of a launch and its CTA, for instance.
double log_normal_factor(double variation, std::uint64_t seed, std::uint64_t group, std::uint64_t member);

/// A factor of an exponential distribution with mean 1.
double exponential_factor(std::uint64_t seed, std::uint64_t group, std::uint64_t member);

/// Within (0, 1), all alike.
double uniform_number(std::uint64_t seed, std::uint64_t group, std::uint64_t member);

}  // namespace warpvp
