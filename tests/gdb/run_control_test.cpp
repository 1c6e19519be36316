// When a core that is debugged stops, worked out call by call.

#include "modules/command_processor/gdb/run_control.h"

#include <gtest/gtest.h>

namespace warpvp::gdb {
namespace {

using Cause = Stop::Cause;

TEST(RunControl, StopsAtABreakpointUntilItIsRemoved) {
  RunControl run;
  ASSERT_TRUE(run.insert(PointKind::kHardware, 0x100, 2));
  EXPECT_FALSE(run.before_instruction(0xfe));
  const auto stop = run.before_instruction(0x100);
  ASSERT_TRUE(stop);
  EXPECT_EQ(stop->cause, Cause::kBreakpoint);
  EXPECT_EQ(stop->point, PointKind::kHardware);
  run.remove(PointKind::kSoftware, 0x100, 2);  // another kind
  EXPECT_TRUE(run.before_instruction(0x100));
  run.remove(PointKind::kHardware, 0x100, 2);
  EXPECT_FALSE(run.before_instruction(0x100));
}

TEST(RunControl, AStepFromAStopIsOneInstruction) {
  RunControl run;
  run.resume(true, true);
  const auto stop = run.before_instruction(0x104);
  ASSERT_TRUE(stop);
  EXPECT_EQ(stop->cause, Cause::kStep);
  EXPECT_FALSE(run.before_instruction(0x108));
}

TEST(RunControl, AStepOfACoreAsleepIsTheInstructionAfterItWakes) {
  RunControl run;
  run.resume(true, false);
  EXPECT_FALSE(run.before_instruction(0x104));
  EXPECT_TRUE(run.before_instruction(0x108));
}

TEST(RunControl, AWishStopsOnceAndLettingGoTakesItBack) {
  RunControl run;
  run.request_stop();
  ASSERT_TRUE(run.before_instruction(0x100));
  run.resume(false, true);
  EXPECT_FALSE(run.before_instruction(0x104));
}

struct WatchCase {
  const char* name;
  PointKind kind;
  std::uint32_t watched, watched_bytes;
  std::uint32_t accessed;
  unsigned accessed_bytes;
  bool store;
  bool hit;
  std::uint32_t reported;
};

class Watchpoints : public testing::TestWithParam<WatchCase> {};

TEST_P(Watchpoints, Hit) {
  const WatchCase& c = GetParam();
  RunControl run;
  ASSERT_TRUE(run.insert(c.kind, c.watched, c.watched_bytes));
  run.accessed(c.accessed, c.accessed_bytes, c.store);
  const auto stop = run.before_instruction(0x100);
  ASSERT_EQ(stop.has_value(), c.hit);
  if (!c.hit) return;
  EXPECT_EQ(stop->cause, Cause::kWatchpoint);
  EXPECT_EQ(stop->point, c.kind);
  EXPECT_EQ(stop->address, c.reported);
  EXPECT_FALSE(run.before_instruction(0x104)) << "told once";
}

constexpr auto kWrite = PointKind::kWrite;
constexpr auto kRead = PointKind::kRead;
constexpr auto kAccess = PointKind::kAccess;
INSTANTIATE_TEST_SUITE_P(
    Kinds, Watchpoints,
    testing::Values(WatchCase{"StoreOnWrite", kWrite, 0x1000, 4, 0x1000, 4, true, true, 0x1000},
                    WatchCase{"LoadOnWrite", kWrite, 0x1000, 4, 0x1000, 4, false, false, 0},
                    WatchCase{"StoreOnRead", kRead, 0x1000, 4, 0x1000, 4, true, false, 0},
                    WatchCase{"LoadOnRead", kRead, 0x1000, 4, 0x1000, 4, false, true, 0x1000},
                    WatchCase{"StoreOnAccess", kAccess, 0x1000, 4, 0x1000, 4, true, true, 0x1000},
                    WatchCase{"LoadOnAccess", kAccess, 0x1000, 4, 0x1000, 4, false, true, 0x1000},
                    WatchCase{"WordOverByte", kWrite, 0x1002, 1, 0x1000, 4, true, true, 0x1002},
                    WatchCase{"WordEndsBefore", kWrite, 0x1004, 1, 0x1000, 4, true, false, 0},
                    WatchCase{"LastByteOfRange", kWrite, 0x1000, 8, 0x1007, 1, true, true, 0x1007},
                    WatchCase{"FirstByteBehindRange", kWrite, 0x1000, 8, 0x1008, 1, true, false, 0},
                    WatchCase{"EndOfAddressSpace", kWrite, 0xffff'fffc, 4, 0xffff'ffff, 1, true, true,
                              0xffff'ffff},
                    WatchCase{"FarBelow", kWrite, 0xffff'fffc, 4, 0, 4, true, false, 0}),
    [](const auto& info) { return std::string(info.param.name); });

TEST(RunControl, AWatchedRangeMustBeOne) {
  RunControl run;
  EXPECT_FALSE(run.insert(PointKind::kWrite, 0x1000, 0));
  EXPECT_FALSE(run.insert(PointKind::kWrite, 0xffff'fffe, 4));
  EXPECT_TRUE(run.insert(PointKind::kWrite, 0xffff'fffe, 2));
}

TEST(RunControl, PointsAreLimitedAndThoseSetTwiceCountOnce) {
  RunControl run;
  for (std::uint32_t i = 0; i < RunControl::kMostPoints; ++i) {
    ASSERT_TRUE(run.insert(PointKind::kSoftware, 4 * i, 4));
    ASSERT_TRUE(run.insert(PointKind::kSoftware, 4 * i, 4));
  }
  EXPECT_FALSE(run.insert(PointKind::kWrite, 0, 4));
  run.remove(PointKind::kSoftware, 0, 4);
  EXPECT_TRUE(run.insert(PointKind::kWrite, 0, 4));
}

}  // namespace
}  // namespace warpvp::gdb
