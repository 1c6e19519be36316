#include "ptx/machine/simplify.h"

#include <algorithm>
#include <map>
#include <string>

#include "ptx/disassemble.h"
#include "ptx/liveness.h"
#include "ptx/lowering.h"
#include "ptx/machine/edit.h"
#include "ptx/machine/facts.h"
#include "ptx/machine/feeders.h"
#include "ptx/machine/values.h"

namespace warpvp::ptx::machine {
namespace {

using Kind = ir::Operand::Kind;

Type register_type(const ir::Function& f, int r) { return f.registers[static_cast<std::size_t>(r)].type; }

// Whether the instruction only copies operand 1, of a register's width, into operand 0.
bool is_copy(const ir::Function& f, const ir::Instruction& i) {
  if (i.guard >= 0 || i.operands.size() != 2 || i.operands[0].kind != Kind::kRegister || i.vector != 1)
    return false;
  const ir::Operand& s = i.operands[1];
  if (s.negated || !s.selector.empty()) return false;
  const bool cast = i.opcode == Opcode::cvta && i.space == Space::kGlobal && s.kind == Kind::kRegister;
  if (i.opcode != Opcode::mov && !cast) return false;
  const Type to = register_type(f, i.operands[0].index);
  if (type_bytes(i.modifiers.type) != type_bytes(to)) return false;
  if (s.kind == Kind::kRegister) {
    const Type from = register_type(f, s.index);
    return type_bytes(from) == type_bytes(to) && (from == Type::pred) == (to == Type::pred);
  }
  return s.kind == Kind::kInteger || s.kind == Kind::kSingle || s.kind == Kind::kDouble;
}

// Instructions whose register operands may be zeros just as well: plain arithmetic on one type.
bool takes_zero(const ir::Instruction& i, const ir::Operand& zero) {
  switch (i.opcode) {
    case Opcode::add:
    case Opcode::sub:
    case Opcode::mul:
    case Opcode::mad:
    case Opcode::fma:
    case Opcode::and_:
    case Opcode::or_:
    case Opcode::xor_:
    case Opcode::min:
    case Opcode::max:
    case Opcode::selp:
    case Opcode::setp:
      // A zero of one kind has the bits of every other; a constant has to suit its instruction's type all the
      // same.
      return is_float(i.modifiers.type) ? zero.kind != Kind::kInteger : zero.kind == Kind::kInteger;
    default:
      return false;
  }
}

// The type of a constant as operand k of `i`, where the machine's instruction can hold one; kNone otherwise.
Type immediate_type(const ir::Instruction& i, std::size_t k) {
  const Type type = i.modifiers.type;
  if (is_packed(type) || type == Type::pred) return Type::kNone;
  switch (i.opcode) {
    case Opcode::add:
    case Opcode::sub:
    case Opcode::mul:
    case Opcode::fma:
    case Opcode::min:
    case Opcode::max:
    case Opcode::and_:
    case Opcode::or_:
    case Opcode::xor_:
      return type;
    case Opcode::mad:
      return k == 3 && i.modifiers.mul == MulMode::wide ? Type::kNone : type;
    case Opcode::selp:
    case Opcode::setp:
      return k == i.dst_count + 0u || k == i.dst_count + 1u ? type : Type::kNone;
    case Opcode::shl:
    case Opcode::shr:
      return k == 2 ? Type::u32 : Type::kNone;
    case Opcode::div:
    case Opcode::rem:
      return k == 2 && !is_float(type) ? type : Type::kNone;
    default:
      return Type::kNone;
  }
}

// Constant `c`, moved as `moved`, as an operand of type `type` of the same width.
ir::Operand immediate(const ir::Operand& c, Type moved, Type type) {
  const std::uint64_t bits = constant_bits(c, moved);
  ir::Operand o;
  o.kind = type == Type::f32 ? Kind::kSingle : type == Type::f64 ? Kind::kDouble : Kind::kInteger;
  o.bits = bits;
  if (o.kind == Kind::kInteger && type_bytes(type) == 4)
    o.bits = static_cast<std::uint64_t>(std::int64_t{static_cast<std::int32_t>(bits)});
  return o;
}

class Copies {
 public:
  explicit Copies(ir::Function& f) : f_(f), cfg_(f), values_(f, cfg_) {}

  void run() {
    for (ir::Instruction& i : f_.code) {
      // A predicate's copy is read by guards as well.
      Type moved = Type::kNone;
      if (i.guard >= 0) i.guard = root(i.guard, moved).index;
      const bool is_mov =
          i.opcode == Opcode::mov && i.operands.size() == 2 && i.operands[0].kind == Kind::kRegister;
      for (std::size_t k = i.dst_count; k < i.operands.size(); ++k) read(i, k, is_mov);
    }
  }

