// Inbox and SlotPool against plain lists.

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <set>

#include "base/inbox.h"
#include "base/slot_pool.h"

namespace warpvp {
namespace {

TEST(Inbox, GivesWhatIsVisibleInTheOrderOfItsArrival) {
  std::mt19937 rng(3);
  Inbox<int> inbox;
  std::vector<std::pair<Cycle, int>> expected;  // in order of arrival
  int number = 0;
  for (Cycle now = 1; now < 5000; ++now) {
    for (unsigned n = rng() % 3; n > 0; --n) {
      const Cycle visible = now + rng() % 6;
      inbox.put(visible, number);
      expected.emplace_back(visible, number++);
    }
    Cycle next = kNever;
    for (const auto& [visible, item] : expected) next = std::min(next, visible);
    ASSERT_EQ(inbox.next(), next);
    ASSERT_EQ(inbox.empty(), expected.empty());
    if (rng() % 3 == 0) continue;  // the block slept
    std::vector<int> got, due;
    inbox.take(now, [&](int item) { got.push_back(item); });
    for (auto it = expected.begin(); it != expected.end();) {
      if (it->first <= now) due.push_back(it->second);
      it = it->first <= now ? expected.erase(it) : it + 1;
    }
    ASSERT_EQ(got, due);
  }
}

TEST(Inbox, MayBeFilledWhileItIsEmptied) {
  Inbox<int> inbox;
  for (int i = 0; i < 10; ++i) inbox.put(5, i);
  std::vector<int> got;
  inbox.take(5, [&](int item) {
    got.push_back(item);
    if (item < 3) inbox.put(item == 0 ? 5 : 6, 100 + item);
  });
  EXPECT_EQ(got, (std::vector<int>{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 100}));
  EXPECT_EQ(inbox.next(), 6u);
}

TEST(SlotPool, NamesWhatIsInFlight) {
  std::mt19937 rng(4);
  SlotPool<int> pool(3);
  std::map<std::uint32_t, int> in_use;
  for (int step = 0; step < 20000; ++step) {
    ASSERT_EQ(pool.in_use(), in_use.size());
    ASSERT_EQ(pool.full(), in_use.size() == pool.size());
    for (const auto& [slot, item] : in_use) ASSERT_EQ(pool[slot], item);
    if (rng() % 2 && in_use.size() < 40) {
      const std::uint32_t slot = pool.take(step);
      ASSERT_TRUE(in_use.emplace(slot, step).second) << "taken twice";
    } else if (!in_use.empty()) {
      const auto it = std::next(in_use.begin(), static_cast<std::ptrdiff_t>(rng() % in_use.size()));
      pool.give_back(it->first);
      in_use.erase(it);
    }
  }
  EXPECT_LE(pool.size(), 40u);
}

TEST(SlotPool, TakesTheLowestThenTheOneGivenBackLast) {
  SlotPool<int> pool(3);
  EXPECT_EQ(pool.take(1), 0u);
  EXPECT_EQ(pool.take(1), 1u);
  pool.give_back(0);
  EXPECT_EQ(pool.take(1), 0u);
  EXPECT_EQ(pool.take(1), 2u);
  EXPECT_TRUE(pool.full());
  EXPECT_EQ(pool.take(1), 3u);
}

}  // namespace
}  // namespace warpvp
