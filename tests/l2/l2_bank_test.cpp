// The bank of the L2 with its default policies: times, MSHRs, sectors, atomics, links.

#include "tests/l2/bank_bench.h"

namespace warpvp {
namespace {

using namespace bank_test;

TEST(L2Bank, TimesAndDramAccessesOfATableOfAccesses) {
  struct Row {
    const char* what;
    Request request;
    Cycle latency;
    unsigned dram_accesses;
    tlm::tlm_response_status status = tlm::TLM_OK_RESPONSE;
  };
  const std::uint64_t B = A + kSetStride, C = A + 2 * kSetStride;
  const auto atomic = AccessKind::kAtomic;
  const std::vector<Row> rows = {
      {"cold read", {kRead, A, 32}, 130, 1},
      {"read again", {kRead, A, 32}, 30, 0},
      {"other sector", {kRead, A + 32, 32}, 130, 1},
      {"write a valid sector", {kWrite, A, 32}, 30, 0},
      {"write a whole absent sector: no fill", {kWrite, A + 64, 32}, 30, 0},
      {"read what was written", {kRead, A + 64, 32}, 30, 0},
      {"write part of an absent sector", {kWrite, A + 96, 4}, 130, 1},
      {"whole line of another tag", {kRead, B, 128}, 130, 1},
      {"third tag evicts the dirty A", {kRead, C, 32}, 130, 2},
      {"A again evicts the clean B", {kRead, A, 32}, 130, 1},
      {"atomic on a valid sector", {kRead, A, 4, 0, atomic}, 33, 0},
      {"atomic that misses, in an empty set", {kRead, A + 128, 4, 0, atomic}, 133, 1},
      {"whole line written, evicts the clean C", {kWrite, B, 128}, 30, 0},
      {"whole line written, evicts the dirty A", {kWrite, C, 128}, 30, 1},
      {"read across lines", {kRead, A + 112, 32}, 30, 0, tlm::TLM_BURST_ERROR_RESPONSE},
      {"outside memory, evicts the dirty B",
       {kRead, A + (1 << 20), 32},
       130,
       2,
       tlm::TLM_ADDRESS_ERROR_RESPONSE},
      {"outside memory is not kept", {kRead, A + (1 << 20), 32}, 130, 1, tlm::TLM_ADDRESS_ERROR_RESPONSE},
  };
  Bench bench;
  std::vector<Request> requests;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    requests.push_back(rows[i].request);
    requests.back().not_before = 10 + 500 * i;
    requests.back().launch = 3;
  }
  bench.run(requests);
  for (unsigned i = 0; i < rows.size(); ++i) {
    SCOPED_TRACE(rows[i].what);
    EXPECT_EQ(bench.latency(i), rows[i].latency);
    EXPECT_EQ(bench.requester.results[i].dram_accesses, rows[i].dram_accesses);
    EXPECT_EQ(bench.requester.results[i].status, rows[i].status);
  }
  const L2Counters totals = bench.l2.totals(), launch = bench.l2.launches().at(3);
  EXPECT_EQ(totals.accesses, 16u);  // all but the one refused
  EXPECT_EQ(launch.accesses, 16u);
  EXPECT_EQ(totals.hits, 5u);
  EXPECT_EQ(totals.misses, 11u);
  EXPECT_EQ(totals.writebacks, 3u);
  EXPECT_EQ(totals.atomics, 2u);
  EXPECT_EQ(totals.reads, 9u);
  EXPECT_EQ(totals.writes, 5u);
  // Of 32-byte sectors: without atomics, and without what was refused.
  EXPECT_EQ(totals.read_hit_sectors, 2u);
  EXPECT_EQ(totals.read_miss_sectors, 1u + 1 + 4 + 1 + 1 + 1 + 1);
  EXPECT_EQ(totals.write_hit_sectors, 1u + 1 + 4 + 4);
  EXPECT_EQ(totals.write_miss_sectors, 1u);
  // A's dirty sectors 0, 2, 3 leave as two writes; the second time sector 0 as one; then all of B.
  EXPECT_EQ(bench.dram.launches().at(3).writes, 4u);
  EXPECT_EQ(bench.dram.launches().at(3).written_bytes, 96u + 32 + 128);
}

// A profiler flushes the caches before every kernel that it measures; what copies brought is gone with it.
TEST(L2Bank, InvalidateAtKernelStartDropsAllBeforeTheFirstRequestOfANewerKernel) {
  struct Row {
    const char* what;
    std::uint32_t launch;
    tlm::tlm_command command;
    unsigned dram_accesses;
  };
  const std::vector<Row> rows = {
      {"a copy writes", kCopyLaunch, kWrite, 0},
      {"a copy hits", kCopyLaunch, kRead, 0},
      {"a command does not begin a kernel", kCommandLaunch, kRead, 0},
      {"the first kernel is numbered 0", 0, kRead, 1},
      {"hits what it read", 0, kRead, 0},
      {"writes it", 0, kWrite, 0},
      {"nor do a copy or what is unknown", kNoLaunch, kRead, 0},
      {"the next kernel", 2, kRead, 1},
      {"an older one that runs beside it", 1, kRead, 0},
      {"still the newest", 2, kRead, 0},
  };
  CacheBankConfig config = small_bank();
  config.invalidate = "kernel_start";
  Bench bench(config);
  std::vector<Request> requests;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    requests.push_back({rows[i].command, A, 32});
    requests.back().not_before = 10 + 500 * i;
    requests.back().launch = rows[i].launch;
  }
  bench.run(requests);
  for (unsigned i = 0; i < rows.size(); ++i)
    EXPECT_EQ(bench.requester.results[i].dram_accesses, rows[i].dram_accesses) << rows[i].what;
  EXPECT_EQ(bench.dram.launches().total().writes, 0u) << "dirty lines are dropped";
}