 private:
  void read(ir::Instruction& i, std::size_t k, bool is_mov) {
    ir::Operand& o = i.operands[k];
    if (o.kind == Kind::kRegister) {
      Type moved = Type::kNone;
      ir::Operand r = root(o.index, moved);
      if (r.kind == Kind::kRegister) {
        o.index = r.index;
      } else if (const bool as_it_is = is_mov || (r.bits == 0 && takes_zero(i, r)); as_it_is || holds(i, k)) {
        if (!as_it_is) r = immediate(r, moved, immediate_type(i, k));
        const ir::Location where = o.where;
        o = r;
        o.where = where;
      } else {
        o.index = last_register(o.index);
      }
    } else if (o.kind == Kind::kAddress && o.base == ir::Operand::Base::kRegister) {
      o.index = last_register(o.index);
    }
    for (ir::Operand& e : o.elements) {
      if (e.kind == Kind::kRegister) e.index = last_register(e.index);
    }
  }

  // Whether operand k of `i`, a register, may be a constant instead: one an instruction beside zeros.
  bool holds(const ir::Instruction& i, std::size_t k) const {
    const Type type = immediate_type(i, k);
    const unsigned bytes = type_bytes(type);
    if (bytes < 4 || type_bytes(register_type(f_, i.operands[k].index)) != bytes) return false;
    for (std::size_t n = i.dst_count; n < i.operands.size(); ++n) {
      const ir::Operand& o = i.operands[n];
      const bool number = o.kind == Kind::kInteger || o.kind == Kind::kSingle || o.kind == Kind::kDouble;
      if (o.kind != Kind::kRegister && o.kind != Kind::kNone && !(number && o.bits == 0)) return false;
    }
    return true;
  }

  // The register or constant that r is a copy of, through all copies; of a constant the type it was moved as.
  ir::Operand root(int r, Type& moved) const {
    ir::Operand at = register_operand(r);
    for (unsigned steps = 0; steps < 64; ++steps) {
      const int definition = values_.definition(at.index);
      if (definition < 0) return at;
      const ir::Instruction& i = f_.code[static_cast<std::size_t>(definition)];
      if (!is_copy(f_, i)) return at;
      const ir::Operand& s = i.operands[1];
      if (s.kind != Kind::kRegister) {
        moved = i.modifiers.type;
        return type_bytes(register_type(f_, at.index)) >= 4 ? s : at;
      }
      if (values_.definition(s.index) < 0) return at;
      at = register_operand(s.index);
    }
    return at;
  }
  int last_register(int r) const {
    ir::Operand at = register_operand(r);
    for (unsigned steps = 0; steps < 64; ++steps) {
      const int definition = values_.definition(at.index);
      if (definition < 0) break;
      const ir::Instruction& i = f_.code[static_cast<std::size_t>(definition)];
      if (!is_copy(f_, i) || i.operands[1].kind != Kind::kRegister ||
          values_.definition(i.operands[1].index) < 0)
        break;
      at = register_operand(i.operands[1].index);
    }
    return at.index;
  }

  ir::Function& f_;
  const ControlFlowGraph cfg_;
  const Values values_;
};

}  // namespace

void propagate_copies(ir::Function& f) {
  // Copies are looked up in the code as it was: a rewritten one still names a copy of the same value.
  Copies(f).run();
}

void fold_addresses(ir::Function& f) {
  constexpr std::int64_t kFarthest = (1 << 23) - 1;  // offsets of Volta's memory instructions have 24 bits
  const ControlFlowGraph cfg(f);
  const Values values(f, cfg);
  for (ir::Instruction& i : f.code) {
    if (order_of(i) != Order::kMemory) continue;
    for (ir::Operand& o : i.operands) {
      while (o.kind == Kind::kAddress && o.base == ir::Operand::Base::kRegister) {
        const int at = values.definition(o.index);
        if (at < 0) break;
        const ir::Instruction& d = f.code[static_cast<std::size_t>(at)];
        const bool plain = d.opcode == Opcode::add && !d.modifiers.cc && !d.modifiers.sat &&
                           d.operands.size() == 3 && !is_float(d.modifiers.type) &&
                           !is_packed(d.modifiers.type) &&
                           type_bytes(d.modifiers.type) == type_bytes(register_type(f, o.index));
        if (!plain || type_bytes(d.modifiers.type) < 4 || d.operands[1].kind != Kind::kRegister ||
            d.operands[2].kind != Kind::kInteger || values.definition(d.operands[1].index) < 0)
          break;
        const auto added = type_bytes(d.modifiers.type) == 8
                               ? static_cast<std::int64_t>(d.operands[2].bits)
                               : static_cast<std::int64_t>(static_cast<std::int32_t>(d.operands[2].bits));
        if (added < -kFarthest || added > kFarthest) break;
        if (o.offset + added < -kFarthest || o.offset + added > kFarthest) break;
        o.offset += added;
        o.index = d.operands[1].index;
      }
    }
  }
}

namespace {

class MultiplyAddFuser {
 public:
  explicit MultiplyAddFuser(ir::Function& f) : f_(f), feeders_(f) {}

