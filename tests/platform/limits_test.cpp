// Published and physical limits, measured by running microbenchmarks on whole platforms.

#include <gtest/gtest.h>

#include "tests/platform/program.h"

namespace warpvp::test {
namespace {

/// SM cycles per step of a pointer chase: the slope between two lengths, so that launch and copies cancel.
double chase_latency(const std::string& platform, const std::vector<std::string>& settings, unsigned few, unsigned many) {
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
  EXPECT_NEAR(chase_latency("ccbp_gpu", {"workload.params.space=l2", "workload.params.elements=64"}, 640, 1280), 200, 12);
}
TEST(CcbpLatencies, DramAccessTakes380Cycles) {
  // One element a row of pointers far apart, visited once each: nothing can hit.
  EXPECT_NEAR(chase_latency("ccbp_gpu", {"workload.params.space=l2", "workload.params.elements=4096",
                                         "workload.params.stride_bytes=4096"},
                            1000, 3000),
              380, 30);
}

}  // namespace
}  // namespace warpvp::test
