#pragma once
// What the memory checks find out about the firmware's stack.

#include <cstdint>

#include "base/stats.h"

namespace warpvp {

/// The firmware's stack, as the memory checks see it.
struct StackUse {
  std::uint64_t bytes = 0;       ///< its size; 0: the firmware does not say
  std::uint64_t high_water = 0;  ///< most of it in use at any time
  void stats(StatVisitor& v) const;
};

}  // namespace warpvp
