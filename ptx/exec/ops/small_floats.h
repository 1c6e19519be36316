#pragma once
// Binary floating-point formats narrower than single precision: what their numbers are, and how real ones are
// rounded to them. Only for the files of this folder (lanes.h).
//
// Values are held in double precision, in which all of them are exact. A result that double precision cannot
// hold is rounded to odd there (fma_to_odd), so that rounding it once more gives the exactly rounded one.

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

  static WARPVP_INLINE double widen(u32 v) {
    const u64 magnitude = v & (kSign - 1);
    const u64 sign = static_cast<u64>(v & kSign) << (63 - kExponent - kFraction);
    // As a subnormal: fraction times its last place. As a normal number: bias and place moved.
    const double small = static_cast<double>(static_cast<s64>(magnitude)) *
                         from_bits<double>(static_cast<u64>(1023 + 1 - kBias - kFraction) << 52);
    const u64 normal = (magnitude << (52 - kFraction)) + (static_cast<u64>(1023 - kBias) << 52);
    const u64 special = kIeee && magnitude == kInfinity ? 0x7ff0000000000000ull : 0x7ff8000000000000ull;
    const bool beyond = kIeee ? magnitude >= kInfinity : magnitude == kNan;
    const u64 bits = beyond ? special : (magnitude & kInfinity) == 0 ? to_bits(small) : normal;
    return from_bits<double>(bits | sign);
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
};

using F16 = SmallFloat<5, 10>;
using Bf16 = SmallFloat<8, 7>;
using Tf32 = SmallFloat<8, 10>;  ///< in the upper 19 bits of a register
using E4m3 = SmallFloat<4, 3, false>;
using E5m2 = SmallFloat<5, 2>;

}  // namespace
}  // namespace warpvp::ptx::WARPVP_EXEC_LEVEL
