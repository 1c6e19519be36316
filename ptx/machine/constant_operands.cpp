#include "ptx/machine/constant_operands.h"

#include <algorithm>
#include <map>
#include <vector>

#include "ptx/liveness.h"
#include "ptx/machine/alignment.h"
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

// Where in a variable of constant memory a load reads, if that is known: [variable + n], or [r + n] where r
// only holds the variable's address.
const ir::Operand* constant_variable(const ir::Function& f, const Values& values, const ir::Operand& address,
                                     std::int64_t& offset) {
  offset = address.offset;
  if (address.base == ir::Operand::Base::kVariable) return address.module_scope ? &address : nullptr;
  if (address.base != ir::Operand::Base::kRegister) return nullptr;
  const int at = values.definition(address.index);
  if (at < 0) return nullptr;
  const ir::Instruction& d = f.code[static_cast<std::size_t>(at)];
  if (d.opcode != Opcode::mov || d.operands.size() != 2 || type_bytes(d.modifiers.type) != 8) return nullptr;
  const ir::Operand& s = d.operands[1];
  offset += s.offset;
  return s.kind == Kind::kVariable && s.module_scope ? &s : nullptr;
}

// What the constant banks have of what `i` puts into its destinations, in their order; empty if they have
// not all.
class Banks {
 public:
  Banks(const ir::Module& m, const ir::Function& f, const Values& values) : m_(m), f_(f), values_(values) {}

  std::vector<ConstantOperand> of(std::uint32_t at) const {
    const ir::Instruction& i = f_.code[at];
    if (i.guard >= 0 || i.operands.size() != 2 || i.is_volatile) return {};
    if (i.opcode == Opcode::mov)
      return i.operands[1].kind == Kind::kVariable ? address_of_variable(i) : dimension(i);
    if (i.opcode != Opcode::ld) return {};
    const ir::Operand& address = i.operands[1];
    ConstantOperand c;
    const ir::Variable* v = nullptr;
    std::uint32_t alignment = 1;
    if (is_kernel_parameter(f_, address)) {
      c.variable = address.index;
      c.offset = address.offset;
      v = &f_.variables[static_cast<std::size_t>(address.index)];
      alignment = v->alignment;
    } else if (i.space == Space::kConst) {
      const ir::Operand* named = constant_variable(f_, values_, address, c.offset);
      if (!named) return {};
      c.variable = named->index;
      c.module_scope = true;
      v = &m_.variables[static_cast<std::size_t>(named->index)];
      if (v->space != Space::kConst || !is_placed(*v)) return {};
      alignment = placed_alignment(*v);
    } else {
      return {};
    }
    // An access outside of its variable, or misaligned, stays what it is.
    const unsigned element = type_bytes(i.modifiers.type), bytes = element * i.vector;
    if (c.offset < 0 || static_cast<std::uint64_t>(c.offset) + bytes > v->bytes || alignment % bytes != 0 ||
        c.offset % bytes != 0)
      return {};
    c.type = i.modifiers.type;
    return spread(i, c, element);
  }

 private:
  static bool is_placed(const ir::Variable& v) {
    return v.linkage != ir::Linkage::kExtern && v.refusal.empty();
  }

  std::vector<ConstantOperand> address_of_variable(const ir::Instruction& i) const {
    const ir::Operand& s = i.operands[1];
    if (!s.module_scope || i.operands[0].kind != Kind::kRegister || type_bytes(i.modifiers.type) != 8 ||
        type_bytes(register_of(i.operands[0]).type) != 8)
      return {};
    const ir::Variable& v = m_.variables[static_cast<std::size_t>(s.index)];
    if ((v.space != Space::kGlobal && v.space != Space::kConst) || !is_placed(v)) return {};
    ConstantOperand c;
    c.variable = s.index;
    c.offset = s.offset;
    c.module_scope = true;
    return {c};
  }

