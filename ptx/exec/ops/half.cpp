// Half precision: f16, bf16 and two of them in a register (PTX ISA 9.7.4, 9.7.8 and cvt), and the conversions
// to tf32 and 8-bit floats. Each result is rounded once. A NaN is 0x7fff whatever the operands were,
// but where conversions keep it; what else PTX leaves open is in docs/ptx.md.

#include "ptx/exec/ops/any_width.h"
#include "ptx/exec/ops/comparisons.h"
#include "ptx/exec/ops/small_floats.h"

namespace warpvp::ptx::WARPVP_EXEC_LEVEL {
namespace {

// Of Inst::aux.
constexpr u64 kFtz = 1, kSat = 2, kRelu = 4, kNanWins = 8, kXorSign = 16;
u64 flags_of(const Modifiers& m) {
  return (m.ftz ? kFtz : 0) | (m.sat ? kSat : 0) | (m.relu ? kRelu : 0) | (m.nan ? kNanWins : 0) |
         (m.xor_sign_abs ? kXorSign : 0);
}

template <class H>
WARPVP_INLINE u32 in(u32 v, u64 flags) {
  return (flags & kFtz) != 0 ? H::flush(v) : v;
}
/// The result that `v` is, rounded once, with the instruction's modifiers.
template <class H, class W>
WARPVP_INLINE u32 out(W v, u64 flags) {
  u32 r = H::nearest(v);
  r = (flags & kFtz) != 0 ? H::flush(r) : r;
  const bool nan = v != v, negative = (r & H::kSign) != 0;
  const u32 saturated = nan || negative ? 0 : r > H::kOne ? H::kOne : r;
  r = (flags & kSat) != 0 ? saturated : r;
  return (flags & kRelu) != 0 && !nan && negative ? 0 : r;
}

template <class H>
WARPVP_INLINE typename H::Wide wide(u32 v, u64 flags) {
  return H::template widen<typename H::Wide>(in<H>(v, flags));
}
struct Add {
  template <class W>
  static WARPVP_INLINE W of(W a, W b) {
    return sum_to_odd(a, b);
  }
};
struct Sub {
  template <class W>
  static WARPVP_INLINE W of(W a, W b) {
    return sum_to_odd(a, -b);
  }
};
struct Mul {
  template <class W>
  static WARPVP_INLINE W of(W a, W b) {
    return a * b;
  }
};

template <class H, class Op>
struct Binary {
  static WARPVP_INLINE u32 of(u32 a, u32 b, u64 flags) {
    return out<H>(Op::of(wide<H>(a, flags), wide<H>(b, flags)), flags);
  }
};
template <class H>
struct Fma {
  static WARPVP_INLINE u32 of(u32 a, u32 b, u32 c, u64 flags) {
    return out<H>(sum_to_odd(wide<H>(a, flags) * wide<H>(b, flags), wide<H>(c, flags)), flags);
  }
};
template <class H, bool is_max>
struct MinMax {
  static WARPVP_INLINE u32 of(u32 a, u32 b, u64 flags) {
    a = in<H>(a, flags);
    b = in<H>(b, flags);
    const bool by_magnitude = (flags & kXorSign) != 0;
    const u32 sign = (a ^ b) & H::kSign;
    a = by_magnitude ? a & ~H::kSign : a;
    b = by_magnitude ? b & ~H::kSign : b;
    // Numbers in the order of integers, -0 below +0.
    const auto key = [](u32 v) {
      const s32 magnitude = static_cast<s32>(v & (H::kSign - 1));
      return (v & H::kSign) != 0 ? -magnitude - 1 : magnitude;
    };
    const bool nan_a = H::is_nan(a), nan_b = H::is_nan(b);
    const u32 ordered = (key(a) < key(b)) != is_max ? a : b;
    const bool nan = (flags & kNanWins) != 0 ? nan_a || nan_b : nan_a && nan_b;
    const u32 r = nan_a ? b : nan_b ? a : ordered;
    return nan ? H::kNan : by_magnitude ? r | sign : r;
  }
};
template <class H>
struct Abs {
  static WARPVP_INLINE u32 of(u32 a, u64 flags) {
    return H::is_nan(a) ? H::kNan : in<H>(a, flags) & ~H::kSign;
  }
};
template <class H>
struct Neg {
  static WARPVP_INLINE u32 of(u32 a, u64 flags) {
    return H::is_nan(a) ? H::kNan : in<H>(a, flags) ^ H::kSign;
  }
};
template <class H, double (*function)(double)>
struct Function {
  static u32 of(u32 a, u64 flags) { return out<H>(function(H::widen(in<H>(a, flags))), flags); }
};
double exp2_of(double v) { return std::exp2(v); }
double tanh_of(double v) { return std::tanh(v); }

// ---- one or two of them in a register

template <class F>
void one(const Inst& inst, Warp& w, LaneMask active) {
  map1<u32, u32>(inst, w, active, [f = inst.aux](u32 a) { return F::of(a & 0xffff, f); });
}
template <class F>
void two(const Inst& inst, Warp& w, LaneMask active) {
  map1<u32, u32>(inst, w, active,
                 [f = inst.aux](u32 a) { return F::of(a & 0xffff, f) | F::of(a >> 16, f) << 16; });
}
/// Runs `body(flags)`, with a constant where there are none, as usual.
template <class Body>
WARPVP_INLINE void with_flags(const Inst& inst, Body body) {
  if (inst.aux == 0) return body(std::integral_constant<u64, 0>{});
  body(inst.aux);
}
template <class F>
void one_by_two(const Inst& inst, Warp& w, LaneMask active) {
  with_flags(inst, [&](auto flags) {
    map2<u32, u32, u32>(inst, w, active, [=](u32 a, u32 b) { return F::of(a & 0xffff, b & 0xffff, flags); });
  });
}
template <class F>
void two_by_two(const Inst& inst, Warp& w, LaneMask active) {
  with_flags(inst, [&](auto flags) {
    map2<u32, u32, u32>(inst, w, active, [=](u32 a, u32 b) {
      return F::of(a & 0xffff, b & 0xffff, flags) | F::of(a >> 16, b >> 16, flags) << 16;
    });
  });
}
template <class F>
void one_by_three(const Inst& inst, Warp& w, LaneMask active) {
  with_flags(inst, [&](auto flags) {
    map3<u32, u32, u32, u32>(inst, w, active, [=](u32 a, u32 b, u32 c) {
      return F::of(a & 0xffff, b & 0xffff, c & 0xffff, flags);
    });
  });
}
template <class F>
void two_by_three(const Inst& inst, Warp& w, LaneMask active) {
  with_flags(inst, [&](auto flags) {
    map3<u32, u32, u32, u32>(inst, w, active, [=](u32 a, u32 b, u32 c) {
      return F::of(a & 0xffff, b & 0xffff, c & 0xffff, flags) | F::of(a >> 16, b >> 16, c >> 16, flags) << 16;
    });
  });
}

bool is_pair(Type t) { return t == Type::f16x2 || t == Type::bf16x2; }
bool is_f16(Type t) { return t == Type::f16 || t == Type::f16x2; }

template <class H>
ExecFn arithmetic_of(Opcode opcode, bool pair) {
#define WARPVP_BY(count, ...) (pair ? &two##count<__VA_ARGS__> : &one##count<__VA_ARGS__>)
  switch (opcode) {
    case Opcode::add:
      return WARPVP_BY(_by_two, Binary<H, Add>);
    case Opcode::sub:
      return WARPVP_BY(_by_two, Binary<H, Sub>);
    case Opcode::mul:
      return WARPVP_BY(_by_two, Binary<H, Mul>);
    case Opcode::fma:
      return WARPVP_BY(_by_three, Fma<H>);
    case Opcode::min:
      return WARPVP_BY(_by_two, MinMax<H, false>);
    case Opcode::max:
      return WARPVP_BY(_by_two, MinMax<H, true>);
    case Opcode::abs:
      return WARPVP_BY(, Abs<H>);
    case Opcode::neg:
      return WARPVP_BY(, Neg<H>);
    case Opcode::ex2:
      return WARPVP_BY(, Function<H, &exp2_of>);
    case Opcode::tanh:
      return WARPVP_BY(, Function<H, &tanh_of>);
    default:
      return nullptr;
  }
#undef WARPVP_BY
}

// ---- comparisons. aux: Compare in bits 0..7, BoolOp in bits 8..15, 1 in bit 16 with .ftz, and of set the
// result "true" in bits 32..63.

template <Compare c, class W>
LaneMask lanes_where(const W* a, const W* b) {
  return mask_of([&](unsigned i) { return holds(c, a[i], b[i]); });
}
template <class W>
LaneMask compared(Compare compare, const W* a, const W* b) {
  switch (compare) {
#define WARPVP_CASE(name) \
  case Compare::name:     \
    return lanes_where<Compare::name>(a, b);
    WARPVP_CASE(eq)
    WARPVP_CASE(ne)
    WARPVP_CASE(lt)
    WARPVP_CASE(le)
    WARPVP_CASE(gt)
    WARPVP_CASE(ge)
    WARPVP_CASE(equ)
    WARPVP_CASE(neu)
    WARPVP_CASE(ltu)
    WARPVP_CASE(leu)
    WARPVP_CASE(gtu)
    WARPVP_CASE(geu)
    WARPVP_CASE(num)
    WARPVP_CASE(nan)
#undef WARPVP_CASE
    default:
      return 0;
  }
}
template <class H>
LaneMask compared(const Inst& inst, const Warp& w, unsigned shift) {
  const Row32 *a = source<u32>(w, inst.src[0]), *b = source<u32>(w, inst.src[1]);
  const bool ftz = (inst.aux >> 16 & 1) != 0;
  const auto value = [=](u32 cell) {
    const u32 v = cell >> shift & 0xffff;
    return H::template widen<typename H::Wide>(ftz ? H::flush(v) : v);
  };
  typename H::Wide left[kWarpSize], right[kWarpSize];
  WARPVP_LANES left[i] = value(a[i]);
  WARPVP_LANES right[i] = value(b[i]);
  return compared(static_cast<Compare>(inst.aux & 0xff), left, right);
}
LaneMask combined(const Inst& inst, const Warp& w, LaneMask mask) {
  if (inst.src[2].kind != OperandKind::kPred) return mask;
  return combine(static_cast<BoolOp>(inst.aux >> 8 & 0xff), mask, w.pred_value(inst.src[2]));
}
/// Of a pair the first predicate is of the lower halves and the second of the upper ones.
template <class H, bool pair>
void setp(const Inst& inst, Warp& w, LaneMask active) {
  const LaneMask low = compared<H>(inst, w, 0), second = pair ? compared<H>(inst, w, 16) : ~low;
  const LaneMask p = combined(inst, w, low), q = combined(inst, w, second);
  set_pred(w, inst.dst[0], p, active);
  set_pred(w, inst.dst[1], q, active);
}
template <class H, bool pair>
void set(const Inst& inst, Warp& w, LaneMask active) {
  const LaneMask low = combined(inst, w, compared<H>(inst, w, 0)),
                 high = pair ? combined(inst, w, compared<H>(inst, w, 16)) : 0;
  const u32 yes = static_cast<u32>(inst.aux >> 32);
  with_destination<u32, true>(inst, w, active, [&](Row32* o) {
    for (unsigned i = 0; i < kWarpSize; ++i)
      o[i] = ((low >> i & 1) != 0 ? yes : 0) | (pair && (high >> i & 1) != 0 ? yes << 16 : 0);
  });
}
template <class H>
ExecFn comparison_of(Opcode opcode, bool pair) {
  if (opcode == Opcode::setp) return pair ? &setp<H, true> : &setp<H, false>;
  return pair ? &set<H, true> : &set<H, false>;
}
ExecFn select_comparison(Inst& inst, const Modifiers& m) {
  if ((inst.src[2].kind == OperandKind::kPred) != (m.bool_op != BoolOp::kNone)) return nullptr;
  const Type compared = inst.opcode == Opcode::setp ? m.type : m.src_type;
  if (!is_half(compared)) return nullptr;
  u64 yes = 0;
  if (inst.opcode == Opcode::set) {
    const bool pair = is_pair(compared);
    switch (m.type) {
      case Type::u32:
      case Type::s32:
        yes = pair ? 0xffff : 0xffffffff;
        break;
      case Type::u16:
      case Type::s16:
        yes = 0xffff;
        break;
      case Type::f16:
      case Type::f16x2:
        yes = F16::kOne;
        break;
      case Type::bf16:
      case Type::bf16x2:
        yes = Bf16::kOne;
        break;
      default:
        return nullptr;
    }
  }
  inst.aux = static_cast<u64>(m.compare) | static_cast<u64>(m.bool_op) << 8 | u64{m.ftz} << 16 | yes << 32;
  return is_f16(compared) ? comparison_of<F16>(inst.opcode, is_pair(compared))
                          : comparison_of<Bf16>(inst.opcode, is_pair(compared));
}

// ---- conversions

struct ConvertAux {
  Type to, from;
  Rounding rounding;
  bool ftz, sat, relu, finite;
};
u64 packed(const Modifiers& m) {
  return static_cast<u64>(m.type) | static_cast<u64>(m.src_type) << 8 | static_cast<u64>(m.rounding) << 16 |
         u64{m.ftz} << 24 | u64{m.sat} << 25 | u64{m.relu} << 26 | u64{m.satfinite} << 27;
}
ConvertAux unpacked(u64 aux) {
  const auto bit = [&](unsigned n) { return (aux >> n & 1) != 0; };
  return {static_cast<Type>(aux & 0xff),
          static_cast<Type>(aux >> 8 & 0xff),
          static_cast<Rounding>(aux >> 16 & 0xff),
          bit(24),
          bit(25),
          bit(26),
          bit(27)};
}

/// An integer in double precision, rounded to odd.
double integer_to_odd(u64 bits, bool is_signed) {
  const bool negative = is_signed && static_cast<s64>(bits) < 0;
  u64 magnitude = negative ? 0 - bits : bits;
  double scale = 1;
  if (magnitude >> 53 != 0) {
    magnitude = magnitude >> 11 | ((magnitude & 0x7ff) != 0 ? 1 : 0);
    scale = 2048;
  }
  const double v = static_cast<double>(magnitude) * scale;
  return negative ? -v : v;
}

/// Source `k` of the lanes.
void load(double* v, const Inst& inst, const Warp& w, unsigned k, const ConvertAux& x) {
  if (integer_type(x.from)) {
    u64 bits[kWarpSize];
    load_any(bits, inst, w, bits_of(x.from), signed_type(x.from));
    for (unsigned i = 0; i < kWarpSize; ++i) v[i] = integer_to_odd(bits[i], signed_type(x.from));
    return;
  }
  if (x.from == Type::f64) {
    const Row64* a = source<u64>(w, inst.src[k]);
    for (unsigned i = 0; i < kWarpSize; ++i) v[i] = from_bits<double>(a[i]);
    return;
  }
  const Row32* a = source<u32>(w, inst.src[k]);
  for (unsigned i = 0; i < kWarpSize; ++i) {
    if (x.from == Type::f32) {
      const float f = from_bits<float>(a[i]);
      v[i] = x.ftz ? flush<true>(f) : f;
    } else {
      v[i] = is_f16(x.from) ? F16::widen(a[i] & 0xffff) : Bf16::widen(a[i] & 0xffff);
    }
  }
}

template <class H>
u32 rounded(double v, const ConvertAux& x) {
  const bool nan = v != v;
  u32 r = H::narrow(v, x.rounding, x.finite);
  const bool negative = (r & H::kSign) != 0;
  if (x.sat) r = nan || negative ? 0 : r > H::kOne ? H::kOne : r;
  return x.relu && !nan && negative ? 0 : r;
}
u32 rounded_half(double v, const ConvertAux& x, bool f16) {
  return f16 ? rounded<F16>(v, x) : rounded<Bf16>(v, x);
}

bool to_integral(Rounding r) {
  return r == Rounding::rni || r == Rounding::rzi || r == Rounding::rmi || r == Rounding::rpi;
}

// What a NaN becomes PTX leaves open; here it is what a GH100 makes of it
// (tests/ptx_reference/data/chip_single.tsv).
/// Of double precision to f16 or bf16: sign and upper bits stay.
template <class H>
u32 narrowed_nan(double v) {
  constexpr int kFraction = __builtin_ctz(H::kInfinity);
  const u64 u = to_bits(v);
  const u32 fraction = static_cast<u32>((u & FloatBits<double>::kFraction) >> (52 - kFraction));
  return ((u >> 63) != 0 ? H::kSign : 0) | H::kInfinity | 1u << (kFraction - 1) | fraction;
}
/// And the other way round.
template <class H>
double widened_half_nan(u32 h) {
  constexpr int kFraction = __builtin_ctz(H::kInfinity);
  const u64 fraction = h & ((1u << kFraction) - 1);
  return from_bits<double>(u64{(h & H::kSign) != 0} << 63 | 0x7ff8000000000000ull |
                           fraction << (52 - kFraction));
}
/// Of single precision to tf32: the greatest, or with .rna what there is of it.
u32 tf32_nan(u32 v, Rounding rounding) {
  constexpr u32 kPlaces = 0xffffe000, kGreatest = 0x7fffe000;
  const u32 kept = v & kPlaces;
  return rounding == Rounding::rna && (kept & 0x7fffffff) != 0x7f800000 ? kept : kGreatest;
}

/// Of any scalar type to f16 or bf16, to tf32.
void to_small(const Inst& inst, Warp& w, LaneMask active) {
  const ConvertAux x = unpacked(inst.aux);
  double v[kWarpSize];
  load(v, inst, w, 0, x);
  const Row32* const bits = x.to == Type::tf32 ? source<u32>(w, inst.src[0]) : nullptr;
  with_destination<u32, false>(inst, w, active, [&](Row32* o) {
    for (unsigned i = 0; i < kWarpSize; ++i) {
      if (x.to == Type::tf32) {
        o[i] = v[i] != v[i] ? tf32_nan(bits[i], x.rounding) : rounded<Tf32>(v[i], x) << 13;
      } else if (x.from == Type::f64 && v[i] != v[i] && !x.sat) {
        o[i] = x.to == Type::f16 ? narrowed_nan<F16>(v[i]) : narrowed_nan<Bf16>(v[i]);
      } else {
        ConvertAux y = x;
        const double value = to_integral(x.rounding) ? integral(x.rounding, v[i]) : v[i];
        if (is_half(x.from)) y.rounding = x.to == x.from ? Rounding::rn : x.rounding;
        o[i] = rounded_half(value, y, x.to == Type::f16);
      }
    }
  });
}
void to_pair(const Inst& inst, Warp& w, LaneMask active) {
  const ConvertAux x = unpacked(inst.aux);
  double high[kWarpSize], low[kWarpSize];
  load(high, inst, w, 0, x);
  load(low, inst, w, 1, x);
  with_destination<u32, false>(inst, w, active, [&](Row32* o) {
    for (unsigned i = 0; i < kWarpSize; ++i)
      o[i] =
          rounded_half(high[i], x, x.to == Type::f16x2) << 16 | rounded_half(low[i], x, x.to == Type::f16x2);
  });
}
void to_single(const Inst& inst, Warp& w, LaneMask active) {
  const ConvertAux x = unpacked(inst.aux);
  const Row32* a = source<u32>(w, inst.src[0]);
  with_destination<u32, true>(inst, w, active, [&](Row32* o) {
    for (unsigned i = 0; i < kWarpSize; ++i) {
      const u32 h = a[i] & 0xffff;
      float f = static_cast<float>(is_f16(x.from) ? F16::widen(h) : Bf16::widen(h));
      // bf16 is the upper half of single precision, NaNs included; the conversion of f16 is an addition.
      if (f != f) f = from_bits<float>(is_f16(x.from) ? FloatBits<float>::kNan : h << 16);
      f = x.ftz ? flush<true>(f) : f;
      o[i] = put<float>(x.sat ? saturate<true>(f) : f);
    }
  });
}
// The usual ones, from and to single precision, without modifiers and to nearest.
template <class H>
void half_of_single(const Inst& inst, Warp& w, LaneMask active) {
  map1<u32, u32>(inst, w, active, [](u32 a) { return H::nearest(from_bits<float>(a)); });
}
template <class H>
void pair_of_singles(const Inst& inst, Warp& w, LaneMask active) {
  map2<u32, u32, u32>(inst, w, active, [](u32 high, u32 low) {
    return H::nearest(from_bits<float>(high)) << 16 | H::nearest(from_bits<float>(low));
  });
}
void single_of_f16(const Inst& inst, Warp& w, LaneMask active) {
  map1<u32, u32>(inst, w, active, [](u32 a) {
    const u32 single = to_bits(F16::widen<float>(a & 0xffff));
    return F16::is_nan(a) ? FloatBits<float>::kNan : single;
  });
}
void single_of_bf16(const Inst& inst, Warp& w, LaneMask active) {
  map1<u32, u32>(inst, w, active, [](u32 a) { return a << 16; });
}

void to_double(const Inst& inst, Warp& w, LaneMask active) {
  const ConvertAux x = unpacked(inst.aux);
  double v[kWarpSize];
  load(v, inst, w, 0, x);
  const Row32* const bits = source<u32>(w, inst.src[0]);
  with_destination<double, false>(inst, w, active, [&](Row64* o) {
    for (unsigned i = 0; i < kWarpSize; ++i) {
      const double nan = is_f16(x.from) ? widened_half_nan<F16>(bits[i]) : widened_half_nan<Bf16>(bits[i]);
      const double d = v[i] != v[i] ? nan : v[i];
      o[i] = put<double>(x.sat ? saturate<true>(d) : d);
    }
  });
}
void to_integer(const Inst& inst, Warp& w, LaneMask active) {
  const ConvertAux x = unpacked(inst.aux);
  const unsigned bits = bits_of(x.to);
  const bool is_signed = signed_type(x.to);
  const double high = __builtin_ldexp(1.0, static_cast<int>(is_signed ? bits - 1 : bits)),
               low = is_signed ? -high : 0;
  double v[kWarpSize];
  u64 r[kWarpSize];
  load(v, inst, w, 0, x);
  for (unsigned i = 0; i < kWarpSize; ++i) {
    const double n = integral(x.rounding, v[i]);
    const u64 top = u64{1} << (bits - 1);
    if (n != n) {
      r[i] = bits == 64 ? top : 0;
    } else if (n >= high) {
      r[i] = is_signed ? top - 1 : bits == 64 ? ~u64{0} : (u64{1} << bits) - 1;
    } else if (n < low) {
      r[i] = is_signed ? top : 0;
    } else {
      r[i] = n < 0 ? static_cast<u64>(static_cast<s64>(n)) : static_cast<u64>(n);
    }
    r[i] = extend(r[i], bits, is_signed);
  }
  store_any(r, inst, w, active);
}

/// Two 8-bit floats of two numbers, or of a pair.
void to_eight_bits(const Inst& inst, Warp& w, LaneMask active) {
  const ConvertAux x = unpacked(inst.aux);
  const bool e4m3 = x.to == Type::e4m3x2;
  double high[kWarpSize], low[kWarpSize];
  if (x.from == Type::f32) {
    load(high, inst, w, 0, x);
    load(low, inst, w, 1, x);
  } else {
    const Row32* a = source<u32>(w, inst.src[0]);
    for (unsigned i = 0; i < kWarpSize; ++i) {
      high[i] = F16::widen(a[i] >> 16);
      low[i] = F16::widen(a[i] & 0xffff);
    }
  }
  const auto eight = [&](double v) { return e4m3 ? rounded<E4m3>(v, x) : rounded<E5m2>(v, x); };
  with_destination<u32, false>(inst, w, active, [&](Row32* o) {
    for (unsigned i = 0; i < kWarpSize; ++i) o[i] = eight(high[i]) << 8 | eight(low[i]);
  });
}
void from_eight_bits(const Inst& inst, Warp& w, LaneMask active) {
  const ConvertAux x = unpacked(inst.aux);
  const Row32* a = source<u32>(w, inst.src[0]);
  const auto half = [&](u32 v) {
    return rounded<F16>(x.from == Type::e4m3x2 ? E4m3::widen(v) : E5m2::widen(v), x);
  };
  with_destination<u32, true>(inst, w, active, [&](Row32* o) {
    for (unsigned i = 0; i < kWarpSize; ++i) o[i] = half(a[i] >> 8 & 0xff) << 16 | half(a[i] & 0xff);
  });
}

ExecFn select_conversion(Inst& inst, const Modifiers& m) {
  inst.aux = packed(m);
  const auto eight_bits = [](Type t) { return t == Type::e4m3x2 || t == Type::e5m2x2; };
  const auto single_half = [](Type t) { return t == Type::f16 || t == Type::bf16; };
  const Type to = m.type, from = m.src_type;
  const bool two_singles = from == Type::f32 && inst.src_count == 2;
  if (eight_bits(to)) return two_singles || from == Type::f16x2 ? &to_eight_bits : nullptr;
  if (eight_bits(from)) return to == Type::f16x2 ? &from_eight_bits : nullptr;
  const bool plain = !m.ftz && !m.sat && !m.satfinite && !m.relu;
  const bool nearest = plain && m.rounding == Rounding::rn;
  if (is_pair(to) && two_singles && nearest)
    return to == Type::f16x2 ? &pair_of_singles<F16> : &pair_of_singles<Bf16>;
  if (is_pair(to)) return two_singles ? &to_pair : nullptr;
  if (to == Type::tf32) return from == Type::f32 ? &to_small : nullptr;
  if (m.relu || m.satfinite ? from != Type::f32 : false) return nullptr;
  if (single_half(to)) {
    const bool directed = m.rounding >= Rounding::rn && m.rounding <= Rounding::rp;
    if (to == from) return directed ? nullptr : &to_small;
    if (from == Type::f32 && nearest) return to == Type::f16 ? &half_of_single<F16> : &half_of_single<Bf16>;
    const bool known = integer_type(from) || from == Type::f32 || from == Type::f64 || single_half(from);
    return known && directed ? &to_small : nullptr;
  }
  if (!single_half(from)) return nullptr;
  if (to == Type::f32 && plain) return from == Type::f16 ? &single_of_f16 : &single_of_bf16;
  if (to == Type::f32) return &to_single;
  if (to == Type::f64) return &to_double;
  return integer_type(to) ? &to_integer : nullptr;
}

}  // namespace

ExecFn select_half(Inst& inst, const Modifiers& m) {
  switch (inst.opcode) {
    case Opcode::cvt:
      return select_conversion(inst, m);
    case Opcode::set:
    case Opcode::setp:
      return select_comparison(inst, m);
    default:
      if (!is_half(m.type) || m.satfinite) return nullptr;
      if (m.rounding != Rounding::kNone && m.rounding != Rounding::rn && m.rounding != Rounding::approx)
        return nullptr;
      inst.aux = flags_of(m);
      return is_f16(m.type) ? arithmetic_of<F16>(inst.opcode, is_pair(m.type))
                            : arithmetic_of<Bf16>(inst.opcode, is_pair(m.type));
  }
}

}  // namespace warpvp::ptx::WARPVP_EXEC_LEVEL
