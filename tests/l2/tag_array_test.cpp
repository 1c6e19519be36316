#include "base/tag_array.h"

#include <gtest/gtest.h>

namespace warpvp {
namespace {

using Result = TagArray::Result;

TEST(TagArray, SectorMasks) {
  const TagArray tags({4, 2, 128, 32, false});
  EXPECT_EQ(tags.sectors_per_line(), 4u);
  EXPECT_EQ(tags.all_sectors(), 0xfu);
  EXPECT_EQ(tags.sectors_of(0x1000, 128), 0xfu);
  EXPECT_EQ(tags.sectors_of(0x1020, 32), 0x2u);
  EXPECT_EQ(tags.sectors_of(0x101f, 2), 0x3u);
  EXPECT_EQ(tags.sectors_of(0x107f, 1), 0x8u);
  EXPECT_EQ(tags.full_sectors_of(0x1010, 64), 0x2u);
  EXPECT_EQ(tags.full_sectors_of(0x1010, 16), 0x0u);
  EXPECT_EQ(tags.full_sectors_of(0x1000, 128), 0xfu);
  const TagArray whole({4, 2, 128, 0, false});
  EXPECT_EQ(whole.all_sectors(), 1u);
  EXPECT_EQ(whole.sectors_of(0x1040, 4), 1u);
  EXPECT_EQ(whole.full_sectors_of(0x1000, 127), 0u);
  const TagArray fine({1, 1, 4096, 128, false});
  EXPECT_EQ(fine.all_sectors(), ~0u);
}

TEST(TagArray, MissReserveFillHit) {
  TagArray tags({4, 2, 128, 32, false});
  EXPECT_EQ(tags.probe(0x1000, 0x1).result, Result::kMiss);
  const auto r = tags.reserve(0x1000, 0x1);
  EXPECT_TRUE(r.ok);
  EXPECT_FALSE(r.evicted);
  EXPECT_EQ(tags.probe(0x1000, 0x1).result, Result::kPending);
  EXPECT_EQ(tags.probe(0x1000, 0x3).result, Result::kSectorMiss);
  EXPECT_EQ(tags.probe(0x1000, 0x3).missing, 0x2u);
  EXPECT_EQ(tags.fill(0x1000, 0x1), r.line);
  EXPECT_EQ(tags.probe(0x1000, 0x1).result, Result::kHit);
  EXPECT_EQ(tags.probe(0x1000, 0x2).result, Result::kSectorMiss);
  EXPECT_EQ(tags.probe(0x1080, 0x1).result, Result::kMiss);
}

TEST(TagArray, LeastRecentlyUsedLeavesAndPendingLinesStay) {
  TagArray tags({1, 3, 128, 0, false});
  for (std::uint64_t a : {0x000, 0x080, 0x100}) {
    tags.reserve(a, 1);
    tags.fill(a, 1);
  }
  tags.touch(tags.probe(0x000, 1).line);
  tags.mark_dirty(tags.probe(0x080, 1).line, 1);
  auto r = tags.reserve(0x180, 1);  // 0x080 is the oldest
  EXPECT_TRUE(r.evicted);
  EXPECT_EQ(r.victim_address, 0x080u);
  EXPECT_EQ(r.victim_dirty, 1u);
  r = tags.reserve(0x200, 1);  // now 0x100, clean
  EXPECT_EQ(r.victim_address, 0x100u);
  EXPECT_EQ(r.victim_dirty, 0u);
  r = tags.reserve(0x280, 1);  // the others are pending
  EXPECT_EQ(r.victim_address, 0x000u);
  EXPECT_FALSE(tags.can_reserve(0x300));
  EXPECT_FALSE(tags.reserve(0x300, 1).ok);
  EXPECT_TRUE(tags.can_reserve(0x280)) << "it is there";
  tags.fill(0x200, 1);
  EXPECT_TRUE(tags.can_reserve(0x300));
}

TEST(TagArray, SetCountsThatAreNoPowerOfTwoUseAllSets) {
  TagArray tags({6, 1, 128, 0, false});
  for (unsigned i = 0; i < 6; ++i) EXPECT_FALSE(tags.reserve(i * 128, 0).evicted) << i;
  for (unsigned i = 0; i < 12; ++i) EXPECT_EQ(tags.set_of(i * 128), i % 6);
}

TEST(TagArray, HashedIndexSpreadsAPowerOfTwoStrideAndIsAPermutationOfEachRow) {
  const TagArray plain({64, 1, 128, 0, false}), hashed({64, 1, 128, 0, true});
  std::vector<int> seen(64), row(64);
  for (unsigned i = 0; i < 64; ++i) {
    EXPECT_EQ(plain.set_of(i * 64 * 128), 0u);
    ++seen[hashed.set_of(i * 64 * 128)];
    ++row[hashed.set_of((5 * 64 + i) * 128)];
  }
  for (unsigned i = 0; i < 64; ++i) {
    EXPECT_EQ(seen[i], 1);
    EXPECT_EQ(row[i], 1);
  }
}

TEST(TagArray, InvalidateAllKeepsFillsUnderWay) {
  TagArray tags({2, 2, 128, 0, false});
  tags.reserve(0x000, 1);
  tags.fill(0x000, 1);
  tags.mark_dirty(tags.probe(0, 1).line, 1);
  tags.reserve(0x080, 1);
  int dirty = 0;
  tags.for_each_dirty([&](std::uint64_t address, TagArray::SectorMask sectors) {
    EXPECT_EQ(address, 0u);
    EXPECT_EQ(sectors, 1u);
    ++dirty;
  });
  EXPECT_EQ(dirty, 1);
  tags.invalidate_all();
  EXPECT_EQ(tags.probe(0x000, 1).result, Result::kMiss);
  EXPECT_EQ(tags.probe(0x080, 1).result, Result::kPending);
  tags.fill(0x080, 1);
  EXPECT_EQ(tags.probe(0x080, 1).result, Result::kHit);
  tags.invalidate(0x080);
  EXPECT_EQ(tags.fill(0x080, 1), TagArray::kNoLine);
}

}  // namespace
}  // namespace warpvp