  std::vector<ConstantOperand> dimension(const ir::Instruction& i) const {
    const ir::Operand& s = i.operands[1];
    if (i.operands[0].kind != Kind::kRegister || s.kind != Kind::kSpecial ||
        type_bytes(i.modifiers.type) != 4 || !is_dimension(static_cast<SpecialRegister>(s.index)) ||
        type_bytes(register_of(i.operands[0]).type) != 4)
      return {};
    ConstantOperand c;
    c.special = static_cast<SpecialRegister>(s.index);
    c.type = Type::u32;
    return {c};
  }

  static std::vector<ConstantOperand> spread(const ir::Instruction& i, ConstantOperand c, unsigned element) {
    std::vector<ConstantOperand> words;
    const ir::Operand& d = i.operands[0];
    for (unsigned k = 0; k < i.vector; ++k) {
      const ir::Operand& word = d.kind == Kind::kVector ? d.elements[k] : d;
      if (word.kind != Kind::kRegister) return {};
      words.push_back(c);
      c.offset += element;
    }
    return words;
  }

  const ir::Register& register_of(const ir::Operand& o) const {
    return f_.registers[static_cast<std::size_t>(o.index)];
  }

  const ir::Module& m_;
  const ir::Function& f_;
  const Values& values_;
};

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

void use_constant_operands(const ir::Module& m, LegalFunction& legal) {
  ir::Function& f = legal.function;
  if (!f.is_entry) return;
  const ControlFlowGraph cfg(f);
  const Values values(f, cfg);
  const Banks banks(m, f, values);
  std::map<int, int> bank;                        // by register: that of the constant bank with its value
  std::vector<bool> moved(f.code.size(), false);  // loads whose values come from the bank
  std::size_t words_of_memory = 0;
  std::vector<int> written;
  for (std::uint32_t at = 0; at < f.code.size(); ++at) {
    const std::vector<ConstantOperand> words = banks.of(at);
    registers_written(f.code[at], written);
    const auto has_one_value = [&](int r) { return values.definition(r) == static_cast<int>(at); };
    if (words.empty() || !std::all_of(written.begin(), written.end(), has_one_value)) continue;
    if (words[0].module_scope) {
      if (words_of_memory + words.size() > kMostConstantWords) continue;
      words_of_memory += words.size();
    }
    moved[at] = true;
    for (std::size_t k = 0; k < words.size(); ++k) {
      ConstantOperand c = words[k];
      c.reg = add_register(f, f.registers[static_cast<std::size_t>(written[k])].type);
      f.registers.back().constant = true;
      bank[written[k]] = c.reg;
      legal.constants.push_back(c);
    }
  }
  for (ir::Instruction& i : f.code) {
    for (std::size_t k = i.dst_count; k < i.operands.size(); ++k) {
      ir::Operand& o = i.operands[k];
      if (o.kind != Kind::kRegister) continue;
      const auto found = bank.find(o.index);
      if (found != bank.end() && may_read_bank(f, i, k)) o.index = found->second;
    }
  }
  std::vector<ir::Instruction> code;
  std::vector<std::uint32_t> position;
  for (std::uint32_t at = 0; at < f.code.size(); ++at) {
    position.push_back(static_cast<std::uint32_t>(code.size()));
    if (!moved[at]) {
      code.push_back(std::move(f.code[at]));
      continue;
    }
    registers_written(f.code[at], written);
    for (const int r : written) {
      const unsigned bytes = type_bytes(f.registers[static_cast<std::size_t>(r)].type);
      ir::Instruction move = make_instruction(f.code[at], "mov",
                                              {bytes == 8   ? "b64"
                                               : bytes == 4 ? "b32"
                                                            : "b16"});
      move.operands = {register_operand(r), register_operand(bank.at(r))};
      move.dst_count = 1;
      code.push_back(std::move(move));
    }
  }
  position.push_back(static_cast<std::uint32_t>(code.size()));
  replace_code(f, std::move(code), position);
}

}  // namespace warpvp::ptx::machine
