#include "platform/loop_slice.h"

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

bool is_opaque(const Inst& inst) {
  return inst.opcode == Opcode::vprintf || inst.opcode == Opcode::call || inst.opcode == Opcode::ret ||
         inst.is_async || inst.effect == Effect::kWaitAsync;
}

class Slicer {
 public:
  explicit Slicer(const ptx::Program& program) {
    slice_.rows.assign(program.rows, false);
    slice_.preds.assign(program.preds, false);
  }
  bool writes_needed(const Inst& inst) const {
    for (unsigned i = 0; i < inst.written_rows; ++i)
      if (slice_.rows[inst.writes[i]]) return true;
    for (unsigned i = 0; i < inst.written_preds; ++i)
      if (slice_.preds[inst.pred_writes[i]]) return true;
    return false;
  }
  void need_sources(const Inst& inst) {
    for (unsigned i = 0; i < inst.read_rows; ++i) need(slice_.rows, inst.reads[i]);
    for (unsigned i = 0; i < inst.read_preds; ++i) need(slice_.preds, inst.pred_reads[i]);
    if (inst.guard.kind == OperandKind::kPred) need(slice_.preds, inst.guard.index);
  }
  void need_all() {
    slice_.rows.assign(slice_.rows.size(), true);
    slice_.preds.assign(slice_.preds.size(), true);
  }
  bool changed() {
    const bool was = changed_;
    changed_ = false;
    return was;
  }
  LoopSlice& slice() { return slice_; }

 private:
  void need(std::vector<bool>& set, unsigned index) {
    if (set[index]) return;
    set[index] = changed_ = true;
  }
  LoopSlice slice_;
  bool changed_ = false;
};

}  // namespace

LoopSlice loop_slice(const ptx::Program& program, const std::vector<bool>& executed) {
  Slicer slicer(program);
  do {
    for (std::size_t pc = 0; pc < program.code.size(); ++pc) {
      if (!executed[pc]) continue;
      const Inst& inst = program.code[pc];
      slicer.slice().opaque |= is_opaque(inst);
      if (reads_carry(inst)) slicer.need_all();
      if (inst.effect != Effect::kNone || slicer.writes_needed(inst)) slicer.need_sources(inst);
    }
  } while (slicer.changed());
  return slicer.slice();
}

}  // namespace warpvp
