#pragma once
// Tables by which half a warp's accesses of memory become vectors of the host: how far lanes of a block are
// apart, and which elements of vectors in memory belong together.

#include <cstdint>

#include "ptx/program.h"

namespace warpvp::ptx::native {

constexpr unsigned kHalf = kWarpSize / 2;

/// 0, 1, 2, ... times a number of bytes, as 32 and as 64 bits.
struct Steps {
  explicit constexpr Steps(unsigned bytes) {
    for (unsigned i = 0; i < kHalf; ++i) narrow[i] = wide[i] = i * bytes;
  }
  alignas(64) std::uint32_t narrow[kHalf] = {};
  alignas(64) std::uint64_t wide[kHalf] = {};
};
inline constexpr Steps kSteps[] = {Steps(1), Steps(2), Steps(4), Steps(8), Steps(16)};

/// Which elements of two vectors of the host a third one consists of: T has the elements' size.
template <class T>
struct Choice {
  template <class F>
  explicit constexpr Choice(F&& which) {
    for (unsigned i = 0; i < 64 / sizeof(T); ++i) from[i] = which(i);
  }
  alignas(64) T from[64 / sizeof(T)] = {};
};
/// Of vectors of two elements: the first elements of lanes that follow each other, or their second ones; and
/// of two rows of elements, lanes in their lower halves or in their upper ones.
template <class T>
struct Pairs {
  static constexpr unsigned kElements = 64 / sizeof(T);
  static constexpr Choice<T> kFirsts{[](unsigned i) { return 2 * i; }};
  static constexpr Choice<T> kSeconds{[](unsigned i) { return 2 * i + 1; }};
  static constexpr Choice<T> kLower{[](unsigned i) { return i / 2 + i % 2 * kElements; }};
  static constexpr Choice<T> kUpper{[](unsigned i) { return kElements / 2 + i / 2 + i % 2 * kElements; }};
};
/// Of vectors of four: elements 0 and 1, or 2 and 3, of eight lanes; and four lanes of elements 0 and 1 with
/// those of 2 and 3.
struct Fours {
  static constexpr Choice<std::uint32_t> kFirstTwo{[](unsigned i) { return i % 8 * 4 + i / 8; }};
  static constexpr Choice<std::uint32_t> kLastTwo{[](unsigned i) { return i % 8 * 4 + i / 8 + 2; }};
  static constexpr Choice<std::uint32_t> kLower{[](unsigned i) { return i / 4 + i % 4 * 8; }};
  static constexpr Choice<std::uint32_t> kUpper{[](unsigned i) { return i / 4 + 4 + i % 4 * 8; }};
};

}  // namespace warpvp::ptx::native
