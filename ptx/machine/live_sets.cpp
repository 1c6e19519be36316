#include "ptx/machine/live_sets.h"

#include "ptx/liveness.h"

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

std::vector<std::vector<bool>> live_behind_blocks(const ir::Function& f, const ControlFlowGraph& cfg) {
  const std::vector<Block>& blocks = cfg.blocks();
  const std::size_t count = f.registers.size();
  std::vector<std::vector<bool>> behind(blocks.size(), std::vector<bool>(count, false));
  std::vector<bool> queued(blocks.size(), true);
  std::vector<int> work;
  for (std::size_t b = 0; b < blocks.size(); ++b) work.push_back(static_cast<int>(b));
  while (!work.empty()) {
    const auto b = static_cast<std::size_t>(work.back());
    work.pop_back();
    queued[b] = false;
    std::vector<bool> live = behind[b];
    for (std::uint32_t i = blocks[b].end; i-- > blocks[b].begin;) step_back(f.code[i], live);
    for (const int p : blocks[b].predecessors) {
      const auto u = static_cast<std::size_t>(p);
      bool changed = false;
      for (std::size_t r = 0; r < count; ++r) {
        if (live[r] && !behind[u][r]) behind[u][r] = changed = true;
      }
      if (changed && !queued[u]) {
        queued[u] = true;
        work.push_back(p);
      }
    }
  }
  return behind;
}

std::vector<bool> live_before(const ir::Function& f, const ControlFlowGraph& cfg,
                              const std::vector<std::vector<bool>>& live_behind, std::uint32_t at) {
  const int b = cfg.block_of(at);
  std::vector<bool> live = live_behind[static_cast<std::size_t>(b)];
  for (std::uint32_t k = cfg.blocks()[static_cast<std::size_t>(b)].end; k-- > at;) step_back(f.code[k], live);
  return live;
}

}  // namespace warpvp::ptx::machine
