#include "ptx/machine/divergence.h"

#include <algorithm>

#include "ptx/liveness.h"

namespace warpvp::ptx::machine {
namespace {

bool differs(SpecialRegister r) {
  switch (r) {
    case SpecialRegister::tid_x:
    case SpecialRegister::tid_y:
    case SpecialRegister::tid_z:
    case SpecialRegister::laneid:
    case SpecialRegister::lanemask_eq:
    case SpecialRegister::lanemask_le:
    case SpecialRegister::lanemask_lt:
    case SpecialRegister::lanemask_ge:
    case SpecialRegister::lanemask_gt:
      return true;
    default:
      return false;
  }
}

/// Whether its result may differ even if its operands do not.
bool is_source(const ir::Function& f, const ir::Instruction& i) {
  switch (i.opcode) {
    case Opcode::ld:
    case Opcode::ldu:
      return i.space == Space::kLocal || i.space == Space::kGeneric || i.space == Space::kNone ||
             (i.space == Space::kParam && !f.is_entry);
    case Opcode::atom:
    case Opcode::shfl:
    case Opcode::mma:
    case Opcode::movmatrix:
    case Opcode::ldmatrix:
    case Opcode::match:
    case Opcode::elect:
    case Opcode::call:
      return true;
    default:
      return std::any_of(i.operands.begin(), i.operands.end(), [](const ir::Operand& o) {
        return o.kind == ir::Operand::Kind::kSpecial && differs(static_cast<SpecialRegister>(o.index));
      });
  }
}

}  // namespace

Divergence::Divergence(const ir::Function& f, const ControlFlowGraph& cfg)
    : f_(f),
      cfg_(cfg),
      reads_(f.code.size()),
      writes_(f.code.size()),
      writers_(f.registers.size()),
      readers_(f.registers.size()),
      registers_(f.registers.size(), false),
      parts_(cfg.blocks().size(), false) {
  for (std::uint32_t k = 0; k < f.code.size(); ++k) {
    registers_read(f.code[k], reads_[k]);
    registers_written(f.code[k], writes_[k]);
    for (const int r : writes_[k]) writers_[static_cast<std::size_t>(r)].push_back(k);
    for (const int r : reads_[k]) readers_[static_cast<std::size_t>(r)].push_back(k);
  }
  while (spread_values() || spread_branches()) continue;
}

bool Divergence::computes_divergent(const ir::Instruction& i) const {
  const auto k = static_cast<std::size_t>(&i - f_.code.data());
  return is_source(f_, i) ||
         std::any_of(reads_[k].begin(), reads_[k].end(), [this](int r) { return is_divergent(r); });
}

bool Divergence::spread_values() {
  bool any = false;
  for (bool changed = true; changed;) {
    changed = false;
    for (std::size_t k = 0; k < f_.code.size(); ++k) {
      // A vote's result is one for all that take part.
      if (f_.code[k].opcode == Opcode::vote || f_.code[k].opcode == Opcode::activemask) continue;
      if (writes_[k].empty() || !computes_divergent(f_.code[k])) continue;
      for (const int r : writes_[k]) {
        if (is_divergent(r)) continue;
        registers_[static_cast<std::size_t>(r)] = changed = any = true;
      }
    }
  }
  return any;
}

std::vector<bool> Divergence::between(int b) const {
  const std::vector<Block>& blocks = cfg_.blocks();
  std::vector<bool> inside(blocks.size(), false);
  const int end = blocks[static_cast<std::size_t>(b)].reconvergence;
  std::vector<int> work = blocks[static_cast<std::size_t>(b)].successors;
  while (!work.empty()) {
    const int at = work.back();
    work.pop_back();
    if (at == end || inside[static_cast<std::size_t>(at)]) continue;
    inside[static_cast<std::size_t>(at)] = true;
    const std::vector<int>& next = blocks[static_cast<std::size_t>(at)].successors;
    work.insert(work.end(), next.begin(), next.end());
  }
  return inside;
}

bool Divergence::spread_branches() {
  bool any = false;
  const std::vector<Block>& blocks = cfg_.blocks();
  for (std::size_t b = 0; b < blocks.size(); ++b) {
    if (parts_[b] || blocks[b].successors.size() < 2 || blocks[b].begin == blocks[b].end) continue;
    const ir::Instruction& last = f_.code[blocks[b].end - 1];
    if (last.uniform || (last.opcode != Opcode::bra && last.opcode != Opcode::brx) ||
        !computes_divergent(last))
      continue;
    parts_[b] = true;
    const std::vector<bool> inside = between(static_cast<int>(b));
    const auto is_inside = [&](std::uint32_t k) {
      return inside[static_cast<std::size_t>(cfg_.block_of(k))];
    };
    for (std::size_t r = 0; r < writers_.size(); ++r) {
      if (registers_[r] || std::none_of(writers_[r].begin(), writers_[r].end(), is_inside)) continue;
      if (writers_[r].size() > 1 || !std::all_of(readers_[r].begin(), readers_[r].end(), is_inside))
        registers_[r] = any = true;
    }
  }
  return any;
}

}  // namespace warpvp::ptx::machine
