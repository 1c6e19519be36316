// Every shipped host program, end to end on the small platform: its own check against the CPU must hold, and
// every memory link must obey the TLM base protocol.

#include <gtest/gtest.h>

#include "tests/apps/app_cases.h"
#include "tests/platform/program.h"

namespace warpvp::test {
namespace {

class EveryApp : public testing::TestWithParam<AppCase> {};

TEST_P(EveryApp, ComputesWhatTheCpuComputes) {
  const ScratchFolder scratch;
  std::vector<std::string> settings{"platform.check_protocol=true"};
  for (const std::string& setting : settings_of(GetParam())) settings.push_back(setting);
  const Finished run = run_app("small", GetParam().app, scratch / "run", settings);
  ASSERT_EQ(run.status, 0) << run.err;
  const auto result = read_json(scratch / "run/result.json");
  EXPECT_EQ(result["verified"], GetParam().app != "hello");  // which computes nothing to compare
  EXPECT_GT(result["simulation"]["cycles"], 0);
  std::uint64_t instructions = 0;
  for (const auto& kernel : result["kernels"]) {
    instructions += kernel["warp_instructions"].get<std::uint64_t>();
    EXPECT_EQ(kernel["ctas"], kernel["ctas_done"]);
    EXPECT_LE(kernel["launch_cycle"], kernel["start_cycle"]);
    EXPECT_LT(kernel["start_cycle"], kernel["end_cycle"]);
  }
  EXPECT_GT(instructions, 0u);
  EXPECT_EQ(result["simulation"]["warp_instructions"], instructions);
}

INSTANTIATE_TEST_SUITE_P(Shipped, EveryApp, testing::ValuesIn(app_cases()),
                         [](const auto& info) { return info.param.label; });

}  // namespace
}  // namespace warpvp::test
