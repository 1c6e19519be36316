#pragma once
// Which registers are alive within and before blocks; live_behind_blocks() says which are behind them.

#include <cstdint>
#include <vector>

#include "ptx/cfg.h"
#include "ptx/ir.h"
#include "ptx/liveness.h"

namespace warpvp::ptx::machine {

/// `live` behind instruction i becomes what is alive before it. A guarded write does not end a life.
void step_back(const ir::Instruction& i, std::vector<bool>& live);

/// Registers alive before instruction `at`, which begins a block; `live_behind` as of live_behind_blocks().
std::vector<bool> live_before(const ir::Function& f, const ControlFlowGraph& cfg,
                              const std::vector<std::vector<bool>>& live_behind, std::uint32_t at);

}  // namespace warpvp::ptx::machine
