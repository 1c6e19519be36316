// What a launch executed, by class and by rows of the register file.

#include <gtest/gtest.h>

#include "tests/sm/sm_bench.h"

namespace warpvp::test {
namespace {

// Read: nothing, one row once, two rows, both rows of a wide register. The guard leaves no lane to the second
// move.
constexpr const char* kRows = R"(
  .reg .u32 %r<4>;
  .reg .u64 %d<3>;
  .reg .pred %p<2>;
  mov.u32 %r1, %tid.x;
  add.u32 %r2, %r1, %r1;
  mul.wide.u32 %d1, %r1, %r2;
  add.u64 %d2, %d1, %d1;
  setp.ge.u32 %p1, %r1, 1000;
  @%p1 mov.u32 %r3, %r2;
  ret;
)";

std::uint64_t issued(const ExecutedCounters& e, ptx::OpClass c) {
  return e.classes.at(static_cast<unsigned>(c)).issued;
}
std::uint64_t lanes(const ExecutedCounters& e, ptx::OpClass c) {
  return e.classes.at(static_cast<unsigned>(c)).lanes;
}

TEST(Executed, CountsClassesLanesAndRows) {
  SmBench bench(plain_sm());
  bench.sm.warps()->count_executed();
  bench.run(kRows, 48);
  const SmLaunchCounters& counters = *bench.sm.launch_counters(0);
  const ExecutedCounters& e = counters.executed;
  ASSERT_TRUE(e.any());
  using ptx::OpClass;
  // Two warps, of which the second has 16 lanes.
  EXPECT_EQ(issued(e, OpClass::kMove), 4u);
  EXPECT_EQ(lanes(e, OpClass::kMove), 48u);
  EXPECT_EQ(issued(e, OpClass::kIntAdd), 4u);
  EXPECT_EQ(lanes(e, OpClass::kIntAdd), 96u);
  EXPECT_EQ(issued(e, OpClass::kIntMul), 2u);
  EXPECT_EQ(issued(e, OpClass::kCompare), 2u);
  EXPECT_EQ(issued(e, OpClass::kControl), 2u);
  EXPECT_EQ(e.rows_read, 2u * (0 + 1 + 2 + 2 + 1 + 1));
  EXPECT_EQ(e.rows_written, 2u * (1 + 1 + 2 + 2 + 0 + 1));
  std::uint64_t warps = 0, threads = 0;
  for (const ExecutedCounters::OfClass& c : e.classes) {
    warps += c.issued;
    threads += c.lanes;
  }
  EXPECT_EQ(warps, counters.warp_instructions);
  EXPECT_EQ(threads, counters.thread_instructions);
}

TEST(Executed, IsNotCountedUnasked) {
  SmBench bench(plain_sm());
  bench.run(kRows, 48);
  EXPECT_FALSE(bench.sm.launch_counters(0)->executed.any());
  EXPECT_EQ(bench.sm.launch_counters(0)->executed.rows_read, 0u);
}

TEST(Executed, LeavesProfilesAsTheyAre) {
  SmBench bench(plain_sm());
  bench.sm.warps()->profile_instructions();
  bench.run(kRows, 48);
  const ProgramProfile& profile = *bench.sm.warps()->instruction_profiles().at(0);
  EXPECT_EQ(profile.counters.at(0).issued, 2u);
  EXPECT_EQ(profile.counters.at(0).threads, 48u);
  EXPECT_FALSE(bench.sm.launch_counters(0)->executed.any());
}

}  // namespace
}  // namespace warpvp::test
