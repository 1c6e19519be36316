// Write policies of the L1 data cache.

#include <gmock/gmock.h>
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

// A store takes a way: whole sectors can be read, the others of the line are fetched, and so is what was
// written in part. The data goes on to L2 in any case.
TEST(L1Policies, WriteThroughWithAllocation) {
  Bench b(with_policy("write_through_allocate"));
  b.at(10, as_store(load_line(0)));
  const auto whole = b.at(200, load_line(0));
  b.at(400, as_store(load_word(128 + 32)));
  const auto part = b.at(600, load_word(128 + 32));
  const auto beside = b.at(800, load_word(128));
  b.run();
  EXPECT_EQ(b.target.log(), (Log{"11 W 0+128", "401 W a0+4", "601 R a0+32", "801 R 80+32"}));
  EXPECT_EQ(b.missed[whole], kNever);
  EXPECT_EQ(b.missed[part], 601u);
  EXPECT_EQ(b.missed[beside], 801u);
  EXPECT_EQ(b.stats()["l1_write_miss_sectors"], 5);
}

// The second store to a line finds it there, whatever sector the first one wrote.
TEST(L1Policies, WriteThroughWithAllocationHitsByLine) {
  Bench b(with_policy("write_through_allocate"));
  for (unsigned i = 0; i < 4; ++i) b.at(10 + 100 * i, as_store(load_word(32 * i)));
  b.run();
  EXPECT_EQ(b.stats()["l1_write_miss_sectors"], 1);
  EXPECT_EQ(b.stats()["l1_write_hit_sectors"], 3);
}

// With all ways of the set under fill a store does not wait for one; nor does it touch a sector under fill.
TEST(L1Policies, WriteThroughWithAllocationNeverWaitsForAWay) {
  MemorySideConfig config = with_policy("write_through_allocate");
  Bench b(config);
  for (unsigned i = 0; i < 4; ++i) b.at(10, load_line(8 * i));  // all of set 0
  const auto store = b.at(20, as_store(load_line(8 * 4)));
  b.at(21, as_store(load_line(0)));
  const auto absent = b.at(300, load_line(8 * 4));
  const auto filled = b.at(600, load_line(8 * 3));
  b.run();
  EXPECT_EQ(b.done[store], 21u);
  EXPECT_EQ(b.missed[absent], 301u);
  EXPECT_EQ(b.missed[filled], kNever);
  EXPECT_EQ(b.stats()["l1_fail_way"], 0);
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

MemorySideConfig dividing(const char* policy) {
  MemorySideConfig config = with_policy(policy);  // 4 KiB, 8 sets: a way is 1 KiB
  config.l1.unified_kib = 16;
  return config;
}

TEST(L1Division, MoreWaysHoldMoreLines) {
  Bench b(dividing("write_through_no_allocate"));
  EXPECT_EQ(b.memory->l1_bytes(), 4096u);
  Cycle at = 10;
  const auto twice_round = [&](std::uint32_t bytes) {
    b.call_at(at, [&b, bytes](Cycle) { b.memory->resize_l1(bytes); });
    for (unsigned round = 0; round < 2; ++round)
      for (unsigned line = 0; line < 96; ++line)
        b.at(at + 10 + 20000 * round, load_line(line), 0, bytes / 1024);
    at += 40000;
  };
  twice_round(4096);
  twice_round(16384);
  twice_round(8192);
  b.run(200000);
  EXPECT_EQ(b.memory->launch_counters(4)->l1_hits, 0u);  // 96 lines go round in 32
  EXPECT_EQ(b.memory->launch_counters(16)->l1_hits, 96u);
  EXPECT_EQ(b.memory->launch_counters(16)->l1_misses, 96u);  // the change has emptied it
  EXPECT_EQ(b.memory->launch_counters(8)->l1_hits, 0u);
  EXPECT_EQ(b.memory->l1_bytes(), 8192u);
}

TEST(L1Division, AChangeWritesDirtyLinesOut) {
  Bench b(dividing("write_back_allocate"));
  for (int i = 0; i < 3; ++i) b.at(10 + i, as_store(load_line(i)));
  b.call_at(100, [&](Cycle) { b.memory->resize_l1(8192); });
  b.call_at(150, [&](Cycle) { b.memory->resize_l1(8192); });  // no change
  b.at(200, as_store(load_line(0)));
  b.call_at(300, [&](Cycle) { b.memory->resize_l1(8192); });
  b.run();
  EXPECT_EQ(b.target.log(), (Log{"101 W 0+128", "102 W 80+128", "103 W 100+128"}));
  EXPECT_TRUE(b.memory->idle());
}

// Lines on their way into ways that go to shared memory: whoever waits is served, nothing of them stays, and
// what a store has left in them is written.
class L1DivisionOf : public testing::TestWithParam<const char*> {};

TEST_P(L1DivisionOf, FillsUnderWayIntoClosedWaysServeTheirWaiters) {
  Bench b(dividing(GetParam()));
  b.call_at(5, [&](Cycle) { b.memory->resize_l1(16384); });
  std::vector<std::uint32_t> loads;
  for (unsigned i = 0; i < 16; ++i) loads.push_back(b.at(10, load_line(8 * i), 0, 1));  // all ways of set 0
  const auto store = b.at(10, as_store(load_word(8 * 15 * 128)), 1, 2);  // waits for the last fill
  b.call_at(60, [&](Cycle) { b.memory->resize_l1(1024); });
  for (unsigned i = 0; i < 16; ++i) b.at(400, load_line(8 * i), 0, 3);
  b.run();
  for (const auto token : loads) EXPECT_EQ(b.completions[token], 1u);
  EXPECT_EQ(b.completions[store], 1u);
  ASSERT_NE(b.memory->launch_counters(3), nullptr);
  EXPECT_LE(b.memory->launch_counters(3)->l1_hits, 1u);  // one way is left
  if (std::string(GetParam()) == "write_back_allocate") {
    EXPECT_THAT(b.target.log(), testing::Contains(testing::HasSubstr("W 3c00+32")));
  }
  EXPECT_TRUE(b.memory->idle());
}

INSTANTIATE_TEST_SUITE_P(Policies, L1DivisionOf,
                         testing::Values("write_through_no_allocate", "write_back_allocate"));

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
