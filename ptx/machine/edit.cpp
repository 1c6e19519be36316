#include "ptx/machine/edit.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <stdexcept>

#include "ptx/opcode_table.h"

namespace warpvp::ptx::machine {
namespace {

void renumber_labels(ir::Function& f, const std::vector<int>& number) {
  for (ir::Instruction& i : f.code) {
    if (i.label >= 0) i.label = number[static_cast<std::size_t>(i.label)];
  }
  for (ir::BranchTable& t : f.tables) {
    for (int& l : t.labels) l = number[static_cast<std::size_t>(l)];
  }
}

}  // namespace

ir::Instruction make_instruction(const ir::Instruction& at, std::string_view mnemonic,
                                 const std::vector<std::string_view>& suffixes) {
  OpcodeMatch match;
  OpcodeMismatch mismatch;
  if (!match_opcode(mnemonic, suffixes, match, mismatch)) throw std::logic_error(mismatch.message);
  ir::Instruction i;
  i.opcode = match.form->opcode;
  i.form = match.form;
  i.modifiers = match.modifiers;
  i.space = match.space;
  i.cache = match.cache;
  i.is_volatile = match.is_volatile;
  i.vector = static_cast<std::uint8_t>(match.vector);
  i.mnemonic = mnemonic;
  for (const std::string_view s : suffixes) i.mnemonic += fmt::format(".{}", s);
  i.where = at.where;
  i.guard = at.guard;
  i.guard_negated = at.guard_negated;
  return i;
}

ir::Operand register_operand(int index) {
  ir::Operand o;
  o.kind = ir::Operand::Kind::kRegister;
  o.index = index;
  return o;
}

ir::Operand integer_operand(std::uint64_t bits) {
  ir::Operand o;
  o.kind = ir::Operand::Kind::kInteger;
  o.bits = bits;
  return o;
}

bool same_value(const ir::Operand& a, const ir::Operand& b) {
  using Kind = ir::Operand::Kind;
  if (a.kind != b.kind) return false;
  if (a.kind == Kind::kRegister) return a.index == b.index;
  const bool number = a.kind == Kind::kInteger || a.kind == Kind::kSingle || a.kind == Kind::kDouble;
  return number && a.bits == b.bits;
}

int add_register(ir::Function& f, Type type) {
  f.registers.push_back({fmt::format("%$m{}", f.registers.size()), type, {}});
  return static_cast<int>(f.registers.size()) - 1;
}

void replace_code(ir::Function& f, std::vector<ir::Instruction> code,
                  const std::vector<std::uint32_t>& position) {
  f.code = std::move(code);
  for (ir::Label& l : f.labels) l.position = position[l.position];
  for (ir::BranchTable& t : f.tables) t.position = position[t.position];
}

void remove_instructions(ir::Function& f, const std::vector<bool>& dead) {
  std::vector<ir::Instruction> code;
  std::vector<std::uint32_t> position;
  for (std::size_t i = 0; i < f.code.size(); ++i) {
    position.push_back(static_cast<std::uint32_t>(code.size()));
    if (!dead[i]) code.push_back(std::move(f.code[i]));
  }
  position.push_back(static_cast<std::uint32_t>(code.size()));
  replace_code(f, std::move(code), position);
}

void sort_labels(ir::Function& f) {
  std::vector<std::size_t> order(f.labels.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return f.labels[a].position < f.labels[b].position; });
  std::vector<int> number(f.labels.size());
  std::vector<ir::Label> sorted;
  for (std::size_t l : order) {
    number[l] = static_cast<int>(sorted.size());
    sorted.push_back(std::move(f.labels[l]));
  }
  f.labels = std::move(sorted);
  renumber_labels(f, number);
}

void remove_unused_labels(ir::Function& f) {
  std::vector<int> number(f.labels.size(), -1);
  for (const ir::Instruction& i : f.code) {
    if (i.label >= 0) number[static_cast<std::size_t>(i.label)] = 0;
  }
  for (const ir::BranchTable& t : f.tables) {
    for (const int l : t.labels) number[static_cast<std::size_t>(l)] = 0;
  }
  std::vector<ir::Label> kept;
  for (std::size_t l = 0; l < f.labels.size(); ++l) {
    if (number[l] < 0) continue;
    number[l] = static_cast<int>(kept.size());
    kept.push_back(std::move(f.labels[l]));
  }
  f.labels = std::move(kept);
  renumber_labels(f, number);
}

}  // namespace warpvp::ptx::machine
