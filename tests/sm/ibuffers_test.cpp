// I-buffers against plain queues.

#include "modules/sm/frontend/ibuffers.h"

#include <gtest/gtest.h>

#include <deque>
#include <random>

namespace warpvp {
namespace {

TEST(IBuffers, AreAQueueForEachWarp) {
  std::mt19937 rng(1);
  for (unsigned entries : {1u, 2u, 4u, 16u, 33u}) {
    constexpr unsigned kWarps = 5;
    IBuffers buffers(kWarps, entries);
    std::deque<ptx::Pc> queues[kWarps];
    for (int step = 0; step < 20000; ++step) {
      const unsigned warp = rng() % kWarps;
      std::deque<ptx::Pc>& queue = queues[warp];
      ASSERT_EQ(buffers.size(warp), queue.size());
      if (!queue.empty()) {
        ASSERT_EQ(buffers.head(warp), queue.front());
      }
      if (rng() % 64 == 0) {
        buffers.clear(warp);
        queue.clear();
      } else if (rng() % 2 == 0 && queue.size() < entries) {
        const ptx::Pc pc = rng() % 8 == 0 ? IBuffers::kNop : rng() % 1000;
        const auto room = static_cast<unsigned>(entries - queue.size());
        const unsigned count = pc == IBuffers::kNop ? 1 : 1 + rng() % std::min(room, 3u);
        buffers.push(warp, pc, count);
        for (unsigned i = 0; i < count; ++i) queue.push_back(pc + i);
      } else if (!queue.empty()) {
        queue.pop_front();
        ASSERT_EQ(buffers.pop(warp), queue.empty());
      }
    }
  }
}

TEST(IBuffers, TagsGoWithTheirEntries) {
  IBuffers buffers(3, 3, true);
  std::uint32_t tag = 100;
  std::deque<std::uint32_t> queue;
  for (int round = 0; round < 50; ++round) {
    while (buffers.size(1) < 3) {
      buffers.push_tagged(1, tag * 2, tag);
      queue.push_back(tag++);
    }
    buffers.push_tagged(2, 5, 7);
    buffers.clear(2);
    for (int i = 0; i < 1 + round % 3; ++i, queue.pop_front()) {
      ASSERT_EQ(buffers.head(1), queue.front() * 2);
      ASSERT_EQ(buffers.tag(1), queue.front());
      ASSERT_EQ(buffers.pop(1), queue.size() == 1);
    }
  }
}

TEST(IBuffers, WithoutTagsTheyAreZero) {
  IBuffers buffers(2, 4);
  buffers.push(1, 10);
  EXPECT_EQ(buffers.tag(1), 0u);
}

}  // namespace
}  // namespace warpvp
