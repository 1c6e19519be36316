// What the SWaS paper claims (section VI-B), on reduced runs of its six benchmarks: separate fetch and issue
// schedulers do not follow the issue policy, whatever the pair of policies; coordinated ones always do.

#include <gtest/gtest.h>

#include "tests/platform/program.h"

namespace warpvp::test {
namespace {

struct Benchmark {
  friend void PrintTo(const Benchmark& b, std::ostream* os) { *os << b.app; }
  std::string app;
  std::vector<std::string> params;
};

class SwasMatrix : public testing::TestWithParam<Benchmark> {
 protected:
  /// Counters of the oracles over one run of the benchmark.
  nlohmann::json scheduling(const std::string& label, std::vector<std::string> settings) const {
    settings.push_back("platform.sm.oracle=true");
    for (const std::string& p : GetParam().params) settings.push_back("workload.params." + p);
    const Finished run = run_app("vortex_sm", GetParam().app, scratch_ / label, settings);
    EXPECT_EQ(run.status, 0) << label << ": " << run.err;
    if (run.status != 0) return {};
    const auto result = read_json(scratch_ / (label + "/result.json"));
    EXPECT_EQ(result["verified"], true) << label;
    // The oracles looked at every cycle that a warp was there.
    const auto& kernel = result["kernels"][0];
    EXPECT_GT(kernel["scheduling"]["cycles"], 0) << label;
    EXPECT_LE(kernel["scheduling"]["cycles"], kernel["execution_cycles"]) << label;
    EXPECT_GT(kernel["scheduling"]["cycles"], kernel["execution_cycles"].get<double>() * 0.9) << label;
    return kernel["scheduling"];
  }

  const ScratchFolder scratch_;
};

constexpr const char* kPolicies[] = {"lrr", "gtlrr", "gtlo"};

TEST_P(SwasMatrix, EveryBaselinePairHasErrors) {
  for (const std::string fetch : kPolicies) {
    for (const std::string issue : kPolicies) {
      const std::string label = fetch + "-" + issue;
      const auto counters = scheduling(
          label, {"platform.sm.frontend.fetch_scheduler=" + fetch, "platform.sm.warp_scheduler=" + issue});
      if (counters.empty()) continue;
      EXPECT_GT(counters["errors"], 0) << label;
      EXPECT_GE(counters["discrepancies"], counters["errors"]) << label;
    }
  }
}

// Warps that evict each other's lines must not do so for ever: a fill serves those who waited for it.
TEST_P(SwasMatrix, AnInstructionCacheOfOneLineIsEnough) {
  for (const std::string mode : {"separate", "coordinated"}) {
    std::vector<std::string> settings = {
        "platform.sm.frontend.mode=" + mode, "platform.sm.warp_scheduler=gtlrr",
        "platform.sm.memory.instruction_cache.size_bytes=64",
        "platform.sm.memory.instruction_cache.associativity=1", "limits.cycles=20000000"};
    for (const std::string& p : GetParam().params) settings.push_back("workload.params." + p);
    const Finished run = run_app("vortex_sm", GetParam().app, scratch_ / mode, settings);
    EXPECT_EQ(run.status, 0) << mode << ": " << run.err;
  }
}

TEST_P(SwasMatrix, CoordinatedSchedulingHasNone) {
  for (const std::string policy : kPolicies) {
    const auto counters = scheduling(
        "swas-" + policy, {"platform.sm.frontend.mode=coordinated", "platform.sm.warp_scheduler=" + policy});
    if (counters.empty()) continue;
    EXPECT_EQ(counters["errors"], 0) << policy;
    EXPECT_GT(counters["discrepancies"], 0) << policy;  // misses of the cold instruction cache
  }
}

/// A small instruction cache makes SWaS suspend warps all the time, where the oracles have most to see.
TEST_P(SwasMatrix, CoordinatedSchedulingHasNoneThoughTheCodeDoesNotFitTheCache) {
  for (const std::string policy : kPolicies) {
    const auto counters =
        scheduling("small-cache-" + policy,
                   {"platform.sm.frontend.mode=coordinated", "platform.sm.warp_scheduler=" + policy,
                    "platform.sm.memory.instruction_cache={size_bytes: 128, line_bytes: 64, associativity: "
                    "1, mshrs: 2}"});
    if (counters.empty()) continue;
    EXPECT_EQ(counters["errors"], 0) << policy;
  }
}

INSTANTIATE_TEST_SUITE_P(Paper, SwasMatrix,
                         testing::Values(Benchmark{"blackscholes", {"options=2048"}},
                                         Benchmark{"hotspot", {"steps=2"}}, Benchmark{"hotspot3d", {"nz=3"}},
                                         Benchmark{"kmeans", {"clusters=2", "features=10"}},
                                         Benchmark{"psort", {"count=256", "block=256"}},
                                         Benchmark{"sgemm", {}}),
                         [](const auto& info) { return info.param.app; });

}  // namespace
}  // namespace warpvp::test
