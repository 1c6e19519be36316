// Integer arithmetic against 128-bit integers.

#include "tests/ptx_exec/op_harness.h"

namespace warpvp::ptx::testing {
namespace {

using i128 = __int128;
using u128 = unsigned __int128;

constexpr IntType kTypes[] = {{Type::u16, 16, false}, {Type::s16, 16, true},  {Type::u32, 32, false},
                              {Type::s32, 32, true},  {Type::u64, 64, false}, {Type::s64, 64, true}};

std::uint64_t clamp(i128 v, i128 low, i128 high) {
  return static_cast<std::uint64_t>(v < low ? low : v > high ? high : v);
}
constexpr i128 kMin32 = -(static_cast<i128>(1) << 31), kMax32 = (static_cast<i128>(1) << 31) - 1;

OpSpec binary(Opcode op, const IntType& t) {
  OpSpec s{op, typed(t.type), reg_bits(t.bits), {reg_bits(t.bits), reg_bits(t.bits)}};
  return s;
}
OpSpec ternary(Opcode op, const IntType& t) {
  OpSpec s = binary(op, t);
  s.src.push_back(reg_bits(t.bits));
  return s;
}

TEST(Integer, AddSubMinMaxWrapForEveryType) {
  for (const IntType& t : kTypes) {
    const auto e = int_edges(t.bits);
    const auto as = [&](const std::vector<std::uint64_t>& o, unsigned i) { return value(o[i], t); };
    const std::uint64_t keep = mask(t.bits);
    check(
        binary(Opcode::add, t), {e, e},
        [&](auto& o) { return static_cast<std::uint64_t>(as(o, 0) + as(o, 1)); }, keep);
    check(
        binary(Opcode::sub, t), {e, e},
        [&](auto& o) { return static_cast<std::uint64_t>(as(o, 0) - as(o, 1)); }, keep);
    check(
        binary(Opcode::min, t), {e, e},
        [&](auto& o) { return static_cast<std::uint64_t>(std::min(as(o, 0), as(o, 1))); }, keep);
    check(
        binary(Opcode::max, t), {e, e},
        [&](auto& o) { return static_cast<std::uint64_t>(std::max(as(o, 0), as(o, 1))); }, keep);
  }
}

TEST(Integer, SumsOfThreeAndShiftedSumsOfMachineCode) {
  for (const IntType& t : {IntType{Type::s32, 32, true}, IntType{Type::u64, 64, false}}) {
    const auto e = int_edges(t.bits);
    for (unsigned signs = 0; signs < 8; ++signs) {
      OpSpec s = ternary(Opcode::add3, t);
      s.aux = signs;
      check(
          s, {e, e, e},
          [&](auto& o) {
            std::uint64_t sum = 0;
            for (unsigned k = 0; k < 3; ++k) sum += (signs >> k) & 1 ? 0 - o[k] : o[k];
            return sum;
          },
          mask(t.bits));
    }
    OpSpec extended = binary(Opcode::lea, t);
    extended.src[0] = 32;
    extended.aux = 7;
    check(
        extended, {int_edges(32), e}, [](auto& o) { return (o[0] << 7) + o[1]; }, mask(t.bits));
    for (const unsigned amount : {0u, 3u, 31u}) {
      OpSpec s = binary(Opcode::lea, t);
      s.aux = amount;
      check(
          s, {e, e}, [&](auto& o) { return (o[0] << amount) + o[1]; }, mask(t.bits));
    }
  }
}

TEST(Integer, SaturationClampsToSigned32) {
  const IntType t{Type::s32, 32, true};
  const auto e = int_edges(32);
  OpSpec add = binary(Opcode::add, t), sub = binary(Opcode::sub, t);
  add.m.sat = sub.m.sat = true;
  check(
      add, {e, e}, [&](auto& o) { return clamp(value(o[0], t) + value(o[1], t), kMin32, kMax32); }, mask(32));
  check(
      sub, {e, e}, [&](auto& o) { return clamp(value(o[0], t) - value(o[1], t), kMin32, kMax32); }, mask(32));
  OpSpec unsigned_sat = binary(Opcode::add, {Type::u32, 32, false});
  unsigned_sat.m.sat = true;
  EXPECT_TRUE(refused(unsigned_sat));
}

TEST(Integer, ProductsLowHighWide) {
  for (const IntType& t : kTypes) {
    const auto e = int_edges(t.bits);
    OpSpec lo = binary(Opcode::mul, t), hi = lo, wide = lo;
    lo.m.mul = MulMode::lo;
    hi.m.mul = MulMode::hi;
    wide.m.mul = MulMode::wide;
    const auto product = [&](auto& o) { return value(o[0], t) * value(o[1], t); };
    check(
        lo, {e, e},
        [&](auto& o) {
          return static_cast<std::uint64_t>(static_cast<u128>(value(o[0], t)) *
                                            static_cast<u128>(value(o[1], t)));
        },
        mask(t.bits));
    if (t.bits < 64) {
      check(
          hi, {e, e}, [&](auto& o) { return static_cast<std::uint64_t>(product(o) >> t.bits); },
          mask(t.bits));
      wide.dst = reg_bits(2 * t.bits);
      check(
          wide, {e, e}, [&](auto& o) { return static_cast<std::uint64_t>(product(o)); }, mask(2 * t.bits));
    } else {
      const auto high = [&](auto& o) {
        // A signed 64 x 64 product fits in 128 bits; an unsigned one needs the unsigned type.
        if (t.is_signed) return static_cast<std::uint64_t>(static_cast<u128>(product(o)) >> 64);
        return static_cast<std::uint64_t>((static_cast<u128>(o[0]) * o[1]) >> 64);
      };
      check(hi, {e, e}, high);
      EXPECT_TRUE(refused(wide));
    }
  }
}

TEST(Integer, MultiplyAdd) {
  for (const IntType& t : kTypes) {
    const std::vector<std::uint64_t> e = int_edges(t.bits), c = {0, 1, mask(t.bits), mask(t.bits) / 2, 12345};
    OpSpec lo = ternary(Opcode::mad, t);
    lo.m.mul = MulMode::lo;
    check(
        lo, {e, e, c},
        [&](auto& o) { return static_cast<std::uint64_t>(static_cast<u128>(o[0]) * o[1] + o[2]); },
        mask(t.bits));
    if (t.bits == 64) continue;
    OpSpec hi = lo, wide = lo;
    hi.m.mul = MulMode::hi;
    check(
        hi, {e, e, c},
        [&](auto& o) {
          return static_cast<std::uint64_t>(((value(o[0], t) * value(o[1], t)) >> t.bits) + value(o[2], t));
        },
        mask(t.bits));
    wide.m.mul = MulMode::wide;
    wide.dst = wide.src[2] = reg_bits(2 * t.bits);
    check(
        wide, {e, e, c},
        [&](auto& o) { return static_cast<std::uint64_t>(value(o[0], t) * value(o[1], t)) + o[2]; },
        mask(2 * t.bits));
  }
  const IntType s32{Type::s32, 32, true};
  OpSpec sat = ternary(Opcode::mad, s32);
  sat.m.mul = MulMode::hi;
  sat.m.sat = true;
  const auto e = int_edges(32);
  check(
      sat, {e, e, {0, 0x7fffffff, 0x80000000, 5}},
      [&](auto& o) {
        return clamp(((value(o[0], s32) * value(o[1], s32)) >> 32) + value(o[2], s32), kMin32, kMax32);
      },
      mask(32));
}

TEST(Integer, Products24Bit) {
  for (const IntType& t : {IntType{Type::u32, 32, false}, IntType{Type::s32, 32, true}}) {
    const auto e = int_edges(32);
    const auto low = [&](std::uint64_t v) { return value(v & 0xffffff, {t.type, 24, t.is_signed}); };
    OpSpec lo = binary(Opcode::mul24, t), hi = lo, mad = ternary(Opcode::mad24, t);
    lo.m.mul = mad.m.mul = MulMode::lo;
    hi.m.mul = MulMode::hi;
    check(
        lo, {e, e}, [&](auto& o) { return static_cast<std::uint64_t>(low(o[0]) * low(o[1])); }, mask(32));
    check(
        hi, {e, e}, [&](auto& o) { return static_cast<std::uint64_t>((low(o[0]) * low(o[1])) >> 16); },
        mask(32));
    check(
        mad, {e, e, {0, 7, 0xffffffff}},
        [&](auto& o) { return static_cast<std::uint64_t>(low(o[0]) * low(o[1])) + o[2]; }, mask(32));
  }
}

TEST(Integer, DivisionTruncatesAndRemainderTakesTheSignOfTheDividend) {
  for (const IntType& t : kTypes) {
    std::vector<std::uint64_t> e = int_edges(t.bits), divisors;
    for (const std::uint64_t v : e) {
      if (v != 0) divisors.push_back(v);
    }
    check(
        binary(Opcode::div, t), {e, divisors},
        [&](auto& o) { return static_cast<std::uint64_t>(value(o[0], t) / value(o[1], t)); }, mask(t.bits));
    check(
        binary(Opcode::rem, t), {e, divisors},
        [&](auto& o) { return static_cast<std::uint64_t>(value(o[0], t) % value(o[1], t)); }, mask(t.bits));
  }
}

TEST(Integer, DivisionByZeroGivesAllOnes) {
  for (const IntType& t : kTypes) {
    for (const Opcode op : {Opcode::div, Opcode::rem})
      check(
          binary(op, t), {int_edges(t.bits), {0}}, [&](auto&) { return mask(t.bits); }, mask(t.bits));
  }
}

TEST(Integer, AbsNegSad) {
  for (const IntType& t : kTypes) {
    const auto e = int_edges(t.bits);
    check(
        ternary(Opcode::sad, t), {e, e, {0, 9, mask(t.bits)}},
        [&](auto& o) {
          const i128 d = value(o[0], t) - value(o[1], t);
          return o[2] + static_cast<std::uint64_t>(d < 0 ? -d : d);
        },
        mask(t.bits));
    if (!t.is_signed) continue;
    const OpSpec abs{Opcode::abs, typed(t.type), reg_bits(t.bits), {reg_bits(t.bits)}};
    OpSpec neg = abs;
    neg.opcode = Opcode::neg;
    check(
        abs, {e},
        [&](auto& o) {
          const i128 v = value(o[0], t);
          return static_cast<std::uint64_t>(v < 0 ? -v : v);
        },
        mask(t.bits));
    check(
        neg, {e}, [&](auto& o) { return static_cast<std::uint64_t>(-value(o[0], t)); }, mask(t.bits));
  }
}

// Two chained instructions compute a double-width result; the second must see the carry of the first, lane by
// lane.
struct ChainCase {
  Opcode first, second;
  MulMode first_mul, second_mul;
};
template <class Expect>
void check_chain(const ChainCase& c, Type type, unsigned bits_of_type, Expect expect) {
  const auto e = int_edges(bits_of_type);
  for (const IsaLevel level : available_levels()) {
    const unsigned width = reg_bits(bits_of_type);
    OpSpec a{c.first, typed(type), width, {width, width, width}};
    a.m.cc = true;
    a.m.mul = c.first_mul;
    OpSpec b = a;
    b.opcode = c.second;
    b.m.mul = c.second_mul;
    OpRunner low(a, level), high(b, level);
    ASSERT_TRUE(low.ok() && high.ok());
    std::size_t n = 0;
    for (unsigned round = 0; round < 40; ++round) {
      std::vector<Lanes> l(3), h(3);
      for (unsigned lane = 0; lane < kWarpSize; ++lane) {
        for (unsigned k = 0; k < 3; ++k) {
          l[k][lane] = e[(n * 7 + k * 5) % e.size()];
          h[k][lane] = e[(n / 3 + k * 11) % e.size()];
        }
        ++n;
      }
      low.warp().carry() = 0;
      const Lanes rl = low.run(l, ~0u, Lanes{});
      high.warp().carry() = low.warp().carry();
      const Lanes rh = high.run(h, ~0u, Lanes{});
      for (unsigned lane = 0; lane < kWarpSize; ++lane) {
        expect(std::array<std::uint64_t, 3>{l[0][lane], l[1][lane], l[2][lane]},
               std::array<std::uint64_t, 3>{h[0][lane], h[1][lane], h[2][lane]}, rl[lane], rh[lane],
               (high.warp().carry() >> lane) & 1);
      }
    }
  }
}

TEST(Integer, CarryChainsEqualDoubleWidthArithmetic) {
  using A = std::array<std::uint64_t, 3>;
  check_chain({Opcode::add, Opcode::addc, MulMode::kNone, MulMode::kNone}, Type::u64, 64,
              [](const A& l, const A& h, std::uint64_t rl, std::uint64_t rh, unsigned carry) {
                const u128 x = (static_cast<u128>(h[0]) << 64) | l[0],
                           y = (static_cast<u128>(h[1]) << 64) | l[1];
                const u128 sum = x + y;
                EXPECT_TRUE(((static_cast<u128>(rh) << 64) | rl) == sum);
                EXPECT_EQ(carry, sum < x ? 1u : 0u);
              });
  check_chain({Opcode::sub, Opcode::subc, MulMode::kNone, MulMode::kNone}, Type::u64, 64,
              [](const A& l, const A& h, std::uint64_t rl, std::uint64_t rh, unsigned carry) {
                const u128 x = (static_cast<u128>(h[0]) << 64) | l[0],
                           y = (static_cast<u128>(h[1]) << 64) | l[1];
                EXPECT_TRUE(((static_cast<u128>(rh) << 64) | rl) == x - y);
                EXPECT_EQ(carry, x < y ? 0u : 1u) << "the flag says that nothing was borrowed";
              });
  check_chain({Opcode::add, Opcode::addc, MulMode::kNone, MulMode::kNone}, Type::s32, 32,
              [](const A& l, const A& h, std::uint64_t rl, std::uint64_t rh, unsigned) {
                EXPECT_EQ((rh << 32) | rl, ((h[0] << 32) | l[0]) + ((h[1] << 32) | l[1]));
              });
  check_chain({Opcode::sub, Opcode::subc, MulMode::kNone, MulMode::kNone}, Type::u32, 32,
              [](const A& l, const A& h, std::uint64_t rl, std::uint64_t rh, unsigned) {
                EXPECT_EQ((rh << 32) | rl, ((h[0] << 32) | l[0]) - ((h[1] << 32) | l[1]));
              });
}

TEST(Integer, MadCarryChainsEqualDoubleWidthMultiplyAdd) {
  // mad.lo.cc, then madc.hi on the same factors: a * b + {high c, low c}.
  for (const IsaLevel level : available_levels()) {
    OpSpec lo{Opcode::mad, typed(Type::u32), 32, {32, 32, 32}};
    lo.m.cc = true;
    lo.m.mul = MulMode::lo;
    OpSpec hi = lo;
    hi.opcode = Opcode::madc;
    hi.m.mul = MulMode::hi;
    OpRunner first(lo, level), second(hi, level);
    const auto e = int_edges(32);
    for (std::size_t n = 0; n < e.size() * e.size(); n += kWarpSize) {
      Lanes a, b, cl, ch;
      for (unsigned lane = 0; lane < kWarpSize; ++lane) {
        a[lane] = e[(n + lane) % e.size()];
        b[lane] = e[(n + lane) / e.size() % e.size()];
        cl[lane] = e[(n * 3 + lane * 7) % e.size()];
        ch[lane] = e[(n * 5 + lane) % e.size()];
      }
      const Lanes rl = first.run({a, b, cl}, ~0u, Lanes{});
      second.warp().carry() = first.warp().carry();
      const Lanes rh = second.run({a, b, ch}, ~0u, Lanes{});
      for (unsigned lane = 0; lane < kWarpSize; ++lane) {
        EXPECT_EQ((rh[lane] << 32) | rl[lane], a[lane] * b[lane] + ((ch[lane] << 32) | cl[lane]));
      }
    }
  }
}

TEST(Integer, OnlyDocumentedTypesAreAccepted) {
  EXPECT_TRUE(refused({Opcode::add, typed(Type::b32), 32, {32, 32}}));
  EXPECT_TRUE(refused({Opcode::add, typed(Type::u8), 32, {32, 32}}));
  EXPECT_TRUE(refused({Opcode::add, typed(Type::tf32), 32, {32, 32}}));
  EXPECT_TRUE(refused({Opcode::abs, typed(Type::u32), 32, {32}}));
  EXPECT_TRUE(refused({Opcode::mul, typed(Type::u32), 32, {32, 32}})) << "needs .lo, .hi or .wide";
  OpSpec carry16{Opcode::add, typed(Type::u16), 32, {32, 32}};
  carry16.m.cc = true;
  EXPECT_TRUE(refused(carry16));
}

}  // namespace
}  // namespace warpvp::ptx::testing
