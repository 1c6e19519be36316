// DARSIE's rivals in an SM: `uv` and `dac_ideal`. Which instructions issue in CTAs of four warps.

#include <gtest/gtest.h>

#include <vector>

#include "modules/sm/darsie/dac_tables.h"
#include "modules/sm/darsie/ways.h"
#include "tests/sm/sm_bench.h"
#include "tests/support/set_fields.h"
#include "tests/support/stat_map.h"

namespace warpvp::test {
namespace {

SmConfig rival_sm(PolicyChoice mode, unsigned schedulers = 2) {
  SmConfig config = plain_sm();
  config.schedulers = schedulers;
  config.frontend.mode = std::move(mode);
  return config;
}
PolicyChoice uv(double entries = 32) { return part_with("uv", {{"entries", entries}, {"check", 1}}); }

/// How many warps issue each instruction of the kernel with this body.
std::vector<unsigned> warps_by_pc(SmBench& bench, const std::string& body, std::array<std::uint32_t, 3> block,
                                  unsigned instructions) {
  bench.load_module(".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry k()\n{\n" + body + "}\n",
                    block);
  bench.run_again();
  std::vector<unsigned> of(instructions);
  for (const SmBench::Issue& i : bench.issues) ++of.at(static_cast<unsigned>(i.pc));
  return of;
}
double count(SmBench& bench, const std::string& name) {
  StatMap stats;
  bench.sm.policy_stats(stats);
  return stats.values.at("front_end." + name);
}

const char* const kUniform = R"(
  .reg .u32 %r<9>;
  .shared .align 4 .b8 s[64];
  mov.u32 %r0, %tid.x;
  mov.u32 %r1, %tid.y;
  mov.u32 %r2, %ntid.x;
  add.u32 %r3, %r2, 5;
  add.u32 %r4, %r3, %r1;
  mov.u32 %r5, s;
  ld.shared.u32 %r6, [%r5];
  ret;
)";

// One scheduler: warp after warp decodes. The oldest goes first, so that its results are there in time.
TEST(DarsieRivals, UvRemovesWhatIsUniformBehindDecode) {
  SmBench bench(rival_sm(uv(), 1));
  const auto of = warps_by_pc(bench, kUniform, {32, 4, 1}, 8);
  EXPECT_EQ(of[0], 4u) << "tid.x repeats, but is not uniform";
  EXPECT_EQ(of[1], 4u);
  EXPECT_EQ(of[4], 4u);
  EXPECT_EQ(of[6], 4u) << "a load, though from one address";
  EXPECT_EQ(of[7], 4u);
  EXPECT_LT(of[2] + of[3] + of[5], 12u);
  EXPECT_EQ(bench.sm.counters().fetch.skipped, 12u - of[2] - of[3] - of[5]);
  EXPECT_EQ(count(bench, "reused"), 12 - of[2] - of[3] - of[5]);
  EXPECT_EQ(count(bench, "entered"), 3);
  EXPECT_EQ(count(bench, "replaced"), 0);
}

/// How many warps execute a product of uniform values whose result is there after so many cycles.
unsigned executions(unsigned latency) {
  SmConfig config = rival_sm(uv(), 1);
  config.latency.int_mul = latency;
  SmBench bench(config);
  const auto of = warps_by_pc(bench, R"(
  .reg .u32 %r<9>;
  mov.u32 %r0, 3;
  mul.lo.u32 %r1, %r0, 5;
  ret;
)",
                              {128, 1, 1}, 3);
  EXPECT_EQ(count(bench, "entered"), 2);
  EXPECT_EQ(count(bench, "reused"), 8 - of[0] - of[1]);
  return of[1];
}
TEST(DarsieRivals, UvReusesWhatIsThere) { EXPECT_LT(executions(1), 4u); }
TEST(DarsieRivals, UvReusesNoResultThatIsNotThere) { EXPECT_EQ(executions(400), 4u); }

const char* const kFourMoves = R"(
  .reg .u32 %r<9>;
  mov.u32 %r0, 1;
  mov.u32 %r1, 2;
  mov.u32 %r2, 3;
  mov.u32 %r3, 4;
  ret;
)";
TEST(DarsieRivals, TheOldestLeavesTheReuseBuffer) {
  SmBench bench(rival_sm(uv(2), 1));
  warps_by_pc(bench, kFourMoves, {128, 1, 1}, 5);
  EXPECT_GE(count(bench, "replaced"), 2);
}
TEST(DarsieRivals, NothingLeavesAReuseBufferWithRoom) {
  SmBench bench(rival_sm(uv(4), 1));
  warps_by_pc(bench, kFourMoves, {128, 1, 1}, 5);
  EXPECT_EQ(count(bench, "replaced"), 0);
  EXPECT_EQ(count(bench, "entered"), 4);
}

