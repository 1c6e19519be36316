#include "ptx/loops.h"

#include <algorithm>

#include "ptx/liveness.h"

namespace warpvp::ptx {
namespace {

/// Registers that some instruction of the function reads.
std::vector<bool> registers_in_use(const ir::Function& f) {
  std::vector<bool> used(f.registers.size(), false);
  std::vector<int> read;
  for (const ir::Instruction& i : f.code) {
    registers_read(i, read);
    for (const int r : read) used[static_cast<std::size_t>(r)] = true;
  }
  return used;
}

std::uint8_t units_of(const ir::Instruction& i, const std::vector<bool>& used) {
  switch (i.opcode) {
    case Opcode::atom: {
      std::vector<int> written;
      registers_written(i, written);
      const bool result = std::any_of(written.begin(), written.end(),
                                      [&](int r) { return used[static_cast<std::size_t>(r)]; });
      return result ? kWaitingUnits : std::uint8_t{0};
    }
    case Opcode::membar:
    case Opcode::fence:
    case Opcode::nanosleep:
      return kWaitingUnits;
    case Opcode::ld:
    case Opcode::ldu:
    case Opcode::suld:
      if (i.space == Space::kConst || i.space == Space::kParam || i.space == Space::kLocal) return 0;
      if (i.cache == CacheOp::nc) return 0;
      return i.is_volatile ? kWaitingUnits : kLoadingUnits;
    default:
      return 0;
  }
}

}  // namespace

std::uint8_t loop_units(const ir::Function& f) {
  const std::vector<bool> used = registers_in_use(f);
  std::uint8_t units = 0;
  for (const ir::Instruction& i : f.code) units = std::max(units, units_of(i, used));
  return units;
}

std::vector<ClosedLoops> closed_loops(const ir::Function& f, const ControlFlowGraph& cfg) {
  const std::vector<Block>& blocks = cfg.blocks();
  std::vector<ClosedLoops> result(f.code.size());
  std::vector<ClosedLoops> of_block(blocks.size());
  const std::vector<bool> used = registers_in_use(f);
  for (std::size_t b = 0; b < blocks.size(); ++b) {
    for (std::uint32_t i = blocks[b].begin; i < blocks[b].end; ++i) {
      of_block[b].units = std::max(of_block[b].units, units_of(f.code[i], used));
      of_block[b].has_calls |= f.code[i].opcode == Opcode::call;
    }
  }
  std::vector<bool> seen(blocks.size());
  std::vector<int> work;
  for (std::size_t b = 0; b < blocks.size(); ++b) {
    if (blocks[b].begin == blocks[b].end) continue;
    const std::uint32_t last = blocks[b].end - 1;
    if (f.code[last].opcode != Opcode::bra && f.code[last].opcode != Opcode::brx) continue;
    for (const int target : blocks[b].successors) {
      if (blocks[static_cast<std::size_t>(target)].begin > last) continue;
      std::fill(seen.begin(), seen.end(), false);
      seen[static_cast<std::size_t>(target)] = true;
      work = {target};
      if (!seen[b]) work.push_back(static_cast<int>(b));
      seen[b] = true;
      while (!work.empty()) {
        const auto at = static_cast<std::size_t>(work.back());
        work.pop_back();
        result[last].units = std::max(result[last].units, of_block[at].units);
        result[last].has_calls |= of_block[at].has_calls;
        if (static_cast<int>(at) == target) continue;
        for (const int p : blocks[at].predecessors) {
          if (seen[static_cast<std::size_t>(p)]) continue;
          seen[static_cast<std::size_t>(p)] = true;
          work.push_back(p);
        }
      }
    }
  }
  return result;
}

}  // namespace warpvp::ptx
