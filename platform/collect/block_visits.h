#pragma once
// How often the blocks of a platform were evaluated, and how often they found nothing to do: for `profile:
// true`.

#include <cstdint>
#include <string>
#include <vector>

#include "platform/build/platform.h"
#include "platform/results/result_visitor.h"

namespace warpvp {

/// Blocks of one kind together.
struct BlockVisits {
  std::string block;  ///< their module's name, less its number: "sm", "l2"
  std::uint64_t blocks = 0, edges = 0;
  std::uint64_t in_vain = 0;  ///< of the edges; 0 where the block does not count what it does
  bool counts = false;        ///< it does

  void stats(ResultVisitor& v) const;
};

/// Most edges first. Blocks that were never evaluated are left out. Requires ClockDomain::count_visits() of
/// the platform's clocks.
std::vector<BlockVisits> block_visits(Platform& platform);

}  // namespace warpvp
