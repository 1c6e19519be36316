// Integer arithmetic (PTX ISA 9.7.1 and 9.7.2), in 128-bit numbers.

#include <algorithm>

#include "tests/ptx_reference/scalar_ops.h"

namespace warpvp::reference {

std::uint64_t cut(std::uint64_t x, int bits) { return bits >= 64 ? x : x & ((1ull << bits) - 1); }

__int128 number_of(Type type, std::uint64_t x) {
  const __int128 low = cut(x, type.bits);
  const bool top = (x >> (type.bits - 1)) & 1;
  return type.is_signed() && top ? low - (__int128{1} << type.bits) : low;
}

std::uint64_t widened(Type type, std::uint64_t x) { return static_cast<std::uint64_t>(number_of(type, x)); }

namespace {

// The part of a full product that lo, hi or wide asks for, before anything is added.
__int128 product_part(const Opcode& op, Type t, __int128 a, __int128 b) {
  if (op.has("hi")) {
    if (t.bits == 64 && !t.is_signed())  // the product needs 128 bits and no sign
      return static_cast<std::uint64_t>(
          (static_cast<unsigned __int128>(a) * static_cast<unsigned __int128>(b)) >> 64);
    return (a * b) >> t.bits;
  }
  return static_cast<__int128>(static_cast<unsigned __int128>(a) * static_cast<unsigned __int128>(b));
}

ScalarOp carry_op(const Opcode& op, Type t) {
  const std::string name = op.name();
  const bool multiplies = name == "mad" || name == "madc";
  return [=](const Sources& in, Results& out) {
    const bool uses = name == "addc" || name == "subc" || name == "madc";
    const std::uint64_t a = cut(in.s[0], t.bits), b = cut(in.s[1], t.bits), c = cut(in.s[2], t.bits);
    unsigned __int128 sum = 0;
    if (multiplies) {
      const auto part = static_cast<std::uint64_t>(product_part(op, t, number_of(t, a), number_of(t, b)));
      sum = static_cast<unsigned __int128>(cut(part, t.bits)) + c + (uses && in.carry);
    } else if (name[0] == 'a') {
      sum = static_cast<unsigned __int128>(a) + b + (uses && in.carry);
    } else {  // a subtraction adds the complement; the flag means "no borrow"
      sum = static_cast<unsigned __int128>(a) + cut(~b, t.bits) + (uses ? in.carry : true);
    }
    out.d = cut(static_cast<std::uint64_t>(sum), t.bits);
    out.carry = ((sum >> t.bits) & 1) != 0;
  };
}

// Both halves of a 32-bit register on their own.
ScalarOp packed_op(const Opcode& op, Type t) {
  return [=](const Sources& in, Results& out) {
    out.d = 0;
    for (const int at : {0, 16}) {
      const __int128 a = number_of(t, in.s[0] >> at), b = number_of(t, in.s[1] >> at);
      __int128 r = op.name() == "add" ? a + b : op.name() == "min" ? std::min(a, b) : std::max(a, b);
      if (op.has("relu")) r = std::max<__int128>(r, 0);
      out.d |= cut(static_cast<std::uint64_t>(r), 16) << at;
    }
  };
}

}  // namespace

ScalarOp integer_op(const Opcode& op) {
  const std::string name = op.name();
  const auto types = op.types();
  if (types.empty() || types[0].is_float() || types[0].kind == 'b' || types[0].kind == 'p') return {};
  const Type t = types[0];
  if (t.packed) {
    if (name == "add" || name == "min" || name == "max") return packed_op(op, t);
    return {};
  }
  if (name == "addc" || name == "subc" || name == "madc" || op.has("cc")) return carry_op(op, t);
  const Type wide{t.kind, t.bits * 2};
  const auto number = [=](const Sources& in, int i) { return number_of(t, in.s[i]); };
  const auto finish = [=](__int128 r) {
    if (op.has("sat")) r = std::clamp(r, least(t), greatest(t));
    return static_cast<std::uint64_t>(r);
  };
  const auto binary = [=](auto f) -> ScalarOp {
    return [=](const Sources& in, Results& out) {
      out.d = widened(t, finish(f(number(in, 0), number(in, 1), number(in, 2))));
    };
  };
  using I = __int128;
  if (name == "add") return binary([](I a, I b, I) { return a + b; });
  if (name == "sub") return binary([](I a, I b, I) { return a - b; });
  if (name == "neg") return binary([](I a, I, I) { return -a; });
  if (name == "abs") return binary([](I a, I, I) { return a < 0 ? -a : a; });
  if (name == "min" || name == "max") {
    return binary([=](I a, I b, I) {
      const I r = name == "min" ? std::min(a, b) : std::max(a, b);
      return op.has("relu") ? std::max<I>(r, 0) : r;
    });
  }
  if (name == "sad") return binary([](I a, I b, I c) { return c + (a < b ? b - a : a - b); });
  if (name == "div" || name == "rem") {
    // Division by zero is the implementation's choice (docs/ptx.md): all ones.
    return binary([=](I a, I b, I) -> I {
      if (b == 0) return -1;
      return name == "div" ? a / b : a % b;
    });
  }
  if (name == "mul" || name == "mad") {
    const bool has_addend = name == "mad";
    return [=](const Sources& in, Results& out) {
      I r = product_part(op, t, number(in, 0), number(in, 1));
      if (op.has("wide")) {
        if (has_addend) r += number_of(wide, in.s[2]);
        out.d = cut(static_cast<std::uint64_t>(r), wide.bits);
        return;
      }
      // A product of 64 bits may need all 128.
      using Bits = unsigned __int128;
      if (has_addend) r = static_cast<I>(static_cast<Bits>(r) + static_cast<Bits>(number(in, 2)));
      out.d = widened(t, finish(r));
    };
  }
  if (name == "mul24" || name == "mad24") {
    const Type narrow{t.kind, 24};
    return [=](const Sources& in, Results& out) {
      const I full = number_of(narrow, in.s[0]) * number_of(narrow, in.s[1]);
      I r = op.has("hi") ? number_of(t, static_cast<std::uint64_t>(full >> 16))
                         : number_of(t, static_cast<std::uint64_t>(full));
      if (name == "mad24") r += number(in, 2);
      out.d = widened(t, finish(r));
    };
  }
  if (name == "dp4a" || name == "dp2a") {
    const Type ta = types[0], tb = types[1];
    const int elements = name == "dp4a" ? 4 : 2, bits = 32 / elements;
    const int first = op.has("hi") ? 2 : 0;
    return [=](const Sources& in, Results& out) {
      I sum = static_cast<I>(in.s[2]);
      for (int i = 0; i < elements; ++i) {
        sum += number_of({ta.kind, bits}, in.s[0] >> (bits * i)) *
               number_of({tb.kind, 8}, in.s[1] >> (8 * (i + first)));
      }
      out.d = cut(static_cast<std::uint64_t>(sum), 32);
    };
  }
  return {};
}

}  // namespace warpvp::reference
