// Replacement policies through a tag array: sequences worked out by hand, and answers that are wrong.

#include "interconnect/cache/replacement.h"

#include <gmock/gmock.h>

#include <map>
#include <set>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/registry.h"
#include "interconnect/cache/policies/utility_monitor.h"
#include "tests/support/set_fields.h"
#include "tests/support/stat_map.h"

namespace warpvp::test {
namespace {

using ::testing::HasSubstr;

/// A cache of lines with one letter as their name, all in one set.
class Cache {
 public:
  explicit Cache(const PolicyChoice& choice, std::uint32_t ways = 4, std::uint64_t seed = 1,
                 std::uint32_t number = 0)
      : tags({1, ways, 128, 0, false}), replacement(choice, here(number, seed), tags) {}

  PolicyContext here(std::uint32_t number, std::uint64_t seed) {
    PolicyContext context;
    context.place = "cache";
    context.index = number;
    context.seed = seed;
    context.kernel_slots = 8;
    context.cycle = [this] { return now; };
    context.registers = PolicyRegisters::window(
        "replacement", 0, 0x400, [this](RegisterSpec spec) { registers.push_back(std::move(spec)); });
    return context;
  }
  /// Of the register that the policy has: what it is for a kernel slot, and what becomes of a write.
  std::uint64_t ways_of(unsigned slot) const { return registers.at(0).read(slot); }
  void give(unsigned slot, std::uint32_t ways) { registers.at(0).write(slot, ways); }

  /// Accesses lines one after the other. For each: '.' a hit, '+' a miss that found a free way, or the line
  /// that had to go. A digit sets the kernel slot of those behind it, '-' says that they are of none.
  std::string access(const std::string& lines) {
    std::string happened;
    for (const char c : lines) {
      if (c == ' ') continue;
      if (c >= '0' && c <= '9') {
        by.kernel_slot = static_cast<std::uint16_t>(c - '0');
      } else if (c == '-') {
        by.kernel_slot = CacheUser::kNone;
      } else {
        happened += one(c);
      }
    }
    return happened;
  }
  static std::uint64_t address(char line) { return static_cast<std::uint64_t>(line) * 128; }
  bool has(char line) const { return tags.probe(address(line)).result == TagArray::Result::kHit; }

  Cycle now = 0;
  TagArray tags;
  std::vector<RegisterSpec> registers;
  Replacement replacement;
  CacheUser by;

