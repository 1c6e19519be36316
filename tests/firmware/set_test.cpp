// Sets of queues, against std::set.
#include <gtest/gtest.h>

#include <random>
#include <set>

#include "fw_set.h"

namespace {

struct SetCase {
  fw_set set{};
  std::set<int> model;
};

SetCase random_case(std::mt19937& random) {
  SetCase c;
  const unsigned members = random() % 40;
  for (unsigned i = 0; i < members; ++i) {
    const unsigned q = random() % FW_MAX_QUEUES;
    fw_add(&c.set, q);
    c.model.insert(static_cast<int>(q));
  }
  for (unsigned i = 0; i < members / 3; ++i) {
    const unsigned q = random() % FW_MAX_QUEUES;
    fw_remove(&c.set, q);
    c.model.erase(static_cast<int>(q));
  }
  return c;
}

TEST(FirmwareSet, FindsWhatASetOfNumbersFinds) {
  std::mt19937 random(7);
  for (int round = 0; round < 300; ++round) {
    const SetCase c = random_case(random);
    for (unsigned q = 0; q < FW_MAX_QUEUES; ++q) {
      EXPECT_EQ(fw_has(&c.set, q), c.model.count(static_cast<int>(q)) != 0);
      const auto next = c.model.lower_bound(static_cast<int>(q));
      EXPECT_EQ(fw_next(&c.set, q), next == c.model.end() ? -1 : *next);
      auto after = c.model.upper_bound(static_cast<int>(q));
      if (after == c.model.end()) after = c.model.begin();
      EXPECT_EQ(fw_after(&c.set, q), c.model.empty() ? -1 : *after);
    }
    EXPECT_EQ(fw_next(&c.set, FW_MAX_QUEUES), -1);
  }
}

unsigned keys[FW_MAX_QUEUES];
bool less(unsigned a, unsigned b) { return keys[a] < keys[b]; }

TEST(FirmwareSet, TheBestIsTheFirstOfEqualsGoingRound) {
  std::mt19937 random(8);
  for (int round = 0; round < 300; ++round) {
    const SetCase c = random_case(random);
    for (unsigned& key : keys) key = random() % 4;
    const unsigned start = random() % FW_MAX_QUEUES;
    int best = -1;
    for (unsigned i = 1; i <= FW_MAX_QUEUES; ++i) {
      const int q = static_cast<int>((start + i) % FW_MAX_QUEUES);
      if (c.model.count(q) != 0 && (best < 0 || keys[q] < keys[best])) best = q;
    }
    EXPECT_EQ(fw_best(&c.set, start, less), best);
  }
}

}  // namespace
