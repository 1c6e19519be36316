// What the controller does with requests: latencies, bandwidth, order, write drain, refresh.

#include "modules/dram/dram_controller.h"

#include <set>

#include "base/error.h"
#include "base/registry.h"
#include "modules/dram/fixed_latency_memory.h"
#include "tests/dram/dram_bench.h"

namespace warpvp {
namespace {

using test::distinct_timing;
using test::DramBench;
using test::Kind;
using test::kRead;
using test::kWrite;
using test::Record;

TEST(DramController, LatenciesOfClosedOpenAndConflictingRows) {
  DramBench bench(distinct_timing());
  auto& q = bench.requesters[0]->requests;
  q = {{kRead, bench.at(0, 0, 5, 0), 32, 10},
       {kRead, bench.at(0, 0, 5, 1), 32, 300},
       {kRead, bench.at(0, 0, 6, 0), 32, 600},
       {kWrite, bench.at(0, 0, 6, 1), 32, 900},
       {kRead, bench.at(1, 0, 6, 0), 64, 1200}};
  bench.run(3);
  // frontend 8, tRCD 11, tRP 13, CL 10, burst 2, backend 6.
  EXPECT_EQ(bench.latency(0), 8u + 11 + 10 + 2 + 6);
  EXPECT_EQ(bench.latency(1), 8u + 10 + 2 + 6);
  EXPECT_EQ(bench.latency(2), 8u + 13 + 11 + 10 + 2 + 6);
  EXPECT_EQ(bench.latency(3), 8u + 6) << "writes are answered from the queue";
  EXPECT_EQ(bench.latency(4), 8u + 11 + 5 + 10 + 2 + 6) << "two bursts, tCCD_L apart";
  const DramCounters& c = bench.dram.counters();
  EXPECT_EQ(c.row_hits, 2u + 1);  // the second burst of the last read hits too
  EXPECT_EQ(c.row_misses, 2u);
  EXPECT_EQ(c.row_conflicts, 1u);
  EXPECT_EQ(c.activates, 3u);
  EXPECT_EQ(c.precharges, 1u);
}

// Commands are decided ahead of their time. Nothing of it shows before their cycles.
TEST(DramController, WhatIsDecidedAheadCountsAtItsCycle) {
  DramConfig config = distinct_timing();
  config.frontend_cycles = 100;  // so far ahead
  DramBench bench(config);
  bench.requesters[0]->requests = {{kWrite, bench.at(0, 0, 5, 0), 128, 10},
                                   {kRead, bench.at(1, 1, 6, 0), 128, 200}};
  std::vector<Cycle> counted;  // the cycle at which the counters showed a further command
  sc_core::sc_start(bench.clock.period() / 2);
  while (bench.clock.now() < 400) {
    sc_core::sc_start(bench.clock.period());
    const DramCounters c = bench.dram.counters();
    const std::uint64_t commands = c.activates + c.read_bursts + c.write_bursts;
    while (counted.size() < commands) counted.push_back(bench.clock.now());
  }
  std::vector<Cycle> sent;
  for (const Record& r : bench.commands) sent.push_back(r.cycle);
  EXPECT_EQ(sent.size(), 2u * (1 + 4));
  EXPECT_EQ(counted, sent);
}

// A queue of one place: the second write takes it when the last burst of the first has been sent, and its own
// first command goes at once, since its time in the frontend has passed.
TEST(DramController, APlaceIsFreeWhenTheLastBurstIsSentAndNotWhenThatIsDecided) {
  DramConfig config = distinct_timing();
  config.write_queue = config.write_high = 1;
  config.write_low = 0;
  config.frontend_cycles = 40;
  DramBench bench(config, 2);
  bench.requesters[0]->requests = {{kWrite, DeviceMemory::kBase, 128, 10}};
  bench.requesters[1]->requests = {{kWrite, DeviceMemory::kBase + 256, 128, 30}};
  bench.run(2);
  std::vector<Cycle> writes;
  Cycle second_begins = 0;
  for (const Record& r : bench.commands) {
    if (r.kind == Kind::kWrite) writes.push_back(r.cycle);
    if (writes.size() == 4 && second_begins == 0 && r.cycle > writes[3]) second_begins = r.cycle;
  }
  ASSERT_EQ(writes.size(), 8u);
  EXPECT_EQ(second_begins, std::max<Cycle>(writes[3] + 1, 30 + 40));
}

TEST(DramController, TicksDoNotGrowWithTheCommandsOfARequest) {
  DramConfig config = distinct_timing();
  config.frontend_cycles = 60;
  config.backend_cycles = 60;
  DramBench bench(config);
  bench.requesters[0]->requests = {{kRead, bench.at(0, 0, 5, 0), 32, 100},
                                   {kRead, bench.at(1, 0, 5, 0), 128, 600}};
  const auto ticks_until = [&](double ns) {
    const auto before = sc_core::sc_delta_count();
    sc_core::sc_start(sc_core::sc_time(ns, sc_core::SC_NS) - sc_core::sc_time_stamp());
    return sc_core::sc_delta_count() - before;
  };
  ticks_until(50.5);
  const auto one_burst = ticks_until(500.5);
  EXPECT_EQ(bench.commands.size(), 1u + 1);
  EXPECT_EQ(ticks_until(1000.5), one_burst);
  EXPECT_EQ(bench.commands.size(), 2u * 1 + 1 + 4);
  EXPECT_TRUE(bench.requesters[0]->done());
}

// A request that is sure of its place in the queue need not be looked at before it is due.
TEST(DramController, NoTickBetweenTheArrivalOfARequestAndItsDueCycle) {
  DramConfig config = distinct_timing();
  config.frontend_cycles = 40;
  DramBench bench(config);
  bench.requesters[0]->requests = {{kRead, bench.at(0, 0, 5, 0), 32, 100}};
  const auto until = [&](double ns) {
    const auto before = sc_core::sc_delta_count();
    sc_core::sc_start(sc_core::sc_time(ns, sc_core::SC_NS) - sc_core::sc_time_stamp());
    return sc_core::sc_delta_count() - before;
  };
  until(100.5);
  EXPECT_EQ(until(139.5), 0u) << "between its arrival and its due cycle";
  bench.run(1);
}

// Requests that come while others wait in the front end take their places in the order of their edges, from
// whatever port, and a port can be used again before the one before it is due.
TEST(DramController, PlacesAreTakenInTheOrderOfArrivalAcrossPorts) {
  DramConfig config = distinct_timing();
  config.frontend_cycles = 50;
  config.scheduler = test::choose("fcfs");
  DramBench bench(config, 2);
  const std::uint64_t base = DeviceMemory::kBase;
  // Rows of one bank, so that each needs an activate of its own.
  const std::uint64_t row = 64 * 1024;
  bench.requesters[1]->requests = {{kRead, base + 256, 32, 10}, {kRead, base + 256 + 2 * row, 32, 14}};
  bench.requesters[0]->requests = {{kRead, base + row, 32, 12}, {kRead, base + 3 * row, 32, 16}};
  bench.run(3);
  std::vector<std::uint32_t> rows;
  for (const Record& r : bench.commands)
    if (r.kind == Kind::kRead) rows.push_back(r.row);
  const std::vector<std::uint32_t> expected = {
      bench.dram.place_of(base + 256).row, bench.dram.place_of(base + row).row,
      bench.dram.place_of(base + 256 + 2 * row).row, bench.dram.place_of(base + 3 * row).row};
  EXPECT_EQ(rows, expected);
  EXPECT_EQ(std::set<std::uint32_t>(expected.begin(), expected.end()).size(), 4u);
}

// Sequential reads that keep the queue full. The bus carries data back to back except around refreshes: from
// the last RD before one to the first RD after it pass tRTP + tRP + tRFC + tRCD.
class Streaming : public ::testing::TestWithParam<const char*> {};

TEST_P(Streaming, ReadsReachTheShareOfPeakThatTheTimingPredicts) {
  const DramConfig config = test::preset(GetParam());
  const DramTiming& t = config.timing;
  DramBench bench(config, 2);
  const unsigned refreshes = 13;
  const unsigned lines =
      static_cast<unsigned>(refreshes * t.t_refi * (t.atom_bytes() / t.burst_cycles()) / 128);
  for (unsigned i = 0; i < lines; ++i)
    bench.requesters[i / 2 % 2]->requests.push_back(
        {kRead, DeviceMemory::kBase + i * std::uint64_t{128}, 128, 1});
  bench.run(1e6);
  // Over whole refresh intervals: from the second refresh to the twelfth.
  std::vector<Cycle> refresh_times;
  std::uint64_t reads = 0;
  for (const Record& r : bench.commands) {
    if (r.kind == Kind::kRefresh) refresh_times.push_back(r.cycle);
    if (r.kind == Kind::kRead && refresh_times.size() >= 2 && refresh_times.size() < 12) ++reads;
  }
  ASSERT_GE(refresh_times.size(), 12u);
  const double share = double(reads * t.burst_cycles()) / double(refresh_times[11] - refresh_times[1]);
  const double predicted = 1.0 - double(t.t_rtp + t.t_rp + t.t_rfc + t.t_rcd) / t.t_refi;
  EXPECT_NEAR(share, predicted, 0.005);
  EXPECT_EQ(bench.dram.counters().read_bursts, lines * std::uint64_t{128} / t.atom_bytes());
}
INSTANTIATE_TEST_SUITE_P(Presets, Streaming, ::testing::Values("gddr5", "gddr5x", "hbm2"),
                         [](const auto& info) { return std::string(info.param); });

// Every access another row of one bank: one access in tRC.
TEST(DramController, RowConflictsInOneBankRunAtOneAccessInTRC) {
  DramBench bench(distinct_timing());
  for (unsigned i = 0; i < 200; ++i)
    bench.requesters[0]->requests.push_back({kRead, bench.at(0, 0, i, 0), 32, 1});
  bench.run(100);
  const auto& results = bench.requesters[0]->results;
  EXPECT_EQ(results[199].answered - results[0].answered, 199u * 47);
}

std::vector<std::uint32_t> rows_read(const std::vector<Record>& commands) {
  std::vector<std::uint32_t> rows;
  for (const Record& r : commands)
    if (r.kind == Kind::kRead) rows.push_back(r.row);
  return rows;
}

// Row A, row B, row A, row B ... of one bank, all at once.
std::vector<std::uint32_t> interleaved_rows(const char* scheduler) {
  DramConfig config = distinct_timing();
  config.scheduler = scheduler;
  DramBench bench(config);
  for (unsigned i = 0; i < 8; ++i)
    bench.requesters[0]->requests.push_back({kRead, bench.at(0, 0, i % 2, i), 32, 1});
  bench.run(10);
  const std::uint32_t base = bench.dram.place_of(bench.at(0, 0, 0, 0)).row;
  auto rows = rows_read(bench.commands);
  for (auto& row : rows) row -= base;
  return rows;
}
TEST(DramScheduling, FrFcfsServesTheOpenRowFirst) {
  EXPECT_EQ(interleaved_rows("fr_fcfs"), (std::vector<std::uint32_t>{0, 0, 0, 0, 1, 1, 1, 1}));
}
TEST(DramScheduling, FcfsKeepsTheOrderOfArrival) {
  EXPECT_EQ(interleaved_rows("fcfs"), (std::vector<std::uint32_t>{0, 1, 0, 1, 0, 1, 0, 1}));
}

// A stream of hits delays a conflict without end, unless waiting has a limit.
Cycle wait_behind_hits(double max_wait) {
  DramConfig config = distinct_timing();
  config.scheduler.load = [max_wait](const std::function<void(FieldVisitor&)>& fields) {
    test::SetFields set({{"max_wait_cycles", max_wait}});
    fields(set);
  };
  DramBench bench(config);
  auto& q = bench.requesters[0]->requests;
  for (unsigned i = 0; i < 40; ++i) q.push_back({kRead, bench.at(0, 0, 0, i % 64), 32, 1});
  q.push_back({kRead, bench.at(0, 0, 1, 0), 32, 1});
  for (unsigned i = 0; i < 400; ++i) q.push_back({kRead, bench.at(0, 0, 0, i % 64), 32, 1});
  bench.run(20);
  return bench.latency(40);
}
TEST(DramScheduling, HitsStarveAConflictByDefault) { EXPECT_GT(wait_behind_hits(0), 2000u); }
TEST(DramScheduling, MaxWaitEndsStarvation) {
  const Cycle wait = wait_behind_hits(400);
  EXPECT_GT(wait, 400u);
  EXPECT_LT(wait, 520u);
}

TEST(DramController, UnknownSchedulerIsAnInputErrorThatNamesTheChoices) {
  DramConfig config = distinct_timing();
  config.scheduler = "fr_fcsf";
  try {
    DramBench bench(config);
    FAIL();
  } catch (const InputError& e) {
    EXPECT_EQ(std::string(e.what()), "unknown dram_scheduler 'fr_fcsf'; allowed: " +
                                         join_names(Registry<DramScheduler>::instance().names()) +
                                         "; did you mean 'fr_fcfs'?");
  }
}

// Reads always wait, writes come in between: they are held back to the high watermark and drained to the low
// one.
TEST(DramController, WritesAreDrainedBetweenWatermarks) {
  DramConfig config = distinct_timing();
  config.write_queue = 20;
  config.write_high = 16;
  config.write_low = 4;
  DramBench bench(config, 2);
  for (unsigned i = 0; i < 600; ++i)
    bench.requesters[0]->requests.push_back({kRead, DeviceMemory::kBase + i * 512, 128, 1});
  for (unsigned i = 0; i < 80; ++i)
    bench.requesters[1]->requests.push_back({kWrite, DeviceMemory::kBase + 256 + i * 512, 32, i * Cycle{20}});
  bench.run(100);
  // Runs of writes while reads are waiting.
  Cycle last_read = 0;
  for (const Record& r : bench.commands)
    if (r.kind == Kind::kRead) last_read = r.cycle;
  std::vector<unsigned> runs;
  bool in_run = false;
  for (const Record& r : bench.commands) {
    if (r.cycle > last_read) break;
    if (r.kind == Kind::kRead) in_run = false;
    if (r.kind == Kind::kWrite) {
      if (!in_run) runs.push_back(0);
      in_run = true;
      ++runs.back();
    }
  }
  ASSERT_GE(runs.size(), 3u);
  EXPECT_EQ(bench.dram.counters().write_drains, runs.size());
  for (unsigned n : runs) {
    EXPECT_GE(n, 12u);
    EXPECT_LE(n, 16u);  // one or two more may arrive during the drain
  }
}

// The watermarks themselves: 15 writes wait for the reads to end, the 16th starts a drain of 12.
class WriteDrain : public ::testing::TestWithParam<unsigned> {};

TEST_P(WriteDrain, BeginsAtTheHighWatermarkAndEndsAtTheLowOne) {
  const unsigned writes = GetParam();
  DramConfig config = distinct_timing();
  config.write_queue = 20;
  config.write_high = 16;
  config.write_low = 4;
  DramBench bench(config, 2);
  for (unsigned i = 0; i < 300; ++i)
    bench.requesters[0]->requests.push_back({kRead, DeviceMemory::kBase + i * 512, 128, 1});
  for (unsigned i = 0; i < writes; ++i)
    bench.requesters[1]->requests.push_back({kWrite, DeviceMemory::kBase + 256 + i * 512, 32, 50});
  bench.run(100);
  Cycle last_read = 0;
  for (const Record& r : bench.commands)
    if (r.kind == Kind::kRead) last_read = r.cycle;
  unsigned before = 0;
  for (const Record& r : bench.commands) before += r.kind == Kind::kWrite && r.cycle < last_read;
  EXPECT_EQ(before, writes == 16 ? 12u : 0u);
  EXPECT_EQ(bench.dram.counters().write_drains, writes == 16 ? 1u : 0u);
}
INSTANTIATE_TEST_SUITE_P(Writes, WriteDrain, ::testing::Values(15u, 16u),
                         [](const auto& info) { return std::to_string(info.param); });

// When a drain ends, the waiting reads go as soon as the bus turns: nobody waits for the next write, which
// would take longer, as all writes want another row of one bank.
TEST(DramController, ReadsFollowTheLastWriteOfADrainAtOnce) {
  DramConfig config = distinct_timing();
  config.write_queue = 20;
  config.write_high = 8;
  config.write_low = 4;
  DramBench bench(config);
  auto& q = bench.requesters[0]->requests;
  for (unsigned i = 0; i < 8; ++i) q.push_back({kWrite, bench.at(0, 0, i, 0), 32, 1});
  for (unsigned i = 0; i < 60; ++i) q.push_back({kRead, bench.at(1, 0, 5, i % 16), 32, 1});
  bench.run(20);
  const DramTiming& t = config.timing;
  unsigned writes = 0;
  Cycle fourth_write = 0, read_after = 0;
  for (const Record& r : bench.commands) {
    if (r.kind == Kind::kWrite && ++writes == 4) fourth_write = r.cycle;
    if (r.kind == Kind::kRead && writes == 4 && read_after == 0) read_after = r.cycle;
  }
  EXPECT_EQ(read_after, fourth_write + t.t_cwl + t.burst_cycles() + t.t_wtr_s);
  EXPECT_EQ(writes, 8u);
}

TEST(DramController, AFullQueueWithholdsTheRequest) {
  DramConfig config = distinct_timing();
  config.read_queue = 4;
  DramBench bench(config);
  for (unsigned i = 0; i < 12; ++i)
    bench.requesters[0]->requests.push_back({kRead, bench.at(0, 0, 5, i), 32, 1});
  bench.run(10);
  const auto& r = bench.requesters[0]->results;
  // Six can be sent at once: four in the queue, one before it, one withheld on the link. At the first answer
  // each moves up at the next edge, and the seventh follows at the one after.
  EXPECT_EQ(r[5].sent, 6u);
  EXPECT_EQ(r[6].sent, r[0].answered + 2);
}

TEST(DramController, AReadOfAQueuedWriteIsAnsweredFromTheQueue) {
  DramBench bench(distinct_timing());
  auto& q = bench.requesters[0]->requests;
  // Reads of another bank keep the write waiting.
  for (unsigned i = 0; i < 20; ++i) q.push_back({kRead, bench.at(1, 0, 5, i), 32, 1});
  q.push_back({kWrite, bench.at(0, 0, 5, 0), 32, 1});
  q.push_back({kRead, bench.at(0, 0, 5, 0), 32, 1});
  q.push_back({kRead, bench.at(0, 0, 5, 1), 32, 1});  // another column: from DRAM
  bench.run(10);
  EXPECT_EQ(bench.latency(21), 8u + 6);
  EXPECT_GT(bench.latency(22), 8u + 6);
  EXPECT_EQ(bench.dram.counters().forwarded_reads, 1u);
  EXPECT_EQ(bench.dram.counters().write_bursts, 1u);
}

TEST(DramController, RefreshDelaysWhatComesDuringItAndClosesRows) {
  DramConfig config = distinct_timing();
  config.timing.t_refi = 2000;
  config.timing.t_rfc = 150;
  DramBench bench(config);
  auto& q = bench.requesters[0]->requests;
  q = {{kRead, bench.at(0, 0, 5, 0), 32, 1900},   // opens the row
       {kRead, bench.at(0, 0, 5, 1), 32, 2000},   // PRE at 2000, REF at 2013, ACT at 2163
       {kRead, bench.at(0, 0, 5, 2), 32, 9000},   // three refreshes in idle time: the row is closed
       {kRead, bench.at(0, 0, 5, 3), 32, 9500}};  // a hit
  bench.run(12);
  EXPECT_EQ(bench.requesters[0]->results[1].answered, 2000u + 13 + 150 + 11 + 10 + 2 + 6);
  EXPECT_EQ(bench.latency(2), 8u + 11 + 10 + 2 + 6);
  EXPECT_EQ(bench.latency(3), 8u + 10 + 2 + 6);
  EXPECT_EQ(bench.dram.counters().refreshes, 4u);
}

TEST(DramController, IdleChannelsSleep) {
  DramConfig config = test::preset("hbm2");
  DramBench bench(config);
  bench.requesters[0]->requests = {{kRead, DeviceMemory::kBase, 128, 10}};
  bench.run(2);
  const auto deltas = sc_core::sc_delta_count();
  sc_core::sc_start(sc_core::sc_time(10, sc_core::SC_MS));
  EXPECT_LE(sc_core::sc_delta_count() - deltas, 3u) << "not even refresh wakes it";
}

TEST(DramController, BadRequestsGetAnErrorStatus) {
  DramBench bench(distinct_timing());
  bench.requesters[0]->requests = {{kRead, 0x10, 32, 1},
                                   {kRead, DeviceMemory::kBase + (std::uint64_t{1} << 32) - 16, 32, 1},
                                   {kRead, DeviceMemory::kBase, 32, 1}};
  bench.run(1);
  EXPECT_EQ(bench.requesters[0]->results[0].status, tlm::TLM_ADDRESS_ERROR_RESPONSE);
  EXPECT_EQ(bench.requesters[0]->results[1].status, tlm::TLM_ADDRESS_ERROR_RESPONSE);
  EXPECT_EQ(bench.requesters[0]->results[2].status, tlm::TLM_OK_RESPONSE);
}

// ---- types of channel and the fixed-latency memory

struct FixedBench {
  explicit FixedBench(std::map<std::string, double> fields) : memory(1 << 24), map(DramBench::map_config(1)) {
    PolicyChoice choice("fixed_latency");
    choice.load = [&](const std::function<void(FieldVisitor&)>& visit) {
      test::SetFields set(fields);
      visit(set);
    };
    type = Registry<MemoryChannelType>::instance().make(choice);
    clock = std::make_unique<ClockDomain>("clock", type->clock_mhz());
    requester = std::make_unique<test::Requester>("requester", *clock);
    channel = type->build("channel", {*clock, memory, map, 0, 1});
    requester->port.socket.bind(checker.target);
    checker.initiator.bind(channel->in(0));
  }
  DeviceMemory memory;
  AddressMap map;
  std::unique_ptr<MemoryChannelType> type;
  std::unique_ptr<ClockDomain> clock;
  std::unique_ptr<test::Requester> requester;
  std::unique_ptr<MemoryChannel> channel;
  ProtocolChecker checker{"checker"};
};

TEST(FixedLatencyMemory, AnswersAfterItsLatency) {
  FixedBench bench({{"clock_mhz", 700}, {"latency_cycles", 77}});
  bench.requester->requests = {
      {kRead, DeviceMemory::kBase, 32, 5}, {kWrite, DeviceMemory::kBase, 128, 5}, {kRead, 0, 32, 5}};
  sc_core::sc_start(sc_core::sc_time(10, sc_core::SC_US));
  for (const auto& r : bench.requester->results) EXPECT_EQ(r.answered - r.sent, 77u);
  EXPECT_EQ(bench.requester->results[2].status, tlm::TLM_ADDRESS_ERROR_RESPONSE);
  EXPECT_EQ(bench.checker.count(), 0u);
}

TEST(FixedLatencyMemory, KeepsToItsBandwidth) {
  FixedBench bench({{"latency_cycles", 50}, {"bytes_per_cycle", 24}});
  for (unsigned i = 0; i < 300; ++i)
    bench.requester->requests.push_back({kRead, DeviceMemory::kBase, 128, 1});
  sc_core::sc_start(sc_core::sc_time(10, sc_core::SC_US));
  ASSERT_TRUE(bench.requester->done());
  const auto& r = bench.requester->results;
  EXPECT_EQ(r[0].answered - r[0].sent, 50u + 127 / 24);
  EXPECT_NEAR(double(r[299].answered - r[0].answered), 299 * 128 / 24.0, 1.0);
}

TEST(MemoryChannels, AreRegisteredUnderTheirNames) {
  for (const char* name : {"controller", "fixed_latency"})
    EXPECT_TRUE(Registry<MemoryChannelType>::instance().contains(name)) << name;
  PolicyChoice choice("controller");
  const auto type = Registry<MemoryChannelType>::instance().make(choice);
  EXPECT_DOUBLE_EQ(type->clock_mhz(), 850);
  EXPECT_NEAR(type->peak_bytes_per_second(), 27.2e9, 1e6);
}

}  // namespace
}  // namespace warpvp