  void run() {
    for (std::uint32_t at = 0; at < f_.code.size(); ++at) {
      ir::Instruction& i = f_.code[at];
      if (i.operands.size() != 3 || i.operands[0].kind != Kind::kRegister) continue;
      if (i.opcode == Opcode::add && !i.modifiers.cc && !i.modifiers.sat)
        fuse_add(i, at);
      else if (i.opcode == Opcode::sub && !i.modifiers.cc && !i.modifiers.sat)
        fuse_sub(i, at);
      else if (i.modifiers.type == Type::pred &&
               (i.opcode == Opcode::and_ || i.opcode == Opcode::or_ || i.opcode == Opcode::xor_))
        fuse_setp(i, at);
    }
    feeders_.remove_taken();
  }

 private:
  void fuse_add(ir::Instruction& i, std::uint32_t at) {
    const Type type = i.modifiers.type;
    const unsigned bytes = type_bytes(type);
    if (is_float(type) || is_packed(type) || bytes < 4) return;
    for (std::size_t k = 1; k <= 2; ++k) {
      const ir::Operand product = i.operands[k], addend = i.operands[3 - k];
      const ir::Instruction* d = feeders_.of(product, at);
      if (!d || d->modifiers.sat || d->modifiers.cc) continue;
      if (d->opcode == Opcode::mul && d->modifiers.mul == MulMode::wide && bytes == 8 &&
          type_bytes(d->modifiers.type) == 4) {
        replace(i, {"wide", is_signed(d->modifiers.type) ? "s32" : "u32"}, d->operands[1], d->operands[2],
                addend);
      } else if (d->opcode == Opcode::mul && d->modifiers.mul == MulMode::lo && bytes == 4 &&
                 !is_float(d->modifiers.type) && type_bytes(d->modifiers.type) == 4) {
        replace(i, {"lo", "s32"}, d->operands[1], d->operands[2], addend);
      } else if (d->opcode == Opcode::shl && bytes == 4 && type_bytes(d->modifiers.type) == 4 &&
                 d->operands[2].kind == Kind::kInteger && d->operands[2].bits < 32) {
        replace(i, {"lo", "s32"}, d->operands[1], integer_operand(1ull << d->operands[2].bits), addend);
      } else {
        continue;
      }
      feeders_.take(product);
      return;
    }
  }

  // x - y * n is y * -n + x.
  void fuse_sub(ir::Instruction& i, std::uint32_t at) {
    const ir::Operand minuend = i.operands[1], product = i.operands[2];
    if (is_float(i.modifiers.type) || is_packed(i.modifiers.type) || type_bytes(i.modifiers.type) != 4 ||
        minuend.kind != Kind::kRegister)
      return;
    const ir::Instruction* d = feeders_.of(product, at);
    if (!d || type_bytes(d->modifiers.type) != 4 || d->operands.size() != 3 ||
        d->operands[1].kind != Kind::kRegister || d->operands[2].kind != Kind::kInteger)
      return;
    std::uint64_t factor = d->operands[2].bits;
    if (d->opcode == Opcode::shl && factor < 32)
      factor = 1ull << factor;
    else if (d->opcode != Opcode::mul || d->modifiers.mul != MulMode::lo || is_float(d->modifiers.type))
      return;
    const auto negative = static_cast<std::int32_t>(0u - static_cast<std::uint32_t>(factor));
    replace(i, {"lo", "s32"}, d->operands[1],
            integer_operand(static_cast<std::uint64_t>(std::int64_t{negative})), minuend);
    feeders_.take(product);
  }

  static void replace(ir::Instruction& i, const std::vector<std::string_view>& suffixes, ir::Operand a,
                      ir::Operand b, ir::Operand c) {
    ir::Instruction mad = make_instruction(i, "mad", suffixes);
    mad.operands = {i.operands[0], std::move(a), std::move(b), std::move(c)};
    mad.dst_count = 1;
    i = std::move(mad);
  }

