#pragma once
// The interface of the L2's replacement policies (registry kind "l2_replacement"): which line of a full set
// gives way to a new one, and how soon the new one is to go itself. Hits make a line the youngest of its set
// under every policy.

#include <cstdint>

namespace warpvp {

class L2ReplacementPolicy {
 public:
  static constexpr const char* kKind = "l2_replacement";
  static constexpr std::uint32_t kOldest = ~std::uint32_t{0};

  struct Choice {
    /// Way, 0 to ways - 1, whose line goes, or kOldest: the least recently used one. Should all its sectors
    /// not be here yet, the bank takes the next way whose are. Without a meaning while the set has room.
    std::uint32_t way = kOldest;
    bool as_oldest = false;  ///< the new line is the next to go, unless it is used again
  };

  virtual ~L2ReplacementPolicy() = default;
  /// Called once, before all else: the geometry of the bank, and its number among the banks of the platform
  /// (so that banks need not do the same at the same time).
  virtual void configure(std::uint32_t sets, std::uint32_t ways, std::uint32_t bank) = 0;
  /// A line that is not in the cache comes into `set`. Asked once for each such line.
  virtual Choice choose(std::uint32_t set) = 0;
};

}  // namespace warpvp
