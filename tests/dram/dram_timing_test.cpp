// Earliest legal times of commands, one scenario for each pair; then random traffic under every preset and
// scheduler against an independent list of the rules.

#include "base/registry.h"
#include "tests/dram/dram_bench.h"

namespace warpvp {
namespace {

using test::distinct_timing;
using test::DramBench;
using test::Kind;
using test::Record;
using Request = test::Requester::Request;
using test::kRead;
using test::kWrite;

struct Access {
  tlm::tlm_command command;
  unsigned group, bank, row, column;
  Cycle not_before;
};
struct Scenario {
  const char* name;
  std::vector<Access> accesses;
  // The n-th command of a kind after `from` (both counted from 0 over the trace), and the distance between.
  Kind first;
  unsigned first_index;
  Kind second;
  unsigned second_index;
  Cycle distance;
};

const std::vector<Scenario>& scenarios() {
  // distinct_timing(): burst 2, CL 10, CWL 5.
  static const std::vector<Scenario> list = {
      {"ActToRead_tRCD", {{kRead, 0, 0, 5, 0, 10}}, Kind::kActivate, 0, Kind::kRead, 0, 11},
      {"ActToWrite_tRCD", {{kWrite, 0, 0, 5, 0, 10}}, Kind::kActivate, 0, Kind::kWrite, 0, 11},
      {"ActToPre_tRAS",
       {{kRead, 0, 0, 5, 0, 10}, {kRead, 0, 0, 6, 0, 10}},
       Kind::kActivate,
       0,
       Kind::kPrecharge,
       0,
       29},
      {"ActToActSameBank_tRC",
       {{kRead, 0, 0, 5, 0, 10}, {kRead, 0, 0, 6, 0, 10}},
       Kind::kActivate,
       0,
       Kind::kActivate,
       1,
       47},
      {"PreToAct_tRP",
       {{kRead, 0, 0, 5, 0, 10}, {kRead, 0, 0, 6, 0, 300}},
       Kind::kPrecharge,
       0,
       Kind::kActivate,
       1,
       13},
      {"ActToActSameGroup_tRRD_L",
       {{kRead, 0, 0, 5, 0, 10}, {kRead, 0, 1, 5, 0, 10}},
       Kind::kActivate,
       0,
       Kind::kActivate,
       1,
       7},
      {"ActToActOtherGroup_tRRD_S",
       {{kRead, 0, 0, 5, 0, 10}, {kRead, 1, 0, 5, 0, 10}},
       Kind::kActivate,
       0,
       Kind::kActivate,
       1,
       3},
      {"FiveActs_tFAW",
       {{kRead, 0, 0, 5, 0, 10},
        {kRead, 1, 0, 5, 0, 10},
        {kRead, 2, 0, 5, 0, 10},
        {kRead, 3, 0, 5, 0, 10},
        {kRead, 0, 1, 5, 0, 10}},
       Kind::kActivate,
       0,
       Kind::kActivate,
       4,
       31},
      {"ReadToReadSameGroup_tCCD_L",
       {{kRead, 0, 0, 5, 0, 10}, {kRead, 0, 0, 5, 1, 100}, {kRead, 0, 0, 5, 2, 100}},
       Kind::kRead,
       1,
       Kind::kRead,
       2,
       5},
      {"ReadToReadOtherGroup_tCCD_S",
       {{kRead, 0, 0, 5, 0, 10}, {kRead, 1, 0, 5, 0, 10}, {kRead, 0, 0, 5, 1, 100}, {kRead, 1, 0, 5, 2, 100}},
       Kind::kRead,
       2,
       Kind::kRead,
       3,
       2},
      {"ReadToPre_tRTP",
       {{kRead, 0, 0, 5, 0, 10}, {kRead, 0, 0, 5, 1, 200}, {kRead, 0, 0, 6, 0, 200}},
       Kind::kRead,
       1,
       Kind::kPrecharge,
       0,
       4},
      {"ReadToWrite_tRTW",
       {{kRead, 0, 0, 5, 0, 10}, {kRead, 0, 0, 5, 1, 200}, {kWrite, 0, 0, 5, 2, 200}},
       Kind::kRead,
       1,
       Kind::kWrite,
       0,
       10 + 2 + 2 - 5},
      {"WriteToReadSameGroup_tWTR_L",
       {{kRead, 0, 0, 5, 0, 10}, {kWrite, 0, 0, 5, 1, 200}, {kRead, 0, 0, 5, 2, 201}},
       Kind::kWrite,
       0,
       Kind::kRead,
       1,
       5 + 2 + 9},
      {"WriteToReadOtherGroup_tWTR_S",
       {{kRead, 0, 0, 5, 0, 10},
        {kRead, 1, 0, 5, 0, 10},
        {kWrite, 0, 0, 5, 1, 200},
        {kRead, 1, 0, 5, 2, 201}},
       Kind::kWrite,
       0,
       Kind::kRead,
       2,
       5 + 2 + 6},
      {"WriteToPre_tWR",
       {{kRead, 0, 0, 5, 0, 10}, {kWrite, 0, 0, 5, 1, 200}, {kRead, 0, 0, 6, 2, 201}},
       Kind::kWrite,
       0,
       Kind::kPrecharge,
       0,
       5 + 2 + 17},
      {"WriteToWriteSameGroup_tCCD_L",
       {{kRead, 0, 0, 5, 0, 10}, {kWrite, 0, 0, 5, 1, 200}, {kWrite, 0, 0, 5, 2, 200}},
       Kind::kWrite,
       0,
       Kind::kWrite,
       1,
       5},
      {"WriteToWriteOtherGroup_tCCD_S",
       {{kRead, 0, 0, 5, 0, 10},
        {kRead, 1, 0, 5, 0, 10},
        {kWrite, 0, 0, 5, 1, 200},
        {kWrite, 1, 0, 5, 2, 200}},
       Kind::kWrite,
       0,
       Kind::kWrite,
       1,
       2},
  };
  return list;
}

class EarliestTime : public ::testing::TestWithParam<std::size_t> {};

TEST_P(EarliestTime, IsExactlyTheConstraint) {
  const Scenario& s = scenarios()[GetParam()];
  DramBench bench(distinct_timing());
  for (const Access& a : s.accesses)
    bench.requesters[0]->requests.push_back(
        {a.command, bench.at(a.group, a.bank, a.row, a.column), 32, a.not_before});
  for (const Access& a : s.accesses) {
    const auto place = bench.dram.place_of(bench.at(a.group, a.bank, a.row, a.column));
    ASSERT_EQ(place.bank, a.group * 4 + a.bank);
    ASSERT_EQ(place.column, a.column);
  }
  bench.run(2);
  const auto nth = [&](Kind kind, unsigned index) {
    for (const Record& r : bench.commands)
      if (r.kind == kind && index-- == 0) return r.cycle;
    return kNever;
  };
  const Cycle first = nth(s.first, s.first_index), second = nth(s.second, s.second_index);
  ASSERT_NE(first, kNever);
  ASSERT_NE(second, kNever);
  EXPECT_EQ(second - first, s.distance);
  EXPECT_EQ(test::illegal_pairs(bench.commands, bench.config.timing), std::vector<std::string>{});
}

INSTANTIATE_TEST_SUITE_P(Pairs, EarliestTime, ::testing::Range(std::size_t{0}, scenarios().size()),
                         [](const auto& info) { return std::string(scenarios()[info.param].name); });

class RandomTraffic : public ::testing::TestWithParam<std::tuple<const char*, const char*>> {};

TEST_P(RandomTraffic, BreaksNoRuleAndLosesNothing) {
  const auto [preset, scheduler] = GetParam();
  DramConfig config = test::preset(preset);
  config.scheduler = scheduler;
  DramBench bench(config, 2);
  std::uint64_t state = 99;
  for (unsigned p = 0; p < 2; ++p) {
    for (unsigned i = 0; i < 1500; ++i) {
      state = state * 6364136223846793005ull + 1442695040888963407ull;
      const std::uint64_t r = state >> 20;
      // Half of it near, half of it far; bursts of activity with pauses.
      const std::uint64_t address = (r & 1 ? (r >> 8) % 256 : (r >> 8) % 100000) * 128;
      bench.requesters[p]->requests.push_back({r & 6 ? kRead : kWrite, DeviceMemory::kBase + address,
                                               r & 16 ? 128u : 32u, i / 100 * Cycle{2000}, AccessKind::kLoad,
                                               p});
    }
  }
  bench.run(400);
  EXPECT_EQ(test::illegal_pairs(bench.commands, config.timing), std::vector<std::string>{});
  const DramCounters& c = bench.dram.counters();
  EXPECT_EQ(c.row_hits + c.row_misses + c.row_conflicts, c.read_bursts + c.write_bursts);
  EXPECT_EQ(c.busy_cycles, (c.read_bursts + c.write_bursts) * config.timing.burst_cycles());
  const MemoryCounters a = bench.dram.launches().at(0), b = bench.dram.launches().at(1);
  EXPECT_EQ(a.reads + a.writes, 1500u);
  EXPECT_EQ(b.reads + b.writes, 1500u);
  EXPECT_GT(c.refreshes, 5u);
}

INSTANTIATE_TEST_SUITE_P(All, RandomTraffic,
                         ::testing::Combine(::testing::Values("gddr5", "gddr5x", "hbm2"),
                                            ::testing::Values("fr_fcfs", "fcfs")),
                         [](const auto& info) {
                           return std::string(std::get<0>(info.param)) + "_" + std::get<1>(info.param);
                         });

TEST(DramPresets, PeakBandwidthsAreThePublishedOnes) {
  // Titan V: 24 channels of 128 bit at 850 MHz, 652.8 GB/s.
  EXPECT_NEAR(24 * dram_preset("hbm2")->peak_bytes_per_second(), 652.8e9, 1e6);
  // GTX 480: 384 bit at 3.7 Gbit/s, 177.4 GB/s.
  EXPECT_NEAR(12 * dram_preset("gddr5")->peak_bytes_per_second(), 177.4e9, 1e8);
  // GDDR5X at 12 Gbit/s a pin: 48 GB/s a device.
  EXPECT_NEAR(dram_preset("gddr5x")->peak_bytes_per_second(), 48e9, 1e6);
  for (const char* name : {"gddr5", "gddr5x", "hbm2"}) {
    const auto names = dram_preset_names();
    EXPECT_NE(std::find(names.begin(), names.end(), name), names.end()) << name;
  }
  EXPECT_EQ(dram_preset("ddr9"), nullptr);
}

TEST(DramPresets, SingleFiguresCanBeChangedAndSurviveAnotherVisit) {
  DramConfig config;
  test::SetFields set({{"t_rcd", 99}});
  set.words["preset"] = "gddr5";
  config.fields(set);
  EXPECT_EQ(config.timing.t_rcd, 99u);
  EXPECT_EQ(config.timing.bus_bits, 32u);
  test::SetFields look({});
  config.fields(look);  // as printing the configuration does
  EXPECT_EQ(config.timing.t_rcd, 99u);
  test::SetFields bad({{"t_ccd_l", 1}, {"write_high", 100}});
  config.fields(bad);
  EXPECT_EQ(bad.broken.size(), 2u);
}

}  // namespace
}  // namespace warpvp
