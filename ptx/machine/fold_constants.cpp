#include "ptx/machine/fold_constants.h"

#include "ptx/lowering.h"
#include "ptx/machine/constants.h"
#include "ptx/machine/edit.h"
#include "ptx/machine/values.h"

namespace warpvp::ptx::machine {

// Text order; a value read before its definition in the text is not known and stays.
void fold_constants(ir::Function& f) {
  const ControlFlowGraph cfg(f);
  const Values values(f, cfg);
  KnownValues known(f.registers.size());
  for (ir::Instruction& i : f.code) {
    const std::optional<std::uint64_t> result = computed_value(f, i, known);
    if (!result || values.definition(i.operands[0].index) < 0) continue;
    const auto written = static_cast<std::size_t>(i.operands[0].index);
    known[written] = result;
    const unsigned bytes = type_bytes(f.registers[written].type);
    if (i.opcode == Opcode::mov && i.operands[1].kind != ir::Operand::Kind::kRegister) continue;
    const bool single = i.modifiers.type == Type::f32;
    ir::Instruction moved = make_instruction(i, "mov", {single ? "f32" : bytes == 8 ? "b64" : "b32"});
    const std::uint64_t bits =
        bytes == 8 || single ? *result
                             : static_cast<std::uint64_t>(std::int64_t{static_cast<std::int32_t>(*result)});
    ir::Operand number = integer_operand(bits);
    if (single) number.kind = ir::Operand::Kind::kSingle;
    moved.operands = {i.operands[0], number};
    moved.dst_count = 1;
    i = std::move(moved);
  }
}

}  // namespace warpvp::ptx::machine
