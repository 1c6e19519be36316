// The taxonomy of the SWaS paper's section II-B: selections and modes of the policy `select`, at issue and at
// fetch, by hand and under random readiness.

#include <gtest/gtest.h>

#include <random>
#include <tuple>

#include "tests/sm_policies/driver.h"

namespace warpvp::test {
namespace {

using Values = std::map<std::string, std::string>;

Values pair(const std::string& selection, const std::string& mode) {
  return {{"selection", selection}, {"mode", mode}};
}
std::string edges(Driver& d, unsigned count, WarpMask ready) {
  std::string picked;
  for (unsigned i = 0; i < count; ++i) picked += std::to_string(d.edge(ready));
  return picked;
}

// ---- Strict

TEST(Strict, RoundRobinPassesTheTurnOnAtEveryEdge) {
  Driver d = four_warps("select", pair("round_robin", "strict"));
  EXPECT_EQ(d.edge(0b1111), 0u);
  EXPECT_EQ(d.edge(0b1101), kNoWarp);  // warp 1's turn
  EXPECT_EQ(d.edge(0b1101), 2u);
  EXPECT_EQ(d.edge(0), kNoWarp);  // warp 3's turn, the SM sleeps
  EXPECT_EQ(d.edge(0b1111), 0u);
  d.sleep(6);  // turns of 1, 2, 3, 0, 1, 2
  EXPECT_EQ(d.edge(0b1111), 3u);
  d.sleep(4'000'000'001);
  EXPECT_EQ(d.edge(0b1111), 1u);
}

TEST(Strict, WarpsAtABarrierTakeNoTurns) {
  Driver d = four_warps("select", pair("round_robin", "strict"));
  EXPECT_EQ(d.edge(0b1110, 0, kNothingBuffered, 0b0001), 1u);
  EXPECT_EQ(d.edge(0b0010, 0, kNothingBuffered, 0b0101), kNoWarp);  // 3's turn
  EXPECT_EQ(d.edge(0b0010, 0, kNothingBuffered, 0b0101), 1u);
  d.sleep(1);  // 2's turn, when nobody waits
  EXPECT_EQ(d.edge(0b1111), 3u);
}

TEST(Strict, NewWarpsFollowNoPause) {
  Driver d(make_scheduler("select", pair("round_robin", "strict")));
  d.sleep(50);
  for (unsigned warp = 0; warp < 3; ++warp) d.start(warp, warp_info(warp));
  EXPECT_EQ(d.edge(0b111), 0u);
  for (unsigned warp = 0; warp < 3; ++warp) d.finish(warp);
  d.sleep(50);
  for (unsigned warp = 0; warp < 3; ++warp) d.start(warp, warp_info(warp));
  EXPECT_EQ(d.edge(0b111), 1u);
}

TEST(Strict, OldestWaitsForTheOldestThatNothingHolds) {
  Driver d = four_warps("select", pair("oldest", "strict"));
  EXPECT_EQ(d.edge(0b1110), kNoWarp);
  EXPECT_EQ(d.edge(0b1111), 0u);
  EXPECT_EQ(d.edge(0b1110, 0, kNothingBuffered, 0b0001), 1u);  // 0 is at a barrier
  EXPECT_EQ(d.edge(0b1100, 0, kNothingBuffered, 0b0001), kNoWarp);
  d.finish(0);
  EXPECT_EQ(d.edge(0b1100), kNoWarp);
  EXPECT_EQ(d.edge(0b1010), 1u);
}

TEST(Strict, IcountWaitsForTheWarpWithTheFewestInstructions) {
  Driver d = four_warps("select", pair("icount", "strict"));
  EXPECT_EQ(d.edge_buffered(0b1101, {3, 0, 2, 2}), kNoWarp);
  EXPECT_EQ(d.edge_buffered(0b1111, {3, 1, 2, 2}), 1u);
  EXPECT_EQ(d.edge_buffered(0b1111, {3, 3, 2, 2}), 2u);  // of 2 and 3 the next in order
  EXPECT_EQ(d.edge_buffered(0b0111, {3, 3, 2, 2}), kNoWarp);
  EXPECT_EQ(d.edge_buffered(0b0111, {3, 3, 2, 2}), 2u);
}

// ---- Loose and greedy; the other selections are tested under their short names

TEST(Loose, IcountTakesTheReadyWarpWithTheFewestInstructions) {
  Driver d = four_warps("select", pair("icount", "loose"));
  EXPECT_EQ(d.edge_buffered(0b1101, {3, 1, 2, 2}), 2u);
  EXPECT_EQ(d.edge_buffered(0b1101, {3, 1, 2, 2}), 3u);
  EXPECT_EQ(d.edge_buffered(0b1101, {3, 1, 2, 2}), 2u);
  EXPECT_EQ(d.edge_buffered(0b0001, {3, 1, 2, 2}), 0u);
}

TEST(Greedy, IcountSelectsOnlyWhenTheWarpStalls) {
  Driver d = four_warps("select", pair("icount", "greedy"));
  EXPECT_EQ(d.edge_buffered(0b1111, {3, 1, 2, 2}), 1u);
  EXPECT_EQ(d.edge_buffered(0b1111, {1, 4, 2, 2}), 1u);
  EXPECT_EQ(d.edge_buffered(0b1101, {2, 1, 4, 1}), 3u);
  EXPECT_EQ(d.edge(0), kNoWarp);
  EXPECT_EQ(d.edge_buffered(0b1111, {2, 2, 4, 3}), 0u);  // an idle edge is a stall
}

TEST(Gtlrr, KeepsTheTurnUntilTheWarpStalls) {
  Driver d = four_warps("gtlrr");
  EXPECT_EQ(edges(d, 3, 0b1111), "000");
  EXPECT_EQ(edges(d, 2, 0b1100), "22");
  EXPECT_EQ(d.edge(0b1011), 3u);
  EXPECT_EQ(d.edge(0b0011), 0u);
}

TEST(Gtlo, KeepsTheTurnThenTakesTheOldest) {
  Driver d = four_warps("gtlo");
  EXPECT_EQ(edges(d, 2, 0b1110), "11");
  EXPECT_EQ(edges(d, 2, 0b1111), "11");
  EXPECT_EQ(d.edge(0b1100), 2u);
  EXPECT_EQ(d.edge(0b1011), 0u);
}

TEST(Gty, KeepsTheTurnThenTakesTheYoungest) {
  Driver d = four_warps("gty");
  EXPECT_EQ(edges(d, 2, 0b0111), "22");
  EXPECT_EQ(edges(d, 2, 0b1111), "22");
  EXPECT_EQ(d.edge(0b0011), 1u);
  EXPECT_EQ(d.edge(0b1001), 3u);
  d.finish(1);
  d.start(1, warp_info(9));  // now the youngest
  EXPECT_EQ(d.edge(0b0111), 1u);
}

// ---- Adaptive: four warps, ahead when more than two turns above the mean

Driver adaptive(const std::string& selection) {
  return four_warps("select", {{"selection", selection}, {"mode", "adaptive"}, {"lead", "2"}});
}

TEST(Adaptive, RoundRobinGivesUpTheTurnWhenTooFarAhead) {
  Driver d = adaptive("round_robin");
  // 3 turns against a mean of 3/4; 4 against 7/4; 6 against 13/4; 8 against 21/4.
  EXPECT_EQ(edges(d, 22, 0b1111), "0001111222222333333330");
}

TEST(Adaptive, OldestTakesTheOldestThatIsNotAhead) {
  Driver d = adaptive("oldest");
  EXPECT_EQ(edges(d, 11, 0b1111), "00011110012");
}

TEST(Adaptive, AWarpAheadIssuesWhenNoOtherIsReady) {
  Driver d = adaptive("round_robin");
  EXPECT_EQ(edges(d, 6, 0b0001), "000000");
  EXPECT_EQ(edges(d, 2, 0b0011), "11");
}

TEST(Adaptive, AWarpThatStartsTakesOverTheMean) {
  Driver d(make_scheduler("select", {{"mode", "adaptive"}, {"lead", "2"}}));
  d.start(0, warp_info(0));
  for (int i = 0; i < 100; ++i) EXPECT_EQ(d.edge(0b1), 0u);
  d.start(1, warp_info(1));
  // 105 turns against a mean of 205/2.
  EXPECT_EQ(edges(d, 6, 0b11), "000001");
}

TEST(Adaptive, AWarpThatEndsLeavesTheMean) {
  Driver d(make_scheduler("select", {{"mode", "adaptive"}, {"lead", "2"}}));
  d.start(0, warp_info(0));
  d.start(1, warp_info(1));
  for (int i = 0; i < 100; ++i) EXPECT_EQ(d.edge(0b01), 0u);
  d.finish(0);
  d.start(2, warp_info(2));
  // 5 turns against a mean of 5/2.
  EXPECT_EQ(edges(d, 6, 0b110), "111112");
}

// ---- Fetch

struct SelectFetcher {
  explicit SelectFetcher(Values values) : policy(make_policy<FetchPolicy>("select", std::move(values))) {
    for (unsigned warp = 0; warp < 4; ++warp) policy->warp_started(warp, warp_info(warp));
  }
  unsigned edge(WarpMask fetchable, WarpMask missing = 0, std::vector<std::uint8_t> buffered = {}) {
    buffered.resize(64);
    const Cycle now = cycle++;
    return fetchable ? policy->pick({now, 0b1111, fetchable, missing}, buffered.data()) : kNoWarp;
  }
  std::unique_ptr<FetchPolicy> policy;
  Cycle cycle = 0;
};

TEST(StrictFetch, WaitsForAMissButNotForAFullBuffer) {
  SelectFetcher f(pair("round_robin", "strict"));
  EXPECT_EQ(f.edge(0b1111), 0u);
  EXPECT_EQ(f.edge(0b1101, 0b0010), kNoWarp);  // 1 waits for its line
  EXPECT_EQ(f.edge(0b1001, 0b0010), 3u);       // 2 is full
  SelectFetcher oldest(pair("oldest", "strict"));
  EXPECT_EQ(oldest.edge(0b1110, 0b0001), kNoWarp);
  EXPECT_EQ(oldest.edge(0b1110), 1u);
  SelectFetcher icount(pair("icount", "strict"));
  EXPECT_EQ(icount.edge(0b1110, 0b0001, {0, 2, 1, 3}), kNoWarp);
  EXPECT_EQ(icount.edge(0b1110, 0b0001, {2, 2, 1, 3}), 2u);
}

TEST(AdaptiveFetch, GivesUpTheTurnWhenTooFarAhead) {
  SelectFetcher f({{"mode", "adaptive"}, {"lead", "2"}});
  std::string picked;
  for (int i = 0; i < 14; ++i) picked += std::to_string(f.edge(0b1111));
  EXPECT_EQ(picked, "00011112222223");
}

// ---- What must hold under random readiness

class EveryPair : public testing::TestWithParam<std::tuple<std::string, std::string>> {
 protected:
  std::unique_ptr<WarpSchedulerPolicy> make() const {
    return make_scheduler("select", pair(std::get<0>(GetParam()), std::get<1>(GetParam())));
  }
  bool strict() const { return std::get<1>(GetParam()) == "strict"; }
};

TEST_P(EveryPair, StrictIssuesTheSelectedWarpOnlyAndTheOthersNeverIdle) {
  std::mt19937 rng(17);
  auto policy = make();
  const auto all = WarpMask{0xffffff};
  std::uint8_t buffered[64];
  for (unsigned warp = 0; warp < 24; ++warp) policy->warp_started(warp, warp_info(rng()));
  unsigned idle = 0;
  for (Cycle cycle = 1; cycle < 50000; cycle += 1 + (rng() % 8 == 0 ? rng() % 100 : 0)) {
    const WarpMask ready = rng() & all & (cycle / 32 % 2 ? rng() : ~0u);
    const WarpMask held = rng() & rng() & all & ~ready;
    for (auto& count : buffered) count = static_cast<std::uint8_t>(rng() % 5);
    if (ready == 0) continue;
    // What it selects shows when every contender is ready.
    const unsigned selected = policy->clone()->pick({cycle, all, all & ~held, 0, buffered, held});
    const unsigned picked = policy->pick({cycle, all, ready, 0, buffered, held});
    if (strict()) {
      ASSERT_EQ(picked, ready >> selected & 1 ? selected : kNoWarp);
      idle += picked == kNoWarp;
    } else {
      ASSERT_LT(picked, 64u);
      ASSERT_TRUE(ready >> picked & 1);
    }
  }
  EXPECT_EQ(idle > 1000, strict());
}

INSTANTIATE_TEST_SUITE_P(Taxonomy, EveryPair,
                         testing::Combine(testing::Values("round_robin", "oldest", "icount"),
                                          testing::Values("strict", "loose", "greedy", "adaptive")),
                         [](const auto& info) {
                           return std::get<0>(info.param) + "_" + std::get<1>(info.param);
                         });

TEST(Greedy, NeverLeavesAReadyWarp) {
  for (const char* selection : {"round_robin", "oldest", "icount"}) {
    Driver d(make_scheduler("select", pair(selection, "greedy")));
    unsigned last = kNoWarp, kept = 0;
    random_history(
        d, 16, 2,
        [&](WarpMask ready, unsigned picked) {
          if (last != kNoWarp && (ready >> last & 1)) {
            ASSERT_EQ(picked, last) << selection;
            ++kept;
          }
          last = picked;
        },
        50000);
    EXPECT_GT(kept, 5000u);
  }
}

TEST(Adaptive, NoWarpGetsMoreThanTheLeadAheadWhileAnotherIsReady) {
  constexpr unsigned kWarps = 16, kLead = 5;
  for (const char* selection : {"round_robin", "oldest", "icount"}) {
    auto policy = make_scheduler("select", {{"selection", selection}, {"mode", "adaptive"}, {"lead", "5"}});
    std::mt19937 rng(4);
    WarpMask resident = 0;
    std::uint64_t turns[kWarps] = {}, total = 0, warps = 0;
    const auto ahead = [&](unsigned warp) { return turns[warp] * warps > total + kLead * warps; };
    unsigned refused = 0;
    for (Cycle cycle = 0; cycle < 100000; ++cycle) {
      const unsigned changed = rng() % kWarps;
      const WarpMask bit = WarpMask{1} << changed;
      if (cycle < 100 || rng() % 64 == 0) {
        if (resident & bit) {
          policy->warp_finished(changed);
          total -= turns[changed];
          --warps;
        } else {
          policy->warp_started(changed, warp_info(cycle));
          turns[changed] = warps ? total / warps : 0;
          total += turns[changed];
          ++warps;
        }
        resident ^= bit;
      }
      // Half of the warps stall for long, so that the others run away.
      WarpMask ready = rng() & resident;
      if (cycle / 256 % 2) ready &= 0x00ff;
      if (ready == 0) continue;
      const unsigned picked = policy->pick({cycle, resident, ready, 0});
      bool all_ahead = true;
      for (unsigned warp = 0; warp < kWarps; ++warp) all_ahead &= !(ready >> warp & 1) || ahead(warp);
      ASSERT_TRUE(!ahead(picked) || all_ahead) << selection << " cycle " << cycle;
      refused += all_ahead;
      ++turns[picked];
      ++total;
    }
    EXPECT_GT(refused, 100u);  // both cases occurred
    EXPECT_LT(refused, 90000u);
  }
}

struct ShortName {
  const char* name;
  Values values;
  const char* selection;
  const char* mode;
};
const ShortName kShortNames[] = {
    {"lrr", {}, "round_robin", "loose"},    {"lrr", {{"greedy", "true"}}, "round_robin", "greedy"},
    {"gtlrr", {}, "round_robin", "greedy"}, {"gto", {}, "oldest", "greedy"},
    {"gtlo", {}, "oldest", "greedy"},       {"oldest", {}, "oldest", "loose"},
    {"icount", {}, "icount", "loose"}};

TEST(ShortNames, MeanTheirPairAtIssueAndAtFetch) {
  for (const ShortName& s : kShortNames) {
    std::mt19937 rng(3);
    auto issue = make_scheduler(s.name, s.values),
         issue_pair = make_scheduler("select", pair(s.selection, s.mode));
    auto fetch = make_policy<FetchPolicy>(s.name, s.values),
         fetch_pair = make_policy<FetchPolicy>("select", pair(s.selection, s.mode));
    for (unsigned warp = 0; warp < 32; ++warp) {
      const WarpInfo info = warp_info(rng());
      issue->warp_started(warp, info);
      issue_pair->warp_started(warp, info);
      fetch->warp_started(warp, info);
      fetch_pair->warp_started(warp, info);
    }
    std::uint8_t buffered[64];
    const WarpMask all = 0xffffffff;
    for (Cycle cycle = 0; cycle < 20000; ++cycle) {
      const WarpMask ready = rng() & (cycle / 32 % 2 ? rng() & rng() & rng() & rng() : ~0u);
      for (auto& count : buffered) count = static_cast<std::uint8_t>(rng() % 5);
      if (ready == 0) continue;
      ASSERT_EQ(issue->pick({cycle, all, ready, 0, buffered}),
                issue_pair->pick({cycle, all, ready, 0, buffered}))
          << s.name;
      ASSERT_EQ(fetch->pick({cycle, all, ready}, buffered), fetch_pair->pick({cycle, all, ready}, buffered))
          << s.name;
    }
  }
}

}  // namespace
}  // namespace warpvp::test
