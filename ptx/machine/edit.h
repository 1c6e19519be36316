#pragma once
// How passes change a function: new instructions, and new code with the labels moved along.

#include <cstdint>
#include <string_view>
#include <vector>

#include "ptx/ir.h"

namespace warpvp::ptx::machine {

/// The instruction `mnemonic.suffix.suffix...` at the place of `at`, guarded like it. Operands are the
/// caller's. The suffixes must be ones that the opcode table has.
ir::Instruction make_instruction(const ir::Instruction& at, std::string_view mnemonic,
                                 const std::vector<std::string_view>& suffixes);

ir::Operand register_operand(int index);
ir::Operand integer_operand(std::uint64_t bits);

/// Whether both are the same register, or the same number.
bool same_value(const ir::Operand& a, const ir::Operand& b);

/// A new register of type `type`.
int add_register(ir::Function& f, Type type);

/// Replaces the code. `position[i]` says where in `code` stands what was instruction i; it has one entry
/// more, for the end.
void replace_code(ir::Function& f, std::vector<ir::Instruction> code,
                  const std::vector<std::uint32_t>& position);

/// Takes out the instructions i with dead[i].
void remove_instructions(ir::Function& f, const std::vector<bool>& dead);

/// Puts the labels into the order of their positions.
void sort_labels(ir::Function& f);

/// Takes out labels that nothing names, so that they part no block.
void remove_unused_labels(ir::Function& f);

/// Visits every register operand of `i`: visit(int& index, bool written). The guard, bases of addresses and
/// elements of vectors are among them.
template <class Visit>
void visit_registers(ir::Instruction& i, Visit visit) {
  if (i.guard >= 0) visit(i.guard, false);
  const auto one = [&](ir::Operand& o, bool written, const auto& self) -> void {
    if (o.kind == ir::Operand::Kind::kRegister)
      visit(o.index, written);
    else if (o.kind == ir::Operand::Kind::kAddress && o.base == ir::Operand::Base::kRegister)
      visit(o.index, false);
    for (ir::Operand& e : o.elements) self(e, written, self);
  };
  for (std::size_t k = 0; k < i.operands.size(); ++k) one(i.operands[k], k < i.dst_count, one);
}

}  // namespace warpvp::ptx::machine
