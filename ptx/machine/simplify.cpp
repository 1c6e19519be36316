#include "ptx/machine/simplify.h"

#include <algorithm>
#include <map>
#include <string>

#include "ptx/disassemble.h"
#include "ptx/liveness.h"
#include "ptx/machine/edit.h"
#include "ptx/machine/facts.h"
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

class Copies {
 public:
  explicit Copies(ir::Function& f) : f_(f), cfg_(f), values_(f, cfg_) {}

  void run() {
    for (ir::Instruction& i : f_.code) {
      // A predicate's copy is read by guards as well.
      if (i.guard >= 0) i.guard = root(i.guard).index;
      const bool is_mov =
          i.opcode == Opcode::mov && i.operands.size() == 2 && i.operands[0].kind == Kind::kRegister;
      for (std::size_t k = i.dst_count; k < i.operands.size(); ++k) read(i, i.operands[k], is_mov);
    }
  }

 private:
  void read(const ir::Instruction& i, ir::Operand& o, bool is_mov) {
    if (o.kind == Kind::kRegister) {
      const ir::Operand r = root(o.index);
      if (r.kind == Kind::kRegister) {
        o.index = r.index;
      } else if (is_mov || (r.bits == 0 && takes_zero(i, r))) {
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

  // The register or constant that r is a copy of, through all copies.
  ir::Operand root(int r) const {
    ir::Operand at = register_operand(r);
    for (unsigned steps = 0; steps < 64; ++steps) {
      const int definition = values_.definition(at.index);
      if (definition < 0) return at;
      const ir::Instruction& i = f_.code[static_cast<std::size_t>(definition)];
      if (!is_copy(f_, i)) return at;
      const ir::Operand& s = i.operands[1];
      if (s.kind != Kind::kRegister) return type_bytes(register_type(f_, at.index)) >= 4 ? s : at;
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

class Fuser {
 public:
  explicit Fuser(ir::Function& f) : f_(f), cfg_(f), values_(f, cfg_), dead_(f.code.size(), false) {}

  void run() {
    for (std::uint32_t at = 0; at < f_.code.size(); ++at) {
      ir::Instruction& i = f_.code[at];
      if (i.operands.size() != 3 || i.operands[0].kind != Kind::kRegister) continue;
      if (i.opcode == Opcode::add && !i.modifiers.cc && !i.modifiers.sat)
        fuse_add(i, at);
      else if (i.modifiers.type == Type::pred &&
               (i.opcode == Opcode::and_ || i.opcode == Opcode::or_ || i.opcode == Opcode::xor_))
        fuse_setp(i, at);
    }
    remove_instructions(f_, dead_);
  }

 private:
  // The instruction that computes operand o for `at` alone, if its own operands still have their values
  // there.
  ir::Instruction* feeder(const ir::Operand& o, std::uint32_t at) {
    if (o.kind != Kind::kRegister || o.negated || values_.reads(o.index) != 1) return nullptr;
    const int d = values_.definition(o.index);
    if (d < 0 || dead_[static_cast<std::size_t>(d)] ||
        cfg_.block_of(static_cast<std::uint32_t>(d)) != cfg_.block_of(at))
      return nullptr;
    ir::Instruction& i = f_.code[static_cast<std::size_t>(d)];
    if (i.dst_count != 1) return nullptr;
    std::vector<int> read;
    registers_read(i, read);
    const bool stable =
        std::all_of(read.begin(), read.end(), [&](int r) { return values_.definition(r) >= 0; });
    return stable ? &i : nullptr;
  }
  void take(const ir::Operand& o) { dead_[static_cast<std::size_t>(values_.definition(o.index))] = true; }

  void fuse_add(ir::Instruction& i, std::uint32_t at) {
    const Type type = i.modifiers.type;
    const unsigned bytes = type_bytes(type);
    if (is_float(type) || is_packed(type) || bytes < 4) return;
    for (std::size_t k = 1; k <= 2; ++k) {
      const ir::Operand product = i.operands[k], addend = i.operands[3 - k];
      const ir::Instruction* d = feeder(product, at);
      if (!d || d->guard >= 0 || d->modifiers.sat || d->modifiers.cc) continue;
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
      take(product);
      return;
    }
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
      const ir::Instruction* d = feeder(compared, at);
      if (!d || d->guard >= 0 || d->opcode != Opcode::setp || d->modifiers.bool_op != BoolOp::kNone ||
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
      take(compared);
      i = std::move(both);
      return;
    }
  }

  ir::Function& f_;
  const ControlFlowGraph cfg_;
  const Values values_;
  std::vector<bool> dead_;
};

}  // namespace

void fuse_pairs(ir::Function& f) { Fuser(f).run(); }

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
