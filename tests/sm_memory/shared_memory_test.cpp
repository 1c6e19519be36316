#include "modules/sm/memory/shared_memory.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <map>
#include <random>
#include <set>
#include <string>

namespace warpvp {
namespace {

constexpr ptx::LaneMask kAllLanes = ~ptx::LaneMask{0};
using Use = SharedMemoryBanks::Use;

struct BankCase {
  std::string name;
  std::function<std::uint64_t(unsigned)> offset;
  ptx::LaneMask lanes;
  unsigned bytes;
  bool atomic;
  unsigned cycles;
};
void PrintTo(const BankCase& c, std::ostream* out) { *out << c.name; }

class Banks : public ::testing::TestWithParam<BankCase> {};

TEST_P(Banks, TakeTheExpectedCycles) {
  const BankCase& c = GetParam();
  std::uint64_t offset[32];
  for (unsigned lane = 0; lane < 32; ++lane)
    offset[lane] = c.lanes >> lane & 1 ? c.offset(lane) : 0xffff'ffff;
  EXPECT_EQ(SharedMemoryBanks(32, 4).cycles(offset, c.lanes, c.bytes, c.atomic ? Use::kAtomic : Use::kLoad),
            c.cycles);
}

std::function<std::uint64_t(unsigned)> words(unsigned stride) {
  return [stride](unsigned lane) { return std::uint64_t{4} * stride * lane; };
}

INSTANTIATE_TEST_SUITE_P(
    Patterns, Banks,
    ::testing::Values(
        BankCase{"stride_1", words(1), kAllLanes, 4, false, 1},
        BankCase{"stride_2", words(2), kAllLanes, 4, false, 2},
        BankCase{"stride_3", words(3), kAllLanes, 4, false, 1},
        BankCase{"stride_4", words(4), kAllLanes, 4, false, 4},
        BankCase{"stride_6", words(6), kAllLanes, 4, false, 2},
        BankCase{"stride_8", words(8), kAllLanes, 4, false, 8},
        BankCase{"stride_16", words(16), kAllLanes, 4, false, 16},
        BankCase{"stride_31", words(31), kAllLanes, 4, false, 1},
        BankCase{"stride_32", words(32), kAllLanes, 4, false, 32},
        BankCase{"stride_33", words(33), kAllLanes, 4, false, 1},
        BankCase{"broadcast", words(0), kAllLanes, 4, false, 1},
        BankCase{"two_words_of_one_bank", [](unsigned l) { return l % 2 * 128; }, kAllLanes, 4, false, 2},
        BankCase{"bytes_share_words", [](unsigned l) { return l; }, kAllLanes, 1, false, 1},
        BankCase{"bytes_far_apart", [](unsigned l) { return l * 128; }, kAllLanes, 1, false, 32},
        BankCase{"half_the_lanes_of_stride_32", words(32), 0x55555555, 4, false, 16},
        BankCase{"one_lane", words(32), 1u << 9, 4, false, 1},
        BankCase{"doubles_in_two_phases", [](unsigned l) { return 8 * l; }, kAllLanes, 8, false, 2},
        BankCase{"doubles_of_one_half", [](unsigned l) { return 8 * l; }, 0x0000ffff, 8, false, 1},
        BankCase{"doubles_with_stride_2", [](unsigned l) { return 16 * l; }, kAllLanes, 8, false, 4},
        BankCase{"quads_in_four_phases", [](unsigned l) { return 16 * l; }, kAllLanes, 16, false, 4},
        BankCase{"quads_with_stride_2", [](unsigned l) { return 32 * l; }, kAllLanes, 16, false, 8},
        BankCase{"atomics_on_neighbours", words(1), kAllLanes, 4, true, 1},
        BankCase{"atomics_on_one_word", words(0), kAllLanes, 4, true, 32},
        BankCase{"atomics_on_two_words", [](unsigned l) { return l % 2 * 4; }, kAllLanes, 4, true, 16}),
    [](const auto& info) { return info.param.name; });

// ---- compute capability 7: loads of pairs of lanes with one address return in half the cycles

struct PairCase {
  std::string name;
  std::function<std::uint64_t(unsigned)> offset;
  ptx::LaneMask lanes;
  unsigned cycles[3];  // of 4, 8 and 16 bytes a lane; offsets are in units of that
};
void PrintTo(const PairCase& c, std::ostream* out) { *out << c.name; }

class PackedPairs : public ::testing::TestWithParam<PairCase> {};

TEST_P(PackedPairs, TakeTheExpectedCycles) {
  const PairCase& c = GetParam();
  const SharedMemoryBanks banks(32, 4, true);
  for (unsigned i = 0; i < 3; ++i) {
    const unsigned bytes = 4u << i;
    std::uint64_t offset[32];
    for (unsigned lane = 0; lane < 32; ++lane)
      offset[lane] = c.lanes >> lane & 1 ? bytes * c.offset(lane) : 0xffff'ffff;
    EXPECT_EQ(banks.cycles(offset, c.lanes, bytes, Use::kLoad), c.cycles[i]) << bytes << " bytes";
  }
}

INSTANTIATE_TEST_SUITE_P(
    Patterns, PackedPairs,
    ::testing::Values(
        PairCase{"conflict_free", [](unsigned l) { return l; }, kAllLanes, {1, 2, 4}},
        PairCase{"broadcast", [](unsigned) { return 0u; }, kAllLanes, {1, 1, 2}},
        PairCase{"neighbours_alike", [](unsigned l) { return l / 2; }, kAllLanes, {1, 1, 2}},
        PairCase{"alike_at_distance_2", [](unsigned l) { return l / 4 * 2 + l % 2; }, kAllLanes, {1, 1, 2}},
        PairCase{"alike_at_distance_4", [](unsigned l) { return l / 8 * 4 + l % 4; }, kAllLanes, {1, 2, 4}},
        PairCase{"one_pair_differs", [](unsigned l) { return l == 31 ? 1u : 0u; }, kAllLanes, {1, 2, 4}},
        PairCase{"idle_partners", [](unsigned l) { return l / 2; }, 0x55555555, {1, 1, 2}},
        PairCase{"one_half_of_the_warp", [](unsigned l) { return l / 2; }, 0x0000ffff, {1, 1, 1}},
        PairCase{"stride_2", [](unsigned l) { return 2 * l; }, kAllLanes, {2, 4, 8}},
        PairCase{"pairs_with_stride_2", [](unsigned l) { return l / 2 * 2; }, kAllLanes, {1, 2, 4}},
        PairCase{"pairs_of_one_bank", [](unsigned l) { return l / 2 * 32; }, kAllLanes, {16, 16, 16}}),
    [](const auto& info) { return info.param.name; });

TEST(SharedMemoryBanks, OnlyLoadsArePacked) {
  std::uint64_t offset[32] = {};
  EXPECT_EQ(SharedMemoryBanks(32, 4, true).cycles(offset, kAllLanes, 16, Use::kLoad), 2u);
  EXPECT_EQ(SharedMemoryBanks(32, 4, true).cycles(offset, kAllLanes, 16, Use::kStore), 4u);
  EXPECT_EQ(SharedMemoryBanks(32, 4, false).cycles(offset, kAllLanes, 16, Use::kLoad), 4u);
}

TEST(SharedMemoryBanks, WiderBanksTakeDoublesInOnePhase) {
  std::uint64_t offset[32];
  for (unsigned lane = 0; lane < 32; ++lane) offset[lane] = 8 * lane;
  EXPECT_EQ(SharedMemoryBanks(32, 8).cycles(offset, kAllLanes, 8, Use::kLoad), 1u);
  EXPECT_EQ(SharedMemoryBanks(16, 4).cycles(offset, kAllLanes, 8, Use::kLoad), 4u);
}

TEST(SharedMemoryBanks, NoLaneStillPasses) {
  std::uint64_t offset[32] = {};
  EXPECT_EQ(SharedMemoryBanks(32, 4).cycles(offset, 0, 4, Use::kLoad), 1u);
}

TEST(SharedMemoryBanks, RandomWordsTakeTheFullestBanksNumberOfWords) {
  std::mt19937 random(3);
  const SharedMemoryBanks banks(32, 4);
  for (unsigned round = 0; round < 3000; ++round) {
    // From all words in one row of the banks, wherever it begins, to words far apart.
    const unsigned range = 16u << round % 6, from = random() % 64;
    const ptx::LaneMask lanes = round % 4 == 0 ? kAllLanes : random();
    std::uint64_t offset[32];
    std::map<unsigned, std::set<std::uint64_t>> wanted;
    for (unsigned lane = 0; lane < 32; ++lane) {
      offset[lane] = (from + random() % range) * 4;
      if (lanes >> lane & 1) wanted[offset[lane] / 4 % 32].insert(offset[lane] / 4);
    }
    std::size_t expected = 1;
    for (const auto& [bank, words_of_bank] : wanted) expected = std::max(expected, words_of_bank.size());
    ASSERT_EQ(banks.cycles(offset, lanes, 4, Use::kLoad), expected) << "round " << round;
  }
}

}  // namespace
}  // namespace warpvp
