// Page policies and refresh policies: every command of a scenario at its cycle, worked out by hand.

#include <fmt/format.h>

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

/// "ACT b1 r5 @18"; a column access that closes its row has an A at its end, a refresh its banks in
/// hexadecimal.
std::vector<std::string> in_words(const std::vector<Record>& commands, std::uint32_t first_row) {
  std::vector<std::string> words;
  for (const Record& r : commands) {
    if (r.kind == Kind::kRefresh) {
      words.push_back(fmt::format("REF {:x} @{}", r.refreshed, r.cycle));
      continue;
    }
    static const std::map<Kind, const char*> kNames = {
        {Kind::kActivate, "ACT"}, {Kind::kPrecharge, "PRE"}, {Kind::kRead, "RD"}, {Kind::kWrite, "WR"}};
    words.push_back(fmt::format("{}{} b{} r{} @{}", kNames.at(r.kind), r.closes_row ? "A" : "", r.bank,
                                r.row - first_row, r.cycle));
  }
  return words;
}

struct Access {
  tlm::tlm_command command;
  unsigned bank;  ///< of group 0
  unsigned row;
  Cycle sent;
};
struct Scenario {
  const char* name;
  PolicyChoice page_policy;
  PolicyChoice refresh;
  std::vector<Access> accesses;
  std::vector<std::string> commands;
};

