#include "platform/guard/loop_slice.h"

#include <algorithm>

#include "ptx/reads_time.h"

namespace warpvp {

namespace {

using ptx::Effect;
using ptx::Inst;
using ptx::Opcode;
using ptx::OperandKind;

/// The carry has no name among the registers: where it is read, all registers count.
bool reads_carry(const Inst& inst) {
  return inst.opcode == Opcode::addc || inst.opcode == Opcode::subc || inst.opcode == Opcode::madc;
}

/// What an instruction does beside registers and memory that MemoryAccess tells of; nullptr: nothing.
const char* beyond(const Inst& inst) {
  switch (inst.opcode) {
    case Opcode::vprintf:
      return "prints";
    case Opcode::heap_malloc:
    case Opcode::heap_free:
      return "uses the device's heap";
    case Opcode::alloca_:
    case Opcode::stacksave:
    case Opcode::stackrestore:
      return "moves its stack";
    case Opcode::tex:
    case Opcode::tld4:
    case Opcode::suld:
    case Opcode::sust:
    case Opcode::txq:
    case Opcode::suq:
    case Opcode::istypep:
      return "uses a texture or surface";
    default:
      return inst.is_async || inst.effect == Effect::kWaitAsync ? "copies asynchronously" : nullptr;
  }
}

class Slicer {
 public:
  Slicer(const ptx::Program& program, const TellingOperands& telling) : telling_(telling) {
    slice_.functions.push_back(0);
    for (const ptx::Pc start : program.functions)
      if (start != ptx::kNoPc) slice_.functions.push_back(start);
    std::sort(slice_.functions.begin(), slice_.functions.end());
    slice_.rows_each = program.rows;
    slice_.preds_each = program.preds;
    slice_.rows.assign(slice_.functions.size() * program.rows, false);
    slice_.preds.assign(slice_.functions.size() * program.preds, false);
    slice_.looks.assign(program.code.size(), false);
  }
  void take(const Inst& inst, ptx::Pc pc) {
    if (inst.is_part) return;  // computes nothing
    const unsigned function = slice_.function_of(pc);
    first_row_ = function * slice_.rows_each;
    first_pred_ = function * slice_.preds_each;
    if (const char* why = beyond(inst)) slice_.opaque = why;
    const bool needed = writes_needed(inst);
    if (needed && ptx::reads_time(inst)) slice_.opaque = "reads the time";
    if (reads_carry(inst)) need_all();
    switch (inst.effect) {
      case Effect::kNone:
        if (needed) need_sources(inst);
        break;
      case Effect::kMemory:
        need_guard(inst);
        need_operand(inst, 0);
        if (needed) slice_.looks[pc] = true;
        if (needed && inst.is_atomic) need_sources(inst);
        for (unsigned i = 1; i < inst.src_count; ++i)
          if (telling_.count(&inst.source(i)) != 0) need_operand(inst, i);
        break;
      case Effect::kYield:  // how long it sleeps decides nothing
        need_guard(inst);
        break;
      case Effect::kFence:
        break;
      default:
        need_sources(inst);
    }
  }
  bool changed() {
    const bool was = changed_;
    changed_ = false;
    return was;
  }
  LoopSlice& slice() { return slice_; }

 private:
  bool writes_needed(const Inst& inst) const {
    for (unsigned i = 0; i < inst.written_rows; ++i)
      if (slice_.rows[first_row_ + inst.writes[i]]) return true;
    for (unsigned i = 0; i < inst.written_preds; ++i)
      if (slice_.preds[first_pred_ + inst.pred_writes[i]]) return true;
    return false;
  }
  void need_guard(const Inst& inst) {
    if (inst.guard.kind == OperandKind::kPred) need(slice_.preds, first_pred_ + inst.guard.index);
  }
  void need_operand(const Inst& inst, unsigned i) {
    const ptx::Operand& operand = inst.source(i);
    if (operand.kind != OperandKind::kReg) return;
    need(slice_.rows, first_row_ + operand.index);
    if (inst.wide >> (ptx::kMaxDst + i) & 1) need(slice_.rows, first_row_ + operand.index + 1u);
  }
  void need_sources(const Inst& inst) {
    for (unsigned i = 0; i < inst.read_rows; ++i) need(slice_.rows, first_row_ + inst.reads[i]);
    for (unsigned i = 0; i < inst.read_preds; ++i) need(slice_.preds, first_pred_ + inst.pred_reads[i]);
    need_guard(inst);
  }
  void need_all() {
    if (!slice_.carry) changed_ = true;
    slice_.carry = true;
    slice_.rows.assign(slice_.rows.size(), true);
    slice_.preds.assign(slice_.preds.size(), true);
  }
  void need(std::vector<bool>& set, unsigned index) {
    if (set[index]) return;
    set[index] = changed_ = true;
  }

  const TellingOperands& telling_;
  LoopSlice slice_;
  unsigned first_row_ = 0, first_pred_ = 0;  // of the instruction's function
  bool changed_ = false;
};

}  // namespace

unsigned LoopSlice::function_of(ptx::Pc pc) const {
  const auto after = std::upper_bound(functions.begin(), functions.end(), pc);
  return static_cast<unsigned>(after - functions.begin()) - 1;
}

LoopSlice loop_slice(const ptx::Program& program, const std::vector<bool>& executed,
                     const TellingOperands& telling) {
  Slicer slicer(program, telling);
  do {
    for (ptx::Pc pc = 0; pc < program.code.size(); ++pc)
      if (executed[pc]) slicer.take(program.code[pc], pc);
  } while (slicer.changed());
  return slicer.slice();
}

}  // namespace warpvp
