// Stores that are kept until a slice ends (ptx/exec/slice_stores.h): what loads see meanwhile, and what is in
// memory afterwards, is what a plain array of bytes says.

#include "ptx/exec/slice_stores.h"

#include <gtest/gtest.h>

#include <cstring>
#include <random>
#include <utility>
#include <vector>

namespace warpvp::ptx {
namespace {

constexpr std::uint64_t kOrigin = 0x7000'0000'0000;

/// As code of the host does where there is room: `bytes` of each of `lanes`, of 16, from `address` on.
bool store_block(SliceStores& stores, std::uint64_t address, unsigned lanes, unsigned bytes,
                 const std::byte* from) {
  StoreJournal& journal = stores.journal();
  const StoreJournal::Record record{address, static_cast<std::uint16_t>(lanes),
                                    static_cast<std::uint16_t>(bytes), 0};
  if (static_cast<std::size_t>(journal.end - journal.next) < sizeof record + 16 * bytes) return false;
  std::memcpy(journal.next, &record, sizeof record);
  std::memcpy(journal.next + sizeof record, from, 16 * bytes);
  journal.next += sizeof record + 16 * bytes;
  return true;
}

/// By bytes of the journal: some have room for all stores between two looks, some for none.
class SliceStoresOf : public ::testing::TestWithParam<std::size_t> {};
INSTANTIATE_TEST_SUITE_P(Journals, SliceStoresOf, ::testing::Values(0, 3000, 20000, 1 << 20));

TEST_P(SliceStoresOf, LoadsSeeThemAndMemoryDoesAfterwards) {
  constexpr unsigned kBytes = 1 << 18;  // 2048 lines: the table grows
  std::mt19937 random(5);
  std::vector<std::byte> memory(kBytes);
  for (auto& byte : memory) byte = static_cast<std::byte>(random());
  std::vector<std::byte> seen = memory;
  SliceStores stores(memory.data(), kOrigin, GetParam());
  EXPECT_EQ(stores.note_range({kOrigin, kOrigin + kBytes}).end, kOrigin + kBytes);
  unsigned in_place = 0, mixed = 0, elsewhere = 0, blocks = 0;
  for (unsigned step = 0; step < 6000; ++step) {
    const unsigned bytes = 1u << random() % 6;
    // Now all over the place, now within few lines.
    const unsigned span = step / 1000 % 2 == 0 ? kBytes : 1024;
    std::uint64_t address[kWarpSize];
    for (auto& a : address) a = kOrigin + random() % (span / bytes) * bytes;
    const LaneMask lanes = static_cast<LaneMask>(random()) | 1u;
    if (random() % 2 == 0) {
      std::uintptr_t to[kWarpSize];
      stores.add(step, address, lanes, bytes, to);
      for (unsigned lane = 0; lane < kWarpSize; ++lane)
        for (unsigned i = 0; i < bytes && (lanes >> lane & 1) != 0; ++i)
          seen[address[lane] - kOrigin + i] = reinterpret_cast<std::byte*>(to[lane])[i] =
              static_cast<std::byte>(random());
      ASSERT_FALSE(stores.empty());
    }
    for (unsigned block = 0; block < random() % 4; ++block) {
      std::byte data[16 * OwnStores::kMostBytes];
      for (auto& byte : data) byte = static_cast<std::byte>(random());
      const unsigned of = random() % 2 ? 0xffff : random() % 0xffff + 1;
      const std::uint64_t at = random() % (span / bytes - 16) * bytes;
      if (!store_block(stores, kOrigin + at, of, bytes, data)) continue;
      ++blocks;
      for (unsigned i = 0; i < 16 * bytes; ++i)
        if (of >> i / bytes & 1) seen[at + i] = data[i];
      ASSERT_FALSE(stores.empty());
    }
    if (random() % 4 != 0) {
      for (auto& a : address) a = kOrigin + random() % (span / bytes) * bytes;
      std::byte room[kWarpSize * OwnStores::kMostBytes];
      std::uintptr_t from[kWarpSize] = {};
      stores.find(address, lanes, bytes, step, room, from);
      for (unsigned lane = 0; lane < kWarpSize; ++lane) {
        if ((lanes >> lane & 1) == 0) {
          ASSERT_EQ(from[lane], 0u);
          continue;
        }
        const std::uint64_t at = address[lane] - kOrigin;
        const auto* const found = reinterpret_cast<std::byte*>(from[lane]);
        ASSERT_EQ(std::memcmp(found != nullptr ? found : &memory[at], &seen[at], bytes), 0) << step;
        ASSERT_TRUE(found == nullptr || stores.within(address[lane], address[lane])) << step;
        ++(found == nullptr ? in_place : found >= room && found < room + sizeof room ? mixed : elsewhere);
        std::byte read[OwnStores::kMostBytes];
        stores.read(address[lane], bytes, step, read);
        ASSERT_EQ(std::memcmp(read, &seen[at], bytes), 0) << step;
      }
    }
    if (random() % 300 != 0) continue;
    stores.write();
    ASSERT_TRUE(memory == seen) << step;
    ASSERT_TRUE(stores.empty());
    ASSERT_TRUE(stores.within(kOrigin, kOrigin + kBytes)) << "the range is still one of stores";
  }
  EXPECT_EQ(blocks == 0, GetParam() == 0);
  EXPECT_GT(in_place, 1000u);
  EXPECT_GT(mixed, 1000u);
  EXPECT_GT(elsewhere, 1000u);
}

// Lanes that store below the first lane's address.
TEST(SliceStores, AllLanesAreWithinReach) {
  std::vector<std::byte> memory(256);
  SliceStores stores(memory.data(), kOrigin);
  EXPECT_FALSE(stores.within(kOrigin, kOrigin + 255));
  const std::uint64_t address[kWarpSize] = {kOrigin + 100, kOrigin + 4};
  std::uintptr_t to[kWarpSize];
  stores.add(0, address, 3, 4, to);
  EXPECT_TRUE(stores.within(kOrigin + 100, kOrigin + 100));
  EXPECT_TRUE(stores.within(kOrigin + 4, kOrigin + 4));
  EXPECT_FALSE(stores.within(kOrigin + 128, kOrigin + 255));
}

// What loads need not look for: what lies in no range of stores.
TEST(SliceStores, SayWhereLoadsAreFree) {
  std::vector<std::byte> memory(1 << 12);
  SliceStores stores(memory.data(), kOrigin);
  const auto at = [](std::uint64_t begin, std::uint64_t end) {
    return AddressRange{kOrigin + begin, kOrigin + end};
  };
  const auto free_around = [&](AddressRange access, AddressRange range) {
    const AddressRange found = stores.free_around(access, range);
    return std::pair(found.begin, found.end);
  };
  const auto same = [](AddressRange range) { return std::pair(range.begin, range.end); };
  const auto none = same({});
  EXPECT_EQ(free_around(at(100, 200), at(0, 4096)), same(at(0, 4096)));
  EXPECT_EQ(same(stores.note_range(at(1000, 1100))), same(at(1000, 1100)));
  EXPECT_EQ(same(stores.note_range(at(1010, 1020))), none) << "known";
  EXPECT_EQ(same(stores.note_range(at(3000, 3100))), same(at(3000, 3100)));
  EXPECT_EQ(free_around(at(100, 200), at(0, 4096)), same(at(0, 1000)));
  EXPECT_EQ(free_around(at(1100, 1104), at(0, 4096)), same(at(1100, 3000)));
  EXPECT_EQ(free_around(at(3100, 4096), at(512, 4096)), same(at(3100, 4096)));
  EXPECT_EQ(free_around(at(900, 1001), at(0, 4096)), none) << "in a range of stores";
  EXPECT_EQ(free_around(at(1096, 1104), at(0, 4096)), none);
  EXPECT_EQ(free_around(at(100, 200), at(104, 4096)), none) << "in another allocation";
  // Those that touch are one.
  EXPECT_EQ(same(stores.note_range(at(1100, 3000))), same(at(1000, 3100)));
  EXPECT_EQ(free_around(at(2000, 2004), at(0, 4096)), none);
  EXPECT_TRUE(stores.empty());
  stores.forget_ranges();
  EXPECT_EQ(free_around(at(2000, 2004), at(0, 4096)), same(at(0, 4096)));
  // Many become one that holds them all.
  for (std::uint64_t i = 0; i < 60; ++i) {
    stores.note_range(at(64 * i, 64 * i + 4));
    EXPECT_EQ(same(stores.note_range(at(64 * i, 64 * i + 2))), none) << "known";
  }
  for (std::uint64_t i = 0; i < 60; ++i)
    EXPECT_EQ(free_around(at(64 * i, 64 * i + 4), at(0, 4096)), none) << i;
}

}  // namespace
}  // namespace warpvp::ptx
