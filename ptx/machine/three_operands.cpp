#include "ptx/machine/three_operands.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "ptx/machine/edit.h"
#include "ptx/machine/feeders.h"

namespace warpvp::ptx::machine {
namespace {

using Kind = ir::Operand::Kind;

// A register or an integer.
bool is_plain(const ir::Operand& o) { return o.kind == Kind::kRegister || o.kind == Kind::kInteger; }

// ---- sums

struct Term {
  ir::Operand operand;
  bool negative = false;
};
using Sum = std::vector<Term>;

// What `i` adds up; empty if it does not.
Sum sum_of(const ir::Instruction& i) {
  const Type type = i.modifiers.type;
  if (is_float(type) || is_packed(type) || type_bytes(type) < 4 || i.modifiers.cc || i.modifiers.sat ||
      i.operands[0].kind != Kind::kRegister)
    return {};
  for (std::size_t k = 1; k < i.operands.size(); ++k)
    if (!is_plain(i.operands[k])) return {};
  if (i.opcode == Opcode::add && i.operands.size() == 3) return {{i.operands[1]}, {i.operands[2]}};
  if (i.opcode == Opcode::sub && i.operands.size() == 3) return {{i.operands[1]}, {i.operands[2], true}};
  if (i.opcode == Opcode::neg && i.operands.size() == 2) return {{i.operands[1], true}};
  return {};
}

// ---- logic

// Bit 4*a + 2*b + c of a table is the result for these bits of the inputs.
constexpr unsigned kColumn[] = {0xf0, 0xcc, 0xaa};

struct Logic {
  std::vector<ir::Operand> inputs;  // at most three
  unsigned table = 0;
};

std::optional<unsigned> input_of(std::vector<ir::Operand>& inputs, const ir::Operand& o) {
  for (unsigned k = 0; k < inputs.size(); ++k)
    if (same_value(inputs[k], o)) return k;
  if (inputs.size() == 3) return std::nullopt;
  inputs.push_back(o);
  return static_cast<unsigned>(inputs.size()) - 1;
}

bool is_all_ones(const ir::Operand& o, unsigned bytes) {
  return o.kind == Kind::kInteger && (bytes == 8 ? o.bits : o.bits | ~0xffff'ffffull) == ~0ull;
}

// What `i` computes from bits at one place.
std::optional<Logic> logic_of(const ir::Instruction& i) {
  const unsigned bytes = type_bytes(i.modifiers.type);
  if (bytes < 4 || i.dst_count != 1 || i.operands[0].kind != Kind::kRegister) return std::nullopt;
  const bool table = i.opcode == Opcode::lop3;
  const bool single = i.opcode == Opcode::not_;
  if (!table && !single && i.opcode != Opcode::and_ && i.opcode != Opcode::or_ && i.opcode != Opcode::xor_)
    return std::nullopt;
  const std::size_t sources = table ? 3 : single ? 1 : 2;
  if (i.operands.size() != 1 + sources + (table ? 1 : 0)) return std::nullopt;
  Logic logic;
  unsigned column[3] = {0, 0, 0};
  for (std::size_t k = 0; k < sources; ++k) {
    const ir::Operand& o = i.operands[k + 1];
    if (!is_plain(o)) return std::nullopt;
    if (is_all_ones(o, bytes))
      column[k] = 0xff;
    else if (o.kind != Kind::kInteger || o.bits != 0)
      column[k] = kColumn[*input_of(logic.inputs, o)];
  }
  switch (i.opcode) {
    case Opcode::and_:
      logic.table = column[0] & column[1];
      break;
    case Opcode::or_:
      logic.table = column[0] | column[1];
      break;
    case Opcode::xor_:
      logic.table = column[0] ^ column[1];
      break;
    case Opcode::not_:
      logic.table = ~column[0] & 0xff;
      break;
    default:
      for (unsigned bit = 0; bit < 8; ++bit) {
        const unsigned row = (column[0] >> bit & 1) * 4 + (column[1] >> bit & 1) * 2 + (column[2] >> bit & 1);
        logic.table |= static_cast<unsigned>(i.operands[4].bits >> row & 1) << bit;
      }
  }
  return logic;
}

// `outer` with `inner` in place of its input n; nothing if more than three inputs are left.
std::optional<Logic> compose(const Logic& outer, unsigned n, const Logic& inner) {
  Logic both;
  unsigned outer_column[3] = {0, 0, 0}, inner_column[3] = {0, 0, 0};
  const auto columns = [&](const Logic& from, unsigned* column, unsigned without) {
    for (unsigned k = 0; k < from.inputs.size(); ++k) {
      if (k == without) continue;
      const std::optional<unsigned> place = input_of(both.inputs, from.inputs[k]);
      if (!place) return false;
      column[k] = kColumn[*place];
    }
    return true;
  };
  if (!columns(outer, outer_column, n) || !columns(inner, inner_column, 3)) return std::nullopt;
  const auto at = [](const unsigned* column, unsigned table, unsigned bit) {
    return table >> ((column[0] >> bit & 1) * 4 + (column[1] >> bit & 1) * 2 + (column[2] >> bit & 1)) & 1;
  };
  for (unsigned bit = 0; bit < 8; ++bit) outer_column[n] |= at(inner_column, inner.table, bit) << bit;
  for (unsigned bit = 0; bit < 8; ++bit) both.table |= at(outer_column, outer.table, bit) << bit;
  return both;
}

class ThreeOperandFuser {
 public:
  explicit ThreeOperandFuser(ir::Function& f) : f_(f), feeders_(f) {}

  void run() {
    for (std::uint32_t at = 0; at < f_.code.size(); ++at) {
      ir::Instruction& i = f_.code[at];
      if (i.operands.size() < 2 || i.dst_count != 1) continue;
      if (!fuse_shifts(i, at) && !fuse_address(i, at) && !fuse_sum(i, at) && !fuse_test(i, at))
        fuse_logic(i, at);
    }
    feeders_.remove_taken();
  }

 private:
  // The machine's instructions hold one operand that is no register of the thread, beside zeros.
  bool is_register(const ir::Operand& o) const {
    return o.kind == Kind::kRegister && !f_.registers[static_cast<std::size_t>(o.index)].constant;
  }
  bool takes(const ir::Operand& o, unsigned& others) const {
    if (!is_register(o) && !(o.kind == Kind::kInteger && o.bits == 0)) ++others;
    return others <= 1;
  }

  // An instruction that PTX has not, at the place of `i`.
  static ir::Instruction own(const ir::Instruction& i, Opcode opcode, const char* name) {
    ir::Instruction own;
    own.opcode = opcode;
    own.modifiers.type = i.modifiers.type;
    own.mnemonic = std::string(name) + "." + type_name(i.modifiers.type);
    own.where = i.where;
    own.guard = i.guard;
    own.guard_negated = i.guard_negated;
    own.dst_count = 1;
    own.operands = {i.operands[0]};
    return own;
  }

  // (a << n) + b of 64 bits. That of 32 bits is a mad.lo, which the chip's LEA does. An a that is extended by
  // zeros costs nothing more: the machine names its zero register as the upper word.
  bool fuse_address(ir::Instruction& i, std::uint32_t at) {
    const Sum sum = i.opcode == Opcode::add ? sum_of(i) : Sum{};
    if (sum.empty() || type_bytes(i.modifiers.type) != 8) return false;
    for (std::size_t k = 0; k < 2; ++k) {
      const ir::Operand shifted = sum[k].operand, other = sum[1 - k].operand;
      const ir::Instruction* d = feeders_.of(shifted, at);
      if (!d) continue;
      ir::Operand first = shifted, amount = integer_operand(0);
      const bool shift = d->opcode == Opcode::shl && type_bytes(d->modifiers.type) == 8 &&
                         is_register(d->operands[1]) && d->operands[2].kind == Kind::kInteger &&
                         d->operands[2].bits < 32;
      if (shift) {
        first = d->operands[1];
        amount = d->operands[2];
      }
      const ir::Instruction* extension = feeders_.of(first, at);
      const bool extended = extension && extends_by_zeros(*extension);
      if (!shift && !extended) continue;
      ir::Instruction lea = own(i, Opcode::lea, "lea");
      lea.operands.insert(lea.operands.end(), {extended ? extension->operands[1] : first, other, amount});
      if (shift) feeders_.take(shifted);
      if (extended) feeders_.take(first);
      i = std::move(lea);
      return true;
    }
    return false;
  }
  bool extends_by_zeros(const ir::Instruction& i) const {
    return i.opcode == Opcode::cvt && !i.modifiers.sat && !is_float(i.modifiers.type) &&
           type_bytes(i.modifiers.type) == 8 && i.modifiers.src_type == Type::u32 &&
           is_register(i.operands[1]) && width(i.operands[0]) == 8 && width(i.operands[1]) == 4;
  }
  unsigned width(const ir::Operand& o) const {
    return type_bytes(f_.registers[static_cast<std::size_t>(o.index)].type);
  }

  bool fuse_sum(ir::Instruction& i, std::uint32_t at) {
    const Sum outer = sum_of(i);
    for (std::size_t n = 0; n < outer.size(); ++n) {
      const ir::Instruction* d = feeders_.of(outer[n].operand, at);
      if (!d || type_bytes(d->modifiers.type) != type_bytes(i.modifiers.type)) continue;
      Sum all = sum_of(*d);
      if (all.empty()) continue;
      for (Term& t : all) t.negative ^= outer[n].negative;
      for (std::size_t k = 0; k < outer.size(); ++k)
        if (k != n) all.push_back(outer[k]);
      unsigned others = 0;
      bool fits = all.size() <= 3;
      for (const Term& t : all) fits = fits && takes(t.operand, others);
      if (!fits) continue;
      feeders_.take(outer[n].operand);
      i = add_up(i, all);
      return true;
    }
    return false;
  }

  static ir::Instruction add_up(const ir::Instruction& i, const Sum& all) {
    ir::Instruction sum = own(i, Opcode::add3, "add3");
    for (const Term& t : all) {
      sum.operands.push_back(t.operand);
      if (t.operand.kind == Kind::kInteger && t.negative)
        sum.operands.back().bits = 0 - t.operand.bits;
      else
        sum.operands.back().negated = t.negative;
    }
    while (sum.operands.size() < 4) sum.operands.push_back(integer_operand(0));
    return sum;
  }

  bool fuse_logic(ir::Instruction& i, std::uint32_t at) {
    std::optional<Logic> logic = logic_of(i);
    if (!logic) return false;
    bool changed = false;
    for (unsigned n = 0; n < logic->inputs.size();) {
      const std::optional<Logic> both = with_feeder(*logic, n, at, type_bytes(i.modifiers.type));
      if (!both) {
        ++n;
        continue;
      }
      feeders_.take(logic->inputs[n]);
      logic = both;
      changed = true;
      n = 0;
    }
    if (!changed) return false;
    ir::Instruction table = type_bytes(i.modifiers.type) == 8 ? own(i, Opcode::lop3, "lop3")
                                                              : make_instruction(i, "lop3", {"b32"});
    table.dst_count = 1;
    table.operands = {i.operands[0]};
    add_inputs(table, *logic, 0);
    i = std::move(table);
    return true;
  }

  // Logic of 32 bits compared with zero: the chip's LOP3 writes a predicate too, and its readers negate it.
  bool fuse_test(ir::Instruction& i, std::uint32_t at) {
    const bool equal = i.modifiers.compare == Compare::eq;
    if (i.opcode != Opcode::setp || (!equal && i.modifiers.compare != Compare::ne) ||
        i.modifiers.bool_op != BoolOp::kNone || is_float(i.modifiers.type) ||
        type_bytes(i.modifiers.type) != 4 || i.operands.size() != 3 ||
        i.operands[0].kind != Kind::kRegister || i.operands[2].kind != Kind::kInteger ||
        i.operands[2].bits != 0)
      return false;
    const ir::Operand compared = i.operands[1];
    const ir::Instruction* d = feeders_.of(compared, at);
    const std::optional<Logic> logic = d && type_bytes(d->modifiers.type) == 4 ? logic_of(*d) : std::nullopt;
    unsigned others = 0;
    for (const ir::Operand& o : logic ? logic->inputs : std::vector<ir::Operand>{})
      if (!takes(o, others)) return false;
    if (!logic) return false;
    ir::Instruction test = own(i, Opcode::lop3, "lop3");
    test.modifiers.type = Type::b32;
    test.mnemonic = equal ? "lop3.eq.b32" : "lop3.ne.b32";
    add_inputs(test, *logic, equal ? 0x100u : 0u);
    feeders_.take(compared);
    i = std::move(test);
    return true;
  }

  static void add_inputs(ir::Instruction& i, const Logic& logic, unsigned more) {
    for (const ir::Operand& o : logic.inputs) i.operands.push_back(o);
    while (i.operands.size() < 4) i.operands.push_back(integer_operand(0));
    i.operands.push_back(integer_operand(logic.table | more));
  }

  std::optional<Logic> with_feeder(const Logic& logic, unsigned n, std::uint32_t at, unsigned bytes) const {
    const ir::Instruction* d = feeders_.of(logic.inputs[n], at);
    if (!d || type_bytes(d->modifiers.type) != bytes) return std::nullopt;
    const std::optional<Logic> inner = logic_of(*d);
    if (!inner) return std::nullopt;
    std::optional<Logic> both = compose(logic, n, *inner);
    unsigned others = 0;
    for (const ir::Operand& o : both ? both->inputs : std::vector<ir::Operand>{})
      if (!takes(o, others)) return std::nullopt;
    return both;
  }

  // (x << n) with (y >> (32 - n)): the high word of {x, y} << n.
  bool fuse_shifts(ir::Instruction& i, std::uint32_t at) {
    const bool joins = i.opcode == Opcode::or_ || i.opcode == Opcode::xor_ ||
                       (i.opcode == Opcode::add && !i.modifiers.cc && !i.modifiers.sat);
    if (!joins || is_float(i.modifiers.type) || is_packed(i.modifiers.type) ||
        type_bytes(i.modifiers.type) != 4 || i.operands.size() != 3)
      return false;
    for (std::size_t k = 1; k <= 2; ++k) {
      const ir::Operand high = i.operands[k], low = i.operands[3 - k];
      const ir::Instruction *left = feeders_.of(high, at), *right = feeders_.of(low, at);
      if (!left || !right || left->opcode != Opcode::shl || right->opcode != Opcode::shr ||
          is_signed(right->modifiers.type) || !is_word_shift(*left) || !is_word_shift(*right) ||
          left->operands[2].bits + right->operands[2].bits != 32)
        continue;
      ir::Instruction shift = make_instruction(i, "shf", {"l", "wrap", "b32"});
      shift.dst_count = 1;
      shift.operands = {i.operands[0], right->operands[1], left->operands[1], left->operands[2]};
      feeders_.take(high);
      feeders_.take(low);
      i = std::move(shift);
      return true;
    }
    return false;
  }
  bool is_word_shift(const ir::Instruction& i) const {
    return type_bytes(i.modifiers.type) == 4 && is_register(i.operands[1]) &&
           i.operands[2].kind == Kind::kInteger && i.operands[2].bits > 0 && i.operands[2].bits < 32;
  }

  ir::Function& f_;
  Feeders feeders_;
};

}  // namespace

void fuse_three(ir::Function& f) { ThreeOperandFuser(f).run(); }

}  // namespace warpvp::ptx::machine