 private:
  char one(char c) {
    const TagArray::Lookup found = tags.probe(address(c), 1);
    if (found.line != TagArray::kNoLine) {
      tags.touch(found.line, by);
      return '.';
    }
    const TagArray::Reservation r = tags.reserve(address(c), 1, found.line, by);
    if (!r.ok) return '!';
    tags.fill(address(c), 1);
    return r.evicted ? static_cast<char>(r.victim_address / 128) : '+';
  }
};

struct Row {
  const char *policy, *accesses, *happened;
};
class ReplacementExample : public ::testing::TestWithParam<Row> {};
TEST_P(ReplacementExample, WorkedOutByHand) {
  Cache cache(GetParam().policy);
  EXPECT_EQ(cache.access(GetParam().accesses), GetParam().happened);
}
INSTANTIATE_TEST_SUITE_P(
    Table, ReplacementExample,
    ::testing::Values(Row{"lru", "ABCD A E B", "++++.BC"}, Row{"fifo", "ABCD A E A B", "++++.ABC"},
                      // Ways 0 to 3; A's hit turns the root to the upper half, whose older way has C.
                      Row{"plru", "ABCD A E", "++++.C"}, Row{"plru", "ABCD EFGH", "++++ACBD"},
                      // The paper's figure 3: a and b are used again, C to F are a scan.
                      Row{"lru", "abba CDEF ab", "++..++baCD"}, Row{"srrip", "abba CDEF ab", "++..++CD.."},
                      // Nobody is used again: the first way with the longest interval goes.
                      Row{"srrip", "ABCD EFGH", "++++ABCD"},
                      Row{"adaptive_insertion", "ABCD A E B", "++++.BC"}));

TEST(ReplacementSrrip, WithOneBitForgetsEarlier) {
  // Not recently used: as all were used, all are forgotten, and the first goes.
  Cache cache(part_with("srrip", {{"bits", 1}}));
  EXPECT_EQ(cache.access("ABCD A E"), "++++.A");
  EXPECT_EQ(cache.access("C F"), ".B");
  EXPECT_EQ(cache.access("G"), "D") << "C was used since";
}

TEST(ReplacementSrrip, CountsHitsWithFrequency) {
  PolicyChoice choice = "srrip";
  choice.load = [](const std::function<void(FieldVisitor&)>& fields) {
    SetFields set({});
    set.words["hit"] = "frequency";
    fields(set);
  };
  Cache cache(choice);
  // A was used twice more and B once: as the scan goes on B grows old, and A stays.
  EXPECT_EQ(cache.access("AB AA B CD EF GH"), "++...++CDBE");
  EXPECT_TRUE(cache.has('A'));
}

TEST(ReplacementRandom, FollowsFromSeedAndCacheAlone) {
  const std::string lines = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
  Cache first("random", 4, 7), same("random", 4, 7), seed("random", 4, 8), other("random", 4, 7, 1);
  const std::string happened = first.access(lines);
  // In between, others draw numbers.
  std::string again;
  for (const char c : lines) {
    seed.access("ab");
    again += same.access(std::string(1, c));
  }
  EXPECT_EQ(again, happened);
  EXPECT_NE(seed.access(lines), happened);
  EXPECT_NE(other.access(lines), happened);
}

TEST(ReplacementRandom, TakesEveryWay) {
  Cache cache("random", 4);
  std::set<TagArray::Line> taken;
  cache.access("ABCD");
  for (char c = 'E'; c <= 'Z'; ++c) {
    cache.access(std::string(1, c));
    taken.insert(cache.tags.probe(Cache::address(c)).line);
  }
  EXPECT_EQ(taken.size(), 4u);
}

PolicyChoice partition(std::vector<std::uint32_t> ways) {
  PolicyChoice choice = "way_partition";
  choice.load = [ways](const std::function<void(FieldVisitor&)>& fields) {
    SetFields set({});
    set.lists["ways"] = ways;
    fields(set);
  };
  return choice;
}

// Kernel 1 has filled the cache, of which it may have one way in four. Kernel 0 takes its three from it, then
// both replace lines of their own.
TEST(ReplacementWayPartition, TakesFromWhoIsOverAndThenFromItself) {
  Cache cache(partition({3, 1}));
  EXPECT_EQ(cache.access("1WXYZ"), "++++") << "free ways are for everybody";
  EXPECT_EQ(cache.access("1W 0A"), ".X") << "the least recently used one of kernel 1";
  EXPECT_EQ(cache.access("0BC"), "YZ");
  EXPECT_EQ(cache.access("0A D"), ".B") << "its own";
  EXPECT_EQ(cache.access("1V"), "W") << "its only one";
  EXPECT_EQ(cache.access("1C 1U"), ".V") << "a hit on another's line makes it nobody else's";
}

TEST(ReplacementWayPartition, QuotasChangeWhileItRuns) {
  Cache cache(partition({3, 1}));
  cache.access("0ABC 1X");
  ASSERT_EQ(cache.registers.size(), 1u);
  EXPECT_EQ(cache.registers[0].name, "REPLACEMENT_WAYS");
  EXPECT_EQ(cache.registers[0].count, 8u);
  EXPECT_EQ(cache.ways_of(0), 3u);
  cache.give(1, 2);
  EXPECT_EQ(cache.ways_of(1), 1u) << "5 of 4 ways are not taken";
  cache.give(0, 1);
  cache.give(1, 3);
  EXPECT_EQ(cache.ways_of(0), 1u);
  EXPECT_EQ(cache.ways_of(1), 3u);
  EXPECT_TRUE(cache.has('A') && cache.has('B') && cache.has('C')) << "a change alone moves nothing";
  EXPECT_EQ(cache.access("1YZ"), "AB");
  EXPECT_EQ(cache.access("1V"), "X");
  EXPECT_EQ(cache.access("0D"), "C");
}

TEST(ReplacementWayPartition, WhoHasNoQuotaSharesTheRest) {
  Cache cache(partition({2}));
  EXPECT_EQ(cache.access("0AB -P 5Q"), "++++");
  EXPECT_EQ(cache.access("-R 5S"), "PQ");
  EXPECT_EQ(cache.access("0C"), "A");
  // Slot 5 gets a way: of its own lines it has one, which counts from now on.
  cache.give(5, 1);
  EXPECT_EQ(cache.access("5T"), "S");
  EXPECT_EQ(cache.access("-U"), "R");
}

TEST(ReplacementWayPartition, WithoutQuotasItIsLru) {
  Cache lru("lru"), cache("way_partition");
  const std::string lines = "0ABCD 1A E 2B F 0CA -G B A";
  EXPECT_EQ(cache.access(lines), lru.access(lines));
}

TEST(ReplacementWayPartition, LinesUnderFillStay) {
  Cache cache(partition({2, 2}));
  cache.access("0AB 1XY");
  // Both of kernel 0's lines are on their way again: it takes one of kernel 1's, which is within its quota.
  cache.tags.invalidate(Cache::address('A'));
  cache.tags.invalidate(Cache::address('B'));
  const CacheUser zero{0, 0, 0};
  for (const char line : {'A', 'B'})
    EXPECT_TRUE(cache.tags.reserve(Cache::address(line), 1, TagArray::kNoLine, zero).ok);
  EXPECT_EQ(cache.access("0C"), "X");
}

TEST(ReplacementWayPartition, QuotasAboveTheWaysAreWrongInput) {
  try {
    Cache cache(partition({3, 2}));
    FAIL();
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), HasSubstr("'ways' gives out more than the 4 ways of the cache"));
  }
}

