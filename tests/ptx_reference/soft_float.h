#pragma once
// Binary floating point by integer arithmetic alone: exact values, rounded once when packed. Part of the
// reference interpreter, so it shares nothing with the code under test and does not trust the host's
// floating-point unit.

#include <cstdint>

namespace warpvp::reference {

using Bits128 = unsigned __int128;

enum class Round { kNearestEven, kZero, kDown, kUp };

/// An IEEE-754 interchange format: bits of the fraction and of the exponent.
struct Format {
  int fraction;
  int exponent;
  int bias() const { return (1 << (exponent - 1)) - 1; }
  std::uint64_t infinity() const { return ((1ull << exponent) - 1) << fraction; }
  std::uint64_t sign_bit() const { return 1ull << (fraction + exponent); }
  /// What PTX returns for a NaN result of numbers (PTX ISA, "Floating Point Instructions"; f64 as docs/ptx.md
  /// fixes it).
  std::uint64_t canonical_nan() const { return exponent == 11 ? 0xfff8000000000000ull : sign_bit() - 1; }
  bool is_nan(std::uint64_t bits) const { return (bits & (sign_bit() - 1)) > infinity(); }
};
inline constexpr Format kF32{23, 8};
inline constexpr Format kF64{52, 11};

/// A real number, an infinity or a NaN. A finite one is significand * 2^exponent; results of operations that
/// have no finite binary expansion carry at least 60 bits, of which the lowest is set when anything lies
/// below.
struct Real {
  enum class Kind { kZero, kFinite, kInfinite, kNan };
  Kind kind = Kind::kZero;
  bool negative = false;
  int exponent = 0;
  Bits128 significand = 0;  ///< below 2^126

  bool is_nan() const { return kind == Kind::kNan; }
  bool is_zero() const { return kind == Kind::kZero; }
  static Real nan();
  static Real infinity(bool negative);
  static Real zero(bool negative);
  static Real integer(bool negative, std::uint64_t magnitude);
};

/// The NaN that an operation on these operands returns, of so many that count: in double precision the first
/// that is one, with its quiet bit set; in all other cases the canonical one (docs/ptx.md).
std::uint64_t nan_of(Format format, const std::uint64_t* operands, int count);
Real unpack(Format format, std::uint64_t bits);
/// Rounds to the format; overflow and gradual underflow as IEEE-754 says.
std::uint64_t pack(Format format, const Real& value, Round round);
/// A subnormal becomes a zero of its sign.
std::uint64_t flush(Format format, std::uint64_t bits);

Real negate(Real a);
/// `round` decides the sign of an exact zero only.
Real add(Real a, Real b, Round round);
/// Operands come from unpack().
Real multiply(const Real& a, const Real& b);
Real divide(const Real& a, const Real& b);
Real square_root(const Real& a);
/// To an integer, still of any size. Zeros and results of zero keep the sign.
Real round_to_integer(const Real& a, Round round);
/// -1, 0, 1; no NaNs. Zeros are equal.
int compare(const Real& a, const Real& b);
/// The integer that `value` is, clamped to [least, most]. Not for NaNs; fractions must be gone.
__int128 clamp_to_integer(const Real& value, __int128 least, __int128 most);

}  // namespace warpvp::reference
