// rsqrt.approx against 1 / sqrt(a), computed in double and rounded to float. Multiplying a by four halves the
// result, without rounding, in both; so every significand at an even and at an odd exponent, and some at the
// others, stand for all numbers.

#include <cmath>

#include "tests/ptx_exec/op_harness.h"

namespace warpvp::ptx::testing {
namespace {

std::uint32_t reciprocal_root(std::uint32_t bits) {
  float a, r;
  std::memcpy(&a, &bits, sizeof(a));
  r = static_cast<float>(1.0 / std::sqrt(static_cast<double>(a)));
  std::memcpy(&bits, &r, sizeof(r));
  return bits;
}

/// `count` numbers from `first` on, `step` apart.
void expect_reciprocal_roots(IsaLevel level, std::uint32_t first, std::uint32_t count, std::uint32_t step) {
  OpSpec spec;
  spec.opcode = Opcode::rsqrt;
  spec.m.type = Type::f32;
  spec.m.rounding = Rounding::approx;
  spec.src = {32};
  OpRunner runner(spec, level);
  ASSERT_TRUE(runner.ok());
  Lanes a{};
  for (std::uint32_t n = 0; n < count; n += kWarpSize) {
    for (unsigned i = 0; i < kWarpSize; ++i) a[i] = first + (n + i) * step;
    const Lanes r = runner.run({a}, ~0u, a);
    for (unsigned i = 0; i < kWarpSize; ++i)
      ASSERT_EQ(r[i], reciprocal_root(static_cast<std::uint32_t>(a[i]))) << std::hex << a[i];
  }
}

TEST(ReciprocalRoot, IsTheRoundedOneForEverySignificand) {
  for (const IsaLevel level : available_levels()) expect_reciprocal_roots(level, 0x3f800000, 1 << 24, 1);
}

TEST(ReciprocalRoot, AtEveryExponentAndBelow) {
  for (const IsaLevel level : available_levels()) {
    for (std::uint32_t exponent = 1; exponent < 255; ++exponent)
      expect_reciprocal_roots(level, exponent << 23, 256, 0x7fff);
    expect_reciprocal_roots(level, 1, 1 << 12, 0x7ff);  // subnormal
    expect_reciprocal_roots(level, 1, 32, 1);
  }
}

}  // namespace
}  // namespace warpvp::ptx::testing