// Two ways: a hit makes its line the younger one, so that the third tag evicts the other.
class L2Lru : public ::testing::TestWithParam<tlm::tlm_command> {};

TEST_P(L2Lru, AHitMakesItsLineTheYoungest) {
  const std::uint64_t B = A + kSetStride, C = A + 2 * kSetStride;
  Bench bench;
  bench.run({{kRead, A, 32, 10},
             {kRead, B, 32, 500},
             {GetParam(), A, 32, 1000},
             {kRead, C, 32, 1500},
             {kRead, A, 32, 2000},
             {kRead, B, 32, 2500}});
  EXPECT_EQ(bench.latency(4), 30u) << "A was kept";
  EXPECT_EQ(bench.latency(5), 130u) << "B was evicted";
}
INSTANTIATE_TEST_SUITE_P(Hits, L2Lru, ::testing::Values(kRead, kWrite),
                         [](const auto& info) { return info.param == kRead ? "Read" : "Write"; });

// A fill and a hit that are ready at the same edge: the fill's answer goes first, the hit's an edge later.
TEST(L2Bank, AFillIsAnsweredBeforeAHitOfTheSameEdge) {
  Bench bench;
  bench.run({{kRead, A, 32, 10}, {kRead, A + 128, 32, 1000}, {kRead, A, 32, 1100}});
  EXPECT_EQ(bench.latency(1), 130u);
  EXPECT_EQ(bench.latency(2), 31u);
}

// Profilers count 32-byte sectors of loads and stores, whatever the size of ours.
class L2Sectors : public ::testing::TestWithParam<std::uint32_t> {};

TEST_P(L2Sectors, AreCountedForLoadsAndStoresAlone) {
  CacheBankConfig config = small_bank();
  config.sector_bytes = GetParam();
  Bench bench(config);
  bench.run({{kRead, A + 16, 32, 10},
             {kRead, A, 128, 1000},
             {kRead, A + 128, 128, 2000, AccessKind::kInstruction},
             {kRead, A + 128, 64, 3000, AccessKind::kConstant},
             {kWrite, A + 256, 128, 4000, AccessKind::kCopy},
             {kRead, A + 256, 32, 5000, AccessKind::kCommand},
             {kRead, A + 256, 4, 6000, AccessKind::kAtomic},
             {kWrite, A + 256, 8, 7000},
             {kWrite, A + 512, 32, 8000, AccessKind::kLocal}});
  const L2Counters c = bench.l2.totals();
  const bool whole = GetParam() == 128;  // then the first read brings the line
  EXPECT_EQ(c.read_miss_sectors, whole ? 2u : 4u);
  EXPECT_EQ(c.read_hit_sectors, whole ? 4u : 2u);
  EXPECT_EQ(c.write_hit_sectors, whole ? 1u : 2u);
  EXPECT_EQ(c.write_miss_sectors, whole ? 1u : 0u);
}
INSTANTIATE_TEST_SUITE_P(SectorBytes, L2Sectors, ::testing::Values(32u, 128u));

