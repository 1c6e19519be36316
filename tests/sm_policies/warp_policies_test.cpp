// The warp schedulers other than QAWS: sequences worked out by hand, and what must hold whatever is ready.

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "tests/sm_policies/driver.h"
#include "tests/support/set_fields.h"
#include "tests/support/stat_map.h"

namespace warpvp::test {
namespace {

TEST(Lrr, TakesWarpsInTurnAndSkipsThoseNotReady) {
  Driver d = four_warps("lrr");
  EXPECT_EQ(d.edge(0b1111), 0u);
  EXPECT_EQ(d.edge(0b1111), 1u);
  EXPECT_EQ(d.edge(0b1001), 3u);
  EXPECT_EQ(d.edge(0b1111), 0u);
  EXPECT_EQ(d.edge(0b0001), 0u);
  EXPECT_EQ(d.edge(0), kNoWarp);
  EXPECT_EQ(d.edge(0b1101), 2u);
}

TEST(Lrr, GreedyKeepsTheTurnUntilTheWarpStalls) {
  Driver d = four_warps("lrr", {{"greedy", "true"}});
  EXPECT_EQ(d.edge(0b1111), 0u);
  EXPECT_EQ(d.edge(0b1111), 0u);
  EXPECT_EQ(d.edge(0b1100), 2u);
  EXPECT_EQ(d.edge(0b1111), 2u);
  EXPECT_EQ(d.edge(0b0001), 0u);
  EXPECT_EQ(d.edge(0), kNoWarp);  // everyone stalls, warp 0 too
  EXPECT_EQ(d.edge(0b0011), 1u);
  d.finish(1);
  d.start(1, warp_info(9));  // another warp in the same place inherits no turn
  EXPECT_EQ(d.edge(0b0110), 2u);
}

TEST(Gto, KeepsTheGreedyWarpThenTakesTheOldest) {
  Driver d(make_scheduler("gto"));
  d.start(0, warp_info(7));
  d.start(1, warp_info(5));
  d.start(2, warp_info(6));
  EXPECT_EQ(d.edge(0b111), 1u);
  EXPECT_EQ(d.edge(0b101), 2u);
  EXPECT_EQ(d.edge(0b111), 2u);  // greedy although warp 1 is older
  EXPECT_EQ(d.edge(0b001), 0u);
  EXPECT_EQ(d.edge(0b111), 0u);
  EXPECT_EQ(d.edge(0), kNoWarp);
  EXPECT_EQ(d.edge(0b111), 1u);  // a cycle without issue ends greed
  d.finish(1);
  d.start(1, warp_info(8));
  EXPECT_EQ(d.edge(0b011), 0u);  // the new warp is the youngest and not greedy
}

TEST(Gto, GreedMaySurviveIdleCycles) {
  Driver d = four_warps("gto", {{"greedy_survives_idle", "true"}});
  EXPECT_EQ(d.edge(0b1000), 3u);
  EXPECT_EQ(d.edge(0), kNoWarp);
  EXPECT_EQ(d.edge(0b1111), 3u);
  EXPECT_EQ(d.edge(0b0111), 0u);
}

TEST(Oldest, TakesTheOldestReadyWarpEveryCycle) {
  Driver d(make_scheduler("oldest"));
  d.start(3, warp_info(2));
  d.start(0, warp_info(4));
  d.start(63, warp_info(1));
  EXPECT_EQ(d.edge(0b1001), 3u);
  EXPECT_EQ(d.edge(WarpMask{1} << 63 | 0b1001), 63u);
  EXPECT_EQ(d.edge(0b0001), 0u);
  d.finish(63);
  d.start(63, warp_info(9));
  EXPECT_EQ(d.edge(WarpMask{1} << 63 | 0b0001), 0u);
}

TEST(LrrKernelsGto, GivesEveryKernelItsTurnAndIsGreedyInside) {
  Driver d(make_scheduler("lrr_kernels_gto"));
  d.start(0, warp_info(0, 10));
  d.start(1, warp_info(1, 10));
  d.start(2, warp_info(2, 20));
  d.start(3, warp_info(3, 20));
  d.start(4, warp_info(4, 30));
  EXPECT_EQ(d.edge(0b11111), 0u);
  EXPECT_EQ(d.edge(0b11011), 3u);  // kernel 20: its oldest is not ready
  EXPECT_EQ(d.edge(0b11111), 4u);
  EXPECT_EQ(d.edge(0b11111), 0u);
  EXPECT_EQ(d.edge(0b11111), 3u);  // kernel 20 stays with warp 3
  EXPECT_EQ(d.edge(0b01110), 1u);  // 30 has nothing ready: 10 again, its greedy warp stalls
  EXPECT_EQ(d.edge(0b00111), 2u);
  d.finish(4);
  EXPECT_EQ(d.edge(0b01111), 1u);
  d.finish(2);
  d.finish(3);
  EXPECT_EQ(d.edge(0b00011), 1u);
  EXPECT_EQ(d.edge(0b00001), 0u);
}

/// Two kernels of two warps each, in slots 0 and 1, and a fifth warp of slot 2.
Driver with_quotas(std::vector<std::uint32_t> quotas, double epoch, const std::string& scope = "sm",
                   const SmContext& context = {}) {
  PolicyChoice choice = "kernel_quota";
  choice.load = [=](const std::function<void(FieldVisitor&)>& fields) {
    SetFields set({{"epoch", epoch}});
    set.lists["quotas"] = quotas;
    set.words["scope"] = scope;
    fields(set);
  };
  Driver driver(Registry<WarpSchedulerPolicy>::instance().make(choice, context));
  for (unsigned warp = 0; warp < 5; ++warp) {
    WarpInfo info = warp_info(warp);
    info.kernel_slot = warp / 2;
    driver.start(warp, info);
  }
  return driver;
}

TEST(KernelQuota, AKernelWaitsUntilAllHaveUsedTheirQuotas) {
  Driver d = with_quotas({2, 3}, 1000);
  EXPECT_EQ(d.edge(0b01111), 0u);
  EXPECT_EQ(d.edge(0b01110), 1u);
  EXPECT_EQ(d.edge(0b01111), 2u) << "kernel 0 has used its two";
  EXPECT_EQ(d.edge(0b00011), kNoWarp);
  EXPECT_EQ(d.edge(0b01011), 3u);
  EXPECT_EQ(d.edge(0b01111), 3u);
  EXPECT_EQ(d.edge(0b01111), 3u) << "both have: an epoch begins, and greed goes on";
  EXPECT_EQ(d.edge(0b00111), 0u);
  StatMap stats;
  d.policy().stats(stats);
  EXPECT_EQ(stats["epochs"], 1);
  EXPECT_EQ(stats["ended_by_time"], 0);
  EXPECT_EQ(stats["held_edges"], 1);
}

TEST(KernelQuota, AnEpochEndsWithItsTime) {
  Driver d = with_quotas({1, 3}, 10);
  EXPECT_EQ(d.edge(0b00011), 0u);
  for (Cycle cycle = 1; cycle < 10; ++cycle) EXPECT_EQ(d.edge(0b00011), kNoWarp) << cycle;
  EXPECT_EQ(d.edge(0b00011), 0u);
  EXPECT_EQ(d.edge(0b00011), kNoWarp);
  d.sleep(20);
  EXPECT_EQ(d.edge(0b00011), 0u);
}

TEST(KernelQuota, WhoHasNoneIssuesAlwaysAndIsNotWaitedFor) {
  Driver d = with_quotas({1, 1}, 1000);
  EXPECT_EQ(d.edge(0b10001), 0u);
  EXPECT_EQ(d.edge(0b10001), 4u);
  EXPECT_EQ(d.edge(0b10001), 4u);
  EXPECT_EQ(d.edge(0b00100), 2u);
  EXPECT_EQ(d.edge(0b00001), 0u) << "the quotas are used, whatever slot 2 has issued";
}

TEST(KernelQuota, WhoIsGoneIsNotWaitedFor) {
  Driver d = with_quotas({1, 5}, 1000);
  EXPECT_EQ(d.edge(0b00011), 0u);
  EXPECT_EQ(d.edge(0b00011), kNoWarp);
  d.finish(2);
  EXPECT_EQ(d.edge(0b00011), kNoWarp);
  d.finish(3);
  EXPECT_EQ(d.edge(0b00011), 0u);
  // A warp that comes to a kernel without quota waits with it, one of a kernel that was not here does not.
  WarpInfo info = warp_info(9);
  info.kernel_slot = 1;
  d.start(2, info);
  info.kernel_slot = 0;
  d.start(3, info);
  EXPECT_EQ(d.edge(0b01011), kNoWarp);
  EXPECT_EQ(d.edge(0b01111), 2u);
}

SmContext on_an_sm() {
  SmContext context;
  context.shared = std::make_shared<SharedStates>();
  return context;
}

TEST(KernelQuota, SchedulersOfAnSmTakeFromTheSameQuotas) {
  const SmContext sm = on_an_sm();
  Driver a = with_quotas({3, 2}, 1000, "sm", sm), b = with_quotas({3, 2}, 1000, "sm", sm);
  Driver other = with_quotas({3, 2}, 1000, "sm", on_an_sm());
  EXPECT_EQ(a.edge(0b0011), 0u);
  EXPECT_EQ(b.edge(0b0011), 0u);
  EXPECT_EQ(a.edge(0b0011), 0u);
  EXPECT_EQ(b.edge(0b0011), kNoWarp) << "the third was the last";
  EXPECT_EQ(a.edge(0b0011), kNoWarp);
  EXPECT_EQ(other.edge(0b0011), 0u) << "another SM";
  // As long as a scheduler has a warp of kernel 1, it is waited for.
  b.finish(2);
  b.finish(3);
  EXPECT_EQ(b.edge(0b0011), kNoWarp);
  EXPECT_EQ(a.edge(0b1111), 2u);
  EXPECT_EQ(a.edge(0b1111), 2u);
  EXPECT_EQ(b.edge(0b0011), 0u) << "both are used: the first that looks begins an epoch for all";
  EXPECT_EQ(a.edge(0b0011), 0u);
  EXPECT_EQ(a.edge(0b0011), 0u);
  EXPECT_EQ(a.edge(0b0011), kNoWarp);
  a.finish(2);
  a.finish(3);
  EXPECT_EQ(a.edge(0b0011), 0u) << "nobody of kernel 1 is left";
  StatMap stats[2];
  a.policy().stats(stats[0]);
  b.policy().stats(stats[1]);
  EXPECT_EQ(stats[0]["epochs"], 1);
  EXPECT_EQ(stats[1]["epochs"], 1);
}

TEST(KernelQuota, SchedulersMayHaveQuotasOfTheirOwn) {
  const SmContext sm = on_an_sm();
  Driver a = with_quotas({1, 1}, 1000, "scheduler", sm), b = with_quotas({1, 1}, 1000, "scheduler", sm);
  EXPECT_EQ(a.edge(0b0001), 0u);
  EXPECT_EQ(a.edge(0b0001), kNoWarp);
  EXPECT_EQ(b.edge(0b0001), 0u);
  EXPECT_EQ(a.edge(0b0100), 2u);
  EXPECT_EQ(a.edge(0b0001), 0u);
  EXPECT_EQ(b.edge(0b0001), kNoWarp);
}

TEST(KernelQuota, ACopyTakesNothingFromTheOthers) {
  const SmContext sm = on_an_sm();
  Driver a = with_quotas({2, 2}, 1000, "sm", sm), b = with_quotas({2, 2}, 1000, "sm", sm);
  EXPECT_EQ(a.edge(0b0001), 0u);
  Driver copy(a.policy().clone());
  EXPECT_EQ(copy.edge(0b0001), 0u);
  EXPECT_EQ(copy.edge(0b0001), kNoWarp) << "a copy knows what was used";
  EXPECT_EQ(b.edge(0b0001), 0u);
  EXPECT_EQ(b.edge(0b0001), kNoWarp);
}

TEST(KernelQuota, WithoutQuotasItIsTheSelectionInside) {
  Driver gto(make_scheduler("gto")), quota(make_scheduler("kernel_quota"));
  std::vector<unsigned> picked;
  random_history(
      gto, 48, 5, [&](WarpMask, unsigned warp) { picked.push_back(warp); }, 20000);
  std::size_t i = 0;
  random_history(
      quota, 48, 5, [&](WarpMask, unsigned warp) { ASSERT_EQ(warp, picked[i++]); }, 20000);
}

TEST(TwoLevel, IssuesFromTheActiveGroupUntilAWarpWaitsForMemory) {
  Driver d = four_warps("two_level", {{"active_warps", "2"}});
  EXPECT_EQ(d.edge(0b1111), 0u);
  EXPECT_EQ(d.edge(0b1111), 1u);
  EXPECT_EQ(d.edge(0b1111), 0u);
  EXPECT_EQ(d.edge(0b1101, 0b0010), 2u);  // 1 leaves for memory, 2 takes its place
  EXPECT_EQ(d.edge(0b1111), 0u);          // 1 is back but waits behind 3
  EXPECT_EQ(d.edge(0b1010, 0b0101), 1u);  // 0 and 2 leave; 3, then 1 enter
  EXPECT_EQ(d.edge(0b1111), 3u);
}

TEST(TwoLevel, WaitsForAShortStallRatherThanLeavingTheGroup) {
  Driver d = four_warps("two_level", {{"active_warps", "2"}, {"patience", "4"}});
  EXPECT_EQ(d.edge(0b1111), 0u);
  EXPECT_EQ(d.edge(0b1100), kNoWarp);
  EXPECT_EQ(d.edge(0b1100), kNoWarp);
  EXPECT_EQ(d.edge(0b1110), 1u);
  // Warps 0 and 1 stand at a barrier: after `patience` cycles the others are let in.
  for (int i = 0; i < 4; ++i) EXPECT_EQ(d.edge(0b1100), kNoWarp);
  EXPECT_EQ(d.edge(0b1100), 2u);
  EXPECT_EQ(d.edge(0b1100), 3u);
}

TEST(TwoLevel, GtoOrderPromotesTheOldestAndIsGreedy) {
  Driver d = four_warps("two_level", {{"active_warps", "2"}, {"order", "gto"}});
  EXPECT_EQ(d.edge(0b1110), 1u);
  EXPECT_EQ(d.edge(0b1111), 1u);
  EXPECT_EQ(d.edge(0b1100, 0b0011), 2u);
  EXPECT_EQ(d.edge(0b1111, 0b0100), 0u);  // 0 and 1 are back: 0, older than 1, replaces 2
  EXPECT_EQ(d.edge(0b1010), 3u);          // 3 is still in the group, 1 is not
}

// ---- What must hold under random readiness
// ------------------------------------------------------------------

/// The project's own. Others, of files that were added, are tried as far as any policy must behave.
const std::vector<std::string>& project_schedulers() {
  static const std::vector<std::string> names = {
      "gtlo", "gtlrr", "gto", "icount", "lrr", "lrr_kernels_gto", "oldest", "qaws", "select", "two_level"};
  return names;
}
bool of_the_project(const std::string& name) {
  const auto& names = project_schedulers();
  return std::find(names.begin(), names.end(), name) != names.end();
}

class EveryScheduler : public testing::TestWithParam<std::string> {};

TEST_P(EveryScheduler, PicksAReadyWarpWheneverThereIsOne) {
  for (const unsigned warps : {1u, 16u, 64u}) {
    Driver d(make_scheduler(GetParam()));
    unsigned refused = 0;
    random_history(d, warps, warps, [&](WarpMask ready, unsigned picked) {
      if (ready == 0) return;
      refused = picked == kNoWarp ? refused + 1 : 0;
      // Of ours only two_level may refuse, and not for longer than its patience.
      if (GetParam() == "two_level") {
        ASSERT_LE(refused, 32u);
      } else if (of_the_project(GetParam())) {
        ASSERT_EQ(refused, 0u);
      }
      if (picked == kNoWarp) return;
      ASSERT_TRUE(ready >> picked & 1) << "warp " << picked;
    });
  }
}

TEST_P(EveryScheduler, CopyDecidesAsTheOriginalAndLeavesItAlone) {
  Driver d(make_scheduler(GetParam()));
  std::mt19937 rng(9);
  std::unique_ptr<WarpSchedulerPolicy> copy, astray;
  unsigned expected = kNoWarp;
  random_history(
      d, 24, 10,
      [&](WarpMask ready) {
        if (ready == 0) return;
        // One copy is shown another situation, so that state shared with it would show below.
        astray = d.policy().clone();
        astray->pick({d.now(), d.resident(), ready | (d.resident() & WarpMask{1} << (rng() % 24)), 0});
        copy = d.policy().clone();
        expected = copy->pick({d.now(), d.resident(), ready, 0});
      },
      [&](WarpMask ready, unsigned picked) {
        if (ready == 0) return;
        ASSERT_EQ(picked, expected);
      },
      20000);
}

INSTANTIATE_TEST_SUITE_P(Registered, EveryScheduler,
                         testing::ValuesIn(Registry<WarpSchedulerPolicy>::instance().names()),
                         [](const auto& info) { return info.param; });

TEST(Registered, AllNamesAreThere) {
  for (const std::string& name : project_schedulers())
    EXPECT_TRUE(Registry<WarpSchedulerPolicy>::instance().contains(name)) << name;
  for (const char* name : {"gtlo", "gtlrr", "gto", "icount", "lrr", "oldest", "select"})
    EXPECT_TRUE(Registry<FetchPolicy>::instance().contains(name)) << name;
  EXPECT_THROW(make_scheduler("gtoo"), InputError);
}

TEST(Lrr, NoReadyWarpStarves) {
  constexpr unsigned kWarps = 16;
  Driver d(make_scheduler("lrr"));
  unsigned passed_over[kWarps] = {};
  random_history(d, kWarps, 1, [&](WarpMask ready, unsigned picked) {
    for (unsigned warp = 0; warp < kWarps; ++warp) {
      if (!(ready >> warp & 1) || warp == picked) {
        passed_over[warp] = 0;
      } else {
        ASSERT_LT(++passed_over[warp], kWarps);
      }
    }
  });
}

TEST(Gto, NeverLeavesAReadyGreedyWarp) {
  Driver d(make_scheduler("gto"));
  unsigned last = kNoWarp;
  int kept = 0;
  random_history(d, 16, 2, [&](WarpMask ready, unsigned picked) {
    if (last != kNoWarp && (ready >> last & 1)) {
      ASSERT_EQ(picked, last);
      ++kept;
    }
    last = picked;
  });
  EXPECT_GT(kept, 10000);
}

TEST(Oldest, AlwaysPicksTheOldest) {
  std::mt19937 rng(3);
  auto policy = make_scheduler("oldest");
  std::uint64_t age[64] = {};
  WarpMask resident = 0;
  for (Cycle cycle = 0; cycle < 200000; ++cycle) {
    const unsigned warp = rng() % 64;
    if (rng() % 4 == 0) {
      if (resident >> warp & 1) {
        policy->warp_finished(warp);
      } else {
        age[warp] = WarpMask{rng()} << 20 | cycle;  // ages need not come in order
        policy->warp_started(warp, warp_info(age[warp]));
      }
      resident ^= WarpMask{1} << warp;
    }
    const WarpMask ready = resident & (WarpMask{rng()} << 32 | rng());
    if (ready == 0) continue;
    unsigned oldest = kNoWarp;
    for (unsigned w = 0; w < 64; ++w)
      if ((ready >> w & 1) && (oldest == kNoWarp || age[w] < age[oldest])) oldest = w;
    ASSERT_EQ(policy->pick({cycle, resident, ready, 0}), oldest);
  }
}

}  // namespace
}  // namespace warpvp::test