// distinct_timing(): an access sent at cycle n can have its first command at n + 8. tRCD 11, tRP 13, tRAS 29,
// tRC 47, tCCD_L 5, tRRD_L 7, tRTP 4; a write keeps its row for 5 + 2 + 17 cycles. One command bus.
// Refresh: the 16 banks in 1600 cycles.
const std::vector<Scenario>& scenarios() {
  static const PolicyChoice none = choose("none");
  static const std::vector<Access> twice_one_row = {{kRead, 0, 5, 10}, {kRead, 0, 5, 300}};
  static const std::vector<Access> two_rows = {{kRead, 0, 5, 10}, {kRead, 0, 6, 11}};
  static const std::vector<Access> close_together = {{kRead, 0, 5, 10}, {kRead, 0, 5, 11}};
  static const std::vector<Scenario> list = {
      {"OpenKeepsTheRow",
       choose("open"),
       none,
       twice_one_row,
       {"ACT b0 r5 @18", "RD b0 r5 @29", "RD b0 r5 @308"}},
      {"OpenHasConflicts",
       choose("open"),
       none,
       two_rows,
       {"ACT b0 r5 @18", "RD b0 r5 @29", "PRE b0 r5 @47", "ACT b0 r6 @65", "RD b0 r6 @76"}},
      {"ClosedOpensAgain",
       choose("closed"),
       none,
       twice_one_row,
       {"ACT b0 r5 @18", "RDA b0 r5 @29", "ACT b0 r5 @308", "RDA b0 r5 @319"}},
      {"ClosedNeedsNoPrecharge",  // the row is closed at 47, tRAS; the next may open at 65, tRC
       choose("closed"),
       none,
       two_rows,
       {"ACT b0 r5 @18", "RDA b0 r5 @29", "ACT b0 r6 @65", "RDA b0 r6 @76"}},
      {"ClosedWaitsForTheWrite",  // closed at 29 + 24, the next may open tRP later
       choose("closed"),
       none,
       {{kWrite, 0, 5, 10}, {kWrite, 0, 6, 11}},
       {"ACT b0 r5 @18", "WRA b0 r5 @29", "ACT b0 r6 @66", "WRA b0 r6 @77"}},
      {"ClosedKeepsARowThatIsWaitedFor",
       choose("closed"),
       none,
       close_together,
       {"ACT b0 r5 @18", "RD b0 r5 @29", "RDA b0 r5 @34"}},
      {"ClosedByEveryAccess",
       choose("closed", {{"every_access", 1}}),
       none,
       close_together,
       {"ACT b0 r5 @18", "RDA b0 r5 @29", "ACT b0 r5 @65", "RDA b0 r5 @76"}},
      {"TimeoutCloses",
       choose("timeout", {{"cycles", 100}}),
       none,
       {{kRead, 0, 5, 10}, {kRead, 0, 6, 300}},
       {"ACT b0 r5 @18", "RD b0 r5 @29", "PRE b0 r5 @129", "ACT b0 r6 @308", "RD b0 r6 @319"}},
      {"TimeoutIsRestartedByAnAccess",
       choose("timeout", {{"cycles", 100}}),
       none,
       {{kRead, 0, 5, 10}, {kRead, 0, 5, 100}, {kRead, 0, 5, 300}},
       {"ACT b0 r5 @18", "RD b0 r5 @29", "RD b0 r5 @108", "PRE b0 r5 @208", "ACT b0 r5 @308",
        "RD b0 r5 @319"}},
      {"TimeoutWaitsForTRas",
       choose("timeout", {{"cycles", 5}}),
       none,
       {{kRead, 0, 5, 10}, {kRead, 0, 5, 300}},
       {"ACT b0 r5 @18", "RD b0 r5 @29", "PRE b0 r5 @47", "ACT b0 r5 @308", "RD b0 r5 @319"}},
      {"TimeoutIsTooLateForAnAccessOfItsCycle",
       choose("timeout", {{"cycles", 100}}),
       none,
       {{kRead, 0, 5, 10}, {kRead, 0, 5, 121}},
       {"ACT b0 r5 @18", "RD b0 r5 @29", "RD b0 r5 @129"}},
      {"TimeoutIsInTimeForAnAccessOfTheNext",
       choose("timeout", {{"cycles", 100}}),
       none,
       {{kRead, 0, 5, 10}, {kRead, 0, 5, 122}},
       {"ACT b0 r5 @18", "RD b0 r5 @29", "PRE b0 r5 @129", "ACT b0 r5 @142", "RD b0 r5 @153"}},
      {"TimeoutLeavesTheBusToAccesses",
       choose("timeout", {{"cycles", 100}}),
       none,
       {{kRead, 0, 5, 10}, {kRead, 1, 5, 121}},
       {"ACT b0 r5 @18", "RD b0 r5 @29", "ACT b1 r5 @129", "PRE b0 r5 @130", "RD b1 r5 @140"}},
      {"AdaptiveDoublesAndHalves",  // 64, 128 after a row closed too early, 256, 128 after a conflict
       choose("adaptive", {{"start", 64}, {"least", 16}, {"most", 256}}),
       none,
       {{kRead, 0, 5, 10}, {kRead, 0, 5, 300}, {kRead, 0, 5, 600}, {kRead, 0, 6, 700}, {kRead, 1, 5, 1200}},
       {"ACT b0 r5 @18", "RD b0 r5 @29", "PRE b0 r5 @93", "ACT b0 r5 @308", "RD b0 r5 @319", "PRE b0 r5 @447",
        "ACT b0 r5 @608", "RD b0 r5 @619", "PRE b0 r5 @708", "ACT b0 r6 @721", "RD b0 r6 @732",
        "PRE b0 r6 @860", "ACT b1 r5 @1208", "RD b1 r5 @1219"}},
      {"AdaptiveKeepsToItsLimits",
       choose("adaptive", {{"start", 64}, {"least", 64}, {"most", 64}}),
       none,
       {{kRead, 0, 5, 10}, {kRead, 0, 5, 300}, {kRead, 0, 6, 340}, {kRead, 1, 5, 1200}},
       {"ACT b0 r5 @18", "RD b0 r5 @29", "PRE b0 r5 @93", "ACT b0 r5 @308", "RD b0 r5 @319", "PRE b0 r5 @348",
        "ACT b0 r6 @361", "RD b0 r6 @372", "PRE b0 r6 @436", "ACT b1 r5 @1208", "RD b1 r5 @1219"}},
      {"AdaptiveLearnsNothingFromHits",
       choose("adaptive", {{"start", 64}, {"least", 16}, {"most", 256}}),
       none,
       {{kRead, 0, 5, 10}, {kRead, 0, 5, 60}, {kRead, 1, 5, 1200}},
       {"ACT b0 r5 @18", "RD b0 r5 @29", "RD b0 r5 @68", "PRE b0 r5 @132", "ACT b1 r5 @1208",
        "RD b1 r5 @1219"}},
      {"AdaptiveDoublesNoFurther",
       choose("adaptive", {{"start", 64}, {"least", 16}, {"most", 64}}),
       none,
       {{kRead, 0, 5, 10}, {kRead, 0, 5, 300}, {kRead, 1, 5, 1200}},
       {"ACT b0 r5 @18", "RD b0 r5 @29", "PRE b0 r5 @93", "ACT b0 r5 @308", "RD b0 r5 @319", "PRE b0 r5 @383",
        "ACT b1 r5 @1208", "RD b1 r5 @1219"}},
      {"TimeoutBeforeARefresh",  // both in idle time; the refresh need not wait for a precharge
       choose("timeout", {{"cycles", 100}}),
       choose("all_bank"),
       {{kRead, 0, 5, 10}, {kRead, 0, 5, 1630}},
       {"ACT b0 r5 @18", "RD b0 r5 @29", "PRE b0 r5 @129", "REF ffff @1600", "ACT b0 r5 @1650",
        "RD b0 r5 @1661"}},
      {"AllBankPrechargesFirst",
       choose("open"),
       choose("all_bank"),
       {{kRead, 0, 5, 10}, {kRead, 1, 5, 1595}},
       {"ACT b0 r5 @18", "RD b0 r5 @29", "REF ffff @1613", "ACT b1 r5 @1663", "RD b1 r5 @1674"}},
      {"PerBankTakesOneBankOnly",  // bank 0 at 100, bank 1 works meanwhile and is refreshed at 200
       choose("open"),
       choose("per_bank", {{"bank_cycles", 50}}),
       {{kRead, 0, 5, 100}, {kRead, 1, 5, 101}, {kRead, 1, 5, 195}, {kRead, 0, 5, 196}},
       {"REF 1 @100", "ACT b1 r5 @109", "RD b1 r5 @120", "ACT b0 r5 @150", "RD b0 r5 @161", "REF 2 @213",
        "RD b0 r5 @204", "ACT b1 r5 @263", "RD b1 r5 @274"}},
      {"PerBankSumsUpWhatFellIntoIdleTime",  // of 65 refreshes at least the last of each bank
       choose("open"),
       choose("per_bank", {{"bank_cycles", 50}}),
       {{kRead, 0, 5, 6500}},
       {"REF 1 @4900", "REF 2 @5000", "REF 4 @5100", "REF 8 @5200", "REF 10 @5300", "REF 20 @5400",
        "REF 40 @5500", "REF 80 @5600", "REF 100 @5700", "REF 200 @5800", "REF 400 @5900", "REF 800 @6000",
        "REF 1000 @6100", "REF 2000 @6200", "REF 4000 @6300", "REF 8000 @6400", "REF 1 @6500",
        "ACT b0 r5 @6550", "RD b0 r5 @6561"}},
      {"PerBankClosesRowsInIdleTime",  // that of bank 3 with the fourth refresh
       choose("open"),
       choose("per_bank", {{"bank_cycles", 50}}),
       {{kRead, 3, 5, 10}, {kRead, 3, 5, 1600}},
       {"ACT b3 r5 @18",  "RD b3 r5 @29",   "REF 1 @100",     "REF 2 @200",      "REF 4 @300",
        "REF 8 @413",     "REF 10 @500",    "REF 20 @600",    "REF 40 @700",     "REF 80 @800",
        "REF 100 @900",   "REF 200 @1000",  "REF 400 @1100",  "REF 800 @1200",   "REF 1000 @1300",
        "REF 2000 @1400", "REF 4000 @1500", "REF 8000 @1600", "ACT b3 r5 @1608", "RD b3 r5 @1619"}},
      {"PerBankInOrderHitsAWaitingBank",  // the second row of bank 0 waits from 29 on; tRC lets it open at 65
       choose("open"),
       choose("per_bank", {{"bank_cycles", 50}}),
       {{kRead, 0, 5, 10}, {kRead, 0, 6, 11}, {kRead, 0, 7, 12}, {kRead, 0, 8, 13}, {kRead, 0, 9, 14}},
       {"ACT b0 r5 @18", "RD b0 r5 @29", "PRE b0 r5 @47", "ACT b0 r6 @65", "RD b0 r6 @76", "PRE b0 r6 @94",
        "REF 1 @112", "ACT b0 r7 @162", "RD b0 r7 @173", "PRE b0 r7 @191", "REF 2 @200", "ACT b0 r8 @209",
        "RD b0 r8 @220", "PRE b0 r8 @238", "ACT b0 r9 @256", "RD b0 r9 @267"}},
      {"PerBankIdleFirstSparesIt",  // banks 1 and 2 go first
       choose("open"),
       choose("per_bank", {{"bank_cycles", 50}, {"idle_first", 1}}),
       {{kRead, 0, 5, 10}, {kRead, 0, 6, 11}, {kRead, 0, 7, 12}, {kRead, 0, 8, 13}, {kRead, 0, 9, 14}},
       {"ACT b0 r5 @18", "RD b0 r5 @29", "PRE b0 r5 @47", "ACT b0 r6 @65", "RD b0 r6 @76", "PRE b0 r6 @94",
        "REF 2 @100", "ACT b0 r7 @112", "RD b0 r7 @123", "PRE b0 r7 @141", "ACT b0 r8 @159", "RD b0 r8 @170",
        "PRE b0 r8 @188", "REF 4 @200", "ACT b0 r9 @206", "RD b0 r9 @217"}},
      {"NoneNeverRefreshes",
       choose("open"),
       none,
       {{kRead, 0, 5, 10}, {kRead, 0, 5, 9000}},
       {"ACT b0 r5 @18", "RD b0 r5 @29", "RD b0 r5 @9008"}},
  };
  return list;
}

