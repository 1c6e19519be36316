#include "ptx/machine/join_copies.h"

#include <algorithm>

#include "ptx/liveness.h"
#include "ptx/machine/edit.h"

namespace warpvp::ptx::machine {
namespace {

using Kind = ir::Operand::Kind;

bool lifetimes_overlap(const std::vector<LiveRange>& a, const std::vector<LiveRange>& b) {
  for (auto x = a.begin(), y = b.begin(); x != a.end() && y != b.end();) {
    if (x->end < y->begin)
      ++x;
    else if (y->end < x->begin)
      ++y;
    else
      return true;
  }
  return false;
}

std::vector<LiveRange> united(const std::vector<LiveRange>& a, const std::vector<LiveRange>& b) {
  std::vector<LiveRange> all(a.size() + b.size());
  std::merge(a.begin(), a.end(), b.begin(), b.end(), all.begin(),
             [](const LiveRange& x, const LiveRange& y) { return x.begin < y.begin; });
  return all;
}

}  // namespace

void join_copies(ir::Function& f) {
  Liveness liveness = analyse_liveness(f, ControlFlowGraph(f));
  std::vector<int> joined(f.registers.size());
  for (std::size_t r = 0; r < joined.size(); ++r) joined[r] = static_cast<int>(r);
  const auto find = [&](int r) {
    while (joined[static_cast<std::size_t>(r)] != r) r = joined[static_cast<std::size_t>(r)];
    return r;
  };
  std::vector<bool> dead(f.code.size(), false);
  for (std::size_t k = 0; k < f.code.size(); ++k) {
    const ir::Instruction& i = f.code[k];
    if (i.opcode != Opcode::mov || i.guard >= 0 || i.vector != 1 || i.operands.size() != 2) continue;
    const ir::Operand &d = i.operands[0], &s = i.operands[1];
    if (d.kind != Kind::kRegister || s.kind != Kind::kRegister || s.negated || !s.selector.empty()) continue;
    const int a = find(d.index), b = find(s.index);
    const Type to = f.registers[static_cast<std::size_t>(a)].type,
               from = f.registers[static_cast<std::size_t>(b)].type;
    if (type_bytes(to) != type_bytes(from) || (to == Type::pred) != (from == Type::pred)) continue;
    // What comes from the constant bank is nobody's register.
    if (f.registers[static_cast<std::size_t>(a)].constant ||
        f.registers[static_cast<std::size_t>(b)].constant)
      continue;
    // A move of fewer bits than the register has would not be one of all.
    if (to != Type::pred && type_bytes(i.modifiers.type) != type_bytes(to)) continue;
    if (a != b) {
      std::vector<LiveRange>&x = liveness.ranges[static_cast<std::size_t>(a)],
      &y = liveness.ranges[static_cast<std::size_t>(b)];
      if (lifetimes_overlap(x, y)) continue;
      x = united(x, y);
      y.clear();
      joined[static_cast<std::size_t>(b)] = a;
    }
    dead[k] = true;
  }
  for (ir::Instruction& i : f.code) {
    visit_registers(i, [&](int& r, bool) { r = find(r); });
  }
  remove_instructions(f, dead);
}

}  // namespace warpvp::ptx::machine
