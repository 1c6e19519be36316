#include "tests/ptx_reference/registers.h"

#include <fmt/format.h>

#include <sstream>

namespace warpvp::reference {

const char* Pools::declarations() {
  return ".reg .b16 %h<8>; .reg .b32 %r<12>; .reg .b64 %d<8>; .reg .f32 %f<8>; .reg .f64 %g<6>; .reg .pred "
         "%p<6>;\n";
}

void for_each_input(const std::function<void(const InputRegister&)>& visit) {
  unsigned at = 0;
  const auto pool = [&](const char* type, char name, unsigned count, unsigned bytes) {
    for (unsigned i = 0; i < count; ++i, at += bytes) visit({type, fmt::format("%{}{}", name, i), at, bytes});
  };
  pool("b64", 'd', Pools::kLongs, 8);
  pool("f64", 'g', Pools::kDoubles, 8);
  pool("b32", 'r', Pools::kWords, 4);
  pool("f32", 'f', Pools::kFloats, 4);
  pool("b16", 'h', Pools::kHalves, 2);
}

std::string load_of(const InputRegister& r, const char* base) {
  return fmt::format("ld.global.{} {}, [{}+{}];\n", r.type, r.name, base, r.offset);
}

std::string first_predicate(unsigned i) { return fmt::format("setp.gt.s32 %p{}, %r{}, {};\n", i, i, 10 * i); }

std::string load_all_registers(const char* base) {
  std::string s;
  for_each_input([&](const InputRegister& r) { s += load_of(r, base); });
  for (unsigned i = 0; i < Pools::kPredicates; ++i) s += first_predicate(i);
  return s;
}

std::string any_predicate(Random& random) { return fmt::format("%p{}", random.below(Pools::kPredicates)); }

std::string any_register(Random& random, Type type) {
  if (type.kind == 'p') return any_predicate(random);
  if (type.bits == 16 && !type.packed) return fmt::format("%h{}", random.below(Pools::kHalves));
  const bool odd =
      type.kind != 'u' && type.kind != 's' && random.one_in(8);  // floats in .b32 and the other way round
  if (type.bits == 64)
    return type.is_float() != odd ? fmt::format("%g{}", random.below(Pools::kDoubles))
                                  : fmt::format("%d{}", random.below(Pools::kLongs));
  return type.is_float() != odd ? fmt::format("%f{}", random.below(Pools::kFloats))
                                : fmt::format("%r{}", random.below(Pools::kWords));
}

std::string constant(Random& random, Type type) {
  if (type.is_float() && type.bits == 32) return fmt::format("0f{:08X}", random.real(32));
  if (type.is_float()) return fmt::format("0d{:016X}", random.real(64));
  const std::uint64_t v = random.integer(type.bits);
  if (!type.is_signed()) return fmt::format("{:#x}", v);
  const int unused = 64 - type.bits;
  return fmt::format("{}", static_cast<std::int64_t>(v << unused) >> unused);
}

namespace {

// A register at least as wide as an integer type.
std::string wide_register(Random& random, Type type) {
  std::vector<int> widths;
  for (const int w : {16, 32, 64})
    if (w >= type.bits) widths.push_back(w);
  return any_register(random, {'u', random.of(widths)});
}

std::string selector(Random& random, bool always) {
  if (always) return choose(random, "{.b0|.b1|.b2|.b3|.h0|.h1}");
  return choose(random, "{||.b0|.b1|.b2|.b3|.h0|.h1}");
}

std::string elements(Random& random, bool bytes, bool destination) {
  if (random.one_in(3)) return "";
  if (destination)
    return bytes ? choose(random, "{.b0|.b2|.b10|.b31|.b320|.b3210}") : choose(random, "{.h0|.h1|.h10}");
  std::string s = bytes ? ".b" : ".h";
  for (int i = 0; i < (bytes ? 4 : 2); ++i) s += static_cast<char>('0' + random.below(bytes ? 8 : 4));
  return s;
}

std::string operand(Random& random, const Opcode& op, char letter, bool destination, bool always) {
  const auto types = op.types();
  const Type first = types.empty() ? Type{'b', 32} : types.front(),
             last = types.empty() ? first : types.back();
  const Type word{'u', 32};
  const auto plain = [&](Type t) {
    return !destination && t.kind != 'p' && random.one_in(7) ? constant(random, t) : any_register(random, t);
  };
  const bool bytes = op.name().back() == '4';
  switch (letter) {
    case 'T':
      return first.packed ? any_register(random, word) : plain(first);
    case 'S':
      return op.name() == "cvt" ? any_register(random, last) : plain(last);
    case 'W':
      return plain({first.kind, first.bits * 2});
    case 'R':
      return first.is_float() ? any_register(random, first) : wide_register(random, first);
    case 'Z':
      return last.is_float() ? any_register(random, last) : wide_register(random, last);
    case 'w':
      return !destination && random.one_in(3) ? std::to_string(random.below(70)) : any_register(random, word);
    case 'c':
      return any_register(random, word);
    case 'l':
      return std::to_string(random.below(32));
    case 'p': {
      const std::string p = any_predicate(random);
      return (!destination && random.one_in(3) && op.name() != "not" ? "!" : "") + p;
    }
    case 'x':
      return plain({'b', 64});
    case 'v': {
      const std::string part = selector(random, always);
      return any_register(random, word) + part;
    }
    case 'q': {
      const std::string part = elements(random, bytes, destination);
      return any_register(random, word) + part;
    }
    default:
      return std::to_string(random.below(256));
  }
}

}  // namespace

std::string instruction(Random& random, const Form& form) {
  const std::string opcode = choose(random, form.opcode);
  return instruction(random, opcode, form.operands);
}

std::string instruction(Random& random, const std::string& opcode, const char* operands) {
  Opcode op;
  std::stringstream parts(opcode);
  for (std::string part; std::getline(parts, part, '.');) op.parts.push_back(part);
  std::stringstream classes(operands);
  std::string text = opcode, before = " ";
  for (std::string c; classes >> c; before = ", ") {
    text += before + operand(random, op, c[1], c[0] == 'd', c.back() == '!');
    if (c.find("|p") != std::string::npos &&
        (c.back() == '!' || random.one_in(2))) {  // a second destination: another predicate than the first
      std::string second = any_predicate(random);
      while (text.size() >= second.size() &&
             text.compare(text.size() - second.size(), second.size(), second) == 0)
        second = any_predicate(random);
      text += "|" + second;
    }
  }
  return text + ";";
}

bool has_nan_constant(const std::string& instruction) {
  for (std::size_t at = 0; (at = instruction.find(" 0", at)) != std::string::npos; ++at) {
    const char kind = instruction[at + 2];
    if (kind != 'f' && kind != 'd') continue;
    const std::uint64_t v = std::stoull(instruction.substr(at + 3), nullptr, 16);
    if (kind == 'f' ? (v & 0x7fffffff) > 0x7f800000 : (v & 0x7fffffffffffffff) > 0x7ff0000000000000)
      return true;
  }
  return false;
}

std::string maybe_guard(Random& random) {
  if (!random.one_in(6)) return "";
  const std::string p = any_predicate(random);
  return (random.one_in(2) ? "@!" : "@") + p + " ";
}

}  // namespace warpvp::reference