// Each round of a loop is another instance: it is removed only where another warp has been in the same round.
TEST(DarsieRivals, UvTellsRoundsOfALoopApart) {
  SmBench bench(rival_sm(uv(), 2));
  const auto of = warps_by_pc(bench, R"(
  .reg .u32 %r<9>; .reg .pred %p;
  mov.u32 %r0, 0;
  mov.u32 %r1, %tid.y;
AGAIN:
  add.u32 %r0, %r0, 3;
  add.u32 %r1, %r1, %r0;
  setp.lt.u32 %p, %r0, 60;
  @%p bra AGAIN;
  ret;
)",
                              {32, 4, 1}, 7);
  EXPECT_EQ(of[3], 80u);
  EXPECT_EQ(of[5], 80u);
  EXPECT_LT(of[2], 80u);
  EXPECT_GE(of[2], 20u);
}

// The first warp that comes executes, in any shape; nobody waits for its result.
TEST(DarsieRivals, DacExecutesOnceWhatIsAffine) {
  SmConfig config = rival_sm(PolicyChoice("dac_ideal"));
  config.latency.int_mul = 900;
  SmBench bench(config);
  const auto of = warps_by_pc(bench, R"(
  .reg .u32 %r<9>; .reg .f32 %f<3>;
  .shared .align 4 .b8 s[1024];
  mov.u32 %r0, %tid.x;
  mul.lo.u32 %r1, %r0, 5;
  add.u32 %r2, %r1, %r0;
  mul.lo.u32 %r3, %r2, %r0;
  mov.u32 %r5, s;
  ld.shared.u32 %r6, [%r5];
  shl.b32 %r4, %r0, 2;
  add.u32 %r5, %r5, %r4;
  ld.shared.u32 %r7, [%r5];
  ret;
)",
                              {128, 1, 1}, 10);
  EXPECT_EQ(of, (std::vector<unsigned>{1, 1, 1, 4, 1, 1, 1, 1, 4, 4}));
  EXPECT_EQ(count(bench, "executed"), 7);
  EXPECT_EQ(count(bench, "skipped"), 21);
  EXPECT_EQ(count(bench, "again"), 0);
  Cycle of_product = kNever, last = 0;
  for (const SmBench::Issue& i : bench.issues) {
    if (i.pc == 1) of_product = i.cycle;
    if (i.pc == 3) last = std::max(last, i.cycle);
  }
  EXPECT_GT(last, of_product);
  unsigned before = 0;
  for (const SmBench::Issue& i : bench.issues) before += i.pc == 3 && i.cycle < of_product + 900;
  EXPECT_EQ(before, 3u) << "all but the warp that executed the product";
}

// Behind a branch that is open nothing is executed for others: a warp that is sent elsewhere has led nobody.
TEST(DarsieRivals, DacWaitsAtBranchesForItselfAlone) {
  SmBench bench(rival_sm(PolicyChoice("dac_ideal"), 4));
  const auto of = warps_by_pc(bench, R"(
  .reg .u32 %r<9>; .reg .pred %p;
  mov.u32 %r0, %tid.y;
  setp.eq.u32 %p, %r0, 0;
  @%p bra OUT;
  mov.u32 %r1, 1;
  mov.u32 %r2, 2;
OUT:
  ret;
)",
                              {32, 4, 1}, 6);
  EXPECT_EQ(of, (std::vector<unsigned>{1, 4, 4, 1, 1, 4}));
  EXPECT_EQ(bench.sm.counters().fetch.flushed, 0u);
}

// Warp 3 goes its own way until the barrier.
const char* const kTwoWays = R"(
  .reg .u32 %r<9>; .reg .pred %p;
  mov.u32 %r0, %tid.y;
  setp.ge.u32 %p, %r0, 3;
  @%p bra OTHER;
  mov.u32 %r1, 1;
  bra MET;
OTHER:
  mov.u32 %r1, 2;
MET:
  mov.u32 %r2, 3;
  bar.sync 0;
  mov.u32 %r3, 4;
  ret;
)";
TEST(DarsieRivals, DacFollowsEachWarpsWay) {
  SmBench bench(rival_sm(PolicyChoice("dac_ideal"), 1));
  const auto of = warps_by_pc(bench, kTwoWays, {32, 4, 1}, 10);
  EXPECT_EQ(of[0], 1u);
  EXPECT_EQ(of[2], 4u);
  EXPECT_EQ(of[3], 1u) << "one of the three";
  EXPECT_EQ(of[5], 1u);
  EXPECT_EQ(of[6], 2u) << "the first of the three, and warp 3";
  EXPECT_EQ(of[8], 1u) << "behind the barrier all are on one way again";
  EXPECT_EQ(count(bench, "executed"), 6);
  EXPECT_EQ(count(bench, "again"), 0);
}
TEST(DarsieRivals, UvFollowsEachWarpsWay) {
  SmBench bench(rival_sm(uv(), 1));
  const auto of = warps_by_pc(bench, kTwoWays, {32, 4, 1}, 10);
  EXPECT_EQ(of[5], 1u);
  EXPECT_EQ(count(bench, "entered"), 5) << "one for each way, and one behind the barrier";
  EXPECT_GE(of[6], 2u);
}

