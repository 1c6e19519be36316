// The crossbar as a module: routing, latencies, flits, sharing of inputs, backpressure, statistics.

#include <gtest/gtest.h>

#include "interconnect/protocol_checker.h"
#include "interconnect/switched_crossbar.h"
#include "tests/interconnect/crossbar_bench.h"
#include "tests/support/tlm_agents.h"

namespace warpvp {
namespace {

using sc_core::sc_time;
using test::kRead;
using test::kWrite;

using test::Bank;
using test::map_config;

struct SwitchedBench : sc_core::sc_module {
  SwitchedBench(sc_core::sc_module_name name, const SwitchedCrossbarConfig& config, unsigned sharing,
                unsigned own, unsigned banks, Cycle latency = 1, unsigned room = 1000, bool reversed = false)
      : sc_module(name), map(map_config(banks)) {
    const unsigned ports = sharing + own;
    const auto make_requesters = [&] {
      for (unsigned p = 0; p < ports; ++p)
        requesters.push_back(std::make_unique<test::Requester>(("r" + std::to_string(p)).c_str(), clock));
    };
    const auto make_banks = [&] {
      for (unsigned b = 0; b < banks; ++b)
        this->banks.push_back(
            std::make_unique<Bank>(("b" + std::to_string(b)).c_str(), clock, latency, room));
    };
    const auto make_crossbar = [&] {
      crossbar = std::make_unique<SwitchedCrossbar>("crossbar", clock, config, map, sharing, own);
    };
    if (reversed) {
      make_banks();
      make_crossbar();
      make_requesters();
    } else {
      make_requesters();
      make_crossbar();
      make_banks();
    }
    for (unsigned p = 0; p < ports; ++p) {
      checkers.push_back(std::make_unique<ProtocolChecker>(("ci" + std::to_string(p)).c_str()));
      requesters[p]->port.socket.bind(checkers.back()->target);
      checkers.back()->initiator.bind(crossbar->in(p));
    }
    for (unsigned b = 0; b < banks; ++b) {
      checkers.push_back(std::make_unique<ProtocolChecker>(("co" + std::to_string(b)).c_str()));
      crossbar->out(b).bind(checkers.back()->target);
      checkers.back()->initiator.bind(this->banks[b]->port.socket);
    }
  }
  void run(unsigned us = 20) {
    sc_core::sc_start(sc_time(us, sc_core::SC_US));
    for (auto& r : requesters) EXPECT_TRUE(r->done());
    for (auto& c : checkers) EXPECT_EQ(c->count(), 0u) << c->violations()[0].text;
  }
  Cycle latency(unsigned port, unsigned i) const {
    return requesters[port]->results[i].answered - requesters[port]->results[i].sent;
  }
  ClockDomain clock{"clock", 1000};
  AddressMap map;
  std::unique_ptr<SwitchedCrossbar> crossbar;
  std::vector<std::unique_ptr<test::Requester>> requesters;
  std::vector<std::unique_ptr<Bank>> banks;
  std::vector<std::unique_ptr<ProtocolChecker>> checkers;
};

SwitchedCrossbarConfig quick() {
  SwitchedCrossbarConfig c;
  c.request_latency_cycles = 3;
  c.reply_latency_cycles = 5;
  return c;
}

// Sent at edge k, seen at k+1, leaves at k+1 + latency + flits-1; the bank answers `1` later; the reply is
// seen one edge later and leaves after its latency and flits.
TEST(Crossbar, LatencyCountsHeaderAndDataFlitsOfEachDirection) {
  struct Row {
    tlm::tlm_command command;
    unsigned bytes;
    AccessKind kind;
    unsigned request_flits, reply_flits;
  };
  const std::vector<Row> rows = {
      {kRead, 32, AccessKind::kLoad, 1, 2},    {kRead, 128, AccessKind::kLoad, 1, 5},
      {kRead, 4, AccessKind::kLoad, 1, 2},     {kWrite, 32, AccessKind::kStore, 2, 1},
      {kWrite, 100, AccessKind::kStore, 5, 1}, {kRead, 32, AccessKind::kAtomic, 2, 2},
      {kWrite, 32, AccessKind::kAtomic, 2, 1},
  };
  SwitchedBench bench("bench", quick(), 1, 0, 4);
  for (unsigned i = 0; i < rows.size(); ++i)
    bench.requesters[0]->requests.push_back(
        {rows[i].command, 256 * std::uint64_t{i}, rows[i].bytes, 100 * (i + 1), rows[i].kind, i});
  bench.run();
  std::uint64_t request_flits = 0, reply_flits = 0;
  for (unsigned i = 0; i < rows.size(); ++i) {
    EXPECT_EQ(bench.latency(0, i),
              (1 + 3 + rows[i].request_flits - 1) + 1 + (1 + 5 + rows[i].reply_flits - 1))
        << i;
    const CrossbarLaunchCounters c = bench.crossbar->launches().at(i);
    EXPECT_EQ(c.request.packets, 1u);
    EXPECT_EQ(c.request.flits, rows[i].request_flits);
    EXPECT_EQ(c.reply.flits, rows[i].reply_flits);
    EXPECT_EQ(c.request.queueing_cycles, 0u);
    request_flits += rows[i].request_flits;
    reply_flits += rows[i].reply_flits;
  }
  EXPECT_EQ(bench.crossbar->totals().request.flits, request_flits);
  EXPECT_EQ(bench.crossbar->totals().reply.flits, reply_flits);
}

// A header beside the data costs no flit of its own.
TEST(Crossbar, HeadersMayTravelBesideTheData) {
  struct Row {
    tlm::tlm_command command;
    unsigned bytes;
    AccessKind kind;
    unsigned request_flits, reply_flits;
  };
  const std::vector<Row> rows = {
      {kRead, 32, AccessKind::kLoad, 1, 1},   {kRead, 128, AccessKind::kLoad, 1, 4},
      {kWrite, 32, AccessKind::kStore, 1, 1}, {kWrite, 100, AccessKind::kStore, 4, 1},
      {kRead, 4, AccessKind::kAtomic, 1, 1},
  };
  SwitchedCrossbarConfig config = quick();
  config.header_flit = false;
  SwitchedBench bench("bench", config, 1, 0, 4);
  for (unsigned i = 0; i < rows.size(); ++i)
    bench.requesters[0]->requests.push_back(
        {rows[i].command, 256 * std::uint64_t{i}, rows[i].bytes, 100 * (i + 1), rows[i].kind, i});
  bench.run();
  for (unsigned i = 0; i < rows.size(); ++i) {
    EXPECT_EQ(bench.latency(0, i),
              (1 + 3 + rows[i].request_flits - 1) + 1 + (1 + 5 + rows[i].reply_flits - 1))
        << i;
    EXPECT_EQ(bench.crossbar->launches().at(i).request.flits, rows[i].request_flits);
    EXPECT_EQ(bench.crossbar->launches().at(i).reply.flits, rows[i].reply_flits);
  }
}

// A requester's port of two flits a cycle takes the data of two banks at once.
class CrossbarWidth : public ::testing::TestWithParam<unsigned> {};

TEST_P(CrossbarWidth, ARequesterTakesTheDataOfSeveralBanks) {
  SwitchedCrossbarConfig config = quick();
  config.header_flit = false;
  config.requester_flits = GetParam();
  SwitchedBench bench("bench", config, 1, 0, 4);
  for (unsigned i = 0; i < 400; ++i)
    bench.requesters[0]->requests.push_back({kRead, 256 * std::uint64_t{i}, 128, 1});
  bench.run();
  const auto& results = bench.requesters[0]->results;
  Cycle last = 0;
  for (const auto& result : results) last = std::max(last, result.answered);
  const double cycles = static_cast<double>(last - results[0].answered) / 400;  // of 4 flits
  EXPECT_NEAR(cycles, 4.0 / GetParam(), 0.2);
}
INSTANTIATE_TEST_SUITE_P(Flits, CrossbarWidth, ::testing::Values(1u, 2u));

TEST(Crossbar, RequestsReachTheirBankAndRepliesTheirRequester) {
  SwitchedBench bench("bench", quick(), 12, 2, 6, 9);
  std::uint64_t state = 5;
  for (unsigned p = 0; p < 14; ++p)
    for (unsigned i = 0; i < 100; ++i) {
      state = state * 6364136223846793005ull + 1442695040888963407ull;
      bench.requesters[p]->requests.push_back(
          {(state >> 33 & 1) ? kRead : kWrite, (state >> 34) % 100000 * 64, 64, 1});
    }
  bench.run();
  std::size_t seen = 0;
  for (unsigned b = 0; b < 6; ++b) {
    seen += bench.banks[b]->seen.size();
    for (const auto& [when, address] : bench.banks[b]->seen) ASSERT_EQ(bench.map.bank_of(address), b);
  }
  EXPECT_EQ(seen, 1400u);
  for (auto& r : bench.requesters) EXPECT_EQ(r->live_transactions(), 0u);
}

// Two SMs of a cluster share an input: together they send one flit a cycle; with inputs of their own, two.
TEST(Crossbar, ClustersShareAnInput) {
  SwitchedCrossbarConfig config = quick();
  config.ports_per_input = 2;
  SwitchedBench bench("bench", config, 2, 1, 4);
  EXPECT_EQ(bench.crossbar->inputs(), 2u);
  for (unsigned p = 0; p < 2; ++p)
    for (unsigned i = 0; i < 400; ++i)
      bench.requesters[p]->requests.push_back({kWrite, (p * 2 + i % 2) * std::uint64_t{256}, 32, 1});
  bench.run();
  EXPECT_NEAR(double(bench.requesters[1]->results[399].answered), 1600, 30);
  EXPECT_NEAR(double(bench.requesters[0]->results[399].answered), 1600, 30) << "neither starves the other";
}
TEST(Crossbar, InputsOfTheirOwnDoubleTheRate) {
  SwitchedBench bench("bench", quick(), 2, 0, 4);
  for (unsigned p = 0; p < 2; ++p)
    for (unsigned i = 0; i < 400; ++i)
      bench.requesters[p]->requests.push_back({kWrite, (p * 2 + i % 2) * std::uint64_t{256}, 32, 1});
  bench.run();
  EXPECT_NEAR(double(bench.requesters[1]->results[399].answered), 800, 30);
}

/// Cycles until each of `sms` requesters has had 200 answers of 128 bytes, read or written, from all banks.
double streaming_cycles(const SwitchedCrossbarConfig& config, tlm::tlm_command command, unsigned sms) {
  SwitchedBench bench("bench", config, sms, 1, 8);
  for (unsigned p = 0; p < sms; ++p)
    for (unsigned i = 0; i < 200; ++i)
      bench.requesters[p]->requests.push_back({command, (2 * p + i) % 8 * std::uint64_t{256}, 128, 1});
  bench.run();
  Cycle last = 0;
  for (unsigned p = 0; p < sms; ++p)
    for (const auto& result : bench.requesters[p]->results) last = std::max(last, result.answered);
  return double(last);
}
constexpr double kAlone = 200 * 5;  // a header and four flits of data, one flit a cycle

struct Sharing {
  const char* name;
  tlm::tlm_command command;
  bool shared_replies;
  unsigned ports_per_input, groups;
  double times;  // as long as if each of four had ports of its own
};
class CrossbarSharing : public ::testing::TestWithParam<Sharing> {};

// Two SMs of a TPC that send through one port may still have a port each for what comes back; the link behind
// the ports of a group, here of two flits a cycle, carries what all of them read, or write.
TEST_P(CrossbarSharing, SlowsWhatTravelsThere) {
  SwitchedCrossbarConfig config = quick();
  config.shared_replies = GetParam().shared_replies;
  config.ports_per_input = GetParam().ports_per_input;
  config.groups = GetParam().groups;
  config.group_flits = 2;
  EXPECT_NEAR(streaming_cycles(config, GetParam().command, 4) / kAlone, GetParam().times, 0.15);
}
INSTANTIATE_TEST_SUITE_P(Rows, CrossbarSharing,
                         ::testing::Values(Sharing{"ReadsOfOwnPorts", kRead, true, 1, 0, 1},
                                           Sharing{"WritesOfOwnPorts", kWrite, true, 1, 0, 1},
                                           Sharing{"ReadsOfSharedPorts", kRead, true, 2, 0, 2},
                                           Sharing{"WritesOfSharedPorts", kWrite, true, 2, 0, 2},
                                           Sharing{"ReadsWithRepliesOfTheirOwn", kRead, false, 2, 0, 1},
                                           Sharing{"WritesWithRepliesOfTheirOwn", kWrite, false, 2, 0, 2},
                                           Sharing{"ReadsOfTwoGroups", kRead, true, 1, 2, 1},
                                           Sharing{"WritesOfTwoGroups", kWrite, true, 1, 2, 1},
                                           Sharing{"ReadsOfOneGroup", kRead, true, 1, 1, 2},
                                           Sharing{"WritesOfOneGroup", kWrite, true, 1, 1, 2},
                                           Sharing{"ReadsOfOneGroupWithRepliesOfTheirOwn", kRead, false, 2, 1,
                                                   2}),
                         [](const auto& info) { return info.param.name; });

// A bank that takes one request at a time fills the crossbar up to the requester, whose END_REQ is withheld.
TEST(Crossbar, ASlowBankPushesBackToTheRequester) {
  SwitchedBench bench("bench", quick(), 1, 0, 2, 100, 1);
  for (unsigned i = 0; i < 60; ++i) bench.requesters[0]->requests.push_back({kRead, 0, 32, 1});
  bench.run();
  // Inside: 1 in the bank, 1 on its link, output 4 + latency 3, input queue 8, 1 withheld; then one per 100
  // cycles.
  const auto& r = bench.requesters[0]->results;
  EXPECT_LE(r[18].sent, 40u);
  EXPECT_GE(r[19].sent, 100u);
  EXPECT_NEAR(double(r[59].answered - r[0].answered), 59 * 101, 59.0);
}

// A requester that holds its responses back stops the replies of its port; nothing is lost.
TEST(Crossbar, ASlowRequesterPushesBackToTheBank) {
  SwitchedBench bench("bench", quick(), 2, 0, 2, 1, 4);
  bench.requesters[0]->hold_cycles = 40;
  for (unsigned i = 0; i < 100; ++i) {
    bench.requesters[0]->requests.push_back({kRead, i % 2 * std::uint64_t{256}, 128, 1});
    bench.requesters[1]->requests.push_back({kRead, i % 2 * std::uint64_t{256}, 128, 1});
  }
  bench.run(40);
  EXPECT_GE(bench.requesters[0]->results[99].answered, 99 * 40u);
}

// What is sent at an edge is seen at the next one, so the order in which blocks join the clock must not
// matter.
TEST(Crossbar, OrderOfJoiningDoesNotMatter) {
  SwitchedCrossbarConfig config = quick();
  config.input_queue_packets = 2;
  SwitchedBench forwards("forwards", config, 6, 0, 4, 3, 2),
      backwards("backwards", config, 6, 0, 4, 3, 2, true);
  std::uint64_t state = 77;
  for (unsigned p = 0; p < 6; ++p)
    for (unsigned i = 0; i < 200; ++i) {
      state = state * 6364136223846793005ull + 1442695040888963407ull;
      for (SwitchedBench* bench : {&forwards, &backwards})
        bench->requesters[p]->requests.push_back(
            {(state >> 33 & 3) ? kRead : kWrite, (state >> 35) % 4 * 256, 64, i * Cycle{3}});
    }
  forwards.run();
  backwards.run(0);
  for (unsigned p = 0; p < 6; ++p)
    for (unsigned i = 0; i < 200; ++i) {
      ASSERT_EQ(forwards.requesters[p]->results[i].sent, backwards.requesters[p]->results[i].sent)
          << p << " " << i;
      ASSERT_EQ(forwards.requesters[p]->results[i].answered, backwards.requesters[p]->results[i].answered);
    }
}

TEST(Crossbar, BlockingAndDebugAccessesAreRouted) {
  struct Caller : sc_core::sc_module, tlm::tlm_bw_transport_if<> {
    explicit Caller(sc_core::sc_module_name name) : sc_module(name), socket("socket") { socket.bind(*this); }
    tlm::tlm_initiator_socket<> socket;
    tlm::tlm_sync_enum nb_transport_bw(tlm::tlm_generic_payload&, tlm::tlm_phase&, sc_time&) override {
      return tlm::TLM_ACCEPTED;
    }
    void invalidate_direct_mem_ptr(sc_dt::uint64, sc_dt::uint64) override {}
  };
  ClockDomain clock("clock", 1000);
  AddressMap map(map_config(3));
  SwitchedCrossbar crossbar("crossbar", clock, quick(), map, 1);
  Caller caller("caller");
  caller.socket.bind(crossbar.in(0));
  std::vector<std::unique_ptr<Bank>> banks;
  for (unsigned b = 0; b < 3; ++b) {
    banks.push_back(std::make_unique<Bank>(("b" + std::to_string(b)).c_str(), clock, 1, 1));
    crossbar.out(b).bind(banks[b]->port.socket);
  }
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  unsigned char data[64];
  tlm::tlm_generic_payload p;
  p.set_read();
  p.set_address(2 * 256);
  p.set_data_ptr(data);
  p.set_data_length(64);
  p.set_streaming_width(64);
  sc_time delay;
  caller.socket->b_transport(p, delay);
  EXPECT_EQ(banks[2]->last_blocking, 512u);
  EXPECT_EQ(delay, sc_time(3 + (5 + 2) + 7, sc_core::SC_NS));
  EXPECT_EQ(caller.socket->transport_dbg(p), 2u);
}

}  // namespace
}  // namespace warpvp
