// The MMU between scripted SMs and a memory that answers after a fixed time, with a protocol checker on every
// link: times of hits, misses and walks, what waits for what, limits, faults, counters.

#include "modules/mmu/mmu.h"

#include <gtest/gtest.h>

#include "base/registry.h"
#include "interconnect/protocol_checker.h"
#include "modules/mmu/mmu_config.h"
#include "modules/mmu/paged_mmu.h"
#include "tests/interconnect/crossbar_bench.h"
#include "tests/support/tlm_agents.h"

namespace warpvp {
namespace {

using test::Bank;
using test::kRead;
using test::kWrite;
constexpr std::uint64_t kPage = 2048 * 1024;
constexpr Cycle kMemory = 50;  // cycles of the bank

/// The address of a byte of the n-th page of device memory.
std::uint64_t in_page(unsigned page, std::uint64_t offset = 0) {
  return DeviceMemory::kBase + page * kPage + offset;
}

/// Puts a checker on every link.
class CheckedLinks : public LinkBinder {
 public:
  void bind(const std::string& link, LinkKind, tlm::tlm_initiator_socket<>& from,
            tlm::tlm_target_socket<>& to) override {
    checkers.push_back(std::make_unique<ProtocolChecker>(("check_" + link).c_str()));
    from.bind(checkers.back()->target);
    checkers.back()->initiator.bind(to);
  }
  std::vector<std::unique_ptr<ProtocolChecker>> checkers;
};

PagedMmuConfig small() {
  PagedMmuConfig c;
  c.tlb.entries = c.tlb.associativity = 4;
  c.shared.latency_cycles = 10;
  c.walker.latency_cycles = 5;
  return c;
}

/// A read of a context in the n-th page of device memory.
test::Requester::Request read(unsigned page, Cycle at, std::uint16_t context) {
  return {kRead, in_page(page), 32, at, AccessKind::kLoad, 0, 0, context};
}

struct Bench : sc_core::sc_module {
  /// Contexts 0 and 3 have page tables in which all of memory is mapped.
  Bench(const PagedMmuConfig& config, unsigned sms = 1, unsigned room = 1000,
        std::uint64_t memory_bytes = 64 << 20)
      : sc_module("bench"), memory(memory_bytes) {
    mmu = std::make_unique<PagedMmu>("mmu", MmuPlace{clock, memory, links, sms}, config);
    // As on the platform: the MMU has its half of an edge before the SMs.
    for (unsigned sm = 0; sm < sms; ++sm)
      requesters.push_back(std::make_unique<test::Requester>(("sm_" + std::to_string(sm)).c_str(), clock));
    for (unsigned sm = 0; sm < sms; ++sm) {
      const std::string n = std::to_string(sm);
      banks.push_back(std::make_unique<Bank>(("bank_" + n).c_str(), clock, kMemory, room));
      links.bind("sm_" + n, LinkKind::kMemory, requesters[sm]->port.socket, mmu->in(sm));
      links.bind("tlb_" + n, LinkKind::kMemory, mmu->out(sm), banks[sm]->port.socket);
    }
    links.bind("tables", LinkKind::kMemory, mmu->tables(), tables.port.socket);
    for (const unsigned context : {0u, 3u}) {
      const std::uint64_t root = mmu->spaces().create(context);
      mmu->page_tables().map(root, memory.base(), memory.base(), (memory_bytes + kPage - 1) / kPage * kPage);
      for (auto& requester : requesters) requester->page_tables[context] = root;
    }
  }
  void run() {
    sc_core::sc_start(sc_core::sc_time(100, sc_core::SC_US));
    for (auto& r : requesters) EXPECT_TRUE(r->done());
    for (auto& c : links.checkers) EXPECT_EQ(c->count(), 0u) << c->violations()[0].text;
  }
  Cycle latency(unsigned i, unsigned sm = 0) const {
    return requesters[sm]->results[i].answered - requesters[sm]->results[i].sent;
  }
  std::vector<std::uint64_t> seen(unsigned sm = 0) const {
    std::vector<std::uint64_t> addresses;
    for (const auto& [cycle, address] : banks[sm]->seen) addresses.push_back(address);
    return addresses;
  }

