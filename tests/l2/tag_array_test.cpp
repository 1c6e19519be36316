#include "base/tag_array.h"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <utility>
#include <vector>

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

/// Takes the way that it is told to, and writes down what it hears.
struct ToldWhich : TagReplacement {
  std::uint32_t victim(const Full& full) override {
    offered.clear();
    full.takeable.for_each([&](std::uint32_t way) { offered.push_back(way); });
    heard.push_back("full for " + std::to_string(full.by.kernel_slot));
    return way == kOldest ? full.oldest : way;
  }
  bool allocated(std::uint32_t, std::uint32_t way, const CacheUser& by) override {
    hear("allocated", way, by);
    return as_oldest;
  }
  void touched(std::uint32_t, std::uint32_t way, const CacheUser& by) override { hear("touched", way, by); }
  void removed(std::uint32_t, std::uint32_t way) override { hear("removed", way, {}); }
  void opened(std::uint32_t ways) override { hear("opened", ways, {}); }
  void hear(const char* what, std::uint32_t way, const CacheUser& by) {
    heard.push_back(std::string(what) + " " + std::to_string(way));
    if (by.kernel_slot != CacheUser::kNone) heard.back() += " by " + std::to_string(by.kernel_slot);
  }
  static constexpr std::uint32_t kOldest = ~0u;
  std::uint32_t way = kOldest;
  bool as_oldest = false;
  std::vector<std::uint32_t> offered;
  std::vector<std::string> heard;
};

TEST(TagArray, AnotherRuleMayChooseTheWayAndTheAge) {
  TagArray tags({1, 4, 128, 0, false});
  ToldWhich told;
  tags.replace_by(&told);
  const auto add = [&](std::uint64_t a, std::uint32_t way = ToldWhich::kOldest, bool as_oldest = false) {
    told.way = way;
    told.as_oldest = as_oldest;
    const auto r = tags.reserve(a, 1);
    tags.fill(a, 1);
    return r;
  };
  for (std::uint64_t a : {0x000, 0x080, 0x100, 0x180}) add(a, 3);  // into free ways, as they come
  EXPECT_EQ(add(0x200, 2).victim_address, 0x100u);
  EXPECT_EQ(add(0x280).victim_address, 0x000u) << "the oldest";
  EXPECT_EQ(add(0x300, ToldWhich::kOldest, true).victim_address, 0x080u);
  EXPECT_EQ(add(0x380).victim_address, 0x300u) << "it came in as the oldest";
  told.as_oldest = true;
  tags.reserve(0x180, 0);
  EXPECT_EQ(add(0x400).victim_address, 0x200u) << "a line that is there becomes the youngest all the same";
  // Ways under fill are not offered, and without others nobody is asked.
  told.way = ToldWhich::kOldest;
  told.as_oldest = false;
  for (std::uint64_t a : {0x500, 0x580, 0x600}) EXPECT_TRUE(tags.reserve(a, 1).ok);
  EXPECT_EQ(told.offered.size(), 2u);
  EXPECT_TRUE(tags.reserve(0x680, 1).ok);
  told.offered.clear();
  EXPECT_FALSE(tags.reserve(0x700, 1).ok);
  EXPECT_TRUE(told.offered.empty());
}

TEST(TagArray, AnotherRuleHearsOfAllThatHappens) {
  TagArray tags({1, 2, 128, 0, false});
  ToldWhich told;
  tags.replace_by(&told);
  const CacheUser one{1, 0, 0}, two{2, 0, 0};
  const auto line = tags.reserve(0x000, 1, TagArray::kNoLine, one).line;
  tags.fill(0x000, 1);
  tags.touch(line, two);
  tags.reserve(0x080, 1, TagArray::kNoLine, two);
  tags.reserve(0x100, 1, TagArray::kNoLine, two);  // 0x080 is under fill
  tags.fill(0x080, 1);
  tags.invalidate(0x080);
  tags.invalidate_all();  // 0x100 is under fill
  tags.limit_ways(1);
  tags.fill(0x100, 1);
  tags.drop_valid(0x100);
  EXPECT_EQ(told.heard,
            (std::vector<std::string>{"allocated 0 by 1", "touched 0 by 2", "allocated 1 by 2", "full for 2",
                                      "allocated 0 by 2", "removed 1", "opened 1", "removed 0"}));
}

