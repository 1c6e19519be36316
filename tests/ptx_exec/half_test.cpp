// Half precision and smaller floats against floating point by integer arithmetic
// (tests/ptx_reference/soft_float.h): every number where there is one operand, and edges and random numbers
// where there are more.

#include <gmock/gmock.h>

#include <cmath>
#include <random>

#include "tests/ptx_exec/op_harness.h"
#include "tests/ptx_reference/soft_float.h"

namespace warpvp::ptx::testing {
namespace {

using reference::Format;
using reference::Real;
using reference::Round;
using u64 = std::uint64_t;

constexpr u64 kNan = 0x7fff;
constexpr Format kF16{10, 5}, kBf16{7, 8};

struct Half {
  Type one, two;
  Format format;
  u64 unit;
};
const Half kHalves[] = {{Type::f16, Type::f16x2, kF16, 0x3c00}, {Type::bf16, Type::bf16x2, kBf16, 0x3f80}};

std::vector<u64> all_numbers() {
  std::vector<u64> all;
  for (u64 v = 0; v < 0x10000; ++v) all.push_back(v);
  return all;
}
/// Of both formats: zeros, least and greatest subnormal and normal numbers, 1 and its neighbours, infinities,
/// NaNs.
std::vector<u64> numbers(unsigned random) {
  std::vector<u64> v;
  for (const u64 m : {0x0000u, 0x0001u, 0x0002u, 0x007fu, 0x0080u, 0x0081u, 0x03ffu, 0x0400u, 0x0401u,
                      0x1400u, 0x3bffu, 0x3c00u, 0x3c01u, 0x3f7fu, 0x3f80u, 0x3f81u, 0x4200u, 0x7bffu,
                      0x7c00u, 0x7c01u, 0x7e00u, 0x7f7fu, 0x7f80u, 0x7f81u, 0x7fffu})
    for (const u64 sign : {0u, 0x8000u}) v.push_back(m | sign);
  std::mt19937 rng(random);
  for (unsigned i = 0; i < random; ++i) v.push_back(rng() & 0xffff);
  return v;
}
std::vector<u64> every_third(const std::vector<u64>& of) {
  std::vector<u64> v;
  for (std::size_t i = 0; i < of.size(); i += 3) v.push_back(of[i]);
  return v;
}
/// Pairs of them: each number in both places.
std::vector<u64> pairs(const std::vector<u64>& of) {
  std::vector<u64> v;
  for (std::size_t i = 0; i < of.size(); ++i) v.push_back(of[i] << 16 | of[of.size() - 1 - i]);
  return v;
}

u64 modified(const Half& h, const Modifiers& m, u64 r) {
  if (m.ftz) r = reference::flush(h.format, r);
  const bool nan = h.format.is_nan(r), negative = (r & 0x8000) != 0;
  if (m.sat) return nan || negative ? 0 : std::min(r, h.unit);
  return m.relu && negative && !nan ? 0 : r;
}

using Compute = std::function<Real(const Real&, const Real&, const Real&)>;

/// One of them and two of them, with each set of modifiers.
void check_arithmetic(const Half& h, Opcode opcode, unsigned operands, const std::vector<Modifiers>& variants,
                      const std::vector<u64>& values, const Compute& compute) {
  for (const Modifiers& variant : variants) {
    const auto one = [&](u64 a, u64 b, u64 c) {
      const auto source = [&](u64 v) {
        return reference::unpack(h.format, variant.ftz ? reference::flush(h.format, v & 0xffff) : v & 0xffff);
      };
      const Real r = compute(source(a), source(b), source(c));
      return modified(h, variant, r.is_nan() ? kNan : reference::pack(h.format, r, Round::kNearestEven));
    };
    OpSpec s{opcode, variant, 32, std::vector<unsigned>(operands, 32)};
    s.m.type = h.one;
    const auto third = [&](auto& o, unsigned k) { return k < o.size() ? o[k] : 0; };
    check(s, std::vector<std::vector<u64>>(operands, values),
          [&](auto& o) { return one(o[0], third(o, 1), third(o, 2)); });
    s.m.type = h.two;
    check(s, std::vector<std::vector<u64>>(operands, pairs(values)), [&](auto& o) {
      const u64 b = third(o, 1), c = third(o, 2);
      return one(o[0], b, c) | one(o[0] >> 16, b >> 16, c >> 16) << 16;
    });
  }
}

std::vector<Modifiers> variants_of(const Half& h, bool sat, bool relu) {
  std::vector<Modifiers> v(1);
  v[0].rounding = Rounding::rn;
  const bool f16 = h.one == Type::f16;
  for (unsigned bits = 1; bits < 8; ++bits) {
    Modifiers m = v[0];
    m.ftz = (bits & 1) != 0;
    m.sat = (bits & 2) != 0;
    m.relu = (bits & 4) != 0;
    if ((m.ftz && !f16) || (m.sat && (!f16 || !sat || m.relu)) || (m.relu && !relu)) continue;
    v.push_back(m);
  }
  return v;
}

TEST(HalfPrecision, SumsDifferencesAndProductsAreRoundedOnce) {
  for (const Half& h : kHalves) {
    const auto variants = variants_of(h, true, false);
    const auto values = numbers(60);
    check_arithmetic(h, Opcode::add, 2, variants, values, [](const Real& a, const Real& b, const Real&) {
      return reference::add(a, b, Round::kNearestEven);
    });
    check_arithmetic(h, Opcode::sub, 2, variants, values, [](const Real& a, const Real& b, const Real&) {
      return reference::add(a, reference::negate(b), Round::kNearestEven);
    });
    check_arithmetic(h, Opcode::mul, 2, variants, values,
                     [](const Real& a, const Real& b, const Real&) { return reference::multiply(a, b); });
  }
}

TEST(HalfPrecision, FusedMultiplyAddsAreRoundedOnce) {
  for (const Half& h : kHalves)
    check_arithmetic(h, Opcode::fma, 3, variants_of(h, true, true), every_third(numbers(30)),
                     [](const Real& a, const Real& b, const Real& c) {
                       return reference::add(reference::multiply(a, b), c, Round::kNearestEven);
                     });
}

TEST(HalfPrecision, SignsOfEveryNumber) {
  for (const Half& h : kHalves) {
    for (const bool ftz : {false, true}) {
      if (ftz && h.one == Type::bf16) continue;
      const auto source = [&](u64 v) { return ftz ? reference::flush(h.format, v) : v; };
      OpSpec s{Opcode::neg, typed(h.one), 32, {32}};
      s.m.ftz = ftz;
      check(s, {all_numbers()},
            [&](auto& o) { return h.format.is_nan(o[0]) ? kNan : source(o[0]) ^ 0x8000; });
      s.opcode = Opcode::abs;
      check(s, {all_numbers()},
            [&](auto& o) { return h.format.is_nan(o[0]) ? kNan : source(o[0]) & 0x7fff; });
    }
  }
}

TEST(HalfPrecision, MinimumAndMaximum) {
  for (const Half& h : kHalves) {
    for (const Opcode opcode : {Opcode::min, Opcode::max}) {
      for (unsigned bits = 0; bits < 8; ++bits) {
        Modifiers m;
        m.nan = (bits & 1) != 0;
        m.xor_sign_abs = (bits & 2) != 0;
        m.ftz = (bits & 4) != 0;
        if (m.ftz && h.one == Type::bf16) continue;
        const auto one = [&](u64 a, u64 b) -> u64 {
          a &= 0xffff, b &= 0xffff;
          if (m.ftz) a = reference::flush(h.format, a), b = reference::flush(h.format, b);
          const u64 sign = (a ^ b) & 0x8000;
          if (m.xor_sign_abs) a &= 0x7fff, b &= 0x7fff;
          const Real x = reference::unpack(h.format, a), y = reference::unpack(h.format, b);
          if ((x.is_nan() && y.is_nan()) || (m.nan && (x.is_nan() || y.is_nan()))) return kNan;
          u64 r;
          if (x.is_nan() || y.is_nan()) {
            r = x.is_nan() ? b : a;
          } else {
            int order = reference::compare(x, y);
            if (order == 0) order = static_cast<int>(y.negative) - static_cast<int>(x.negative);
            r = (opcode == Opcode::min ? order <= 0 : order >= 0) ? a : b;
          }
          return m.xor_sign_abs ? r | sign : r;
        };
        OpSpec s{opcode, m, 32, {32, 32}};
        s.m.type = h.one;
        check(s, {numbers(20), numbers(20)}, [&](auto& o) { return one(o[0], o[1]); });
        s.m.type = h.two;
        check(s, {pairs(numbers(20)), pairs(numbers(20))},
              [&](auto& o) { return one(o[0], o[1]) | one(o[0] >> 16, o[1] >> 16) << 16; });
      }
    }
  }
}

TEST(HalfPrecision, ApproximationsAreWithinTheirBounds) {
  for (const Half& h : kHalves) {
    const auto value = [&](u64 bits) {
      const Real r = reference::unpack(h.format, bits);
      if (r.is_nan()) return std::nan("");
      const double v = r.kind == Real::Kind::kInfinite
                           ? INFINITY
                           : std::ldexp(static_cast<double>(r.significand), r.exponent);
      return r.negative ? -v : v;
    };
    for (const Opcode opcode : {Opcode::ex2, Opcode::tanh}) {
      OpSpec s{opcode, typed(h.one), 32, {32}};
      s.m.rounding = Rounding::approx;
      OpRunner runner(s, isa_level());
      ASSERT_TRUE(runner.ok());
      for (u64 v = 0; v < 0x10000; v += kWarpSize) {
        Lanes in{}, before{};
        for (unsigned i = 0; i < kWarpSize; ++i) in[i] = v + i;
        const Lanes out = runner.run({in}, ~0u, before);
        for (unsigned i = 0; i < kWarpSize; ++i) {
          const double x = value(v + i), want = opcode == Opcode::ex2 ? std::exp2(x) : std::tanh(x);
          const double got = value(out[i]);
          if (std::isnan(want)) {
            EXPECT_EQ(out[i], kNan);
            continue;
          }
          // Half of the last place, in the format's range.
          const double least = std::ldexp(1, 1 - h.format.bias() - h.format.fraction);
          const double most = value(h.format.infinity() - 1);
          if (std::fabs(want) > most) {
            EXPECT_TRUE(std::isinf(got) || std::fabs(got) == most) << v + i;
          } else {
            EXPECT_LE(std::fabs(got - want),
                      std::max(std::fabs(want) * std::ldexp(0.5, -h.format.fraction), least / 2))
                << v + i;
          }
        }
      }
    }
  }
}

// ---- comparisons

bool holds(Compare c, const Real& a, const Real& b) {
  const bool unordered = a.is_nan() || b.is_nan();
  if (c == Compare::num || c == Compare::nan) return unordered == (c == Compare::nan);
  if (unordered) return c >= Compare::equ && c <= Compare::geu;
  const int order = reference::compare(a, b);
  switch (c) {
    case Compare::eq:
    case Compare::equ:
      return order == 0;
    case Compare::ne:
    case Compare::neu:
      return order != 0;
    case Compare::lt:
    case Compare::ltu:
      return order < 0;
    case Compare::le:
    case Compare::leu:
      return order <= 0;
    case Compare::gt:
    case Compare::gtu:
      return order > 0;
    default:
      return order >= 0;
  }
}

TEST(HalfPrecision, ComparesOneAndTwo) {
  const Compare kAll[] = {Compare::eq,  Compare::ne,  Compare::lt,  Compare::le,  Compare::gt,
                          Compare::ge,  Compare::equ, Compare::neu, Compare::ltu, Compare::leu,
                          Compare::gtu, Compare::geu, Compare::num, Compare::nan};
  for (const Half& h : kHalves) {
    for (const Compare c : kAll) {
      for (const bool ftz : {false, true}) {
        if (ftz && h.one == Type::bf16) continue;
        const auto one = [&](u64 a, u64 b) {
          const auto source = [&](u64 v) {
            return reference::unpack(h.format, ftz ? reference::flush(h.format, v & 0xffff) : v & 0xffff);
          };
          return holds(c, source(a), source(b));
        };
        OpSpec s{Opcode::setp, typed(h.one), 1, {32, 32}, 0, 1};
        s.m.compare = c;
        s.m.ftz = ftz;
        check(s, {numbers(10), numbers(10)}, [&](auto& o) { return u64{one(o[0], o[1])}; });
        s.m.type = h.two;
        check(s, {pairs(numbers(10)), pairs(numbers(10))}, [&](auto& o) { return u64{one(o[0], o[1])}; });
        s.opcode = Opcode::set;
        s.dst = 32;
        s.dst2 = 0;
        s.m.src_type = h.two;
        check(s, {pairs(numbers(10)), pairs(numbers(10))}, [&](auto& o) {
          return (one(o[0], o[1]) ? h.unit : 0) | (one(o[0] >> 16, o[1] >> 16) ? h.unit << 16 : 0);
        });
        s.m.src_type = h.one;
        const std::pair<Type, u64> kResults[] = {
            {h.one, h.unit}, {Type::u16, 0xffff}, {Type::s16, 0xffff}, {Type::u32, ~0u}, {Type::s32, ~0u}};
        for (const auto& result : kResults) {
          const u64 yes = result.second;
          s.m.type = result.first;
          check(s, {numbers(5), numbers(5)}, [&](auto& o) { return one(o[0], o[1]) ? yes : 0; });
        }
      }
    }
  }
}

// ---- conversions

Round direction(Rounding r) {
  switch (r) {
    case Rounding::rz:
    case Rounding::rzi:
      return Round::kZero;
    case Rounding::rm:
    case Rounding::rmi:
      return Round::kDown;
    case Rounding::rp:
    case Rounding::rpi:
      return Round::kUp;
    default:
      return Round::kNearestEven;
  }
}
constexpr Rounding kDirections[] = {Rounding::rn, Rounding::rz, Rounding::rm, Rounding::rp};

u64 converted(const Half& h, const Modifiers& m, const Real& value) {
  u64 r = value.is_nan() ? kNan : reference::pack(h.format, value, direction(m.rounding));
  if (m.satfinite && (r & 0x7fff) == h.format.infinity()) --r;
  Modifiers rest = m;
  rest.ftz = false;
  return modified(h, rest, r);
}

std::vector<u64> singles() {
  std::vector<u64> v = float_edges();
  // At and beside the middle of neighbours of both formats, and where they end.
  for (const u64 m :
       {0x3f801000u, 0x3f803000u, 0x3f808000u, 0x3f818000u, 0x33000000u, 0x33c00000u, 0x387fe000u,
        0x477fe000u, 0x477fefffu, 0x477ff000u, 0x477fffffu, 0x47800000u, 0x7f7f7fffu, 0x7f7f8000u})
    for (const u64 d : {0u, 1u, ~0u})
      v.insert(v.end(), {(m + d) & 0xffffffff, ((m + d) | 0x80000000) & 0xffffffff});
  std::mt19937 rng(5);
  for (int i = 0; i < 2000; ++i) v.push_back(rng());
  for (int i = 0; i < 2000; ++i) v.push_back((rng() & 0x80ffffff) | 0x38000000 | (rng() & 0x0f000000));
  return v;
}

TEST(HalfPrecision, IsConvertedFromSingleAndDouble) {
  for (const Half& h : kHalves) {
    for (const Rounding r : kDirections) {
      for (const bool sat : {false, true}) {
        OpSpec s{Opcode::cvt, typed(h.one), 32, {32}};
        s.m.src_type = Type::f32;
        s.m.rounding = r;
        s.m.sat = sat;
        check(s, {singles()},
              [&](auto& o) { return converted(h, s.m, reference::unpack(reference::kF32, o[0])); });
        s.src = {64};
        s.m.src_type = Type::f64;
        std::vector<u64> doubles = double_edges();
        for (const u64 v : singles())
          doubles.push_back(
              reference::pack(reference::kF64, reference::unpack(reference::kF32, v), Round::kZero) +
              (v & 1));
        check(s, {doubles}, [&](auto& o) -> u64 {
          const Real v = reference::unpack(reference::kF64, o[0]);
          if (!v.is_nan() || sat) return converted(h, s.m, v);
          // Sign and upper bits of a NaN stay, as on a chip, and it becomes a quiet one.
          const unsigned fraction = h.one == Type::f16 ? 10 : 7;
          return (o[0] >> 63) << 15 | h.format.infinity() | u64{1} << (fraction - 1) |
                 (o[0] & 0xfffffffffffff) >> (52 - fraction);
        });
      }
    }
    for (const Rounding r : {Rounding::rn, Rounding::rz}) {
      for (unsigned bits = 0; bits < 4; ++bits) {
        OpSpec s{Opcode::cvt, typed(h.one), 32, {32}};
        s.m.src_type = Type::f32;
        s.m.rounding = r;
        s.m.relu = (bits & 1) != 0;
        s.m.satfinite = (bits & 2) != 0;
        const auto one = [&](u64 v) { return converted(h, s.m, reference::unpack(reference::kF32, v)); };
        check(s, {singles()}, [&](auto& o) { return one(o[0]); });
        s.m.type = h.two;
        s.src = {32, 32};
        check(s, {float_edges(), float_edges()}, [&](auto& o) { return one(o[0]) << 16 | one(o[1]); });
      }
    }
  }
}

TEST(HalfPrecision, IsConvertedToSingleAndDoubleWithEveryNumber) {
  for (const Half& h : kHalves) {
    OpSpec s{Opcode::cvt, typed(Type::f32), 32, {32}};
    s.m.src_type = h.one;
    check(s, {all_numbers()}, [&](auto& o) -> u64 {
      // A bf16 is the upper half of a single.
      if (h.one == Type::bf16) return o[0] << 16;
      const Real r = reference::unpack(h.format, o[0]);
      return r.is_nan() ? 0x7fffffff : reference::pack(reference::kF32, r, Round::kZero);
    });
    s.m.type = Type::f64;
    s.dst = 64;
    check(s, {all_numbers()}, [&](auto& o) -> u64 {
      const Real r = reference::unpack(h.format, o[0]);
      if (!r.is_nan()) return reference::pack(reference::kF64, r, Round::kZero);
      const unsigned fraction = h.one == Type::f16 ? 10 : 7;
      return (o[0] >> 15) << 63 | 0x7ff8000000000000 | (o[0] & ((1u << fraction) - 1)) << (52 - fraction);
    });
  }
}

TEST(HalfPrecision, AndIntegers) {
  const IntType kTypes[] = {{Type::u8, 8, false},   {Type::s8, 8, true},    {Type::u16, 16, false},
                            {Type::s16, 16, true},  {Type::u32, 32, false}, {Type::s32, 32, true},
                            {Type::u64, 64, false}, {Type::s64, 64, true}};
  for (const Half& h : kHalves) {
    for (const IntType& t : kTypes) {
      for (const Rounding r : {Rounding::rni, Rounding::rzi, Rounding::rmi, Rounding::rpi}) {
        OpSpec s{Opcode::cvt, typed(t.type), reg_bits(t.bits), {32}};
        s.m.src_type = h.one;
        s.m.rounding = r;
        const __int128 most = (__int128{1} << (t.bits - t.is_signed)) - 1,
                       least = t.is_signed ? -most - 1 : 0;
        check(s, {numbers(3000)}, [&](auto& o) -> u64 {
          const Real v = reference::unpack(h.format, o[0]);
          if (v.is_nan()) return t.bits == 64 ? 1ull << 63 : 0;
          const auto n =
              reference::clamp_to_integer(reference::round_to_integer(v, direction(r)), least, most);
          return static_cast<u64>(n) & (reg_bits(t.bits) == 64 ? ~0ull : 0xffffffff);
        });
      }
      for (const Rounding r : kDirections) {
        OpSpec s{Opcode::cvt, typed(h.one), 32, {reg_bits(t.bits)}};
        s.m.src_type = t.type;
        s.m.rounding = r;
        std::vector<u64> values = int_edges(t.bits);
        std::mt19937_64 rng(9);
        for (int i = 0; i < 500; ++i) values.push_back((rng() >> (rng() % 60)) & mask(t.bits));
        check(s, {values}, [&](auto& o) {
          const __int128 n = value(o[0], t);
          return converted(h, s.m, Real::integer(n < 0, static_cast<u64>(n < 0 ? -n : n)));
        });
      }
    }
  }
}

TEST(HalfPrecision, BecomesIntegralOrTheOther) {
  for (const Half& h : kHalves) {
    OpSpec s{Opcode::cvt, typed(h.one), 32, {32}};
    s.m.src_type = h.one;
    for (const Rounding r : {Rounding::rni, Rounding::rzi, Rounding::rmi, Rounding::rpi}) {
      s.m.rounding = r;
      check(s, {all_numbers()}, [&](auto& o) {
        const Real v = reference::unpack(h.format, o[0]);
        return v.is_nan()
                   ? kNan
                   : reference::pack(h.format, reference::round_to_integer(v, direction(r)), Round::kZero);
      });
    }
    const Half& other = &h == &kHalves[0] ? kHalves[1] : kHalves[0];
    for (const Rounding r : kDirections) {
      s.m.rounding = r;
      s.m.src_type = other.one;
      check(s, {all_numbers()},
            [&](auto& o) { return converted(h, s.m, reference::unpack(other.format, o[0])); });
    }
  }
}

TEST(SmallFloats, Tf32KeepsTenBitsOfTheFraction) {
  const Format tf32{10, 8};
  for (const Rounding r : {Rounding::rna, Rounding::rn, Rounding::rz}) {
    OpSpec s{Opcode::cvt, typed(Type::tf32), 32, {32}};
    s.m.src_type = Type::f32;
    s.m.rounding = r;
    check(s, {singles()}, [&](auto& o) -> u64 {
      const Real v = reference::unpack(reference::kF32, o[0]);
      // A NaN is tf32's greatest; .rna keeps it, but for one that has nothing in these bits.
      const u64 kept = o[0] & 0xffffe000;
      if (v.is_nan()) return r == Rounding::rna && (kept & 0x7fffffff) != 0x7f800000 ? kept : 0x7fffe000;
      if (r != Rounding::rna) return reference::pack(tf32, v, direction(r)) << 13;
      // Half of the last place is added to the magnitude.
      const u64 magnitude = o[0] & 0x7fffffff;
      return (magnitude == 0x7f800000 ? o[0] : o[0] + 0x1000) & 0xffffe000;
    });
  }
}

/// What an 8-bit float is worth, by the tables of the OCP specification: NaN where it is none.
double eight_bit_value(u64 bits, bool e4m3) {
  const int fraction_bits = e4m3 ? 3 : 2, bias = e4m3 ? 7 : 15;
  const int exponent = static_cast<int>(bits >> fraction_bits & (e4m3 ? 15 : 31));
  const int fraction = static_cast<int>(bits & (e4m3 ? 7 : 3));
  if (e4m3 ? (bits & 0x7f) == 0x7f : exponent == 31)
    return !e4m3 && fraction == 0 ? ((bits & 0x80) != 0 ? -INFINITY : INFINITY) : std::nan("");
  const double v = exponent == 0
                       ? std::ldexp(fraction, 1 - bias - fraction_bits)
                       : std::ldexp(fraction + (1 << fraction_bits), exponent - bias - fraction_bits);
  return (bits & 0x80) != 0 ? -v : v;
}

TEST(SmallFloats, EightBitsToHalfWithEveryNumber) {
  for (const bool e4m3 : {true, false}) {
    OpSpec s{Opcode::cvt, typed(Type::f16x2), 32, {32}};
    s.m.src_type = e4m3 ? Type::e4m3x2 : Type::e5m2x2;
    s.m.rounding = Rounding::rn;
    const auto one = [&](u64 bits) -> u64 {
      const double v = eight_bit_value(bits, e4m3);
      if (std::isnan(v)) return kNan;
      u64 d;
      std::memcpy(&d, &v, sizeof d);
      return reference::pack(kF16, reference::unpack(reference::kF64, d), Round::kNearestEven);
    };
    check(s, {all_numbers()}, [&](auto& o) { return one(o[0] >> 8) << 16 | one(o[0] & 0xff); });
  }
}

TEST(SmallFloats, SinglesBecomeTheNearestOfEightBits) {
  for (const bool e4m3 : {true, false}) {
    const auto nearest = [&](double v) -> u64 {
      if (std::isnan(v)) return 0x7f;
      const u64 greatest = e4m3 ? 0x7e : 0x7b;
      u64 best = std::fabs(v) > eight_bit_value(greatest, e4m3) ? greatest : 0;
      if (best != 0) return best | (std::signbit(v) ? 0x80 : 0);
      for (u64 bits = 0; bits < 0x80; ++bits) {
        const double candidate = eight_bit_value(bits, e4m3), now = eight_bit_value(best, e4m3);
        if (std::isnan(candidate) || std::isinf(candidate)) continue;
        const double to = std::fabs(std::fabs(v) - candidate), at = std::fabs(std::fabs(v) - now);
        if (to < at || (to == at && (bits & 1) == 0)) best = bits;
      }
      return best | (std::signbit(v) ? 0x80 : 0);
    };
    for (const bool relu : {false, true}) {
      OpSpec s{Opcode::cvt, typed(e4m3 ? Type::e4m3x2 : Type::e5m2x2), 32, {32, 32}};
      s.m.src_type = Type::f32;
      s.m.rounding = Rounding::rn;
      s.m.satfinite = true;
      s.m.relu = relu;
      const auto one = [&](double v) { return relu && std::signbit(v) && !std::isnan(v) ? 0 : nearest(v); };
      std::vector<u64> values = float_edges();
      for (u64 n = 0; n < 0xff; ++n) {
        const auto v = static_cast<float>(eight_bit_value(n, e4m3));
        const auto up = static_cast<float>(eight_bit_value(n + 1, e4m3));
        if (!std::isfinite(v) || !std::isfinite(up)) continue;
        values.insert(values.end(), {bits((v + up) / 2), bits(std::nextafter((v + up) / 2, up))});
      }
      check(s, {values, {0x3f800000, 0xc2000000}},
            [&](auto& o) { return one(f32(o[0])) << 8 | one(f32(o[1])); });
      s.m.src_type = Type::f16x2;
      s.src = {32};
      check(s, {pairs(numbers(500))}, [&](auto& o) {
        const auto half = [](u64 v) {
          const u64 d = reference::pack(reference::kF64, reference::unpack(kF16, v), Round::kZero);
          double x;
          std::memcpy(&x, &d, sizeof x);
          return x;
        };
        return one(half(o[0] >> 16)) << 8 | one(half(o[0] & 0xffff));
      });
    }
  }
}

}  // namespace
}  // namespace warpvp::ptx::testing
