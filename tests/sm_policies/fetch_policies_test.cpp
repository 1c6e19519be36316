// The fetch schedulers: sequences worked out by hand, and fairness under random readiness.

#include <gtest/gtest.h>

#include <random>

#include "tests/sm_policies/policy_maker.h"

namespace warpvp::test {
namespace {

struct Fetcher {
  explicit Fetcher(const std::string& name, std::map<std::string, std::string> values = {})
      : policy(make_policy<FetchPolicy>(name, std::move(values))) {
    for (unsigned warp = 0; warp < 4; ++warp) policy->warp_started(warp, warp_info(10 - warp));
  }
  unsigned edge(WarpMask fetchable, std::vector<std::uint8_t> buffered = {0, 0, 0, 0}) {
    const Cycle now = cycle++;
    return fetchable ? policy->pick({now, 0b1111, fetchable}, buffered.data()) : kNoWarp;
  }
  std::unique_ptr<FetchPolicy> policy;
  Cycle cycle = 0;
};

TEST(FetchLrr, TakesTurns) {
  Fetcher f("lrr");
  EXPECT_EQ(f.edge(0b1111), 0u);
  EXPECT_EQ(f.edge(0b1101), 2u);
  EXPECT_EQ(f.edge(0b0101), 0u);
  EXPECT_EQ(f.edge(0b1111), 1u);
}

TEST(FetchLrr, GreedyFetchesOnUntilItCannot) {
  Fetcher f("lrr", {{"greedy", "true"}});
  EXPECT_EQ(f.edge(0b1111), 0u);
  EXPECT_EQ(f.edge(0b1111), 0u);
  EXPECT_EQ(f.edge(0b1010), 1u);
  EXPECT_EQ(f.edge(0b1111), 1u);
  EXPECT_EQ(f.edge(0), kNoWarp);
  EXPECT_EQ(f.edge(0b1111), 2u);
}

TEST(FetchOldest, TakesTheOldest) {
  Fetcher f("oldest");  // warp 3 is the oldest
  EXPECT_EQ(f.edge(0b1111), 3u);
  EXPECT_EQ(f.edge(0b0111), 2u);
  EXPECT_EQ(f.edge(0b1011), 3u);
}

TEST(FetchGto, FetchesOnThenTakesTheOldest) {
  Fetcher f("gto");
  EXPECT_EQ(f.edge(0b0111), 2u);
  EXPECT_EQ(f.edge(0b1111), 2u);
  EXPECT_EQ(f.edge(0b1011), 3u);
  EXPECT_EQ(f.edge(0b0001), 0u);
  EXPECT_EQ(f.edge(0), kNoWarp);
  EXPECT_EQ(f.edge(0b0111), 2u);
}

TEST(FetchIcount, TakesTheFewestBuffered) {
  Fetcher f("icount");
  EXPECT_EQ(f.edge(0b1111, {2, 1, 0, 1}), 2u);
  EXPECT_EQ(f.edge(0b1011, {2, 1, 0, 1}), 3u);  // next in order among equals
  EXPECT_EQ(f.edge(0b1011, {2, 1, 0, 1}), 1u);
  EXPECT_EQ(f.edge(0b0001, {2, 1, 0, 1}), 0u);
}

TEST(EveryFetchPolicy, PicksAWarpThatCanFetchAndLrrAndIcountLeaveNoneOut) {
  for (const std::string& name : Registry<FetchPolicy>::instance().names()) {
    auto policy = make_policy<FetchPolicy>(name);
    std::mt19937 rng(5);
    const std::uint8_t buffered[64] = {};
    unsigned passed_over[64] = {};
    for (unsigned warp = 0; warp < 64; ++warp) policy->warp_started(warp, warp_info(warp));
    for (Cycle cycle = 0; cycle < 100000; ++cycle) {
      const WarpMask fetchable = WarpMask{rng()} << 32 | rng();
      const unsigned picked = policy->pick({cycle, ~WarpMask{0}, fetchable}, buffered);
      if (picked == kNoWarp) continue;  // a policy may wait; what ours do is tested above
      ASSERT_LT(picked, 64u);
      ASSERT_TRUE(fetchable >> picked & 1) << name;
      if (name != "lrr" && name != "icount") continue;
      for (unsigned warp = 0; warp < 64; ++warp) {
        passed_over[warp] = warp == picked || !(fetchable >> warp & 1) ? 0 : passed_over[warp] + 1;
        ASSERT_LT(passed_over[warp], 64u) << name;
      }
    }
  }
}

}  // namespace
}  // namespace warpvp::test
