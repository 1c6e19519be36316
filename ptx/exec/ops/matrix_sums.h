#pragma once
// How products of floating-point elements of matrices are added: as a GH100 adds them, to the bit
// (docs/validation.md says how that was asked). Only for the files of this folder (lanes.h).
//
// All products of a row and a column, and the accumulator, are added at once. Each is shifted to the largest
// one's exponent and cut, toward zero, kGuard bits below the last place that single precision has there; what
// is left is added exactly, and the sum becomes single precision toward zero, or f16 to nearest.

#include <algorithm>

#include "ptx/exec/ops/small_floats.h"

namespace warpvp::ptx::WARPVP_EXEC_LEVEL {
namespace {

/// `value` * 2^(exponent - fraction), where `fraction` is the format's. Of a subnormal the exponent is the
/// least there is.
struct Significand {
  s32 value, exponent;
};
inline constexpr s32 kOfZero = -4000;  ///< exponent of a zero: below that of any product

/// Of a finite number, which the format has.
template <int kFraction, int kLeast>
WARPVP_INLINE Significand significand(double v) {
  const u64 u = to_bits(v);
  if (u << 1 == 0) return {0, kOfZero};
  const s32 exponent = static_cast<s32>(u >> 52 & 0x7ff) - 1023, below = std::max(kLeast - exponent, 0);
  const auto magnitude =
      static_cast<s32>(((u & FloatBits<double>::kFraction) | u64{1} << 52) >> (52 - kFraction + below));
  return {(u >> 63) != 0 ? -magnitude : magnitude, exponent + below};
}

/// A row of A or a column of B.
struct Factors {
  s32 value[64], exponent[64];
  void set(unsigned k, Significand s) {
    value[k] = s.value;
    exponent[k] = s.exponent;
  }
};

/// The sum of `c`, whose format has `c_fraction` bits of fraction, and of `count` products of x[k] and
/// y[at[k]], of formats with `fraction` bits: cut as the chip cuts it, exact in double precision.
template <int kFraction, int kCFraction>
double sum_of_products(const Factors& x, const Factors& y, const std::uint8_t* at, unsigned first,
                       unsigned count, Significand c) {
  constexpr int kGuard = 2, kPlaces = 23 + kGuard;
  s32 exponent[64];
  s32 highest = c.exponent;
  for (unsigned k = 0; k < count; ++k) {
    exponent[k] = x.exponent[first + k] + y.exponent[at[first + k]];
    highest = std::max(highest, exponent[k]);
  }
  if (highest <= kOfZero / 2) return 0;
  const auto cut = [&](s32 value, s32 up, s32 e) -> s64 {
    const s32 down = std::min(highest - e, 31);
    const s32 magnitude = (std::abs(value) << up) >> down;
    return value < 0 ? -magnitude : magnitude;
  };
  s64 sum = cut(c.value, kPlaces - kCFraction, c.exponent);
  for (unsigned k = 0; k < count; ++k)
    sum += cut(x.value[first + k] * y.value[at[first + k]], kPlaces - 2 * kFraction, exponent[k]);
  return static_cast<double>(sum) * from_bits<double>(static_cast<u64>(highest - kPlaces + 1023) << 52);
}

}  // namespace
}  // namespace warpvp::ptx::WARPVP_EXEC_LEVEL
