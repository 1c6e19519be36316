#include "ptx/program_flow.h"

#include <algorithm>

#include "ptx/cfg.h"

namespace warpvp::ptx {
namespace {

/// Where functions of the program begin, the entry first.
std::vector<Pc> starts(const Program& program) {
  std::vector<Pc> found{0};
  const auto add = [&](Pc pc) {
    if (pc < program.code.size() && std::find(found.begin(), found.end(), pc) == found.end())
      found.push_back(pc);
  };
  for (const Pc pc : program.functions) add(pc);
  for (const Inst& inst : program.code)
    if (inst.opcode == Opcode::call && !inst.is_part) add(inst.target);
  return found;
}

/// Where control may go behind the last instruction of a block, by program counter.
std::vector<Pc> targets(const Program& program, Pc last, bool& leaves) {
  const Inst& inst = program.code[last];
  std::vector<Pc> found;
  const bool guarded = inst.guard.kind != OperandKind::kNone;
  if (!ends_flow_block(inst) || guarded) found.push_back(last + 1);
  if (!ends_flow_block(inst)) return found;
  if (inst.opcode == Opcode::bra) {
    found.push_back(inst.target);
  } else if (inst.opcode == Opcode::brx) {
    const std::vector<Pc>& table = program.branch_tables[inst.table];
    found.insert(found.end(), table.begin(), table.end());
  } else {
    leaves = true;
  }
  return found;
}

}  // namespace

ProgramFlow::ProgramFlow(const Program& program) {
  const Pc size = static_cast<Pc>(program.code.size());
  std::vector<bool> begins(size + 1, false);
  const std::vector<Pc> functions = starts(program);
  for (const Pc pc : functions) begins[pc] = true;
  for (Pc pc = 0; pc < size; ++pc) {
    if (!ends_flow_block(program.code[pc])) continue;
    begins[pc + 1] = true;
    bool leaves = false;
    for (const Pc target : targets(program, pc, leaves)) begins[std::min(target, size)] = true;
  }
  for (Pc pc = 0; pc < size; ++pc) {
    if (begins[pc]) {
      blocks_.emplace_back();
      blocks_.back().begin = pc;
    }
    blocks_.back().end = pc + 1;
    block_of_.push_back(static_cast<unsigned>(blocks_.size()) - 1);
  }
  for (FlowBlock& block : blocks_) {
    for (const Pc target : targets(program, block.end - 1, block.leaves)) {
      if (target >= size) {
        block.leaves = true;
        continue;
      }
      const unsigned to = block_of_[target];
      if (std::find(block.successors.begin(), block.successors.end(), to) == block.successors.end())
        block.successors.push_back(to);
    }
  }
  for (const Pc pc : functions) roots_.push_back(block_of_[pc]);

  // One graph from which all functions are reached: node 0, then the blocks.
  std::vector<std::vector<int>> successors(1);
  std::vector<bool> leaves{false};
  for (const unsigned root : roots_) successors[0].push_back(static_cast<int>(root) + 1);
  for (const FlowBlock& block : blocks_) {
    successors.emplace_back();
    for (const unsigned to : block.successors) successors.back().push_back(static_cast<int>(to) + 1);
    leaves.push_back(block.leaves);
  }
  const std::vector<int> dominators = immediate_post_dominators(successors, leaves);
  for (std::size_t i = 0; i < blocks_.size(); ++i)
    blocks_[i].post_dominator = dominators[i + 1] < 0 ? -1 : dominators[i + 1] - 1;
}

std::vector<bool> ProgramFlow::reachable(unsigned from, int stop) const {
  std::vector<bool> found(blocks_.size(), false);
  std::vector<unsigned> open;
  const auto visit = [&](unsigned block) {
    if (static_cast<int>(block) == stop || found[block]) return;
    found[block] = true;
    open.push_back(block);
  };
  visit(from);
  while (!open.empty()) {
    const unsigned block = open.back();
    open.pop_back();
    for (const unsigned to : blocks_[block].successors) visit(to);
  }
  return found;
}

}  // namespace warpvp::ptx
