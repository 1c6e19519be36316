#pragma once
// Pseudo-random numbers of a replacement policy, the same in every run.

#include <cstdint>

#include "base/split_mix.h"

namespace warpvp {

class RandomBits {
 public:
  explicit RandomBits(std::uint64_t seed) : bits_(seed * 0x9e3779b97f4a7c15ull + 1) {}
  /// 0 to limit - 1; limit at least 1.
  std::uint32_t below(std::uint32_t limit) {
    return static_cast<std::uint32_t>((bits_.next() >> 32) * limit >> 32);
  }

 private:
  SplitMix64 bits_;
};

}  // namespace warpvp
