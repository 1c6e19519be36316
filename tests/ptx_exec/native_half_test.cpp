// Half precision as code of the host (ptx/native/half_arithmetic.cpp) beside the instructions' own functions,
// which half_test.cpp compares with exact arithmetic: every kind of number with every other, and random ones
// whose sums and products nearly cancel, fall between two results, or are too small.

#include <fmt/format.h>

#include <random>
#include <vector>

#include "ptx/exec/stretches.h"
#include "tests/ptx_exec/native_harness.h"

namespace warpvp::ptx::testing {
namespace {

constexpr unsigned kRounds = 600;

struct HalfCase {
  const char* text;  ///< into %r4 or %h4, of %r1 to %r3 or %h1 to %h3
  const char* type;  ///< of its operands
};
void PrintTo(const HalfCase& c, std::ostream* out) { *out << c.text; }

/// 16 bits of either format, whose exponent has `exponent_bits`.
std::uint32_t draw_half(std::mt19937& random, unsigned exponent_bits) {
  const unsigned fraction = 15 - exponent_bits;
  const std::uint32_t infinity = ((1u << exponent_bits) - 1) << fraction;
  const std::uint32_t one = ((1u << (exponent_bits - 1)) - 1) << fraction;
  const std::uint32_t sign = (random() & 1) << 15;
  const std::uint32_t kinds[] = {
      0,     1,       2,       (1u << fraction) - 1, 1u << fraction, (1u << fraction) + 1,
      one,   one + 1, one - 1, infinity - 1,         infinity,       infinity + 1,
      0x7fff};
  switch (random() % 4) {
    case 0:
      return sign | kinds[random() % std::size(kinds)];
    case 1:
      return random() & 0xffff;
    case 2:  // near one
      return sign | ((one - (3u << fraction) + random() % (6u << fraction)) & 0x7fff);
    default:  // whose products are small
      return sign | (one / 2 - (2u << fraction) + random() % (4u << fraction));
  }
}

class NativeHalf : public NativeCodeTest, public ::testing::WithParamInterface<HalfCase> {};

TEST_P(NativeHalf, IsTheFunction) {
  // A warp: out[round][lane] is four words, three of them operands.
  const std::string body = fmt::format(
      "ld.param.u64 %rd1, [out];\nmov.u32 %r10, %tid.x;\nmul.wide.u32 %rd2, %r10, 16;\n"
      "add.u64 %rd1, %rd1, %rd2;\nmov.u32 %r11, 0;\n"
      "again:\nld.global.v4.u32 {{%r1, %r2, %r3, %r5}}, [%rd1];\n"
      "cvt.u16.u32 %h1, %r1;\ncvt.u16.u32 %h2, %r2;\ncvt.u16.u32 %h3, %r3;\n"
      "mov.u32 %r4, 77;\nmov.u16 %h4, 77;\nsetp.eq.u32 %p1, 0, 1;\nsetp.eq.u32 %p2, 0, 1;\n"
      "{}\n"
      "cvt.u32.u16 %r6, %h4;\nshl.b32 %r6, %r6, 8;\nxor.b32 %r4, %r4, %r6;\n"
      "@%p1 xor.b32 %r4, %r4, 0x40000000;\n@%p2 xor.b32 %r4, %r4, 0x80000000;\n"
      "st.global.u32 [%rd1+12], %r4;\n"
      "add.u64 %rd1, %rd1, 512;\nadd.u32 %r11, %r11, 1;\nsetp.lt.u32 %p3, %r11, {};\n@%p3 bra again;\n",
      GetParam().text, kRounds);
  const std::string_view type = GetParam().type;
  std::mt19937 random(type.size());
  std::vector<std::uint32_t> numbers(kRounds * 32 * 4);
  for (std::uint32_t& n : numbers) {
    const unsigned exponent_bits = type[0] == 'b' ? 8 : 5;
    n = draw_half(random, exponent_bits) | draw_half(random, exponent_bits) << 16;
  }
  std::vector<std::uint32_t> results[2];
  for (const bool whole : {false, true}) {
    PtxModule m(native_kernel(body));
    m.runner().whole_turns = whole;
    const NativeCode* const code = Stretches::of(*m.entry("k")).native();
    ASSERT_NE(code, nullptr);
    if (test::code_mode().code != Code::kMachine) {
      EXPECT_EQ(code->translated(), code->instructions());
    }
    const std::uint64_t out = m.buffer(numbers);
    ASSERT_TRUE(m.run("k", {}, {32, 1, 1}, 0, out).ok());
    results[whole] = m.read<std::uint32_t>(out, numbers.size());
  }
  for (std::size_t i = 0; i < numbers.size(); i += 4)
    ASSERT_EQ(results[1][i + 3], results[0][i + 3])
        << fmt::format("{}: {:#x} {:#x} {:#x}", GetParam().text, numbers[i], numbers[i + 1], numbers[i + 2]);
}

INSTANTIATE_TEST_SUITE_P(
    All, NativeHalf,
    ::testing::Values(
        HalfCase{"add.f16 %h4, %h1, %h2;", "f16"}, HalfCase{"sub.rn.f16 %h4, %h1, %h2;", "f16"},
        HalfCase{"mul.f16 %h4, %h1, %h2;", "f16"}, HalfCase{"fma.rn.f16 %h4, %h1, %h2, %h3;", "f16"},
        HalfCase{"min.f16 %h4, %h1, %h2;", "f16"}, HalfCase{"max.NaN.f16 %h4, %h1, %h2;", "f16"},
        HalfCase{"neg.f16 %h4, %h1;", "f16"}, HalfCase{"abs.f16 %h4, %h1;", "f16"},
        HalfCase{"add.f16x2 %r4, %r1, %r2;", "f16"}, HalfCase{"sub.f16x2 %r4, %r1, %r2;", "f16"},
        HalfCase{"mul.f16x2 %r4, %r1, %r2;", "f16"}, HalfCase{"fma.rn.f16x2 %r4, %r1, %r2, %r3;", "f16"},
        HalfCase{"min.NaN.f16x2 %r4, %r1, %r2;", "f16"}, HalfCase{"max.f16x2 %r4, %r1, %r2;", "f16"},
        HalfCase{"neg.f16x2 %r4, %r1;", "f16"}, HalfCase{"abs.f16x2 %r4, %r1;", "f16"},
        HalfCase{"add.bf16 %h4, %h1, %h2;", "bf16"}, HalfCase{"sub.bf16 %h4, %h1, %h2;", "bf16"},
        HalfCase{"mul.bf16 %h4, %h1, %h2;", "bf16"}, HalfCase{"fma.rn.bf16 %h4, %h1, %h2, %h3;", "bf16"},
        HalfCase{"min.bf16 %h4, %h1, %h2;", "bf16"}, HalfCase{"neg.bf16 %h4, %h1;", "bf16"},
        HalfCase{"add.bf16x2 %r4, %r1, %r2;", "bf16"}, HalfCase{"mul.bf16x2 %r4, %r1, %r2;", "bf16"},
        HalfCase{"fma.rn.bf16x2 %r4, %r1, %r2, %r3;", "bf16"}, HalfCase{"max.bf16x2 %r4, %r1, %r2;", "bf16"},
        HalfCase{"abs.bf16x2 %r4, %r1;", "bf16"}, HalfCase{"setp.lt.f16 %p1, %h1, %h2;", "f16"},
        HalfCase{"setp.neu.f16 %p1|%p2, %h1, %h2;", "f16"},
        HalfCase{"setp.ge.f16x2 %p1|%p2, %r1, %r2;", "f16"}, HalfCase{"setp.equ.bf16 %p1, %h1, %h2;", "bf16"},
        HalfCase{"setp.nan.bf16x2 %p1|%p2, %r1, %r2;", "bf16"},
        HalfCase{"set.eq.f16.f16 %h4, %h1, %h2;", "f16"},
        HalfCase{"set.gtu.f16x2.f16x2 %r4, %r1, %r2;", "f16"},
        HalfCase{"set.le.u32.f16 %r4, %h1, %h2;", "f16"}, HalfCase{"set.ne.u32.f16x2 %r4, %r1, %r2;", "f16"},
        HalfCase{"set.num.bf16.bf16 %h4, %h1, %h2;", "bf16"},
        HalfCase{"set.lt.bf16x2.bf16x2 %r4, %r1, %r2;", "bf16"}));

}  // namespace
}  // namespace warpvp::ptx::testing
