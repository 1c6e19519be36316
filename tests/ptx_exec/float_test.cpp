// Floating point against the host's scalar arithmetic in each rounding direction, plus the PTX rules for NaN,
// subnormals and saturation. The host is the reference for IEEE results only: one operation at a time through
// volatile operands, so nothing is vectorised, contracted or folded.

#include <cfenv>
#include <cmath>

#include "tests/ptx_exec/op_harness.h"

namespace warpvp::ptx {

void PrintTo(Rounding r, std::ostream* os) {
  *os << (r == Rounding::rz ? "rz" : r == Rounding::rm ? "rm" : r == Rounding::rp ? "rp" : "rn");
}

}  // namespace warpvp::ptx

namespace warpvp::ptx::testing {
namespace {

constexpr std::uint64_t kNan32 = 0x7fffffff, kNan64 = 0xfff8000000000000;

int host_direction(Rounding r) {
  switch (r) {
    case Rounding::rz:
      return FE_TOWARDZERO;
    case Rounding::rm:
      return FE_DOWNWARD;
    case Rounding::rp:
      return FE_UPWARD;
    default:
      return FE_TONEAREST;
  }
}

template <class T>
T host_op(Opcode op, Rounding r, T a, T b, T c) {
  volatile T x = a, y = b, z = c, d = 0;
  std::fesetround(host_direction(r));
  switch (op) {
    case Opcode::add:
      d = x + y;
      break;
    case Opcode::sub:
      d = x - y;
      break;
    case Opcode::mul:
      d = x * y;
      break;
    case Opcode::div:
      d = x / y;
      break;
    case Opcode::rcp:
      d = T(1) / x;
      break;
    case Opcode::sqrt:
      d = std::sqrt(static_cast<T>(x));
      break;
    default:
      d = std::fma(static_cast<T>(x), static_cast<T>(y), static_cast<T>(z));
      break;
  }
  std::fesetround(FE_TONEAREST);
  return d;
}

std::uint64_t flush32(std::uint64_t v, bool ftz) { return ftz && (v & 0x7f800000) == 0 ? v & 0x80000000 : v; }
std::uint64_t saturate32(std::uint64_t v, bool sat) {
  if (!sat) return v;
  if ((v & 0x7fffffff) > 0x7f800000 || (v >> 31)) return 0;
  return v > 0x3f800000 ? 0x3f800000 : v;
}

std::uint64_t expected32(const OpSpec& s, std::uint64_t a, std::uint64_t b, std::uint64_t c) {
  const bool ftz = s.m.ftz;
  const float r = host_op<float>(s.opcode, s.m.rounding, f32(flush32(a, ftz)), f32(flush32(b, ftz)),
                                 f32(flush32(c, ftz)));
  const std::uint64_t v = std::isnan(r) ? kNan32 : flush32(bits(r), ftz);
  return saturate32(v, s.m.sat);
}
bool is_nan64(std::uint64_t v) { return (v & ~(1ull << 63)) > 0x7ff0000000000000; }
/// The first operand that is a NaN comes back, made quiet.
std::uint64_t expected64(const OpSpec& s, std::uint64_t a, std::uint64_t b, std::uint64_t c) {
  for (const std::uint64_t v : {a, b, c})
    if (is_nan64(v)) return v | 1ull << 51;
  const double r = host_op<double>(s.opcode, s.m.rounding, f64(a), f64(b), f64(c));
  return std::isnan(r) ? kNan64 : bits(r);
}

class Rounded : public ::testing::TestWithParam<Rounding> {};
INSTANTIATE_TEST_SUITE_P(EveryDirection, Rounded,
                         ::testing::Values(Rounding::rn, Rounding::rz, Rounding::rm, Rounding::rp),
                         [](const auto& info) { return ::testing::PrintToString(info.param); });

TEST_P(Rounded, SinglePrecisionBinary) {
  for (const Opcode op : {Opcode::add, Opcode::sub, Opcode::mul, Opcode::div}) {
    for (const bool ftz : {false, true}) {
      for (const bool sat : {false, true}) {
        if (sat && op == Opcode::div) continue;
        OpSpec s{op, typed(Type::f32), 32, {32, 32}};
        s.m.rounding = GetParam();
        s.m.ftz = ftz;
        s.m.sat = sat;
        check(s, {float_edges(), float_edges()}, [&](auto& o) { return expected32(s, o[0], o[1], 0); });
      }
    }
  }
}
TEST_P(Rounded, SinglePrecisionFma) {
  // The third operands include ones that cancel products almost or exactly.
  std::vector<std::uint64_t> c = float_edges();
  c.insert(c.end(), {0xbf800002, 0xbf7ffffe, 0xc1100000, 0x33000000, 0xb3000000});
  for (const bool ftz : {false, true}) {
    OpSpec s{Opcode::fma, typed(Type::f32), 32, {32, 32, 32}};
    s.m.rounding = GetParam();
    s.m.ftz = ftz;
    check(s, {float_edges(), float_edges(), c}, [&](auto& o) { return expected32(s, o[0], o[1], o[2]); });
  }
}
TEST_P(Rounded, SinglePrecisionFmaOnRandomBits) {
  std::uint64_t x = 88172645463325252ull;
  const auto next = [&] {
    x ^= x << 13;
    x ^= x >> 7;
    x ^= x << 17;
    return x >> 16 & 0xffffffff;
  };
  std::vector<std::uint64_t> a, b, c;
  for (int i = 0; i < 24; ++i) {
    a.push_back(next());
    b.push_back(next());
    // Near the product, where the sum rounds in the middle of things.
    const float p = -f32(a.back()) * f32(b.back());
    c.push_back(i % 3 == 0 ? next() : bits(p) + static_cast<std::uint64_t>(i % 5) - 2);
  }
  for (std::uint64_t& v : c) v &= 0xffffffff;
  OpSpec s{Opcode::fma, typed(Type::f32), 32, {32, 32, 32}};
  s.m.rounding = GetParam();
  check(s, {a, b, c}, [&](auto& o) { return expected32(s, o[0], o[1], o[2]); });
}
TEST_P(Rounded, SinglePrecisionUnary) {
  for (const Opcode op : {Opcode::rcp, Opcode::sqrt}) {
    for (const bool ftz : {false, true}) {
      OpSpec s{op, typed(Type::f32), 32, {32}};
      s.m.rounding = GetParam();
      s.m.ftz = ftz;
      check(s, {float_edges()}, [&](auto& o) { return expected32(s, o[0], 0, 0); });
    }
  }
}
TEST_P(Rounded, DoublePrecision) {
  const auto e = double_edges();
  for (const Opcode op : {Opcode::add, Opcode::sub, Opcode::mul, Opcode::div}) {
    OpSpec s{op, typed(Type::f64), 64, {64, 64}};
    s.m.rounding = GetParam();
    check(s, {e, e}, [&](auto& o) { return expected64(s, o[0], o[1], 0); });
  }
  for (const Opcode op : {Opcode::rcp, Opcode::sqrt}) {
    OpSpec s{op, typed(Type::f64), 64, {64}};
    s.m.rounding = GetParam();
    check(s, {e}, [&](auto& o) { return expected64(s, o[0], 0, 0); });
  }
  OpSpec s{Opcode::fma, typed(Type::f64), 64, {64, 64, 64}};
  s.m.rounding = GetParam();
  check(s, {e, e, {0, 0x8000000000000000, 0x3ff0000000000000, 0xbff0000000000002, 1, 0x7ff0000000000000}},
        [&](auto& o) { return expected64(s, o[0], o[1], o[2]); });
}

TEST(Float, RoundingDirectionOfTheHostIsLeftAlone) {
  OpSpec s{Opcode::add, typed(Type::f32), 32, {32, 32}};
  s.m.rounding = Rounding::rp;
  check(s, {{0x3f800000}, {0x00000001}}, [&](auto&) { return 0x3f800001u; });
  EXPECT_EQ(std::fegetround(), FE_TONEAREST);
}

TEST(Float, MinMaxOrderZerosAndSkipNans) {
  const auto is_nan = [](std::uint64_t v) { return (v & 0x7fffffff) > 0x7f800000; };
  for (const bool is_max : {false, true}) {
    for (const bool ftz : {false, true}) {
      for (const bool nan : {false, true}) {
        for (const bool xorsign : {false, true}) {
          OpSpec s{is_max ? Opcode::max : Opcode::min, typed(Type::f32), 32, {32, 32}};
          s.m.ftz = ftz;
          s.m.nan = nan;
          s.m.xor_sign_abs = xorsign;
          check(s, {float_edges(), float_edges()}, [&](auto& o) -> std::uint64_t {
            std::uint64_t a = flush32(o[0], ftz), b = flush32(o[1], ftz);
            const std::uint64_t sign = (a ^ b) & 0x80000000;
            if (xorsign) a &= 0x7fffffff, b &= 0x7fffffff;
            if (nan ? is_nan(a) || is_nan(b) : is_nan(a) && is_nan(b)) return kNan32;
            std::uint64_t r;
            if (is_nan(a) || is_nan(b)) {
              r = is_nan(a) ? b : a;
            } else {
              // Sign-magnitude order as integers: -0 below +0.
              const auto key = [](std::uint64_t v) {
                return v >> 31 ? -static_cast<std::int64_t>(v & 0x7fffffff) - 1
                               : static_cast<std::int64_t>(v);
              };
              r = (key(a) < key(b)) != is_max ? a : b;
            }
            return xorsign ? r | sign : r;
          });
        }
      }
    }
    OpSpec d{is_max ? Opcode::max : Opcode::min, typed(Type::f64), 64, {64, 64}};
    check(d, {double_edges(), double_edges()}, [&](auto& o) -> std::uint64_t {
      if (is_nan64(o[0]) && is_nan64(o[1])) return kNan64;
      if (is_nan64(o[0]) || is_nan64(o[1])) return is_nan64(o[0]) ? o[1] : o[0];
      const auto key = [](std::uint64_t v) {
        return v >> 63 ? -static_cast<__int128>(v & ~(1ull << 63)) - 1 : static_cast<__int128>(v);
      };
      return (key(o[0]) < key(o[1])) != is_max ? o[0] : o[1];
    });
  }
}

TEST(Float, SignOperations) {
  for (const bool ftz : {false, true}) {
    OpSpec abs{Opcode::abs, typed(Type::f32), 32, {32}};
    abs.m.ftz = ftz;
    OpSpec neg = abs;
    neg.opcode = Opcode::neg;
    // NaNs leave them as they leave an addition.
    const auto or_nan = [](std::uint64_t v) { return (v & 0x7fffffff) > 0x7f800000 ? kNan32 : v; };
    check(abs, {float_edges()}, [&](auto& o) { return or_nan(flush32(o[0], ftz) & 0x7fffffff); });
    check(neg, {float_edges()}, [&](auto& o) { return or_nan(flush32(o[0], ftz) ^ 0x80000000); });
  }
  check({Opcode::neg, typed(Type::f64), 64, {64}}, {double_edges()},
        [](auto& o) { return is_nan64(o[0]) ? o[0] | 1ull << 51 : o[0] ^ (1ull << 63); });
  check({Opcode::abs, typed(Type::f64), 64, {64}}, {double_edges()},
        [](auto& o) { return is_nan64(o[0]) ? o[0] | 1ull << 51 : o[0] & ~(1ull << 63); });
  check({Opcode::copysign, typed(Type::f32), 32, {32, 32}}, {float_edges(), float_edges()},
        [](auto& o) { return (o[0] & 0x80000000) | (o[1] & 0x7fffffff); });
  check({Opcode::copysign, typed(Type::f64), 64, {64, 64}}, {double_edges(), double_edges()},
        [](auto& o) { return (o[0] & (1ull << 63)) | (o[1] & ~(1ull << 63)); });
}

TEST(Float, ClassTests) {
  using M = TestpMode;
  for (const M mode : {M::finite, M::infinite, M::number, M::notanumber, M::normal, M::subnormal}) {
    const auto holds = [mode](int c) {
      switch (mode) {
        case M::finite:
          return c != FP_NAN && c != FP_INFINITE;
        case M::infinite:
          return c == FP_INFINITE;
        case M::number:
          return c != FP_NAN;
        case M::notanumber:
          return c == FP_NAN;
        case M::normal:
          return c == FP_NORMAL || c == FP_ZERO;  // "zero is considered normal": PTX ISA, testp
        default:
          return c == FP_SUBNORMAL;
      }
    };
    OpSpec s{Opcode::testp, typed(Type::f32), 1, {32}};
    s.m.testp = mode;
    check(s, {float_edges()}, [&](auto& o) { return holds(std::fpclassify(f32(o[0]))); });
    OpSpec d{Opcode::testp, typed(Type::f64), 1, {64}};
    d.m.testp = mode;
    check(d, {double_edges()}, [&](auto& o) { return holds(std::fpclassify(f64(o[0]))); });
  }
}

// ---- approximate functions: bounds of the PTX ISA, special values exactly

double ulps(float got, double exact) {
  const float rounded = static_cast<float>(exact);
  if (got == rounded) return 0;
  int e;
  std::frexp(exact, &e);
  return std::fabs(static_cast<double>(got) - exact) / std::ldexp(1.0, std::max(e - 24, -149));
}
std::vector<float> sweep(double from, double to, int count) {
  std::vector<float> v;
  for (int i = 0; i < count; ++i) v.push_back(static_cast<float>(from + (to - from) * i / count));
  return v;
}
template <class Check>
void approx_sweep(Opcode op, Type type, bool ftz, const std::vector<float>& inputs, Check each) {
  std::vector<std::vector<std::uint32_t>> all;
  for (const IsaLevel level : available_levels()) {
    OpSpec s{op, typed(type), 32, {32}};
    s.m.rounding = Rounding::approx;
    s.m.ftz = ftz;
    OpRunner runner(s, level);
    ASSERT_TRUE(runner.ok());
    std::vector<std::uint32_t> results;
    for (std::size_t base = 0; base < inputs.size(); base += kWarpSize) {
      Lanes a{};
      for (unsigned i = 0; i < kWarpSize; ++i) a[i] = bits(inputs[(base + i) % inputs.size()]);
      const Lanes r = runner.run({a}, ~0u, Lanes{});
      for (unsigned i = 0; i < kWarpSize; ++i) {
        each(f32(a[i]), f32(r[i]));
        results.push_back(static_cast<std::uint32_t>(r[i]));
      }
    }
    all.push_back(results);
  }
  for (const auto& r : all) EXPECT_EQ(r, all.front()) << "levels differ";
}

TEST(Approx, WithinTheDocumentedErrors) {
  approx_sweep(Opcode::rcp, Type::f32, false, sweep(-50, 50, 20011), [](float a, float r) {
    if (a != 0) {
      EXPECT_LE(ulps(r, 1.0 / a), 1.0) << a;
    }
  });
  approx_sweep(Opcode::sqrt, Type::f32, false, sweep(0, 1e6, 20011),
               [](float a, float r) { EXPECT_LE(ulps(r, std::sqrt(double(a))), 1.0) << a; });
  approx_sweep(Opcode::rsqrt, Type::f32, false, sweep(1e-3, 1e6, 20011), [](float a, float r) {
    EXPECT_LE(std::fabs(r * std::sqrt(double(a)) - 1), std::ldexp(1, -22)) << a;
  });
  approx_sweep(Opcode::sin, Type::f32, false, sweep(-400, 400, 40009), [](float a, float r) {
    EXPECT_LE(std::fabs(r - std::sin(double(a))), std::ldexp(1, -20)) << a;
  });
  approx_sweep(Opcode::cos, Type::f32, false, sweep(-400, 400, 40009), [](float a, float r) {
    EXPECT_LE(std::fabs(r - std::cos(double(a))), std::ldexp(1, -20)) << a;
  });
  approx_sweep(Opcode::ex2, Type::f32, false, sweep(-149, 127, 40009),
               [](float a, float r) { EXPECT_LE(ulps(r, std::exp2(double(a))), 1.0) << a; });
  approx_sweep(Opcode::lg2, Type::f32, false, sweep(1e-6, 5, 40009), [](float a, float r) {
    EXPECT_LE(std::fabs(r - std::log2(double(a))),
              std::ldexp(1.0, -22) * std::max(1.0, std::fabs(std::log2(double(a)))))
        << a;
  });
  approx_sweep(Opcode::tanh, Type::f32, false, sweep(-12, 12, 40009), [](float a, float r) {
    EXPECT_LE(std::fabs(r - std::tanh(double(a))), std::fabs(std::tanh(double(a))) * std::ldexp(1, -11)) << a;
  });
}

TEST(Approx, SineOfHugeArgumentsReducesExactly) {
  std::vector<float> huge;
  for (int e = 18; e < 128; ++e) {
    for (const float m : {1.0f, 1.3f, -1.7f, 1.9999998f}) huge.push_back(std::ldexp(m, e));
  }
  approx_sweep(Opcode::sin, Type::f32, false, huge,
               [](float a, float r) { EXPECT_NEAR(r, std::sin(double(a)), 2e-7) << a; });
  approx_sweep(Opcode::cos, Type::f32, false, huge,
               [](float a, float r) { EXPECT_NEAR(r, std::cos(double(a)), 2e-7) << a; });
}

// Machine code computes these before it runs (ptx/machine/constants.h).
TEST(Approx, ExactForPowersOfTwo) {
  std::vector<float> powers, exponents;
  for (int e = -126; e < 128; ++e) powers.push_back(std::ldexp(1.0f, e));
  for (int e = -125; e < 126; ++e) exponents.push_back(static_cast<float>(e));
  for (const bool ftz : {false, true}) {
    approx_sweep(Opcode::lg2, Type::f32, ftz, powers,
                 [](float a, float r) { EXPECT_EQ(r, std::ilogb(a)) << a; });
    approx_sweep(Opcode::ex2, Type::f32, ftz, exponents,
                 [](float a, float r) { EXPECT_EQ(r, std::ldexp(1.0f, static_cast<int>(a))) << a; });
  }
}

TEST(Approx, SpecialValues) {
  struct Case {
    Opcode op;
    std::uint32_t in, out;
  };
  const std::vector<Case> cases = {{Opcode::rcp, 0x7f800000, 0},
                                   {Opcode::rcp, 0xff800000, 0x80000000},
                                   {Opcode::rcp, 0, 0x7f800000},
                                   {Opcode::rcp, 0x80000000, 0xff800000},
                                   {Opcode::rcp, 0x7fc00000, 0x7fffffff},
                                   {Opcode::sqrt, 0x80000000, 0x80000000},
                                   {Opcode::sqrt, 0xbf800000, 0x7fffffff},
                                   {Opcode::sqrt, 0x7f800000, 0x7f800000},
                                   {Opcode::rsqrt, 0, 0x7f800000},
                                   {Opcode::rsqrt, 0x80000000, 0xff800000},
                                   {Opcode::rsqrt, 0x7f800000, 0},
                                   {Opcode::rsqrt, 0xbf800000, 0x7fffffff},
                                   {Opcode::sin, 0, 0},
                                   {Opcode::sin, 0x80000000, 0x80000000},
                                   {Opcode::sin, 0x7f800000, 0x7fffffff},
                                   {Opcode::sin, 0x7fc00000, 0x7fffffff},
                                   {Opcode::cos, 0, 0x3f800000},
                                   {Opcode::cos, 0x80000000, 0x3f800000},
                                   {Opcode::cos, 0xff800000, 0x7fffffff},
                                   {Opcode::lg2, 0, 0xff800000},
                                   {Opcode::lg2, 0x80000000, 0xff800000},
                                   {Opcode::lg2, 0x7f800000, 0x7f800000},
                                   {Opcode::lg2, 0xbf800000, 0x7fffffff},
                                   {Opcode::lg2, 0x3f800000, 0},
                                   {Opcode::lg2, 1, 0xc3150000},
                                   {Opcode::ex2, 0xff800000, 0},
                                   {Opcode::ex2, 0x7f800000, 0x7f800000},
                                   {Opcode::ex2, 0, 0x3f800000},
                                   {Opcode::ex2, 0x80000000, 0x3f800000},
                                   {Opcode::ex2, 0xc3150000, 1},
                                   {Opcode::ex2, 0x7fc00000, 0x7fffffff},
                                   {Opcode::tanh, 0x80000000, 0x80000000},
                                   {Opcode::tanh, 0x7f800000, 0x3f800000},
                                   {Opcode::tanh, 0xff800000, 0xbf800000},
                                   {Opcode::tanh, 0x7fc00000, 0x7fffffff}};
  for (const Case& c : cases) {
    OpSpec s{c.op, typed(Type::f32), 32, {32}};
    s.m.rounding = Rounding::approx;
    check(s, {{c.in}}, [&](auto&) { return c.out; });
  }
  OpSpec ftz{Opcode::rcp, typed(Type::f32), 32, {32}};
  ftz.m.rounding = Rounding::approx;
  ftz.m.ftz = true;
  check(ftz, {{0x00000001, 0x807fffff, 0x7f7fffff}}, [](auto& o) {
    return o[0] == 1 ? 0x7f800000 : o[0] == 0x807fffff ? 0xff800000 : 0;
  });
}

TEST(Approx, Division) {
  for (const Rounding kind : {Rounding::approx, Rounding::full}) {
    OpSpec s{Opcode::div, typed(Type::f32), 32, {32, 32}};
    s.m.rounding = kind;
    check(s, {float_edges(), float_edges()}, [&](auto& o) -> std::uint64_t {
      const std::uint64_t b = o[1] & 0x7fffffff;
      if (kind == Rounding::approx && b > 0x7e800000 && b < 0x7f800000) {
        return (o[0] & 0x7fffffff) >= 0x7f800000 ? kNan32 : (o[0] ^ o[1]) & 0x80000000;
      }
      const float q = f32(o[0]) / f32(o[1]);
      return std::isnan(q) ? kNan32 : bits(q);
    });
  }
}

TEST(Approx, CoarseDoublePrecision) {
  OpSpec rcp{Opcode::rcp, typed(Type::f64), 64, {64}};
  rcp.m.rounding = Rounding::approx;
  EXPECT_TRUE(refused(rcp)) << "exists only with .ftz";
  rcp.m.ftz = true;
  OpSpec rsqrt = rcp;
  rsqrt.opcode = Opcode::rsqrt;
  for (const IsaLevel level : available_levels()) {
    OpRunner a(rcp, level), b(rsqrt, level);
    for (double x = 1e-3; x < 1e6; x *= 1.01) {
      Lanes in;
      in.fill(bits(x));
      const double r = f64(a.run({in}, ~0u, Lanes{})[0]), q = f64(b.run({in}, ~0u, Lanes{})[0]);
      EXPECT_NEAR(r * x, 1, 4e-6);
      EXPECT_NEAR(q * std::sqrt(x), 1, 4e-6);
      EXPECT_EQ(bits(r) & 0xffffffff, 0u);
      EXPECT_EQ(bits(q) & 0xffffffff, 0u);
    }
  }
}

TEST(Float, IllegalCombinationsAreRefused) {
  OpSpec s{Opcode::add, typed(Type::f64), 64, {64, 64}};
  s.m.ftz = true;
  EXPECT_TRUE(refused(s));
  s.m.ftz = false;
  s.m.sat = true;
  EXPECT_TRUE(refused(s));
  EXPECT_TRUE(refused({Opcode::fma, typed(Type::f32), 32, {32, 32, 32}})) << "fma needs a rounding";
  EXPECT_TRUE(refused({Opcode::sin, typed(Type::f32), 32, {32}})) << "sin exists only as .approx";
  EXPECT_TRUE(refused({Opcode::copysign, typed(Type::s32), 32, {32, 32}}));
}

}  // namespace
}  // namespace warpvp::ptx::testing
