// Thread cluster memory scheduling: through its interface, and in a channel.

#include <gtest/gtest.h>

#include "base/registry.h"
#include "tests/dram/dram_bench.h"
#include "tests/support/stat_map.h"

namespace warpvp {
namespace {

using test::choose;
using test::DramBench;
using test::Kind;
using test::kRead;
using test::kWrite;
using test::Record;
using Command = DramScheduler::Command;
using Candidate = DramScheduler::Candidate;

Candidate candidate(unsigned slot, std::uint64_t age, Command command = Command::kColumn, unsigned bank = 0,
                    bool bank_has_hits = true) {
  Candidate c;
  c.command = command;
  c.kernel_slot = static_cast<std::uint16_t>(slot);
  c.context = static_cast<std::uint16_t>(slot / 2);
  c.age = age;
  c.bank = static_cast<std::uint16_t>(bank);
  c.bank_has_hits = bank_has_hits;
  return c;
}

/// A scheduler in whose first quantum, of 1000 cycles, kernel slots 0, 1, ... had so many column accesses.
std::unique_ptr<DramScheduler> after(const std::vector<unsigned>& served,
                                     std::map<std::string, double> values = {}) {
  values.insert({"quantum", 1000});
  auto policy = Registry<DramScheduler>::instance().make(choose("tcm", values));
  for (unsigned slot = 0; slot < served.size(); ++slot)
    for (unsigned i = 0; i < served[slot]; ++i) policy->issued(candidate(slot, i), 10);
  return policy;
}

TEST(Tcm, BeforeTheFirstQuantumEndsRowHitsGoFirst) {
  const auto policy = after({1, 1000});
  EXPECT_EQ(policy->pick({candidate(0, 5, Command::kActivate, 1), candidate(1, 9), candidate(1, 7)}, 999), 2);
}

// Slots 2 and 0 use 4 % and 10 % of the bandwidth, slots 1 and 3 the rest.
TEST(Tcm, WhoUsesLittleGoesFirstAndLeastOfAllBeforeOthers) {
  const auto policy = after({100, 430, 40, 430});
  EXPECT_EQ(policy->pick({candidate(1, 1), candidate(0, 9, Command::kActivate, 1)}, 1000), 1);
  EXPECT_EQ(policy->pick({candidate(0, 1), candidate(2, 9, Command::kActivate, 1)}, 1000), 1);
  EXPECT_EQ(policy->pick({candidate(2, 9), candidate(2, 3, Command::kActivate, 1)}, 1000), 0)
      << "of one rank, row hits";
  EXPECT_EQ(policy->pick({candidate(2, 9), candidate(2, 3)}, 1000), 1) << "then the oldest";
  test::StatMap stats;
  policy->stats(stats);
  EXPECT_EQ(stats["quanta"], 1);
  EXPECT_EQ(stats["latency_sensitive"], 2);
  EXPECT_EQ(stats["bandwidth_sensitive"], 2);
}

TEST(Tcm, TheThresholdBoundsWhatTheClusterUsesTogether) {
  const auto policy = after({100, 430, 80, 390});  // 8 % and 10 % are more than 16.67 %
  test::StatMap stats;
  policy->pick({candidate(0, 1)}, 1000);
  policy->stats(stats);
  EXPECT_EQ(stats["latency_sensitive"], 1);
  const auto none = after({10, 990}, {{"cluster_threshold", 0}});
  none->pick({candidate(0, 1)}, 1000);
  none->stats(stats);
  EXPECT_EQ(stats["latency_sensitive"], 0);
}

TEST(Tcm, TheOthersTakeTurns) {
  const auto policy = after({10, 500, 490}, {{"shuffle_interval", 100}});
  const std::vector<Candidate> both = {candidate(1, 1), candidate(2, 2)};
  EXPECT_EQ(policy->pick(both, 1000), 1) << "slot 2 used less";
  EXPECT_EQ(policy->pick(both, 1099), 1);
  EXPECT_EQ(policy->pick(both, 1100), 0);
  EXPECT_EQ(policy->pick(both, 1200), 1);
  EXPECT_EQ(policy->pick(both, 1510), 0) << "three intervals passed without a question";
  EXPECT_EQ(policy->pick({candidate(1, 1), candidate(2, 2), candidate(0, 3)}, 1510), 2)
      << "the other cluster stays first";
}

TEST(Tcm, WhoHadNothingServedGoesFirst) {
  const auto policy = after({10, 990});
  EXPECT_EQ(policy->pick({candidate(0, 1), candidate(5, 2)}, 1000), 1);
  // In the next quantum only slot 5 was served: slot 0 is new again.
  policy->issued(candidate(5, 3), 1500);
  EXPECT_EQ(policy->pick({candidate(5, 1), candidate(0, 2)}, 2000), 1);
}

TEST(Tcm, ARowIsClosedForABetterRankOnly) {
  const auto policy = after({10, 500, 490});
  const Candidate hit = candidate(2, 1);
  // The hit is not legal yet; the precharge for slot 0 is worth losing the row, that for slot 1 is not.
  Candidate later = hit;
  later.earliest = 2000;
  EXPECT_EQ(policy->pick({later, candidate(0, 9, Command::kPrecharge)}, 1000), 1);
  EXPECT_EQ(policy->pick({later, candidate(1, 0, Command::kPrecharge)}, 1000), -1);
  EXPECT_EQ(policy->pick({later, candidate(2, 0, Command::kPrecharge)}, 1000), -1);
  EXPECT_EQ(policy->pick({candidate(0, 9, Command::kPrecharge)}, 1000), -1)
      << "who has the hits is not shown";
  EXPECT_EQ(policy->pick({candidate(1, 0, Command::kPrecharge, 0, false)}, 1000), 0);
}

TEST(Tcm, ContextsMayBeWhatIsRanked) {
  PolicyChoice choice = "tcm";
  choice.load = [](const std::function<void(FieldVisitor&)>& fields) {
    test::SetFields set({{"quantum", 1000}});
    set.words["threads"] = "contexts";
    fields(set);
  };
  const auto policy = Registry<DramScheduler>::instance().make(choice);
  // Slots 0 and 1 are of context 0 and use much together, slot 2 of context 1 uses little, slot 3 as well.
  for (unsigned i = 0; i < 100; ++i) policy->issued(candidate(i % 2, i), 10);
  policy->issued(candidate(2, 0), 10);
  EXPECT_EQ(policy->pick({candidate(0, 1), candidate(3, 2)}, 1000), 1);
}

// A stream of row hits of kernel 1 in one bank, and behind it accesses of kernel 0 to other rows of the same
// bank, one after the other. Returns their mean latency.
double latency_beside_a_stream(const PolicyChoice& scheduler) {
  DramConfig config = test::distinct_timing();
  config.scheduler = scheduler;
  config.group_interleave_bytes = config.timing.row_bytes;  // so that both ports reach bank 0
  DramBench bench(config, 2);
  auto& stream = bench.requesters[0]->requests;
  auto& sparse = bench.requesters[1]->requests;
  // Addresses of each port (banks of the L2 take turns at addresses) in the first four rows of bank 0.
  std::vector<std::uint64_t> rows[2][4];
  const std::uint32_t first_row = bench.dram.place_of(DeviceMemory::kBase).row;
  for (std::uint64_t address = DeviceMemory::kBase; rows[1][3].size() < 4; address += 32) {
    const DramPlace place = bench.dram.place_of(address);
    const std::uint32_t row = place.row - first_row;
    if (place.bank == 0 && row < 4) rows[bench.map.bank_of(address)][row].push_back(address);
  }
  for (unsigned i = 0; i < 1500; ++i) {
    stream.push_back({kRead, rows[0][0].at(i % 4), 32, 1});
    stream.back().kernel_slot = 1;
  }
  for (unsigned i = 0; i < 12; ++i) {
    sparse.push_back({kRead, rows[1][1 + i % 3].at(i / 3), 32, 500 + i * Cycle{400}});
    sparse.back().kernel_slot = 0;
  }
  bench.run(60);
  double sum = 0;
  for (unsigned i = 0; i < 12; ++i) sum += static_cast<double>(bench.latency(i, 1));
  EXPECT_EQ(test::illegal_pairs(bench.commands, config.timing), std::vector<std::string>{});
  return sum / 12;
}

TEST(Tcm, UnderFrFcfsAnAccessWaitsForTheStreamOfAnotherKernel) {
  EXPECT_GT(latency_beside_a_stream("fr_fcfs"), 2000);
}
TEST(Tcm, AnAccessOvertakesTheStreamOfAnotherKernel) {
  EXPECT_LT(latency_beside_a_stream(choose("tcm", {{"quantum", 600}})), 200);
}

// A row hit of kernel 0 overtakes those of kernel 1 that wait for the same row. They are not forgotten: a
// page policy that closes rows for which nobody waits leaves the row open until the last of them.
TEST(Tcm, HitsThatWereOvertakenKeepTheRowOpen) {
  DramConfig config = test::distinct_timing();
  config.scheduler = choose("tcm", {{"quantum", 100}});
  config.page_policy = "closed";
  DramBench bench(config);
  auto& requests = bench.requesters[0]->requests;
  for (unsigned i = 0; i < 100; ++i) {
    requests.push_back({kRead, bench.at(0, 0, 0, i % 64), 32, 1});
    requests.back().kernel_slot = 1;
  }
  requests.push_back({kRead, bench.at(0, 0, 0, 0), 32, 1});
  requests.back().kernel_slot = 0;
  bench.run(10);
  EXPECT_LT(bench.requesters[0]->results[100].order, 60u) << "it overtook nobody";
  unsigned activates = 0;
  for (const Record& r : bench.commands) activates += r.kind == Kind::kActivate;
  EXPECT_EQ(activates, 1u);
}

// Random traffic of five kernels and of nobody, with ranks that change all the time.
class TcmTraffic : public ::testing::TestWithParam<const char*> {};
TEST_P(TcmTraffic, BreaksNoRuleAndLosesNothing) {
  DramConfig config = test::preset(GetParam());
  config.scheduler = choose("tcm", {{"quantum", 3000}, {"shuffle_interval", 50}, {"cluster_threshold", 0.3}});
  DramBench bench(config, 2);
  std::uint64_t state = 11;
  for (unsigned p = 0; p < 2; ++p) {
    for (unsigned i = 0; i < 2000; ++i) {
      state = state * 6364136223846793005ull + 1442695040888963407ull;
      const std::uint64_t r = state >> 20;
      const std::uint64_t address = (r & 1 ? (r >> 8) % 256 : (r >> 8) % 100000) * 128;
      bench.requesters[p]->requests.push_back({r & 6 ? kRead : kWrite, DeviceMemory::kBase + address,
                                               r & 16 ? 128u : 32u, i / 100 * Cycle{2000}, AccessKind::kLoad,
                                               p});
      const auto kernel = static_cast<std::uint16_t>((r >> 32) % 6);
      if (kernel < 5) bench.requesters[p]->requests.back().kernel_slot = kernel;
    }
  }
  bench.run(400);
  EXPECT_EQ(test::illegal_pairs(bench.commands, config.timing), std::vector<std::string>{});
  const DramCounters& c = bench.dram.counters();
  EXPECT_EQ(c.row_hits + c.row_misses + c.row_conflicts, c.read_bursts + c.write_bursts);
  for (unsigned p = 0; p < 2; ++p) {
    const MemoryCounters m = bench.dram.launches().at(p);
    EXPECT_EQ(m.reads + m.writes, 2000u);
  }
}
INSTANTIATE_TEST_SUITE_P(Presets, TcmTraffic, ::testing::Values("gddr5", "gddr5x", "hbm2"));

}  // namespace
}  // namespace warpvp
