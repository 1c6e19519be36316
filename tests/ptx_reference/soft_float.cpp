#include "tests/ptx_reference/soft_float.h"

#include <algorithm>

namespace warpvp::reference {
namespace {

constexpr int kTop = 124;  // where normalise() puts the highest bit; leaves room for a carry

int top_bit(Bits128 x) {
  const auto high = static_cast<std::uint64_t>(x >> 64), low = static_cast<std::uint64_t>(x);
  return high != 0 ? 127 - __builtin_clzll(high) : 63 - __builtin_clzll(low);
}
void normalise(Real& r) {
  const int shift = kTop - top_bit(r.significand);
  r.significand = shift >= 0 ? r.significand << shift : r.significand >> -shift;
  r.exponent -= shift;
}
// Shifts right; bits that fall out leave the lowest bit set.
Bits128 shift_right_sticky(Bits128 x, int n) {
  if (n <= 0) return x;
  if (n > 126) return x != 0;
  const bool lost = (x & ((Bits128{1} << n) - 1)) != 0;
  return (x >> n) | lost;
}
// Whether the magnitude whose dropped part is `rest` out of 2 * `half` goes up.
bool goes_up(bool negative, bool odd, Bits128 rest, Bits128 half, Round round) {
  if (rest == 0) return false;
  switch (round) {
    case Round::kNearestEven:
      return rest > half || (rest == half && odd);
    case Round::kZero:
      return false;
    case Round::kDown:
      return negative;
    case Round::kUp:
      return !negative;
  }
  return false;
}
Real finite(bool negative, int exponent, Bits128 significand) {
  Real r;
  r.kind = significand == 0 ? Real::Kind::kZero : Real::Kind::kFinite;
  r.negative = negative;
  r.exponent = exponent;
  r.significand = significand;
  return r;
}

}  // namespace

Real Real::nan() {
  Real r;
  r.kind = Kind::kNan;
  return r;
}
Real Real::infinity(bool negative) {
  Real r;
  r.kind = Kind::kInfinite;
  r.negative = negative;
  return r;
}
Real Real::zero(bool negative) { return finite(negative, 0, 0); }
Real Real::integer(bool negative, std::uint64_t magnitude) { return finite(negative, 0, magnitude); }

std::uint64_t nan_of(Format format, const std::uint64_t* operands, int count) {
  if (format.exponent == kF64.exponent)
    for (int i = 0; i < count; ++i)
      if (format.is_nan(operands[i])) return operands[i] | 1ull << (format.fraction - 1);
  return format.canonical_nan();
}

Real unpack(Format format, std::uint64_t bits) {
  const bool negative = (bits & format.sign_bit()) != 0;
  const std::uint64_t fraction = bits & ((1ull << format.fraction) - 1);
  const int biased = static_cast<int>((bits >> format.fraction) & ((1ull << format.exponent) - 1));
  if (biased == (1 << format.exponent) - 1) return fraction != 0 ? Real::nan() : Real::infinity(negative);
  const std::uint64_t hidden = biased != 0 ? 1ull << format.fraction : 0;
  return finite(negative, std::max(biased, 1) - format.bias() - format.fraction, fraction | hidden);
}

std::uint64_t pack(Format format, const Real& value, Round round) {
  if (value.is_nan()) return format.canonical_nan();
  const std::uint64_t sign = value.negative ? format.sign_bit() : 0;
  if (value.kind == Real::Kind::kInfinite) return sign | format.infinity();
  if (value.is_zero()) return sign;
  // The exponent of the leading bit, not below that of the smallest normal number.
  const int leading = std::max(value.exponent + top_bit(value.significand), 1 - format.bias());
  const int drop = leading - format.fraction - value.exponent;
  Bits128 kept = 0;
  bool up = false;
  if (drop <= 0) {
    kept = value.significand << -drop;
  } else if (drop > 127) {  // all of it lies below half of the last place
    up = goes_up(value.negative, false, 1, 2, round);
  } else {
    kept = value.significand >> drop;
    up = goes_up(value.negative, (kept & 1) != 0, value.significand & ((Bits128{1} << drop) - 1),
                 Bits128{1} << (drop - 1), round);
  }
  // The hidden bit and a carry out of the fraction add to the exponent field.
  const std::int64_t field = static_cast<std::int64_t>(leading + format.bias() - 1) << format.fraction;
  const std::uint64_t magnitude = static_cast<std::uint64_t>(field) + static_cast<std::uint64_t>(kept) + up;
  if (magnitude < format.infinity()) return sign | magnitude;
  const bool to_infinity = round == Round::kNearestEven || (round == Round::kUp && !value.negative) ||
                           (round == Round::kDown && value.negative);
  return sign | (format.infinity() - !to_infinity);
}

std::uint64_t flush(Format format, std::uint64_t bits) {
  return (bits & format.infinity()) == 0 ? bits & format.sign_bit() : bits;
}

Real negate(Real a) {
  a.negative = !a.negative;
  return a;
}

Real add(Real a, Real b, Round round) {
  if (a.is_nan() || b.is_nan()) return Real::nan();
  if (a.kind == Real::Kind::kInfinite || b.kind == Real::Kind::kInfinite) {
    if (a.kind == b.kind && a.negative != b.negative) return Real::nan();
    return a.kind == Real::Kind::kInfinite ? a : b;
  }
  if (a.is_zero() && b.is_zero())
    return Real::zero(a.negative == b.negative ? a.negative : round == Round::kDown);
  if (a.is_zero()) return b;
  if (b.is_zero()) return a;
  normalise(a);
  normalise(b);
  if (a.exponent < b.exponent) std::swap(a, b);
  const Bits128 small = shift_right_sticky(b.significand, a.exponent - b.exponent);
  if (a.negative == b.negative) return finite(a.negative, a.exponent, a.significand + small);
  if (a.significand == small) return Real::zero(round == Round::kDown);
  return a.significand > small ? finite(a.negative, a.exponent, a.significand - small)
                               : finite(b.negative, a.exponent, small - a.significand);
}

Real multiply(const Real& a, const Real& b) {
  const bool negative = a.negative != b.negative;
  if (a.is_nan() || b.is_nan()) return Real::nan();
  if (a.kind == Real::Kind::kInfinite || b.kind == Real::Kind::kInfinite)
    return a.is_zero() || b.is_zero() ? Real::nan() : Real::infinity(negative);
  return finite(negative, a.exponent + b.exponent, a.significand * b.significand);
}

Real divide(const Real& a, const Real& b) {
  const bool negative = a.negative != b.negative;
  if (a.is_nan() || b.is_nan()) return Real::nan();
  if (a.kind == Real::Kind::kInfinite)
    return b.kind == Real::Kind::kInfinite ? Real::nan() : Real::infinity(negative);
  if (b.kind == Real::Kind::kInfinite) return Real::zero(negative);
  if (b.is_zero()) return a.is_zero() ? Real::nan() : Real::infinity(negative);
  if (a.is_zero()) return Real::zero(negative);
  Real dividend = a;
  normalise(dividend);  // 125 bits over at most 53: a quotient of at least 72
  const Bits128 quotient = dividend.significand / b.significand;
  const bool rest = dividend.significand % b.significand != 0;
  return finite(negative, dividend.exponent - b.exponent, quotient | rest);
}

Real square_root(const Real& a) {
  if (a.is_nan() || a.is_zero()) return a;
  if (a.negative) return Real::nan();
  if (a.kind == Real::Kind::kInfinite) return a;
  Real r = a;
  normalise(r);
  if (r.exponent % 2 != 0) {
    r.significand <<= 1;
    --r.exponent;
  }
  Bits128 root = 0;  // bit by bit: the largest whose square is not above
  for (int i = 63; i >= 0; --i) {
    const Bits128 next = root | (Bits128{1} << i);
    if (next <= r.significand / next) root = next;
  }
  const bool rest = root * root != r.significand;
  return finite(false, r.exponent / 2 - 1, (root << 1) | rest);
}

Real round_to_integer(const Real& a, Round round) {
  if (a.kind != Real::Kind::kFinite || a.exponent >= 0) return a;
  const int drop = -a.exponent;
  if (drop > 126) return finite(a.negative, 0, goes_up(a.negative, false, 1, 2, round));
  const Bits128 kept = a.significand >> drop;
  const bool up = goes_up(a.negative, (kept & 1) != 0, a.significand & ((Bits128{1} << drop) - 1),
                          Bits128{1} << (drop - 1), round);
  return finite(a.negative, 0, kept + up);
}

int compare(const Real& a, const Real& b) {
  if (a.is_zero() && b.is_zero()) return 0;
  if (a.kind == Real::Kind::kInfinite && b.kind == Real::Kind::kInfinite && a.negative == b.negative)
    return 0;
  const Real difference = add(a, negate(b), Round::kNearestEven);
  return difference.is_zero() ? 0 : difference.negative ? -1 : 1;
}

__int128 clamp_to_integer(const Real& value, __int128 least, __int128 most) {
  if (value.is_zero()) return std::clamp<__int128>(0, least, most);
  if (value.kind == Real::Kind::kInfinite || value.exponent + top_bit(value.significand) > 100)
    return value.negative ? least : most;
  const Bits128 magnitude =
      value.exponent >= 0 ? value.significand << value.exponent : value.significand >> -value.exponent;
  const auto whole = static_cast<__int128>(magnitude);
  return std::clamp(value.negative ? -whole : whole, least, most);
}

}  // namespace warpvp::reference
