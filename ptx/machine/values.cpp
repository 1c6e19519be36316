#include "ptx/machine/values.h"

#include "ptx/liveness.h"
#include "ptx/machine/dominators.h"

namespace warpvp::ptx::machine {
Values::Values(const ir::Function& f, const ControlFlowGraph& cfg)
    : cfg_(cfg), definition_(f.registers.size(), -1), reads_(f.registers.size(), 0) {
  dominator_ = dominators(cfg.blocks(), depth_);
  std::vector<int> registers;
  std::vector<unsigned> writes(f.registers.size(), 0);
  for (std::size_t i = 0; i < f.code.size(); ++i) {
    registers_written(f.code[i], registers);
    for (const int r : registers) {
      ++writes[static_cast<std::size_t>(r)];
      definition_[static_cast<std::size_t>(r)] = f.code[i].guard < 0 ? static_cast<int>(i) : -1;
    }
  }
  for (std::size_t r = 0; r < writes.size(); ++r) {
    if (writes[r] != 1) definition_[r] = -1;
  }
  for (std::size_t i = 0; i < f.code.size(); ++i) {
    registers_read(f.code[i], registers);
    for (const int r : registers) {
      const auto u = static_cast<std::size_t>(r);
      ++reads_[u];
      if (definition_[u] >= 0 &&
          (definition_[u] == static_cast<int>(i) ||
           !passes(static_cast<std::uint32_t>(definition_[u]), static_cast<std::uint32_t>(i))))
        definition_[u] = -1;
    }
  }
}

bool Values::passes(std::uint32_t first, std::uint32_t at) const {
  const int from = cfg_.block_of(first);
  int to = cfg_.block_of(at);
  if (from == to) return first <= at;
  const auto depth = [&](int b) { return depth_[static_cast<std::size_t>(b)]; };
  if (depth(from) < 0 || depth(to) < 0) return false;
  while (depth(to) > depth(from)) to = dominator_[static_cast<std::size_t>(to)];
  return from == to;
}

}  // namespace warpvp::ptx::machine
