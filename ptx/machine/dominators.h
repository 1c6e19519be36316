#pragma once
// Which blocks every way to a block has passed.

#include <vector>

#include "ptx/cfg.h"

namespace warpvp::ptx::machine {

/// Immediate dominators by block; -1 for block 0 and unreachable ones. `depth`: how many dominators a block
/// has, -1 where it is unreachable.
std::vector<int> dominators(const std::vector<Block>& blocks, std::vector<int>& depth);

}  // namespace warpvp::ptx::machine
