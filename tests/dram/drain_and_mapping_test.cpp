// Write drain policies and address mappings, and random traffic under every registered policy of the
// controller.

#include <gmock/gmock.h>

#include <set>

#include "base/error.h"
#include "base/registry.h"
#include "tests/dram/dram_bench.h"

namespace warpvp {
namespace {

using test::choose;
using test::distinct_timing;
using test::DramBench;
using test::Kind;
using test::kRead;
using test::kWrite;
using test::Record;
using ::testing::HasSubstr;

// ---- write drain

struct Drain {
  const char* name;
  PolicyChoice policy;
  unsigned capacity, high, low;  // of the controller
  unsigned writes;               // come at once, while reads wait
  unsigned before;               // how many of them go before the last read
  unsigned drains;
};

const std::vector<Drain>& drains() {
  static const std::vector<Drain> list = {
      {"WatermarkOfTheController", choose("watermark"), 20, 12, 4, 12, 8, 1},
      {"WatermarkNotReached", choose("watermark"), 20, 12, 4, 11, 0, 0},
      {"WatermarkOfItsOwn", choose("watermark", {{"high", 8}, {"low", 2}}), 20, 16, 4, 8, 6, 1},
      {"WatermarkDownToNone", choose("watermark", {{"high", 8}, {"low", 0}}), 20, 16, 4, 8, 8, 1},
      {"WhenIdleNever", choose("when_idle"), 20, 12, 4, 19, 0, 0},
      // Four more writes fill the places of four that went; one of them is there in time to prolong a drain.
      {"WhenIdleWhileFull", choose("when_idle"), 8, 8, 4, 12, 5, 4},
      {"BatchNotComplete", choose("batch", {{"size", 6}}), 20, 16, 4, 5, 0, 0},
      {"BatchOfItsSize", choose("batch", {{"size", 6}}), 20, 16, 4, 11, 6, 1},
      {"TwoBatches", choose("batch", {{"size", 6}}), 20, 16, 4, 12, 12, 2},
  };
  return list;
}

class WritesBeforeReads : public ::testing::TestWithParam<std::size_t> {};

TEST_P(WritesBeforeReads, GoAsThePolicySays) {
  const Drain& d = drains()[GetParam()];
  DramConfig config = distinct_timing();
  config.write_drain = d.policy;
  config.write_queue = d.capacity;
  config.write_high = d.high;
  config.write_low = d.low;
  DramBench bench(config, 2);
  for (unsigned i = 0; i < 400; ++i)
    bench.requesters[0]->requests.push_back({kRead, DeviceMemory::kBase + i * 512, 128, 1});
  for (unsigned i = 0; i < d.writes; ++i)
    bench.requesters[1]->requests.push_back({kWrite, DeviceMemory::kBase + 256 + i * 512, 32, 50});
  bench.run(100);
  Cycle last_read = 0;
  for (const Record& r : bench.commands)
    if (r.kind == Kind::kRead) last_read = r.cycle;
  unsigned before = 0, all = 0;
  for (const Record& r : bench.commands) {
    before += r.kind == Kind::kWrite && r.cycle < last_read;
    all += r.kind == Kind::kWrite;
  }
  EXPECT_EQ(before, d.before);
  EXPECT_EQ(all, d.writes);
  EXPECT_EQ(bench.dram.counters().write_drains, d.drains);
}

INSTANTIATE_TEST_SUITE_P(Policies, WritesBeforeReads, ::testing::Range(std::size_t{0}, drains().size()),
                         [](const auto& info) { return std::string(drains()[info.param].name); });

void expect_refused(const DramConfig& config, const std::string& message) {
  try {
    DramBench bench(config);
    FAIL() << "accepted what it should refuse: " << message;
  } catch (const InputError& e) {
    EXPECT_EQ(std::string(e.what()), message);
  }
}

TEST(DramPolicies, ParametersThatDoNotFitTheControllerAreRefusedAtTheirPlace) {
  DramConfig config = distinct_timing();
  config.write_drain = choose("watermark", {{"high", 65}});
  config.write_drain.place = "run.yaml:3:4";
  expect_refused(
      config, "run.yaml:3:4: dram_write_drain 'watermark': 'high' is 65; allowed: at most write_queue, 64");
  config.write_drain = choose("watermark", {{"high", 16}});
  expect_refused(config, "dram_write_drain 'watermark': 'low' is 16; allowed: less than 'high', 16");
  config.write_drain = choose("batch", {{"size", 65}});
  expect_refused(config, "dram_write_drain 'batch': 'size' is 65; allowed: at most write_queue, 64");
  config = distinct_timing();
  config.timing.t_refi = 1600;
  config.refresh = choose("per_bank", {{"bank_cycles", 1600 - 13 - 11}});  // less tRP and tRCD
  expect_refused(
      config,
      "dram_refresh 'per_bank': 'bank_cycles' must leave a bank time between its refreshes, which are "
      "tREFI apart");
}

TEST(DramPolicies, MayWaitUntilTheWriteQueueIsFull) {
  for (const PolicyChoice& policy : {choose("watermark", {{"high", 64}}), choose("batch", {{"size", 64}})}) {
    const auto made = Registry<DramWriteDrainPolicy>::instance().make(policy);
    made->configure({64, 32, 16});
    EXPECT_FALSE(made->drain({1, 63, false, 0})) << policy.name;
    EXPECT_TRUE(made->drain({1, 64, false, 0})) << policy.name;
  }
}

TEST(DramPolicies, UnknownNamesAreRefusedWithTheNearest) {
  const auto refused = [](PolicyChoice DramConfig::*member, const char* name) -> std::string {
    DramConfig config = distinct_timing();
    config.*member = name;
    try {
      DramBench bench(config);
    } catch (const InputError& e) {
      return e.what();
    }
    return "accepted";
  };
  EXPECT_THAT(refused(&DramConfig::page_policy, "opne"),
              HasSubstr("unknown dram_page_policy 'opne'; allowed: "));
  EXPECT_THAT(refused(&DramConfig::page_policy, "opne"), HasSubstr("did you mean 'open'?"));
  EXPECT_THAT(refused(&DramConfig::refresh, "per_bnak"), HasSubstr("did you mean 'per_bank'?"));
  EXPECT_THAT(refused(&DramConfig::write_drain, "watermrk"), HasSubstr("did you mean 'watermark'?"));
  EXPECT_THAT(refused(&DramConfig::address_mapping, "permutaton"), HasSubstr("did you mean 'permutation'?"));
}

// ---- address mappings

std::unique_ptr<DramAddressMapping> mapping(const std::string& name, const DramGeometry& geometry) {
  auto made = Registry<DramAddressMapping>::instance().make(PolicyChoice(name.c_str()));
  made->configure(geometry);
  return made;
}

struct Mapped {
  std::uint64_t index;
  unsigned bank, row, column;
};
struct MappingCase {
  const char* name;
  const char* mapping;
  bool bank_hash;
  std::vector<Mapped> places;
};
void PrintTo(const MappingCase& c, std::ostream* out) { *out << c.name; }

// Two groups of four banks, 16 columns a row, two of them before the next group: 32 columns of the two groups
// share a row, 128 a row of all banks.
class Mappings : public ::testing::TestWithParam<MappingCase> {};

TEST_P(Mappings, PutIndicesWhereTheyBelong) {
  const MappingCase& c = GetParam();
  const auto made = mapping(c.mapping, {1, 2, 4, 1, c.bank_hash});
  for (const Mapped& m : c.places) {
    const DramPlace place = made->place(m.index);
    EXPECT_EQ(place.bank, m.bank) << m.index;
    EXPECT_EQ(place.row, m.row) << m.index;
    EXPECT_EQ(place.column, m.column) << m.index;
  }
}

INSTANTIATE_TEST_SUITE_P(
    Policies, Mappings,
    ::testing::Values(
        MappingCase{"RowBankColumn",
                    "row_bank_column",
                    false,
                    {{0, 0, 0, 0},
                     {1, 0, 0, 1},
                     {2, 4, 0, 0},
                     {4, 0, 0, 2},
                     {32, 1, 0, 0},
                     {127, 7, 0, 15},
                     {128, 0, 1, 0}}},
        // Banks rotate with the row, groups with every fourth row.
        MappingCase{
            "RowBankColumnRotated",
            "row_bank_column",
            true,
            {{0, 0, 0, 0}, {96, 3, 0, 0}, {128, 1, 1, 0}, {224, 0, 1, 0}, {512, 4, 4, 0}, {514, 0, 4, 0}}},
        MappingCase{"BankInterleaved",
                    "bank_interleaved",
                    false,
                    {{0, 0, 0, 0},
                     {1, 0, 0, 1},
                     {2, 4, 0, 0},
                     {4, 1, 0, 0},
                     {14, 7, 0, 0},
                     {16, 0, 0, 2},
                     {127, 7, 0, 15},
                     {128, 0, 1, 0}}},
        MappingCase{"BankInterleavedRotated",
                    "bank_interleaved",
                    true,
                    {{4, 1, 0, 0}, {128, 1, 1, 0}, {140, 0, 1, 0}}},
        // Bank XOR row, as in figure 3 of the paper; bank_hash changes nothing.
        MappingCase{"Permutation",
                    "permutation",
                    true,
                    {{0, 0, 0, 0},
                     {32, 1, 0, 0},
                     {128, 1, 1, 0},
                     {160, 0, 1, 0},
                     {130, 5, 1, 0},
                     {5 * 128, 5, 5, 0},
                     {9 * 128 + 32, 0, 9, 0}}}),
    [](const auto& info) { return std::string(info.param.name); });

TEST(EveryMapping, GivesEachIndexAPlaceOfItsOwn) {
  for (const std::string& name : Registry<DramAddressMapping>::instance().names()) {
    for (const bool hash : {false, true}) {
      for (const DramGeometry& g :
           {DramGeometry{2, 2, 6, 3, hash}, DramGeometry{0, 3, 5, 0, hash}, DramGeometry{2, 0, 5, 5, hash}}) {
        const auto made = mapping(name, g);
        std::set<std::tuple<unsigned, unsigned, unsigned>> seen;
        const std::uint64_t rows = 64, count = std::uint64_t{g.banks()} * g.columns() * rows;
        for (std::uint64_t index = 0; index < count; ++index) {
          const DramPlace place = made->place(index);
          ASSERT_LT(place.bank, g.banks()) << name;
          ASSERT_LT(place.column, g.columns()) << name;
          ASSERT_LT(place.row, rows) << name;
          seen.emplace(place.bank, place.row, place.column);
        }
        EXPECT_EQ(seen.size(), count) << name;
      }
    }
  }
}

// The case of the MICRO 2000 paper: two arrays whose elements meet in one bank with different rows. Plain
// page interleaving opens a row for each access, the permutation keeps two rows open.
class TwoStreamsInOneBank : public ::testing::TestWithParam<std::pair<const char*, unsigned>> {};

TEST_P(TwoStreamsInOneBank, ConflictUnlessTheyArePermuted) {
  DramConfig config = distinct_timing();
  config.address_mapping = GetParam().first;
  DramBench bench(config);
  for (unsigned i = 0; i < 64; ++i)
    bench.requesters[0]->requests.push_back({kRead, bench.at(0, 0, i % 2, i / 2), 32, i * Cycle{200}});
  bench.run(30);
  EXPECT_EQ(bench.dram.counters().row_conflicts, GetParam().second);
}

INSTANTIATE_TEST_SUITE_P(Policies, TwoStreamsInOneBank,
                         ::testing::Values(std::pair{"row_bank_column", 63u}, std::pair{"permutation", 0u}),
                         [](const auto& info) { return std::string(info.param.first); });

// ---- every registered policy

struct Chosen {
  std::string kind, name;
};
void PrintTo(const Chosen& c, std::ostream* out) { *out << c.kind << " " << c.name; }

template <class Policy>
void add_all(std::vector<Chosen>& list) {
  for (const std::string& name : Registry<Policy>::instance().names()) list.push_back({Policy::kKind, name});
}
std::vector<Chosen> every_policy() {
  std::vector<Chosen> list;
  add_all<DramScheduler>(list);
  add_all<DramPagePolicy>(list);
  add_all<DramRefreshPolicy>(list);
  add_all<DramWriteDrainPolicy>(list);
  add_all<DramAddressMapping>(list);
  return list;
}

class EveryDramPolicy : public ::testing::TestWithParam<std::tuple<const char*, Chosen>> {};

// Together with a page policy that closes rows, which meets every other policy at the bank's state.
TEST_P(EveryDramPolicy, BreaksNoRuleAndLosesNothing) {
  const auto [preset, chosen] = GetParam();
  DramConfig config = test::preset(preset);
  config.page_policy =
      preset == std::string("gddr5") ? choose("closed") : choose("timeout", {{"cycles", 40}});
  const std::map<std::string, PolicyChoice*> places = {{DramScheduler::kKind, &config.scheduler},
                                                       {DramPagePolicy::kKind, &config.page_policy},
                                                       {DramRefreshPolicy::kKind, &config.refresh},
                                                       {DramWriteDrainPolicy::kKind, &config.write_drain},
                                                       {DramAddressMapping::kKind, &config.address_mapping}};
  *places.at(chosen.kind) = PolicyChoice(chosen.name.c_str());
  DramBench bench(config, 2);
  std::uint64_t state = 7;
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
  const Cycle refresh_cycles =
      chosen.name == "per_bank" ? (config.timing.t_rfc * 10 + 22) / 23 : config.timing.t_rfc;
  EXPECT_EQ(test::illegal_pairs(bench.commands, config.timing, refresh_cycles), std::vector<std::string>{});
  const DramCounters& c = bench.dram.counters();
  EXPECT_EQ(c.row_hits + c.row_misses + c.row_conflicts, c.read_bursts + c.write_bursts);
  EXPECT_EQ(c.busy_cycles, (c.read_bursts + c.write_bursts) * config.timing.burst_cycles());
  for (unsigned p = 0; p < 2; ++p) {
    const MemoryCounters m = bench.dram.launches().at(p);
    EXPECT_EQ(m.reads + m.writes, 1500u);
  }
}

INSTANTIATE_TEST_SUITE_P(All, EveryDramPolicy,
                         ::testing::Combine(::testing::Values("gddr5", "hbm2"),
                                            ::testing::ValuesIn(every_policy())),
                         [](const auto& info) {
                           const Chosen& chosen = std::get<1>(info.param);
                           return std::string(std::get<0>(info.param)) + "_" + chosen.kind + "_" +
                                  chosen.name;
                         });

}  // namespace
}  // namespace warpvp
