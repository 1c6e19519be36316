// Prefetchers through their interface: what they propose for a sequence of loads; and the queue before a
// cache.

#include <gmock/gmock.h>

#include "base/error.h"
#include "base/registry.h"
#include "interconnect/cache/prefetching.h"
#include "tests/support/set_fields.h"

namespace warpvp::test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using Lines = std::vector<std::uint64_t>;

PolicyChoice choice_of(const char* name, std::map<std::string, double> numbers = {},
                       std::map<std::string, std::string> words = {}) {
  PolicyChoice choice = name;
  choice.load = [=](const std::function<void(FieldVisitor&)>& fields) {
    SetFields set(numbers);
    set.words = words;
    fields(set);
  };
  return choice;
}

class Proposer {
 public:
  explicit Proposer(const PolicyChoice& choice, bool knows_pc = true)
      : policy(Registry<Prefetcher>::instance().make(choice)) {
    policy->configure({128, knows_pc});
  }
  Lines access(Prefetcher::Access a) {
    Lines lines;
    policy->access(a, lines);
    return lines;
  }
  /// A miss of warp `warp` at `pc`; lines are numbers.
  Lines miss(std::uint64_t line, std::uint16_t warp = 0, std::uint64_t pc = 0) {
    Prefetcher::Access a;
    a.line = line * 128;
    a.by.warp = warp;
    a.sm = 0;
    a.pc = pc;
    Lines lines = access(a);
    for (std::uint64_t& l : lines) l /= 128;
    return lines;
  }
  std::unique_ptr<Prefetcher> policy;
};

TEST(PrefetchNone, NeverProposes) { EXPECT_TRUE(Registry<Prefetcher>::instance().make("none")->never()); }

TEST(PrefetchNextLine, ProposesLinesBehind) {
  Proposer one(choice_of("next_line")), more(choice_of("next_line", {{"degree", 3}, {"distance", 2}}));
  EXPECT_THAT(one.miss(10), ElementsAre(11));
  EXPECT_THAT(more.miss(10), ElementsAre(12, 13, 14));
}

TEST(PrefetchNextLine, OnMissesOnFirstUsesOrAlways) {
  Prefetcher::Access hit;
  hit.line = 1280;
  hit.hit = true;
  Prefetcher::Access first_use = hit;
  first_use.first_use = true;
  struct Row {
    const char* when;
    bool on_hit, on_first_use;
  };
  for (const Row row : {Row{"miss", false, false}, Row{"tagged", false, true}, Row{"always", true, true}}) {
    Proposer proposer(choice_of("next_line", {}, {{"when", row.when}}));
    EXPECT_EQ(!proposer.access(hit).empty(), row.on_hit) << row.when;
    EXPECT_EQ(!proposer.access(first_use).empty(), row.on_first_use) << row.when;
    EXPECT_THAT(proposer.miss(3), ElementsAre(4));
  }
}

TEST(PrefetchStride, ProposesFromTheSecondEqualStride) {
  Proposer stride(choice_of("stride"));
  EXPECT_THAT(stride.miss(10), IsEmpty());
  EXPECT_THAT(stride.miss(13), IsEmpty());
  EXPECT_THAT(stride.miss(16), ElementsAre(19));
  EXPECT_THAT(stride.miss(16), IsEmpty()) << "the same line again says nothing";
  EXPECT_THAT(stride.miss(19), ElementsAre(22));
  EXPECT_THAT(stride.miss(17), IsEmpty()) << "another stride begins";
  EXPECT_THAT(stride.miss(15), ElementsAre(13)) << "downwards";
}

TEST(PrefetchStride, DegreeDistanceAndConfidence) {
  Proposer far(choice_of("stride", {{"degree", 2}, {"distance", 4}, {"confidence", 1}}));
  EXPECT_THAT(far.miss(10), IsEmpty());
  EXPECT_THAT(far.miss(12), ElementsAre(20, 22));
}