class CommandTimes : public ::testing::TestWithParam<std::size_t> {};

TEST_P(CommandTimes, AreThoseOfThePolicies) {
  const Scenario& s = scenarios()[GetParam()];
  DramConfig config = distinct_timing();
  config.timing.t_refi = 1600;
  config.timing.t_rfc = 50;
  config.page_policy = s.page_policy;
  config.refresh = s.refresh;
  DramBench bench(config);
  for (const Access& a : s.accesses)
    bench.requesters[0]->requests.push_back({a.command, bench.at(0, a.bank, a.row, 0), 32, a.sent});
  const std::uint32_t first_row = bench.dram.place_of(bench.at(0, 0, 0, 0)).row;
  bench.run(20);
  EXPECT_EQ(in_words(bench.commands, first_row), s.commands);
  EXPECT_EQ(test::illegal_pairs(bench.commands, config.timing), std::vector<std::string>{});
  const DramCounters& c = bench.dram.counters();
  std::map<Kind, unsigned> sent;
  unsigned closing = 0;
  for (const Record& r : bench.commands) {
    ++sent[r.kind];
    closing += r.closes_row;
  }
  EXPECT_EQ(c.precharges, sent[Kind::kPrecharge]);
  EXPECT_EQ(c.auto_precharges, closing);
}

