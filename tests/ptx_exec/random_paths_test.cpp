// Random programs on many paths compute what their threads say, however often the paths of a warp take turns.

#include "tests/ptx_exec/random_paths.h"

#include "tests/ptx_exec/ptx_harness.h"

namespace warpvp::ptx::testing {
namespace {

constexpr unsigned kPathThreads = 80;  // the last warp has 16 lanes

void expect_right(const std::string& text, const std::vector<std::uint32_t>& expected,
                  const DivergencePolicy& policy) {
  PtxModule m(text);
  m.runner().divergence = policy;
  const auto out = m.outputs<std::uint32_t>("k", kPathThreads, 2 * kPathThreads);
  for (unsigned i = 0; i < 2 * kPathThreads; ++i)
    ASSERT_EQ(out[i], expected[i]) << "thread " << i / 2 << ", switch_after " << policy.switch_after;
}

TEST(RandomPaths, OfLanesOnTheirOwnGiveTheSameWithAndWithoutTurns) {
  for (unsigned seed = 0; seed < 40; ++seed) {
    const random_paths::Program program(seed, false);
    const auto expected = program.expected(kPathThreads);
    expect_right(program.text(), expected, {false, 64});
    for (unsigned switch_after : {1u, 2u, 7u, 1000u})
      expect_right(program.text(), expected, {true, switch_after});
    if (HasFatalFailure()) FAIL() << "seed " << seed << "\n" << program.text();
  }
}

TEST(RandomPaths, ThatMeetGiveWhatTheirThreadsSay) {
  for (unsigned seed = 0; seed < 60; ++seed) {
    const random_paths::Program program(1000 + seed, true);
    const auto expected = program.expected(kPathThreads);
    for (unsigned switch_after : {1u, 2u, 7u, 1000u})
      expect_right(program.text(), expected, {true, switch_after});
    if (HasFatalFailure()) FAIL() << "seed " << 1000 + seed << "\n" << program.text();
  }
}

}  // namespace
}  // namespace warpvp::ptx::testing
