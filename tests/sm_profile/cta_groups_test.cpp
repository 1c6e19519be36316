// CTAs on one SM as fluids: when they end, in closed form.
#include "modules/sm_profile/cta_groups.h"

#include <gtest/gtest.h>

#include <map>
#include <random>

namespace warpvp {
namespace {

/// Groups that run until all have ended.
class Sm {
 public:
  CtaGroups groups;
  std::map<std::uint32_t, Cycle> ends;  ///< by token
  Cycle now = 0;

  /// `number` CTAs begin in a new group; their tokens follow each other.
  unsigned start(unsigned number, const CtaWork& work) {
    const unsigned group = groups.open_group();
    for (unsigned i = 0; i < number; ++i) groups.start(group, token_++, work);
    groups.settle();
    return group;
  }
  void until(Cycle cycle) {
    while (groups.next_end() <= cycle) step(groups.next_end());
    step(cycle);
  }
  void finish() {
    while (groups.next_end() != kNever) step(groups.next_end());
  }

 private:
  void step(Cycle cycle) {
    now = cycle;
    groups.advance(cycle);
    groups.take_ended([&](unsigned, std::uint32_t token) { ends[token] = cycle; });
    groups.settle();
  }
  std::uint32_t token_ = 0;
};

TEST(CtaGroups, ALoneCtaTakesItsTime) {
  Sm sm;
  sm.start(1, {1000, 250, 64});
  EXPECT_EQ(sm.groups.next_end(), 1000u);
  sm.finish();
  EXPECT_EQ(sm.ends[0], 1000u);
  EXPECT_TRUE(sm.groups.empty());
}

TEST(CtaGroups, PartsOfCyclesRoundUp) {
  Sm sm;
  sm.start(1, {1000.25, 0, 0});
  sm.finish();
  EXPECT_EQ(sm.ends[0], 1001u);
}

struct Crowd {
  unsigned ctas;
  Cycle end;
};
class CrowdTest : public testing::TestWithParam<Crowd> {};

/// Each takes a quarter of the SM's throughput: up to four are not slowed, more share it.
TEST_P(CrowdTest, IsSlowedBeyondTheThroughputOfTheSm) {
  Sm sm;
  sm.start(GetParam().ctas, {1000, 250, 0});
  sm.finish();
  for (unsigned i = 0; i < GetParam().ctas; ++i) EXPECT_EQ(sm.ends[i], GetParam().end);
}
INSTANTIATE_TEST_SUITE_P(Sizes, CrowdTest,
                         testing::Values(Crowd{1, 1000}, Crowd{3, 1000}, Crowd{4, 1000}, Crowd{5, 1250},
                                         Crowd{8, 2000}, Crowd{16, 4000}),
                         [](const auto& info) { return std::to_string(info.param.ctas); });

TEST(CtaGroups, WithoutDemandsNobodyIsSlowed) {
  Sm sm;
  sm.start(16, {1000, 0, 0});
  sm.start(16, {300, 0, 0});
  sm.finish();
  EXPECT_EQ(sm.ends[0], 1000u);
  EXPECT_EQ(sm.ends[31], 300u);
}

TEST(CtaGroups, TwoKernelsAreSlowedInProportionWhileBothAreThere) {
  Sm sm;
  // Demands 4 * 0.2 and 4 * 0.3 of the SM's time: 2 in all, so both run at half of their pace.
  const unsigned a = sm.start(4, {1000, 200, 0}), b = sm.start(4, {400, 120, 0});
  EXPECT_NEAR(sm.groups.rate(a), 0.5, 1e-8);  // demands are counted in 2^-32
  EXPECT_NEAR(sm.groups.rate(b), 0.5, 1e-8);
  sm.finish();
  EXPECT_EQ(sm.ends[4], 800u);
  // Then `a` alone: 0.8 in all, and the 600 that are left take 600.
  EXPECT_EQ(sm.ends[0], 1400u);
}

TEST(CtaGroups, WhoArrivesMidwaySlowsOthersFromThen) {
  Sm sm;
  sm.start(1, {1000, 1000, 0});
  sm.until(500);
  sm.start(1, {100, 100, 0});
  sm.finish();
  EXPECT_EQ(sm.ends[1], 700u);  // at half pace
  EXPECT_EQ(sm.ends[0], 1100u);
}

TEST(CtaGroups, CtasOfOneGroupEndInTheOrderOfTheirTargets) {
  Sm sm;
  const unsigned group = sm.start(1, {500, 0, 0});
  sm.until(100);
  sm.groups.start(group, 50, {100, 0, 0});
  sm.groups.start(group, 51, {700, 0, 0});
  sm.groups.settle();
  EXPECT_EQ(sm.groups.running(group), 3u);
  EXPECT_DOUBLE_EQ(sm.groups.remaining(group, 0), 400);
  EXPECT_DOUBLE_EQ(sm.groups.remaining(group, 51), 700);
  sm.finish();
  EXPECT_EQ(sm.ends[50], 200u);
  EXPECT_EQ(sm.ends[0], 500u);
  EXPECT_EQ(sm.ends[51], 800u);
}

TEST(CtaGroups, TheOthersEndInOrderWhenOneIsTakenAway) {
  std::mt19937 random(1);
  for (std::uint32_t taken = 0; taken < 64; ++taken) {
    Cycle cycles[64];
    for (Cycle& c : cycles) c = 100 + random() % 1000;
    Sm sm;
    const unsigned group = sm.groups.open_group();
    for (std::uint32_t i = 0; i < 64; ++i) sm.groups.start(group, i, {static_cast<double>(cycles[i]), 0, 0});
    sm.groups.settle();
    sm.groups.take_away(group, taken);
    sm.groups.settle();
    sm.finish();
    EXPECT_EQ(sm.ends.size(), 63u);
    for (const auto& [token, end] : sm.ends) EXPECT_EQ(end, cycles[token]) << "without " << taken;
  }
}

TEST(CtaGroups, AGroupWhoseLastCtaIsTakenAwayIsGone) {
  Sm sm;
  const unsigned group = sm.start(1, {1000, 0, 0});
  EXPECT_DOUBLE_EQ(sm.groups.take_away(group, 0), 1000);
  sm.groups.settle();
  EXPECT_TRUE(sm.groups.empty());
}

TEST(CtaGroups, TheLevelOfTheMemorySlowsThoseThatAskForMore) {
  Sm sm;
  // 4 CTAs that ask for 2 bytes a cycle each, 2 that ask for 10, and one that asks for none.
  const unsigned small = sm.start(4, {1000, 0, 2000}), great = sm.start(2, {1000, 0, 10000}),
                 none = sm.start(1, {1000, 0, 0});
  EXPECT_DOUBLE_EQ(sm.groups.memory_demand(), 28);
  // Of 18 bytes the small ones have 8, and the great ones 5 each instead of 10.
  sm.groups.set_memory_level(18);
  sm.groups.settle();
  EXPECT_DOUBLE_EQ(sm.groups.rate(small), 1);
  EXPECT_DOUBLE_EQ(sm.groups.rate(great), 0.5);
  EXPECT_DOUBLE_EQ(sm.groups.rate(none), 1);
  // 6 bytes: one for each CTA.
  sm.groups.set_memory_level(6);
  sm.groups.settle();
  EXPECT_DOUBLE_EQ(sm.groups.rate(small), 0.5);
  EXPECT_DOUBLE_EQ(sm.groups.rate(great), 0.1);
  EXPECT_DOUBLE_EQ(sm.groups.rate(none), 1);
  EXPECT_DOUBLE_EQ(sm.groups.memory_demand(), 28);  // what they would move, not what they do
  sm.groups.set_memory_level(kNoLevel);
  sm.groups.settle();
  EXPECT_DOUBLE_EQ(sm.groups.rate(great), 1);
}

TEST(CtaGroups, MemoryIsAskedForAtThePaceThatTheSmAllows) {
  Sm sm;
  sm.start(4, {1000, 500, 4000});  // twice the SM's throughput; 16 bytes a cycle at full pace
  EXPECT_DOUBLE_EQ(sm.groups.memory_demand(), 8);
  sm.groups.set_memory_level(4);
  sm.groups.settle();
  sm.finish();
  EXPECT_EQ(sm.ends[0], 4000u);
}

TEST(CtaGroups, NothingStaysOfWhatHasGone) {
  Sm sm;
  for (unsigned round = 0; round < 1000; ++round) {
    sm.start(7, {10.0 + round * 0.37, 1.0 + round * 0.011, 3.3 * round});
    sm.finish();
  }
  EXPECT_EQ(sm.groups.memory_demand(), 0);
  const Cycle now = sm.now;
  sm.start(4, {1000, 250, 0});  // exactly the SM's throughput
  sm.finish();
  EXPECT_EQ(sm.now, now + 1000);
}

}  // namespace
}  // namespace warpvp