INSTANTIATE_TEST_SUITE_P(Policies, CommandTimes, ::testing::Range(std::size_t{0}, scenarios().size()),
                         [](const auto& info) { return std::string(scenarios()[info.param].name); });

// Two command buses: a column access leaves the row bus to the precharge of its cycle.
TEST(PagePolicies, ATimeoutUsesTheRowCommandBus) {
  DramConfig config = distinct_timing();
  config.timing.dual_command_bus = true;
  config.page_policy = choose("timeout", {{"cycles", 100}});
  DramBench bench(config);
  bench.requesters[0]->requests = {{kRead, bench.at(0, 0, 5, 0), 32, 10},
                                   {kRead, bench.at(1, 0, 5, 0), 32, 50},
                                   {kRead, bench.at(1, 0, 5, 1), 32, 121}};
  const std::uint32_t first_row = bench.dram.place_of(bench.at(0, 0, 0, 0)).row;
  bench.run(5);
  EXPECT_EQ(in_words(bench.commands, first_row),
            (std::vector<std::string>{"ACT b0 r5 @18", "RD b0 r5 @29", "ACT b4 r5 @58", "RD b4 r5 @69",
                                      "RD b4 r5 @129", "PRE b0 r5 @129"}));
}

/// Leaves rows that are in the way to the page policy.
class NeverPrecharges : public DramScheduler {
 public:
  int pick(const std::vector<Candidate>& candidates, Cycle now) override {
    for (std::size_t i = 0; i < candidates.size(); ++i)
      if (candidates[i].earliest <= now && candidates[i].command != Command::kPrecharge)
        return static_cast<int>(i);
    return -1;
  }
};
WARPVP_REGISTER_POLICY(DramScheduler, NeverPrecharges, "never_precharges", "For a test.");

