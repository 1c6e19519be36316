#include "modules/sm/issue/wake_wheel.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>

namespace warpvp {
namespace {

TEST(WakeWheel, IsEmptyUntilArmed) {
  WakeWheel wheel(4);
  EXPECT_EQ(wheel.next(0), kNever);
}

TEST(WakeWheel, FiresEachWarpAtItsEdgeAndOnlyThen) {
  WakeWheel wheel(4);
  wheel.arm(0, 10);
  wheel.arm(1, 12);
  wheel.arm(2, 10);
  EXPECT_EQ(wheel.next(3), 10u);
  std::vector<unsigned> fired;
  wheel.fire(9, [&](unsigned w) { fired.push_back(w); });
  EXPECT_TRUE(fired.empty());
  wheel.fire(10, [&](unsigned w) { fired.push_back(w); });
  EXPECT_EQ(fired.size(), 2u);
  EXPECT_EQ(wheel.next(10), 12u);
  wheel.fire(12, [&](unsigned w) { EXPECT_EQ(w, 1u); });
  EXPECT_EQ(wheel.next(12), kNever);
}

TEST(WakeWheel, AgreesWithASortedMapUnderRandomUse) {
  constexpr unsigned kWarps = 64;
  WakeWheel wheel(kWarps);
  std::multimap<Cycle, unsigned> reference;
  std::vector<bool> armed(kWarps, false);
  std::mt19937_64 random(7);
  for (Cycle now = 1; now < 200000;) {
    for (unsigned w = 0; w < kWarps; ++w) {
      if (armed[w] || random() % 4) continue;
      const Cycle at = now + 1 + random() % (WakeWheel::kSlots - 1);
      wheel.arm(w, at);
      reference.emplace(at, w);
      armed[w] = true;
    }
    ASSERT_EQ(wheel.next(now), reference.empty() ? kNever : reference.begin()->first);
    now = wheel.next(now);
    std::vector<unsigned> fired, expected;
    wheel.fire(now, [&](unsigned w) { fired.push_back(w); });
    for (auto it = reference.begin(); it != reference.end() && it->first == now; it = reference.erase(it))
      expected.push_back(it->second);
    for (unsigned w : expected) armed[w] = false;
    std::sort(fired.begin(), fired.end());
    std::sort(expected.begin(), expected.end());
    ASSERT_EQ(fired, expected);
  }
}

}  // namespace
}  // namespace warpvp
