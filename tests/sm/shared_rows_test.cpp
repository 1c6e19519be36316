// Rows that belong to an SM: when they may be read and written, and who is told.

#include "modules/sm/issue/shared_rows.h"

#include <gtest/gtest.h>

namespace warpvp {
namespace {

TEST(SharedRows, ReadersOfAnExpectedRowWait) {
  SharedRows rows(4, 70);
  EXPECT_EQ(rows.size(), 4u);
  EXPECT_EQ(rows.readable(2), 0u);
  rows.expect(2);
  EXPECT_EQ(rows.readable(2), Scoreboard::kPendingHit);
  EXPECT_EQ(rows.writable(2), 0u) << "its writer does not";
  rows.set(2, 30, 1, false);
  EXPECT_EQ(rows.readable(2), 30u);
  EXPECT_EQ(rows.writable(2), 30u);
  EXPECT_EQ(rows.unit(2), 1u);
}

TEST(SharedRows, TellsWhoWaitsOnce) {
  SharedRows rows(4, 70);
  std::vector<unsigned> told;
  std::vector<std::pair<unsigned, bool>> changes;
  rows.changed = [&](unsigned row, Cycle, bool at_once) {
    changes.push_back({row, at_once});
    rows.release(row, [&](unsigned warp) { told.push_back(warp); });
  };
  rows.expect(1);
  for (const unsigned warp : {69u, 3u, 3u, 64u}) rows.await(1, warp);
  rows.await(2, 5);
  rows.set(1, Scoreboard::kPendingHit, 4, false);
  EXPECT_TRUE(changes.empty()) << "readers wait as they did";
  rows.set(1, Scoreboard::kPendingMiss, 4, true);
  EXPECT_EQ(told, (std::vector<unsigned>{3, 64, 69}));
  rows.set(1, 80, 4, true);
  EXPECT_EQ(told.size(), 3u) << "nobody has asked since";
  EXPECT_EQ(changes, (std::vector<std::pair<unsigned, bool>>{{1, true}, {1, true}}));
}

}  // namespace
}  // namespace warpvp
