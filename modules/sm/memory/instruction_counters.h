#pragma once
// What the instruction caches of an SM count, per level.

#include <cstdint>

#include "base/stats.h"

namespace warpvp {

/// One level. Each line asked for ahead ends up as used, late or unused, or is still here or on its way.
struct InstructionLevelCounters {
  std::uint64_t lookups = 0;
  std::uint64_t hits = 0;
  std::uint64_t prefetches = 0;         ///< lines asked for ahead
  std::uint64_t prefetches_used = 0;    ///< of these: here when looked up for the first time, which is a hit
  std::uint64_t prefetches_late = 0;    ///< of these: on the way when looked up for the first time, a miss
  std::uint64_t prefetches_unused = 0;  ///< of these: gone without a lookup

  void add(const InstructionLevelCounters& other);
  void stats(StatVisitor& v) const;
};

struct InstructionCounters {
  InstructionLevelCounters l0;  ///< all sub-cores together
  InstructionLevelCounters l1;

  void add(const InstructionCounters& other) {
    l0.add(other.l0);
    l1.add(other.l1);
  }
  void stats(StatVisitor& v) const;
};
/// Of the group of these statistics.
inline constexpr const char kInstructionSentence[] = "Instruction caches, level by level.";

}  // namespace warpvp