TEST(L2Bank, WithoutSectorsAWriteOfPartFetchesTheLine) {
  CacheBankConfig config = small_bank();
  config.sector_bytes = 128;
  Bench bench(config);
  bench.run({{kWrite, A, 32, 10}, {kRead, A + 96, 32, 500}, {kWrite, A + 128, 128, 1000}});
  EXPECT_EQ(bench.latency(0), 130u);
  EXPECT_EQ(bench.latency(1), 30u);
  EXPECT_EQ(bench.latency(2), 30u);
  EXPECT_EQ(bench.dram.launches().other().read_bytes, 128u);
}

TEST(L2Bank, HitsFlowAtOneACycle) {
  Bench bench;
  std::vector<Request> requests = {{kRead, A, 128, 1}};
  for (unsigned i = 0; i < 200; ++i) requests.push_back({kRead, A + i % 4 * 32, 32, 1000});
  bench.run(requests);
  EXPECT_EQ(bench.latency(1), 30u);
  EXPECT_EQ(bench.requester.results[200].answered - bench.requester.results[1].answered, 199u);
}

TEST(L2Bank, AtomicsHoldTheBank) {
  Bench bench;
  std::vector<Request> requests = {{kRead, A, 128, 1}};
  for (unsigned i = 0; i < 20; ++i) requests.push_back({kRead, A, 4, 1000, AccessKind::kAtomic});
  bench.run(requests);
  EXPECT_EQ(bench.latency(1), 33u);
  EXPECT_EQ(bench.requester.results[20].answered - bench.requester.results[1].answered, 19u * 4);
  EXPECT_EQ(bench.l2.stalls().atomic, 19u * 3);
}

// Words of a sector go together, lanes of one word and sectors in turn: what the requester has counted.
TEST(L2Bank, LanesOfAnAtomicThatTakeTurnsHoldTheBank) {
  CacheBankConfig config = small_bank();
  config.atomic_cycles = 2;
  config.atomic_lane_cycles = 3;
  Bench bench(config);
  std::vector<Request> requests = {{kRead, A, 128, 1}};
  for (const unsigned in_turn : {0, 1, 4, 32, 1})
    requests.push_back(
        {kRead, A, 4, 1000, AccessKind::kAtomic, 0xffffffffu, 0, 0, static_cast<std::uint8_t>(in_turn)});
  // A miss: the fill changes the word as long.
  requests.push_back({kRead, A + 128, 4, 5000, AccessKind::kAtomic, 0xffffffffu, 0, 0, 32});
  requests.push_back({kRead, A + 128, 4, 9000, AccessKind::kLoad, 0xffffffffu, 0, 0, 32});
  bench.run(requests);
  EXPECT_EQ(bench.latency(1), 30u + 2 - 1);  // nobody has counted
  const auto between = [&](unsigned i) {
    return bench.requester.results[i + 1].answered - bench.requester.results[i].answered;
  };
  EXPECT_EQ(between(1), 3u);
  EXPECT_EQ(between(2), 4u * 3);
  EXPECT_EQ(between(3), 32u * 3);
  EXPECT_EQ(between(4), 3u);
  EXPECT_EQ(bench.latency(6), 130u + 32 * 3 - 1);
  EXPECT_EQ(bench.latency(7), 30u);  // of no load
}

