// The order of queues by rank, compared with a search over all of them.
#include "ranks.h"

#include <gtest/gtest.h>

#include <random>

#include "tests/firmware/scripted_machine.h"

namespace warpvp::test {
namespace {

class Ranks : public ::testing::TestWithParam<std::uint32_t> {
 protected:
  static constexpr unsigned kQueues = FW_MAX_QUEUES;
  struct Queue {
    std::uint32_t rank = FW_RANK_LAST, stamp = 0;
    bool open = false, can_start = false;
  };
  Ranks() { fw_ranks_start(GetParam()); }
  int expected() const {
    int best = -1;
    for (unsigned q = 0; q < kQueues; ++q) {
      const Queue& a = queues[q];
      if (!a.can_start || ((GetParam() & FW_OPTION_GATES) != 0 && !a.open)) continue;
      if (best < 0) best = static_cast<int>(q);
      const Queue& b = queues[static_cast<unsigned>(best)];
      if (a.rank < b.rank || (a.rank == b.rank && a.stamp < b.stamp)) best = static_cast<int>(q);
    }
    return best;
  }
  int picked() const {
    fw_set set{};
    for (unsigned q = 0; q < kQueues; ++q)
      if (queues[q].can_start) fw_add(&set, q);
    return fw_ranks_pick(&set);
  }
  ScriptedMachine machine;
  Queue queues[kQueues];
  std::uint32_t clock = 0;
};

TEST_P(Ranks, TheSmallestOfThoseThatCanStartGoesFirst) {
  std::mt19937 random(GetParam() + 1);
  for (unsigned step = 0; step < 20000; ++step) {
    const unsigned q = random() % kQueues;
    Queue& queue = queues[q];
    switch (random() % 6) {
      case 0:
        queue.rank = random() % 16 == 0 ? FW_RANK_LAST : static_cast<std::uint32_t>(random() % 40);
        fw_rank(q, queue.rank);
        break;
      case 1:
        queue.open = true;
        queue.stamp = clock++;
        fw_admit(q);
        break;
      case 2:
        queue.can_start = !queue.can_start;
        break;
      case 3: {
        const bool last = random() % 2 == 0;
        fw_queues[q].type = FW_BARRIER_AND;
        fw_ranks_started(q, FW_NO_DESTINATION, last);
        if (last) queue.open = false;
        if (GetParam() & FW_OPTION_TURNS) queue.stamp = clock++;
        break;
      }
      case 4: {
        // None, few or all of them, beside each other or not: what is looked at anew depends on which they
        // are.
        const unsigned ranked = random() % 4 == 0 ? kQueues : random() % 20;
        const unsigned begin = random() % kQueues, apart = random() % 4 == 0 ? 37 : 1;
        fw_ranks_begin();
        for (unsigned i = 0; i < ranked; ++i) {
          const unsigned other = (begin + i * apart) % kQueues;
          queues[other].rank = static_cast<std::uint32_t>(random() % 40);
          fw_rank(other, queues[other].rank);
        }
        fw_ranks_end();
        break;
      }
      default:
        break;
    }
    if ((GetParam() & FW_OPTION_GATES) != 0 || (GetParam() & FW_OPTION_TURNS) != 0) {
      ASSERT_EQ(picked(), expected()) << "step " << step;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Options, Ranks,
                         ::testing::Values(FW_OPTION_GATES, FW_OPTION_GATES | FW_OPTION_TURNS));

TEST(RankPriority, IsMonotone) {
  EXPECT_EQ(fw_rank_priority(0), 0x7fffffff);
  EXPECT_EQ(fw_rank_priority(FW_RANK_LAST), 0);
  for (std::uint32_t rank = 0; rank < 0xfff00000u; rank += 0x12345)
    EXPECT_GT(fw_rank_priority(rank), fw_rank_priority(rank + 2));
}

}  // namespace
}  // namespace warpvp::test