TEST(PrefetchStride, StreamsAreOfWarpsOrInstructions) {
  // Two warps go through lines of their own, by two instructions each.
  struct Row {
    const char* by;
    bool finds;
  };
  for (const Row row : {Row{"warp", false}, Row{"pc", false}, Row{"pc_and_warp", true}}) {
    Proposer stride(choice_of("stride", {}, {{"by", row.by}}));
    Lines last;
    for (unsigned i = 0; i < 3; ++i)
      for (std::uint16_t warp : {0, 1})
        for (std::uint64_t pc : {8, 16}) last = stride.miss(1000 * warp + 100 * pc + 3 * i, warp, pc);
    EXPECT_EQ(!last.empty(), row.finds) << row.by;
  }
}

TEST(PrefetchStride, OneLineSpeaksForAnInstruction) {
  Proposer stride(choice_of("stride", {{"confidence", 1}}));
  stride.miss(10);
  Prefetcher::Access second;
  second.sm = second.by.warp = 0;
  second.line = 11 * 128;
  second.first = false;
  EXPECT_THAT(stride.access(second), IsEmpty());
  EXPECT_THAT(stride.miss(20), ElementsAre(30));
}

TEST(PrefetchStride, TheL2KnowsNoInstructions) {
  try {
    Proposer stride(choice_of("stride", {}, {{"by", "pc"}}), false);
    FAIL();
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), HasSubstr("'by' is pc; allowed in the L2, which knows no instructions: warp"));
  }
}

// ---- the queue, and what becomes of lines

struct ProposesTooMany : Prefetcher {
  void configure(const Cache&) override {}
  void access(const Access& a, Proposals& lines) override { lines.assign(kMostProposals + 1, a.line); }
};
WARPVP_REGISTER_POLICY(Prefetcher, ProposesTooMany, "test_too_many", "Wrong.");

/// A cache of that name, nowhere.
PolicyContext at(const char* place) {
  PolicyContext context;
  context.place = place;
  return context;
}

TEST(Prefetching, QueuesWhatFitsAndCountsWhatBecomesOfIt) {
  Prefetching prefetching(choice_of("next_line", {{"degree", 3}}), at("cache"), {128, false}, 4, 2);
  PrefetchCounters c;
  ASSERT_TRUE(prefetching.on());
  Prefetcher::Access miss;
  miss.line = 0x1000;
  prefetching.access(miss, {7, 1, {}, 0}, c);
  EXPECT_EQ(c.dropped, 1u);
  EXPECT_EQ(prefetching.front().line, 0x1080u);
  EXPECT_EQ(prefetching.front().from, 0x1000u);
  EXPECT_EQ(prefetching.front().cause.launch, 7u);
  prefetching.pop();
  prefetching.pop();
  EXPECT_FALSE(prefetching.waiting());
  for (unsigned line = 0; line < 4; ++line) prefetching.mark(line);
  EXPECT_TRUE(prefetching.used(0, true, c));
  EXPECT_FALSE(prefetching.used(0, true, c)) << "the second time it is a line like others";
  EXPECT_TRUE(prefetching.used(1, false, c));
  prefetching.gone(1, c);
  prefetching.gone(2, c);
  EXPECT_EQ(c.useful, 1u);
  EXPECT_EQ(c.late, 1u);
  EXPECT_EQ(c.unused, 1u);
}

TEST(Prefetching, WithoutAPrefetcherIsOff) {
  EXPECT_FALSE(Prefetching("none", at("cache"), {128, true}, 4, 2).on());
}

TEST(PrefetchContract, TooManyProposals) {
  Prefetching prefetching("test_too_many", at("L1 of SM 3"), {128, true}, 4, 2);
  PrefetchCounters c;
  Prefetcher::Access miss;
  miss.line = 0x80;
  try {
    prefetching.access(miss, {}, c);
    FAIL();
  } catch (const PartFailure& failure) {
    EXPECT_STREQ(
        failure.what(),
        "prefetcher policy 'test_too_many' broke its contract: access() proposed 65 lines; allowed: at "
        "most 64; L1 of SM 3, line 0x80");
  }
}

}  // namespace
}  // namespace warpvp::test