TEST(ReplacementWayPartition, CountsLinesTakenFromOthers) {
  Cache cache(partition({3, 1}));
  cache.access("1WXYZ 0AB 1V");
  StatMap stats;
  cache.replacement.stats(stats, "replacement");
  EXPECT_EQ(stats["replacement.taken_from_others"], 2) << "A and B; V takes kernel 1's own";
}

TEST(ReplacementUcp, WithoutADivisionItIsLru) {
  Cache lru("lru"), cache("ucp");
  const std::string lines = "0ABCD 1A E 2B F 0CA -G B A";
  EXPECT_EQ(cache.access(lines), lru.access(lines));
}

// Kernel 0 goes round three lines, kernel 1 streams. With all ways kernel 0 would hit from the second round
// on, kernel 1 never would: kernel 0 gets three ways of four.
TEST(ReplacementUcp, WhoUsesLinesAgainGetsWaysAndWhoStreamsDoesNot) {
  Cache cache(part_with("ucp", {{"period", 100}}));
  EXPECT_EQ(cache.registers.at(0).name, "REPLACEMENT_WAYS");
  EXPECT_EQ(cache.registers[0].access, RegisterAccess::kReadOnly);
  cache.access("0ABC 1PQR 0ABC 1STU");
  EXPECT_EQ(cache.ways_of(0), 0u) << "the period is not over";
  cache.now = 100;
  cache.access("0ABC");
  EXPECT_EQ(cache.ways_of(0), 3u);
  EXPECT_EQ(cache.ways_of(1), 1u);
  // From here on each takes what it has been given, and kernel 0 hits.
  cache.access("0ABC 1V");
  EXPECT_EQ(cache.access("1W 0ABC 1X 0ABC 1Y"), "V...W...X");
  StatMap stats;
  cache.replacement.stats(stats, "replacement");
  EXPECT_EQ(stats["replacement.divisions"], 1);
  EXPECT_EQ(stats["replacement.sampled_accesses"], 28);
}

TEST(ReplacementUcp, WhoIsGoneHasNoWaysAfterThePeriod) {
  Cache cache(part_with("ucp", {{"period", 100}}));
  cache.access("0ABAB 1PQPQ");
  cache.now = 100;
  cache.access("1RS");
  EXPECT_EQ(cache.ways_of(0), 2u);
  EXPECT_EQ(cache.ways_of(1), 2u);
  cache.now = 200;
  cache.access("1TU");
  EXPECT_EQ(cache.ways_of(0), 0u);
  EXPECT_EQ(cache.ways_of(1), 4u);
}

