// The trees of contexts follow what is allocated.

#include "modules/mmu/context_tables.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/mmu/sizes.h"

namespace warpvp {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr std::uint64_t kPage = 64 * kKib;

struct Gone {
  unsigned context;
  std::uint64_t address, bytes;
  bool operator==(const Gone& o) const {
    return context == o.context && address == o.address && bytes == o.bytes;
  }
};

struct ContextTablesTest : testing::Test {
  DeviceMemory memory{64 * kMib};
  const std::uint64_t local = *memory.allocate(kMib, 256, DeviceMemory::kSms);
  const std::uint64_t early = *memory.allocate(100);
  std::vector<Gone> gone;
  ContextTables tables{memory, kPage, [this](unsigned context, std::uint64_t address, std::uint64_t bytes) {
                         gone.push_back({context, address, bytes});
                       }};
  bool reaches(unsigned context, std::uint64_t address) const {
    const auto found = tables.translate(tables.root(context), address);
    if (found) {
      EXPECT_EQ(*found, address);
    }
    return found.has_value();
  }
};

TEST_F(ContextTablesTest, MapWhatWasThereBefore) {
  EXPECT_TRUE(reaches(0, early));
  tables.create(1);
  for (const std::uint64_t at : {local, local + kMib - 1}) {
    EXPECT_TRUE(reaches(0, at));
    EXPECT_FALSE(reaches(1, at)) << "the SMs' range is local memory of context 0, not of others";
  }
  EXPECT_FALSE(reaches(1, early));
}

TEST_F(ContextTablesTest, AContextHasItsOwnPagesAlone) {
  const std::uint64_t one = *memory.allocate(3 * kPage - 10, 256, 1), two = *memory.allocate(10, 256, 2);
  EXPECT_NE(one / kPage, early / kPage);
  EXPECT_NE((one + 3 * kPage - 11) / kPage, two / kPage);
  for (const std::uint64_t at : {one, one + kPage, one + 3 * kPage - 11}) {
    EXPECT_TRUE(reaches(1, at));
    EXPECT_FALSE(reaches(2, at));
    EXPECT_FALSE(reaches(0, at));
  }
  EXPECT_TRUE(reaches(2, two));
  EXPECT_FALSE(reaches(1, two));
  EXPECT_EQ(tables.root(3), 0u) << "nothing was allocated for it";
}

TEST_F(ContextTablesTest, ARootStaysWhatItIs) {
  const std::uint64_t root = tables.create(7);
  EXPECT_EQ(root % 4096, 0u);
  memory.allocate(kMib, 256, 7);
  EXPECT_EQ(tables.create(7), root);
  EXPECT_EQ(tables.root(7), root);
  EXPECT_NE(tables.root(0), root);
}

// Three neighbours, the middle one of which begins and ends within pages.
TEST_F(ContextTablesTest, APageIsMappedAsLongAsSomethingLiesOnIt) {
  const std::uint64_t first = *memory.allocate(kPage / 2, kPage, 1),
                      middle = *memory.allocate(3 * kPage, 256, 1), last = *memory.allocate(256, 256, 1);
  ASSERT_EQ(middle, first + kPage / 2);
  ASSERT_EQ(last, middle + 3 * kPage);
  memory.release(middle);
  EXPECT_THAT(gone, ElementsAre(Gone{1, first + kPage, 2 * kPage}));
  EXPECT_TRUE(reaches(1, first + kPage - 1));
  EXPECT_FALSE(reaches(1, first + kPage));
  EXPECT_FALSE(reaches(1, first + 3 * kPage - 1));
  EXPECT_TRUE(reaches(1, first + 3 * kPage));
  gone.clear();
  memory.release(first);
  memory.release(last);
  EXPECT_THAT(gone, ElementsAre(Gone{1, first, kPage}, Gone{1, first + 3 * kPage, kPage}));
  EXPECT_FALSE(reaches(1, first));
  EXPECT_FALSE(reaches(1, last));
}

// The last one on a page that the released range lies on only in part, at both of its ends.
TEST_F(ContextTablesTest, ANeighbourOnEitherSideKeepsAPage) {
  const std::uint64_t before = *memory.allocate(256, kPage, 1), on = *memory.allocate(256, 256, 1),
                      behind = *memory.allocate(256, 256, 1);
  memory.release(on);
  EXPECT_THAT(gone, IsEmpty());
  memory.release(before);
  EXPECT_THAT(gone, IsEmpty()) << behind;
  memory.release(behind);
  EXPECT_THAT(gone, ElementsAre(Gone{1, before, kPage}));
}

TEST_F(ContextTablesTest, WhatIsFreedBecomesAnotherContexts) {
  const std::uint64_t one = *memory.allocate(kPage, kPage, 1);
  memory.release(one);
  ASSERT_EQ(*memory.allocate(kPage, kPage, 2), one);
  EXPECT_FALSE(reaches(1, one));
  EXPECT_TRUE(reaches(2, one));
}

// Between two ranges there is room, but not a page that is nobody's: that before belongs to context 2, that
// behind, in part, to context 3.
TEST_F(ContextTablesTest, RoomOnAPageOfAnotherIsLeft) {
  const std::uint64_t before = *memory.allocate(kPage / 4, kPage, 2),
                      gap = *memory.allocate(2 * kPage, 256, 2);
  memory.release(gap);
  const std::uint64_t behind = *memory.allocate(256, kPage, 3);
  ASSERT_EQ(behind, before + kPage);
  const std::uint64_t own = *memory.allocate(256, 256, 1);
  EXPECT_EQ(own, before + 2 * kPage);
  EXPECT_EQ(*memory.allocate(256, 256, 2), before + kPage / 4) << "its own page has room";
  memory.release(behind);
  EXPECT_EQ(*memory.allocate(kPage, 256, 1), before + kPage) << "a page between";
  EXPECT_EQ(*memory.allocate(256, 256, DeviceMemory::kDriver) / kPage, early / kPage)
      << "beside what is context 0's";
}

// A context of many: the room for tables that is reserved at first is used up.
TEST_F(ContextTablesTest, ThereAreTablesForManyContexts) {
  for (unsigned context = 1; context <= 64; ++context) {
    const std::uint64_t at = *memory.allocate(256, 256, context);
    EXPECT_TRUE(reaches(context, at));
    EXPECT_FALSE(reaches(context - 1, at));
    EXPECT_FALSE(reaches(context, local));
  }
  for (const auto& [begin, range] : memory.ranges()) {
    if (range.context != DeviceMemory::kDriver) continue;
    for (unsigned context = 1; context <= 64; ++context) EXPECT_FALSE(reaches(context, begin));
  }
}

}  // namespace
}  // namespace warpvp