// Warps that come to one place by a branch taken at different places have not come the same way.
TEST(DarsieRivals, AnUntakenBranchIsPartOfTheWay) {
  SmBench bench(rival_sm(PolicyChoice("dac_ideal"), 1));
  const auto of = warps_by_pc(bench, R"(
  .reg .u32 %r<9>; .reg .pred %p;
  bra START;
MET:
  mov.u32 %r2, 3;
  ret;
START:
  mov.u32 %r0, %tid.y;
  setp.ge.u32 %p, %r0, 2;
  @%p bra MET;
  bra MET;
)",
                              {32, 4, 1}, 7);
  EXPECT_EQ(of[6], 2u);
  EXPECT_EQ(of[1], 2u);
}

// Warp after warp comes to the branch. Warp 0 falls through. The others decode what it has executed behind
// the branch, and then go where warp 1 has been: what they reuse there is compared with that one's values.
TEST(DarsieRivals, UvForgetsWhatItHasDroppedOnSpeculation) {
  SmConfig config = rival_sm(uv(), 1);
  config.frontend.ibuffer_entries = 2;
  config.latency.compare = 30;
  SmBench bench(config);
  const auto of = warps_by_pc(bench, R"(
  .reg .u32 %r<9>; .reg .pred %p;
  mov.u32 %r0, %tid.y;
  mul.lo.u32 %r1, %r0, 400;
  nanosleep.u32 %r1;
  setp.ne.u32 %p, %r0, 0;
  @%p bra OTHER;
  mov.u32 %r1, 11;
  mov.u32 %r2, 12;
  ret;
OTHER:
  mov.u32 %r1, 21;
  mov.u32 %r2, 22;
  ret;
)",
                              {32, 4, 1}, 11);
  EXPECT_EQ(of, (std::vector<unsigned>{4, 4, 4, 4, 4, 1, 1, 1, 1, 1, 3}));
  EXPECT_GT(count(bench, "lookups"), 8) << "some on speculation";
}

// What has been executed on a way is kept until nobody can come to it.
TEST(DarsieRivals, WaysThatNobodyComesToAreForgotten) {
  darsie::AffineInstances instances(3);
  instances.started(0);
  instances.started(1);
  const std::uint64_t first = darsie::OwnWay::kFirst;
  instances.moved(0, first, 10, false);
  instances.execute(0, 10, 5);
  instances.moved(0, 10, 20, false);
  EXPECT_TRUE(instances.executed(10, 5)) << "warp 1 may come to it";
  EXPECT_EQ(instances.ways(), 3u);
  instances.moved(1, first, 11, false);
  EXPECT_FALSE(instances.executed(10, 5));
  EXPECT_EQ(instances.ways(), 2u);
  // A way that begins at a barrier: both come.
  EXPECT_TRUE(instances.execute(0, 30, 7));
  instances.moved(0, 20, 30, true);
  instances.moved(0, 30, 31, false);
  EXPECT_TRUE(instances.executed(30, 7));
  EXPECT_FALSE(instances.execute(1, 30, 7));
  instances.moved(1, 11, 30, true);
  EXPECT_TRUE(instances.executed(30, 7));
  instances.moved(1, 30, 31, false);
  EXPECT_EQ(instances.ways(), 1u);
  instances.ended(0, 31);
  instances.ended(1, 31);
  EXPECT_EQ(instances.ways(), 0u);
}

// A warp with inactive lanes neither skips nor executes for others; where they are back, it does again. The
// last warp has eight threads.
const char* const kInside = R"(
  .reg .u32 %r<9>; .reg .pred %p;
  mov.u32 %r0, %laneid;
  setp.ge.u32 %p, %r0, 8;
  @!%p bra INSIDE;
  bra OUTSIDE;
INSIDE:
  mov.u32 %r1, 1;
  mov.u32 %r2, 2;
  mov.u32 %r3, 3;
  mov.u32 %r4, 4;
OUTSIDE:
  mov.u32 %r5, 5;
  mov.u32 %r6, 6;
  mov.u32 %r7, 7;
  ret;
)";
TEST(DarsieRivals, InactiveLanesShareNothing) {
  SmBench bench(rival_sm(PolicyChoice("dac_ideal"), 1));
  const auto of = warps_by_pc(bench, kInside, {104, 1, 1}, 12);
  for (const unsigned pc : {4, 5, 6, 7}) EXPECT_EQ(of[pc], 4u) << pc;
  EXPECT_EQ(of[10], 2u) << "the first of those with all threads, and the last warp";
}
TEST(DarsieRivals, InactiveLanesReuseNothing) {
  SmBench bench(rival_sm(uv(), 1));
  const auto of = warps_by_pc(bench, kInside, {104, 1, 1}, 12);
  for (const unsigned pc : {4, 5, 6, 7}) EXPECT_EQ(of[pc], 4u) << pc;
  EXPECT_EQ(count(bench, "entered"), 3);
  EXPECT_GE(of[10], 2u);
}

}  // namespace
}  // namespace warpvp::test