TEST(ReplacementUcp, MoreKernelsThanWaysShareAll) {
  Cache cache(part_with("ucp", {{"period", 100}}), 2);
  cache.access("0A 1B 2C");
  cache.now = 100;
  cache.access("0D");
  for (const unsigned slot : {0, 1, 2}) EXPECT_EQ(cache.ways_of(slot), 0u);
}

// An L1 gives ways to shared memory: what is left is divided by what is counted.
TEST(ReplacementUcp, ClosedWaysAreNotGivenOut) {
  Cache cache(part_with("ucp", {{"period", 100}}), 8);
  cache.access("0ABCDABCD 1PQRSTUVWXYZPQRSTUV");
  cache.now = 100;
  cache.access("0E");
  EXPECT_EQ(cache.ways_of(0) + cache.ways_of(1), 8u);
  cache.tags.limit_ways(5);
  EXPECT_EQ(cache.ways_of(0) + cache.ways_of(1), 5u);
}

TEST(UtilityMonitor, CountsHitsByPlaceInTheOrderOfUse) {
  UtilityMonitor monitor(2, 3);
  for (const std::uint64_t line : {1, 2, 3, 1}) monitor.access(0, line);  // third place
  monitor.access(0, 1);                                                   // first place
  monitor.access(0, 3);                                                   // second place
  monitor.access(1, 1);                                                   // another set: a miss
  for (const std::uint64_t line : {4, 5, 6, 2}) monitor.access(0, line);  // all miss
  using Curve = std::vector<std::uint64_t>;
  EXPECT_EQ(monitor.curve(), (Curve{0, 1, 2, 3}));
  for (int i = 0; i < 3; ++i) monitor.access(0, 2);
  EXPECT_EQ(monitor.curve(), (Curve{0, 4, 5, 6}));
  EXPECT_EQ(monitor.accesses(), 14u);
  monitor.begin_period();
  EXPECT_EQ(monitor.curve(), (Curve{0, 2, 2, 2}));
  EXPECT_EQ(monitor.accesses(), 0u);
}

// The paper's reason for looking ahead (section 3.3): user 1 gains nothing from one more way, and more than
// user 0 for each from four more.
TEST(Lookahead, SeesBehindAPlateau) {
  using Curves = std::vector<std::vector<std::uint64_t>>;
  using Ways = std::vector<std::uint32_t>;
  const std::vector<std::uint64_t> steady = {0, 10, 20, 30, 40, 50, 60, 70, 80};
  const std::vector<std::uint64_t> late = {0, 0, 0, 0, 0, 100, 100, 100, 100};
  EXPECT_EQ(lookahead(Curves{steady, late}, 8), (Ways{3, 5}));
  EXPECT_EQ(lookahead(Curves{steady, late}, 4), (Ways{3, 1})) << "four more ways are not there";
  EXPECT_EQ(lookahead(Curves{steady, steady}, 8), (Ways{4, 4})) << "equals gain in turn";
  EXPECT_EQ(lookahead(Curves{{0, 5, 5, 5, 5}, {0, 9, 12, 12, 12}, {0, 0, 1, 1, 9}}, 4), (Ways{1, 2, 1}));
}

TEST(Replacement, PoliciesThatCountNothingShowNothing) {
  Cache cache("fifo");
  StatMap stats;
  cache.replacement.stats(stats, "replacement");
  EXPECT_TRUE(stats.values.empty());
}

