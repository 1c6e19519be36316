#pragma once
// Input data of host programs: the same numbers from the same seed with every compiler and library. The
// engine is std::mt19937_64, whose output the C++ standard fixes; the mapping to numbers is ours, because
// that of std::uniform_*_distribution is left open.

#include <cstdint>
#include <memory>
#include <vector>

namespace warpvp::apps {

class Inputs {
 public:
  /// `salt` tells apart several arrays of one run.
  explicit Inputs(std::uint64_t seed, std::uint64_t salt = 0);
  ~Inputs();

  /// Uniform in [0, bound); bound > 0. The bias below 2^-32 does not matter for test data.
  std::uint32_t below(std::uint32_t bound) {
    return static_cast<std::uint32_t>(((next() >> 32) * bound) >> 32);
  }
  std::uint32_t word() { return static_cast<std::uint32_t>(next() >> 32); }
  /// A multiple of 2^-24 in [0, 1), scaled to [low, high).
  float real(float low, float high) {
    const float unit = static_cast<float>(next() >> 40) * 0x1p-24f;
    return low + unit * (high - low);
  }
  /// A multiple of 2^-53 in [0, 1), scaled to [low, high).
  double real64(double low, double high) {
    const double unit = static_cast<double>(next() >> 11) * 0x1p-53;
    return low + unit * (high - low);
  }
  std::vector<float> reals(std::size_t count, float low, float high) {
    std::vector<float> out(count);
    for (float& v : out) v = real(low, high);
    return out;
  }
  std::vector<std::uint32_t> words(std::size_t count) {
    std::vector<std::uint32_t> out(count);
    for (std::uint32_t& v : out) v = word();
    return out;
  }

 private:
  std::uint64_t next();

  // Not here, as <random> is a tenth of what a host program would compile.
  struct Engine;
  std::unique_ptr<Engine> engine_;
};

/// The first numbers of rand() of the GNU C library, to which nobody gave a seed (its additive feedback
/// generator of 31 words, random(3)): what originals draw their inputs by. In [0, 2^31).
std::vector<std::int32_t> gnu_rand(std::size_t count);

}  // namespace warpvp::apps