  void fuse_setp(ir::Instruction& i, std::uint32_t at) {
    for (std::size_t k = 1; k <= 2; ++k) {
      const ir::Operand compared = i.operands[k], other = i.operands[3 - k];
      if (other.kind != Kind::kRegister) continue;
      const ir::Instruction* d = compared.negated ? nullptr : feeders_.of(compared, at);
      if (!d || d->opcode != Opcode::setp || d->modifiers.bool_op != BoolOp::kNone ||
          d->operands.size() != 3 || d->operands[0].kind != Kind::kRegister)
        continue;
      std::vector<std::string_view> suffixes;
      const std::string_view written = d->mnemonic;
      for (std::size_t begin = written.find('.'); begin != std::string_view::npos;) {
        const std::size_t end = written.find('.', begin + 1);
        suffixes.push_back(written.substr(begin + 1, end == std::string_view::npos ? end : end - begin - 1));
        begin = end;
      }
      const char* op = i.opcode == Opcode::and_ ? "and" : i.opcode == Opcode::or_ ? "or" : "xor";
      suffixes.insert(suffixes.begin() + 1, op);
      ir::Instruction both = make_instruction(i, "setp", suffixes);
      both.operands = {i.operands[0], d->operands[1], d->operands[2], other};
      both.dst_count = 1;
      feeders_.take(compared);
      i = std::move(both);
      return;
    }
  }

  ir::Function& f_;
  Feeders feeders_;
};

}  // namespace

void fuse_pairs(ir::Function& f) { MultiplyAddFuser(f).run(); }

void share_values(const ir::Module& m, ir::Function& f) {
  const ControlFlowGraph cfg(f);
  const Values values(f, cfg);
  std::map<std::string, std::vector<std::uint32_t>> computed;
  std::vector<int> same(f.registers.size());
  for (std::size_t r = 0; r < same.size(); ++r) same[r] = static_cast<int>(r);
  for (std::uint32_t at = 0; at < f.code.size(); ++at) {
    ir::Instruction& i = f.code[at];
    visit_registers(i, [&](int& r, bool written) {
      if (!written) r = same[static_cast<std::size_t>(r)];
    });
    if (i.guard >= 0 || i.dst_count != 1 || i.operands[0].kind != Kind::kRegister || !is_value(f, i))
      continue;
    const int result = i.operands[0].index;
    if (values.definition(result) < 0) continue;
    std::vector<int> read;
    registers_read(i, read);
    if (std::any_of(read.begin(), read.end(), [&](int r) { return values.definition(r) < 0; })) continue;
    ir::Instruction key = i;
    key.operands[0] = integer_operand(static_cast<std::uint64_t>(register_type(f, result)));
    std::vector<std::uint32_t>& earlier = computed[disassemble(m, f, key)];
    bool shared = false;
    for (const std::uint32_t e : earlier) {
      if (!values.passes(e, at)) continue;
      same[static_cast<std::size_t>(result)] = f.code[e].operands[0].index;
      shared = true;
      break;
    }
    if (!shared) earlier.push_back(at);
  }
  // Reads that stand before their definition in the text.
  for (ir::Instruction& i : f.code) {
    visit_registers(i, [&](int& r, bool written) {
      if (!written) r = same[static_cast<std::size_t>(r)];
    });
  }
  remove_dead_code(f);
}

void remove_dead_code(ir::Function& f) {
  std::vector<unsigned> reads(f.registers.size(), 0);
  std::vector<int> registers;
  for (const ir::Instruction& i : f.code) {
    registers_read(i, registers);
    for (const int r : registers) ++reads[static_cast<std::size_t>(r)];
  }
  std::vector<bool> dead(f.code.size(), false);
  for (bool changed = true; changed;) {
    changed = false;
    for (std::size_t k = f.code.size(); k-- > 0;) {
      const ir::Instruction& i = f.code[k];
      if (dead[k] || !is_value(f, i)) continue;
      registers_written(i, registers);
      if (registers.empty() || std::any_of(registers.begin(), registers.end(),
                                           [&](int r) { return reads[static_cast<std::size_t>(r)] != 0; }))
        continue;
      dead[k] = changed = true;
      registers_read(i, registers);
      for (const int r : registers) --reads[static_cast<std::size_t>(r)];
    }
  }
  remove_instructions(f, dead);
}

}  // namespace warpvp::ptx::machine
