// Loading kernel images in no time and in the time that a copy takes.
#include <gtest/gtest.h>

#include "program.h"

namespace warpvp::test {
namespace {

TEST(KernelImages, LoadingThemCanTakeTime) {
  const auto run = [](const std::string& how) {
    return result_of_app("small", "vector_add", {"platform.runtime.load_images=" + how});
  };
  const nlohmann::json free = run("free"), timed = run("timed");
  ASSERT_TRUE(free.is_object() && timed.is_object());
  EXPECT_TRUE(timed.at("verified").get<bool>());
  EXPECT_EQ(result_of_app("small", "vector_add", {}), free);
  const nlohmann::json &before = free.at("simulation"), &after = timed.at("simulation");
  EXPECT_EQ(before.at("thread_instructions"), after.at("thread_instructions"));
  EXPECT_GT(after.at("time_us").get<double>(), before.at("time_us").get<double>());
}

}  // namespace
}  // namespace warpvp::test
