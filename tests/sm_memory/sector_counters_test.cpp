// Sectors of the L1 as profilers of chips count them, one situation a test. Rows: accesses in order, far
// enough apart that each finds what the ones before left.

#include <gtest/gtest.h>

#include "tests/sm_memory/harness.h"

namespace warpvp::test {
namespace {

using ptx::CacheOp;
using ptx::Space;

struct Sectors {
  double read_hit, read_miss, write_hit, write_miss;
};

Sectors sectors_of(const MemorySideConfig& config, const std::vector<ptx::MemoryAccess>& accesses,
                   Cycle apart = 1000) {
  Bench b(config);
  for (std::size_t i = 0; i < accesses.size(); ++i) b.at(10 + i * apart, accesses[i]);
  b.run();
  const StatMap s = b.stats();
  return {s["l1_read_hit_sectors"], s["l1_read_miss_sectors"], s["l1_write_hit_sectors"],
          s["l1_write_miss_sectors"]};
}

struct SectorRow {
  const char* name;
  std::vector<ptx::MemoryAccess> accesses;
  Sectors expected;
};
std::vector<SectorRow> rows() {
  const ptx::MemoryAccess local = access(Space::kLocal, 4, [](unsigned) { return 0; });
  return {
      {"ALineColdAndAgain", {load_line(0), load_line(0)}, {4, 4, 0, 0}},
      {"OneSectorThenTheLine", {load_word(40), load_line(0)}, {1, 4, 0, 0}},
      {"OneOfEachLine", {load_lines(0, 32)}, {0, 32, 0, 0}},
      {"AStoreToAnAbsentLine", {as_store(load_line(0))}, {0, 0, 0, 4}},
      {"AStoreToALineThere", {load_word(0), as_store(load_word(64))}, {0, 1, 1, 0}},
      {"LoadsAround",
       {load_line(0), with_cache_op(load_line(0), CacheOp::cg), with_cache_op(load_line(0), CacheOp::cv)},
       {0, 12, 0, 0}},
      {"NoAtomics", {as_atomic(load_line(0), true), as_atomic(load_line(0), false)}, {0, 0, 0, 0}},
      {"NoLocalMemory", {local, as_store(local)}, {0, 0, 0, 0}},
  };
}
class SectorCounters : public ::testing::TestWithParam<SectorRow> {};

TEST_P(SectorCounters, AreThoseOfLoadsAndStoresToGlobalMemory) {
  const Sectors got = sectors_of(small_config(), GetParam().accesses), expected = GetParam().expected;
  EXPECT_EQ(got.read_hit, expected.read_hit);
  EXPECT_EQ(got.read_miss, expected.read_miss);
  EXPECT_EQ(got.write_hit, expected.write_hit);
  EXPECT_EQ(got.write_miss, expected.write_miss);
}
INSTANTIATE_TEST_SUITE_P(Rows, SectorCounters, ::testing::ValuesIn(rows()),
                         [](const auto& info) { return std::string(info.param.name); });

// What is on its way already is asked for once: a hit, as on the chip.
TEST(SectorCountersOf, SectorsUnderWayAreHits) {
  const Sectors got = sectors_of(small_config(), {load_word(0), load_line(0), load_line(0)}, 5);
  EXPECT_EQ(got.read_miss, 4);
  EXPECT_EQ(got.read_hit, 1 + 4);
}

TEST(SectorCountersOf, WithoutAnL1EverythingMisses) {
  MemorySideConfig config = small_config();
  config.l1.size_kib = 0;
  const Sectors got = sectors_of(config, {load_line(0), load_line(0), as_store(load_line(0))});
  EXPECT_EQ(got.read_miss, 8);
  EXPECT_EQ(got.read_hit, 0);
  EXPECT_EQ(got.write_miss, 4);
}

TEST(SectorCountersOf, OfAWriteBackCacheToo) {
  MemorySideConfig config = small_config();
  config.l1.write_policy = "write_back_allocate";
  const Sectors got = sectors_of(config, {as_store(load_line(0)), as_store(load_word(0)), load_line(0)});
  EXPECT_EQ(got.write_miss, 4);
  EXPECT_EQ(got.write_hit, 1);
  EXPECT_EQ(got.read_hit, 4);
}

// Distinct words of constant memory, whether they hit or not; parameters are in a bank that is always there.
TEST(SectorCountersOf, ConstantRequestsAreDistinctWordsOfConstantMemory) {
  Bench b(small_config());
  b.at(10, access(Space::kConst, 4, [](unsigned) { return kBase; }));
  b.at(1000, access(Space::kConst, 4, [](unsigned lane) { return kBase + lane / 4 * 4; }));
  b.at(2000, access(Space::kParam, 4, [](unsigned lane) { return kBase + lane * 4; }));
  b.run();
  EXPECT_EQ(b.stats()["constant_requests"], 1 + 8);
  EXPECT_EQ(b.stats()["constant_accesses"], 1 + 8 + 32);
}

}  // namespace
}  // namespace warpvp::test
