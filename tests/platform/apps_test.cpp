// Every shipped host program, end to end on the small platform: its own check against the CPU must hold, and
// every memory link must obey the TLM base protocol.

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/apps/app_cases.h"
#include "tests/platform/program.h"

namespace warpvp::test {
namespace {

/// Lists of numbers are YAML sequences, texts with blanks are quoted.
std::string as_yaml(const std::string& key, std::string value) {
  if (value.find_first_of(", ") == std::string::npos) return value;
  if (key == "kernels") return '"' + value + '"';
  std::replace(value.begin(), value.end(), ' ', ',');
  return '[' + value + ']';
}

class EveryApp : public testing::TestWithParam<AppCase> {};

TEST_P(EveryApp, ComputesWhatTheCpuComputes) {
  const ScratchFolder scratch;
  std::vector<std::string> settings{"platform.check_protocol=true"};
  for (const auto& [key, value] : GetParam().params)
    settings.push_back("workload.params." + key + "=" + as_yaml(key, value));
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
