// The machine instructions of an expansion as instructions of a program that take time and compute nothing.
//
// Who waits for whom is said to the scoreboard through the destination of the PTX instruction: a step whose
// result is waited for writes it, a step that waits reads it. So an expansion needs no registers of its own,
// and what comes behind it waits for the last step only.

#include <algorithm>

#include "ptx/exec/select.h"
#include "ptx/machine/expansion.h"

namespace warpvp::ptx::machine {
namespace {

template <class List>
void add(List& list, std::uint8_t& count, std::uint16_t value) {
  if (std::find(list, list + count, value) == list + count) list[count++] = value;
}

/// Operands from registers of a machine instruction.
constexpr unsigned kOperands = 3;

/// The first words of the sources: of a 64-bit register the lower half.
void read_sources(const Inst& whole, Inst& part) {
  for (unsigned i = 0; i < whole.src_count && part.read_rows < kOperands; ++i)
    if (whole.source(i).kind == OperandKind::kReg) add(part.reads, part.read_rows, whole.source(i).index);
  for (unsigned i = 0; i < whole.read_preds; ++i) add(part.pred_reads, part.read_preds, whole.pred_reads[i]);
}

void read_result(const Inst& whole, Inst& part) {
  if (whole.written_rows != 0)
    add(part.reads, part.read_rows, whole.writes[0]);
  else if (whole.written_preds != 0)
    add(part.pred_reads, part.read_preds, whole.pred_writes[0]);
  if (whole.read_rows != 0) add(part.reads, part.read_rows, whole.reads[0]);
}

void write_result(const Inst& whole, Inst& part) {
  part.written_rows = whole.written_rows;
  part.written_preds = whole.written_preds;
  std::copy(whole.writes, whole.writes + whole.written_rows, part.writes);
  std::copy(whole.pred_writes, whole.pred_writes + whole.written_preds, part.pred_writes);
}

/// The next step that waits, if any, waits for step `k`: none that computes lies between.
bool is_waited_for(const Expansion& steps, std::size_t k) {
  if (steps[k].unit == Unit::kControl) return false;
  for (std::size_t n = k + 1; n < steps.size(); ++n) {
    if (steps[n].waits) return true;
    if (steps[n].unit != Unit::kControl) return false;
  }
  return false;
}

}  // namespace

void append_parts(const Expansion& steps, const std::string& text, Inst& whole, Program& program) {
  if (steps.empty()) return;
  whole.unit = steps.back().unit;
  whole.op_class = steps.back().op_class;
  for (std::size_t k = 0; k + 1 < steps.size(); ++k) {
    Inst part;
    part.exec = part_exec();
    part.opcode = Opcode::mov;
    part.unit = steps[k].unit;
    part.op_class = steps[k].op_class;
    part.is_part = true;
    part.guard = whole.guard;
    part.line = whole.line;
    part.ir_index = static_cast<std::uint32_t>(program.texts.size());
    if (steps[k].waits)
      read_result(whole, part);
    else if (part.unit != Unit::kControl)
      read_sources(whole, part);
    if (whole.guard.kind == OperandKind::kPred) add(part.pred_reads, part.read_preds, whole.guard.index);
    if (is_waited_for(steps, k)) write_result(whole, part);
    program.texts.push_back(std::string(steps[k].name) + " of " + text);
    program.code.push_back(part);
  }
}

void append_control(const ir::ControlBefore& control, const Inst& next, Program& program) {
  const auto append = [&](const char* name, OpClass op_class, unsigned times) {
    for (; times != 0; --times) {
      Inst part;
      part.exec = part_exec();
      part.opcode = Opcode::mov;
      part.unit = Unit::kControl;
      part.op_class = op_class;
      part.is_part = true;
      part.line = next.line;
      part.ir_index = static_cast<std::uint32_t>(program.texts.size());
      program.texts.emplace_back(name);
      program.code.push_back(part);
    }
  };
  append("BSYNC", OpClass::kControl, control.ends);
  append("NOP", OpClass::kMove, control.nops);
  for (unsigned region = 0; region < control.begins; ++region) {
    append("BMOV", OpClass::kMove, 1);
    append("BSSY", OpClass::kMove, 1);
  }
}

}  // namespace warpvp::ptx::machine
