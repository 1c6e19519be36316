#include "predict/schedule.h"

#include <gtest/gtest.h>

namespace warpvp::predict {
namespace {

Schedule two_schedulers() {
  Schedule s;
  s.issues = {{0, 0, 0, 0, 0}, {0, 0, 0, 1, 1}, {1, 0, 1, 1, 1}, {2, 0, 1, 0, 0}, {5, 0, Issue::kNop, 0, 0}};
  s.ctas = {{0, 0, 6}};
  return s;
}

TEST(Comparison, EqualSchedulesAreExact) {
  const Comparison c = compare(two_schedulers(), two_schedulers());
  EXPECT_TRUE(c.exact());
  EXPECT_EQ(c.predicted_makespan, 6u);
  EXPECT_EQ(c.simulated_issues, 5u);
}

TEST(Comparison, TheEarliestOtherChoiceIsReported) {
  Schedule other = two_schedulers();
  other.issues[4].pc = 2;    // scheduler 0, third issue
  other.issues[2].warp = 3;  // scheduler 1, second issue: the earlier one
  const Comparison c = compare(two_schedulers(), other);
  ASSERT_TRUE(c.order);
  EXPECT_EQ(c.order->scheduler, 1u);
  EXPECT_EQ(c.order->index, 1u);
  EXPECT_EQ(c.order->predicted->warp, 1u);
  EXPECT_EQ(c.order->simulated->warp, 3u);
  EXPECT_FALSE(c.exact());
}

TEST(Comparison, TheSameOrderAtOtherEdgesIsNotExact) {
  Schedule later = two_schedulers();
  for (std::size_t i = 3; i < later.issues.size(); ++i) later.issues[i].cycle += 2;
  const Comparison c = compare(two_schedulers(), later);
  EXPECT_FALSE(c.order);
  ASSERT_TRUE(c.time);
  EXPECT_EQ(c.time->predicted->cycle, 2u);
  EXPECT_EQ(c.time->simulated->cycle, 4u);
  EXPECT_FALSE(c.exact());
}

TEST(Comparison, AScheduleThatEndsEarlyDiffers) {
  Schedule shorter = two_schedulers();
  shorter.issues.pop_back();
  const Comparison c = compare(two_schedulers(), shorter);
  ASSERT_TRUE(c.order);
  EXPECT_EQ(c.order->index, 2u);
  EXPECT_FALSE(c.order->simulated);
}

TEST(Comparison, TheEndOfACtaCounts) {
  Schedule longer = two_schedulers();
  longer.ctas[0].end = 7;
  const Comparison c = compare(two_schedulers(), longer);
  EXPECT_FALSE(c.order);
  EXPECT_FALSE(c.time);
  EXPECT_FALSE(c.exact());
}

TEST(Schedule, MakespanCountsEdgesWithACta) {
  Schedule s;
  s.ctas = {{0, 10, 20}, {1, 15, 30}, {2, 16, 18}, {3, 100, 101}};
  EXPECT_EQ(s.makespan(), 20u + 1u);
}

}  // namespace
}  // namespace warpvp::predict
