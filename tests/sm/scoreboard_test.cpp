#include "modules/sm/issue/scoreboard.h"

#include <gtest/gtest.h>

namespace warpvp {
namespace {

ptx::Inst make(std::initializer_list<unsigned> reads, std::initializer_list<unsigned> writes,
               std::initializer_list<unsigned> pred_reads = {},
               std::initializer_list<unsigned> pred_writes = {}) {
  ptx::Inst inst;
  for (unsigned r : reads) inst.reads[inst.read_rows++] = static_cast<std::uint16_t>(r);
  for (unsigned r : writes) inst.writes[inst.written_rows++] = static_cast<std::uint16_t>(r);
  for (unsigned p : pred_reads) inst.pred_reads[inst.read_preds++] = static_cast<std::uint16_t>(p);
  for (unsigned p : pred_writes) inst.pred_writes[inst.written_preds++] = static_cast<std::uint16_t>(p);
  return inst;
}

TEST(Scoreboard, SeesReadAfterWriteAndWriteAfterWrite) {
  Scoreboard board;
  board.reset(8, 2, 0);
  board.set(make({}, {3}), 0, 0, 40);
  EXPECT_EQ(board.clear_at(make({3}, {}), 0, 0), 40u);
  EXPECT_EQ(board.clear_at(make({}, {3}), 0, 0), 40u);
  EXPECT_EQ(board.clear_at(make({2}, {4}), 0, 0), 0u);
}

TEST(Scoreboard, KeepsPredicatesApartFromRows) {
  Scoreboard board;
  board.reset(8, 2, 0);
  board.set(make({}, {}, {}, {1}), 0, 0, 25);
  EXPECT_EQ(board.clear_at(make({1}, {}), 0, 0), 0u);
  EXPECT_EQ(board.clear_at(make({}, {}, {1}), 0, 0), 25u);
}

TEST(Scoreboard, TakesTheLatestOfAllOperands) {
  Scoreboard board;
  board.reset(8, 2, 0);
  board.set(make({}, {0}), 0, 0, 10);
  board.set(make({}, {1}), 0, 0, Scoreboard::kPendingHit);
  EXPECT_EQ(board.clear_at(make({0, 1}, {}), 0, 0), Scoreboard::kPendingHit);
  board.set(make({}, {2}), 0, 0, Scoreboard::kPendingMiss);
  EXPECT_EQ(board.clear_at(make({0, 1, 2}, {}), 0, 0), Scoreboard::kPendingMiss);
  board.set(make({}, {1, 2}), 0, 0, 30);
  EXPECT_EQ(board.clear_at(make({0, 1, 2}, {}), 0, 0), 30u);
}

TEST(Scoreboard, CountsFromTheFrameOfTheCall) {
  Scoreboard board;
  board.reset(16, 4, 0);
  board.set(make({}, {2}), 8, 0, 50);
  EXPECT_EQ(board.clear_at(make({10}, {}), 0, 0), 50u);
  EXPECT_EQ(board.clear_at(make({2}, {}), 0, 0), 0u);
}

TEST(Scoreboard, GrowsForRecursionWithoutForgetting) {
  Scoreboard board;
  board.reset(4, 2, 0);
  board.set(make({}, {3}, {}, {1}), 0, 0, 60);
  board.ensure(40, 10);
  EXPECT_EQ(board.clear_at(make({3}, {}), 0, 0), 60u);
  EXPECT_EQ(board.clear_at(make({}, {}, {1}), 0, 0), 60u);
  board.set(make({}, {3}, {}, {1}), 36, 8, 70);
  EXPECT_EQ(board.clear_at(make({39}, {}, {9}), 0, 0), 70u);
}

TEST(Scoreboard, KeepsEdgesOfLongLives) {
  Scoreboard board;
  const Cycle start = Cycle{5} << 32, later = start + (Cycle{1} << 32) - 2, last = start + (Cycle{3} << 32);
  board.reset(8, 2, start);
  board.set(make({}, {0}), 0, 0, start + 7);
  board.set(make({}, {1}), 0, 0, later - 1);
  board.set(make({}, {2}), 0, 0, Scoreboard::kPendingHit);
  board.set(make({}, {3}), 0, 0, Scoreboard::kPendingMiss);
  EXPECT_EQ(board.clear_at(make({0}, {}), 0, 0), start + 7);
  EXPECT_EQ(board.clear_at(make({1}, {}), 0, 0), later - 1);
  // Beyond 32 bits of the start: recent edges stay exact, old ones stay past, loads stay awaited.
  board.set(make({}, {4}), 0, 0, later);
  EXPECT_EQ(board.clear_at(make({4}, {}), 0, 0), later);
  EXPECT_EQ(board.clear_at(make({1}, {}), 0, 0), later - 1);
  EXPECT_LE(board.clear_at(make({0}, {}), 0, 0), later);
  EXPECT_EQ(board.clear_at(make({2}, {}), 0, 0), Scoreboard::kPendingHit);
  EXPECT_EQ(board.clear_at(make({3}, {}), 0, 0), Scoreboard::kPendingMiss);
  // And after a pause of more than that.
  board.set(make({}, {5}), 0, 0, last);
  EXPECT_EQ(board.clear_at(make({5}, {}), 0, 0), last);
  EXPECT_LE(board.clear_at(make({0, 1, 4}, {}), 0, 0), last);
}

// A load that is back sooner than its result counts as old, in a warp that has just begun.
TEST(Scoreboard, EdgesBeforeTheWarpBeganHavePassed) {
  Scoreboard board;
  board.reset(4, 2, 1000);
  board.set(make({}, {1}), 0, 0, 1050);
  board.set(make({}, {3}), 0, 0, 100);
  EXPECT_EQ(board.clear_at(make({1}, {}), 0, 0), 1050u);
  EXPECT_LE(board.clear_at(make({3}, {}), 0, 0), 1000u);
}

// Row by row it is the same board.
TEST(Scoreboard, KnowsEachRow) {
  Scoreboard board;
  board.reset(8, 2, 10);
  EXPECT_EQ(board.rows(), 8u);
  board.set_row(3, 40);
  board.set_row(4, Scoreboard::kPendingMiss);
  EXPECT_EQ(board.clear_at(make({3}, {}), 0, 0), 40u);
  EXPECT_EQ(board.row_clear_at(3), 40u);
  EXPECT_EQ(board.row_clear_at(4), Scoreboard::kPendingMiss);
  EXPECT_EQ(board.row_clear_at(5), 0u);
  board.set_preds(make({}, {2}, {}, {1}), 0, 30);
  EXPECT_EQ(board.row_clear_at(2), 0u) << "rows are another's";
  EXPECT_EQ(board.clear_at_but(0b1, 0, make({3}, {}, {1}), 0, 0), 30u);
  EXPECT_EQ(board.clear_at_but(0b1, 0, make({3}, {}, {0}), 0, 0), 0u);
  EXPECT_EQ(board.clear_at_but(0b0, 0, make({3}, {}, {1}), 0, 0), 40u);
  EXPECT_EQ(board.clear_at_but(0b10, 0, make({5, 4}, {}, {1}), 0, 0), 30u) << "a load that is another's";
  EXPECT_EQ(board.clear_at_but(0b01, 0, make({5, 4}, {}, {1}), 0, 0), Scoreboard::kPendingMiss);
  EXPECT_EQ(board.clear_at_but(0, 0b1, make({}, {4, 3}, {}), 0, 0), 40u);
  EXPECT_EQ(board.clear_at_but(0, 0b10, make({}, {3, 4}, {}), 0, 0), 40u);
}

}  // namespace
}  // namespace warpvp
