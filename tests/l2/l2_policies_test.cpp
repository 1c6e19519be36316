// What an L2 bank keeps, writes back and lets pass: merging by sector, requests that step aside, byte masks,
// write-back and replacement policies.

#include "base/registry.h"
#include "modules/l2/dirty_lines.h"
#include "modules/l2/written_bytes.h"
#include "tests/l2/bank_bench.h"
#include "tests/support/set_fields.h"

namespace warpvp {
namespace {

using namespace bank_test;

std::vector<Request> repeated(unsigned count, const Request& request) {
  return std::vector<Request>(count, request);
}
template <class... More>
std::vector<Request> joined(std::vector<Request> list, const More&... more) {
  (list.insert(list.end(), more.begin(), more.end()), ...);
  return list;
}

// ---- merging

// Four can wait for a sector, whatever waits for the other sectors of its line.
TEST(L2Merging, CountsBySector) {
  Bench bench;
  bench.run(joined(repeated(4, {kRead, A, 32, 10}), repeated(4, {kRead, A + 32, 32, 10}),
                   repeated(4, {kRead, A + 64, 32, 10}), repeated(4, {kRead, A + 96, 32, 10})));
  for (unsigned i = 0; i < 16; i += 4) EXPECT_EQ(bench.latency(i), 130u);
  EXPECT_EQ(bench.l2.stalls().merge, 0u);
  EXPECT_EQ(bench.l2.totals().merges, 12u);
  EXPECT_EQ(bench.l2.totals().fill_reads, 4u);
}

TEST(L2Merging, ARequestOfSeveralSectorsNeedsAPlaceAtEach) {
  Bench bench;
  bench.run(joined(repeated(4, {kRead, A + 32, 32, 10}), repeated(1, {kRead, A, 128, 10})));
  EXPECT_GT(bench.l2.stalls().merge, 100u);
}

// Five wait for one sector of which one finds no place: with room aside the requests behind it go on, and it
// is answered as soon as the sector has come.
class L2Aside : public ::testing::TestWithParam<std::uint32_t> {};

TEST_P(L2Aside, RequestsOfOtherLinesPass) {
  CacheBankConfig config = small_bank();
  config.set_aside = GetParam();
  Bench bench(config);
  bench.run(joined({{kRead, A + 128, 32, 10}}, repeated(5, {kRead, A, 32, 1000}),
                   repeated(1, {kRead, A + 128, 32, 1000})));
  const auto& results = bench.requester.results;
  if (GetParam() == 0) {
    EXPECT_GT(bench.latency(6), 100u) << "it waits behind the fifth";
    EXPECT_GT(bench.l2.stalls().merge, 100u);
  } else {
    EXPECT_EQ(bench.latency(6), 30u) << "a hit";
    EXPECT_EQ(bench.l2.stalls().merge, 0u);
  }
  // The sector comes 121 cycles after the first of the five was sent; then the fifth hits.
  EXPECT_EQ(results[5].answered - results[1].sent, 121u + 29);
  EXPECT_EQ(results[5].dram_accesses, 0u);
}

TEST_P(L2Aside, ASetUnderFillHoldsUpItselfAlone) {
  CacheBankConfig config = small_bank();
  config.set_aside = GetParam();
  Bench bench(config);
  bench.run({{kRead, A + 128, 32, 10},
             {kRead, A, 32, 1000},
             {kRead, A + kSetStride, 32, 1000},
             {kRead, A + 2 * kSetStride, 32, 1000},
             {kRead, A + 128, 32, 1000}});
  EXPECT_EQ(bench.latency(4) == 30u, GetParam() != 0);
  EXPECT_EQ(bench.requester.results[3].answered - bench.requester.results[1].sent, 121u + 19 + 110);
}
INSTANTIATE_TEST_SUITE_P(Places, L2Aside, ::testing::Values(0u, 1u, 4u));

// A write behind a read that stepped aside must not overtake it when another line's fill has both tried
// again: same line, so it follows.
TEST(L2Aside, RequestsOfOneLineKeepTheirOrder) {
  CacheBankConfig config = small_bank();
  config.set_aside = 8;
  config.mshr_merges = 1;
  Bench bench(config);
  bench.run({{kRead, A + 128, 32, 10},
             {kRead, A, 32, 100},
             {kRead, A, 32, 101},
             {kWrite, A + 32, 32, 102},
             {kRead, A + 32, 32, 103}});
  const auto& results = bench.requester.results;
  for (unsigned i = 1; i + 1 < results.size(); ++i) EXPECT_LT(results[i].order, results[i + 1].order);
  EXPECT_GT(results[3].answered, results[1].sent + 121);
}

// The fill that several requests of a line waited for comes while the answers find no room: whoever follows
// the first of them is not forgotten when there is room again.
TEST(L2Aside, RoomLetsFollowersOfAFirstRequestOn) {
  CacheBankConfig config = small_bank();
  config.set_aside = 8;
  config.mshr_merges = 1;
  config.latency_cycles = 1;
  config.response_queue = 1;
  Bench bench(config);
  bench.requester.hold_cycles = 40;
  std::vector<test::Requester::Request> requests;
  for (unsigned i = 0; i < 6; ++i) requests.push_back({kRead, A, 32, 10 + i});
  for (unsigned i = 0; i < 4; ++i) requests.push_back({kRead, A + 4096, 32, 100 + i});
  bench.run(requests);
  EXPECT_TRUE(bench.requester.done());
}

// ---- sectors that are fetched together

// With pairs a load brings the other half of a pair that it misses, unless it is here or on its way; nobody
// waits for it. Stores and atomics bring nothing besides.
TEST(L2FetchBytes, ALoadBringsTheSectorsBesideItsOwn) {
  struct Row {
    const char* what;
    Request request;
    Cycle latency;
    unsigned read_bytes;  ///< of DRAM, in all so far
  };
  const std::uint64_t B = A + kSetStride, C = A + 2 * kSetStride;
  const std::vector<Row> rows = {
      {"one sector of a pair", {kRead, A + 32, 32}, 130, 64},
      {"the other one is here", {kRead, A, 32}, 30, 64},
      {"the middle two: of each pair a half", {kRead, A + 32, 64}, 130, 128},
      {"so the last one is here", {kRead, A + 96, 32}, 30, 128},
      {"a store of a whole sector", {kWrite, B, 32}, 30, 128},
      {"is not fetched beside its neighbour", {kRead, B + 32, 32}, 130, 160},
      {"of a fill under way", {kRead, B + 64, 32}, 130, 224},
      {"an atomic", {kRead, C, 4, 0, AccessKind::kAtomic}, 133, 256},
  };
  CacheBankConfig config = small_bank();
  config.fetch_bytes = 64;
  Bench bench(config);
  std::vector<Request> requests;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    requests.push_back(rows[i].request);
    requests.back().not_before = 10 + 500 * i;
  }
  bench.run(requests);
  for (unsigned i = 0; i < rows.size(); ++i) {
    SCOPED_TRACE(rows[i].what);
    EXPECT_EQ(bench.latency(i), rows[i].latency);
  }
  EXPECT_EQ(bench.dram.launches().other().read_bytes, rows.back().read_bytes);
  // As profilers show it: what is fetched beside counts as missed, too.
  EXPECT_EQ(bench.l2.totals().read_miss_sectors, 7u);
  EXPECT_EQ(bench.l2.totals().read_hit_sectors, 3u);
}

TEST(L2FetchBytes, TheOtherHalfIsOnItsWayOnce) {
  CacheBankConfig config = small_bank();
  config.fetch_bytes = 64;
  Bench bench(config);
  bench.run({{kRead, A, 32, 10}, {kRead, A + 32, 32, 11}, {kRead, A + 64, 32, 12}});
  EXPECT_EQ(bench.dram.launches().other().read_bytes, 128u);
  EXPECT_LE(bench.latency(1), bench.latency(0) + 1);
}

// ---- byte masks

TEST(L2ByteMasks, TimesAndDramAccessesOfATableOfAccesses) {
  struct Row {
    const char* what;
    Request request;
    Cycle latency;
    unsigned dram_accesses;
  };
  const std::uint64_t B = A + kSetStride, C = A + 2 * kSetStride, D = A + 3 * kSetStride;
  const std::vector<Row> rows = {
      {"part of an absent sector: no fetch", {kWrite, A, 8}, 30, 0},
      {"a read of it fetches", {kRead, A, 8}, 130, 1},
      {"and then it is whole", {kRead, A + 8, 8}, 30, 0},
      {"first half", {kWrite, A + 32, 16}, 30, 0},
      {"second half", {kWrite, A + 48, 16}, 30, 0},
      {"both together are the sector", {kRead, A + 32, 32}, 30, 0},
      {"one byte short", {kWrite, A + 64, 31}, 30, 0},
      {"is not the sector", {kRead, A + 64, 4}, 130, 1},
      {"part of a valid sector", {kWrite, A + 64, 4}, 30, 0},
      {"across sectors: the middle one whole", {kWrite, B + 16, 64}, 30, 0},
      {"the middle one", {kRead, B + 32, 32}, 30, 0},
      {"an atomic needs the bytes", {kRead, B, 4, 0, AccessKind::kAtomic}, 133, 1},
      {"a third tag evicts A", {kRead, C, 32}, 130, 2},
      {"a fourth evicts B, of which a part is in part", {kRead, D, 32}, 130, 2},
      {"B begins anew: a part", {kWrite, B + 64, 16}, 30, 0},
      {"which is not whole with what was written before", {kRead, B + 64, 32}, 130, 1},
  };
  CacheBankConfig config = small_bank();
  config.partial_writes = "byte_masks";
  Bench bench(config);
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
  EXPECT_EQ(bench.l2.totals().write_miss_sectors, 0u);
  // A leaves with sectors 0 to 2, B with its sectors 0 to 2, one of them in part, as whole bursts.
  EXPECT_EQ(bench.dram.launches().other().written_bytes, 96u + 96);
}

TEST(L2ByteMasks, WhatIsDroppedIsForgotten) {
  CacheBankConfig config = small_bank();
  config.partial_writes = "byte_masks";
  config.invalidate = "kernel_start";
  Bench bench(config);
  bench.run({{kWrite, A, 16, 10, AccessKind::kStore, 1},
             {kWrite, A + 16, 16, 500, AccessKind::kStore, 2},
             {kRead, A, 32, 1000, AccessKind::kLoad, 2}});
  EXPECT_EQ(bench.latency(2), 130u);
}

TEST(L2WrittenBytes, AreKeptByLineAndRange) {
  WrittenBytes written(3, 128);
  written.add(1, 60, 70);
  EXPECT_TRUE(written.all(1, 60, 70));
  EXPECT_FALSE(written.all(1, 59, 70));
  EXPECT_FALSE(written.all(1, 60, 71));
  EXPECT_FALSE(written.all(0, 60, 70));
  EXPECT_FALSE(written.all(2, 60, 70));
  written.add(1, 0, 128);
  written.remove(1, 64, 96);
  EXPECT_TRUE(written.all(1, 0, 64));
  EXPECT_FALSE(written.all(1, 64, 65));
  EXPECT_TRUE(written.all(1, 96, 128));
}

// ---- write-back

TEST(L2DirtyLines, AreListedInTheOrderInWhichTheyBecameDirty) {
  DirtyLines dirty(8);
  dirty.set(3, 2);
  dirty.set(5, 1);
  dirty.set(0, 4);
  dirty.set(3, 4);  // more of it; its place stays
  EXPECT_EQ(dirty.sectors(), 9u);
  EXPECT_EQ(dirty.first(), 3u);
  EXPECT_EQ(dirty.after(3), 5u);
  dirty.set(5, 0);
  EXPECT_EQ(dirty.after(3), 0u);
  EXPECT_EQ(dirty.after(0), DirtyLines::kNone);
  dirty.set(3, 0);
  dirty.set(3, 1);
  EXPECT_EQ(dirty.first(), 0u);
  dirty.clear();
  EXPECT_EQ(dirty.sectors(), 0u);
  EXPECT_EQ(dirty.first(), DirtyLines::kNone);
  dirty.set(7, 1);
  EXPECT_EQ(dirty.first(), 7u);
}

// 32 lines of 4 sectors; the kernel writes 28 lines once, no two ways of a set more than there are.
std::vector<Request> writes_of_28_lines() {
  std::vector<Request> requests;
  for (unsigned i = 0; i < 28; ++i) requests.push_back({kWrite, A + i * 128, 128, 10 + 100 * i});
  return requests;
}

struct ShareRow {
  std::uint32_t percent;
  unsigned written;  // lines
};
class L2DirtyShare : public ::testing::TestWithParam<ShareRow> {};

TEST_P(L2DirtyShare, WhatIsAboveItIsWrittenBackAndStays) {
  CacheBankConfig config = small_bank();
  config.write_back = test::part_with("dirty_share", {{"percent", GetParam().percent}});
  Bench bench(config);
  std::vector<Request> requests = writes_of_28_lines();
  for (unsigned i = 0; i < 28; ++i) requests.push_back({kRead, A + i * 128, 128, 10000 + 100 * i});
  bench.run(requests);
  const L2Counters totals = bench.l2.totals();
  EXPECT_EQ(totals.writebacks, GetParam().written);
  EXPECT_EQ(totals.cleaned, GetParam().written);
  EXPECT_EQ(bench.dram.launches().other().written_bytes, GetParam().written * 128u);
  for (unsigned i = 28; i < 56; ++i) EXPECT_EQ(bench.latency(i), 30u) << "the lines are still there";
}
INSTANTIATE_TEST_SUITE_P(Shares, L2DirtyShare,
                         ::testing::Values(ShareRow{100, 0}, ShareRow{75, 4}, ShareRow{50, 12},
                                           ShareRow{0, 28}));

TEST(L2WriteBack, TheLineThatIsDirtyForLongestGoesFirst) {
  CacheBankConfig config = small_bank();
  config.write_back = test::part_with("dirty_share", {{"percent", 4}});  // one line of 32 is 3.1 %
  Bench bench(config);
  bench.run({{kWrite, A, 128, 10},
             {kWrite, A + 128, 128, 100},              // A is cleaned
             {kWrite, A + 128, 128, 200},              // dirty already
             {kWrite, A, 128, 300},                    // A + 128 is cleaned
             {kRead, A + kSetStride, 32, 1000},        // beside A
             {kRead, A + 2 * kSetStride, 32, 2000}});  // evicts A, which is dirty
  EXPECT_EQ(bench.l2.totals().cleaned, 2u);
  EXPECT_EQ(bench.l2.totals().writebacks, 3u);
  EXPECT_EQ(bench.requester.results[5].dram_accesses, 2u);
}

// What was there in part only is gone when it has been written back: the next part begins anew.
TEST(L2WriteBack, SectorsInPartAreNotKept) {
  CacheBankConfig config = small_bank();
  config.partial_writes = "byte_masks";
  config.write_back = test::part_with("dirty_share", {{"percent", 0}});
  Bench bench(config);
  bench.run({{kWrite, A, 16, 10}, {kWrite, A + 16, 16, 500}, {kRead, A, 32, 1000}});
  EXPECT_EQ(bench.l2.totals().cleaned, 2u);
  EXPECT_EQ(bench.latency(2), 130u);
}

// ---- replacement

// Reads `lines` lines of one bank in turn, `rounds` times; how many of the last round hit.
unsigned hits_of_last_round(const CacheBankConfig& config, unsigned lines, unsigned rounds) {
  Bench bench(config, 20);
  std::vector<Request> requests;
  for (unsigned r = 0; r < rounds; ++r)
    for (unsigned i = 0; i < lines; ++i) requests.push_back({kRead, A + i * 128ull, 32, 10});
  bench.run(requests, 2000);
  unsigned hits = 0;
  for (std::size_t i = requests.size() - lines; i < requests.size(); ++i)
    hits += bench.requester.results[i].dram_accesses == 0;
  return hits;
}

struct ReplacementRow {
  const char* policy;
  unsigned lines;  // of 512 that the cache has
  unsigned least, most;
};
class L2Replacement : public ::testing::TestWithParam<ReplacementRow> {};

TEST_P(L2Replacement, HitsOfAWorkingSetReadInTurn) {
  CacheBankConfig config = small_bank();
  config.bank_kib = 64;
  config.associativity = 16;
  config.replacement = GetParam().policy;
  const unsigned hits = hits_of_last_round(config, GetParam().lines, 12);
  EXPECT_GE(hits, GetParam().least);
  EXPECT_LE(hits, GetParam().most);
}
// Random: a line survives the misses of a round with exp(-misses / lines of the cache), so that of 768 lines
// about 0.42 hit and of 640 about 0.63. Adaptive insertion keeps most of what fits.
INSTANTIATE_TEST_SUITE_P(Table, L2Replacement,
                         ::testing::Values(ReplacementRow{"lru", 512, 512, 512},
                                           ReplacementRow{"lru", 640, 0, 0},
                                           ReplacementRow{"random", 512, 512, 512},
                                           ReplacementRow{"random", 640, 340, 460},
                                           ReplacementRow{"random", 768, 250, 390},
                                           ReplacementRow{"adaptive_insertion", 512, 512, 512},
                                           ReplacementRow{"adaptive_insertion", 640, 380, 512}));

TEST(L2Replacement, AdaptiveInsertionIsLruWhereTheWorkingSetFits) {
  CacheBankConfig config = small_bank();
  config.replacement = "adaptive_insertion";
  Bench bench(config);
  const std::uint64_t B = A + kSetStride, C = A + 2 * kSetStride;
  bench.run({{kRead, A, 32, 10},
             {kRead, B, 32, 500},
             {kRead, A, 32, 1000},
             {kRead, C, 32, 1500},
             {kRead, A, 32, 2000}});
  EXPECT_EQ(bench.latency(4), 30u) << "A was kept";
}

}  // namespace
}  // namespace warpvp
