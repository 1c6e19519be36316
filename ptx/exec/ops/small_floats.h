#pragma once
// Binary floating-point formats narrower than single precision: what their numbers are, and how real ones are
// rounded to them. Only for the files of this folder (lanes.h).
//
// Values are held in double precision, or in single precision where products of two of them are exact there.
// A result that this cannot hold is rounded to odd in it (sum_to_odd), so that rounding it once more gives
// the exactly rounded one.

#include "ptx/exec/ops/float_ops.h"

namespace warpvp::ptx::WARPVP_EXEC_LEVEL {
namespace {

/// `kIeee`: the greatest exponent is of infinity and NaN; otherwise of numbers, but for one NaN (e4m3 of the
/// OCP 8-bit floating point specification).
template <int kExponent, int kFraction, bool kIeee = true>
struct SmallFloat {
  static constexpr u32 kSign = 1u << (kExponent + kFraction);
  static constexpr u32 kNan = kSign - 1;  ///< of all operations, as that of single precision is
  static constexpr u32 kInfinity = ((1u << kExponent) - 1) << kFraction;
  static constexpr u32 kGreatest = kIeee ? kInfinity - 1 : kNan - 1;
  static constexpr int kBias = (1 << (kExponent - 1)) - 1;
  static constexpr u32 kOne = static_cast<u32>(kBias) << kFraction;

  static WARPVP_INLINE bool is_nan(u32 v) {
    return kIeee ? (v & (kSign - 1)) > kInfinity : (v & (kSign - 1)) == kNan;
  }
  /// A subnormal becomes a zero of its sign.
  static WARPVP_INLINE u32 flush(u32 v) { return (v & kInfinity) == 0 ? v & kSign : v; }

  /// What a product of two is exact in, with two bits to spare for the rounding of a sum.
  using Wide = std::conditional_t<kExponent <= 5, float, double>;

  /// W: float or double.
  template <class W = double>
  static WARPVP_INLINE W widen(u32 v) {
    using U = typename FloatBits<W>::U;
    const U magnitude = v & (kSign - 1);
    const U sign = static_cast<U>(v & kSign) << (8 * sizeof(W) - 1 - kExponent - kFraction);
    // As a subnormal: fraction times its last place. As a normal number: bias and place moved.
    const W small = static_cast<W>(static_cast<std::make_signed_t<U>>(magnitude)) *
                    from_bits<W>(static_cast<U>(kBiasOf<W> + 1 - kBias - kFraction) << kPlacesOf<W>);
    const U normal =
        (magnitude << (kPlacesOf<W> - kFraction)) + (static_cast<U>(kBiasOf<W> - kBias) << kPlacesOf<W>);
    const U infinity = FloatBits<W>::kExponent, nan = infinity | U{1} << (kPlacesOf<W> - 1);
    const U special = kIeee && magnitude == kInfinity ? infinity : nan;
    const bool beyond = kIeee ? magnitude >= kInfinity : magnitude == kNan;
    const U number = (magnitude & kInfinity) == 0 ? to_bits(small) : normal;
    return from_bits<W>((beyond ? special : number) | sign);
  }

  /// What narrow() gives to nearest, in fewer steps and without a branch, so that loops over lanes are
  /// vectors.
  template <class W>
  static WARPVP_INLINE u32 nearest(W value) {
    static_assert(kIeee);
    using U = typename FloatBits<W>::U;
    constexpr int kDropped = kPlacesOf<W> - kFraction;
    constexpr U kLeastNormal = static_cast<U>(kBiasOf<W> + 1 - kBias) << kPlacesOf<W>;
    // Whose last place is that of subnormal numbers.
    constexpr U kAnchor = static_cast<U>(kBiasOf<W> + 1 - kBias + kDropped) << kPlacesOf<W>;
    const U u = to_bits(value), m = u & ~FloatBits<W>::kSign;
    const U moved = m - (static_cast<U>(kBiasOf<W> - kBias) << kPlacesOf<W>);
    const U half = (U{1} << (kDropped - 1)) - 1 + ((m >> kDropped) & 1);
    const U normal = (moved + half) >> kDropped;
    const U subnormal = to_bits(from_bits<W>(m) + from_bits<W>(kAnchor)) - kAnchor;
    const U bounded = normal < kInfinity ? normal : kInfinity;
    const u32 magnitude = static_cast<u32>(m < kLeastNormal ? subnormal : bounded);
    const u32 sign = static_cast<u32>(u >> (8 * sizeof(W) - 1)) << (kExponent + kFraction);
    return m > FloatBits<W>::kExponent ? kNan : magnitude | sign;
  }

  /// Rounded; `finite`: the greatest number instead of infinity. A NaN becomes kNan.
  static WARPVP_INLINE u32 narrow(double value, Rounding rounding, bool finite = !kIeee) {
    const u64 u = to_bits(value);
    const bool negative = (u >> 63) != 0;
    const s32 biased = static_cast<s32>((u >> 52) & 0x7ff), exponent = biased - 1023;
    const u64 significand = (u & FloatBits<double>::kFraction) | (biased != 0 ? u64{1} << 52 : 0);
    const s32 least = 1 - kBias, at = exponent > least ? exponent : least;
    // More than 60 bits away everything is below half of the last place, as it is at 60.
    const s32 wanted = 52 - kFraction + (at - exponent), shift = wanted < 60 ? wanted : 60;
    const u64 kept = significand >> shift, rest = significand & ((u64{1} << shift) - 1),
              half = u64{1} << (shift - 1);
    bool up = false;
    switch (rounding) {
      case Rounding::rz:
        break;
      case Rounding::rm:
        up = negative && rest != 0;
        break;
      case Rounding::rp:
        up = !negative && rest != 0;
        break;
      case Rounding::rna:
        up = rest >= half;
        break;
      default:
        up = rest > half || (rest == half && (kept & 1) != 0);
    }
    // The hidden bit and a carry out of the fraction add to the exponent.
    const u64 magnitude = (static_cast<u64>(at - least) << kFraction) + kept + (up ? 1 : 0);
    const bool infinite = biased == 0x7ff;
    const bool stays = rounding == Rounding::rz || (rounding == Rounding::rm && !negative) ||
                       (rounding == Rounding::rp && negative);
    const u32 beyond = finite || (stays && !infinite) ? kGreatest : kInfinity;
    const u32 rounded = magnitude > kGreatest || infinite ? beyond : static_cast<u32>(magnitude);
    return value != value ? kNan : rounded | (negative ? kSign : 0);
  }

 private:
  template <class W>
  static constexpr int kPlacesOf = sizeof(W) == 8 ? 52 : 23;
  template <class W>
  static constexpr int kBiasOf = sizeof(W) == 8 ? 1023 : 127;
};

using F16 = SmallFloat<5, 10>;
using Bf16 = SmallFloat<8, 7>;
using Tf32 = SmallFloat<8, 10>;  ///< in the upper 19 bits of a register
using E4m3 = SmallFloat<4, 3, false>;
using E5m2 = SmallFloat<5, 2>;

}  // namespace
}  // namespace warpvp::ptx::WARPVP_EXEC_LEVEL
