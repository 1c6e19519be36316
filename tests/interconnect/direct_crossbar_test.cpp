// Crossbars that take the same time for every packet: routing, times, order, backpressure, counters.

#include "interconnect/direct_crossbar.h"

#include <gtest/gtest.h>

#include "interconnect/protocol_checker.h"
#include "tests/interconnect/crossbar_bench.h"
#include "tests/support/set_fields.h"
#include "tests/support/tlm_agents.h"

namespace warpvp {
namespace {

using test::Bank;
using test::kRead;
using test::kWrite;
using test::map_config;

/// The address of a bank's first line.
std::uint64_t in_bank(unsigned bank) { return DeviceMemory::kBase + std::uint64_t{256} * bank; }

struct DirectBench : sc_core::sc_module {
  DirectBench(sc_core::sc_module_name name, const PolicyChoice& type, unsigned ports, unsigned banks,
              Cycle latency = 1, unsigned room = 1000)
      : sc_module(name), map(map_config(banks)) {
    crossbar = Registry<CrossbarType>::instance().make(type)->build("crossbar", {clock, map, ports, 0});
    for (unsigned p = 0; p < ports; ++p) {
      requesters.push_back(std::make_unique<test::Requester>(("r" + std::to_string(p)).c_str(), clock));
      watch(requesters[p]->port.socket, crossbar->in(p));
    }
    for (unsigned b = 0; b < banks; ++b) {
      this->banks.push_back(std::make_unique<Bank>(("b" + std::to_string(b)).c_str(), clock, latency, room));
      watch(crossbar->out(b), this->banks[b]->port.socket);
    }
  }
  void watch(tlm::tlm_initiator_socket<>& from, tlm::tlm_target_socket<>& to) {
    checkers.push_back(std::make_unique<ProtocolChecker>(("c" + std::to_string(checkers.size())).c_str()));
    from.bind(checkers.back()->target);
    checkers.back()->initiator.bind(to);
  }
  void run() {
    sc_core::sc_start(sc_core::sc_time(20, sc_core::SC_US));
    for (auto& r : requesters) EXPECT_TRUE(r->done());
    for (auto& c : checkers) EXPECT_EQ(c->count(), 0u) << c->violations()[0].text;
  }
  Cycle latency(unsigned port, unsigned i) const {
    return requesters[port]->results[i].answered - requesters[port]->results[i].sent;
  }

