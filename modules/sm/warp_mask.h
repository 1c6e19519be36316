#pragma once
// Warps of a scheduler are named by their position within it (0..63), so sets of them are 64-bit masks.

#include <cstdint>

namespace warpvp {

/// Set of warps of one scheduler, bit i for its warp i.
using WarpMask = std::uint64_t;
inline constexpr unsigned kNoWarp = ~0u;

/// The set of one warp.
inline WarpMask warp_bit(unsigned warp) { return WarpMask{1} << warp; }

}  // namespace warpvp
