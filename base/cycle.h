#pragma once
#include <cstdint>
#include <limits>

namespace warpvp {

/// Index of a clock edge within one clock domain; edge 0 is at time zero.
using Cycle = std::uint64_t;
/// "No work until somebody wakes me."
inline constexpr Cycle kNever = std::numeric_limits<Cycle>::max();

}  // namespace warpvp