TEST(L2Bank, RequestsToALineUnderFillMerge) {
  Bench bench;
  bench.run({{kRead, A, 32, 10}, {kRead, A, 32, 10}, {kWrite, A, 4, 10}, {kRead, A + 32, 32, 10}});
  EXPECT_EQ(bench.latency(0), 130u);
  EXPECT_EQ(bench.latency(1), 130u);  // sent one cycle later, answered one cycle later
  EXPECT_EQ(bench.latency(2), 130u);
  EXPECT_EQ(bench.latency(3), 130u);  // another sector: its own DRAM read
  const L2Counters totals = bench.l2.totals();
  EXPECT_EQ(totals.merges, 2u);
  EXPECT_EQ(totals.misses, 2u);
  EXPECT_EQ(totals.fill_reads, 2u);
  EXPECT_EQ(bench.dram.launches().other().reads, 2u);
  EXPECT_EQ(bench.requester.results[1].dram_accesses, 0u);
  EXPECT_EQ(bench.requester.results[3].dram_accesses, 1u);
}

TEST(L2Bank, AMergedWriteLeavesTheLineDirty) {
  Bench bench;
  bench.run({{kRead, A, 32, 10},
             {kWrite, A, 32, 10},
             {kRead, A + kSetStride, 32, 1000},
             {kRead, A + 2 * kSetStride, 32, 2000}});
  EXPECT_EQ(bench.requester.results[3].dram_accesses, 2u);
  EXPECT_EQ(bench.l2.totals().writebacks, 1u);
}

TEST(L2Bank, AFullMshrStallsTheRequestsBehindIt) {
  Bench bench;  // 4 merges a line
  std::vector<Request> requests;
  for (unsigned i = 0; i < 6; ++i) requests.push_back({kRead, A, 32, 10});
  bench.run(requests);
  EXPECT_EQ(bench.latency(3), 130u);
  // The fifth enters when the line has come (cycle 121 after the first was sent) and then hits.
  EXPECT_EQ(bench.requester.results[4].answered - bench.requester.results[0].sent, 121u + 29);
  EXPECT_GT(bench.l2.stalls().merge, 100u);
  EXPECT_EQ(bench.l2.totals().hits, 2u);
}

TEST(L2Bank, WithoutAFreeMshrMissesWait) {
  CacheBankConfig config = small_bank();
  config.mshrs = 2;
  Bench bench(config);
  bench.run({{kRead, A, 32, 10}, {kRead, A + 128, 32, 10}, {kRead, A + 256, 32, 10}});
  EXPECT_EQ(bench.latency(1), 130u);
  // The third enters when the first line has come: 121 + (20 - 1) + 100 + 10 after the first was sent.
  EXPECT_EQ(bench.requester.results[2].answered - bench.requester.results[0].sent, 121u + 19 + 110);
  EXPECT_GT(bench.l2.stalls().mshr, 100u);
}

TEST(L2Bank, WithAllWaysUnderFillTheSetIsClosed) {
  Bench bench;
  bench.run({{kRead, A, 32, 10}, {kRead, A + kSetStride, 32, 10}, {kRead, A + 2 * kSetStride, 32, 10}});
  EXPECT_EQ(bench.requester.results[2].answered - bench.requester.results[0].sent, 121u + 19 + 110);
  EXPECT_GT(bench.l2.stalls().way, 100u);
  EXPECT_EQ(bench.l2.totals().misses, 3u);
}

// A reply link that is slow (each response is held 50 cycles) must slow the bank down and lose nothing.
TEST(L2Bank, SurvivesASlowReplyLinkAndASlowMemory) {
  CacheBankConfig config = small_bank();
  config.request_queue = config.response_queue = 2;
  config.dram_queue = 8;
  Bench bench(config, 700);
  bench.requester.hold_cycles = 50;
  std::vector<Request> requests;
  std::uint64_t state = 1;
  for (unsigned i = 0; i < 400; ++i) {
    state = state * 6364136223846793005ull + 1442695040888963407ull;
    const auto command = (state >> 40 & 1) ? kWrite : kRead;
    requests.push_back({command, A + (state >> 33) % 512 * 32, (state >> 41 & 1) ? 32u : 4u, 10,
                        (state >> 42) % 8 == 0 ? AccessKind::kAtomic : AccessKind::kLoad});
  }
  bench.run(requests, 2000);
  const L2Counters totals = bench.l2.totals();
  EXPECT_EQ(totals.accesses, 400u);
  EXPECT_EQ(totals.hits + totals.misses + totals.merges, 400u);
  EXPECT_GT(totals.writebacks, 10u);
}

