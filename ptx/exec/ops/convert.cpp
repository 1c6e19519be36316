// cvt (PTX ISA 9.7.9.21). Directed rounding of f64 to f32 is in rounded.cpp.

#include "ptx/exec/ops/any_width.h"
#include "ptx/exec/ops/float_ops.h"

namespace warpvp::ptx::WARPVP_EXEC_LEVEL {
namespace {

// aux of the general forms below.
struct ConvertAux {
  u8 to, from, rounding, flags;
};
constexpr u8 kFtz = 1, kSat = 2;

template <class D, class S>
void integers(const Inst& inst, Warp& w, LaneMask active) {
  map1<D, S>(inst, w, active, [](S v) { return static_cast<D>(v); });
}

ConvertAux unpack(u64 aux) {
  return {static_cast<u8>(aux), static_cast<u8>(aux >> 8), static_cast<u8>(aux >> 16),
          static_cast<u8>(aux >> 24)};
}
u64 pack(const Modifiers& m) {
  return static_cast<u64>(m.type) | static_cast<u64>(m.src_type) << 8 | static_cast<u64>(m.rounding) << 16 |
         static_cast<u64>((m.ftz ? kFtz : 0) | (m.sat ? kSat : 0)) << 24;
}

/// Integer to integer with .sat, or with registers wider than their type.
void integers_any(const Inst& inst, Warp& w, LaneMask active) {
  const ConvertAux x = unpack(inst.aux);
  const Type to = static_cast<Type>(x.to), from = static_cast<Type>(x.from);
  const unsigned bits = bits_of(to);
  u64 v[kWarpSize];
  load_any(v, inst, w, bits_of(from), signed_type(from));
  for (u64& e : v) {
    if ((x.flags & kSat) != 0) {
      const u64 max =
          signed_type(to) ? (u64{1} << (bits - 1)) - 1 : (bits == 64 ? ~u64{0} : (u64{1} << bits) - 1);
      const bool negative = signed_type(from) && static_cast<s64>(e) < 0;
      if (negative) {
        const s64 min = signed_type(to) ? -static_cast<s64>(max) - 1 : 0;
        if (static_cast<s64>(e) < min) e = static_cast<u64>(min);
      } else if (e > max) {
        e = max;
      }
    }
    e = extend(e, bits, signed_type(to));
  }
  store_any(v, inst, w, active);
}

/// Float to integer: rounded, clamped to the destination's range. NaN gives 0 when neither side has 64 bits,
/// else the value with only the top bit set.
template <class D, class S, Rounding r, bool ftz>
struct ToInteger {
  D operator()(S v) const {
    constexpr int bits = 8 * static_cast<int>(sizeof(D));
    constexpr S high = std::is_signed_v<D> ? S(u64{1} << (bits - 1)) : S(u64{1} << (bits - 1)) * S(2);
    constexpr S low = std::is_signed_v<D> ? -high : S(0);
    constexpr D max = static_cast<D>(std::is_signed_v<D> ? (u64{1} << (bits - 1)) - 1 : ~u64{0});
    constexpr D min = static_cast<D>(std::is_signed_v<D> ? ~((u64{1} << (bits - 1)) - 1) : 0);
    constexpr D nan = static_cast<D>(sizeof(S) == 8 || sizeof(D) == 8 ? u64{1} << (bits - 1) : 0);
    const S x = integral(r, flush<ftz>(v));
    const bool inside = (x >= low) & (x < high);
    const S safe = inside ? x : S(0);
    // Narrow types go through 32 bits, which the host converts directly.
    using Via = std::conditional_t<sizeof(D) == 8, D, std::conditional_t<sizeof(D) == 4, D, s32>>;
    const D converted = static_cast<D>(static_cast<Via>(safe));
    const D outside = x >= high ? max : x < low ? min : nan;
    return inside ? converted : outside;
  }
};

/// The same into a 64-bit register: extended as the narrower type says.
template <class D, class S, Rounding r, bool ftz>
struct ToWideRegister {
  using Wide = std::conditional_t<std::is_signed_v<D>, s64, u64>;
  Wide operator()(S v) const { return ToInteger<D, S, r, ftz>{}(v); }
};
template <class D, class S, Rounding r, bool ftz>
ExecFn to_integer_function(bool wide) {
  using Wide = std::conditional_t<std::is_signed_v<D>, s64, u64>;
  if constexpr (sizeof(D) < 8) {
    if (wide) return &unary<ToWideRegister<D, S, r, ftz>, Wide, S>;
  }
  return &unary<ToInteger<D, S, r, ftz>, D, S>;
}

template <class D, class S, bool ftz>
ExecFn to_integer_rounded(Rounding r, bool wide) {
  switch (r) {
    case Rounding::rni:
      return to_integer_function<D, S, Rounding::rni, ftz>(wide);
    case Rounding::rzi:
      return to_integer_function<D, S, Rounding::rzi, ftz>(wide);
    case Rounding::rmi:
      return to_integer_function<D, S, Rounding::rmi, ftz>(wide);
    case Rounding::rpi:
      return to_integer_function<D, S, Rounding::rpi, ftz>(wide);
    default:
      return nullptr;
  }
}
template <class D>
ExecFn to_integer_of(const Inst& inst, const Modifiers& m) {
  const bool wide = dst_wide(inst);
  if (m.src_type == Type::f32) {
    return m.ftz ? to_integer_rounded<D, float, true>(m.rounding, wide)
                 : to_integer_rounded<D, float, false>(m.rounding, wide);
  }
  return m.ftz ? nullptr : to_integer_rounded<D, double, false>(m.rounding, wide);
}

/// The integer `sign` * `magnitude` as a float of type T, rounded in the given direction, by integer
/// arithmetic.
template <class T>
T round_integer(u64 magnitude, bool negative, Rounding r) {
  using B = FloatBits<T>;
  constexpr int fraction_bits = std::is_same_v<T, float> ? 23 : 52;
  constexpr int bias = std::is_same_v<T, float> ? 127 : 1023;
  if (magnitude == 0) return T(0);
  const int top = 63 - __builtin_clzll(magnitude);
  u64 significand = 0;
  if (top <= fraction_bits) {
    significand = magnitude << (fraction_bits - top);
  } else {
    const int drop = top - fraction_bits;
    significand = magnitude >> drop;
    const u64 rest = magnitude & ((u64{1} << drop) - 1), half = u64{1} << (drop - 1);
    bool up = false;
    if (r == Rounding::rn) up = rest > half || (rest == half && (significand & 1) != 0);
    if (r == Rounding::rm) up = negative && rest != 0;
    if (r == Rounding::rp) up = !negative && rest != 0;
    significand += up ? 1 : 0;
  }
  // A carry out of the significand raises the exponent by itself.
  const u64 bits = (static_cast<u64>(top + bias - 1) << fraction_bits) + significand;
  return from_bits<T>(static_cast<typename B::U>(bits) | (negative ? B::kSign : 0));
}

/// Integer to float: any types, direction and register widths.
template <class T>
void to_float_any(const Inst& inst, Warp& w, LaneMask active) {
  const ConvertAux x = unpack(inst.aux);
  const Type from = static_cast<Type>(x.from);
  u64 v[kWarpSize];
  load_any(v, inst, w, bits_of(from), signed_type(from));
  with_destination<T, false>(inst, w, active, [&](Cell<T>* o) {
    for (unsigned i = 0; i < kWarpSize; ++i) {
      const bool negative = signed_type(from) && static_cast<s64>(v[i]) < 0;
      const T f = round_integer<T>(negative ? 0 - v[i] : v[i], negative, static_cast<Rounding>(x.rounding));
      o[i] = put<T>((x.flags & kSat) != 0 ? saturate<true>(f) : f);
    }
  });
}
/// What the host converts directly: where the float holds every such integer, and to nearest.
template <class T, class S>
struct ToFloat {
  T operator()(S v) const { return static_cast<T>(v); }
};

/// Float to a float of the same type: to an integral value, or unchanged but for .ftz and .sat.
template <class T, Rounding r, bool ftz, bool sat>
struct SameFloat {
  T operator()(T v) const {
    const T x = flush<ftz>(v);
    return finish<ftz, sat>(settled(r == Rounding::kNone ? x : integral(r, x), v));
  }
};
template <class T, bool ftz, bool sat>
ExecFn same_float_rounded(Rounding r) {
  switch (r) {
    case Rounding::kNone:
      return &unary<SameFloat<T, Rounding::kNone, ftz, sat>, T>;
    case Rounding::rni:
      return &unary<SameFloat<T, Rounding::rni, ftz, sat>, T>;
    case Rounding::rzi:
      return &unary<SameFloat<T, Rounding::rzi, ftz, sat>, T>;
    case Rounding::rmi:
      return &unary<SameFloat<T, Rounding::rmi, ftz, sat>, T>;
    case Rounding::rpi:
      return &unary<SameFloat<T, Rounding::rpi, ftz, sat>, T>;
    default:
      return nullptr;
  }
}
template <bool ftz, bool sat>
struct Widen {
  double operator()(float v) const {
    // What flushes is an addition in single precision, which has one NaN.
    if (is_nan(v)) return saturate<sat>(widened_nan(ftz ? canonical(v) : v));
    return saturate<sat>(static_cast<double>(flush<ftz>(v)));
  }
};
template <bool ftz, bool sat>
struct Narrow {
  float operator()(double v) const {
    return finish<ftz, sat>(is_nan(v) ? narrowed_nan(v) : static_cast<float>(v));
  }
};

ExecFn select_float_to_float(const Modifiers& m) {
  const unsigned flags = (m.ftz ? kFtz : 0) | (m.sat ? kSat : 0);
  if (m.type == Type::f32 && m.src_type == Type::f32) {
    switch (flags) {
      case 0:
        return same_float_rounded<float, false, false>(m.rounding);
      case kFtz:
        return same_float_rounded<float, true, false>(m.rounding);
      case kSat:
        return same_float_rounded<float, false, true>(m.rounding);
      default:
        return same_float_rounded<float, true, true>(m.rounding);
    }
  }
  if (m.type == Type::f64 && m.src_type == Type::f64) {
    if (m.ftz) return nullptr;
    return m.sat ? same_float_rounded<double, false, true>(m.rounding)
                 : same_float_rounded<double, false, false>(m.rounding);
  }
  if (m.type == Type::f64) {
    if (m.rounding != Rounding::kNone) return nullptr;
    static constexpr ExecFn kTable[4] = {
        &unary<Widen<false, false>, double, float>, &unary<Widen<true, false>, double, float>,
        &unary<Widen<false, true>, double, float>, &unary<Widen<true, true>, double, float>};
    return kTable[flags];
  }
  if (m.rounding != Rounding::rn) return nullptr;
  static constexpr ExecFn kTable[4] = {
      &unary<Narrow<false, false>, float, double>, &unary<Narrow<true, false>, float, double>,
      &unary<Narrow<false, true>, float, double>, &unary<Narrow<true, true>, float, double>};
  return kTable[flags];
}

ExecFn select_to_integer(const Inst& inst, const Modifiers& m) {
  switch (m.type) {
    case Type::u8:
      return to_integer_of<u8>(inst, m);
    case Type::u16:
      return to_integer_of<u16>(inst, m);
    case Type::u32:
      return to_integer_of<u32>(inst, m);
    case Type::u64:
      return to_integer_of<u64>(inst, m);
    case Type::s8:
      return to_integer_of<s8>(inst, m);
    case Type::s16:
      return to_integer_of<s16>(inst, m);
    case Type::s32:
      return to_integer_of<s32>(inst, m);
    case Type::s64:
      return to_integer_of<s64>(inst, m);
    default:
      return nullptr;
  }
}

template <class T>
ExecFn select_to_float(const Inst& inst, const Modifiers& m) {
  if (m.rounding != Rounding::rn && m.rounding != Rounding::rz && m.rounding != Rounding::rm &&
      m.rounding != Rounding::rp) {
    return nullptr;
  }
  if (!m.sat && src_wide(inst, 0)) {
    if (m.rounding == Rounding::rn && m.src_type == Type::s64) return &unary<ToFloat<T, s64>, T, s64>;
    if (m.rounding == Rounding::rn && m.src_type == Type::u64) return &unary<ToFloat<T, u64>, T, u64>;
  } else if (!m.sat) {
    switch (m.src_type) {
      case Type::u8:
        return &unary<ToFloat<T, u8>, T, u8>;
      case Type::s8:
        return &unary<ToFloat<T, s8>, T, s8>;
      case Type::u16:
        return &unary<ToFloat<T, u16>, T, u16>;
      case Type::s16:
        return &unary<ToFloat<T, s16>, T, s16>;
      case Type::s32:
        if (sizeof(T) == 8 || m.rounding == Rounding::rn) return &unary<ToFloat<T, s32>, T, s32>;
        break;
      case Type::u32:
        if (sizeof(T) == 8 || m.rounding == Rounding::rn) return &unary<ToFloat<T, u32>, T, u32>;
        break;
      default:
        break;
    }
  }
  return &to_float_any<T>;
}

/// cvt.pack: a and b saturated to a narrow type, side by side, above them (widths of 8 and less) the low bits
/// of c. aux: the width; bit 8: signed.
template <bool has_third>
void pack_saturated(const Inst& inst, Warp& w, LaneMask active) {
  const unsigned bits = inst.aux & 0xff;
  const bool is_signed = (inst.aux >> 8) != 0;
  const s32 high = static_cast<s32>((1u << (is_signed ? bits - 1 : bits)) - 1),
            low = is_signed ? -high - 1 : 0;
  const u32 keep = (1u << bits) - 1;
  const auto narrow = [=](s32 v) {
    v = v < low ? low : v;
    return static_cast<u32>(v > high ? high : v) & keep;
  };
  if constexpr (has_third) {
    map3<u32, s32, s32, u32>(inst, w, active, [=](s32 a, s32 b, u32 c) {
      return c << (2 * bits) | narrow(a) << bits | narrow(b);
    });
  } else {
    map2<u32, s32, s32>(inst, w, active, [=](s32 a, s32 b) { return narrow(a) << bits | narrow(b); });
  }
}
ExecFn select_pack(Inst& inst, const Modifiers& m) {
  inst.aux = m.pack_bits | (m.pack_signed ? 0x100u : 0u);
  if (m.pack_bits == 16) return &pack_saturated<false>;
  return m.pack_bits == 2 || m.pack_bits == 4 || m.pack_bits == 8 ? &pack_saturated<true> : nullptr;
}

template <class D>
ExecFn integers_from(Type from) {
  switch (from) {
    case Type::u8:
      return &integers<D, u8>;
    case Type::u16:
      return &integers<D, u16>;
    case Type::u32:
      return &integers<D, u32>;
    case Type::u64:
      return &integers<D, u64>;
    case Type::s8:
      return &integers<D, s8>;
    case Type::s16:
      return &integers<D, s16>;
    case Type::s32:
      return &integers<D, s32>;
    case Type::s64:
      return &integers<D, s64>;
    default:
      return nullptr;
  }
}
ExecFn select_integers(Type to, Type from) {
  switch (to) {
    case Type::u8:
      return integers_from<u8>(from);
    case Type::u16:
      return integers_from<u16>(from);
    case Type::u32:
      return integers_from<u32>(from);
    case Type::u64:
      return integers_from<u64>(from);
    case Type::s8:
      return integers_from<s8>(from);
    case Type::s16:
      return integers_from<s16>(from);
    case Type::s32:
      return integers_from<s32>(from);
    case Type::s64:
      return integers_from<s64>(from);
    default:
      return nullptr;
  }
}

}  // namespace

ExecFn select_convert(Inst& inst, const Modifiers& m) {
  if (inst.opcode == Opcode::cvt_pack) return select_pack(inst, m);
  if (m.relu) return nullptr;
  const bool to_int = integer_type(m.type), from_int = integer_type(m.src_type);
  const bool to_float = m.type == Type::f32 || m.type == Type::f64;
  const bool from_float = m.src_type == Type::f32 || m.src_type == Type::f64;
  if ((!to_int && !to_float) || (!from_int && !from_float)) return nullptr;
  if (m.ftz && m.type != Type::f32 && m.src_type != Type::f32) return nullptr;
  inst.aux = pack(m);
  const bool dst_relaxed = dst_wide(inst) != (bits_of(m.type) == 64);
  const bool src_relaxed = src_wide(inst, 0) != (bits_of(m.src_type) == 64);
  if (to_int && from_int) {
    if (m.rounding != Rounding::kNone || m.ftz) return nullptr;
    if (m.sat || dst_relaxed || src_relaxed) return &integers_any;
    return select_integers(m.type, m.src_type);
  }
  // Floats have registers of exactly their width.
  if (to_int) return src_relaxed ? nullptr : select_to_integer(inst, m);
  if (dst_relaxed) return nullptr;
  if (from_int)
    return m.type == Type::f32 ? select_to_float<float>(inst, m) : select_to_float<double>(inst, m);
  return src_relaxed ? nullptr : select_float_to_float(m);
}

}  // namespace warpvp::ptx::WARPVP_EXEC_LEVEL
