// Stores that are kept until a slice ends (ptx/exec/slice_stores.h): what loads see meanwhile, and what is in
// memory afterwards, is what a plain array of bytes says.

#include "ptx/exec/slice_stores.h"

#include <gtest/gtest.h>

#include <cstring>
#include <random>
#include <vector>

namespace warpvp::ptx {
namespace {

constexpr std::uint64_t kOrigin = 0x7000'0000'0000;

TEST(SliceStores, LoadsSeeThemAndMemoryDoesAfterwards) {
  constexpr unsigned kBytes = 1 << 18;  // 2048 lines: the table grows
  std::mt19937 random(5);
  std::vector<std::byte> memory(kBytes);
  for (auto& byte : memory) byte = static_cast<std::byte>(random());
  std::vector<std::byte> seen = memory;
  SliceStores stores(memory.data(), kOrigin);
  unsigned in_place = 0, mixed = 0, elsewhere = 0;
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
    if (random() % 300 != 0) continue;
    stores.write();
    ASSERT_TRUE(memory == seen) << step;
    ASSERT_TRUE(stores.empty());
    ASSERT_FALSE(stores.within(kOrigin, kOrigin + kBytes));
  }
  EXPECT_GT(in_place, 1000u);
  EXPECT_GT(mixed, 1000u);
  EXPECT_GT(elsewhere, 1000u);
}

// Lanes that store below the first lane's address, in the same line.
TEST(SliceStores, AllOfALineIsWithinReach) {
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

}  // namespace
}  // namespace warpvp::ptx
