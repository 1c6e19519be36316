// The oracles of the SWaS paper's section VI-A4 beside policies whose decisions are worked out by hand.

#include "modules/sm/issue/schedule_oracle.h"

#include <gtest/gtest.h>

#include "modules/sm/issue/excused_warps.h"
#include "tests/sm_policies/policy_maker.h"

namespace warpvp::test {
namespace {

class Observed {
 public:
  explicit Observed(const std::string& name, std::map<std::string, std::string> values = {})
      : policy_(make_scheduler(name, std::move(values))) {
    for (unsigned warp = 0; warp < 4; ++warp) policy_->warp_started(warp, warp_info(warp));
  }
  /// One edge: "3", "3 discrepancy", "- discrepancy error", ...
  std::string edge(WarpMask ready, WarpMask starved = 0, WarpMask excused = 0, WarpMask held = 0) {
    const IssueView view{cycle_++, 0b1111, ready, 0, kNothingBuffered, held};
    oracle_.foresee(*policy_, view, starved, excused);
    const unsigned picked = ready ? policy_->pick(view) : kNoWarp;
    const ScheduleOracle::Verdict verdict = oracle_.compare(picked);
    return (picked == kNoWarp ? "-" : std::to_string(picked)) + (verdict.discrepancy ? " discrepancy" : "") +
           (verdict.error ? " error" : "");
  }
  const ScheduleOracle::Counters& counters() const { return oracle_.counters(); }

 private:
  std::unique_ptr<WarpSchedulerPolicy> policy_;
  ScheduleOracle oracle_;
  Cycle cycle_ = 0;
};

TEST(ScheduleOracle, LrrMissesTheTurnsOfAStarvedWarp) {
  Observed o("lrr");
  EXPECT_EQ(o.edge(0b0111), "0");
  EXPECT_EQ(o.edge(0b0101, 0b0010), "2 discrepancy error");
  EXPECT_EQ(o.edge(0b0101, 0b0010), "0");
  EXPECT_EQ(o.edge(0b0101, 0b0010), "2 discrepancy error");
  EXPECT_EQ(o.edge(0b0111), "0");
  EXPECT_EQ(o.edge(0b0111), "1");
  EXPECT_EQ(o.counters().cycles, 6u);
  EXPECT_EQ(o.counters().discrepancies, 2u);
  EXPECT_EQ(o.counters().errors, 2u);
}

TEST(ScheduleOracle, AGreedyWarpThatStarvesCountsOnce) {
  for (const char* name : {"gtlrr", "gtlo"}) {
    Observed o(name);
    EXPECT_EQ(o.edge(0b0100), "2");
    EXPECT_EQ(o.edge(0b0111), "2");
    EXPECT_EQ(o.edge(0b0011, 0b0100), "0 discrepancy error") << name;
    EXPECT_EQ(o.edge(0b0011, 0b0100), "0") << name;
    EXPECT_EQ(o.edge(0b0111), "0") << name;
    EXPECT_EQ(o.counters().discrepancies, 1u);
  }
}

TEST(ScheduleOracle, AStarvedWarpThatIsNotNextIsNoDiscrepancy) {
  Observed o("gtlo");
  EXPECT_EQ(o.edge(0b0010), "1");
  EXPECT_EQ(o.edge(0b0010, 0b0001), "1");                    // greedy although 0 is older
  EXPECT_EQ(o.edge(0b1000, 0b0001), "3 discrepancy error");  // 1 stalls: 0 would have followed
  EXPECT_EQ(o.edge(0b0100, 0b1000), "2 discrepancy error");
}

TEST(ScheduleOracle, AnEdgeWithoutIssueCounts) {
  Observed o("lrr");
  EXPECT_EQ(o.edge(0, 0b0001), "- discrepancy error");
  EXPECT_EQ(o.edge(0, 0b0001), "- discrepancy error");
  EXPECT_EQ(o.edge(0), "-");
  EXPECT_EQ(o.edge(0b0001), "0");
  EXPECT_EQ(o.counters().cycles, 4u);
}

TEST(ScheduleOracle, ExcusedWarpsMakeNoError) {
  Observed o("lrr");
  EXPECT_EQ(o.edge(0b0001), "0");
  EXPECT_EQ(o.edge(0b0100, 0b0010, 0b0010), "2 discrepancy");
  EXPECT_EQ(o.edge(0, 0b1000, 0b1000), "- discrepancy");
  EXPECT_EQ(o.edge(0b0001, 0b1000, 0b0100), "0 discrepancy error");  // another warp is excused
  EXPECT_EQ(o.edge(0b1000, 0b0110, 0b0010), "3 discrepancy error");  // osched1 means 1, osched2 means 2
  Observed gtlo("gtlo");
  EXPECT_EQ(gtlo.edge(0b0100, 0b1010, 0b0010), "2 discrepancy");  // osched2: 2 before 3
  EXPECT_EQ(gtlo.counters().errors, 0u);
}

TEST(ScheduleOracle, StrictPoliciesAreHeldToTheirSelection) {
  Observed o("select", {{"mode", "strict"}});
  EXPECT_EQ(o.edge(0b0110, 0b0001), "- discrepancy error");  // 0's turn; it had only lacked an instruction
  EXPECT_EQ(o.edge(0b0110, 0b0001), "1");
  EXPECT_EQ(o.edge(0b0011), "-");  // 2's turn, which waits for a result
}

TEST(ScheduleOracle, WarpsAtABarrierDoNotStarve) {
  Observed o("lrr");
  EXPECT_EQ(o.edge(0b0100, 0b0001, 0, 0b0001), "2");
}

TEST(ScheduleOracle, CountsWhateverThePolicy) {
  Observed o("qaws");  // one budget: GTO
  EXPECT_EQ(o.edge(0b0100), "2");
  EXPECT_EQ(o.edge(0b0011, 0b0100), "0 discrepancy error");
  EXPECT_EQ(o.edge(0b0011, 0b0100), "0");
}

// Hit latency 3: excused less than 4 edges after the event.
TEST(ExcusedWarps, ALineExcusesForAHitsTime) {
  ExcusedWarps excused(3);
  EXPECT_EQ(excused.at(999), 0u);
  excused.excuse(5, 1000);
  EXPECT_EQ(excused.at(1003), 0b100000u);
  EXPECT_EQ(excused.at(1004), 0u);
}

TEST(ExcusedWarps, EachWarpHasItsTimeAndANewEventBeginsItAnew) {
  ExcusedWarps excused(3);
  excused.excuse(0, 20);
  excused.excuse(2, 22);
  EXPECT_EQ(excused.at(23), 0b101u);
  EXPECT_EQ(excused.at(24), 0b100u);
  excused.excuse(2, 24);
  EXPECT_EQ(excused.at(27), 0b100u);
  EXPECT_EQ(excused.at(28), 0u);
}

TEST(ExcusedWarps, AWarpThatEndsLeavesNothingToItsSuccessor) {
  ExcusedWarps excused(3);
  excused.excuse(1, 9);
  excused.excuse(2, 10);
  excused.finished(1);
  excused.finished(2);
  EXPECT_EQ(excused.at(11), 0u);
}

}  // namespace
}  // namespace warpvp::test
