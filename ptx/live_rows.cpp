#include "ptx/live_rows.h"

#include <algorithm>

namespace warpvp::ptx {

bool reads_other_lanes(const Inst& inst) {
  return inst.opcode == Opcode::shfl || inst.opcode == Opcode::redux || inst.opcode == Opcode::match ||
         inst.effect == Effect::kWarpSync;
}

bool reads_whole_fragments(const Inst& inst) {
  return inst.opcode == Opcode::mma || inst.opcode == Opcode::wmma || inst.opcode == Opcode::ldmatrix ||
         inst.opcode == Opcode::stmatrix || inst.opcode == Opcode::movmatrix;
}

namespace {
/// Into `live`; true if it has more for it.
bool add(RowSet& live, const RowSet& others) {
  bool more = false;
  for (std::size_t row = 0; row < live.size(); ++row) {
    if (!others[row] || live[row]) continue;
    live[row] = more = true;
  }
  return more;
}
}  // namespace

LiveRows::LiveRows(const Program& program)
    : program_(program),
      flow_(program),
      all_(program.frames_grow() ||
           std::any_of(program.code.begin(), program.code.end(), reads_whole_fragments)),
      always_(program.rows_reserved(), all_) {
  if (all_) return;
  for (const Inst& inst : program.code)
    if (reads_other_lanes(inst)) for_each_read_row(inst, [&](unsigned row) { always_[row] = true; });
  into_.assign(flow_.blocks().size(), always_);
  for (bool more = true; more;) {
    more = false;
    for (std::size_t block = flow_.blocks().size(); block-- > 0;) {
      const FlowBlock& b = flow_.blocks()[block];
      RowSet live = behind(b.end - 1);
      for (Pc pc = b.end; pc-- > b.begin;) step_back(program.code[pc], live);
      more |= add(into_[block], live);
    }
  }
}

void LiveRows::step_back(const Inst& inst, RowSet& live) const {
  if (all_ || inst.is_part) return;  // what a part stands for follows
  // What was there may stay where a guard lets lanes not execute it.
  if (inst.guard.kind == OperandKind::kNone)
    for (unsigned i = 0; i < inst.written_rows; ++i)
      if (!always_[inst.writes[i]]) live[inst.writes[i]] = false;
  for_each_read_row(inst, [&](unsigned row) { live[row] = true; });
}

RowSet LiveRows::behind(Pc pc) const {
  if (all_) return always_;
  const FlowBlock& block = flow_.blocks()[flow_.block_of(pc)];
  RowSet live = always_;
  for (const unsigned next : block.successors) add(live, into_[next]);
  for (Pc at = block.end; --at > pc;) step_back(program_.code[at], live);
  return live;
}

}  // namespace warpvp::ptx
