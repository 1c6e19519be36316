#include "modules/sm/memory/coalescer.h"

#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <random>
#include <set>
#include <string>

namespace warpvp {
namespace {

constexpr std::uint64_t kBase = 0x1'0000'0000ull;
constexpr ptx::LaneMask kAll = ~ptx::LaneMask{0};

/// A transaction as a test writes it: line number from kBase, sector mask, first and end byte.
struct Expected {
  int line;
  unsigned sectors, begin, end;
};

struct Case {
  std::string name;
  std::function<std::uint64_t(unsigned)> offset;  // from kBase, by lane
  ptx::LaneMask lanes;
  unsigned bytes;
  std::vector<Expected> expected;
};

void PrintTo(const Case& c, std::ostream* out) { *out << c.name; }

class Coalesce : public ::testing::TestWithParam<Case> {};

TEST_P(Coalesce, MakesTheExpectedTransactions) {
  const Case& c = GetParam();
  const Coalescer coalescer(128, 32);
  std::uint64_t address[32];
  for (unsigned lane = 0; lane < 32; ++lane)
    address[lane] = c.lanes >> lane & 1 ? kBase + c.offset(lane) : 0xdead'beef'dead'beefull;
  LineAccess out[Coalescer::kMaxTransactions];
  const unsigned count = coalescer.global(address, c.lanes, c.bytes, out);
  ASSERT_EQ(count, c.expected.size());
  for (unsigned i = 0; i < count; ++i) {
    SCOPED_TRACE(i);
    EXPECT_EQ(out[i].line, kBase + static_cast<std::uint64_t>(c.expected[i].line) * 128);
    EXPECT_EQ(out[i].sectors, c.expected[i].sectors);
    EXPECT_EQ(out[i].begin, c.expected[i].begin);
    EXPECT_EQ(out[i].end, c.expected[i].end);
  }
}

std::vector<Expected> one_a_lane(int stride_lines, unsigned bytes) {
  std::vector<Expected> all;
  for (int lane = 0; lane < 32; ++lane) all.push_back({lane * stride_lines, 1, 0, bytes});
  return all;
}

INSTANTIATE_TEST_SUITE_P(
    Patterns, Coalesce,
    ::testing::Values(
        Case{"bytes", [](unsigned l) { return l; }, kAll, 1, {{0, 0b0001, 0, 32}}},
        Case{"halves", [](unsigned l) { return 2 * l; }, kAll, 2, {{0, 0b0011, 0, 64}}},
        Case{"words", [](unsigned l) { return 4 * l; }, kAll, 4, {{0, 0b1111, 0, 128}}},
        Case{"words_backwards", [](unsigned l) { return 4 * (31 - l); }, kAll, 4, {{0, 0b1111, 0, 128}}},
        Case{"doubles_are_two_half_warps",
             [](unsigned l) { return 8 * l; },
             kAll,
             8,
             {{0, 0b1111, 0, 128}, {1, 0b1111, 0, 128}}},
        Case{"quads_are_four_quarters",
             [](unsigned l) { return 16 * l; },
             kAll,
             16,
             {{0, 0b1111, 0, 128}, {1, 0b1111, 0, 128}, {2, 0b1111, 0, 128}, {3, 0b1111, 0, 128}}},
        Case{"words_off_by_a_sector",
             [](unsigned l) { return 32 + 4 * l; },
             kAll,
             4,
             {{0, 0b1110, 32, 128}, {1, 0b0001, 0, 32}}},
        Case{"words_off_by_a_word",
             [](unsigned l) { return 4 + 4 * l; },
             kAll,
             4,
             {{0, 0b1111, 4, 128}, {1, 0b0001, 0, 4}}},
        Case{"doubles_off_by_half_a_line",
             [](unsigned l) { return 64 + 8 * l; },
             kAll,
             8,
             {{0, 0b1100, 64, 128}, {1, 0b0011, 0, 64}, {1, 0b1100, 64, 128}, {2, 0b0011, 0, 64}}},
        Case{"broadcast", [](unsigned) { return 40; }, kAll, 4, {{0, 0b0010, 40, 44}}},
        Case{"broadcast_of_doubles",
             [](unsigned) { return 40; },
             kAll,
             8,
             {{0, 0b0010, 40, 48}, {0, 0b0010, 40, 48}}},
        Case{"every_other_word",
             [](unsigned l) { return 8 * l; },
             kAll,
             4,
             {{0, 0b1111, 0, 124}, {1, 0b1111, 0, 124}}},
        Case{"a_word_a_sector",
             [](unsigned l) { return 32 * l; },
             kAll,
             4,
             {{0, 15, 0, 100},
              {1, 15, 0, 100},
              {2, 15, 0, 100},
              {3, 15, 0, 100},
              {4, 15, 0, 100},
              {5, 15, 0, 100},
              {6, 15, 0, 100},
              {7, 15, 0, 100}}},
        Case{"a_word_a_line", [](unsigned l) { return 128 * l; }, kAll, 4, one_a_lane(1, 4)},
        Case{"a_word_every_fourth_line", [](unsigned l) { return 512 * l; }, kAll, 4, one_a_lane(4, 4)},
        Case{"interleaved_lines_in_first_lane_order",
             [](unsigned l) { return (l % 2 ? 0 : 256) + 4 * l; },
             kAll,
             4,
             {{2, 15, 0, 124}, {0, 15, 4, 128}}},
        Case{"lower_half_only", [](unsigned l) { return 4 * l; }, 0x0000ffff, 4, {{0, 0b0011, 0, 64}}},
        Case{"upper_half_of_doubles", [](unsigned l) { return 8 * l; }, 0xffff0000, 8, {{1, 0b1111, 0, 128}}},
        Case{"one_lane", [](unsigned) { return 96; }, 1u << 17, 4, {{0, 0b1000, 96, 100}}},
        Case{"two_lanes_far_apart",
             [](unsigned l) { return l == 3 ? 1280 : 4; },
             1u << 3 | 1u << 30,
             4,
             {{10, 1, 0, 4}, {0, 1, 4, 8}}},
        Case{
            "lane_across_a_line", [](unsigned) { return 124; }, 1, 8, {{0, 0b1000, 124, 128}, {1, 1, 0, 4}}}),
    [](const auto& info) { return info.param.name; });

// All lanes together: as the half warps where they touch different lines, one transaction where they touch
// the same.
TEST(Coalescer, AWholeWarpMakesOneTransactionALine) {
  const Coalescer coalescer(128, 32, true);
  LineAccess out[Coalescer::kMaxTransactions];
  std::uint64_t address[32];
  const auto transactions = [&](auto offset, unsigned bytes) {
    for (unsigned lane = 0; lane < 32; ++lane) address[lane] = kBase + offset(lane);
    std::vector<std::vector<std::uint64_t>> all;
    const unsigned count = coalescer.global(address, kAll, bytes, out);
    for (unsigned i = 0; i < count; ++i)
      all.push_back({(out[i].line - kBase) / 128, out[i].sectors, out[i].begin, out[i].end});
    return all;
  };
  using Transactions = std::vector<std::vector<std::uint64_t>>;
  EXPECT_EQ(transactions([](unsigned) { return 40u; }, 8), (Transactions{{0, 0b0010, 40, 48}}));
  EXPECT_EQ(coalescer.global(address, kAll, 8, out, true), 2u);  // an atomic
  EXPECT_EQ(transactions([](unsigned) { return 112u; }, 16), (Transactions{{0, 0b1000, 112, 128}}));
  EXPECT_EQ(transactions([](unsigned l) { return 8 * l; }, 8),
            (Transactions{{0, 15, 0, 128}, {1, 15, 0, 128}}));
  EXPECT_EQ(transactions([](unsigned l) { return 64 + 8 * l; }, 8),
            (Transactions{{0, 0b1100, 64, 128}, {1, 15, 0, 128}, {2, 0b0011, 0, 64}}));
  EXPECT_EQ(transactions([](unsigned l) { return l % 2 * 256 + l / 2 * 8; }, 8),
            (Transactions{{0, 15, 0, 128}, {2, 15, 0, 128}}));
  EXPECT_EQ(transactions([](unsigned l) { return 4 * l; }, 4), (Transactions{{0, 15, 0, 128}}));
}

TEST(Coalescer, NoLaneMakesNoTransaction) {
  std::uint64_t address[32] = {};
  LineAccess out[Coalescer::kMaxTransactions];
  EXPECT_EQ(Coalescer(128, 32).global(address, 0, 4, out), 0u);
}

TEST(Coalescer, UnsectoredLinesHaveOneSector) {
  std::uint64_t address[32];
  for (unsigned lane = 0; lane < 32; ++lane) address[lane] = kBase + 64 + 4 * lane;
  LineAccess out[Coalescer::kMaxTransactions];
  ASSERT_EQ(Coalescer(128, 128).global(address, kAll, 4, out), 2u);
  EXPECT_EQ(out[0].sectors, 1u);
  EXPECT_EQ(out[1].sectors, 1u);
}

// Whatever the pattern: within a group each line appears once, and sectors are exactly those that lanes
// touch.
TEST(Coalescer, RandomPatternsCoverExactlyTheSectorsTouched) {
  std::mt19937 random(7);
  const Coalescer coalescer(128, 32);
  for (int round = 0; round < 2000; ++round) {
    const unsigned bytes = 1u << random() % 5;
    const ptx::LaneMask lanes = random() | 1;
    const unsigned range = 128u << random() % 8;
    std::uint64_t address[32];
    for (auto& a : address) a = kBase + random() % range / bytes * bytes;
    LineAccess out[Coalescer::kMaxTransactions];
    const unsigned count = coalescer.global(address, lanes, bytes, out);
    const unsigned group = bytes <= 4 ? 32 : 128 / bytes;
    std::multiset<std::uint64_t> expected, actual;
    unsigned lines = 0;
    for (unsigned first = 0; first < 32; first += group) {
      std::set<std::uint64_t> sectors, group_lines;
      for (unsigned lane = first; lane < first + group; ++lane)
        if (lanes >> lane & 1) {
          sectors.insert(address[lane] / 32);
          group_lines.insert(address[lane] / 128);
        }
      expected.insert(sectors.begin(), sectors.end());
      lines += static_cast<unsigned>(group_lines.size());
    }
    for (unsigned i = 0; i < count; ++i)
      for (unsigned s = 0; s < 4; ++s)
        if (out[i].sectors >> s & 1) actual.insert(out[i].line / 32 + s);
    ASSERT_EQ(count, lines) << "round " << round;
    ASSERT_EQ(actual, expected) << "round " << round;
  }
}

// Each lane's word of a sector at a time: what an atomic unit needs that takes one sector after the other.
TEST(Coalescer, CountsTheLanesOfAtomicsThatTakeTurns) {
  const Coalescer coalescer(128, 32, true);
  std::mt19937 random(12);
  for (int round = 0; round < 2000; ++round) {
    const unsigned bytes = 2u << random() % 4;
    const ptx::LaneMask lanes = round % 3 == 0 ? kAll : random() | 1;
    const unsigned range = bytes << random() % 9;
    std::uint64_t address[32];
    for (unsigned lane = 0; lane < 32; ++lane)
      address[lane] = kBase + (round % 5 == 0 ? lane * bytes : random() % range / bytes * bytes);
    LineAccess out[Coalescer::kMaxTransactions];
    const unsigned count = coalescer.global(address, lanes, bytes, out, true);
    const unsigned group = bytes <= 4 ? 32 : 128 / bytes;
    const unsigned word = std::max(4u, bytes);
    std::multiset<std::pair<std::uint64_t, unsigned>> expected, actual;
    for (unsigned first = 0; first < 32; first += group) {
      std::map<std::uint64_t, std::map<std::uint64_t, std::map<std::uint64_t, unsigned>>> lines;
      for (unsigned lane = first; lane < first + group; ++lane)
        if (lanes >> lane & 1) ++lines[address[lane] / 128][address[lane] / 32][address[lane] / word];
      for (const auto& [line, sectors] : lines) {
        unsigned in_turn = 0;
        for (const auto& [sector, words] : sectors) {
          unsigned fullest = 0;
          for (const auto& [at, lanes_on_it] : words) fullest = std::max(fullest, lanes_on_it);
          in_turn += fullest;
        }
        expected.insert({line, in_turn});
      }
    }
    for (unsigned i = 0; i < count; ++i) actual.insert({out[i].line / 128, out[i].in_turn});
    ASSERT_EQ(actual, expected) << "round " << round;
    for (unsigned i = 0, n = coalescer.global(address, lanes, bytes, out); i < n; ++i)
      ASSERT_EQ(out[i].in_turn, 0u) << "loads and stores take no turns";
  }
}

TEST(Coalescer, LocalMemoryOfEqualOffsetsIsOneLineAWord) {
  std::uint64_t offset[32];
  for (auto& o : offset) o = 8;
  LineAccess out[Coalescer::kMaxTransactions];
  const Coalescer coalescer(128, 32);
  ASSERT_EQ(coalescer.local(offset, kAll, 4, kBase, out), 1u);
  EXPECT_EQ(out[0].line, kBase + 2 * 128);
  EXPECT_EQ(out[0].sectors, 0b1111u);
  ASSERT_EQ(coalescer.local(offset, kAll, 8, kBase, out), 2u);
  EXPECT_EQ(out[0].line, kBase + 2 * 128);
  EXPECT_EQ(out[1].line, kBase + 3 * 128);
  // Lane 5's byte 9: word 2, lane's place in it, byte 1.
  offset[5] = 9;
  ASSERT_EQ(coalescer.local(offset, 1u << 5, 1, kBase, out), 1u);
  EXPECT_EQ(out[0].line + out[0].begin, kBase + (2 * 32 + 5) * 4 + 1);
  EXPECT_EQ(out[0].end - out[0].begin, 1);
}

TEST(Coalescer, DivergingLocalQuadsFitTheLimit) {
  std::uint64_t offset[32];
  for (unsigned lane = 0; lane < 32; ++lane) offset[lane] = 16 * lane;
  LineAccess out[Coalescer::kMaxTransactions];
  EXPECT_EQ(Coalescer(128, 32).local(offset, kAll, 16, kBase, out), 128u);
}

TEST(Coalescer, DistinctAddressesInFirstLaneOrder) {
  std::uint64_t address[32], out[32];
  for (unsigned lane = 0; lane < 32; ++lane) address[lane] = lane % 3 == 0 ? 64 : lane % 3 == 1 ? 8 : 16;
  ASSERT_EQ(Coalescer::distinct(address, kAll, out), 3u);
  EXPECT_EQ(out[0], 64u);
  EXPECT_EQ(out[1], 8u);
  EXPECT_EQ(out[2], 16u);
  ASSERT_EQ(Coalescer::distinct(address, 0b10010, out), 1u);
  EXPECT_EQ(out[0], 8u);
}

// Filtered texture reads: the texels of all rows, by plain sets of sectors.
TEST(CoalesceTexels, TouchesEverySectorOnceALine) {
  const Coalescer coalescer(128, 32);
  std::mt19937 random(11);
  ptx::TexelRows rows;
  for (const unsigned bytes : {1u, 2u, 4u, 8u, 16u}) {
    const unsigned group = bytes <= 4 ? 32 : 128 / bytes;
    for (int round = 0; round < 200; ++round) {
      rows.count = 1u << (round % 4);
      const unsigned spread = round % 3 == 0 ? 64 : round % 3 == 1 ? 600 : 100'000;
      std::map<std::pair<unsigned, std::uint64_t>, std::uint32_t> expected;  // group and line: sectors
      for (unsigned row = 0; row < rows.count; ++row) {
        rows.lanes[row] = static_cast<ptx::LaneMask>(random());
        for (unsigned lane = 0; lane < 32; ++lane) {
          const std::uint64_t at = kBase + random() % spread * bytes;
          rows.address[row][lane] = at;
          if ((rows.lanes[row] >> lane & 1) != 0)
            expected[{lane / group, at / 128 * 128}] |= 1u << at % 128 / 32;
        }
      }
      LineAccess out[Coalescer::kMaxTransactions];
      const unsigned count = coalescer.texels(rows, bytes, out);
      ASSERT_EQ(count, expected.size()) << bytes << " " << round;
      std::multiset<std::pair<std::uint64_t, std::uint32_t>> got, wanted;
      for (unsigned i = 0; i < count; ++i) got.insert({out[i].line, out[i].sectors});
      for (const auto& [key, sectors] : expected) wanted.insert({key.second, sectors});
      EXPECT_EQ(got, wanted) << bytes << " " << round;
    }
  }
}

TEST(CoalesceTexels, RoomForTheWorst) {
  const Coalescer coalescer(32, 32);
  ptx::TexelRows rows;
  rows.count = 8;
  for (unsigned row = 0; row < 8; ++row) {
    rows.lanes[row] = kAll;
    for (unsigned lane = 0; lane < 32; ++lane) rows.address[row][lane] = kBase + (row * 32 + lane) * 4096;
  }
  LineAccess out[Coalescer::kMaxTransactions];
  for (const unsigned bytes : {1u, 4u, 16u}) EXPECT_EQ(coalescer.texels(rows, bytes, out), 256u);
}

}  // namespace
}  // namespace warpvp
