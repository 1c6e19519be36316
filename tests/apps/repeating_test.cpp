// RepeatingRuntime under every app: with its first round of launches repeated, it computes what it computes
// without.

#include <gtest/gtest.h>

#include <algorithm>

#include "sw/apps/app.h"
#include "sw/apps/repeating_runtime.h"
#include "tests/apps/app_cases.h"
#include "tests/apps/functional_device.h"
#include "tests/apps/parameters.h"

namespace warpvp::test {
namespace {

apps::AppContext context() {
  apps::AppContext c;
  c.seed = 5;
  c.kernel_folder = "sw/kernels/";
  return c;
}

/// One of each app.
std::vector<AppCase> first_cases() {
  std::vector<AppCase> first;
  for (const AppCase& c : app_cases())
    if (std::none_of(first.begin(), first.end(), [&](const AppCase& other) { return other.app == c.app; }))
      first.push_back(c);
  return first;
}

class Repeating : public ::testing::TestWithParam<AppCase> {};

TEST_P(Repeating, LeavesResultsAsTheyAre) {
  const AppCase& c = GetParam();
  FunctionalDevice plain, device;
  const auto app = [&] { return Registry<apps::App>::instance().make(choose(c.app, c.params)); };
  app()->run(plain, context());
  unsigned repeated = 0;
  apps::RepeatingRuntime repeating(device, 0, [&](const apps::RepeatingRuntime::Launch& launch) {
    for (; repeated < 2; ++repeated) launch(rt::Stream{0}, "again");
  });
  const apps::AppResult result = app()->run(repeating, context());
  EXPECT_TRUE(repeating.finish());
  EXPECT_TRUE(result.verified) << result.message;
  EXPECT_EQ(repeated, 2u);
  std::vector<FunctionalDevice::LaunchRecord> own;
  unsigned again = 0;
  for (const auto& launch : device.launches()) launch.name == "again" ? (void)++again : own.push_back(launch);
  ASSERT_EQ(own.size(), plain.launches().size());
  for (std::size_t i = 0; i < own.size(); ++i) {
    EXPECT_EQ(own[i].entry, plain.launches()[i].entry);
    EXPECT_EQ(own[i].warp_instructions, plain.launches()[i].warp_instructions) << own[i].entry;
  }
  EXPECT_GE(again, 2u);
  EXPECT_EQ(device.allocations(), 0);
}

INSTANTIATE_TEST_SUITE_P(All, Repeating, ::testing::ValuesIn(first_cases()),
                         [](const auto& info) { return info.param.label; });

TEST(RepeatingRounds, ARoundThatNeverComesIsReported) {
  FunctionalDevice device;
  bool called = false;
  apps::RepeatingRuntime repeating(device, 7, [&](const apps::RepeatingRuntime::Launch&) { called = true; });
  EXPECT_TRUE(Registry<apps::App>::instance().make(choose("saxpy", {}))->run(repeating, context()).verified);
  EXPECT_FALSE(repeating.finish());
  EXPECT_FALSE(called);
}

}  // namespace
}  // namespace warpvp::test
