#include "interconnect/ring.h"

#include <gtest/gtest.h>

#include <deque>
#include <random>

namespace warpvp {
namespace {

TEST(Ring, HoldsItsCapacityAndNoMore) {
  Ring<int> ring(3);
  for (int i = 0; i < 3; ++i) {
    EXPECT_FALSE(ring.full());
    ring.push(i);
  }
  EXPECT_TRUE(ring.full());
  EXPECT_EQ(ring.capacity(), 3u);
  EXPECT_EQ(ring[2], 2);
  ring.pop();
  EXPECT_EQ(ring.front(), 1);
  EXPECT_EQ(ring.size(), 2u);
}

// Grows with its oldest element anywhere in the block.
TEST(GrowingRing, KeepsTheOrderWhenItGrows) {
  GrowingRing<unsigned> ring(2);
  std::deque<unsigned> expected;
  std::mt19937 random(11);
  for (unsigned step = 0; step < 20000; ++step) {
    if (random() % 8 < (step / 1000 % 2 ? 5u : 3u)) {
      ring.push(step);
      expected.push_back(step);
    } else if (!expected.empty()) {
      ASSERT_EQ(ring.front(), expected.front());
      ring.pop();
      expected.pop_front();
    }
    ASSERT_EQ(ring.size(), expected.size());
    ASSERT_EQ(ring.empty(), expected.empty());
  }
}

}  // namespace
}  // namespace warpvp
