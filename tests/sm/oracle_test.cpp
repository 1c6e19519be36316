// The oracles beside the scheduler of an SM (SWaS paper, section VI-A4), on schedules of small kernels worked
// out by hand.
//
// S is the edge at which the CTA starts. The first fetch misses; a miss at edge c is over at edge c + F. An
// instruction fetched at edge c can issue at c + 4, so excuses end four edges after a miss is over or a
// branch was taken.

#include <gtest/gtest.h>

#include "tests/sm/sm_bench.h"

namespace warpvp::test {
namespace {

constexpr const char* kOracleLoop = R"(
  .reg .u32 %r<4>;
  .reg .pred %p<2>;
  mov.u32 %r1, 0;
L:
  add.u32 %r1, %r1, 1;
  setp.lt.u32 %p1, %r1, 2;
  @%p1 bra L;
  ret;
)";

SmConfig watched_sm(const char* policy, const char* mode = "separate") {
  SmConfig c = plain_sm();
  c.warp_scheduler.name = policy;
  c.frontend.mode = mode;
  c.oracle = true;
  return c;
}

TEST(Oracle, MissesAndTakenBranchesAreDiscrepanciesButNoErrors) {
  SmBench bench(watched_sm("lrr"));
  bench.run(kOracleLoop, 32);
  const SchedulingCounters& found = bench.sm.counters().scheduling;
  // S: nothing has been fetched yet, which nothing excuses. S + 1 to S + F - 1: the miss. S + F to S + F + 3:
  // the line is there, the instruction not yet. Issues at S + F + 4 to S + F + 7; three edges for the taken
  // branch; four issues.
  EXPECT_EQ(found.errors, 1u);
  EXPECT_EQ(found.discrepancies, 1 + (F - 1) + 4 + 3);
  EXPECT_EQ(found.cycles, F + 4 + 4 + 3 + 4);
}

TEST(Oracle, AFetchThatDoesNotFollowIssueMakesErrors) {
  // Issue is greedy, fetch takes turns. T = S + F + 4: warp 0 issues, and has nothing left when warp 1 gets
  // its first instruction at T + 1. From then on whoever issued last is empty-handed: T + 1 to T + 4. At T +
  // 5 it is alone.
  SmBench bench(watched_sm("gto"));
  bench.run(kStraight, 64);
  EXPECT_EQ(bench.text(), "0:0.0 1:1.0 2:0.1 3:1.1 4:0.2 5:1.2");
  const SchedulingCounters& found = bench.sm.counters().scheduling;
  // S: both have fetched nothing. S + 1: warp 1 has not. Until S + F + 3 the miss excuses both.
  EXPECT_EQ(found.errors, 2u + 4);
  EXPECT_EQ(found.discrepancies, F + 4 + 4);
  EXPECT_EQ(found.cycles, F + 4 + 6);
}

TEST(Oracle, CoordinatedFetchLeavesOnlyWhatMissesExplain) {
  // S: warp 0. S + 1: its miss has suspended it, which gives the turn to warp 1. S + 2 to S + F - 1: both
  // wait.
  SmBench bench(watched_sm("gto", "coordinated"));
  bench.run(kStraight, 64);
  const SchedulingCounters& found = bench.sm.counters().scheduling;
  EXPECT_EQ(found.errors, 0u);
  EXPECT_EQ(found.discrepancies, 1 + (F - 2));
  EXPECT_EQ(found.cycles, F + 14);
}

TEST(Oracle, ASuspendedWarpWithoutItsOperandsIsNotMissed) {
  // Lines of four instructions: the fetch of 4 misses as 0 issues, and instruction 1 waits six edges for its
  // result.
  SmConfig config = watched_sm("lrr", "coordinated");
  config.latency.int_add = 6;
  config.memory.instruction.line_bytes = 4 * ptx::Program::kInstBytes;
  SmBench bench(config);
  bench.run(R"(
    .reg .u32 %r<4>;
    add.u32 %r1, 1, 2;
    add.u32 %r2, %r1, 1;
    mov.u32 %r3, 3;
    mov.u32 %r3, 4;
    ret;
  )",
            32);
  // The first miss: S + 1 to S + F - 1. The second lasts from S + F + 5 to S + 2 F + 3; the result is there
  // from S + F + 10 on.
  EXPECT_EQ(bench.sm.counters().scheduling.discrepancies, (F - 1) + (F - 6));
  EXPECT_EQ(bench.sm.counters().scheduling.errors, 0u);
}

TEST(Oracle, ABranchExcusesForAHitsTimeAndNoLonger) {
  // T = S + F + 4: the three warps issue in turn. Warp 0 branches at T + 9, but the fetches of T + 9 and T +
  // 10 go to the others, so that its next instruction is there at T + 15 instead of T + 13.
  SmBench bench(watched_sm("lrr"));
  bench.run(kOracleLoop, 96);
  EXPECT_EQ(bench.issues.at(9).cycle, 9u);
  EXPECT_EQ(bench.issues.at(9).warp, 0u);
  EXPECT_EQ(bench.issues.at(12).cycle, 15u);
  const SchedulingCounters& found = bench.sm.counters().scheduling;
  // S to S + 2: not all have fetched. T + 12 is excused, T + 13 and T + 14 are not.
  EXPECT_EQ(found.errors, 3u + 2);
  EXPECT_EQ(found.discrepancies, F + 4 + 3);
  EXPECT_EQ(found.cycles, F + 4 + 27);
}

TEST(Oracle, LooksAtEachSchedulerAndChargesTheLaunch) {
  SmConfig config = watched_sm("lrr");
  config.schedulers = 2;
  SmBench bench(config);
  bench.run(kOracleLoop, 64);
  const SchedulingCounters& found = bench.sm.counters().scheduling;
  const SchedulingCounters& launch = bench.sm.launch_counters(0)->scheduling;
  EXPECT_EQ(found.cycles, 2 * (F + 4 + 4 + 3 + 4));
  EXPECT_EQ(found.errors, 2u);
  EXPECT_EQ(launch.cycles, found.cycles);
  EXPECT_EQ(launch.errors, found.errors);
  EXPECT_EQ(launch.discrepancies, found.discrepancies);
}

}  // namespace
}  // namespace warpvp::test
