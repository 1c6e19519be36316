// Conversions (PTX ISA 9.7.9, cvt and cvt.pack).

#include <algorithm>

#include "tests/ptx_reference/scalar_ops.h"
#include "tests/ptx_reference/soft_float.h"

namespace warpvp::reference {
namespace {

Format format_of(Type t) { return t.bits == 32 ? kF32 : kF64; }

Round conversion_rounding(const Opcode& op) {
  if (op.has("rz") || op.has("rzi")) return Round::kZero;
  if (op.has("rm") || op.has("rmi")) return Round::kDown;
  if (op.has("rp") || op.has("rpi")) return Round::kUp;
  return Round::kNearestEven;
}

ScalarOp pack_op(const Opcode& op) {
  const auto types = op.types();  // to, from, and the rest's type where it has one
  const Type to = types[0], from = types[1];
  return [=](const Sources& in, Results& out) {
    const auto part = [&](int i) {
      const __int128 v = number_of(from, in.s[i]);
      return cut(static_cast<std::uint64_t>(std::clamp(v, least(to), greatest(to))), to.bits);
    };
    out.d = part(0) << to.bits | part(1);
    if (to.bits < 16) out.d |= in.s[2] << (2 * to.bits);
    out.d = cut(out.d, 32);
  };
}

// A NaN in another format: its sign, the quiet bit, and as much of the payload as there is room for.
std::uint64_t converted_nan(Format from, Format to, std::uint64_t a) {
  const std::uint64_t payload = a & ((1ull << from.fraction) - 1);
  const int shift = to.fraction - from.fraction;
  return ((a & from.sign_bit()) != 0 ? to.sign_bit() : 0) | to.infinity() | 1ull << (to.fraction - 1) |
         (shift >= 0 ? payload << shift : payload >> -shift);
}

// To a float from an exact value: rounded, saturated, flushed.
std::uint64_t to_float(const Opcode& op, Type to, const Real& value) {
  const Format f = format_of(to);
  if (op.has("sat")) {
    const Real one = Real::integer(false, 1);
    if (value.is_nan() || compare(value, Real::zero(false)) <= 0) return 0;
    if (compare(value, one) >= 0) return pack(f, one, Round::kZero);
  }
  const std::uint64_t d = pack(f, value, conversion_rounding(op));
  return op.has("ftz") && to.bits == 32 ? flush(f, d) : d;
}

}  // namespace

ScalarOp convert_op(const Opcode& op) {
  if (op.name() != "cvt") return {};
  if (op.has("pack")) return pack_op(op);
  const auto types = op.types();
  const Type to = types[0], from = types[1];
  const bool to_integer = op.has("rni") || op.has("rzi") || op.has("rmi") || op.has("rpi");
  const auto float_source = [=](std::uint64_t a) {
    const std::uint64_t x = cut(a, from.bits);
    return unpack(format_of(from), op.has("ftz") && from.bits == 32 ? flush(kF32, x) : x);
  };
  if (from.is_float() && to.is_float()) {
    return [=](const Sources& in, Results& out) {
      Real value = float_source(in.s[0]);
      const Format f = format_of(from), t = format_of(to);
      const std::uint64_t a = cut(in.s[0], from.bits);
      if (value.is_nan() && !op.has("sat")) {
        const bool is_single = from.bits == 32 && (to.bits == 32 || op.has("ftz"));
        out.d = converted_nan(f, t, is_single ? f.canonical_nan() : a);
        return;
      }
      if (to_integer) value = round_to_integer(value, conversion_rounding(op));
      out.d = to_float(op, to, value);
    };
  }
  if (from.is_float()) {
    return [=](const Sources& in, Results& out) {
      const Real value = float_source(in.s[0]);
      if (value.is_nan()) {
        const bool wide = from.bits == 64 || to.bits == 64;
        out.d = wide ? widened(to, 1ull << (to.bits - 1)) : 0;
        return;
      }
      out.d = static_cast<std::uint64_t>(
          clamp_to_integer(round_to_integer(value, conversion_rounding(op)), least(to), greatest(to)));
    };
  }
  if (to.is_float()) {
    return [=](const Sources& in, Results& out) {
      const __int128 n = number_of(from, in.s[0]);
      out.d = to_float(op, to, Real::integer(n < 0, static_cast<std::uint64_t>(n < 0 ? -n : n)));
    };
  }
  return [=](const Sources& in, Results& out) {
    const __int128 n = number_of(from, in.s[0]);
    out.d =
        widened(to, static_cast<std::uint64_t>(op.has("sat") ? std::clamp(n, least(to), greatest(to)) : n));
  };
}

}  // namespace warpvp::reference