  ClockDomain clock{"clock", 1000};
  DeviceMemory memory;
  CheckedLinks links;
  std::vector<std::unique_ptr<test::Requester>> requesters;
  std::unique_ptr<PagedMmu> mmu;
  std::vector<std::unique_ptr<Bank>> banks;
  Bank tables{"tables", clock, kMemory, 1000};
};

// From a miss to its request's departure: the question is seen one edge after it is sent, which is one after
// the request; the shared TLB's walk likewise; the walk begins after 5, each read is sent, takes 50 and is
// seen one edge later; the shared TLB sees the walk's answer one edge later, answers 10 later, and that is
// seen one edge later. Four levels: the root and the three tables below it.
constexpr Cycle kReads4 = 4 * (kMemory + 1);

TEST(Mmu, AWalkReadsALevelAfterTheOtherAndAHitCostsNothing) {
  Bench bench(small());
  bench.requesters[0]->requests = {{kRead, in_page(1), 32, 10},
                                   {kRead, in_page(1, 4096), 32, 1000},
                                   {kWrite, in_page(2), 32, 2000},
                                   {kRead, in_page(1), 32, 3000}};
  bench.run();
  EXPECT_EQ(bench.latency(1), kMemory);
  EXPECT_EQ(bench.latency(3), kMemory);
  const Cycle walk = bench.latency(0) - kMemory, next_walk = bench.latency(2) - kMemory;
  EXPECT_EQ(walk, kReads4 + 5 + 10 + 5);
  // The second walk knows the tables of the first.
  EXPECT_EQ(walk - next_walk, 3 * (kMemory + 1));
  const MmuCounters total = bench.mmu->total();
  EXPECT_EQ(total.hits, 2u);
  EXPECT_EQ(total.misses, 2u);
  EXPECT_EQ(total.page_misses, 2u);
  EXPECT_EQ(total.shared_hits, 0u);
  EXPECT_EQ(total.walks, 2u);
  EXPECT_EQ(total.walk_reads, 4u + 1);
  EXPECT_EQ(total.waiting_cycles, walk + next_walk);
  EXPECT_EQ(total.walk_cycles, kReads4 + 5 + kMemory + 1 + 5)
      << "from the question to the answer's departure";
  EXPECT_EQ(bench.tables.seen.size(), 5u);
}

// The page is the same, and a context that knows it does not wait for another one's walk.
TEST(Mmu, AMissOfAnotherContextHoldsNobodyUp) {
  Bench bench(small());
  bench.requesters[0]->requests = {read(1, 10, 0), read(1, 1000, 3), read(1, 1010, 0)};
  bench.run();
  EXPECT_EQ(bench.latency(2), kMemory);
  EXPECT_EQ(bench.mmu->total().hits, 1u);
  EXPECT_EQ(bench.mmu->total().page_misses, 2u);
}

TEST(Mmu, WithoutKnownTablesEveryWalkBeginsAtTheRoot) {
  PagedMmuConfig config = small();
  config.walker.cache_entries = 0;
  Bench bench(config);
  bench.requesters[0]->requests = {{kRead, in_page(1), 32, 10}, {kRead, in_page(2), 32, 1000}};
  bench.run();
  EXPECT_EQ(bench.latency(0), bench.latency(1));
  EXPECT_EQ(bench.mmu->total().walk_reads, 8u);
}

TEST(Mmu, AWarmWalkerReadsTheLastTableOnly) {
  PagedMmuConfig config = small();
  config.walker.warm = true;
  Bench bench(config);
  bench.requesters[0]->requests = {
      {kRead, in_page(1), 32, 10}, {kRead, in_page(2), 32, 1000}, {kRead, 1 << 20, 32, 2000}};
  bench.run();
  EXPECT_EQ(bench.latency(0), bench.latency(1));
  EXPECT_EQ(bench.mmu->total().walk_reads, 2u + 3) << "where a table is missing, the walk begins at the root";
  EXPECT_EQ(bench.requesters[0]->results[2].status, tlm::TLM_ADDRESS_ERROR_RESPONSE);
}

TEST(Mmu, TheSharedTlbAnswersWhatAnotherSmHasAskedFor) {
  Bench bench(small(), 2);
  bench.requesters[0]->requests = {{kRead, in_page(1), 32, 10}};
  bench.requesters[1]->requests = {{kRead, in_page(1), 32, 1000}, {kRead, in_page(1), 32, 1100}};
  bench.run();
  const Cycle shared_hit = bench.latency(0, 1) - kMemory;
  EXPECT_EQ(shared_hit, 10u + 3);
  EXPECT_EQ(bench.latency(1, 1), kMemory);
  EXPECT_EQ(bench.mmu->total().shared_hits, 1u);
  EXPECT_EQ(bench.mmu->total().walks, 1u);
}

TEST(Mmu, OneWalkServesAllWhoAskForItsPage) {
  Bench bench(small(), 4);
  for (auto& requester : bench.requesters) requester->requests = {{kRead, in_page(1), 32, 10}};
  bench.run();
  EXPECT_EQ(bench.mmu->total().walks, 1u);
  EXPECT_EQ(bench.mmu->total().page_misses, 4u);
  EXPECT_EQ(bench.mmu->total().shared_hits, 0u);
}

TEST(Mmu, AnEntryOfTheSharedTlbCoversARunOfPages) {
  PagedMmuConfig config = small();
  config.shared.pages_per_entry = 4;
  Bench bench(config);
  bench.requesters[0]->requests = {{kRead, in_page(4), 32, 10},
                                   {kRead, in_page(7), 32, 1000},   // of the same run
                                   {kRead, in_page(8), 32, 2000}};  // of the next
  bench.run();
  EXPECT_EQ(bench.mmu->total().walks, 2u);
  EXPECT_EQ(bench.mmu->total().shared_hits, 1u);
}

// From the first entry on, a walk begins at the deepest table that it shares with one before: that of the
// pages, of its 1 GiB, of its 512 GiB. There the page or the next table is missing, or the page is there.
class KnownTables : public ::testing::TestWithParam<std::pair<std::uint64_t, bool>> {};

TEST_P(KnownTables, ServeTheNextWalk) {
  const auto [distance, mapped] = GetParam();
  Bench bench(small());
  bench.requesters[0]->requests = {{kRead, in_page(1), 32, 10}, {kRead, in_page(1) + distance, 32, 1000}};
  bench.run();
  EXPECT_EQ(bench.requesters[0]->results[1].status,
            mapped ? tlm::TLM_OK_RESPONSE : tlm::TLM_ADDRESS_ERROR_RESPONSE);
  EXPECT_EQ(bench.mmu->total().walk_reads, 4u + 1);
}
INSTANTIATE_TEST_SUITE_P(Mmu, KnownTables,
                         ::testing::Values(std::pair{kPage, true}, std::pair{std::uint64_t{1} << 30, false},
                                           std::pair{std::uint64_t{1} << 39, false}),
                         [](const auto& info) {
                           return "at_" + std::to_string(info.param.first >> 20) + "_mib";
                         });

TEST(Mmu, ReadsOfPageTablesSayWhatTheyAreAndTakeAWholeRunAtTheEnd) {
  PagedMmuConfig config = small();
  config.shared.pages_per_entry = 16;
  Bench bench(config);
  bench.requesters[0]->requests = {{kRead, in_page(1), 32, 10, AccessKind::kLoad, 5}};
  bench.run();
  ASSERT_EQ(bench.tables.kinds.size(), 4u);
  for (unsigned level = 0; level < 4; ++level) {
    EXPECT_EQ(bench.tables.kinds[level].bytes, level == 3 ? 128u : 8u);
    EXPECT_EQ(bench.tables.kinds[level].kind, AccessKind::kTranslation);
    EXPECT_EQ(bench.tables.kinds[level].launch, 5u);
  }
}

TEST(Mmu, MapsTheLastByteOfAMemoryThatIsNotWholePages) {
  Bench bench(small(), 1, 1000, (5 << 20) + 4096);
  const std::uint64_t last = bench.memory.base() + bench.memory.size() - 32;
  bench.requesters[0]->requests = {{kRead, last, 32, 10}, {kRead, last + kPage, 32, 1000}};
  bench.run();
  EXPECT_EQ(bench.requesters[0]->results[0].status, tlm::TLM_OK_RESPONSE);
  EXPECT_EQ(bench.seen(), std::vector<std::uint64_t>{last});
  EXPECT_EQ(bench.requesters[0]->results[1].status, tlm::TLM_ADDRESS_ERROR_RESPONSE);
}

// Three requests may wait, for two pages: a request to a known page passes them, unless one more came before.
struct Waiters {
  const char* name;
  std::vector<unsigned> pages;
  bool passes;
};
void PrintTo(const Waiters& w, std::ostream* out) { *out << w.name; }
class Limits : public ::testing::TestWithParam<Waiters> {};

TEST_P(Limits, LetSoManyWait) {
  PagedMmuConfig config = small();
  config.tlb.waiting = 3;
  config.tlb.misses = 2;
  Bench bench(config);
  auto& requests = bench.requesters[0]->requests;
  requests = {{kRead, in_page(1), 32, 10}};
  for (const unsigned page : GetParam().pages) requests.push_back({kRead, in_page(page), 32, 1000});
  requests.push_back({kRead, in_page(1), 32, 1000});
  bench.run();
  const auto last = static_cast<unsigned>(requests.size()) - 1;
  if (GetParam().passes) {
    EXPECT_EQ(bench.latency(last), kMemory);
  } else {
    EXPECT_GT(bench.requesters[0]->results[last].answered, 1000 + kMemory + 5 + 10);
  }
}
INSTANTIATE_TEST_SUITE_P(Mmu, Limits,
                         ::testing::Values(Waiters{"three_for_one_page", {2, 2, 2}, true},
                                           Waiters{"four_for_one_page", {2, 2, 2, 2}, false},
                                           Waiters{"two_pages", {2, 3}, true},
                                           Waiters{"three_pages", {2, 3, 4}, false}),
                         [](const auto& info) { return std::string(info.param.name); });

// Four SMs ask for two pages each that the shared TLB knows. It takes so many questions a cycle, and the SMs
// in turn.
class Lookups : public ::testing::TestWithParam<unsigned> {};

TEST_P(Lookups, AreTakenInTurn) {
  PagedMmuConfig config = small();
  config.shared.lookups_per_cycle = GetParam();
  Bench bench(config, 5);
  bench.requesters[4]->requests = {{kRead, in_page(1), 32, 10}, {kRead, in_page(2), 32, 1000}};
  for (unsigned sm = 0; sm < 4; ++sm)
    bench.requesters[sm]->requests = {{kRead, in_page(1), 32, 3000}, {kRead, in_page(2), 32, 3000}};
  bench.run();
  std::vector<std::pair<Cycle, std::uint64_t>> left;
  for (unsigned sm = 0; sm < 4; ++sm)
    for (const auto& seen : bench.banks[sm]->seen) left.push_back(seen);
  ASSERT_EQ(left.size(), 8u);
  std::sort(left.begin(), left.end());
  for (unsigned i = 0; i < 8; ++i) {
    EXPECT_EQ(left[i].first, left[0].first + i / GetParam());
    EXPECT_EQ(left[i].second, in_page(i < 4 ? 1 : 2)) << "nobody's second question before another's first";
  }
}
INSTANTIATE_TEST_SUITE_P(Mmu, Lookups, ::testing::Values(1u, 2u, 4u));

// Two contexts ask for one page at once, through SMs of their own: each has a walk of its own, and the later
// one, whose tables are known, ends first.
TEST(Mmu, ContextsDoNotShareAWalk) {
  Bench bench(small(), 2);
  bench.requesters[0]->requests = {read(1, 1000, 0)};
  bench.requesters[1]->requests = {read(2, 10, 3), read(1, 1001, 3)};
  bench.run();
  EXPECT_EQ(bench.mmu->total().walks, 3u);
  EXPECT_EQ(bench.latency(0, 0) - bench.latency(1, 1), 3 * (kMemory + 1));
  EXPECT_EQ(bench.requesters[0]->results[0].status, tlm::TLM_OK_RESPONSE);
  EXPECT_EQ(bench.requesters[1]->results[1].status, tlm::TLM_OK_RESPONSE);
}

// What stands behind takes one request at a time: requests to known pages wait before the MMU.
TEST(Mmu, ALinkThatIsTakenHoldsKnownPagesUp) {
  Bench bench(small(), 1, 1);
  auto& requests = bench.requesters[0]->requests;
  requests = {{kRead, in_page(1), 32, 10}};
  for (unsigned i = 1; i <= 5; ++i) requests.push_back({kRead, in_page(1, 32 * i), 32, 1000});
  bench.run();
  ASSERT_EQ(bench.banks[0]->seen.size(), 6u);
  for (unsigned i = 1; i <= 5; ++i) EXPECT_EQ(bench.banks[0]->seen[i].second, in_page(1, 32 * i));
  for (unsigned i = 2; i <= 5; ++i)
    EXPECT_GE(bench.banks[0]->seen[i].first, bench.banks[0]->seen[i - 1].first + kMemory);
}

// Behind the MMU stands a target that completes each request within the call.
TEST(Mmu, AnswersThatComeAtOnceWaitForTheirRequestsToBeTaken) {
  ClockDomain clock("clock", 1000);
  DeviceMemory memory(64 << 20);
  CheckedLinks links;
  PagedMmu mmu("mmu", MmuPlace{clock, memory, links, 1}, small());
  test::Requester requester("sm", clock);
  test::ScriptedTarget target("target", test::Variant::kCompleted);
  Bank tables("tables", clock, kMemory, 1000);
  links.bind("sm", LinkKind::kMemory, requester.port.socket, mmu.in(0));
  links.bind("tlb", LinkKind::kMemory, mmu.out(0), target.socket);
  links.bind("tables", LinkKind::kMemory, mmu.tables(), tables.port.socket);
  requester.page_tables[0] = mmu.spaces().root(0);
  mmu.page_tables().map(mmu.spaces().root(0), in_page(1), in_page(1), kPage);
  for (unsigned i = 0; i < 8; ++i)
    requester.requests.push_back({kRead, in_page(1, 32 * i), 32, 10 + i / 4 * 1000});
  sc_core::sc_start(sc_core::sc_time(100, sc_core::SC_US));
  EXPECT_TRUE(requester.done());
  for (unsigned i = 0; i < 8; ++i) EXPECT_EQ(requester.results[i].order, i);
  for (auto& c : links.checkers) EXPECT_EQ(c->count(), 0u) << c->violations()[0].text;
}

TEST(Mmu, RequestsToKnownPagesPassThoseThatWaitAndAPageKeepsItsOrder) {
  Bench bench(small());
  bench.requesters[0]->requests = {{kRead, in_page(1), 32, 10},       {kWrite, in_page(2, 0), 32, 1000},
                                   {kRead, in_page(1, 32), 32, 1001}, {kRead, in_page(2, 64), 32, 1002},
                                   {kRead, in_page(1, 96), 32, 1003}, {kWrite, in_page(2, 128), 32, 1004}};
  bench.run();
  const std::vector<std::uint64_t> expected = {in_page(1),    in_page(1, 32), in_page(1, 96),
                                               in_page(2, 0), in_page(2, 64), in_page(2, 128)};
  EXPECT_EQ(bench.seen(), expected);
  // Those that waited leave one a cycle.
  EXPECT_EQ(bench.banks[0]->seen[4].first - bench.banks[0]->seen[3].first, 1u);
  EXPECT_EQ(bench.banks[0]->seen[5].first - bench.banks[0]->seen[4].first, 1u);
}

// More than can wait, to more pages than can be asked for, with an output that takes one request at a time:
// the link to the SM is held up, nothing is lost, and each page's requests arrive in their order.
TEST(Mmu, LimitsHoldTheLinkUpAndLoseNothing) {
  PagedMmuConfig config = small();
  config.tlb.misses = 2;
  config.tlb.waiting = 3;
  config.tlb.entries = config.tlb.associativity = 2;
  Bench bench(config, 2, 1);
  for (unsigned i = 0; i < 300; ++i) {
    const unsigned page = (i * 7 + i / 11) % 6;
    for (unsigned sm = 0; sm < 2; ++sm)
      bench.requesters[sm]->requests.push_back(
          {i % 3 ? kRead : kWrite, in_page((page + sm) % 6, 32 * i), 32, 10});
  }
  bench.run();
  for (unsigned sm = 0; sm < 2; ++sm) {
    std::vector<std::uint64_t> seen = bench.seen(sm);
    ASSERT_EQ(seen.size(), 300u);
    std::map<std::uint64_t, std::uint64_t> last;
    for (const std::uint64_t address : seen) {
      std::uint64_t& before = last[address / kPage];
      EXPECT_LT(before, address);
      before = address;
    }
  }
}

// A request that comes at the very edge at which the last of those that waited leaves: whatever the edge, it
// is neither lost nor sent beside the other.
TEST(Mmu, ARequestMayComeAtAnyEdgeWhileOthersLeave) {
  Bench bench(small(), 64);
  for (unsigned sm = 0; sm < 64; ++sm)
    bench.requesters[sm]->requests = {{kRead, in_page(1), 32, 10},
                                      {kRead, in_page(1, 32), 32, 10 + kReads4 + sm}};
  bench.run();
  for (unsigned sm = 0; sm < 64; ++sm) {
    ASSERT_EQ(bench.banks[sm]->seen.size(), 2u) << sm;
    EXPECT_LT(bench.banks[sm]->seen[0].first, bench.banks[sm]->seen[1].first) << sm;
    EXPECT_EQ(bench.banks[sm]->seen[0].second, in_page(1)) << sm;
  }
}

TEST(Mmu, APageThatIsNotMappedIsAnAddressError) {
  Bench bench(small());
  bench.requesters[0]->requests = {
      {kRead, 1 << 20, 32, 10}, {kRead, 1 << 20, 32, 1000}, {kRead, in_page(1), 32, 2000}};
  bench.run();
  EXPECT_EQ(bench.requesters[0]->results[0].status, tlm::TLM_ADDRESS_ERROR_RESPONSE);
  EXPECT_EQ(bench.requesters[0]->results[1].status, tlm::TLM_ADDRESS_ERROR_RESPONSE);
  EXPECT_EQ(bench.requesters[0]->results[2].status, tlm::TLM_OK_RESPONSE);
  EXPECT_EQ(bench.banks[0]->seen.size(), 1u);
  EXPECT_EQ(bench.mmu->total().walks, 3u) << "an absent page is not kept";
}

// Two contexts at the same addresses of the same pages: what one knows is not known to the other.
class MmuContexts : public ::testing::TestWithParam<bool> {};

TEST_P(MmuContexts, KnowTheirPagesApart) {
  PagedMmuConfig config = small();
  config.walker.warm = GetParam();
  Bench bench(config);
  bench.requesters[0]->requests = {read(1, 10, 3),   read(2, 1000, 0), read(1, 2000, 0),
                                   read(1, 3000, 3), read(3, 6000, 3), read(2, 7000, 3)};
  bench.run();
  for (const auto& result : bench.requesters[0]->results) EXPECT_EQ(result.status, tlm::TLM_OK_RESPONSE);
  std::vector<std::uint64_t> expected;
  for (const unsigned page : {1, 2, 1, 1, 3, 2}) expected.push_back(in_page(page));
  EXPECT_EQ(bench.seen(), expected);
  EXPECT_EQ(bench.latency(3), kMemory);
  EXPECT_EQ(bench.mmu->total().misses, 5u);
  EXPECT_EQ(bench.mmu->total().walk_reads, GetParam() ? 5u : 4u + 4 + 1 + 1 + 1);
}
// No page table, one that is none, and one outside of device memory.
TEST_P(MmuContexts, WithoutPageTablesHaveNothingMapped) {
  PagedMmuConfig config = small();
  config.walker.warm = GetParam();
  Bench bench(config);
  auto& requester = *bench.requesters[0];
  requester.page_tables = {{1, bench.mmu->spaces().root(0) + 8}, {2, 4096}};
  for (const std::uint16_t context : {0, 1, 2}) requester.requests.push_back(read(1, 10, context));
  bench.run();
  for (const auto& result : requester.results) EXPECT_EQ(result.status, tlm::TLM_ADDRESS_ERROR_RESPONSE);
  EXPECT_EQ(bench.tables.seen.size(), 0u);
}
INSTANTIATE_TEST_SUITE_P(Mmu, MmuContexts, ::testing::Bool(),
                         [](const auto& info) { return info.param ? "warm" : "cold"; });

// One virtual page, which two contexts have in different places: what stands behind sees those.
TEST(Mmu, EachContextGetsToWhereItsOwnTablesLead) {
  Bench bench(small(), 2);
  constexpr std::uint64_t kVirtual = std::uint64_t{7} << 40;
  PageTables& tables = bench.mmu->page_tables();
  tables.map(bench.requesters[0]->page_tables[0], kVirtual, in_page(5), kPage);
  tables.map(bench.requesters[0]->page_tables[3], kVirtual, in_page(2), 2 * kPage);
  const auto at = [](std::uint64_t address, Cycle when, std::uint16_t context) {
    return test::Requester::Request{kRead, address, 32, when, AccessKind::kLoad, 0, 0, context};
  };
  bench.requesters[0]->requests = {at(kVirtual + 96, 10, 0), at(kVirtual + 96, 1000, 3),
                                   at(kVirtual + 128, 2000, 0), at(kVirtual + kPage, 3000, 0),
                                   at(kVirtual + kPage, 4000, 3)};
  bench.requesters[1]->requests = {at(kVirtual, 5000, 3), at(kVirtual, 6000, 0)};
  bench.run();
  EXPECT_EQ(bench.seen(0),
            (std::vector<std::uint64_t>{in_page(5, 96), in_page(2, 96), in_page(5, 128), in_page(3)}));
  EXPECT_EQ(bench.seen(1), (std::vector<std::uint64_t>{in_page(2), in_page(5)})) << "out of the shared TLB";
  EXPECT_EQ(bench.requesters[0]->results[3].status, tlm::TLM_ADDRESS_ERROR_RESPONSE);
  EXPECT_EQ(bench.mmu->total().shared_hits, 2u);
}

// What one context has allocated, the walk of another does not find, nor what was freed.
TEST(Mmu, MemoryOfAnotherContextIsNotMapped) {
  Bench bench(small());
  const std::uint64_t one = *bench.memory.allocate(kPage, 256, 1),
                      two = *bench.memory.allocate(kPage, 256, 2);
  auto& requester = *bench.requesters[0];
  for (const unsigned context : {1u, 2u}) requester.page_tables[context] = bench.mmu->spaces().root(context);
  for (const std::uint16_t context : {1, 2})
    for (const std::uint64_t address : {one, two})
      for (const auto command : {kRead, kWrite})
        requester.requests.push_back({command, address, 32, 10, AccessKind::kLoad, 0, 0, context});
  requester.requests.push_back({kRead, one, 32, 10000, AccessKind::kLoad, 0, 0, 1});
  sc_core::sc_start(sc_core::sc_time(5, sc_core::SC_US));
  bench.memory.release(one);
  bench.run();
  for (unsigned i = 0; i < 8; ++i)
    EXPECT_EQ(requester.results[i].status == tlm::TLM_OK_RESPONSE, i < 2 || i >= 6) << i;
  EXPECT_EQ(requester.results[8].status, tlm::TLM_ADDRESS_ERROR_RESPONSE) << "the TLBs forgot it";
  EXPECT_EQ(bench.seen(), (std::vector<std::uint64_t>{one, one, two, two}));
}

// A run of pages was read when only some of them were mapped.
TEST(Mmu, APageThatIsMappedLaterIsFound) {
  PagedMmuConfig config = small();
  config.shared.pages_per_entry = 4;
  Bench bench(config);
  constexpr std::uint64_t kVirtual = std::uint64_t{7} << 40;
  const std::uint64_t root = bench.requesters[0]->page_tables[0];
  bench.mmu->page_tables().map(root, kVirtual, in_page(5), kPage);
  bench.requesters[0]->requests = {{kRead, kVirtual, 32, 10},
                                   {kRead, kVirtual + kPage, 32, 1000},
                                   {kRead, kVirtual + kPage, 32, 3000},
                                   {kRead, kVirtual + kPage, 32, 4000}};
  sc_core::sc_start(sc_core::sc_time(2, sc_core::SC_US));
  bench.mmu->page_tables().map(root, kVirtual + kPage, in_page(7), kPage);
  bench.run();
  EXPECT_EQ(bench.requesters[0]->results[1].status, tlm::TLM_ADDRESS_ERROR_RESPONSE);
  EXPECT_EQ(bench.seen(), (std::vector<std::uint64_t>{in_page(5), in_page(7), in_page(7)}));
  EXPECT_EQ(bench.latency(3), kMemory);
  EXPECT_EQ(bench.mmu->total().walks, 3u);
}

TEST(Mmu, ANewKernelFindsEmptyTlbsWhenTheyAreInvalidated) {
  PagedMmuConfig config = small();
  config.invalidate = "kernel_start";
  Bench bench(config);
  bench.requesters[0]->requests = {{kRead, in_page(1), 32, 10, AccessKind::kLoad, 0},
                                   {kRead, in_page(1), 32, 1000, AccessKind::kLoad, 0},
                                   {kRead, in_page(1), 32, 2000, AccessKind::kLoad, 1},
                                   {kRead, in_page(1), 32, 3000, AccessKind::kLoad, 0}};
  bench.run();
  EXPECT_EQ(bench.latency(1), kMemory);
  EXPECT_GT(bench.latency(2), kMemory + 5 + 10);
  EXPECT_EQ(bench.latency(3), kMemory) << "an older kernel beside it changes nothing";
  EXPECT_EQ(bench.mmu->at(0).hits, 2u);
  EXPECT_EQ(bench.mmu->at(0).walks, 1u);
  EXPECT_EQ(bench.mmu->at(1).walks, 1u);
  EXPECT_EQ(bench.mmu->at(1).walk_reads, 1u) << "what the walker knows of tables stays";
}

TEST(Mmu, BlockingAndDebugAccessesAreTranslated) {
  Bench bench(small());
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  tlm::tlm_generic_payload payload;
  auto* const ext = new MemExtension;
  ext->page_table = bench.mmu->spaces().root(0);
  payload.set_extension(ext);
  payload.set_address(in_page(3, 5));
  sc_core::sc_time delay;
  bench.requesters[0]->port.socket->b_transport(payload, delay);
  EXPECT_EQ(bench.banks[0]->last_blocking, in_page(3, 5));
  payload.set_address(12345);
  bench.requesters[0]->port.socket->b_transport(payload, delay);
  EXPECT_EQ(payload.get_response_status(), tlm::TLM_ADDRESS_ERROR_RESPONSE);
  EXPECT_EQ(bench.requesters[0]->port.socket->transport_dbg(payload), 0u);
}

}  // namespace
}  // namespace warpvp
