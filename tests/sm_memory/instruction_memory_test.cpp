// The instruction caches of an SM, edge by edge: an L0 of each sub-core with a stream buffer, the port, and
// the L1. A fetch is made behind the memory side's part of an edge, as sub-cores make theirs. The memory
// answers 100 cycles after a request, and is looked at one edge later.

#include <gtest/gtest.h>

#include <memory>
#include <ostream>
#include <random>
#include <set>

#include "tests/sm_memory/harness.h"

namespace warpvp::test {
namespace {

constexpr Cycle kMemory = 101;  // from a lookup that misses the L1 to the line in it
constexpr unsigned kLine = 128;

/// An L0 of two sets of two ways, five cycles before and three behind an L1 of 4 sets of 2 ways.
MemorySideConfig with_l0() {
  MemorySideConfig config = small_config();
  InstructionCacheConfig& c = config.instruction;
  c.size_bytes = 8 * kLine;
  c.associativity = 2;
  c.mshrs = 8;
  c.l0.size_bytes = 4 * kLine;
  c.l0.associativity = 2;
  c.l0.mshrs = 4;
  c.l0.request_latency = 5;
  c.l0.reply_latency = 3;
  return config;
}
MemorySideConfig with_stream(unsigned lines) {
  MemorySideConfig config = with_l0();
  config.instruction.l0.stream_lines = lines;
  config.instruction.l0.mshrs = 16;
  return config;
}

struct Fetch {
  Cycle at;
  unsigned line;
  unsigned sub_core = 0;
};
struct Fill {
  Cycle at;
  unsigned line;
  unsigned sub_core = 0;
  bool operator==(const Fill& o) const { return at == o.at && line == o.line && sub_core == o.sub_core; }
};
std::ostream& operator<<(std::ostream& out, const Fill& f) {
  return out << f.at << ": line " << f.line << " for sub-core " << static_cast<int>(f.sub_core);
}
constexpr unsigned kAllOfThem = FetchClient::kAllSubCores;

/// What became of a script of fetches of a program of `lines` lines.
struct Outcome {
  std::vector<bool> hits;
  std::vector<Fill> fills;     // for which a fetch waited
  std::vector<Fill> requests;  // to the L2
  StatMap stats;
  double operator[](const std::string& key) const { return stats["instruction_cache." + key]; }
};
struct Script {
  MemorySideConfig config;
  std::vector<Fetch> fetches;
  unsigned lines = 1000;
  std::function<void(Bench&)> more = {};
};
/// One simulation with a memory side for each script.
std::vector<Outcome> run(const std::vector<Script>& scripts) {
  std::vector<Outcome> outcomes(scripts.size());
  std::vector<std::unique_ptr<Bench>> benches;
  for (std::size_t s = 0; s < scripts.size(); ++s) {
    const Script& script = scripts[s];
    benches.push_back(
        std::make_unique<Bench>(script.config, kMemory - 1, ("bench" + std::to_string(s)).c_str()));
    Bench& b = *benches.back();
    outcomes[s].hits.resize(script.fetches.size());
    for (std::size_t i = 0; i < script.fetches.size(); ++i)
      b.call_at(script.fetches[i].at, [&b, &script, &outcome = outcomes[s], i](Cycle now) {
        const Fetch& f = script.fetches[i];
        outcome.hits[i] = b.memory->fetch(
            {kBase + f.line * kLine + 16, kBase + script.lines * kLine, AccessOwner{}, f.sub_core}, now);
      });
    if (script.more) script.more(b);
  }
  benches[0]->run();
  for (std::size_t s = 0; s < scripts.size(); ++s) {
    const Bench& b = *benches[s];
    EXPECT_TRUE(b.memory->idle());
    for (std::size_t i = 0; i < b.lines_filled.size(); ++i)
      outcomes[s].fills.push_back({b.lines_filled[i].first,
                                   static_cast<unsigned>((b.lines_filled[i].second - kBase) / kLine),
                                   b.fillers[i]});
    for (const auto& request : b.target.requests) {
      EXPECT_EQ(request.kind, AccessKind::kInstruction);
      outcomes[s].requests.push_back(
          {request.cycle, static_cast<unsigned>((request.address - kBase) / kLine)});
    }
    outcomes[s].stats = b.stats();
  }
  return outcomes;
}

// ---- table of times

struct Case {
  std::string name;
  MemorySideConfig config;
  std::vector<Fetch> fetches;
  std::vector<bool> hits;
  std::vector<Fill> fills;
  std::vector<Fill> requests;
  unsigned lines = 1000;
};
std::ostream& operator<<(std::ostream& out, const Case& c) { return out << c.name; }

MemorySideConfig changed(MemorySideConfig config,
                         const std::function<void(InstructionCacheConfig&)>& change) {
  change(config.instruction);
  return config;
}

class InstructionTimes : public testing::TestWithParam<Case> {};

TEST_P(InstructionTimes, AreThoseWorkedOutByHand) {
  const Case& c = GetParam();
  const Outcome o = run({{c.config, c.fetches, c.lines}})[0];
  EXPECT_EQ(o.hits, c.hits);
  EXPECT_EQ(o.fills, c.fills);
  EXPECT_EQ(o.requests, c.requests);
}

// A miss at edge t is looked up in the L1 at t + 5; the line is in the L0 three edges after it was found
// there.
const std::vector<Case> kCases = {
    {"MissOfBoth", with_l0(), {{10, 0}, {118, 0}, {119, 0}}, {false, false, true}, {{119, 0}}, {{15, 0}}},
    {"HitOfTheL1",
     with_l0(),
     {{10, 0}, {200, 0, 1}, {207, 0, 1}, {208, 0, 1}},
     {false, false, false, true},
     {{119, 0}, {208, 0, 1}},
     {{15, 0}}},
    // The port takes one request an edge, and gives one line back.
    {"TwoSubCoresShareALine",
     with_l0(),
     {{10, 0, 1}, {10, 0, 0}},
     {false, false},
     {{119, 0, 0}, {120, 0, 1}},
     {{15, 0}}},
    {"TwoLinesAnEdge",
     changed(with_l0(), [](auto& c) { c.lines_per_cycle = 2; }),
     {{10, 0, 1}, {10, 0, 0}},
     {false, false},
     {{119, 0, 0}, {119, 0, 1}},
     {{15, 0}}},
    {"SubCoresTakeTurnsAtThePort",
     with_l0(),
     {{10, 0, 2}, {11, 1, 0}, {11, 2, 3}},
     {false, false, false},
     {{119, 0, 2}, {120, 2, 3}, {121, 1, 0}},
     {{15, 0}, {16, 2}, {17, 1}}},
    // A sub-core's warps: the lines that they wait for are asked for in turn, each once.
    {"LinesOfASubCore",
     with_l0(),
     {{10, 0}, {11, 1}, {12, 0}},
     {false, false, false},
     {{119, 0}, {120, 1}},
     {{15, 0}, {16, 1}}},
    {"MshrsOfTheL0",
     changed(with_l0(), [](auto& c) { c.l0.mshrs = 1; }),
     {{10, 0}, {11, 1}},
     {false, false},
     {{119, 0}, {119 + 4 + 104, 1}},
     {{15, 0}, {119 + 4, 1}}},
    {"MshrsOfTheL1",
     changed(with_l0(), [](auto& c) { c.mshrs = 1; }),
     {{10, 0}, {10, 1, 1}, {10, 0, 2}},
     {false, false, false},
     {{119, 0}, {120, 0, 2}, {220, 1, 1}},
     {{15, 0}, {116, 1}}},
    // Three lines of one set of the L0, which are apart in the L1.
    {"EvictionByThrash",
     with_l0(),
     {{10, 0}, {200, 2}, {400, 4}, {600, 2}, {700, 0}, {708, 0}, {800, 4}},
     {false, false, false, true, false, true, false},
     {{119, 0}, {309, 2}, {509, 4}, {708, 0}, {808, 4}},
     {{15, 0}, {205, 2}, {405, 4}}},
    // Smaller lines in the L0: four of them are one line of the L1, and each is asked for.
    {"SmallerLinesInTheL0",
     changed(with_l0(), [](auto& c) { c.l0.line_bytes = 32; }),
     {{10, 0}, {300, 0}},
     {false, true},
     {{119, 0}},
     {{15, 0}}},

    // The line that is waited for is asked for at edge 11, the next at 12 and 13.
    {"PrefetchInTime",
     with_stream(2),
     {{10, 0}, {120, 1}, {121, 2}},
     {false, true, true},
     {{119, 0}},
     {{15, 0}, {16, 1}, {17, 2}, {125, 3}, {126, 4}}},
    {"PrefetchLate",
     with_stream(2),
     {{10, 0}, {118, 1}, {120, 1}},
     {false, false, true},
     {{119, 0}, {120, 1}},
     {{15, 0}, {16, 1}, {17, 2}, {123, 3}}},
    // Nothing behind the program's end, which lies in line 2, in line 1, or in the line itself.
    {"UpToTheProgramsEnd", with_stream(8), {{10, 0}}, {false}, {{119, 0}}, {{15, 0}, {16, 1}, {17, 2}}, 3},
    {"ProgramOfTwoLines",
     with_stream(8),
     {{10, 0}, {120, 1}},
     {false, true},
     {{119, 0}},
     {{15, 0}, {16, 1}},
     2},
    {"ProgramOfOneLine", with_stream(8), {{10, 0}}, {false}, {{119, 0}}, {{15, 0}}, 1},
    // What a fetch of another sub-core waits for goes before what is asked for ahead.
    {"DemandsGoFirst",
     changed(with_stream(3), [](auto& c) { c.mshrs = 16; }),
     {{10, 0}, {10, 50, 1}, {13, 90, 3}},
     {false, false, false},
     {{119, 0}, {120, 50, 1}, {122, 90, 3}},
     {{15, 0},
      {16, 50},
      {17, 1},
      {18, 90},
      {19, 2},
      {20, 51},
      {21, 91},
      {22, 3},
      {23, 52},
      {24, 92},
      {25, 53},
      {26, 93}}},
    // A jump: lines not asked for yet are cancelled, and line 1, which is on its way, is of no use when it
    // comes.
    {"AJumpCancelsTheStream",
     with_stream(4),
     {{10, 0}, {12, 50}, {500, 1}},
     {false, false, false},
     {{119, 0}, {121, 50}, {508, 1}},
     {{15, 0},
      {16, 1},
      {17, 50},
      {18, 51},
      {19, 52},
      {20, 53},
      {21, 54},
      {506, 2},
      {507, 3},
      {508, 4},
      {509, 5}}},
    // Line 1 is on its way for another warp when the stream behind line 0 begins: not asked for twice.
    {"TheStreamSkipsWhatIsOnItsWay",
     with_stream(2),
     {{10, 1}, {20, 0}},
     {false, false},
     {{119, 1}, {129, 0}},
     {{15, 1}, {16, 2}, {17, 3}, {25, 0}}},

    // The L1's own prefetch, without an L0: a miss leaves at its own edge, one request an edge.
    {"L1PrefetchInTime",
     changed(small_config(), [](auto& c) { c.prefetch_lines = 2; }),
     {{10, 0}, {112, 1}, {113, 3}, {300, 3}},
     {false, true, false, true},
     {{111, 0, kAllOfThem},
      {112, 1, kAllOfThem},
      {113, 2, kAllOfThem},
      {213, 3, kAllOfThem},
      {214, 4, kAllOfThem},
      {215, 5, kAllOfThem}},
     {{10, 0}, {11, 1}, {12, 2}, {112, 3}, {113, 4}, {114, 5}}},
    {"L1PrefetchToTheProgramsEnd",
     changed(small_config(), [](auto& c) { c.prefetch_lines = 4; }),
     {{10, 0}},
     {false},
     {{111, 0, kAllOfThem}, {112, 1, kAllOfThem}},
     {{10, 0}, {11, 1}},
     2},
    {"L1PrefetchAsFarAsThereAreMshrs",
     changed(small_config(), [](auto& c) { c.prefetch_lines = 4, c.mshrs = 2; }),
     {{10, 0}},
     {false},
     {{111, 0, kAllOfThem}, {112, 1, kAllOfThem}},
     {{10, 0}, {11, 1}}},
    {"L1PrefetchBehindAnL0",
     changed(with_l0(), [](auto& c) { c.prefetch_lines = 1; }),
     {{10, 0}, {200, 1}},
     {false, false},
     {{119, 0}, {208, 1}},
     {{15, 0}, {16, 1}, {205, 2}}},
};
INSTANTIATE_TEST_SUITE_P(Of, InstructionTimes, testing::ValuesIn(kCases),
                         [](const auto& info) { return info.param.name; });

// ---- counters

TEST(InstructionCounters, TellUsedFromLateFromUnused) {
  // Lines 1 and 2 come in time, 3 to 5 are given up: 3 is here, 4 and 5 are on their way. In the second
  // script line 1 is late.
  const auto outcomes = run({{with_stream(3), {{10, 0}, {120, 1}, {121, 2}, {130, 100}}, 101},
                             {with_stream(3), {{10, 0}, {118, 1}}, 2}});
  const Outcome& o = outcomes[0];
  EXPECT_EQ(o.hits, (std::vector<bool>{false, true, true, false}));
  EXPECT_EQ(o["l0.lookups"], 4);
  EXPECT_EQ(o["l0.hits"], 2);
  EXPECT_EQ(o["l0.misses"], 2);
  EXPECT_EQ(o["l0.prefetches"], 5);
  EXPECT_EQ(o["l0.prefetches_used"], 2);
  EXPECT_EQ(o["l0.prefetches_late"], 0);
  EXPECT_EQ(o["l0.prefetches_unused"], 3);
  EXPECT_EQ(o["l1.lookups"], 7);
  EXPECT_EQ(o["l1.hits"], 0);
  EXPECT_EQ(o.stats["instruction_fetches"], 4);
  EXPECT_EQ(o.stats["instruction_misses"], 2);
  EXPECT_EQ(outcomes[1]["l0.prefetches"], 1);
  EXPECT_EQ(outcomes[1]["l0.prefetches_late"], 1);
  EXPECT_EQ(outcomes[1]["l0.hits"], 0);
}

TEST(InstructionCounters, OfTheL1sOwnPrefetch) {
  // Line 1 is used, 2 late, 3 evicted by a line of its set before anybody looked it up.
  MemorySideConfig config = changed(small_config(), [](auto& c) {
    c.size_bytes = 8 * kLine;
    c.associativity = 1;
    c.prefetch_lines = 1;
  });
  const Outcome o = run({{config, {{10, 0}, {150, 1}, {200, 2}, {400, 11}, {600, 20}}, 4}})[0];
  EXPECT_EQ(o.hits, (std::vector<bool>{false, true, false, false, false}));
  EXPECT_EQ(o["l1.lookups"], 5);
  EXPECT_EQ(o["l1.hits"], 1);
  EXPECT_EQ(o["l1.prefetches"], 3);
  EXPECT_EQ(o["l1.prefetches_used"], 1);
  EXPECT_EQ(o["l1.prefetches_late"], 1);
  EXPECT_EQ(o["l1.prefetches_unused"], 1);
  EXPECT_EQ(o["l0.lookups"], 0);
}

// ---- ideal, invalidation, messages

TEST(InstructionMemory, IdealCachesAskForNothing) {
  std::vector<Script> scripts;
  for (const char* model : {"hierarchy", "isolated"}) {
    scripts.push_back({with_stream(4), {{10, 0}, {11, 7, 3}}});
    scripts.back().config.model = model;
    scripts.back().config.instruction.ideal = true;
  }
  for (const Outcome& o : run(scripts)) {
    EXPECT_EQ(o.hits, (std::vector<bool>{true, true}));
    EXPECT_TRUE(o.requests.empty());
    EXPECT_EQ(o.stats["instruction_fetches"], 2);
    EXPECT_EQ(o.stats["instruction_misses"], 0);
  }
}

TEST(InstructionMemory, InvalidationDropsWhatIsHereAndLosesNothingUnderWay) {
  // At 117 line 0 is in the L1 and on its way to the L0; at 300 all is here.
  const std::vector<Cycle> times{50, 117, 300};
  std::vector<Script> scripts;
  for (unsigned stream : {0u, 2u})
    for (Cycle when : times)
      scripts.push_back({with_stream(stream), {{10, 0}, {200, 0}, {400, 0}}, 3, [when](Bench& b) {
                           b.call_at(when, [&b](Cycle) { b.memory->invalidate_instructions(); });
                         }});
  const std::vector<Outcome> outcomes = run(scripts);
  for (std::size_t i = 0; i < outcomes.size(); ++i) {
    const bool dropped = times[i % times.size()] == 300;
    EXPECT_EQ(outcomes[i].hits, (std::vector<bool>{false, true, !dropped})) << i;
    EXPECT_EQ(outcomes[i].fills.back(), (dropped ? Fill{509, 0} : Fill{119, 0})) << i;
  }
}

TEST(InstructionMemory, SaysWhereALineIs) {
  std::vector<std::string> l0, l1;
  const auto ask = [](std::vector<std::string>& words, Cycle at, unsigned line) {
    return [&words, at, line](Bench& b) {
      b.call_at(at, [&b, &words, line](Cycle) {
        words.push_back(b.memory->line_whereabouts(0, kBase + line * kLine));
      });
    };
  };
  run({{changed(with_l0(), [](auto& c) { c.l0.mshrs = 1; }),
        {{10, 0}, {10, 1}},
        1000,
        [&](Bench& b) {
          ask(l0, 11, 0)(b);
          ask(l0, 12, 1)(b);
          ask(l0, 20, 0)(b);
          ask(l0, 117, 0)(b);
        }},
       {changed(small_config(), [](auto& c) { c.mshrs = 1; }), {{10, 0}, {10, 1}}, 1000, [&](Bench& b) {
          ask(l1, 20, 0)(b);
          ask(l1, 21, 1)(b);
        }}});
  EXPECT_EQ(
      l0, (std::vector<std::string>{
              "is on its way from the L1 instruction cache", "waits for the port of the L1 instruction cache",
              "is on its way from the L2", "is on its way from the L1 instruction cache"}));
  EXPECT_EQ(l1, (std::vector<std::string>{"is on its way from the L2",
                                          "waits for an MSHR of the L1 instruction cache"}));
}

// ---- order of evaluation, and much traffic

TEST(InstructionMemory, TheOrderOfSubCoresAtAnEdgeDoesNotMatter) {
  std::vector<Fetch> forth, back;
  for (Cycle at = 10; at < 400; at += 13)
    for (unsigned s = 0; s < 4; ++s) forth.push_back({at, static_cast<unsigned>(at / 40 + s % 2 * 30), s});
  for (std::size_t i = 0; i < forth.size(); i += 4)
    for (unsigned s = 4; s-- > 0;) back.push_back(forth[i + s]);
  const auto outcomes = run({{with_stream(4), forth}, {with_stream(4), back}});
  EXPECT_FALSE(outcomes[0].fills.empty());
  EXPECT_EQ(outcomes[0].fills, outcomes[1].fills);
  EXPECT_EQ(outcomes[0].requests, outcomes[1].requests);
  EXPECT_EQ(outcomes[0].stats.values, outcomes[1].stats.values);
}

class InstructionTraffic : public testing::TestWithParam<unsigned> {};

// Whatever is fetched by whom: each line waited for comes, to the sub-core that waits, and lines asked for
// ahead are accounted for.
TEST_P(InstructionTraffic, EveryMissIsFilledAndEveryPrefetchIsAccountedFor) {
  std::mt19937 random(GetParam());
  MemorySideConfig config = with_stream(GetParam() % 5 * 2);
  config.instruction.prefetch_lines = GetParam() % 3;
  config.instruction.mshrs = 1 + GetParam() % 7;
  config.instruction.l0.mshrs = 1 + GetParam() % 4;
  config.instruction.lines_per_cycle = 1 + GetParam() % 2;
  Bench b(config, 30 + GetParam());
  constexpr unsigned kLines = 24;
  std::set<std::pair<unsigned, std::uint64_t>> waiting;
  unsigned place[4] = {}, misses = 0, again = 0;
  std::size_t seen = 0;
  for (Cycle at = 10; at < 6000; ++at)
    b.call_at(at, [&](Cycle now) {
      for (; seen < b.lines_filled.size(); ++seen)
        EXPECT_EQ(waiting.erase({b.fillers[seen], b.lines_filled[seen].second}), 1u);
      const unsigned s = random() % 4;
      place[s] = random() % 8 == 0 ? random() % kLines : (place[s] + random() % 2) % kLines;
      const std::uint64_t line = kBase + place[s] * kLine;
      const bool hit = b.memory->fetch({line, kBase + kLines * kLine - 64, AccessOwner{}, s}, now);
      EXPECT_FALSE(hit && waiting.count({s, line}));
      if (hit) return;
      ++misses;
      again += !waiting.insert({s, line}).second;
    });
  b.run();
  for (; seen < b.lines_filled.size(); ++seen) waiting.erase({b.fillers[seen], b.lines_filled[seen].second});
  EXPECT_TRUE(waiting.empty());
  EXPECT_TRUE(b.memory->idle());
  EXPECT_GT(misses, again);
  for (const auto& request : b.target.requests) EXPECT_LT(request.address, kBase + kLines * kLine);
  b.memory->invalidate_instructions();  // what is here unused becomes so
  const StatMap stats = b.stats();
  EXPECT_EQ(stats["instruction_misses"], misses);
  for (const std::string level : {"instruction_cache.l0.", "instruction_cache.l1."}) {
    EXPECT_EQ(stats[level + "lookups"], stats[level + "hits"] + stats[level + "misses"]);
    EXPECT_EQ(stats[level + "prefetches"], stats[level + "prefetches_used"] +
                                               stats[level + "prefetches_late"] +
                                               stats[level + "prefetches_unused"]);
  }
}
INSTANTIATE_TEST_SUITE_P(Seeds, InstructionTraffic, testing::Range(1u, 25u));

}  // namespace
}  // namespace warpvp::test
