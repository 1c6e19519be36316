#include "ptx/machine/constant_operands.h"

#include <algorithm>
#include <map>

#include "ptx/machine/edit.h"
#include "ptx/machine/facts.h"
#include "ptx/machine/values.h"

namespace warpvp::ptx::machine {
namespace {

using Kind = ir::Operand::Kind;

bool is_dimension(SpecialRegister r) {
  return (r >= SpecialRegister::ntid_x && r <= SpecialRegister::ntid_z) ||
         (r >= SpecialRegister::nctaid_x && r <= SpecialRegister::nctaid_z);
}

// What the constant bank has of what `i` puts into its only destination, if anything.
bool in_bank(const ir::Function& f, const ir::Instruction& i, ConstantOperand& c) {
  if (i.guard >= 0 || i.operands.size() != 2 || i.operands[0].kind != Kind::kRegister || i.vector != 1)
    return false;
  const ir::Operand& s = i.operands[1];
  const unsigned bytes = type_bytes(i.modifiers.type);
  if (i.opcode == Opcode::mov && s.kind == Kind::kSpecial && bytes == 4 &&
      is_dimension(static_cast<SpecialRegister>(s.index))) {
    c.special = static_cast<SpecialRegister>(s.index);
    c.type = Type::u32;
    return type_bytes(f.registers[static_cast<std::size_t>(i.operands[0].index)].type) == 4;
  }
  if (i.opcode != Opcode::ld || i.is_volatile || !is_kernel_parameter(f, s)) return false;
  // An access outside of its parameter, or misaligned, stays what it is.
  const ir::Variable& v = f.variables[static_cast<std::size_t>(s.index)];
  if (s.offset < 0 || static_cast<std::uint64_t>(s.offset) + bytes > v.bytes || v.alignment % bytes != 0 ||
      s.offset % bytes != 0)
    return false;
  c.variable = s.index;
  c.offset = s.offset;
  c.type = i.modifiers.type;
  return true;
}

// Whether operand k of `i` may come from the bank.
bool may_read_bank(const ir::Function& f, const ir::Instruction& i, std::size_t k) {
  if (order_of(i) != Order::kPure || i.opcode == Opcode::video || i.opcode == Opcode::cvta ||
      i.opcode == Opcode::isspacep || i.operands[k].kind != Kind::kRegister)
    return false;
  if (i.opcode == Opcode::mov && i.operands[0].kind != Kind::kRegister) return false;
  for (std::size_t n = i.dst_count; n < i.operands.size(); ++n) {
    const ir::Operand& o = i.operands[n];
    if (o.kind == Kind::kVector) return false;
    if (n == k || o.kind == Kind::kNone) continue;
    // The factor of an address, 4 or 8, is the shift of the chip's LEA.
    const bool scale = i.opcode == Opcode::mad && i.modifiers.mul == MulMode::wide && n == 2;
    if (o.kind != Kind::kRegister && !scale) return false;
    if (o.kind == Kind::kRegister && f.registers[static_cast<std::size_t>(o.index)].constant) return false;
  }
  return true;
}

}  // namespace

void use_constant_operands(LegalFunction& legal) {
  ir::Function& f = legal.function;
  if (!f.is_entry) return;
  const ControlFlowGraph cfg(f);
  const Values values(f, cfg);
  std::map<int, int> bank;  // by register: that of the constant bank with its value
  const std::size_t registers = f.registers.size();
  for (std::size_t r = 0; r < registers; ++r) {
    const int at = values.definition(static_cast<int>(r));
    ConstantOperand c;
    if (at < 0 || !in_bank(f, f.code[static_cast<std::size_t>(at)], c)) continue;
    c.reg = add_register(f, f.registers[r].type);
    f.registers.back().constant = true;
    bank[static_cast<int>(r)] = c.reg;
    legal.constants.push_back(c);
  }
  for (ir::Instruction& i : f.code) {
    for (std::size_t k = i.dst_count; k < i.operands.size(); ++k) {
      ir::Operand& o = i.operands[k];
      if (o.kind != Kind::kRegister) continue;
      const auto found = bank.find(o.index);
      if (found != bank.end() && may_read_bank(f, i, k)) o.index = found->second;
    }
  }
  for (const auto& [r, constant] : bank) {
    ir::Instruction& load = f.code[static_cast<std::size_t>(values.definition(r))];
    const unsigned bytes = type_bytes(f.registers[static_cast<std::size_t>(r)].type);
    ir::Instruction move = make_instruction(load, "mov", {bytes == 8 ? "b64" : bytes == 4 ? "b32" : "b16"});
    move.operands = {load.operands[0], register_operand(constant)};
    move.dst_count = 1;
    load = std::move(move);
  }
}

}  // namespace warpvp::ptx::machine
