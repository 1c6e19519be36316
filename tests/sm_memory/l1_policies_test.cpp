// Write policies of the L1 data cache.

#include <gtest/gtest.h>

#include "tests/sm_memory/harness.h"

namespace warpvp::test {
namespace {

using Log = std::vector<std::string>;
using Drained = std::vector<std::pair<Cycle, unsigned>>;

MemorySideConfig with_policy(const char* policy) {
  MemorySideConfig config = small_config();
  config.l1.write_policy = policy;
  return config;
}

TEST(L1Policies, WriteThroughKeepsTheLineAndDoesNotAllocate) {
  Bench b(with_policy("write_through_no_allocate"));
  b.at(10, load_line(0));
  b.at(200, as_store(load_line(0)));
  b.at(400, as_store(load_line(1)));
  const auto kept = b.at(600, load_line(0));
  const auto absent = b.at(800, load_line(1));
  b.run();
  EXPECT_EQ(b.missed[kept], kNever);
  EXPECT_EQ(b.missed[absent], 801u);
  EXPECT_EQ(b.stats()["l1_store_hits"], 1);
  EXPECT_EQ(b.stats()["l1_store_misses"], 1);
}

TEST(L1Policies, WriteEvictDropsTheLine) {
  Bench b(with_policy("write_evict"));
  b.at(10, load_line(0));
  b.at(200, as_store(load_word(4)));
  const auto gone = b.at(400, load_line(0));
  b.run();
  EXPECT_EQ(b.target.log(), (Log{"11 R 0+128", "201 W 4+4", "401 R 0+128"}));
  EXPECT_EQ(b.missed[gone], 401u);
}

TEST(L1Policies, WriteBackOfWholeSectorsMakesNoTraffic) {
  Bench b(with_policy("write_back_allocate"));
  const auto store = b.at(10, as_store(load_line(0)), 3);
  const auto load = b.at(20, load_line(0));
  b.run();
  EXPECT_TRUE(b.target.requests.empty());
  EXPECT_EQ(b.done[store], 11u);
  EXPECT_EQ(b.drained, (Drained{{11, 3}}));
  EXPECT_EQ(b.done[load], 31u);
}

TEST(L1Policies, WriteBackFetchesSectorsWrittenInPart) {
  Bench b(with_policy("write_back_allocate"));
  b.at(10, as_store(load_word(4)), 3);
  b.run();
  EXPECT_EQ(b.target.log(), (Log{"11 R 0+32"}));
  EXPECT_EQ(b.done[0], 11u);
  EXPECT_EQ(b.drained, (Drained{{112, 3}}));
  EXPECT_TRUE(b.memory->idle());
}

TEST(L1Policies, DirtyVictimIsWrittenBack) {
  Bench b(with_policy("write_back_allocate"));
  b.at(10, as_store(load_line(0)));
  for (int i = 1; i <= 4; ++i) b.at(200 * i, load_line(8 * i));  // the fourth needs the way of line 0
  b.run();
  EXPECT_EQ(b.target.log(),
            (Log{"201 R 400+128", "401 R 800+128", "601 R c00+128", "801 W 0+128", "802 R 1000+128"}));
  EXPECT_EQ(b.stats()["l1_write_backs"], 1);
  EXPECT_TRUE(b.memory->idle());
}

TEST(L1Policies, DirtyVictimLeavesWithTheFillWhenAllocatingOnFill) {
  MemorySideConfig config = with_policy("write_back_allocate");
  config.l1.allocate = "on_fill";
  Bench b(config);
  b.at(10, as_store(load_line(0)));
  for (int i = 1; i <= 4; ++i) b.at(200 * i, load_line(8 * i));
  b.run();
  EXPECT_EQ(b.target.log(),
            (Log{"201 R 400+128", "401 R 800+128", "601 R c00+128", "801 R 1000+128", "902 W 0+128"}));
}

TEST(L1Policies, InvalidateWritesDirtyLinesOut) {
  Bench b(with_policy("write_back_allocate"));
  for (int i = 0; i < 3; ++i) b.at(10 + i, as_store(load_line(i)));
  b.call_at(100, [&](Cycle) { b.memory->invalidate(); });
  b.run();
  EXPECT_EQ(b.target.log(), (Log{"101 W 0+128", "102 W 80+128", "103 W 100+128"}));
  EXPECT_EQ(b.target.requests[0].ext.launch, 0xffffffffu);
  EXPECT_TRUE(b.memory->idle());
}

TEST(L1Policies, AtomicWritesADirtyLineOutFirst) {
  Bench b(with_policy("write_back_allocate"));
  b.at(10, as_store(load_line(0)));
  b.at(100, as_atomic(load_word(0), true));
  b.run();
  EXPECT_EQ(b.target.log(), (Log{"101 W 0+128", "102 A 0+4"}));
}

TEST(L1Policies, AtomicWaitsForAStoresFill) {
  Bench b(with_policy("write_back_allocate"));
  b.at(10, as_store(load_word(0)));
  b.at(20, as_atomic(load_word(0), true));
  b.run();
  EXPECT_EQ(b.target.log(), (Log{"11 R 0+32", "112 W 0+32", "113 A 0+4"}));
}

}  // namespace
}  // namespace warpvp::test