  ClockDomain clock{"clock", 1000};
  AddressMap map;
  std::unique_ptr<Crossbar> crossbar;
  std::vector<std::unique_ptr<test::Requester>> requesters;
  std::vector<std::unique_ptr<Bank>> banks;
  std::vector<std::unique_ptr<ProtocolChecker>> checkers;
};

PolicyChoice fixed(unsigned request, unsigned reply) {
  return test::part_with("fixed_latency",
                         {{"request_latency_cycles", request}, {"reply_latency_cycles", reply}});
}

TEST(DirectCrossbar, TakesTheSameTimeForAHeaderAndForALine) {
  // One edge to be seen, 3 there; the bank takes 1; one edge to be seen, 5 back.
  DirectBench bench("bench", fixed(3, 5), 1, 2);
  bench.requesters[0]->requests = {{kRead, in_bank(0), 32, 10},
                                   {kRead, in_bank(1), 128, 50},
                                   {kWrite, in_bank(0), 128, 100},
                                   {kWrite, in_bank(1), 4, 150}};
  bench.run();
  for (unsigned i = 0; i < 4; ++i) EXPECT_EQ(bench.latency(0, i), (1 + 3) + 1 + (1 + 5)) << i;
  EXPECT_EQ(bench.banks[0]->seen[0], std::make_pair(Cycle{14}, in_bank(0)));
  EXPECT_EQ(bench.banks[1]->seen[0], std::make_pair(Cycle{54}, in_bank(1)));
}

TEST(DirectCrossbar, IdealIsOneEdgeEachWay) {
  DirectBench bench("bench", "ideal", 1, 1);
  bench.requesters[0]->requests = {{kRead, in_bank(0), 128, 10}};
  bench.run();
  EXPECT_EQ(bench.latency(0, 0), 1u + 1 + 1);
}

TEST(DirectCrossbar, ManyPacketsToOneBankDoNotWaitForEachOtherAndKeepTheOrderOfTheirPorts) {
  DirectBench bench("bench", fixed(3, 5), 4, 1);
  // Joined to the clock in the order of ports; sent in another: port 3 one edge earlier.
  for (unsigned p = 0; p < 4; ++p)
    bench.requesters[p]->requests = {{kRead, in_bank(0) + 32 * p, 32, p == 3 ? 9u : 10u}};
  bench.run();
  std::vector<std::pair<Cycle, std::uint64_t>> expected = {
      {13, in_bank(0) + 96}, {14, in_bank(0)}, {14, in_bank(0) + 32}, {14, in_bank(0) + 64}};
  EXPECT_EQ(bench.banks[0]->seen, expected);
  EXPECT_EQ(bench.crossbar->launches().total().request.queueing_cycles, 0u);
}

TEST(DirectCrossbar, ABankThatIsFullHoldsUpItsOwnPacketsOnly) {
  DirectBench bench("bench", fixed(1, 1), 2, 2, 20, 1);  // a bank takes one request, and 20 cycles for it
  bench.requesters[0]->requests = {{kRead, in_bank(0), 32, 10}, {kRead, in_bank(0) + 32, 32, 11}};
  bench.requesters[1]->requests = {{kRead, in_bank(1), 32, 11}};
  bench.run();
  EXPECT_EQ(bench.latency(0, 0), 2u + 20 + 2);
  EXPECT_EQ(bench.latency(1, 0), 2u + 20 + 2);
  EXPECT_GT(bench.latency(0, 1), 2u + 20 + 2 + 15);
}

// A packet waits from the edge at which it is due: here for the END_REQ of the one before it.
TEST(DirectCrossbar, CountsTheCyclesThatPacketsWaitForABank) {
  DirectBench bench("bench", "ideal", 3, 1, 20, 1);
  for (unsigned p = 0; p < 3; ++p) bench.requesters[p]->requests = {{kRead, in_bank(0) + 32 * p, 32, 10}};
  bench.run();
  const std::vector<std::pair<Cycle, std::uint64_t>>& seen = bench.banks[0]->seen;
  ASSERT_EQ(seen.size(), 3u);
  const CrossbarCounters waits = bench.crossbar->launches().total().request;
  EXPECT_EQ(waits.packets, 3u);
  // The second packet is offered one edge after the first, and stays on the link until the bank has room; the
  // third leaves the crossbar when that link is free.
  EXPECT_GT(waits.queueing_cycles, 20u);
  EXPECT_LT(waits.queueing_cycles, 25u);
}

TEST(DirectCrossbar, CountsPacketsAndFlitsOfEachLaunch) {
  DirectBench bench("bench", "ideal", 1, 1);
  bench.requesters[0]->requests = {{kRead, in_bank(0), 128, 10, AccessKind::kLoad, 3},
                                   {kWrite, in_bank(0), 64, 30, AccessKind::kStore, 3}};
  bench.run();
  const CrossbarLaunchCounters c = bench.crossbar->launches().at(3);
  EXPECT_EQ(c.request.packets, 2u);
  EXPECT_EQ(c.request.flits, 1u + (1 + 2));
  EXPECT_EQ(c.reply.packets, 2u);
  EXPECT_EQ(c.reply.flits, (1u + 4) + 1);
}

TEST(DirectCrossbar, BlockingAndDebugAccessesAreRouted) {
  DirectBench bench("bench", fixed(3, 5), 1, 2);
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  tlm::tlm_generic_payload payload;
  payload.set_address(in_bank(1));
  sc_core::sc_time delay;
  bench.requesters[0]->port.socket->b_transport(payload, delay);
  EXPECT_EQ(bench.banks[1]->last_blocking, in_bank(1));
  EXPECT_EQ(delay, sc_core::sc_time(3 + 5 + 7, sc_core::SC_NS));
  EXPECT_EQ(bench.requesters[0]->port.socket->transport_dbg(payload), in_bank(1) >> 8 & 0xff);
}

}  // namespace
}  // namespace warpvp
