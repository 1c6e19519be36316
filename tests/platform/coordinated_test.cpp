// Every shipped host program on the machine of the SWaS paper, with fetch and issue under one scheduler: its
// check against the CPU holds, and every cycle of every warp is an instruction, a NOP or a stall.

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/apps/app_cases.h"
#include "tests/platform/program.h"

namespace warpvp::test {
namespace {

class EveryAppCoordinated : public testing::TestWithParam<AppCase> {};

TEST_P(EveryAppCoordinated, ComputesWhatTheCpuComputes) {
  const ScratchFolder scratch;
  std::vector<std::string> settings{"platform.sm.frontend.mode=coordinated", "platform.check_protocol=true"};
  for (const std::string& setting : settings_of(GetParam())) settings.push_back(setting);
  const Finished run = run_app("vortex_sm", GetParam().app, scratch / "run", settings);
  ASSERT_EQ(run.status, 0) << run.err;
  const auto result = read_json(scratch / "run/result.json");
  EXPECT_EQ(result["verified"], GetParam().app != "hello");
  std::uint64_t nops = 0;
  for (const auto& kernel : result["kernels"]) nops += kernel["frontend"]["nops"].get<std::uint64_t>();
  EXPECT_GT(nops, 0u);
  EXPECT_EQ(result["sms"][0]["nops"], nops);
}

/// All but the mix of three kernels, which need more registers than this SM has for equally many warps of
/// each.
std::vector<AppCase> cases_that_fit() {
  std::vector<AppCase> cases = app_cases();
  cases.erase(std::remove_if(cases.begin(), cases.end(), [](const AppCase& c) { return c.app == "mix"; }),
              cases.end());
  return cases;
}

INSTANTIATE_TEST_SUITE_P(Shipped, EveryAppCoordinated, testing::ValuesIn(cases_that_fit()),
                         [](const auto& info) { return info.param.label; });

}  // namespace
}  // namespace warpvp::test
