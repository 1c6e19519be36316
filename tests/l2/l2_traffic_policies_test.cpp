// What policies make a bank of the L2 send: writes that go to DRAM at once, recalls of lines from L1s, and
// lines that are fetched before they are asked for.

#include "base/registry.h"
#include "interconnect/register_map.h"
#include "tests/l2/bank_bench.h"
#include "tests/support/set_fields.h"
#include "tests/support/stat_map.h"

namespace warpvp {
namespace {

using namespace bank_test;

constexpr std::uint64_t B = A + kSetStride, C = A + 2 * kSetStride, D = A + 3 * kSetStride;

struct Row {
  const char* what;
  Request request;
  Cycle latency;
  unsigned dram_accesses;
};

// One request every 500 cycles.
void expect_rows(Bench& bench, const std::vector<Row>& rows) {
  std::vector<Request> requests;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    requests.push_back(rows[i].request);
    requests.back().not_before = 10 + 500 * i;
  }
  bench.run(requests);
  for (unsigned i = 0; i < rows.size(); ++i) {
    SCOPED_TRACE(rows[i].what);
    EXPECT_EQ(bench.latency(i), rows[i].latency);
    EXPECT_EQ(bench.requester.results[i].dram_accesses, rows[i].dram_accesses);
  }
}

// ---- writes

TEST(L2WritePolicy, WriteThroughKeepsNoLineDirty) {
  CacheBankConfig config = small_bank();
  config.write_policy = "write_through";
  Bench bench(config);
  expect_rows(
      bench,
      {
          {"a whole sector: taken in", {kWrite, A, 32}, 30, 1},
          {"and here", {kRead, A, 32}, 30, 0},
          {"part of it", {kWrite, A + 8, 8}, 30, 1},
          {"is here with the rest", {kRead, A, 32}, 30, 0},
          {"part of an absent sector: no fetch", {kWrite, A + 32, 8}, 30, 1},
          {"it is not kept", {kRead, A + 32, 8}, 130, 1},
          {"part of an absent line", {kWrite, B, 8}, 30, 1},
          {"takes no room", {kRead, B, 8}, 130, 1},
          {"an atomic that hits", {kRead, A, 4, 0, AccessKind::kAtomic}, 33, 1},
          {"one that misses: fetched and written, A's room", {kRead, C, 4, 0, AccessKind::kAtomic}, 133, 2},
          {"a victim costs nothing", {kRead, D, 32}, 130, 1},
          {"nor does the next one", {kRead, A, 32}, 130, 1},
      });
  const L2Counters totals = bench.l2.totals();
  EXPECT_EQ(totals.writebacks, 0u);
  EXPECT_EQ(totals.written_through, 6u);
  EXPECT_EQ(totals.accesses, totals.hits + totals.merges + totals.misses);
  EXPECT_EQ(bench.dram.launches().other().written_bytes, 6u * 32) << "whole sectors, some of them masked";
}

TEST(L2WritePolicy, WriteThroughWithoutAllocationPassesByWhatMisses) {
  CacheBankConfig config = small_bank();
  config.write_policy = test::part_with("write_through", {{"allocate", 0}});
  Bench bench(config);
  expect_rows(bench, {{"a whole line", {kWrite, A, 128}, 30, 1},
                      {"is not here", {kRead, A, 32}, 130, 1},
                      {"a sector beside it", {kWrite, A + 32, 32}, 30, 1},
                      {"is", {kRead, A + 32, 32}, 30, 0}});
  EXPECT_EQ(bench.dram.launches().other().written_bytes, 128u + 32);
}

TEST(L2WritePolicy, WriteAroundTakesNoRoomForWrites) {
  CacheBankConfig config = small_bank();
  config.write_policy = "write_around";
  Bench bench(config);
  expect_rows(bench, {{"a line that is not here", {kWrite, A, 32}, 30, 1},
                      {"has passed by", {kRead, A, 32}, 130, 1},
                      {"here it stays", {kWrite, A, 32}, 30, 0},
                      {"a sector that is not, of a line that is", {kWrite, A + 64, 32}, 30, 0},
                      {"an atomic takes room", {kRead, B, 4, 0, AccessKind::kAtomic}, 133, 1},
                      {"A goes, dirty", {kRead, C, 32}, 130, 2}});
  EXPECT_EQ(bench.l2.totals().written_through, 1u);
  EXPECT_EQ(bench.l2.totals().writebacks, 1u);
}

// Atomics that wait for one sector are written with one request when it is here.
TEST(L2WritePolicy, AtomicsThatAFillReleasesAreWrittenTogether) {
  CacheBankConfig config = small_bank();
  config.write_policy = "write_through";
  Bench bench(config);
  bench.run({{kRead, A, 4, 10, AccessKind::kAtomic}, {kRead, A + 4, 4, 10, AccessKind::kAtomic}});
  EXPECT_EQ(bench.l2.totals().written_through, 2u);
  EXPECT_EQ(bench.dram.launches().other().writes, 1u);
}

// ---- inclusion

Request by_sm(unsigned sm, Request request) {
  request.sm = static_cast<std::uint16_t>(sm);
  request.kept = request.kind != AccessKind::kRecall;
  return request;
}

CacheBankConfig inclusive_bank() {
  CacheBankConfig config = small_bank();
  config.inclusion = "inclusive";
  return config;
}

TEST(L2Inclusion, WhoHoldsALineThatLeavesIsTold) {
  Bench bench(inclusive_bank());
  bench.run({by_sm(0, {kRead, A, 8, 10, AccessKind::kRecall}),
             by_sm(0, {kRead, A, 32, 20}),
             by_sm(1, {kRead, B, 32, 500}),
             {kRead, C, 32, 1000},
             {kRead, D, 32, 1500},
             by_sm(1, {kRead, A, 8, 2000, AccessKind::kRecall}),
             {kRead, A, 32, 2500},
             {kRead, B, 32, 3000}});
  const auto& results = bench.requester.results;
  EXPECT_EQ(results[0].data, A);
  EXPECT_EQ(results[0].answered, 1000u + 1 + 30) << "C takes the place of A in the cycle after it was sent";
  EXPECT_EQ(results[5].data, B) << "it had left before anybody listened";
  EXPECT_EQ(results[5].answered, 2000u + 30);
  EXPECT_EQ(bench.l2.totals().recalls, 2u) << "nobody holds C and D";
}

TEST(L2Inclusion, EachHolderIsToldOnceForEachLine) {
  Bench bench(inclusive_bank());
  std::vector<Request> requests;
  for (unsigned sm = 0; sm < 3; ++sm) requests.push_back(by_sm(sm, {kRead, A, 8, 10, AccessKind::kRecall}));
  for (unsigned sm = 0; sm < 3; ++sm) requests.push_back(by_sm(sm, {kRead, A, 32, 500}));
  for (unsigned sm = 0; sm < 3; ++sm) requests.push_back(by_sm(sm, {kRead, A + 32, 32, 1000}));
  requests.push_back({kRead, B, 32, 1500});
  requests.push_back({kRead, C, 32, 2000});
  requests.push_back({kRead, D, 32, 2500});
  requests.push_back({kRead, D + kSetStride, 32, 3000});
  bench.run(requests);
  EXPECT_EQ(bench.l2.totals().recalls, 3u) << "of what came into A's way nobody keeps anything";
  for (unsigned sm = 0; sm < 3; ++sm) EXPECT_EQ(bench.requester.results[sm].data, A);
}

// A leaves as soon as its fill is here, because others wait for its way: the recall comes behind the data.
TEST(L2Inclusion, ARecallDoesNotOvertakeTheDataOfItsLine) {
  Bench bench(inclusive_bank());
  bench.run({by_sm(0, {kRead, A, 8, 10, AccessKind::kRecall}),
             by_sm(0, {kRead, A, 32, 20}),
             {kRead, B, 32, 21},
             {kRead, C, 32, 22}});
  EXPECT_EQ(bench.requester.results[0].data, A);
  EXPECT_GT(bench.requester.results[0].order, bench.requester.results[1].order);
}

TEST(L2Inclusion, NonInclusiveBanksNoteNothing) {
  Bench bench;
  bench.run({by_sm(0, {kRead, A, 32, 10}), {kRead, B, 32, 500}, {kRead, C, 32, 1000}});
  EXPECT_EQ(bench.l2.totals().recalls, 0u);
}

TEST(L2Inclusion, WhatAnL1KeepsIsTakenInWhateverTheWritePolicy) {
  CacheBankConfig config = inclusive_bank();
  config.write_policy = "write_around";
  Bench bench(config);
  expect_rows(bench, {{"kept", by_sm(0, {kWrite, A, 32}), 30, 0}, {"is here", {kRead, A, 32}, 30, 0}});
}

// ---- prefetching

CacheBankConfig prefetching_bank(const PolicyChoice& prefetcher) {
  CacheBankConfig config = small_bank();
  config.prefetcher = prefetcher;
  return config;
}

TEST(L2Prefetch, TheNextLineIsHereWhenItIsAskedFor) {
  Bench bench(prefetching_bank("next_line"));
  expect_rows(bench, {{"misses", {kRead, A, 32}, 130, 1},
                      {"was prefetched", {kRead, A + 128, 32}, 30, 0},
                      {"whole", {kRead, A + 128 + 96, 32}, 30, 0},
                      {"by the first use of the line before", {kRead, A + 256, 32}, 30, 0}});
  const PrefetchCounters p = bench.l2.totals().prefetch;
  EXPECT_EQ(p.issued, 3u);
  EXPECT_EQ(p.useful, 2u);
  EXPECT_EQ(p.redundant + p.dropped + p.outside + p.late + p.unused, 0u);
  EXPECT_EQ(bench.l2.totals().fill_reads, 4u);
}

TEST(L2Prefetch, OneThatIsUnderWayIsJoined) {
  Bench bench(prefetching_bank("next_line"));
  bench.run({{kRead, A, 32, 10}, {kRead, A + 128, 32, 60}, {kRead, A + 160, 32, 61}});
  // Sent by the bank one cycle after A's miss: 131 after 10 it could be here.
  EXPECT_EQ(bench.latency(1), 10u + 131 - 60);
  EXPECT_EQ(bench.l2.totals().prefetch.late, 1u);
  EXPECT_EQ(bench.l2.totals().merges, 2u);
}

TEST(L2Prefetch, StaysInItsPageAndInMemory) {
  const std::uint64_t last = A + (1 << 20) - 128;  // of the bench's memory
  Bench bench(prefetching_bank("next_line"), 100, 4096);
  bench.run({{kRead, A + 4096 - 128, 32, 10}, {kRead, last, 32, 500}});
  EXPECT_EQ(bench.l2.totals().prefetch.outside, 2u);
  EXPECT_EQ(bench.l2.totals().prefetch.issued, 0u);
}

TEST(L2Prefetch, LinesThatNobodyAsksForAreCountedAsTheyGo) {
  Bench bench(prefetching_bank(test::part_with("next_line", {{"distance", 16}})));  // the same set
  bench.run({{kRead, A, 32, 10}, {kRead, A, 32, 500}, {kWrite, D, 32, 1000}});
  EXPECT_EQ(bench.l2.totals().prefetch.issued, 1u);
  EXPECT_EQ(bench.l2.totals().prefetch.unused, 1u) << "A was used since";
}

TEST(L2Prefetch, LeavesRoomForLoads) {
  CacheBankConfig config = prefetching_bank(test::part_with("next_line", {{"degree", 20}}));
  config.dram_queue = 64;
  Bench bench(config);  // 8 MSHRs
  bench.run({{kRead, A, 32, 10}});
  const PrefetchCounters p = bench.l2.totals().prefetch;
  EXPECT_EQ(p.issued, 5u) << "with the load's own 6 of 8";
  EXPECT_EQ(p.dropped, 15u) << "4 of them in the queue of 16";
}

TEST(L2Prefetch, StridesAreFoundByWarp) {
  Bench bench(prefetching_bank("stride"));
  std::vector<Request> requests;
  for (unsigned i = 0; i < 6; ++i) requests.push_back({kRead, A + i * 384, 32, 10 + 500 * i});
  bench.run(requests);
  for (unsigned i = 0; i < 6; ++i) EXPECT_EQ(bench.latency(i), i < 3 ? 130u : 30u) << i;
  EXPECT_EQ(bench.l2.totals().prefetch.useful, 3u);
}

TEST(L2Prefetch, StoresProposeNothing) {
  Bench bench(prefetching_bank("next_line"));
  bench.run({{kWrite, A, 32, 10}, {kRead, B, 4, 500, AccessKind::kAtomic}});
  EXPECT_EQ(bench.l2.totals().prefetch.issued, 0u);
}

// ---- registers of policies, on the bus

TEST(L2Registers, ABankWhosePoliciesHaveNoneIsNotOnTheBus) {
  Bench bench;
  EXPECT_EQ(bench.l2.registers_socket(), nullptr);
}

TEST(L2Registers, ThoseOfAPolicyLieInItsWindowAndActAtTheNextEdge) {
  CacheBankConfig config = small_bank();
  config.replacement = "way_partition";
  Bench bench(config);
  const std::uint64_t ways = regmap::l2::policy_window("replacement").base;
  EXPECT_EQ(bench.registers.write(ways + 4, 1, 3.5 * bench.clock.period()), tlm::TLM_OK_RESPONSE);
  EXPECT_EQ(bench.registers.write(ways + 8, 1, 2.5 * bench.clock.period()), tlm::TLM_OK_RESPONSE);
  EXPECT_EQ(bench.registers.write(ways + 16, 1), tlm::TLM_ADDRESS_ERROR_RESPONSE)
      << "the device has four slots";
  EXPECT_EQ(bench.registers.read(ways + 4), 0u);
  sc_core::sc_start(3.25 * bench.clock.period());
  EXPECT_EQ(bench.registers.read(ways + 4), 0u);
  EXPECT_EQ(bench.registers.read(ways + 8), 1u) << "written later, for an earlier edge";
  sc_core::sc_start(bench.clock.period());
  EXPECT_EQ(bench.registers.read(ways + 4), 1u);
  EXPECT_EQ(bench.registers.write(ways, 1), tlm::TLM_OK_RESPONSE);
  sc_core::sc_start(2 * bench.clock.period());
  EXPECT_EQ(bench.registers.read(ways), 0u) << "three of two ways";
}

TEST(L2WayPartition, QuotasAreRegisters) {
  CacheBankConfig config = small_bank();
  config.replacement = "way_partition";
  Bench bench(config);
  const std::uint64_t ways = regmap::l2::policy_window("replacement").base;
  EXPECT_EQ(bench.registers.write(ways, 1), tlm::TLM_OK_RESPONSE);
  EXPECT_EQ(bench.registers.write(ways + 4, 1), tlm::TLM_OK_RESPONSE);
  const auto slot = [](std::uint16_t slot, Request request) {
    request.kernel_slot = slot;
    return request;
  };
  bench.run({slot(0, {kRead, A, 32, 10}), slot(1, {kRead, B, 32, 500}), slot(1, {kRead, C, 32, 1000}),
             slot(1, {kRead, D, 32, 1500}), slot(0, {kRead, A, 32, 2000})});
  EXPECT_EQ(bench.latency(4), 30u) << "kernel 1 has replaced its own lines";
  test::StatMap stats;
  bench.l2.stats(stats);
  EXPECT_EQ(stats["replacement.taken_from_others"], 0);
}

}  // namespace
}  // namespace warpvp
