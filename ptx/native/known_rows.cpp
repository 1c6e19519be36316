#include "ptx/native/known_rows.h"

namespace warpvp::ptx {

KnownRows::KnownRows(const Program& program) : program_(program), flow_(program) {
  if (program.frames_grow() || flow_.blocks().empty()) return;  // functions' frames move
  for (const Inst& inst : program.code)
    for (unsigned i = 1; inst.opcode == Opcode::shfl && i < inst.src_count; ++i)
      if (inst.src[i].kind == OperandKind::kReg) wanted_.insert(inst.src[i].index);
  if (wanted_.empty()) return;
  into_.resize(flow_.blocks().size());
  into_[flow_.block_of(0)].emplace();
  for (bool more = true; more;) {
    more = false;
    for (std::size_t block = 0; block < into_.size(); ++block) {
      if (!into_[block]) continue;
      const FlowBlock& b = flow_.blocks()[block];
      Values values = *into_[block];
      for (Pc pc = b.begin; pc < b.end; ++pc) pass(program.code[pc], values);
      for (const unsigned next : b.successors) {
        std::optional<Values>& into = into_[next];
        if (!into) {
          into = values;
          more = true;
          continue;
        }
        for (auto row = into->begin(); row != into->end();) {
          const auto found = values.find(row->first);
          const bool same = found != values.end() && found->second == row->second;
          more |= !same;
          row = same ? std::next(row) : into->erase(row);
        }
      }
    }
  }
}

void KnownRows::go_to(Pc pc) {
  here_.clear();
  if (into_.empty()) return;
  const std::size_t block = flow_.block_of(pc);
  if (!into_[block]) return;
  here_ = *into_[block];
  for (Pc at = flow_.blocks()[block].begin; at < pc; ++at) pass(program_.code[at]);
}

void KnownRows::pass(const Inst& inst, Values& values) const {
  if (inst.is_part) return;  // what a part stands for follows
  for (unsigned i = 0; i < inst.written_rows; ++i) values.erase(inst.writes[i]);
  if (inst.opcode == Opcode::mov && inst.guard.kind == OperandKind::kNone && inst.written_rows == 1 &&
      inst.src_count == 1 && inst.src[0].kind == OperandKind::kConst && inst.wide == 0 &&
      wanted_.count(inst.writes[0]) != 0)
    values[inst.writes[0]] = constant(inst.src[0]);
}

std::optional<std::uint32_t> KnownRows::value(const Operand& operand) const {
  if (operand.kind == OperandKind::kConst) return constant(operand);
  if (operand.kind != OperandKind::kReg) return std::nullopt;
  const auto found = here_.find(operand.index);
  return found != here_.end() ? std::optional(found->second) : std::nullopt;
}

}  // namespace warpvp::ptx
