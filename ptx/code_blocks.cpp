#include "ptx/code_blocks.h"

#include <algorithm>
#include <optional>

#include "ptx/live_rows.h"

namespace warpvp::ptx {
namespace {

/// By pc, and one behind the last: where warps come from elsewhere than the instruction before.
std::vector<bool> entries_of(const Program& program) {
  std::vector<bool> entries(program.code.size() + 1, false);
  const auto add = [&](Pc pc) {
    if (pc < entries.size()) entries[pc] = true;
  };
  for (const Inst& inst : program.code) {
    add(inst.target);
    add(inst.reconverge);
  }
  for (const auto& table : program.branch_tables)
    for (const Pc pc : table) add(pc);
  for (const Pc pc : program.functions) add(pc);
  return entries;
}

bool is_branch(const Inst& inst) { return inst.effect == Effect::kBranch && inst.opcode == Opcode::bra; }

}  // namespace

GoesOn goes_on(const Inst& inst) {
  switch (inst.effect) {
    case Effect::kNone:
      // Those have others see what they do.
      return inst.opcode != Opcode::vprintf && inst.opcode != Opcode::heap_malloc &&
                     inst.opcode != Opcode::heap_free
                 ? GoesOn::kAlways
                 : GoesOn::kNo;
    case Effect::kMemory:
      if (inst.is_volatile) return GoesOn::kNo;
      // Other warps of the SM see stores, and wait for nobody until this one's turn is over.
      return inst.opcode == Opcode::ld || inst.opcode == Opcode::ldu || inst.opcode == Opcode::st
                 ? GoesOn::kAlways
                 : GoesOn::kNo;
    case Effect::kWarpSync:
      return inst.guard.kind == OperandKind::kNone ? GoesOn::kWholeWarp : GoesOn::kNo;
    default:
      return GoesOn::kNo;
  }
}

bool ends_lanes(const Inst& inst) {
  return inst.guard.kind != OperandKind::kNone && !inst.is_part &&
         (inst.effect == Effect::kExit || (inst.effect == Effect::kBranch && inst.opcode == Opcode::ret));
}

std::vector<bool> silent_atomics_of(const Program& program) {
  std::vector<bool> silent(program.code.size(), false);
  std::optional<LiveRows> live;  // many programs have no atomics
  for (Pc pc = 0; pc < silent.size(); ++pc) {
    const Inst& inst = program.code[pc];
    if (!inst.is_atomic || inst.is_volatile || inst.effect != Effect::kMemory ||
        (inst.opcode != Opcode::atom && inst.opcode != Opcode::red))
      continue;
    silent[pc] = inst.written_rows == 0;
    if (silent[pc]) continue;
    if (!live) live.emplace(program);
    const RowSet read = live->behind(pc);
    silent[pc] =
        std::none_of(inst.writes, inst.writes + inst.written_rows, [&](unsigned row) { return read[row]; });
  }
  return silent;
}

std::vector<CodeBlock> code_blocks_of(const Program& program, bool some_lanes,
                                      const std::vector<bool>& silent) {
  const std::vector<bool> entries = entries_of(program);
  const auto straight = [&](Pc pc) {
    const GoesOn how = goes_on(program.code[pc]);
    return how == GoesOn::kAlways || (how == GoesOn::kWholeWarp && !some_lanes) ||
           ends_lanes(program.code[pc]) || silent[pc];
  };
  std::vector<CodeBlock> blocks;
  const Pc size = static_cast<Pc>(program.code.size());
  for (Pc begin = 0, end = 0; begin < size; begin = end) {
    end = begin;
    const auto more = [&] { return end < size && (end == begin || !entries[end]); };
    // Warps some of whose lanes have ended go on behind that, and those that have waited for an atomic.
    const auto over = [&] {
      return end != begin && (silent[end - 1] || (some_lanes && ends_lanes(program.code[end - 1])));
    };
    while (end - begin < kLongestCodeBlock && more() && !over() && straight(end)) ++end;
    const bool branches =
        end - begin < kLongestCodeBlock && more() && !over() && is_branch(program.code[end]);
    end += branches;
    if (end == begin)
      ++end;
    else
      blocks.push_back({begin, end, branches});
  }
  return blocks;
}

}  // namespace warpvp::ptx
