// Processes that take SMs from each other at random moments: every result is right, whatever way the SMs are
// taken, and what the statistics say of it belongs together.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "tests/platform/program.h"

namespace warpvp::test {
namespace {

class TakenAtRandom : public testing::TestWithParam<std::tuple<const char*, const char*>> {};

/// Apps with barriers, shared memory, atomics, divergence, several launches, and local memory.
std::string processes(unsigned seed) {
  static constexpr const char* kApps[] = {"{app: matmul, params: {m: 128}",
                                          "{app: reduction",
                                          "{app: histogram",
                                          "{app: merge_sort",
                                          "{app: stencil",
                                          "{app: bfs",
                                          "{app: scan",
                                          "{app: divergence"};
  std::mt19937 random(seed);
  std::string text;
  for (unsigned i = 0; i < 5; ++i)
    text += fmt::format("    - {}, name: p{}, priority: {}, arrival_us: {}}}\n", kApps[random() % 8], i,
                        random() % 4, random() % 120);
  return text;
}

TEST_P(TakenAtRandom, ResultsAreRight) {
  const auto [policy, way] = GetParam();
  const ScratchFolder scratch;
  std::uint64_t saved = 0, dropped = 0;
  for (unsigned seed = 1; seed <= 4; ++seed) {
    SCOPED_TRACE(seed);
    const std::string run =
        scratch.file("run.yaml", fmt::format("platform:\n"
                                             "  extends: small\n"
                                             "  work_distributor: {{policy: {}, preemption: {}, "
                                             "setup_cycles: 20}}\n"
                                             "workload:\n"
                                             "  processes:\n{}",
                                             policy, way, processes(seed)));
    const Finished finished = run_program({"run", run, "--quiet", "--out", (scratch / "out").string()});
    ASSERT_EQ(finished.status, 0) << finished.err;
    const auto result = read_result(scratch / "out");
    EXPECT_TRUE(result["verified"]);
    const auto& distributor = result["control"]["work_distributor"];
    EXPECT_EQ(distributor["ctas_issued"], distributor["ctas_done"].get<std::uint64_t>() +
                                              distributor["ctas_saved"].get<std::uint64_t>() +
                                              distributor["ctas_dropped"].get<std::uint64_t>());
    saved += distributor["ctas_saved"].get<std::uint64_t>();
    dropped += distributor["ctas_dropped"].get<std::uint64_t>();
    EXPECT_LE(distributor["preemptions"], distributor["reservations"]);
  }
  if (std::string(way) == "switch") {
    EXPECT_GT(saved, 20u);
  } else {
    EXPECT_EQ(saved, 0u);
    EXPECT_GT(dropped, 20u);
  }
}

// Tanasic et al. (ISCA 2014) reckon with the SM's share of the memory bandwidth; so does the grain of CTAs.
// An SM of gk110 full of registers has 65,536 of them, and 64 warps of 128 bytes more.
TEST(Preemption, ASwitchTakesTheStateOverTheSmsShareOfBandwidth) {
  const ScratchFolder scratch;
  const std::string run = scratch.file(
      "run.yaml",
      "platform:\n"
      "  extends: gk110\n"
      "  sm: {profiles: [" WARPVP_SOURCE
      "/configs/profiles/cta-lengths.yaml]}\n"
      "  work_distributor: {policy: fcfs_ppq, preemption: switch}\n"
      "output: {kernels: false}\n"
      "workload:\n"
      "  processes: [{application: preemption/long_10ms}, {application: preemption/urgent, priority: 1}]\n");
  const Finished finished = run_program({"run", run, "--quiet", "--out", (scratch / "out").string()});
  ASSERT_EQ(finished.status, 0) << finished.err;
  const auto result = read_result(scratch / "out");
  const auto& distributor = result["control"]["work_distributor"];
  EXPECT_EQ(distributor["preemptions"], 20 * 13);
  EXPECT_EQ(distributor["ctas_saved"], 20 * 13 * 8);
  EXPECT_EQ(distributor["drain_cycles"], 0);
  const double bytes = 65536 * 4 + 64 * 128, bytes_per_us = 208e3 / 13, cycles = bytes / bytes_per_us * 706;
  // Eight CTAs are rounded up to a cycle each, and the SM hears of it and reports over the register bus.
  EXPECT_NEAR(distributor["preemption_cycles"].get<double>() / (20 * 13), cycles, 60);
  std::uint64_t bytes_saved = 0;
  for (const auto& sm : result["sms"]) {
    bytes_saved += sm["context_switch"]["saved_bytes"].get<std::uint64_t>();
    EXPECT_EQ(sm["context_switch"]["saved_bytes"], sm["context_switch"]["restored_bytes"]);
  }
  EXPECT_EQ(bytes_saved, 20 * 13 * static_cast<std::uint64_t>(bytes));
}

INSTANTIATE_TEST_SUITE_P(Ways, TakenAtRandom,
                         testing::Combine(testing::Values("fcfs_ppq", "token"),
                                          testing::Values("switch", "flush")),
                         [](const auto& info) {
                           return std::string(std::get<0>(info.param)) + "_" + std::get<1>(info.param);
                         });

}  // namespace
}  // namespace warpvp::test
