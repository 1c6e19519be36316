#include "tests/ptx_reference/instruction_pieces.h"

#include <fmt/format.h>

#include <algorithm>

#include "tests/ptx_reference/registers.h"

namespace warpvp::reference {

Piece InstructionPieces::lines(const std::string& text) {
  Piece p;
  p.droppable = false;
  for (std::size_t begin = 0, end; begin < text.size(); begin = end + 1) {
    end = text.find('\n', begin);
    p.inside.push_back(leaf(text.substr(begin, end + 1 - begin)));
  }
  return p;
}

std::string InstructionPieces::word() { return any_register(random_, {'u', 32}); }
std::string InstructionPieces::wide() { return any_register(random_, {'u', 64}); }

std::string InstructionPieces::loads(unsigned chance) {
  if (chance == ~0u) return load_all_registers("%a0");
  std::string s;
  for_each_input([&](const InputRegister& r) {
    if (random_.below(16) < chance) s += load_of(r, "%a0");
  });
  return s;
}

std::string InstructionPieces::call_text(unsigned number, const std::string& x, const std::string& y,
                                         const std::string& d) {
  return fmt::format(
      "{{\n.param .b32 p0; .param .b64 p1; .param .b32 p2;\nst.param.b32 [p0], {}; st.param.b64 [p1], {};\n"
      "call (p2), f{}, (p0, p1);\nld.param.b32 {}, [p2];\n}}\n",
      x, y, number, d);
}

Piece InstructionPieces::arithmetic() {
  const Form* form = &random_.of(forms());
  while (dialect_ == Dialect::kChip && differs_on_chips(*form)) form = &random_.of(forms());
  const std::string guard = maybe_guard(random_);
  std::string text = instruction(random_, *form);
  // The assembler computes with constants in its own way where they are NaNs.
  while (dialect_ == Dialect::kChip && has_nan_constant(text)) text = instruction(random_, *form);
  return leaf((dialect_ == Dialect::kChip && loses_guard_on_chips(*form) ? "" : guard) + text + "\n");
}

// A few instructions joined by the carry flag.
Piece InstructionPieces::carry_chain() {
  Piece p;
  for (unsigned n = 1 + random_.below(4), i = 0; i <= n; ++i) {
    const Type t = type_named(choose(random_, "{u32|s32|u64|s64}"));
    const std::string type = t.kind + std::to_string(t.bits);
    const std::string how =
        i == 0 ? "{add.cc|sub.cc|mad.lo.cc|mad.hi.cc}." : "{addc|subc|addc|subc|madc.lo|madc.hi}{|.cc}.";
    const std::string opcode = choose(random_, how);
    const std::string to = any_register(random_, {'u', t.bits});
    std::string text = maybe_guard(random_) + opcode + type + " " + to;
    for (int k = 0; k < (opcode[0] == 'm' ? 3 : 2); ++k)
      text += ", " + (random_.one_in(4) ? constant(random_, t) : any_register(random_, {'u', t.bits}));
    p.inside.push_back(leaf(text + ";\n"));
  }
  if (random_.one_in(2)) p.inside.push_back(leaf(fmt::format("addc.u32 {}, 0, 0;\n", word())));
  return p;
}

Piece InstructionPieces::pack_or_unpack() {
  switch (random_.below(6)) {
    case 0: {
      const std::string high = word(), low = word();
      return leaf(fmt::format("mov.b64 {}, {{{}, {}}};\n", wide(), low, high));
    }
    case 1: {
      const std::string from = wide();
      const unsigned high = 6 + random_.below(6), low = random_.below(6);
      return leaf(fmt::format("mov.b64 {{%r{}, %r{}}}, {};\n", low, high, from));
    }
    case 2: {
      const unsigned high = random_.below(8), low = random_.below(8);
      return leaf(fmt::format("mov.b32 {}, {{%h{}, %h{}}};\n", word(), low, high));
    }
    case 3: {
      const std::string from = word();
      const unsigned high = 4 + random_.below(4), low = random_.below(4);
      return leaf(fmt::format("mov.b32 {{%h{}, %h{}}}, {};\n", low, high, from));
    }
    case 4: {
      const unsigned d = random_.below(8), c = random_.below(8), b = random_.below(8), a = random_.below(8);
      return leaf(fmt::format("mov.b64 {}, {{%h{}, %h{}, %h{}, %h{}}};\n", wide(), a, b, c, d));
    }
    default: {
      const std::string from = wide();
      const unsigned c = 3 + random_.below(3), b = 1 + random_.below(2);
      return leaf(fmt::format("mov.b64 {{%h0, %h{}, %h{}, %h6}}, {};\n", b, c, from));
    }
  }
}

// One access to the thread's own 64 bytes of some space, through one of the ways to say the address.
Piece InstructionPieces::own_memory() {
  const std::string width = choose(random_, "{8|16|32|64}");
  const unsigned bytes = static_cast<unsigned>(std::stoi(width)) / 8;
  const unsigned count = bytes == 1 || random_.one_in(2) ? 1 : random_.one_in(2) || bytes == 8 ? 2 : 4;
  const unsigned offset = random_.below(kSlot / (bytes * count)) * bytes * count;
  struct Way {
    const char *space, *base;
    std::int64_t base_offset;
    bool writable;
  };
  static const std::vector<Way> kWays = {{".shared", "%s0", 0, true},
                                         {".shared", "%s1", 65536, true},
                                         {".shared", "%s2", -0x7ffffff0, true},
                                         {".shared", "%a4", 0, true},
                                         {"", "%a3", 0, true},
                                         {".local", "%a5", 0, true},
                                         {".local", "%s4", 128, true},
                                         {"", "%a6", 0, true},
                                         {".global", "%a7", 0, true},
                                         {"", "%a7", 0, true},
                                         {".global", "%a0", 0, false},
                                         {".const", "table", 0, false},
                                         {".shared::cta", "%s1", 65536, true},
                                         {".global", "%a8", 0x1000000, false},
                                         {".global", "%a11", -4096, true},
                                         {"", "%a11", -4096, true}};
  const Way& way = random_.of(kWays);
  const bool stores = way.writable && random_.one_in(2);
  const std::string qualifier =
      std::string(stores ? "st" : "ld") +
      ((way.space[0] == 0 || way.space[1] == 'g' || way.space[1] == 's') && random_.one_in(6) ? ".volatile"
                                                                                              : "") +
      way.space;
  const std::string at = fmt::format("[{}+{}]", way.base, way.base_offset + offset);
  std::string kind = stores ? choose(random_, "{b|u|s}") : choose(random_, "{b|u|s}");
  // A register of the width, or a wider one: loads extend, stores cut.
  const int reg_bits = std::max(bytes == 1 ? 16 : static_cast<int>(bytes) * 8, random_.one_in(3) ? 64 : 16);
  const auto reg = [&](unsigned i) {
    const unsigned n = reg_bits == 16 ? Pools::kHalves : reg_bits == 32 ? Pools::kWords : Pools::kLongs;
    const unsigned step = n / count;
    return fmt::format("%{}{}",
                       reg_bits == 16   ? 'h'
                       : reg_bits == 32 ? 'r'
                                        : 'd',
                       i * step + random_.below(step));
  };
  if (bytes * count > 16) return own_memory();
  std::string data = reg(0);
  if (count > 1) {
    for (unsigned i = 1; i < count; ++i) data += ", " + reg(i);
    data = "{" + data + "}";
  }
  const std::string op = qualifier + (count > 1 ? fmt::format(".v{}", count) : "") + "." + kind + width;
  return leaf(maybe_guard(random_) + (stores ? fmt::format("{} {}, {};\n", op, at, data)
                                             : fmt::format("{} {}, {};\n", op, data, at)));
}

// Any atomic operation on a word of the thread's own.
Piece InstructionPieces::own_atomic() {
  const bool shared = random_.one_in(2);
  static const std::vector<Form> kAtomics = {{"add.{u32|s32|u64|f32|f64}", ""},
                                             {"{min|max}.{u32|s32|u64|s64}", ""},
                                             {"{and|or|xor}.{b32|b64}", ""},
                                             {"exch.{b32|b64}", ""},
                                             {"cas.{b32|b64}", ""},
                                             {"{inc|dec}.u32", ""}};
  std::string what = choose(random_, random_.of(kAtomics).opcode);
  // The L2 hands on NaNs as they are.
  while (dialect_ == Dialect::kChip && what == "add.f64") what = choose(random_, random_.of(kAtomics).opcode);
  const Type t = type_named(what.substr(what.rfind('.') + 1));
  const unsigned bytes = static_cast<unsigned>(t.bits) / 8, offset = random_.below(kSlot / bytes) * bytes;
  const std::string at = shared ? fmt::format("[%s1+{}]", 65536 + offset) : fmt::format("[%a7+{}]", offset);
  const std::string space = shared ? ".shared." : ".global.";
  const bool returns = what[0] == 'e' || what[0] == 'c' || random_.one_in(2);
  const std::string order = choose(random_, "{||.relaxed.gpu}");
  std::string s = maybe_guard(random_) + (returns ? "atom" : "red") + order + space + what;
  s += returns ? fmt::format(" {}, {}", any_register(random_, t), at) : " " + at;
  s += ", " + any_register(random_, t);
  if (what[0] == 'c') s += ", " + any_register(random_, t);
  return leaf(s + ";\n");
}

// All threads on one cell; each cell has one operation, so that the order does not show.
Piece InstructionPieces::shared_cell() {
  static const std::vector<const char*> kCells = {"add.u32", "add.u64", "min.s32", "max.u32", "max.s64",
                                                  "and.b32", "or.b64",  "xor.b32", "min.u64", "add.s32"};
  const unsigned cell = random_.below(static_cast<unsigned>(kCells.size()) + 4);
  const std::string guard = maybe_guard(random_);
  if (cell < kCells.size()) {
    const Type t = type_named(std::string(kCells[cell]).substr(4 - (kCells[cell][2] == '.')));
    const std::string from = any_register(random_, {'u', t.bits});
    return leaf(fmt::format("{}red{}.{} [%a2+{}], {};\n", guard, choose(random_, "{.global|}"), kCells[cell],
                            8 * cell, from));
  }
  if (cell == kCells.size()) return leaf(guard + "red.global.inc.u32 [%a2+80], 0xffffffff;\n");
  if (cell == kCells.size() + 1)  // tickets come in any order; what they add up to does not
    return leaf(guard + "atom.global.add.u32 %k5, [%a2+88], 1;\n" + guard +
                "red.global.add.u32 [%a2+96], %k5;\n");
  if (cell == kCells.size() + 2) return leaf(guard + fmt::format("red.shared.add.u32 [sums], {};\n", word()));
  return leaf(guard + fmt::format("atom.shared.max.u64 %a9, [sums+8], {};\n", wide()));
}

Piece InstructionPieces::call() {
  if (functions_ == 0) return arithmetic();
  const std::string d = word(), y = wide(), x = word();
  return leaf(call_text(random_.below(functions_), x, y, d));
}

Piece InstructionPieces::const_lookup() {
  const std::string to = word();
  return leaf(
      fmt::format("and.b32 %k5, {}, 15; mul.wide.u32 %a9, %k5, 4; mov.u64 %a10, table; add.u64 %a10, %a10, "
                  "%a9; ld.const.b32 {}, [%a10];\n",
                  word(), to));
}

Piece InstructionPieces::simple() {
  switch (random_.below(24)) {
    case 0:
    case 1:
      return carry_chain();
    case 2:
      return pack_or_unpack();
    case 3:
    case 4:
      return own_memory();
    case 5:
      return own_atomic();
    case 6:
      return shared_cell();
    case 7:
      return random_.one_in(2) ? call() : const_lookup();
    case 8:
      return leaf(loads(4));
    default:
      return arithmetic();
  }
}

}  // namespace warpvp::reference
