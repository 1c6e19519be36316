// A sub-core whose ready warps are all refused sleeps until what refuses them changes. What it counts is what
// it would have counted edge by edge: with a timeline of warps it looks at each edge.

#include <gtest/gtest.h>

#include "tests/platform/program.h"

namespace warpvp::test {
namespace {

struct RefusedCase {
  const char* app;
  std::vector<std::string> settings;
};

class RefusedWarps : public testing::TestWithParam<RefusedCase> {};

nlohmann::json result_with_host(const std::string& app, const std::vector<std::string>& settings) {
  const ScratchFolder scratch;
  const Finished run = run_app("small", app, scratch / "run", settings);
  EXPECT_EQ(run.status, 0) << run.err;
  return read_json(scratch / "run/result.json");
}

std::uint64_t edges_of_sms(const nlohmann::json& result) {
  for (const auto& kind : result["host"]["edges"])
    if (kind["block"] == "sm") return kind["edges"];
  return 0;
}

TEST_P(RefusedWarps, AreCountedAtEdgesThatNobodyLooksAt) {
  std::vector<std::string> settings = GetParam().settings;
  settings.emplace_back("profile=true");
  const nlohmann::json sleeping = result_with_host(GetParam().app, settings);
  settings.insert(settings.end(), {"trace.enabled=true", "trace.warps=all"});
  const nlohmann::json looking = result_with_host(GetParam().app, settings);
  EXPECT_EQ(sleeping["kernels"], looking["kernels"]);
  EXPECT_EQ(sleeping["sms"], looking["sms"]);
  EXPECT_LT(edges_of_sms(sleeping), edges_of_sms(looking));
}

INSTANTIATE_TEST_SUITE_P(Cases, RefusedWarps,
                         testing::Values(RefusedCase{"transpose", {}},         // the load/store unit is full
                                         RefusedCase{"binomial_options", {}},  // units are busy
                                         RefusedCase{"spmv", {"platform.sm.warp_scheduler=gto"}},
                                         RefusedCase{"matmul", {"platform.sm.frontend.mode=darsie"}},
                                         RefusedCase{"blur", {"output.instructions=true"}}),
                         [](const auto& info) { return std::string(info.param.app); });

}  // namespace
}  // namespace warpvp::test
