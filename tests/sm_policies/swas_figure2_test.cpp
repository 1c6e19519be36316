// Figure 2 of the SWaS paper, its situation with bursts of our own (the paper gives no numbers but the
// cycle): three warps under GTLRR, and the same warps when the third has an empty I-buffer at cycle 15. Warp
// 0 is scheduled in its place, the order of all that follows changes, and the whole takes longer.

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "modules/sm/issue/schedule_oracle.h"
#include "tests/sm_policies/policy_maker.h"

namespace warpvp::test {
namespace {

/// A warp in isolation: so many cycles in which it issues, then so many in which it waits for a result.
struct Burst {
  unsigned issues, stall;
};
struct Warp {
  std::vector<Burst> bursts;
  Cycle ready_from = 0;
};

struct Schedule {
  std::string order;  // a warp a cycle, or '.'
  ScheduleOracle::Counters oracle;
};

/// Runs the warps to their end; the third one's I-buffer is empty in the cycles of [from, to).
Schedule run(const std::string& policy_name, Cycle from, Cycle to) {
  std::vector<Warp> warps{{{{6, 8}, {5, 0}}}, {{{5, 10}, {3, 0}}}, {{{7, 6}, {2, 0}}}};
  auto policy = make_scheduler(policy_name);
  ScheduleOracle oracle;
  for (unsigned w = 0; w < 3; ++w) policy->warp_started(w, warp_info(w));
  Schedule schedule;
  for (Cycle now = 0; now < 100; ++now) {
    IssueView view;
    view.cycle = now;
    for (unsigned w = 0; w < 3; ++w) {
      if (warps[w].bursts.empty()) continue;
      view.resident |= WarpMask{1} << w;
      if (warps[w].ready_from <= now) view.ready |= WarpMask{1} << w;
    }
    if (view.resident == 0) break;
    const WarpMask starved = now >= from && now < to ? view.ready & 0b100 : 0;
    view.ready &= ~starved;
    oracle.foresee(*policy, view, starved, 0);
    const unsigned picked = view.ready ? policy->pick(view) : kNoWarp;
    oracle.compare(picked);
    schedule.order += picked == kNoWarp ? '.' : static_cast<char>('0' + picked);
    if (picked == kNoWarp) continue;
    Warp& warp = warps[picked];
    if (--warp.bursts.front().issues == 0) {
      warp.ready_from = now + 1 + warp.bursts.front().stall;
      warp.bursts.erase(warp.bursts.begin());
      if (warp.bursts.empty()) policy->warp_finished(picked);
    }
  }
  schedule.oracle = oracle.counters();
  return schedule;
}

TEST(SwasFigure2, GtlrrWithFullBuffersFollowsThePolicy) {
  const Schedule top = run("gtlrr", 0, 0);
  EXPECT_EQ(top.order,
            "000000"
            "11111"
            "2222222"
            "00000"
            "111"
            "22");
  EXPECT_EQ(top.oracle.cycles, 28u);
  EXPECT_EQ(top.oracle.discrepancies, 0u);
}

TEST(SwasFigure2, AnEmptyBufferAtCycle15ChangesTheScheduleAndTheExecutionTime) {
  const Schedule bottom = run("gtlrr", 15, 16);
  EXPECT_EQ(bottom.order,
            "000000"
            "11111"
            "2222"
            "00000"
            "222"
            "111"
            "..."
            "22");
  EXPECT_EQ(bottom.oracle.cycles, 31u);
  EXPECT_EQ(bottom.oracle.discrepancies, 1u);
  EXPECT_EQ(bottom.oracle.errors, 1u);
}

// However long the buffer stays empty: the oracle is in step again with the cycle after.
TEST(SwasFigure2, AGreedyPolicysDiscrepancyCountsOnce) {
  const Schedule bottom = run("gtlrr", 15, 19);
  EXPECT_EQ(bottom.order,
            "000000"
            "11111"
            "2222"
            "00000"
            "222"
            "111"
            "..."
            "22");
  EXPECT_EQ(bottom.oracle.discrepancies, 1u);
}

// LRR has no greed to fall in step with: each of the empty warp's turns counts.
TEST(SwasFigure2, UnderLrrEveryMissedTurnCounts) {
  const Schedule full = run("lrr", 0, 0);
  EXPECT_EQ(full.order.substr(0, 9), "012012012");
  EXPECT_EQ(full.oracle.discrepancies, 0u);
  const Schedule empty = run("lrr", 2, 7);
  EXPECT_EQ(empty.order.substr(0, 9), "010101012");  // 2's turns at edges 2, 4 and 6
  EXPECT_EQ(empty.oracle.discrepancies, 3u);
}

}  // namespace
}  // namespace warpvp::test
