// The approximate functions (.approx, .full) of PTX ISA 9.7.3.
//
// Single-precision ones are evaluated in double with polynomials of our own and rounded once, which is well
// within the errors the ISA allows (docs/ptx.md lists both) and, using only +, -, *, / and square root, gives
// the same bits at every instruction-set level and on every host.

#include "ptx/exec/ops/float_ops.h"

namespace warpvp::ptx::WARPVP_EXEC_LEVEL {
namespace {

using u32 = std::uint32_t;
using u64 = std::uint64_t;
using s32 = std::int32_t;
using s64 = std::int64_t;

WARPVP_INLINE float nan32() { return from_bits<float>(FloatBits<float>::kNan); }
WARPVP_INLINE double power_of_two(s64 n) { return from_bits<double>(static_cast<u64>(n + 1023) << 52); }
/// Nearest integer, ties to even, for |x| < 2^51: the sum has no room for a fraction.
constexpr double kRound = 6755399441055744.0;  // 1.5 * 2^52

/// 2^x for |x| < 1000; relative error below 2^-45.
WARPVP_INLINE double exp2_core(double x) {
  const double shifted = x + kRound;
  const s64 n = static_cast<s32>(to_bits(shifted));
  const double f = (x - (shifted - kRound)) * 0.69314718055994530942;  // |f| <= ln(2) / 2
  // Taylor series of e^f; the first term left out is below 2^-47.
  double p = 1.0 / 39916800.0;
  p = p * f + 1.0 / 3628800.0;
  p = p * f + 1.0 / 362880.0;
  p = p * f + 1.0 / 40320.0;
  p = p * f + 1.0 / 5040.0;
  p = p * f + 1.0 / 720.0;
  p = p * f + 1.0 / 120.0;
  p = p * f + 1.0 / 24.0;
  p = p * f + 1.0 / 6.0;
  p = p * f + 0.5;
  p = p * f + 1.0;
  p = p * f + 1.0;
  return p * power_of_two(n);
}

struct Ex2 {
  float operator()(float a) const {
    // Beyond +-200 the float result is infinity or zero anyway.
    const double x = a > 200.0f ? 200.0 : a < -200.0f ? -200.0 : a == a ? double(a) : 0.0;
    const float r = static_cast<float>(exp2_core(x));
    return a == a ? r : nan32();
  }
};

struct Lg2 {
  float operator()(float a) const {
    // Floats are normal in double, subnormal ones too.
    const u64 bits = to_bits(double(a > 0.0f ? a : 1.0f));
    s64 e = static_cast<s64>(bits >> 52) - 1023;
    u64 m = (bits & FloatBits<double>::kFraction) | 0x3ff0000000000000ull;
    // Into [sqrt(1/2), sqrt(2)).
    const bool high = m > 0x3ff6a09e667f3bcdull;
    m -= high ? u64{1} << 52 : 0;
    e += high ? 1 : 0;
    const double v = from_bits<double>(m);
    // ln(v) = 2 artanh(s), |s| < 0.1716; the first term left out is below 2^-46 of the result.
    const double s = (v - 1.0) / (v + 1.0), z = s * s;
    double p = 1.0 / 17.0;
    p = p * z + 1.0 / 15.0;
    p = p * z + 1.0 / 13.0;
    p = p * z + 1.0 / 11.0;
    p = p * z + 1.0 / 9.0;
    p = p * z + 1.0 / 7.0;
    p = p * z + 1.0 / 5.0;
    p = p * z + 1.0 / 3.0;
    p = p * z + 1.0;
    // Converts e without an integer conversion, which not every level vectorises.
    const double exponent = from_bits<double>(static_cast<u64>(e) + to_bits(kRound)) - kRound;
    const float r = static_cast<float>(exponent + 2.0 * 1.44269504088896340736 * s * p);
    const float infinity = from_bits<float>(FloatBits<float>::kExponent);
    if (a == 0.0f) return -infinity;
    if (a == infinity) return infinity;
    return a > 0.0f ? r : nan32();
  }
};

/// x reduced by multiples of pi/2: the quadrant, and the rest in [-pi/4, pi/4].
struct Reduced {
  double rest;
  u32 quadrant;
};
/// For |x| < 2^20: pi/2 in three parts, the first two with enough trailing zeros that their products are
/// exact.
WARPVP_INLINE Reduced reduce_small(double x) {
  const double shifted = x * 0.63661977236758134308 + kRound;
  const double n = shifted - kRound;
  const double r = ((x - n * 1.57079632673412561417e+00) - n * 6.07710050630396597660e-11) -
                   n * 2.02226624879595063154e-21;
  return {r, static_cast<u32>(to_bits(shifted))};
}
/// For any finite float: multiplies the 24-bit significand with the bits of 2/pi that matter (Payne and
/// Hanek).
__attribute__((noinline)) Reduced reduce_large(float x) {
  // 2/pi, 32 bits a word, most significant first.
  static constexpr u32 kTwoOverPi[] = {0xa2f9836e, 0x4e441529, 0xfc2757d1, 0xf534ddc0,
                                       0xdb629599, 0x3c439041, 0xfe5163ab, 0xdebbc561};
  const u32 bits = to_bits(x);
  const int exponent = static_cast<int>((bits >> 23) & 0xff) - 150;  // x = m * 2^exponent
  const u64 m = (bits & 0x7fffffu) | 0x800000u;
  // Bits of 2/pi above 2^(2 - exponent) contribute multiples of 4 quadrants and are skipped.
  const int skip = exponent > 2 ? exponent - 2 : 0;
  const auto word = [&](int k) -> u64 {  // 32 bits of 2/pi from bit skip + 32 k on
    const int bit = skip + 32 * k, w = bit / 32, s = bit % 32;
    const u64 pair = (u64{w < 8 ? kTwoOverPi[w] : 0} << 32) | (w + 1 < 8 ? kTwoOverPi[w + 1] : 0);
    return (pair >> (32 - s)) & 0xffffffffu;
  };
  const unsigned __int128 window =
      (static_cast<unsigned __int128>((word(0) << 32) | word(1)) << 32) | word(2);
  // m * window has its binary point 96 + skip - exponent bits from the right.
  const unsigned __int128 product = window * m;
  const int point = 96 + skip - exponent;
  const u64 whole = static_cast<u64>(product >> point);
  const unsigned __int128 fraction = product << (128 - point);
  const u64 top = static_cast<u64>(fraction >> 64);
  // The fraction as signed, so that the rest lies around zero.
  const bool up = (top >> 63) != 0;
  double rest = static_cast<double>(static_cast<s64>(top)) * 5.42101086242752217e-20 * 1.57079632679489661923;
  u32 quadrant = static_cast<u32>(whole) + (up ? 1 : 0);
  if ((bits >> 31) != 0) {
    rest = -rest;
    quadrant = 0u - quadrant;
  }
  return {rest, quadrant};
}

WARPVP_INLINE double sin_core(double r) {  // |r| <= pi/4; error below 2^-50
  const double z = r * r;
  double p = -1.0 / 1307674368000.0;
  p = p * z + 1.0 / 6227020800.0;
  p = p * z - 1.0 / 39916800.0;
  p = p * z + 1.0 / 362880.0;
  p = p * z - 1.0 / 5040.0;
  p = p * z + 1.0 / 120.0;
  p = p * z - 1.0 / 6.0;
  return r + r * z * p;
}
WARPVP_INLINE double cos_core(double r) {
  const double z = r * r;
  double p = 1.0 / 20922789888000.0;
  p = p * z - 1.0 / 87178291200.0;
  p = p * z + 1.0 / 479001600.0;
  p = p * z - 1.0 / 3628800.0;
  p = p * z + 1.0 / 40320.0;
  p = p * z - 1.0 / 720.0;
  p = p * z + 1.0 / 24.0;
  p = p * z - 0.5;
  return 1.0 + z * p;
}
/// sin(a + shift * pi/2), a reduced.
WARPVP_INLINE float sine_of(Reduced x, u32 shift) {
  const u32 q = x.quadrant + shift;
  const double s = sin_core(x.rest), c = cos_core(x.rest);
  const double v = (q & 1) != 0 ? c : s;
  return static_cast<float>((q & 2) != 0 ? -v : v);
}
template <u32 shift, bool ftz>
void sine(const Inst& inst, Warp& w, LaneMask active) {
  alignas(64) float a[kWarpSize];
  std::memcpy(a, w.source(inst.src[0]), sizeof(a));
  const auto is_small = [&](unsigned i) {
    return (to_bits(a[i]) & 0x7fffffffu) < 0x49800000u;
  };  // |a| < 2^20
  const LaneMask small = mask_of(is_small);
  with_destination<float, true>(inst, w, active, [&](Row32* o) {
    WARPVP_LANES {
      const float x = is_small(i) ? flush<ftz>(a[i]) : 0.0f;
      const float r = sine_of(reduce_small(double(x)), shift);
      o[i] = put<float>(flush<ftz>(shift == 0 && x == 0.0f ? x : r));  // keeps the sign of zero
    }
    for (LaneMask m = active & ~small; m != 0; m &= m - 1) {
      const unsigned i = static_cast<unsigned>(__builtin_ctz(m));
      const bool finite = (to_bits(a[i]) & 0x7fffffffu) < FloatBits<float>::kExponent;
      o[i] = put<float>(finite ? sine_of(reduce_large(a[i]), shift) : nan32());
    }
  });
}
template <u32 shift>
ExecFn sine_of_type(const Modifiers& m) {
  if (m.type != Type::f32 || m.sat) return nullptr;
  return m.ftz ? &sine<shift, true> : &sine<shift, false>;
}

struct Tanh {
  float operator()(float a) const {
    if (is_nan(a)) return nan32();
    const double x = double(from_bits<float>(to_bits(a) & 0x7fffffffu));
    // tanh x = 1 - 2 / (e^2x + 1); near zero by its series instead, which does not cancel.
    const double z = x * x;
    const double series =
        x + x * z * (-1.0 / 3.0 + z * (2.0 / 15.0 + z * (-17.0 / 315.0 + z * (62.0 / 2835.0))));
    const double e = exp2_core((x < 20.0 ? x : 20.0) * 2.88539008177792681472);
    const double v = x < 0.0625 ? series : 1.0 - 2.0 / (e + 1.0);
    return from_bits<float>(to_bits(static_cast<float>(v)) | (to_bits(a) & 0x80000000u));
  }
};

struct Rcp {
  float operator()(float a) const { return canonical(1.0f / a); }
};
struct Sqrt {
  float operator()(float a) const { return canonical(__builtin_sqrtf(a)); }
};
/// 1 / sqrt(a), the root and the quotient rounded to double and the result to float. Four of Newton's steps
/// in double precision give the same float for each a (tests/ptx_exec/reciprocal_root_test.cpp tries every
/// significand), and take the host less time than a root and a division.
struct Rsqrt {
  float operator()(float a) const {
    const double x = double(a), half = 0.5 * x;
    double y = from_bits<double>(0x5fe6eb50c7b537a9ull - (to_bits(x) >> 1));
    for (int step = 0; step < 4; ++step) y = y * (1.5 - half * y * y);
    const u32 u = to_bits(a);
    const u32 of_zero = (u & FloatBits<float>::kSign) | FloatBits<float>::kExponent;
    const u32 special = (u << 1) == 0                      ? of_zero
                        : u == FloatBits<float>::kExponent ? 0
                                                           : FloatBits<float>::kNan;
    return from_bits<float>(a > 0.0f && u < FloatBits<float>::kExponent ? to_bits(static_cast<float>(y))
                                                                        : special);
  }
};
/// a * (1 / b): for 2^126 < |b| < 2^128 the reciprocal underflows, so the quotient is 0, or NaN for infinite
/// a.
struct DivApprox {
  float operator()(float a, float b) const {
    const u32 m = to_bits(b) & 0x7fffffffu;
    const bool huge = m > 0x7e800000u && m < FloatBits<float>::kExponent;
    if (huge) {
      const u32 sign = (to_bits(a) ^ to_bits(b)) & 0x80000000u;
      return (to_bits(a) & 0x7fffffffu) >= FloatBits<float>::kExponent ? nan32() : from_bits<float>(sign);
    }
    return canonical(a / b);
  }
};
struct DivFull {
  float operator()(float a, float b) const { return canonical(a / b); }
};

WARPVP_INLINE double upper_half(double v) { return from_bits<double>(to_bits(v) & 0xffffffff00000000ull); }
// Double precision: a coarse result in the upper 32 bits of the register, the lower ones zero; subnormals
// count as zeros, and a NaN is single precision's in the upper half, as on the chip.
WARPVP_INLINE double coarse(double v) {
  return is_nan(v) ? from_bits<double>(0x7fffffff00000000ull) : upper_half(flush<true>(v));
}
struct Rcp64 {
  double operator()(double a) const { return coarse(1.0 / upper_half(flush<true>(a))); }
};
template <bool ftz>
struct Rsqrt64 {
  double operator()(double a) const {
    const double x = ftz ? upper_half(flush<true>(a)) : a;
    const double r = 1.0 / __builtin_sqrt(x);
    return ftz ? coarse(r) : settled(r, a);
  }
};

template <class F, bool ftz>
struct Flushed {
  float operator()(float a) const { return flush<ftz>(F{}(flush<ftz>(a))); }
  float operator()(float a, float b) const { return flush<ftz>(F{}(flush<ftz>(a), flush<ftz>(b))); }
};
template <class F>
ExecFn unary_of(const Modifiers& m) {
  if (m.type != Type::f32 || m.sat) return nullptr;
  return m.ftz ? &unary<Flushed<F, true>, float> : &unary<Flushed<F, false>, float>;
}
template <class F>
ExecFn binary_of(const Modifiers& m) {
  if (m.type != Type::f32 || m.sat) return nullptr;
  return m.ftz ? &binary<Flushed<F, true>, float> : &binary<Flushed<F, false>, float>;
}

}  // namespace

ExecFn select_approx(Inst& inst, const Modifiers& m) {
  if (m.rounding == Rounding::full) return inst.opcode == Opcode::div ? binary_of<DivFull>(m) : nullptr;
  switch (inst.opcode) {
    case Opcode::div:
      return binary_of<DivApprox>(m);
    case Opcode::rcp:
      if (m.type == Type::f64) return m.ftz && !m.sat ? &unary<Rcp64, double> : nullptr;
      return unary_of<Rcp>(m);
    case Opcode::sqrt:
      return unary_of<Sqrt>(m);
    case Opcode::rsqrt:
      if (m.type == Type::f64) {
        return m.sat ? nullptr : m.ftz ? &unary<Rsqrt64<true>, double> : &unary<Rsqrt64<false>, double>;
      }
      return unary_of<Rsqrt>(m);
    case Opcode::sin:
      return sine_of_type<0>(m);
    case Opcode::cos:
      return sine_of_type<1>(m);
    case Opcode::lg2:
      return unary_of<Lg2>(m);
    case Opcode::ex2:
      return unary_of<Ex2>(m);
    case Opcode::tanh:
      return m.ftz ? nullptr : unary_of<Tanh>(m);
    default:
      return nullptr;
  }
}

}  // namespace warpvp::ptx::WARPVP_EXEC_LEVEL
