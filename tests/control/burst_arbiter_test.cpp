// Who moves the next burst: sequences worked by hand.
#include "modules/host/burst_arbiter.h"

#include <gtest/gtest.h>

namespace warpvp::test {
namespace {

TEST(BurstArbiter, EqualsTakeTurnsInOrderOfChannels) {
  BurstArbiter a;
  EXPECT_FALSE(a.grant());
  a.join(5, 0);
  a.join(2, 0);
  a.join(9, 0);
  for (const unsigned wanted : {2u, 5u, 9u, 2u, 5u}) EXPECT_EQ(a.grant(), wanted);
  a.leave(9);
  a.leave(4);  // does not wait: a transfer that fails may have no bursts left
  EXPECT_EQ(a.grant(), 2u);
  EXPECT_EQ(a.switches(), 5u);  // every grant but the first one
}

TEST(BurstArbiter, TheMostUrgentComesFirstUntilItIsDone) {
  BurstArbiter a;
  a.join(0, 0);
  a.join(1, 0);
  EXPECT_EQ(a.grant(), 0u);
  a.join(7, 3);
  a.join(3, 3);
  EXPECT_EQ(a.grant(), 3u);
  EXPECT_EQ(a.grant(), 7u);
  EXPECT_EQ(a.grant(), 3u);
  a.leave(3);
  a.leave(7);
  EXPECT_EQ(a.grant(), 0u);     // round again, after 3
  EXPECT_EQ(a.switches(), 3u);  // 0 to 3, 3 to 7, 7 to 3; what had nothing left was not interrupted
}

TEST(BurstArbiter, TellsWhoIsOvertakenAndGoesOn) {
  BurstArbiter a;
  a.join(0, 0);
  a.join(1, 0);
  EXPECT_EQ(a.grant(), 0u);
  a.join(2, 1);
  EXPECT_EQ(a.grant(), 2u);  // 0 has begun and is overtaken; 1 has not begun
  EXPECT_EQ(a.overtaken(), std::vector<unsigned>{0});
  EXPECT_EQ(a.grant(), 2u);
  EXPECT_TRUE(a.overtaken().empty());  // it is so already
  a.join(3, 2);
  EXPECT_EQ(a.grant(), 3u);
  EXPECT_EQ(a.overtaken(), std::vector<unsigned>{2});
  a.leave(3);
  EXPECT_EQ(a.grant(), 2u);
  EXPECT_TRUE(a.goes_on());
  a.leave(2);
  EXPECT_EQ(a.grant(), 0u);
  EXPECT_TRUE(a.goes_on());
  EXPECT_EQ(a.grant(), 1u);
  EXPECT_FALSE(a.goes_on());           // it begins
  EXPECT_TRUE(a.overtaken().empty());  // equals take turns
  EXPECT_EQ(a.overtakings(), 2u);
}

TEST(BurstArbiter, ALonelyTransferNeverSwitches) {
  BurstArbiter a;
  a.join(4, -2);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(a.grant(), 4u);
  EXPECT_EQ(a.switches(), 0u);
}

}  // namespace
}  // namespace warpvp::test
