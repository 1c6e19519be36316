#include "ptx/machine/live_sets.h"

namespace warpvp::ptx::machine {

void step_back(const ir::Instruction& i, std::vector<bool>& live) {
  std::vector<int> registers;
  if (ends_old_values(i)) {
    registers_written(i, registers);
    for (const int r : registers) live[static_cast<std::size_t>(r)] = false;
  }
  registers_read(i, registers);
  for (const int r : registers) live[static_cast<std::size_t>(r)] = true;
}

std::vector<bool> live_before(const ir::Function& f, const ControlFlowGraph& cfg,
                              const std::vector<std::vector<bool>>& live_behind, std::uint32_t at) {
  const int b = cfg.block_of(at);
  std::vector<bool> live = live_behind[static_cast<std::size_t>(b)];
  for (std::uint32_t k = cfg.blocks()[static_cast<std::size_t>(b)].end; k-- > at;) step_back(f.code[k], live);
  return live;
}

}  // namespace warpvp::ptx::machine
