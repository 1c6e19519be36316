#pragma once
// Pseudo-random numbers of a replacement policy (splitmix64), the same in every run.

#include <cstdint>

namespace warpvp {

class RandomBits {
 public:
  explicit RandomBits(std::uint64_t seed) : state_(seed * 0x9e3779b97f4a7c15ull + 1) {}
  /// 0 to limit - 1; limit at least 1.
  std::uint32_t below(std::uint32_t limit) {
    std::uint64_t z = state_ += 0x9e3779b97f4a7c15ull;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
    return static_cast<std::uint32_t>(((z ^ (z >> 31)) >> 32) * limit >> 32);
  }

 private:
  std::uint64_t state_;
};

}  // namespace warpvp
