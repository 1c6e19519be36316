// The SM of `sm.type: profile`: when CTAs end, in closed form, and what it tells of itself.
#include "modules/sm_profile/profile_sm.h"

#include <gmock/gmock.h>

#include <cmath>

#include "base/random_factor.h"
#include "tests/sm_profile/profile_bench.h"

namespace warpvp::test {
namespace {

using ::testing::HasSubstr;

ProfileSmConfig with(const std::string& name, const KernelProfile& profile) {
  ProfileSmConfig config;
  config.profiles.by_name[name] = profile;
  return config;
}

std::vector<PlannedCta> ctas(unsigned number, Cycle cycle = 10, std::uint32_t launch = 0, unsigned sm = 0) {
  std::vector<PlannedCta> plan;
  for (unsigned i = 0; i < number; ++i) plan.push_back({cycle, sm, launch, i});
  return plan;
}

std::vector<PlannedCta> operator+(std::vector<PlannedCta> a, const std::vector<PlannedCta>& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

constexpr Cycle kStart = 10 + ProfileBench::kLaunchLatency;

TEST(ProfileSm, ALoneCtaTakesTheTimeOfItsProfile) {
  ProfileBench bench(1, with("k", profile_of(1000)));
  bench.kernel(0, "k");
  bench.run(ctas(1));
  EXPECT_EQ((bench.ended[{0, 0}]), kStart + 1000);
}

TEST(ProfileSm, TimesInMicrosecondsAreThoseOfTheClock) {
  KernelProfile profile = profile_of(0);
  profile.cta_us = 2.5;  // at 1000 MHz
  ProfileBench bench(1, with("k", profile));
  bench.kernel(0, "k");
  bench.run(ctas(1));
  EXPECT_EQ((bench.ended[{0, 0}]), kStart + 2500);
}

TEST(ProfileSm, IssueSlotsAreSharedBeyondTheirNumber) {
  // 0.5 instructions a cycle each, of 2: the fifth CTA and on slow all.
  KernelProfile profile = profile_of(1000);
  profile.instructions = 500;
  ProfileSmConfig config = with("k", profile);
  config.issue_per_cycle = 2;
  ProfileBench bench(1, config);
  bench.kernel(0, "k", 4);
  bench.kernel(1, "k", 10);
  bench.run(ctas(4) + ctas(10, 5000, 1));
  EXPECT_EQ((bench.ended[{0, 3}]), kStart + 1000);
  EXPECT_EQ((bench.ended[{1, 0}]), 5000 + ProfileBench::kLaunchLatency + 2500);
}

TEST(ProfileSm, OneIssueSlotASchedulerIsTheDefault) {
  KernelProfile profile = profile_of(1000);
  profile.instructions = 1000;
  ProfileSmConfig config = with("k", profile);
  config.schedulers = 2;
  ProfileBench bench(1, config);
  bench.kernel(0, "k", 4);
  bench.run(ctas(4));
  EXPECT_EQ((bench.ended[{0, 0}]), kStart + 2000);
}

TEST(ProfileSm, TheGreaterOfIssueSlotsAndThroughputCounts) {
  KernelProfile profile = profile_of(1000, 500);
  profile.instructions = 1000;  // a quarter of the SM's issue slots, but half of its time
  ProfileBench bench(1, with("k", profile));
  bench.kernel(0, "k", 4);
  bench.run(ctas(4));
  EXPECT_EQ((bench.ended[{0, 0}]), kStart + 2000);
}

TEST(ProfileSm, MemoryBandwidthIsDividedMaxMinFairlyOverSms) {
  // SM 0 asks for 2 bytes a cycle, SM 1 for 6 and SM 2 for 10, of 12: 2, 5 and 5.
  ProfileSmConfig config;
  config.interval_cycles = 1;
  for (const auto& [name, bytes] : {std::pair{"a", 2e4}, {"b", 6e4}, {"c", 1e5}})
    config.profiles.by_name[name] = profile_of(10000, 0, bytes);
  ProfileBench bench(3, config, 12);
  for (unsigned i = 0; i < 3; ++i) bench.kernel(i, std::string(1, static_cast<char>('a' + i)));
  bench.run(ctas(1, 10, 0, 0) + ctas(1, 10, 1, 1) + ctas(1, 10, 2, 2));
  EXPECT_EQ((bench.ended[{0, 0}]), kStart + 10000);
  // A cycle passes until the division is made. Then the second has 5 of 6 bytes, from the end of the first on
  // as before, since 12 are enough for 6 and 6.
  //   1 + (9999)*5/6 = 8333.5 of 10000 when the first ends; the rest at full pace after a cycle.
  const double left_b = 10000 - 1 - 9999 * 5.0 / 6 - 5.0 / 6;
  EXPECT_EQ((bench.ended[{1, 0}]), kStart + 10001 + static_cast<Cycle>(std::ceil(left_b)));
  // The third then has 6 of 10 bytes until the second ends, and then all that it asks for.
  const double b_ends = 10001 + std::ceil(left_b);
  const double left_c = 10000 - 1 - 10000 * 0.5 - (b_ends - 10001) * 0.6 - 0.6;
  EXPECT_EQ((bench.ended[{2, 0}]),
            kStart + static_cast<Cycle>(b_ends) + 1 + static_cast<Cycle>(std::ceil(left_c)));
}

TEST(ProfileSm, AnSmWhoseDemandIsMetIsNotSlowed) {
  ProfileSmConfig config;
  config.profiles.by_name["light"] = profile_of(1000, 0, 1000);
  config.profiles.by_name["heavy"] = profile_of(1000, 0, 100000);
  config.profiles.by_name["none"] = profile_of(1000);
  ProfileBench bench(3, config, 10);
  bench.kernel(0, "light");
  bench.kernel(1, "heavy");
  bench.kernel(2, "none");
  bench.run(ctas(1, 10, 0, 0) + ctas(1, 10, 1, 1) + ctas(1, 10, 2, 1));
  EXPECT_EQ((bench.ended[{0, 0}]), kStart + 1000);
  EXPECT_EQ((bench.ended[{2, 0}]), kStart + 1000);
  EXPECT_GT((bench.ended[{1, 0}]), kStart + 9000);
}

TEST(ProfileSm, ACtaThatComesMidwaySlowsTheOthersFromThenOn) {
  ProfileBench bench(1, with("k", profile_of(1000, 1000)));
  bench.kernel(0, "k");
  bench.kernel(1, "k");
  bench.run(ctas(1) + ctas(1, 410, 1));
  // 400 alone, then half pace until the first ends, after 1200 more; 400 of the second are left.
  EXPECT_EQ((bench.ended[{0, 0}]), kStart + 1600);
  EXPECT_EQ((bench.ended[{1, 0}]), kStart + 2000);
}

TEST(ProfileSm, TheDivisionIsMadeAtMostEveryInterval) {
  ProfileSmConfig config = with("k", profile_of(1000, 0, 10000));
  config.interval_cycles = 500;
  ProfileBench bench(2, config, 10);
  bench.kernel(0, "k");
  bench.kernel(1, "k");
  // The first asks for 10 bytes, all there is: nothing to divide. When the second comes the division is made
  // in the next cycle, and the next one comes no sooner than 500 later.
  bench.run(ctas(1) + ctas(1, 110, 1, 1));
  // First: 101 alone, then half pace: 899 left take 1798.
  EXPECT_EQ((bench.ended[{0, 0}]), kStart + 101 + 1798);
  // Second: 1 at full pace, 1798 at half pace, then still at half pace until the cycle after the end of the
  // first (the last division lies further back than the interval).
  const Cycle first = 101 + 1798;  // after kStart
  const double left = 1000 - 1 - 1798 * 0.5 - 0.5;
  EXPECT_EQ((bench.ended[{1, 0}]), kStart + first + 1 + static_cast<Cycle>(std::ceil(left)));
}

TEST(ProfileSm, CtasThatComeFirstWaitForWhatIsLeftOfTheColdTime) {
  KernelProfile profile = profile_of(1000, 100);
  profile.cold_cycles = 300;
  ProfileBench bench(2, with("k", profile));
  bench.kernel(0, "k", 8);
  bench.run({{10, 0, 0, 0}, {10, 0, 0, 1}, {110, 0, 0, 2}, {500, 0, 0, 3}, {2000, 0, 0, 4}, {500, 1, 0, 5}});
  EXPECT_EQ((bench.ended[{0, 0}]), kStart + 1300);
  EXPECT_EQ((bench.ended[{0, 1}]), kStart + 1300);
  EXPECT_EQ((bench.ended[{0, 2}]), kStart + 1300);  // 100 later, and 100 less
  EXPECT_EQ((bench.ended[{0, 3}]), kStart + 490 + 1000);
  EXPECT_EQ((bench.ended[{0, 4}]), kStart + 1990 + 1000);  // nobody was there, but the caches are warm
  EXPECT_EQ((bench.ended[{0, 5}]), kStart + 490 + 1300);   // on another SM
}

TEST(ProfileSm, WhoWaitsForColdCachesAsksForNothing) {
  KernelProfile profile = profile_of(1000, 500);
  profile.cold_cycles = 300;
  ProfileSmConfig config = with("k", profile);
  config.profiles.by_name["other"] = profile_of(200, 200);
  ProfileBench bench(1, config);
  bench.kernel(0, "k", 4);
  bench.kernel(1, "other");
  bench.run(ctas(4) + ctas(1, 10, 1));
  EXPECT_EQ((bench.ended[{1, 0}]), kStart + 200);
  EXPECT_EQ((bench.ended[{0, 0}]), kStart + 300 + 2000);
}

TEST(ProfileSm, VariationIsDrawnFromSeedLaunchAndCta) {
  const KernelProfile profile = profile_of(1000, 0, 0, 0.4);
  ProfileBench bench(2, with("k", profile), kNoLevel, 77);
  bench.kernel(0, "k", 16);
  bench.kernel(3, "k", 16);
  bench.run(ctas(16) + ctas(16, 10, 3, 1));
  for (const std::uint32_t launch : {0u, 3u})
    for (std::uint32_t n = 0; n < 16; ++n)
      EXPECT_EQ((bench.ended[{launch, n}]),
                kStart + static_cast<Cycle>(std::ceil(1000 * log_normal_factor(0.4, 77, launch, n) - 1e-6)));
}

TEST(ProfileSm, CountsCtasInstructionsAndBytes) {
  KernelProfile profile = profile_of(1000, 0, 2000.5);
  profile.instructions = 300.25;
  ProfileBench bench(1, with("k", profile));
  bench.kernel(0, "k", 4);
  std::vector<PlannedCta> plan = ctas(3);
  plan.push_back({5000, 0, 0, 3});
  bench.run(plan);
  const ProfileSm& sm = *bench.sms[0];
  EXPECT_EQ(sm.counters().ctas, 4u);
  EXPECT_EQ(sm.counters().issued, 1201u);
  EXPECT_EQ(sm.counters().active_cycles, 2000u);
  const SmLaunchCounters& launch = *sm.launch_counters(0);
  EXPECT_EQ(launch.ctas, 4u);
  EXPECT_EQ(launch.warp_instructions, 1201u);
  EXPECT_EQ(launch.first_cycle, kStart);
  EXPECT_EQ(launch.last_cycle, 5000 + ProfileBench::kLaunchLatency + 1000);
  EXPECT_EQ(sm.memory_counters(0)->read_bytes, 8002u);
  EXPECT_EQ(sm.launch_counters(1), nullptr);
  EXPECT_FALSE(sm.computes());
}

TEST(ProfileSm, ShowsWhatIsThere) {
  ProfileBench bench(1, with("k", profile_of(1000, 1000)));
  bench.kernel(0, "k", 4, 32);
  for (const PlannedCta& cta : ctas(2)) {
    bench.go_to(cta.cycle);
    bench.launch(cta);
  }
  EXPECT_EQ(bench.read(0, regmap::sm::kWaitingCtas), 2u);
  EXPECT_TRUE(bench.sms[0]->busy());
  EXPECT_FALSE(bench.sms[0]->ends_by_itself());
  bench.go_to(500);
  EXPECT_EQ(bench.read(0, regmap::sm::kWaitingCtas), 0u);
  EXPECT_EQ(bench.read(0, regmap::sm::kResidentCtas), 2u);
  EXPECT_EQ(bench.read(0, regmap::sm::kResidentWarps), 2u);
  EXPECT_EQ(bench.sms[0]->resident_ctas(), 2u);
  EXPECT_TRUE(bench.sms[0]->ends_by_itself());
  EXPECT_EQ(bench.sms[0]->describe_waiting(8),
            "  SM 0 kernel k (launch 0): 2 CTAs run at 0.500 of the pace of a lone one\n");
  bench.go_to(5000);
  EXPECT_EQ(bench.read(0, regmap::sm::kResidentCtas), 0u);
  EXPECT_FALSE(bench.sms[0]->busy());
}

TEST(ProfileSm, AProfileForAShapeComesBeforeTheKernels) {
  ProfileSmConfig config = with("k", profile_of(1000));
  config.profiles.by_name["k@7x32"] = profile_of(50);
  ProfileBench bench(1, config);
  bench.kernel(0, "k", 7);
  bench.kernel(1, "k", 8);
  bench.run(ctas(1) + ctas(1, 10, 1));
  EXPECT_EQ((bench.ended[{0, 0}]), kStart + 50);
  EXPECT_EQ((bench.ended[{1, 0}]), kStart + 1000);
}

TEST(ProfileSm, AKernelWithoutAProfileIsAFaultThatNamesItAndTheRemedy) {
  ProfileBench bench(1, with("other", profile_of(1000)));
  bench.kernel(0, "k", 5);
  bench.run(ctas(1));
  ASSERT_TRUE(bench.faults.faulted());
  EXPECT_THAT(bench.faults.fault()->summary(), HasSubstr("kernel 'k' has no profile"));
  EXPECT_THAT(bench.faults.fault()->detail, HasSubstr("None of platform.sm.profiles has 'k' or 'k@5x32'"));
  EXPECT_THAT(bench.faults.fault()->detail, HasSubstr("warpvp profile"));
  EXPECT_TRUE(bench.ended.empty());
}

TEST(ProfileSm, AProfileOfOtherCtasIsAFault) {
  ProfileBench bench(1, with("k", profile_of(1000)));
  bench.kernel(0, "k", 5, 64);
  bench.run(ctas(1));
  ASSERT_TRUE(bench.faults.faulted());
  EXPECT_THAT(bench.faults.fault()->summary(), HasSubstr("is of CTAs of 32 threads, and these have 64"));
}

TEST(ProfileSm, ACtaOfAnotherContextIsAFault) {
  ProfileBench bench(1, with("k", profile_of(1000)));
  bench.kernel(0, "k", 1);
  bench.context = 3;
  bench.run(ctas(1));
  ASSERT_TRUE(bench.faults.faulted());
  EXPECT_THAT(bench.faults.fault()->summary(),
              HasSubstr("a CTA of context 3 came to an SM that is set up for context 0"));
}

TEST(ProfileSm, AKernelOfAnotherContextIsAFault) {
  ProfileBench bench(1, with("k", profile_of(100)));
  bench.kernel(0, "k");  // context 0 has it
  bench.go_to(1);
  ASSERT_EQ(bench.write(0, regmap::sm::kContext, 3), tlm::TLM_OK_RESPONSE);
  bench.context = 3;
  bench.run(ctas(1));
  ASSERT_TRUE(bench.faults.faulted());
  EXPECT_THAT(bench.faults.fault()->summary(), HasSubstr("context 3 launched a kernel of context 0"));
}

TEST(ProfileSm, ACtaForWhichThereIsNoRoomIsAFault) {
  SmResources limits;
  limits.ctas = 2;
  ProfileBench bench(1, with("k", profile_of(1000)), kNoLevel, 1, &limits);
  bench.kernel(0, "k", 3);
  bench.run(ctas(3));
  ASSERT_TRUE(bench.faults.faulted());
  EXPECT_THAT(bench.faults.fault()->summary(), HasSubstr("CTA launched on an SM without room for it"));
}

}  // namespace
}  // namespace warpvp::test
