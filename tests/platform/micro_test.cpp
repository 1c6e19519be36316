// The microbenchmarks measure what is configured: latencies, rates, bank conflicts, caches of instructions.

#include <gtest/gtest.h>

#include <map>
#include <ostream>

#include "tests/platform/program.h"

namespace warpvp::test {
namespace {

/// What `micro` measures on the small platform with one SM, in that way.
double micro(const std::string& kernel, const std::vector<std::string>& settings,
             const std::string& figure = "cycles_per_instruction") {
  const ScratchFolder scratch;
  std::vector<std::string> all{"platform.sms=1", "workload.params.kernel=" + kernel};
  all.insert(all.end(), settings.begin(), settings.end());
  const Finished run = run_app("small", "micro", scratch / "out", all);
  EXPECT_EQ(run.status, 0) << kernel << ": " << run.err;
  if (run.status != 0) return 0;
  return read_json(scratch / "out/result.json")["measured"][figure].get<double>();
}

struct LatencyCase {
  const char* kernel;
  const char* setting;  ///< of platform.sm
};
void PrintTo(const LatencyCase& c, std::ostream* out) { *out << c.kernel; }

class MicroLatency : public testing::TestWithParam<LatencyCase> {};

// Operands may be read from one bank after the other, which adds the same to both.
TEST_P(MicroLatency, GrowsByWhatTheSettingGrows) {
  const auto [kernel, setting] = GetParam();
  const auto at = [&, kernel = kernel, setting = setting](int cycles) {
    return micro(kernel, {std::string("platform.sm.") + setting + "=" + std::to_string(cycles)});
  };
  const double ten = at(10);
  EXPECT_GE(ten, 10);
  EXPECT_LE(ten, 12);
  EXPECT_NEAR(at(30) - ten, 20, 0.1);
}

INSTANTIATE_TEST_SUITE_P(Of, MicroLatency,
                         testing::Values(LatencyCase{"add_s32", "latency.int_add"},
                                         LatencyCase{"mad_lo_s32", "latency.int_mul"},
                                         LatencyCase{"add_f32", "latency.fp_add"},
                                         LatencyCase{"fma_f32", "latency.fp_fma"},
                                         LatencyCase{"ex2_approx_f32", "latency.special"},
                                         LatencyCase{"add_f64", "latency.dp_add"},
                                         LatencyCase{"shared_load_4", "memory.shared_memory.latency"}),
                         [](const auto& info) { return std::string(info.param.kernel); });

TEST(Micro, RateIsThatOfTheUnits) {
  for (const int interval : {2, 4}) {
    const double rate = micro("fma_f32",
                              {"workload.params.chain=false", "workload.params.warps=16",
                               "platform.sm.fp32_unit.initiation_interval=" + std::to_string(interval)},
                              "instructions_per_cycle");
    EXPECT_NEAR(rate, 4.0 / interval, 0.04 * 4.0 / interval) << interval;  // four sub-cores
  }
  // A chain of one warp keeps one unit busy for a cycle in each latency.
  const double alone = micro("fma_f32", {}, "instructions_per_cycle");
  EXPECT_NEAR(alone * micro("fma_f32", {}), 1, 1e-9);
}

TEST(Micro, BankConflictsAddTheirTurns) {
  const auto at = [](const char* stride) {
    return micro("shared_load_4", {std::string("workload.params.stride=") + stride});
  };
  const double none = at("4");
  const std::map<const char*, double> extra{{"0", 0},  {"8", 1},   {"16", 3},
                                            {"12", 0}, {"64", 15}, {"128", 31}};
  for (const auto& [stride, cycles] : extra) EXPECT_NEAR(at(stride) - none, cycles, 0.05) << stride;
}

// One lane of a word at a time, the words of a sector together.
TEST(Micro, TheL2TakesLanesOfOneWordInTurn) {
  const auto cycles = [](const char* stride, const char* kernel) {
    return 1 / micro(kernel,
                     {std::string("workload.params.stride=") + stride, "platform.sm_clock_mhz=1000",
                      "platform.l2.clock_mhz=1000", "platform.l2.atomic_cycles=1",
                      "platform.l2.atomic_lane_cycles=3"},
                     "instructions_per_cycle");
  };
  EXPECT_NEAR(cycles("0", "global_reduction"), 32 * 3, 3);
  EXPECT_NEAR(cycles("8", "global_reduction"), 8 * 3, 1);
  EXPECT_NEAR(cycles("0", "global_atomic") - cycles("8", "global_atomic"), (16 + 16 - 4 - 4) * 3, 12);
}

TEST(Micro, AtomicsOnOneWordGoOneAfterTheOther) {
  EXPECT_GT(micro("shared_atomic", {"workload.params.stride=0"}),
            micro("shared_atomic", {"workload.params.stride=4"}) + 16);
  EXPECT_GT(micro("global_atomic", {"workload.params.stride=0"}), 100);
}

TEST(Micro, ABarrierTakesLongerWithMoreWarps) {
  const double few = micro("barrier", {"workload.params.warps=2"});
  EXPECT_GT(few, 0);
  EXPECT_GT(micro("barrier", {"workload.params.warps=32"}), few);
}

TEST(Micro, CodeBeyondTheInstructionCacheIsSlow) {
  const auto at = [](int stretches) {
    return micro("instruction_cache", {"workload.params.rounds=3", "workload.params.warps=1",
                                       "workload.params.stride=" + std::to_string(stretches)});
  };
  const double inside = at(4);
  EXPECT_LT(inside, 2.5);
  EXPECT_GT(at(80), inside + 0.2);  // 160 KiB
}

TEST(Micro, LoadsFromTheL1TakeItsLatency) {
  const std::vector<std::string> words{"workload.params.stride=4"};
  const auto at = [&](int latency) {
    std::vector<std::string> all = words;
    all.push_back("platform.sm.memory.l1.latency=" + std::to_string(latency));
    return micro("global_load_4", all);
  };
  EXPECT_NEAR(at(50) - at(30), 20, 0.1);
  EXPECT_GT(micro("l2_load_16", {"workload.params.stride=16"}), at(50) + 50);
}

}  // namespace
}  // namespace warpvp::test
