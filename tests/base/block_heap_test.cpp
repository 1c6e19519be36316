#include "base/block_heap.h"

#include <gtest/gtest.h>

#include <map>
#include <vector>

namespace warpvp {
namespace {

TEST(BlockHeap, GivesTheLowestPlaceAtMultiplesOf16) {
  BlockHeap heap(0x1000, 256);
  EXPECT_EQ(heap.allocate(1), 0x1000u);
  EXPECT_EQ(heap.allocate(17), 0x1010u);
  EXPECT_EQ(heap.allocate(16), 0x1030u);
  EXPECT_TRUE(heap.release(0x1010));
  EXPECT_EQ(heap.allocate(40), 0x1040u) << "the gap is too small";
  EXPECT_EQ(heap.allocate(32), 0x1010u);
}

TEST(BlockHeap, ZeroWhenExhausted) {
  BlockHeap heap(0x1000, 72);  // the last 8 bytes are no whole unit
  EXPECT_EQ(heap.allocate(65), 0u);
  EXPECT_EQ(heap.allocate(64), 0x1000u);
  EXPECT_EQ(heap.allocate(1), 0u);
  EXPECT_EQ(heap.allocate(0), 0u);
  EXPECT_EQ(heap.allocate(UINT64_MAX), 0u);
  EXPECT_TRUE(heap.release(0x1000));
  for (const std::uint64_t bytes : {UINT64_MAX, UINT64_MAX - 14, UINT64_MAX - 15, UINT64_MAX - 16})
    EXPECT_EQ(heap.allocate(bytes), 0u) << "rounded up, it is none";
  EXPECT_EQ(heap.allocate(1), 0x1000u);
}

TEST(BlockHeap, FreedNeighboursMergeInEveryOrder) {
  const std::vector<std::vector<unsigned>> orders = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2},
                                                     {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
  for (const auto& order : orders) {
    BlockHeap heap(0x1000, 96);
    for (unsigned i = 0; i < 3; ++i) ASSERT_EQ(heap.allocate(32), 0x1000u + 32 * i);
    for (const unsigned i : order) ASSERT_TRUE(heap.release(0x1000 + 32 * i));
    EXPECT_EQ(heap.allocate(96), 0x1000u);
  }
}

TEST(BlockHeap, OnlyLiveBlocksCanBeFreed) {
  BlockHeap heap(0x1000, 256);
  const std::uint64_t block = heap.allocate(64);
  EXPECT_FALSE(heap.release(block + 16));
  EXPECT_FALSE(heap.release(0));
  EXPECT_TRUE(heap.release(block));
  EXPECT_FALSE(heap.release(block)) << "twice";
}

// Random calls against a byte map.
TEST(BlockHeap, BlocksNeverOverlapAndNothingIsLost) {
  BlockHeap heap(16, 4096);
  std::map<std::uint64_t, std::uint64_t> live;
  std::uint64_t state = 1;
  const auto random = [&](std::uint64_t n) {
    state = state * 6364136223846793005ull + 1442695040888963407ull;
    return (state >> 33) % n;
  };
  for (int step = 0; step < 20000; ++step) {
    if (random(2) == 0 && !live.empty()) {
      auto victim = live.begin();
      std::advance(victim, static_cast<long>(random(live.size())));
      ASSERT_TRUE(heap.release(victim->first));
      live.erase(victim);
    } else {
      const std::uint64_t bytes = 1 + random(300), got = heap.allocate(bytes);
      std::uint64_t lowest = 16;  // where the first gap of that size lies
      for (const auto& [begin, size] : live) {
        if (begin - lowest >= bytes) break;
        lowest = begin + (size + 15) / 16 * 16;
      }
      ASSERT_EQ(got, lowest + bytes <= 16 + 4096 ? lowest : 0u);
      if (got != 0) live[got] = bytes;
    }
  }
  for (const auto& [begin, size] : live) ASSERT_TRUE(heap.release(begin));
  EXPECT_EQ(heap.allocate(4096), 16u);
  EXPECT_EQ(heap.live_blocks(), 1u);
}

}  // namespace
}  // namespace warpvp
