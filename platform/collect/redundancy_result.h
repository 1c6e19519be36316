#pragma once
// Redundancy of instructions in result.json (`output.redundancy`).

#include <cstdint>

#include "base/stats.h"
#include "ptx/redundancy_study.h"

namespace warpvp {

inline constexpr const char kWithRedundancy[] = "with `output.redundancy`";

/// Of a launch, or of several together.
struct RedundancyResult {
  ptx::RedundancyCounts counts;
  void stats(StatVisitor& v) const;
};

/// Who has counted it.
class RedundancySource {
 public:
  virtual ~RedundancySource() = default;
  /// Of those CTAs that have ended, and were never taken off an SM.
  virtual ptx::RedundancyCounts of_launch(std::uint32_t launch) const = 0;
  virtual ptx::RedundancyCounts total() const = 0;
};

}  // namespace warpvp