/// Says where it stands, and counts.
class Standing : public NeverPrecharges {
 public:
  explicit Standing(const PolicyContext& context) {
    place = context.place + ", " + std::to_string(context.index) + ", " +
            std::to_string(context.kernel_slots) + " slots, " + std::to_string(context.period_fs) + " fs";
    try {
      context.registers.add({"R", 0, 4, 1, 0, RegisterAccess::kReadWrite, 0, "A register."});
    } catch (const std::logic_error& error) {
      refused = error.what();
    }
  }
  void issued(const Candidate&, Cycle) override { ++sent_; }
  void stats(StatVisitor& v) const override { v.value("sent", sent_, "commands", "Sent."); }
  inline static std::string place, refused;

 private:
  std::uint64_t sent_ = 0;
};
WARPVP_REGISTER_POLICY(DramScheduler, Standing, "standing", "For a test.");

/// The value of a statistic with this key, in a group of this name.
struct OneStat : StatVisitor {
  void value(const char* key, std::uint64_t v, const char*, const char*) override {
    if (group == "dram_scheduler" && std::string(key) == "sent") found = v;
  }
  void value(const char*, double, const char*, const char*) override {}
  void begin_group(const char* key, const char*) override { group = key; }
  void end_group() override { group.clear(); }
  std::string group;
  std::uint64_t found = 0;
};

TEST(DramPolicies, KnowWhereTheyStandAndCount) {
  DramConfig config = distinct_timing();
  config.scheduler = "standing";
  DramBench bench(config);
  bench.requesters[0]->requests = {{kRead, bench.at(0, 0, 5, 0), 32, 10}};
  bench.run(5);
  EXPECT_EQ(Standing::place, "memory channel 0, 0, 32 slots, 1000000 fs");
  EXPECT_EQ(Standing::refused,
            "register R: a memory channel is not on the register bus, so its policies have none");
  OneStat sent;
  bench.dram.stats(sent);
  EXPECT_EQ(sent.found, 2u) << "ACT and RD";
}

