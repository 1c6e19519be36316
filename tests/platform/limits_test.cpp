// Published and physical limits, measured by running microbenchmarks on whole platforms.

#include <gtest/gtest.h>

#include "tests/platform/program.h"

namespace warpvp::test {
namespace {

/// SM cycles per step of a pointer chase: the slope between two lengths, so that launch and copies cancel.
double chase_latency(const std::string& platform, const std::vector<std::string>& settings, unsigned few,
                     unsigned many) {
  double cycles[2];
  int i = 0;
  for (unsigned steps : {few, many}) {
    const ScratchFolder scratch;
    std::vector<std::string> all = settings;
    all.push_back("workload.params.steps=" + std::to_string(steps));
    const Finished run = run_app(platform, "pointer_chase", scratch / "run", all);
    EXPECT_EQ(run.status, 0) << run.err;
    if (run.status != 0) return -1;
    cycles[i++] = read_json(scratch / "run/result.json")["kernels"].back()["execution_cycles"];
  }
  return (cycles[1] - cycles[0]) / (many - few);
}

// CCBP Table 1: an L2 hit costs 200 and a DRAM access 380 SM cycles on an idle machine.
TEST(CcbpLatencies, L2HitTakes200Cycles) {
  EXPECT_NEAR(
      chase_latency("ccbp_gpu", {"workload.params.space=l2", "workload.params.elements=64"}, 640, 1280), 200,
      4);
}
TEST(CcbpLatencies, DramAccessTakes380CyclesBetweenRefreshes) {
  // Each element lies in a row of its own and is visited once: nothing can hit. A chase locks to the refresh
  // interval (refresh closes rows, which spares the next access a precharge), so the figure holds without it.
  EXPECT_NEAR(chase_latency(
                  "ccbp_gpu",
                  {"workload.params.space=l2", "workload.params.elements=4096", "workload.params.stride=4096",
                   "workload.params.warm=false", "platform.dram.timing.t_refi=0"},
                  1000, 3000),
              380, 8);
}

struct Level {
  std::string space;
  double cycles;
};
// Volta's published latencies, as configs/platforms/titan_v.yaml cites them.
TEST(TitanVLatencies, L1AndSharedAndL2AreAsConfigured) {
  for (const Level& level : {Level{"global", 28}, Level{"shared", 19}, Level{"l2", 193}})
    EXPECT_NEAR(
        chase_latency("titan_v", {"workload.params.space=" + level.space, "workload.params.elements=32"}, 640,
                      1280),
        level.cycles, 4)
        << level.space;
}

TEST(TitanVLatencies, DramAccessTakes375CyclesBetweenRefreshes) {
  EXPECT_NEAR(chase_latency(
                  "titan_v",
                  {"workload.params.space=l2", "workload.params.elements=4096", "workload.params.stride=4096",
                   "workload.params.warm=false", "platform.dram.timing.t_refi=0"},
                  1000, 3000),
              375, 4);
}

// docs/kernels.md: a launch begins with an empty L1, and the copy of the ring leaves it in the L2.
TEST(PointerChase, AWarmLaunchFillsNoL1AndAColdOneHitsInTheL2) {
  for (const char* warm : {"true", "false"}) {
    const ScratchFolder scratch;
    const Finished run = run_app("small", "pointer_chase", scratch / "run",
                                 {"workload.params.elements=64", "workload.params.steps=256",
                                  std::string("workload.params.warm=") + warm});
    ASSERT_EQ(run.status, 0) << run.err;
    const auto timed = read_json(scratch / "run/result.json")["kernels"].back()["l1"];
    EXPECT_EQ(timed["l1_hits"], 3 * 64) << warm;
    EXPECT_EQ(timed["l1_misses"], 64) << warm;
    // Code and constants apart, which only the first launch has to fetch.
    EXPECT_LT(timed["dram_accesses"], 8) << warm;
  }
}

// Streaming reads with nothing to reuse: DRAM gives all its peak but what refresh takes and rows cost.
TEST(Bandwidth, StreamingReadsReachTheDramShareThatTimingPredicts) {
  const ScratchFolder scratch;
  const Finished run = run_app(
      "ccbp_gpu", "stream", scratch / "run",
      {"workload.params.kernel=read", "workload.params.elements=4000000", "workload.params.ctas=128"});
  ASSERT_EQ(run.status, 0) << run.err;
  const auto result = read_json(scratch / "run/result.json");
  const double share = result["dram"]["bandwidth_share"];
  // All banks close and reopen around each refresh; the rest of the bound is lost to the kernel's start and
  // end.
  const auto& t = result["config"]["platform"]["dram"]["timing"];
  const auto cycles = [&](const char* key) { return t[key].get<double>(); };
  const double bound =
      1 - (cycles("t_rtp") + cycles("t_rp") + cycles("t_rfc") + cycles("t_rcd")) / cycles("t_refi");
  EXPECT_LE(share, bound);
  EXPECT_GT(share, 0.85 * bound);
}

}  // namespace
}  // namespace warpvp::test
