// CTA limits (regmap::sm::kCtaLimits): CTAs beyond the limit of their kernel keep their state and issue
// nothing, the oldest go on; a limit can change at any edge.

#include "tests/sm/sm_bench.h"

namespace warpvp::test {
namespace {

namespace smr = regmap::sm;

/// A loop of a few hundred instructions that counts in a register.
constexpr const char* kCountingLoop = R"(
  .reg .u32 %r<4>; .reg .pred %p;
  mov.u32 %r1, 0;
AGAIN:
  add.u32 %r1, %r1, 1;
  setp.lt.u32 %p, %r1, 100;
  @%p bra AGAIN;
  ret;
)";

struct LimitBench : SmBench {
  explicit LimitBench(SmConfig config = plain_sm()) : SmBench(config) {
    load(kCountingLoop, 64);
    on_issue = [this](const Issue&, const ptx::Warp& warp) { ++issued[&warp.cta()]; };
  }
  void limit(std::uint32_t ctas) { EXPECT_EQ(write(smr::kCtaLimits, ctas), tlm::TLM_OK_RESPONSE); }
  void cycles(unsigned n) { sc_core::sc_start(n * clock.period()); }
  std::map<const void*, unsigned> issued;  ///< instructions by CTA
};

TEST(CtaLimits, OnlyTheOldestCtasIssue) {
  LimitBench bench;
  bench.launch();
  bench.limit(1);
  bench.cycles(40);
  bench.launch();
  bench.launch();
  bench.cycles(200);
  EXPECT_EQ(bench.read(smr::kResidentCtas), 3u);
  EXPECT_EQ(bench.issued.size(), 1u) << "the first alone";
  bench.cycles(100000);
  EXPECT_EQ(bench.ctas_done, 3u) << "one after the other, as each ends";
  for (const auto& [cta, count] : bench.issued) EXPECT_EQ(count, 2 * (1 + 3 * 100 + 1u));
}

TEST(CtaLimits, AllCanBeHeldAndGoOnWithTheirState) {
  LimitBench bench;
  bench.launch();
  bench.launch();
  bench.cycles(150);
  ASSERT_EQ(bench.issued.size(), 2u);
  bench.limit(0);
  bench.cycles(2);
  const auto before = bench.issued;
  bench.cycles(5000);
  EXPECT_EQ(bench.issued, before) << "nothing issues";
  EXPECT_EQ(bench.read(smr::kResidentCtas), 2u);
  EXPECT_NE(bench.sm.describe_waiting(1).find("is held back by a limit of CTAs"), std::string::npos)
      << bench.sm.describe_waiting(1);
  bench.limit(smr::kNoCtaLimit);
  bench.cycles(100000);
  EXPECT_EQ(bench.ctas_done, 2u);
  for (const auto& [cta, count] : bench.issued) EXPECT_EQ(count, 2 * (1 + 3 * 100 + 1u));
}

TEST(CtaLimits, LimitsChangeQuicklyAndCountNothingTwice) {
  LimitBench bench;
  bench.launch();
  bench.launch();
  for (unsigned i = 0; i < 200; ++i) {
    bench.limit(i % 3);
    if (i % 2) bench.limit((i + 1) % 3);  // twice at one edge
    bench.cycles(1 + i % 5);
  }
  bench.limit(2);
  bench.cycles(100000);
  EXPECT_EQ(bench.ctas_done, 2u);
  for (const auto& [cta, count] : bench.issued) EXPECT_EQ(count, 2 * (1 + 3 * 100 + 1u));
}

// The wait counts as that of a warp which is ready and not chosen, and a held SM sleeps.
TEST(CtaLimits, AHeldSmSleeps) {
  LimitBench bench;
  bench.launch();
  bench.cycles(150);
  bench.limit(0);
  bench.cycles(10);
  bench.sm.settle(bench.clock.now());
  const auto active = bench.sm.counters().active_cycles;
  const auto idle = bench.sm.launch_counters(0)->stalls[0][static_cast<unsigned>(Stall::kNotSelected)];
  bench.cycles(1000);
  bench.sm.settle(bench.clock.now());
  EXPECT_EQ(bench.sm.counters().active_cycles, active);
  EXPECT_GE(bench.sm.launch_counters(0)->stalls[0][static_cast<unsigned>(Stall::kNotSelected)], idle + 900);
}

TEST(CtaLimits, AnotherKernelsSlotIsItsOwn) {
  LimitBench bench;
  EXPECT_EQ(bench.write(smr::kCtaLimits + 4, 0), tlm::TLM_OK_RESPONSE);  // of slot 1
  bench.run_again();
  EXPECT_EQ(bench.ctas_done, 1u);
}

}  // namespace
}  // namespace warpvp::test