// MSHRs are used again while the answers of earlier fills wait for a reply link ten times slower than memory.
TEST(L2Bank, FillsWaitWhileTheirAnswersFindNoRoom) {
  CacheBankConfig config = small_bank();
  config.mshrs = 2;
  config.mshr_merges = 2;
  Bench bench(config, 20);
  bench.requester.hold_cycles = 300;
  std::vector<Request> requests;
  for (unsigned i = 0; i < 64; ++i) requests.push_back({kRead, A + i / 2 * 128, 32, 10});
  bench.run(requests, 100);
  const L2Counters totals = bench.l2.totals();
  EXPECT_EQ(totals.misses, 32u);
  EXPECT_EQ(totals.merges + totals.hits, 32u);
}

TEST(L2Bank, BlockingDebugAndDmiReachDeviceMemory) {
  struct Caller : sc_core::sc_module, tlm::tlm_bw_transport_if<> {
    explicit Caller(sc_core::sc_module_name name) : sc_module(name), socket("socket") { socket.bind(*this); }
    tlm::tlm_initiator_socket<> socket;
    tlm::tlm_sync_enum nb_transport_bw(tlm::tlm_generic_payload&, tlm::tlm_phase&, sc_time&) override {
      return tlm::TLM_ACCEPTED;
    }
    void invalidate_direct_mem_ptr(sc_dt::uint64, sc_dt::uint64) override {}
  };
  ClockDomain clock("clock", 1000);
  DeviceMemory memory(1 << 20);
  AddressMap map(one_bank());
  CacheBank l2("l2", {clock, memory, map, 0}, small_bank());
  FixedLatencyMemory dram("dram", {clock, memory, map, 0, 1}, Bench::dram_config(100));
  Caller caller("caller");
  caller.socket.bind(l2.in());
  l2.out().bind(dram.in(0));
  sc_core::sc_start(sc_core::SC_ZERO_TIME);

  unsigned char data[8] = {1, 2, 3, 4, 5, 6, 7, 8};
  tlm::tlm_generic_payload p;
  p.set_write();
  p.set_address(A + 40);
  p.set_data_ptr(data);
  p.set_data_length(8);
  p.set_streaming_width(8);
  sc_time delay;
  caller.socket->b_transport(p, delay);
  EXPECT_TRUE(p.is_response_ok());
  EXPECT_EQ(delay, sc_time(130, sc_core::SC_NS));
  EXPECT_EQ(static_cast<unsigned char>(*memory.at(A + 44)), 5);
  p.set_read();
  unsigned char back[8] = {};
  p.set_data_ptr(back);
  EXPECT_EQ(caller.socket->transport_dbg(p), 8u);
  EXPECT_EQ(back[7], 8);
  tlm::tlm_dmi dmi;
  ASSERT_TRUE(caller.socket->get_direct_mem_ptr(p, dmi));
  EXPECT_EQ(dmi.get_dmi_ptr()[A + 41 - dmi.get_start_address()], 2);
  // Byte enables and errors.
  unsigned char enables[2] = {0xff, 0x00};
  unsigned char nines[8] = {9, 9, 9, 9, 9, 9, 9, 9};
  p.set_write();
  p.set_data_ptr(nines);
  p.set_byte_enable_ptr(enables);
  p.set_byte_enable_length(2);
  caller.socket->b_transport(p, delay);
  EXPECT_EQ(static_cast<unsigned char>(*memory.at(A + 40)), 9);
  EXPECT_EQ(static_cast<unsigned char>(*memory.at(A + 41)), 2);
  p.set_address(A + (1 << 20) - 4);
  caller.socket->b_transport(p, delay);
  EXPECT_EQ(p.get_response_status(), tlm::TLM_ADDRESS_ERROR_RESPONSE);
  EXPECT_EQ(caller.socket->transport_dbg(p), 4u);
}

}  // namespace
}  // namespace warpvp
