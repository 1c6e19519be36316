// setp, set, selp, slct and cvt.

#include <cfenv>
#include <cmath>

#include "tests/ptx_exec/op_harness.h"

namespace warpvp::ptx::testing {
namespace {

constexpr IntType kInts[] = {{Type::u8, 8, false},   {Type::s8, 8, true},    {Type::u16, 16, false},
                             {Type::s16, 16, true},  {Type::u32, 32, false}, {Type::s32, 32, true},
                             {Type::u64, 64, false}, {Type::s64, 64, true}};

template <class V>
bool ordered(Compare c, V a, V b) {
  switch (c) {
    case Compare::eq:
      return a == b;
    case Compare::ne:
      return a != b;
    case Compare::lt:
    case Compare::lo:
      return a < b;
    case Compare::le:
    case Compare::ls:
      return a <= b;
    case Compare::gt:
    case Compare::hi:
      return a > b;
    default:
      return a >= b;
  }
}

TEST(Compare, IntegersOfEveryTypeAndOrder) {
  for (const IntType& t : kInts) {
    if (t.bits == 8) continue;
    const auto e = int_edges(t.bits);
    const unsigned r = reg_bits(t.bits);
    for (const Compare c : {Compare::eq, Compare::ne, Compare::lt, Compare::le, Compare::gt, Compare::ge,
                            Compare::lo, Compare::ls, Compare::hi, Compare::hs}) {
      OpSpec s{Opcode::setp, typed(t.type), 1, {r, r}};
      s.m.compare = c;
      const bool unsigned_only = c >= Compare::lo && c <= Compare::hs;
      if (unsigned_only && t.is_signed) {
        EXPECT_TRUE(refused(s));
        continue;
      }
      check(s, {e, e}, [&](auto& o) { return ordered(c, value(o[0], t), value(o[1], t)); });
    }
  }
  OpSpec untyped{Opcode::setp, typed(Type::b32), 1, {32, 32}};
  untyped.m.compare = Compare::lt;
  EXPECT_TRUE(refused(untyped)) << "bits have no order";
}

bool float_holds(Compare c, double a, double b) {
  const bool unordered = std::isnan(a) || std::isnan(b);
  switch (c) {
    case Compare::num:
      return !unordered;
    case Compare::nan:
      return unordered;
    case Compare::equ:
      return unordered || a == b;
    case Compare::neu:
      return unordered || a != b;
    case Compare::ltu:
      return unordered || a < b;
    case Compare::leu:
      return unordered || a <= b;
    case Compare::gtu:
      return unordered || a > b;
    case Compare::geu:
      return unordered || a >= b;
    default:
      return !unordered && ordered(c, a, b);
  }
}
const Compare kFloatCompares[] = {Compare::eq,  Compare::ne,  Compare::lt,  Compare::le,  Compare::gt,
                                  Compare::ge,  Compare::equ, Compare::neu, Compare::ltu, Compare::leu,
                                  Compare::gtu, Compare::geu, Compare::num, Compare::nan};
double flushed(std::uint64_t v, bool ftz) { return f32(ftz && (v & 0x7f800000) == 0 ? v & 0x80000000 : v); }

TEST(Compare, FloatsOrderedAndUnordered) {
  for (const Compare c : kFloatCompares) {
    for (const bool ftz : {false, true}) {
      OpSpec s{Opcode::setp, typed(Type::f32), 1, {32, 32}};
      s.m.compare = c;
      s.m.ftz = ftz;
      check(s, {float_edges(), float_edges()},
            [&](auto& o) { return float_holds(c, flushed(o[0], ftz), flushed(o[1], ftz)); });
    }
    OpSpec d{Opcode::setp, typed(Type::f64), 1, {64, 64}};
    d.m.compare = c;
    check(d, {double_edges(), double_edges()}, [&](auto& o) { return float_holds(c, f64(o[0]), f64(o[1])); });
  }
}

TEST(Compare, TwoDestinationsAndBooleanCombination) {
  for (const BoolOp op : {BoolOp::and_, BoolOp::or_, BoolOp::xor_}) {
    const auto combine = [op](bool a, bool b) {
      return op == BoolOp::and_ ? a && b : op == BoolOp::or_ ? a || b : a != b;
    };
    OpSpec s{Opcode::setp, typed(Type::s32), 1, {32, 32, 1}};
    s.dst2 = 1;
    s.m.compare = Compare::lt;
    s.m.bool_op = op;
    for (const IsaLevel level : available_levels()) {
      OpRunner runner(s, level);
      ASSERT_TRUE(runner.ok());
      Lanes a, b, c;
      for (unsigned i = 0; i < kWarpSize; ++i) a[i] = i % 5, b[i] = i % 3, c[i] = i & 1;
      const Lanes p = runner.run({a, b, c}, ~0u, Lanes{});
      const Lanes q = runner.second();
      for (unsigned i = 0; i < kWarpSize; ++i) {
        EXPECT_EQ(p[i], combine(a[i] < b[i], c[i]));
        EXPECT_EQ(q[i], combine(!(a[i] < b[i]), c[i]));
      }
    }
  }
}

TEST(Compare, SetGivesAllOnesOrOnePointZero) {
  for (const Type to : {Type::u32, Type::s32, Type::f32}) {
    OpSpec s{Opcode::set, typed(to), 32, {32, 32}};
    s.m.src_type = Type::f32;
    s.m.compare = Compare::gtu;
    check(s, {float_edges(), float_edges()}, [&](auto& o) {
      return float_holds(Compare::gtu, f32(o[0]), f32(o[1])) ? (to == Type::f32 ? 0x3f800000u : 0xffffffffu)
                                                             : 0u;
    });
  }
  OpSpec wide{Opcode::set, typed(Type::u32), 32, {64, 64}};
  wide.m.src_type = Type::s64;
  wide.m.compare = Compare::le;
  check(wide, {int_edges(64), int_edges(64)}, [](auto& o) {
    return static_cast<std::int64_t>(o[0]) <= static_cast<std::int64_t>(o[1]) ? 0xffffffffu : 0u;
  });
}

TEST(Compare, SelectsByPredicateAndBySign) {
  for (const auto& [type, r] :
       {std::pair{Type::b16, 32u}, {Type::f32, 32u}, {Type::s64, 64u}, {Type::f64, 64u}}) {
    check({Opcode::selp, typed(type), r, {r, r, 1}}, {int_edges(r), {11, 22, 33}, {0, 1}},
          [](auto& o) { return o[2] ? o[0] : o[1]; });
  }
  OpSpec s{Opcode::slct, typed(Type::b32), 32, {32, 32, 32}};
  s.m.src_type = Type::s32;
  check(s, {{7}, {9}, int_edges(32)},
        [](auto& o) { return static_cast<std::int32_t>(o[2]) >= 0 ? o[0] : o[1]; });
  s.m.src_type = Type::f32;
  for (const bool ftz : {false, true}) {
    s.m.ftz = ftz;
    check(s, {{7}, {9}, float_edges()}, [&](auto& o) { return flushed(o[2], ftz) >= 0 ? o[0] : o[1]; });
  }
  OpSpec wide{Opcode::slct, typed(Type::u64), 64, {64, 64, 32}};
  wide.m.src_type = Type::s32;
  check(wide, {{7}, {~0ull}, int_edges(32)},
        [](auto& o) { return static_cast<std::int32_t>(o[2]) >= 0 ? o[0] : o[1]; });
}

// ---- cvt

OpSpec cvt(Type to, Type from, unsigned dst, unsigned src, Rounding r = Rounding::kNone, bool sat = false,
           bool ftz = false) {
  OpSpec s{Opcode::cvt, typed(to), dst, {src}};
  s.m.src_type = from;
  s.m.rounding = r;
  s.m.sat = sat;
  s.m.ftz = ftz;
  return s;
}

TEST(Convert, BetweenAllIntegerTypes) {
  for (const IntType& to : kInts) {
    for (const IntType& from : kInts) {
      const auto e = int_edges(from.bits == 8 ? 16 : from.bits);
      const unsigned d = reg_bits(to.bits), s = reg_bits(from.bits);
      // The whole register is defined: narrow results are extended to it.
      const auto plain = [&](auto& o) {
        const std::uint64_t low = static_cast<std::uint64_t>(value(o[0], from)) & mask(to.bits);
        return static_cast<std::uint64_t>(value(low, to)) & mask(d);
      };
      const auto saturated = [&](auto& o) {
        const __int128 min = to.is_signed ? -(static_cast<__int128>(1) << (to.bits - 1)) : 0;
        const __int128 max = (static_cast<__int128>(1) << (to.bits - (to.is_signed ? 1 : 0))) - 1;
        const __int128 v = std::min(std::max(value(o[0], from), min), max);
        return static_cast<std::uint64_t>(v) & mask(d);
      };
      check(cvt(to.type, from.type, d, s), {e}, plain);
      check(cvt(to.type, from.type, d, s, Rounding::kNone, true), {e}, saturated);
    }
  }
}

TEST(Convert, RegistersWiderThanTheirTypes) {
  // cvt.s16.s8 into a 64-bit register extends to it; a 64-bit source contributes its low bits.
  check(cvt(Type::s16, Type::s8, 64, 64), {int_edges(64)}, [](auto& o) {
    return static_cast<std::uint64_t>(static_cast<std::int64_t>(static_cast<std::int8_t>(o[0])));
  });
  check(cvt(Type::u32, Type::u16, 64, 32), {int_edges(32)}, [](auto& o) { return o[0] & 0xffff; });
}

double integral(double v, Rounding r) {
  switch (r) {
    case Rounding::rzi:
      return std::trunc(v);
    case Rounding::rmi:
      return std::floor(v);
    case Rounding::rpi:
      return std::ceil(v);
    default:
      return std::nearbyint(v);
  }
}

TEST(Convert, FloatsToIntegersRoundAndClamp) {
  std::vector<std::uint64_t> singles = float_edges(), doubles = double_edges();
  for (const double v :
       {0.5,    1.5,     2.5,     -0.5,  -1.5,         -2.5,         127.5, 128.0, 255.4,  255.6, -128.5,
        -129.0, 32767.5, 65535.5, -0.25, 2147483647.5, 4294967295.5, 1e10,  -1e10, 9.3e18, 1.9e19}) {
    singles.push_back(bits(static_cast<float>(v)));
    doubles.push_back(bits(v));
  }
  for (const IntType& to : kInts) {
    const unsigned d = reg_bits(to.bits);
    for (const Rounding r : {Rounding::rni, Rounding::rzi, Rounding::rmi, Rounding::rpi}) {
      const auto convert = [&](double v, bool from_double) -> std::uint64_t {
        // A NaN becomes 0 when neither side has 64 bits, else only the top bit of the destination is set.
        if (std::isnan(v))
          return from_double || to.bits == 64
                     ? static_cast<std::uint64_t>(value(1ull << (to.bits - 1), to)) & mask(d)
                     : 0;
        const double low = to.is_signed ? -std::ldexp(1.0, static_cast<int>(to.bits) - 1) : 0;
        const double high = std::ldexp(1.0, static_cast<int>(to.bits) - (to.is_signed ? 1 : 0));
        const double x = integral(v, r);
        __int128 i = x >= high ? (static_cast<__int128>(1) << (to.bits - (to.is_signed ? 1 : 0))) - 1
                     : x < low ? static_cast<__int128>(low)
                               : static_cast<__int128>(x);
        return static_cast<std::uint64_t>(i) & mask(d);
      };
      for (const bool ftz : {false, true}) {
        check(cvt(to.type, Type::f32, d, 32, r, false, ftz), {singles},
              [&](auto& o) { return convert(flushed(o[0], ftz), false); });
      }
      check(cvt(to.type, Type::f64, d, 64, r), {doubles}, [&](auto& o) { return convert(f64(o[0]), true); });
    }
    EXPECT_TRUE(refused(cvt(to.type, Type::f32, d, 32))) << "needs a rounding";
  }
}

/// Reference by long double, whose 64-bit significand holds every integer exactly; the one rounding follows.
template <class F>
F rounded_to(long double v, Rounding r) {
  volatile long double x = v;
  std::fesetround(r == Rounding::rz   ? FE_TOWARDZERO
                  : r == Rounding::rm ? FE_DOWNWARD
                  : r == Rounding::rp ? FE_UPWARD
                                      : FE_TONEAREST);
  volatile F f = static_cast<F>(x);
  std::fesetround(FE_TONEAREST);
  return f;
}

TEST(Convert, IntegersToFloatsInEveryDirection) {
  for (const IntType& from : kInts) {
    auto e = int_edges(from.bits == 8 ? 16 : from.bits);
    for (std::uint64_t v : {0x01000001ull, 0x01000003ull, 0xffffff7full, 0xffffff80ull, 0xffffff81ull,
                            0x20000000000001ull, 0x20000000000003ull, 0xfffffffffffffbffull,
                            0xfffffffffffffc00ull, 0x8000008000000000ull, 0x8000008000000001ull})
      e.push_back(v & mask(from.bits == 8 ? 16 : from.bits));
    for (const Rounding r : {Rounding::rn, Rounding::rz, Rounding::rm, Rounding::rp}) {
      const unsigned s = reg_bits(from.bits);
      check(cvt(Type::f32, from.type, 32, s, r), {e},
            [&](auto& o) { return bits(rounded_to<float>(static_cast<long double>(value(o[0], from)), r)); });
      check(cvt(Type::f64, from.type, 64, s, r), {e}, [&](auto& o) {
        return bits(rounded_to<double>(static_cast<long double>(value(o[0], from)), r));
      });
    }
  }
  check(cvt(Type::f32, Type::s32, 32, 32, Rounding::rn, true), {{0, 1, 2, 0xffffffff}},
        [](auto& o) { return o[0] == 0 || o[0] == 0xffffffff ? 0 : 0x3f800000; });
}

TEST(Convert, BetweenFloats) {
  const auto nan32 = [](float f) { return std::isnan(f) ? 0x7fffffffull : bits(f); };
  const auto flush = [](std::uint64_t v, bool ftz) {
    return ftz && (v & 0x7f800000) == 0 ? v & 0x80000000 : v;
  };
  // NaNs keep their sign and what of the payload there is room for, and become quiet.
  const auto widened = [](std::uint64_t v) {
    return (v & 0x80000000) << 32 | 0x7ff8000000000000ull | (v & 0x7fffff) << 29;
  };
  const auto narrowed = [](std::uint64_t v) {
    return (v >> 32 & 0x80000000) | 0x7fc00000 | (v >> 29 & 0x7fffff);
  };
  const auto saturate = [](std::uint64_t v) {
    return (v & 0x7fffffff) > 0x7f800000 || (v >> 31) ? 0 : std::min<std::uint64_t>(v, 0x3f800000);
  };
  for (const bool ftz : {false, true}) {
    check(cvt(Type::f64, Type::f32, 64, 32, Rounding::kNone, false, ftz), {float_edges()},
          [&](auto& o) -> std::uint64_t {
            if (std::isnan(f32(o[0]))) return widened(ftz ? 0x7fffffff : o[0]);
            return bits(static_cast<double>(f32(flush(o[0], ftz))));
          });
    for (const Rounding r : {Rounding::rn, Rounding::rz, Rounding::rm, Rounding::rp}) {
      for (const bool sat : {false, true}) {
        check(cvt(Type::f32, Type::f64, 32, 64, r, sat, ftz), {double_edges()}, [&](auto& o) {
          const std::uint64_t v =
              std::isnan(f64(o[0])) ? narrowed(o[0]) : flush(bits(rounded_to<float>(f64(o[0]), r)), ftz);
          return sat ? saturate(v) : v;
        });
      }
    }
    for (const Rounding r : {Rounding::rni, Rounding::rzi, Rounding::rmi, Rounding::rpi}) {
      check(cvt(Type::f32, Type::f32, 32, 32, r, false, ftz), {float_edges()}, [&](auto& o) {
        const float x = f32(flush(o[0], ftz));
        return nan32(std::copysign(static_cast<float>(integral(x, r)), x));
      });
    }
  }
  for (const Rounding r : {Rounding::rni, Rounding::rzi, Rounding::rmi, Rounding::rpi}) {
    check(cvt(Type::f64, Type::f64, 64, 64, r), {double_edges()}, [&](auto& o) -> std::uint64_t {
      if (std::isnan(f64(o[0]))) return o[0] | 1ull << 51;
      return bits(std::copysign(integral(f64(o[0]), r), f64(o[0])));
    });
  }
  check(cvt(Type::f32, Type::f32, 32, 32, Rounding::kNone, true), {float_edges()},
        [&](auto& o) { return saturate(o[0]); });
  EXPECT_TRUE(refused(cvt(Type::f32, Type::f64, 32, 64))) << "narrowing needs a rounding";
  EXPECT_TRUE(refused(cvt(Type::f16, Type::f32, 32, 32))) << "so does this";
}

}  // namespace
}  // namespace warpvp::ptx::testing
