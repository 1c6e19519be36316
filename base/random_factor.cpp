#include "base/random_factor.h"

#include <cmath>

#include "base/split_mix.h"

namespace warpvp {

namespace {

std::uint64_t mixed(std::uint64_t x) { return SplitMix64(x).next(); }

/// Within (0, 1).
double uniform(std::uint64_t bits) { return (static_cast<double>(bits >> 12) + 0.5) * 0x1p-52; }

std::uint64_t key_of(std::uint64_t seed, std::uint64_t group, std::uint64_t member) {
  return mixed(mixed(mixed(seed) ^ group) ^ member);
}

/// Mathematical libraries differ in the last bits; results do not.
double rounded_factor(double factor) { return std::fmax(std::round(factor * 0x1p20) * 0x1p-20, 0x1p-20); }

}  // namespace

double log_normal_factor(double variation, std::uint64_t seed, std::uint64_t group, std::uint64_t member) {
  if (variation <= 0) return 1;
  constexpr double kTwoPi = 6.283185307179586;
  const std::uint64_t key = key_of(seed, group, member);
  // Box and Muller (1958).
  const double normal = std::sqrt(-2 * std::log(uniform(key))) * std::cos(kTwoPi * uniform(mixed(key)));
  const double variance = std::log1p(variation * variation);
  return rounded_factor(std::exp(std::sqrt(variance) * normal - variance / 2));
}

double exponential_factor(std::uint64_t seed, std::uint64_t group, std::uint64_t member) {
  return rounded_factor(-std::log(uniform(key_of(seed, group, member))));
}

double uniform_number(std::uint64_t seed, std::uint64_t group, std::uint64_t member) {
  return uniform(key_of(seed, group, member));
}

}  // namespace warpvp