// Every policy, under fills that stay and ways that close and open: it answers within its contract (which is
// checked), lines that are there are found, and all ways are used.
class EveryReplacement : public ::testing::TestWithParam<std::string> {};
TEST_P(EveryReplacement, KeepsToWaysThatMayBeTaken) {
  constexpr std::uint32_t kSets = 4, kWays = 70;
  TagArray tags({kSets, kWays, 128, 32, false});
  Cache place("lru");  // whose clock and registers the policy goes on using
  Replacement replacement(GetParam().c_str(), place.here(3, 5), tags);
  std::uint64_t state = 12345;
  const auto draw = [&](std::uint64_t below) {
    state = state * 6364136223846793005ull + 1442695040888963407ull;
    return (state >> 33) % below;
  };
  std::map<std::uint64_t, std::uint32_t> under_fill;
  std::uint32_t open = kWays;
  for (unsigned i = 0; i < 20000; ++i) {
    if (draw(1000) == 0) {
      open = 1 + static_cast<std::uint32_t>(draw(kWays));
      tags.limit_ways(open);
    }
    const std::uint64_t address = draw(kSets * kWays * 2) * 128;
    const CacheUser by{static_cast<std::uint16_t>(draw(3)), 0, static_cast<std::uint16_t>(draw(32))};
    const auto found = tags.probe(address, 3);
    if (found.result == TagArray::Result::kHit) {
      tags.touch(found.line, by);
    } else if (found.result != TagArray::Result::kPending) {
      const auto r = tags.reserve(address, 3, found.line, by);
      ASSERT_EQ(r.ok, found.line != TagArray::kNoLine || tags.can_reserve(address));
      if (r.ok) under_fill[address] = 3;
    }
    while (under_fill.size() > kSets * open / 2) {
      const auto it = under_fill.begin();
      const TagArray::Line line = tags.fill(it->first, it->second);
      if (line != TagArray::kNoLine && tags.closed(line)) tags.drop_closed(line);
      under_fill.erase(it);
    }
    if (draw(50) == 0) tags.invalidate(address);
    if (under_fill.count(address) && tags.probe(address, 3).line == TagArray::kNoLine)
      under_fill.erase(address);
  }
}
std::vector<std::string> right_ones() {
  std::vector<std::string> names;
  for (const std::string& name : Registry<ReplacementPolicy>::instance().names())
    if (name.rfind("test_", 0) != 0) names.push_back(name);
  return names;
}
INSTANTIATE_TEST_SUITE_P(Names, EveryReplacement, ::testing::ValuesIn(right_ones()),
                         [](const auto& info) { return info.param; });

// ---- wrong answers

struct Wrong : ReplacementPolicy {
  void configure(const Cache&) override {}
  Place allocated(std::uint32_t, std::uint32_t, const CacheUser&) override { return Place::kNewest; }
  void touched(std::uint32_t, std::uint32_t, const CacheUser&) override {}
};
struct NoSuchWay : Wrong {
  std::uint32_t victim(const Full&) override { return 4; }
};
WARPVP_REGISTER_POLICY(ReplacementPolicy, NoSuchWay, "test_no_such_way", "Wrong.");
struct AlwaysTheFirst : Wrong {
  std::uint32_t victim(const Full&) override { return 0; }
};
WARPVP_REGISTER_POLICY(ReplacementPolicy, AlwaysTheFirst, "test_first_way", "Right until it is under fill.");

std::string failure_of(Cache& cache, char line) {
  try {
    cache.access(std::string(1, line));
  } catch (const PartFailure& failure) {
    return failure.what();
  }
  return "none";
}

TEST(ReplacementContract, AWayThatIsNotThere) {
  Cache cache("test_no_such_way");
  cache.access("ABCD");
  EXPECT_EQ(failure_of(cache, 'E'),
            "replacement policy 'test_no_such_way' broke its contract: victim() gave way 4, which is not in "
            "use; allowed: one of the 4 ways of the set that may be taken, such as 0; cache, set 0");
}

TEST(ReplacementContract, AWayUnderFill) {
  Cache cache("test_first_way");
  cache.access("ABCD");
  EXPECT_EQ(cache.access("E"), "A");
  cache.tags.reserve(Cache::address('F'), 1);
  EXPECT_THAT(failure_of(cache, 'G'), HasSubstr("way 0, which is under fill; allowed: one of the 3 ways"));
}

TEST(ReplacementContract, AWayThatIsClosed) {
  Cache cache("test_no_such_way", 8);
  cache.tags.limit_ways(2);
  cache.access("AB");
  EXPECT_THAT(failure_of(cache, 'C'), HasSubstr("way 4, which is not in use; allowed: one of the 2 ways"));
}

}  // namespace
}  // namespace warpvp::test
