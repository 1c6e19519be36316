// The oracles on whole programs (SWaS paper, section VI-B): under coordinated fetch and issue the scheduler
// errs never, with separate ones it does; and looking changes nothing.

#include <gtest/gtest.h>

#include "tests/platform/program.h"

namespace warpvp::test {
namespace {

struct Program {
  std::string app;
  std::vector<std::string> settings;
};
std::vector<Program> programs() {
  return {{"sgemm", {}},
          {"reduction", {"workload.params.count=5000"}},
          {"divergence", {}},
          {"pair", {"workload.params.k1=his", "workload.params.k2=mm", "workload.params.size=0.02"}}};
}

class Oracles : public testing::TestWithParam<std::string> {
 protected:
  nlohmann::json run(const Program& program, const char* mode, bool oracle, unsigned schedulers = 1) {
    std::vector<std::string> settings{std::string("platform.sm.frontend.mode=") + mode,
                                      "platform.sm.schedulers=" + std::to_string(schedulers),
                                      "platform.sm.warp_scheduler=" + GetParam(),
                                      std::string("platform.sm.oracle=") + (oracle ? "true" : "false")};
    settings.insert(settings.end(), program.settings.begin(), program.settings.end());
    const auto folder = scratch_ / std::to_string(runs_++);
    const Finished finished = run_app("vortex_sm", program.app, folder, settings);
    EXPECT_EQ(finished.status, 0) << finished.err;
    return read_result(folder);
  }

 private:
  ScratchFolder scratch_;
  unsigned runs_ = 0;
};

TEST_P(Oracles, FindErrorsInSeparateModeOnly) {
  for (const Program& program : programs()) {
    SCOPED_TRACE(program.app);
    const auto swas = run(program, "coordinated", true)["simulation"]["scheduling"];
    EXPECT_EQ(swas["errors"], 0);
    EXPECT_GT(swas["discrepancies"], 0);  // there are misses
    const auto baseline = run(program, "separate", true)["simulation"]["scheduling"];
    EXPECT_GT(baseline["errors"], 0);
    EXPECT_LE(baseline["errors"], baseline["discrepancies"]);
    EXPECT_LE(baseline["discrepancies"], baseline["cycles"]);
    EXPECT_DOUBLE_EQ(baseline["error_rate"],
                     baseline["errors"].get<double>() / baseline["cycles"].get<double>());
  }
  EXPECT_EQ(run(programs()[0], "coordinated", true, 4)["simulation"]["scheduling"]["errors"], 0);
}

TEST_P(Oracles, ChangeNothing) {
  for (const char* mode : {"separate", "coordinated"}) {
    SCOPED_TRACE(mode);
    const Program program = programs()[1];
    auto watched = run(program, mode, true), alone = run(program, mode, false);
    EXPECT_TRUE(watched["simulation"].erase("scheduling"));
    for (auto& kernel : watched["kernels"]) EXPECT_TRUE(kernel.erase("scheduling"));
    for (auto& sm : watched["sms"]) EXPECT_TRUE(sm.erase("scheduling"));
    for (const char* key : {"simulation", "kernels", "streams", "sms", "noc", "l2", "dram", "control"})
      EXPECT_EQ(watched[key], alone[key]) << key;
  }
}

TEST_P(Oracles, AreDeterministic) {
  EXPECT_EQ(run(programs()[3], "coordinated", true).dump(), run(programs()[3], "coordinated", true).dump());
}

INSTANTIATE_TEST_SUITE_P(OfThePaper, Oracles, testing::Values<std::string>("lrr", "gtlrr", "gtlo"),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace warpvp::test
