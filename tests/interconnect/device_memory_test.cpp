// DeviceMemory: what kernels may touch beside what is allocated, where accesses may stray.

#include "interconnect/device_memory.h"

#include <gtest/gtest.h>

namespace warpvp {
namespace {

constexpr std::uint64_t kPage = 1 << 16, kBase = DeviceMemory::kBase;

// Of context 1: a range on the first page, and one across the second and third. Of context 2: one behind the
// first.
struct StrayMemory {
  DeviceMemory memory{16 * kPage};
  StrayMemory() {
    memory.let_stray(kPage);
    EXPECT_EQ(memory.allocate(256, 256, 1), kBase);
    EXPECT_EQ(memory.allocate(256, 4096, 2), kBase + 4096);
    EXPECT_EQ(memory.allocate(kPage, kPage / 2, 1), kBase + kPage / 2);
  }
  /// As begin and end from the first page on; {0, 0}: none.
  std::pair<std::uint64_t, std::uint64_t> of(std::uint64_t offset, unsigned context) const {
    const auto range = memory.surroundings_of(kBase + offset, context);
    return range ? std::pair(range->begin - kBase, range->end - kBase)
                 : std::pair<std::uint64_t, std::uint64_t>();
  }
};

using Bounds = std::pair<std::uint64_t, std::uint64_t>;

TEST(DeviceMemorySurroundings, ArePagesOfTheContextButForWhatOthersHave) {
  const StrayMemory m;
  EXPECT_EQ(m.of(300, 1), Bounds(0, 4096));
  EXPECT_EQ(m.of(4096, 1), Bounds());  // another's
  EXPECT_EQ(m.of(4351, 1), Bounds());
  EXPECT_EQ(m.of(4352, 1), Bounds(4352, kPage));
  EXPECT_EQ(m.of(kPage + kPage - 1, 1), Bounds(kPage, 2 * kPage));
  EXPECT_EQ(m.of(2 * kPage, 1), Bounds());           // a page that nobody has anything on
  EXPECT_EQ(m.of(5000, 2), Bounds(256, kPage / 2));  // with what it has itself
  EXPECT_EQ(m.of(300, 2), Bounds(256, kPage / 2));
  EXPECT_EQ(m.of(300, 3), Bounds());
  EXPECT_EQ(m.of(kPage + kPage / 2, 2), Bounds());
  EXPECT_FALSE(m.memory.surroundings_of(kBase - 1, 1));
  EXPECT_FALSE(m.memory.surroundings_of(kBase + 16 * kPage, 1));
}

TEST(DeviceMemorySurroundings, AreNewWhenAnythingIsAllocated) {
  StrayMemory m;
  const std::uint64_t generation = m.memory.generation();
  m.memory.allocate(256, 256, 2);
  EXPECT_NE(m.memory.generation(), generation);
  EXPECT_EQ(m.of(300, 1), Bounds());
  EXPECT_EQ(m.of(600, 1), Bounds(512, 4096));
}

TEST(DeviceMemorySurroundings, AreNotThereWithoutLeave) {
  DeviceMemory memory(16 * kPage);
  memory.allocate(256, 256, 1);
  EXPECT_FALSE(memory.surroundings_of(kBase + 300, 1));
}

}  // namespace
}  // namespace warpvp
