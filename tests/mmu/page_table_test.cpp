// Page tables: what map() writes is what a walk by hand through device memory finds.

#include "modules/mmu/page_table.h"

#include <gtest/gtest.h>

#include <cstring>

#include "base/error.h"
#include "modules/mmu/translation_cache.h"
#include "tests/mmu/sizes.h"

namespace warpvp {
namespace {

std::uint64_t word(DeviceMemory& memory, std::uint64_t address) {
  return *reinterpret_cast<std::uint64_t*>(memory.at(address));
}

TEST(PageTables, HaveAsManyLevelsAsTheAddressNeeds) {
  DeviceMemory memory(64 * kMib);
  // 49 bits less those of the page, 9 a level.
  EXPECT_EQ(PageTables(memory, 4 * kKib).levels(), 5u);   // 37 bits
  EXPECT_EQ(PageTables(memory, 64 * kKib).levels(), 4u);  // 33
  EXPECT_EQ(PageTables(memory, 2 * kMib).levels(), 4u);   // 28
  EXPECT_EQ(PageTables(memory, 4 * kMib).levels(), 3u);   // 27
  EXPECT_EQ(PageTables(memory, 1 * kGib).levels(), 3u);   // 19
}

TEST(PageTables, AreFoundByAWalkFromTheRoot) {
  DeviceMemory memory(64 * kMib);
  PageTables tables(memory, 2 * kMib);
  const std::uint64_t page = DeviceMemory::kBase + 8 * kMib;
  // Indices 1, 2, 3, 4 from the root down: bits 48, 39 to 47, 30 to 38, 21 to 29.
  const std::uint64_t address =
      std::uint64_t{1} << 48 | std::uint64_t{2} << 39 | std::uint64_t{3} << 30 | std::uint64_t{4} << 21;
  const std::uint64_t root = tables.create();
  tables.map(root, address, page, 2 * kMib);
  std::uint64_t table = root;
  for (unsigned index = 1; index <= 3; ++index) {
    const std::uint64_t entry = word(memory, table + 8 * index);
    EXPECT_EQ(entry & 3, PageTables::kValid) << index;
    table = entry & PageTables::kAddressMask;
    EXPECT_EQ(table % 4096, 0u);
  }
  EXPECT_EQ(word(memory, table + 8 * 4), page | PageTables::kValid | PageTables::kLeaf);
  EXPECT_EQ(word(memory, table + 8 * 5), 0u);
}

// Whatever lay there before.
TEST(PageTables, BeginEmpty) {
  DeviceMemory memory(64 * kMib);
  std::memset(memory.at(memory.base()), 0xff, memory.size());
  PageTables tables(memory, 2 * kMib);
  const std::uint64_t root = tables.create();
  EXPECT_EQ(tables.translate(root, DeviceMemory::kBase), std::nullopt);
  tables.map(root, DeviceMemory::kBase, DeviceMemory::kBase, 2 * kMib);
  EXPECT_EQ(tables.translate(root, DeviceMemory::kBase + 5), DeviceMemory::kBase + 5);
  EXPECT_EQ(tables.translate(root, DeviceMemory::kBase + 2 * kMib), std::nullopt);
}

TEST(PageTables, TranslateEveryByteOfARangeAndNothingElse) {
  DeviceMemory memory(64 * kMib);
  PageTables tables(memory, 64 * kKib);
  const std::uint64_t from = 5 * kGib + 64 * kKib, to = DeviceMemory::kBase + 16 * kMib;
  const std::uint64_t root = tables.create();
  tables.map(root, from, to, 1024 * 64 * kKib / 64);  // 16 pages
  for (const std::uint64_t offset : {std::uint64_t{0}, std::uint64_t{1}, 64 * kKib - 1, 64 * kKib, kMib - 1})
    EXPECT_EQ(tables.translate(root, from + offset), to + offset) << offset;
  EXPECT_EQ(tables.translate(root, from - 1), std::nullopt);
  EXPECT_EQ(tables.translate(root, from + kMib), std::nullopt);
  for (const unsigned bit : {49, 63})
    EXPECT_EQ(tables.translate(root, from | std::uint64_t{1} << bit), std::nullopt) << "beyond 49 bits";
}

TEST(PageTables, KeepTreesApart) {
  DeviceMemory memory(64 * kMib);
  PageTables tables(memory, 2 * kMib);
  const std::uint64_t one = DeviceMemory::kBase + 4 * kMib, two = DeviceMemory::kBase + 6 * kMib;
  const std::uint64_t first = tables.create(), second = tables.create(), empty = tables.create();
  tables.map(first, 2 * kMib, one, 2 * kMib);
  tables.map(second, 2 * kMib, two, 2 * kMib);
  EXPECT_EQ(tables.translate(first, 2 * kMib + 5), one + 5);
  EXPECT_EQ(tables.translate(second, 2 * kMib + 5), two + 5);
  EXPECT_EQ(tables.translate(empty, 2 * kMib + 5), std::nullopt);
  for (const std::uint64_t root : {std::uint64_t{0}, first + 8, DeviceMemory::kBase + 64 * kMib})
    EXPECT_EQ(tables.translate(root, 2 * kMib), std::nullopt) << "no table lies at " << root;
}

TEST(PageTables, ForgetWhatIsUnmapped) {
  DeviceMemory memory(64 * kMib);
  PageTables tables(memory, 2 * kMib);
  const std::uint64_t root = tables.create();
  tables.map(root, 0, DeviceMemory::kBase, 8 * kMib);
  tables.unmap(root, 2 * kMib, 4 * kMib);
  EXPECT_EQ(tables.translate(root, 2 * kMib - 1), DeviceMemory::kBase + 2 * kMib - 1);
  EXPECT_EQ(tables.translate(root, 2 * kMib), std::nullopt);
  EXPECT_EQ(tables.translate(root, 6 * kMib - 1), std::nullopt);
  EXPECT_EQ(tables.translate(root, 6 * kMib), DeviceMemory::kBase + 6 * kMib);
  tables.unmap(root, 5 * kGib, 2 * kMib);  // where no table is
}

TEST(PageTables, SayWhenMemoryHasNoRoomForThem) {
  DeviceMemory memory(16 * kMib);
  ASSERT_TRUE(memory.allocate(16 * kMib - 16 * kKib));
  PageTables tables(memory, 2 * kMib);  // all of memory takes four of them
  const std::uint64_t root = tables.create();
  tables.map(root, DeviceMemory::kBase, DeviceMemory::kBase, 16 * kMib);
  EXPECT_THROW(tables.create(), InputError);
  EXPECT_THROW(tables.map(root, 0, DeviceMemory::kBase, 2 * kMib), InputError);
}

TEST(TranslationCache, ForgetsTheLeastRecentlyUsedOfItsSet) {
  TranslationCache<int> cache(4, 2);  // sets of even and odd numbers
  cache.insert(0, 0, 10);
  cache.insert(0, 2, 12);
  ASSERT_NE(cache.find(0, 0), nullptr);
  cache.insert(0, 4, 14);
  EXPECT_EQ(cache.find(0, 2), nullptr);
  EXPECT_EQ(*cache.find(0, 0), 10);
  EXPECT_EQ(*cache.find(0, 4), 14);
  EXPECT_EQ(cache.find(1, 0), nullptr) << "another context";
  cache.clear();
  EXPECT_EQ(cache.find(0, 0), nullptr);
}

TEST(TranslationCache, ForgetsNumbersOfAContext) {
  TranslationCache<int> cache(8, 8);
  for (const int number : {1, 2, 3, 4}) cache.insert(0, static_cast<std::uint64_t>(number), number);
  cache.insert(1, 2, 12);
  cache.erase(0, 2, 2);
  for (const std::uint64_t number : {2, 3}) EXPECT_EQ(cache.find(0, number), nullptr) << number;
  for (const std::uint64_t number : {1, 4}) EXPECT_NE(cache.find(0, number), nullptr) << number;
  ASSERT_NE(cache.find(1, 2), nullptr) << "another context's";
}

}  // namespace
}  // namespace warpvp
