// ex2.approx at every instruction-set level: the same bits, and those of the C library's to 2 units in the
// last place (PTX ISA 9.7.3: ex2).

#include <cmath>

#include "tests/ptx_exec/op_harness.h"

namespace warpvp::ptx::testing {
namespace {

class Exponential : public ::testing::TestWithParam<bool> {};

TEST_P(Exponential, IsTheSameAtEveryLevel) {
  OpSpec spec;
  spec.opcode = Opcode::ex2;
  spec.m.type = Type::f32;
  spec.m.rounding = Rounding::approx;
  spec.m.ftz = GetParam();
  spec.src = {32};
  constexpr std::uint32_t kStep = 1021;  // numbers of all exponents, and of every kind
  const auto levels = available_levels();
  std::vector<std::unique_ptr<OpRunner>> runners;
  for (const IsaLevel level : levels) {
    runners.push_back(std::make_unique<OpRunner>(spec, level));
    ASSERT_TRUE(runners.back()->ok());
  }
  for (std::uint64_t n = 0; n < std::uint64_t{1} << 32; n += kStep * kWarpSize) {
    Lanes a{};
    for (unsigned i = 0; i < kWarpSize; ++i) a[i] = static_cast<std::uint32_t>(n + i * kStep);
    const Lanes first = runners.front()->run({a}, ~0u, a);
    for (std::size_t k = 1; k < runners.size(); ++k)
      ASSERT_EQ(runners[k]->run({a}, ~0u, a), first) << "level " << k << ", from " << std::hex << a[0];
    for (unsigned i = 0; i < kWarpSize; ++i) {
      const auto in = static_cast<std::uint32_t>(a[i]), out = static_cast<std::uint32_t>(first[i]);
      float x, r;
      std::memcpy(&x, &in, sizeof(x));
      std::memcpy(&r, &out, sizeof(r));
      const float expected = std::exp2(x);
      if (std::isnan(x)) {
        ASSERT_EQ(out, 0x7fffffffu);
      } else if (!std::isfinite(expected) || std::fabs(expected) < 0x1p-126f) {
        ASSERT_TRUE(r == expected || std::fabs(r - expected) <= (GetParam() ? 0x1p-126f : 0x1p-149f)) << x;
      } else {
        ASSERT_LE(std::fabs(r - expected), 2 * std::fabs(std::nextafter(expected, 2 * expected) - expected))
            << x;
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(WithSubnormalsAndWithout, Exponential, ::testing::Bool());

}  // namespace
}  // namespace warpvp::ptx::testing
