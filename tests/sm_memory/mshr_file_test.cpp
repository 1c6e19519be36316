#include "modules/sm/memory/mshr_file.h"

#include <gtest/gtest.h>

#include <map>
#include <random>

namespace warpvp {
namespace {

using Served = std::vector<std::pair<std::uint32_t, std::uint32_t>>;  // id, sectors

Served fill(MshrFile& mshrs, unsigned index, std::uint32_t sectors, bool* freed = nullptr) {
  Served served;
  const bool complete = mshrs.fill(
      index, sectors, [&](std::uint32_t id, std::uint32_t wanted, bool) { served.emplace_back(id, wanted); });
  if (freed) *freed = complete;
  return served;
}

TEST(MshrFile, ServesTargetsWhenTheirLastSectorComes) {
  MshrFile mshrs(4, 8);
  const unsigned m = mshrs.allocate(0x1000, {}, 5);
  mshrs[m].outstanding = 0b1011;
  mshrs.add_target(m, 1, 0b0001);
  mshrs.add_target(m, 2, 0b0011);
  mshrs.add_target(m, 3, 0b1000);
  bool freed = true;
  EXPECT_EQ(fill(mshrs, m, 0b0001, &freed), (Served{{1, 0b0001}}));
  EXPECT_FALSE(freed);
  EXPECT_EQ(mshrs.find(0x1000), m);
  mshrs.add_target(m, 4, 0b1010);  // appended behind what is left
  EXPECT_EQ(fill(mshrs, m, 0b1000, &freed), (Served{{3, 0b1000}}));
  EXPECT_EQ(fill(mshrs, m, 0b0010, &freed), (Served{{2, 0b0011}, {4, 0b1010}}));
  EXPECT_TRUE(freed);
  EXPECT_EQ(mshrs.find(0x1000), MshrFile::kNone);
  EXPECT_EQ(mshrs.in_use(), 0u);
}

TEST(MshrFile, LimitsEntriesAndMerging) {
  MshrFile mshrs(2, 2);
  const unsigned a = mshrs.allocate(0x0, {}, 0);
  EXPECT_FALSE(mshrs.full());
  mshrs.allocate(0x80, {}, 0);
  EXPECT_TRUE(mshrs.full());
  mshrs[a].outstanding = 1;
  mshrs.add_target(a, 0, 1);
  EXPECT_TRUE(mshrs.can_merge(a, 1));
  mshrs.add_target(a, 1, 1);
  EXPECT_FALSE(mshrs.can_merge(a, 1));
}

// The limit is one of each sector; a sector that has come is as new.
TEST(MshrFile, MergesCountBySector) {
  MshrFile mshrs(2, 2);
  const unsigned a = mshrs.allocate(0x0, {}, 0);
  mshrs[a].outstanding = 0b0111;
  mshrs.add_target(a, 0, 0b0011);
  mshrs.add_target(a, 1, 0b0001);
  EXPECT_FALSE(mshrs.can_merge(a, 0b0001));
  EXPECT_TRUE(mshrs.can_merge(a, 0b0110));
  EXPECT_FALSE(mshrs.can_merge(a, 0b1111));
  fill(mshrs, a, 0b0001);
  mshrs[a].outstanding |= 0b0001;
  EXPECT_TRUE(mshrs.can_merge(a, 0b0111));
  mshrs.add_target(a, 2, 0b0010);
  EXPECT_FALSE(mshrs.can_merge(a, 0b0010));
}

// The hash table against a map, with lines that collide and removals in any order.
TEST(MshrFile, FindsEveryLineThroughInsertionsAndRemovals) {
  std::mt19937 random(11);
  MshrFile mshrs(37, 1);
  std::map<std::uint64_t, unsigned> model;
  for (int step = 0; step < 20000; ++step) {
    const std::uint64_t line = random() % 97 * 128;
    const auto known = model.find(line);
    ASSERT_EQ(mshrs.find(line), known == model.end() ? MshrFile::kNone : known->second);
    if (known != model.end()) {
      fill(mshrs, known->second, 1);
      model.erase(known);
    } else if (!mshrs.full()) {
      model[line] = mshrs.allocate(line, {}, 0);
      mshrs[model[line]].outstanding = 1;
    }
    ASSERT_EQ(mshrs.in_use(), model.size());
  }
}

}  // namespace
}  // namespace warpvp
