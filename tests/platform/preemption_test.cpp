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

INSTANTIATE_TEST_SUITE_P(Ways, TakenAtRandom,
                         testing::Combine(testing::Values("fcfs_ppq", "token"),
                                          testing::Values("switch", "flush")),
                         [](const auto& info) {
                           return std::string(std::get<0>(info.param)) + "_" + std::get<1>(info.param);
                         });

}  // namespace
}  // namespace warpvp::test
