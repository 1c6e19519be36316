#include "interconnect/timing_wheel.h"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <set>

namespace warpvp {
namespace {

TEST(DueCycles, AreFoundFromAnyCycleOnAndRoundTheEndOfTheSpan) {
  DueCycles due(64);
  EXPECT_EQ(due.first(1000), kNever);
  due.add(1005);
  due.add(1063);
  EXPECT_EQ(due.first(1000), 1005u);
  EXPECT_EQ(due.first(1005), 1005u);
  EXPECT_EQ(due.first(1006), 1063u);
  due.remove(1005);
  EXPECT_EQ(due.first(1000), 1063u);
  due.remove(1063);
  EXPECT_EQ(due.first(1000), kNever);
}

// Against a sorted set, for spans of one word and of many.
TEST(DueCycles, AgreeWithASortedSet) {
  for (const unsigned span : {64u, 256u, DueCycles::kMaxSpan}) {
    DueCycles due(span);
    std::set<Cycle> expected;
    std::mt19937 random(span);
    Cycle now = 5;
    for (int step = 0; step < 20000; ++step) {
      const Cycle at = now + random() % span;
      if (random() % 3) {
        due.add(at);
        expected.insert(at);
      } else {
        due.remove(at);
        expected.erase(at);
      }
      ASSERT_EQ(due.first(now), expected.empty() ? kNever : *expected.begin()) << "span " << span;
      if (random() % 4 == 0) {
        now += random() % 40;
        for (; !expected.empty() && *expected.begin() < now; expected.erase(expected.begin()))
          due.remove(*expected.begin());
      }
    }
  }
}

TEST(SetWheel, GivesEachCycleItsOwnSet) {
  SetWheel wheel(64, 3);
  std::map<Cycle, std::set<unsigned>> expected;
  std::mt19937 random(7);
  for (Cycle now = 0; now < 5000; ++now) {
    for (unsigned n = random() % 4; n != 0; --n) {
      const Cycle at = now + 1 + random() % 63;
      const unsigned thing = random() % 192;
      wheel.add(at, thing);
      expected[at].insert(thing);
    }
    ASSERT_EQ(wheel.first(now), expected.empty() ? kNever : expected.begin()->first);
    std::uint64_t* const set = wheel.take(now);
    for (unsigned thing = 0; thing < 192; ++thing)
      ASSERT_EQ(set[thing / 64] >> (thing % 64) & 1, expected[now].count(thing)) << now << " " << thing;
    for (unsigned w = 0; w < wheel.words(); ++w) set[w] = 0;
    expected.erase(now);
  }
}

}  // namespace
}  // namespace warpvp
