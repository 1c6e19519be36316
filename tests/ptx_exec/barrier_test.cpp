// CTA barriers: names, counts, arrivals without waiting, reductions, exits, deadlock.

#include "tests/ptx_exec/ptx_harness.h"

namespace warpvp::ptx::testing {
namespace {

TEST(Barrier, ProducerAndConsumerOverNamedBarriers) {
  PtxModule m("barriers.ptx");
  const auto out = m.outputs<std::uint32_t>("ping_pong", 64, 32);
  for (unsigned i = 0; i < 32; ++i) EXPECT_EQ(out[i], 4500 + 10 * i);
}

TEST(Barrier, ReductionsCountOnlyThreadsThatTakePart) {
  PtxModule m("barriers.ptx");
  const auto out = m.outputs<std::uint32_t>("reductions", 128, 128 * 3);
  for (unsigned i = 0; i < 128; ++i) {
    EXPECT_EQ(out[3 * i], i < 96 ? 24u : 0u) << i;
    EXPECT_EQ(out[3 * i + 1], i < 96 ? 1u | 4u : 0u)
        << "and, or of false, or of one thread, and of one thread";
    EXPECT_EQ(out[3 * i + 2], i < 96 ? 1u : 0u);
  }
}

TEST(Barrier, TreeReduction) {
  PtxModule m("barriers.ptx");
  EXPECT_EQ(m.outputs<std::uint32_t>("tree", 256, 1)[0], 255u * 256 / 2);
}

TEST(Barrier, ThreadsOfOneWarpMayArriveFromBothSidesOfABranch) {
  PtxModule m("barriers.ptx");
  const auto out = m.outputs<std::uint32_t>("divergent", 64, 64);
  for (unsigned i = 0; i < 64; ++i) EXPECT_EQ(out[i], (i ^ 1) + (i & 1 ? 900 : 500)) << i;
}

TEST(Barrier, ABarrierThatCannotCompleteIsReported) {
  PtxModule m("barriers.ptx");
  const FunctionalResult r = m.run("stuck", {}, {64, 1, 1}, 0, std::uint64_t{0});
  ASSERT_FALSE(r.ok());
  EXPECT_NE(r.fault->what.find("deadlock"), std::string::npos) << r.fault->what;
  EXPECT_NE(r.fault->detail.find("barrier 4: 32 of 64 threads arrived; waiting warps: 0"), std::string::npos)
      << r.fault->detail;
  EXPECT_NE(r.fault->detail.find("barrier 5: 32 of 96 threads arrived; waiting warps: 1"), std::string::npos)
      << r.fault->detail;
}

TEST(Barrier, EndlessLoopsStopAtTheLimit) {
  PtxModule m(R"(
.version 7.5
.target sm_70
.address_size 64
.visible .entry k ()
{
L:
	bra L;
}
)");
  m.runner().limit = 1000;
  const FunctionalResult r = m.run("k", {}, {32, 1, 1}, 0);
  ASSERT_FALSE(r.ok());
  EXPECT_EQ(r.fault->what, "instruction limit reached");
  EXPECT_EQ(r.warp_instructions, 1000u);
}

}  // namespace
}  // namespace warpvp::ptx::testing
