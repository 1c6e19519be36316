// CTAs leave an SM of `sm.type: profile` before their ends and go on: when, in closed form.
#include <gmock/gmock.h>

#include "tests/sm_profile/profile_bench.h"

namespace warpvp::test {
namespace {

constexpr auto kSwitch = static_cast<std::uint32_t>(Preemption::kSwitch);
constexpr auto kFlush = static_cast<std::uint32_t>(Preemption::kFlush);
constexpr double kBytesPerCycle = 16;
// A warp of 16 registers a thread, and what is kept of it beside them: 2,176 bytes.
constexpr Cycle kMove = (32 * 16 * 4 + 128) / 16;

ProfileSmConfig with(const KernelProfile& profile) {
  ProfileSmConfig config;
  config.profiles.by_name["k"] = profile;
  return config;
}

class Profiles : public ::testing::Test {
 protected:
  void start(const KernelProfile& profile, unsigned sms = 1) {
    bench = std::make_unique<ProfileBench>(sms, with(profile), kNoLevel, 1, nullptr, kBytesPerCycle);
    bench->kernel(0, "k", 8);
  }
  void launch(Cycle at, unsigned sm, std::uint32_t number) {
    bench->go_to(at);
    bench->launch({at, sm, 0, number});
  }
  void preempt(Cycle at, std::uint32_t way) {
    bench->go_to(at);
    ASSERT_EQ(bench->write(0, regmap::sm::kPreempt, way), tlm::TLM_OK_RESPONSE);
  }
  Cycle end_of(std::uint32_t number) { return bench->ended.at({0, number}); }

  std::unique_ptr<ProfileBench> bench;
};

// What is launched at 10 begins at 11. What is written at 400 acts at the next edge: 390 cycles are done.
TEST_F(Profiles, ACtaGoesOnWhereItWasOnAnotherSm) {
  start(profile_of(1000), 2);
  launch(10, 0, 3);
  preempt(400, kSwitch);
  bench->go_to(2000);
  ASSERT_EQ(bench->left.size(), 1u);
  EXPECT_EQ(bench->left[0].at, 401 + kMove);
  EXPECT_EQ(bench->left[0].record.cta[0], 3u);
  EXPECT_FALSE(bench->sms[0]->busy());
  ASSERT_EQ(bench->write(1, regmap::sm::kResume, bench->left[0].record.state), tlm::TLM_OK_RESPONSE);
  launch(2000, 1, 3);
  bench->run({});
  EXPECT_EQ(end_of(3), 2001 + kMove + 610);
  EXPECT_EQ(bench->sms[0]->counters().switches.save_cycles, kMove);
  EXPECT_EQ(bench->sms[1]->counters().switches.restore_cycles, kMove);
}

// The states of several CTAs move one after the other, out and in. One whose launch had not begun goes back
// as it was.
TEST_F(Profiles, StatesMoveOneAfterTheOther) {
  start(profile_of(1000));
  for (std::uint32_t cta = 0; cta < 3; ++cta) launch(10, 0, cta);
  launch(400, 0, 3);
  preempt(400, kSwitch);
  bench->go_to(2000);
  ASSERT_EQ(bench->left.size(), 4u);
  EXPECT_EQ(bench->left[0].at, 401u);
  EXPECT_EQ(bench->left[0].record.cta[0], 3u);
  EXPECT_EQ(bench->left[0].record.state, 0u);
  for (std::uint32_t cta = 0; cta < 3; ++cta) EXPECT_EQ(bench->left[cta + 1].at, 401 + (cta + 1) * kMove);
  const auto left = bench->left;
  for (std::uint32_t cta = 0; cta < 3; ++cta) {
    bench->write(0, regmap::sm::kResume, left[cta + 1].record.state);
    launch(2000, 0, cta);
  }
  bench->run({});
  for (std::uint32_t cta = 0; cta < 3; ++cta) EXPECT_EQ(end_of(cta), 2001 + (cta + 1) * kMove + 610);
}

TEST_F(Profiles, TakenOffAgainBeforeItHasBegunACtaKeepsItsState) {
  start(profile_of(1000));
  launch(10, 0, 3);
  preempt(400, kSwitch);
  bench->go_to(2000);
  ASSERT_EQ(bench->left.size(), 1u);
  const std::uint32_t state = bench->left[0].record.state;
  ASSERT_NE(state, 0u);
  bench->write(0, regmap::sm::kResume, state);
  launch(2000, 0, 3);
  preempt(2000, kSwitch);
  bench->go_to(3000);
  ASSERT_EQ(bench->left.size(), 2u);
  EXPECT_EQ(bench->left[1].record.state, state);
}

// What had not begun has nothing to go on from, and does not begin where it was.
TEST_F(Profiles, ACtaThatWaitsForCachesLeavesAsItCame) {
  KernelProfile cold = profile_of(1000);
  cold.cold_cycles = 500;
  start(cold);
  launch(10, 0, 3);
  preempt(100, kSwitch);
  bench->go_to(3000);
  ASSERT_EQ(bench->left.size(), 1u);
  EXPECT_EQ(bench->left[0].record.state, 0u);
  EXPECT_FALSE(bench->sms[0]->busy());
  EXPECT_TRUE(bench->ended.empty());
  launch(3000, 0, 3);
  bench->run({});
  EXPECT_EQ(end_of(3), 3001u + 1000);
}

// What is left of the demands is in proportion: half a CTA asks for half of the memory bandwidth's time.
TEST_F(Profiles, DemandsGoOnWithTheRest) {
  start(profile_of(1000, 500));  // two fill an SM
  launch(10, 0, 0);
  preempt(510, kSwitch);
  bench->go_to(1000);
  bench->write(0, regmap::sm::kResume, bench->left.at(0).record.state);
  launch(2000 - kMove, 0, 0);
  for (std::uint32_t cta = 1; cta < 4; ++cta) launch(2000, 0, cta);  // four ask for twice what there is
  bench->run({});
  EXPECT_EQ(end_of(0), 2001 + 2 * 500u);
}

// 16 bytes a cycle are what there is, before and after.
TEST_F(Profiles, MemoryIsAskedForAsBefore) {
  KernelProfile memory = profile_of(1000);
  memory.memory_bytes = 16000;
  bench = std::make_unique<ProfileBench>(1, with(memory), 16, 1, nullptr, kBytesPerCycle);
  bench->kernel(0, "k", 8);
  launch(10, 0, 0);
  preempt(510, kSwitch);
  bench->go_to(1000);
  bench->write(0, regmap::sm::kResume, bench->left.at(0).record.state);
  launch(2000 - kMove, 0, 0);
  bench->run({});
  EXPECT_EQ(end_of(0), 2001 + 500u);
}

TEST_F(Profiles, OtherKernelsAreNotDropped) {
  start(profile_of(1000));
  launch(10, 0, 0);
  preempt(400, kFlush);
  bench->run({});
  EXPECT_TRUE(bench->left.empty());
  EXPECT_EQ(end_of(0), 1011u);
}
TEST_F(Profiles, IdempotentKernelsAreDropped) {
  KernelProfile profile = profile_of(1000);
  profile.idempotent = true;
  start(profile);
  launch(10, 0, 0);
  preempt(400, kFlush);
  bench->go_to(500);
  ASSERT_EQ(bench->left.size(), 1u);
  EXPECT_EQ(bench->left[0].at, 401u);
  EXPECT_EQ(bench->left[0].record.state, 0u);
  launch(500, 0, 0);
  bench->run({});
  EXPECT_EQ(end_of(0), 1501u);
}

}  // namespace
}  // namespace warpvp::test
