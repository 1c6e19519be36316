#pragma once
// Floating-point rules shared by the float files: NaN, subnormals, saturation (PTX ISA 9.7.3).

#include "ptx/exec/ops/lanes.h"

namespace warpvp::ptx::WARPVP_EXEC_LEVEL {
namespace {

template <class T>
struct FloatBits;
template <>
struct FloatBits<float> {
  using U = std::uint32_t;
  static constexpr U kSign = 0x80000000u, kExponent = 0x7f800000u, kFraction = 0x007fffffu;
  static constexpr U kNan = 0x7fffffffu;  ///< the NaN every single-precision operation returns
};
template <>
struct FloatBits<double> {
  using U = std::uint64_t;
  static constexpr U kSign = 0x8000000000000000ull, kExponent = 0x7ff0000000000000ull,
                     kFraction = 0x000fffffffffffffull;
  static constexpr U kNan = 0xfff8000000000000ull;  ///< of operations whose operands are numbers
  static constexpr U kQuiet = 0x0008000000000000ull;
};

template <class T>
WARPVP_INLINE typename FloatBits<T>::U to_bits(T v) {
  typename FloatBits<T>::U u;
  std::memcpy(&u, &v, sizeof(T));
  return u;
}
template <class T>
WARPVP_INLINE T from_bits(typename FloatBits<T>::U u) {
  T v;
  std::memcpy(&v, &u, sizeof(T));
  return v;
}

template <class T>
WARPVP_INLINE bool is_nan(T v) {
  return (to_bits(v) & ~FloatBits<T>::kSign) > FloatBits<T>::kExponent;
}
template <class T>
WARPVP_INLINE T canonical(T v) {
  return is_nan(v) ? from_bits<T>(FloatBits<T>::kNan) : v;
}
/// A double-precision NaN as operations return it: with its sign and payload, quiet.
WARPVP_INLINE double quiet(double v) { return from_bits<double>(to_bits(v) | FloatBits<double>::kQuiet); }
/// The result of an operation on these operands, where NaNs are concerned: single precision has one NaN for
/// all; double precision returns the first operand that is one (docs/ptx.md, "Values that PTX leaves open").
template <class... Operands>
WARPVP_INLINE float settled(float r, Operands...) {
  return canonical(r);
}
WARPVP_INLINE double settled(double r, double a) {
  return !is_nan(r) ? r : is_nan(a) ? quiet(a) : canonical(r);
}
WARPVP_INLINE double settled(double r, double a, double b) {
  return !is_nan(r) ? r : is_nan(a) ? quiet(a) : is_nan(b) ? quiet(b) : canonical(r);
}
WARPVP_INLINE double settled(double r, double a, double b, double c) {
  return !is_nan(r) ? r : is_nan(a) ? quiet(a) : is_nan(b) ? quiet(b) : is_nan(c) ? quiet(c) : canonical(r);
}
/// A NaN in the other precision: quiet, with its sign and the upper bits of its payload.
WARPVP_INLINE float narrowed_nan(double v) {
  const std::uint64_t u = to_bits(v);
  return from_bits<float>(static_cast<std::uint32_t>(u >> 32 & 0x80000000u) | 0x7fc00000u |
                          (static_cast<std::uint32_t>(u >> 29) & 0x007fffffu));
}
WARPVP_INLINE double widened_nan(float v) {
  const std::uint64_t u = to_bits(v);
  return from_bits<double>((u & 0x80000000u) << 32 | 0x7ff8000000000000ull | (u & 0x007fffffu) << 29);
}
/// Subnormals become zeros of the same sign.
template <bool ftz, class T>
WARPVP_INLINE T flush(T v) {
  if constexpr (ftz) {
    const auto u = to_bits(v);
    return from_bits<T>((u & FloatBits<T>::kExponent) == 0 ? u & FloatBits<T>::kSign : u);
  } else {
    return v;
  }
}
/// .sat: into [0, 1]; NaN and -0 become +0.
template <bool sat, class T>
WARPVP_INLINE T saturate(T v) {
  if constexpr (sat) {
    const T low = v > T(0) ? v : T(0);
    return low < T(1) ? low : T(1);
  } else {
    return v;
  }
}
/// .ftz and .sat of a result.
template <bool ftz, bool sat, class T>
WARPVP_INLINE T finish(T v) {
  return saturate<sat>(flush<ftz>(v));
}

/// a + b rounded to odd: rounding that once more to a format of at least two bits less, in any direction,
/// gives the exactly rounded sum (Boldo and Melquiond, "Emulation of FMA and correctly rounded sums"). The
/// error of the sum comes from Knuth's TwoSum.
template <class T>
WARPVP_INLINE T sum_to_odd(T a, T b) {
  const T s = a + b, bb = s - a;
  const T e = (a - (s - bb)) + (b - bb);
  using U = typename FloatBits<T>::U;
  const U u = to_bits(s);
  // Inexact and even: step to the neighbour on the error's side, which is odd.
  const U inexact = (to_bits(e) << 1) != 0 ? 1 : 0;
  const U finite = (u & FloatBits<T>::kExponent) != FloatBits<T>::kExponent ? 1 : 0;
  const U towards_zero = (to_bits(e) ^ u) >> (8 * sizeof(T) - 1), step = 1 - 2 * towards_zero;
  return from_bits<T>(
      u + (step & (0 - (inexact & finite & ~u))));  // without a branch, and no product of integers
}
/// a * b + c in double, rounded to odd, for a float result. The product of two floats is exact in double.
WARPVP_INLINE double fma_to_odd(float a, float b, float c) {
  return sum_to_odd(double(a) * double(b), double(c));
}

WARPVP_INLINE float fused(float a, float b, float c) {
#ifdef __FMA__
  return __builtin_fmaf(a, b, c);
#else
  return static_cast<float>(fma_to_odd(a, b, c));
#endif
}
WARPVP_INLINE double fused(double a, double b, double c) { return __builtin_fma(a, b, c); }

/// `v` rounded to an integral value; any other rounding than the three directed ones is to nearest even.
template <class T>
WARPVP_INLINE T integral(Rounding r, T v) {
  if constexpr (std::is_same_v<T, float>) {
    switch (r) {
      case Rounding::rzi:
        return __builtin_truncf(v);
      case Rounding::rmi:
        return __builtin_floorf(v);
      case Rounding::rpi:
        return __builtin_ceilf(v);
      default:
        return __builtin_nearbyintf(v);  // the host rounds to nearest even
    }
  } else {
    switch (r) {
      case Rounding::rzi:
        return __builtin_trunc(v);
      case Rounding::rmi:
        return __builtin_floor(v);
      case Rounding::rpi:
        return __builtin_ceil(v);
      default:
        return __builtin_nearbyint(v);
    }
  }
}

}  // namespace
}  // namespace warpvp::ptx::WARPVP_EXEC_LEVEL