// The controller wakes when the page policy has closed a row, though the next command that it waited for, the
// column access of bank 1, is far.
TEST(PagePolicies, AWaitingAccessGoesAsSoonAsTheRowIsClosed) {
  DramConfig config = distinct_timing();
  config.timing.t_rcd = 100;
  config.backend_cycles = 50;  // no answer wakes it before
  config.scheduler = "never_precharges";
  config.page_policy = choose("timeout", {{"cycles", 5}});
  DramBench bench(config);
  bench.requesters[0]->requests = {{kRead, bench.at(0, 0, 5, 0), 32, 10},
                                   {kRead, bench.at(0, 0, 6, 0), 32, 11},
                                   {kRead, bench.at(0, 1, 5, 0), 32, 102}};
  const std::uint32_t first_row = bench.dram.place_of(bench.at(0, 0, 0, 0)).row;
  bench.run(5);
  EXPECT_EQ(in_words(bench.commands, first_row),
            (std::vector<std::string>{"ACT b0 r5 @18", "ACT b1 r5 @110", "RD b0 r5 @118", "PRE b0 r5 @123",
                                      "ACT b0 r6 @136", "RD b1 r5 @210", "PRE b1 r5 @215", "RD b0 r6 @236",
                                      "PRE b0 r6 @241"}));
}

// First come, first served moves one access at a time, however many command buses there are.
TEST(DramSchedulers, FirstComeFirstServedUsesOneOfTwoCommandBuses) {
  DramConfig config = distinct_timing();
  config.timing.dual_command_bus = true;
  config.scheduler = "fcfs";
  DramBench bench(config);
  bench.requesters[0]->requests = {{kRead, bench.at(0, 0, 5, 0), 32, 10},
                                   {kRead, bench.at(0, 1, 5, 0), 32, 11}};
  const std::uint32_t first_row = bench.dram.place_of(bench.at(0, 0, 0, 0)).row;
  bench.run(5);
  EXPECT_EQ(in_words(bench.commands, first_row),
            (std::vector<std::string>{"ACT b0 r5 @18", "RD b0 r5 @29", "ACT b1 r5 @30", "RD b1 r5 @41"}));
}

TEST(RefreshPolicies, IdleFirstTakesAWaitingBankWhenAllWait) {
  const PolicyChoice choice = choose("per_bank", {{"idle_first", 1}});
  const auto policy = Registry<DramRefreshPolicy>::instance().make(choice);
  DramTiming timing = distinct_timing().timing;
  timing.t_refi = 1600;
  timing.t_rfc = 50;
  policy->configure(timing);
  std::uint64_t seen = 0;
  for (unsigned i = 1; i <= 16; ++i) {
    const auto refresh = policy->take(policy->next(), 0xffff);
    EXPECT_EQ(__builtin_popcountll(refresh.banks), 1) << i;
    seen |= refresh.banks;
  }
  EXPECT_EQ(seen, 0xffffu) << "each bank once in a round";
}

class IdleRefreshes : public ::testing::TestWithParam<std::pair<const char*, unsigned>> {};

TEST_P(IdleRefreshes, AreCounted) {
  DramConfig config = distinct_timing();
  config.timing.t_refi = 1607;  // 16 banks do not divide it
  config.timing.t_rfc = 50;
  config.refresh = GetParam().first;
  DramBench bench(config);
  bench.requesters[0]->requests = {{kRead, bench.at(0, 0, 5, 0), 32, 100 * 1607 - 8}};
  bench.run(200);
  EXPECT_EQ(bench.dram.counters().refreshes, GetParam().second);
}

INSTANTIATE_TEST_SUITE_P(Policies, IdleRefreshes,
                         ::testing::Values(std::pair{"all_bank", 100u}, std::pair{"per_bank", 1600u}),
                         [](const auto& info) { return std::string(info.param.first); });

TEST(RefreshPolicies, PerBankTakesTheShareOfTRfcThatItsSourceSays) {
  DramConfig config = distinct_timing();
  config.timing.t_refi = 1600;
  config.timing.t_rfc = 230;
  config.refresh = "per_bank";
  DramBench bench(config);
  bench.requesters[0]->requests = {{kRead, bench.at(0, 0, 5, 0), 32, 95}};
  bench.run(5);
  ASSERT_GE(bench.commands.size(), 2u);
  EXPECT_EQ(bench.commands[0].cycle, 100u);
  EXPECT_EQ(bench.commands[1].cycle, 200u);  // 230 / 2.3
}

}  // namespace
}  // namespace warpvp