TEST(TagArray, SectorsThatAreThereInPartAreDirtyAndNotValid) {
  TagArray tags({1, 1, 128, 32, false});
  const TagArray::Line line = tags.reserve(0x000, 0).line;
  tags.mark_partial(line, 0x6);
  EXPECT_EQ(tags.valid_sectors(line), 0u);
  EXPECT_EQ(tags.dirty_sectors(line), 0x6u);
  EXPECT_EQ(tags.probe(0x000, 0x2).missing, 0x2u);
  tags.validate(line, 0x2);
  EXPECT_EQ(tags.probe(0x000, 0x2).result, Result::kHit);
  const auto r = tags.reserve(0x080, 0);
  EXPECT_TRUE(r.evicted);
  EXPECT_EQ(r.victim_dirty, 0x6u);
  tags.mark_partial(line, 0x1);
  tags.clean(line);
  EXPECT_FALSE(tags.reserve(0x100, 0).evicted);
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

// What TagArray promises, in the plainest way: a list of lines in order of use.
class PlainSet {
 public:
  struct Line {
    std::uint64_t address;
    unsigned way;
    bool pending;
  };
  explicit PlainSet(unsigned ways) : ways_(ways) {}
  Line* find(std::uint64_t address) {
    for (Line& line : lines_)
      if (line.address == address) return &line;
    return nullptr;
  }
  void touch(std::uint64_t address) {
    for (std::size_t i = 0; i + 1 < lines_.size(); ++i)
      if (lines_[i].address == address) std::swap(lines_[i], lines_[i + 1]);
  }
  // The way taken, or -1; `victim`: who had to leave.
  int reserve(std::uint64_t address, std::uint64_t& victim) {
    victim = ~0ull;
    if (const Line* line = find(address)) {
      const int way = static_cast<int>(line->way);
      touch(address);
      return way;
    }
    unsigned way = 0;
    while (way < ways_ && taken(way)) ++way;
    if (way == ways_) {
      std::size_t oldest = 0;
      while (oldest < lines_.size() && lines_[oldest].pending) ++oldest;
      if (oldest == lines_.size()) return -1;
      way = lines_[oldest].way;
      victim = lines_[oldest].address;
      lines_.erase(lines_.begin() + static_cast<std::ptrdiff_t>(oldest));
    }
    lines_.push_back({address, way, true});
    return static_cast<int>(way);
  }
  void invalidate(std::uint64_t address) {
    for (std::size_t i = 0; i < lines_.size(); ++i)
      if (lines_[i].address == address) lines_.erase(lines_.begin() + static_cast<std::ptrdiff_t>(i--));
  }
  void invalidate_all() {
    for (std::size_t i = 0; i < lines_.size(); ++i)
      if (!lines_[i].pending) lines_.erase(lines_.begin() + static_cast<std::ptrdiff_t>(i--));
  }

 private:
  bool taken(unsigned way) const {
    for (const Line& line : lines_)
      if (line.way == way) return true;
    return false;
  }
  unsigned ways_;
  std::vector<Line> lines_;  // oldest use first
};

void choose_as_a_plain_list(TagArray& tags, unsigned storage) {
  const unsigned ways = tags.open_ways();
  std::vector<PlainSet> plain(2, PlainSet(ways));
  std::mt19937 random(ways);
  for (unsigned step = 0; step < 20000; ++step) {
    const unsigned set = random() % 2;
    const std::uint64_t address = (random() % (2 * ways + 3) * 2 + set) * 128;
    PlainSet& expected = plain[set];
    ASSERT_EQ(tags.probe(address, 1).line != TagArray::kNoLine, expected.find(address) != nullptr) << step;
    switch (const unsigned what = random() % 400; what) {
      case 0:
        tags.invalidate_all();
        for (PlainSet& p : plain) p.invalidate_all();
        break;
      case 1:
      case 2:
      case 3:
      case 4:
        tags.invalidate(address);
        expected.invalidate(address);
        break;
      default:
        if (what < 200) {
          std::uint64_t victim;
          const int way = expected.reserve(address, victim);
          ASSERT_EQ(tags.can_reserve(address), way >= 0) << step;
          const auto r = tags.reserve(address, 1);
          ASSERT_EQ(r.ok, way >= 0) << step;
          if (way < 0) break;
          ASSERT_EQ(r.line, set * storage + static_cast<unsigned>(way)) << step;
          ASSERT_EQ(r.evicted, victim != ~0ull) << step;
          if (r.evicted) {
            ASSERT_EQ(r.victim_address, victim) << step;
          }
        } else if (auto* line = expected.find(address)) {
          if (what < 350) {
            tags.fill(address, 1);
            line->pending = false;
          } else {
            tags.touch(tags.probe(address, 1).line);
            expected.touch(address);
          }
        }
    }
  }
}

class TagArrayWays : public testing::TestWithParam<unsigned> {};

TEST(TagArray, ClosedWaysTakeNoLineAndKeepNone) {
  TagArray tags({1, 4, 128, 0, false});
  for (unsigned i = 0; i < 4; ++i) tags.reserve(i * 128, 1);
  tags.fill(0, 1);
  tags.limit_ways(1);
  EXPECT_EQ(tags.open_ways(), 1u);
  EXPECT_EQ(tags.probe(0, 1).result, Result::kMiss);
  const TagArray::Line late = tags.fill(3 * 128, 1);  // was under way
  ASSERT_NE(late, TagArray::kNoLine);
  EXPECT_TRUE(tags.closed(late));
  tags.drop_closed(late);
  EXPECT_EQ(tags.probe(3 * 128, 1).result, Result::kMiss);
  EXPECT_EQ(tags.probe(2 * 128, 1).result, Result::kPending);
  tags.invalidate(2 * 128);
  const auto taken = tags.reserve(7 * 128, 0);
  EXPECT_TRUE(taken.ok);
  EXPECT_EQ(taken.line, 0u);
  EXPECT_FALSE(tags.closed(taken.line));
  tags.validate(taken.line, 1);
  EXPECT_EQ(tags.reserve(8 * 128, 0).line, 0u);  // the only way
  // Open again, with one line still under way: the other three ways are free.
  tags.limit_ways(4);
  EXPECT_EQ(tags.probe(1 * 128, 1).result, Result::kPending);
  for (unsigned i = 10; i < 13; ++i) EXPECT_TRUE(tags.reserve(i * 128, 1).ok);
  EXPECT_FALSE(tags.reserve(13 * 128, 1).ok);
}

// Limited to its first ways, a tag array is one with so many.
TEST_P(TagArrayWays, ChoosesTheWaysOfAPlainLeastRecentlyUsedList) {
  for (const unsigned storage : {GetParam(), GetParam() + 9}) {
    TagArray tags({2, storage, 128, 0, false});
    tags.limit_ways(GetParam());
    choose_as_a_plain_list(tags, storage);
  }
}
INSTANTIATE_TEST_SUITE_P(Ways, TagArrayWays, testing::Values(1u, 2u, 7u, 8u, 24u, 64u));

}  // namespace
}  // namespace warpvp
