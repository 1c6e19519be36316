// The L2 bank that holds everything, between a requester and a memory that must see nothing.

#include "modules/l2/perfect_bank.h"

#include <gtest/gtest.h>

#include "interconnect/protocol_checker.h"
#include "modules/dram/fixed_latency_memory.h"
#include "tests/support/tlm_agents.h"

namespace warpvp {
namespace {

using test::kRead;
using test::kWrite;
constexpr std::uint64_t A = DeviceMemory::kBase;

struct Bench {
  explicit Bench(const PerfectBankConfig& config)
      : map([] {
          AddressMapConfig c;
          c.banks = c.channels = 1;
          c.hash = "none";
          return c;
        }()),
        l2("l2", L2Place{clock, memory, map, 0, 128}, config),
        dram("dram", MemoryChannelPlace{clock, memory, map, 0, 1}, FixedLatencyConfig{}) {
    requester.port.socket.bind(above.target);
    above.initiator.bind(l2.in());
    l2.out().bind(dram.in(0));
  }
  void run(std::vector<test::Requester::Request> requests) {
    requester.requests = std::move(requests);
    sc_core::sc_start(sc_core::sc_time(20, sc_core::SC_US));
    EXPECT_TRUE(requester.done());
    EXPECT_EQ(above.count(), 0u) << above.violations()[0].text;
    EXPECT_EQ(dram.launches().total().reads + dram.launches().total().writes, 0u);
  }
  Cycle latency(unsigned i) const { return requester.results[i].answered - requester.results[i].sent; }

  ClockDomain clock{"clock", 1000};
  DeviceMemory memory{1 << 20};
  AddressMap map;
  test::Requester requester{"requester", clock};
  PerfectBank l2;
  FixedLatencyMemory dram;
  ProtocolChecker above{"above"};
};

PerfectBankConfig quick() {
  PerfectBankConfig c;
  c.latency_cycles = 30;
  return c;
}

TEST(PerfectBank, EveryRequestIsAHit) {
  Bench bench(quick());
  const auto atomic = AccessKind::kAtomic;
  bench.run({{kRead, A, 32, 10, AccessKind::kLoad, 3, 2},  // says 2 before: the bank's answer counts
             {kWrite, A + 4096, 128, 100, AccessKind::kStore, 3},
             {kRead, A + 8192, 4, 200, atomic, 3},
             {kRead, A + 112, 32, 300, AccessKind::kLoad, 3},
             {kRead, A + (1 << 20), 32, 400, AccessKind::kLoad, 3}});
  const tlm::tlm_response_status expected[] = {tlm::TLM_OK_RESPONSE, tlm::TLM_OK_RESPONSE,
                                               tlm::TLM_OK_RESPONSE, tlm::TLM_BURST_ERROR_RESPONSE,
                                               tlm::TLM_ADDRESS_ERROR_RESPONSE};
  for (unsigned i = 0; i < 5; ++i) {
    EXPECT_EQ(bench.latency(i), 30u) << i;
    EXPECT_EQ(bench.requester.results[i].status, expected[i]) << i;
    EXPECT_EQ(bench.requester.results[i].dram_accesses, 0u) << i;
  }
  const L2Counters c = bench.l2.launches().at(3);
  EXPECT_EQ(c.accesses, 3u);
  EXPECT_EQ(c.hits, 3u);
  EXPECT_EQ(c.reads, 1u);
  EXPECT_EQ(c.writes, 1u);
  EXPECT_EQ(c.atomics, 1u);
  EXPECT_EQ(c.misses + c.merges + c.fill_reads + c.writebacks, 0u);
}

TEST(PerfectBank, AnswersOneRequestACycle) {
  Bench bench(quick());
  std::vector<test::Requester::Request> requests;
  for (unsigned i = 0; i < 20; ++i) requests.push_back({kRead, A + 128 * i, 128, 10});
  bench.run(requests);
  const Cycle first = bench.requester.results[0].answered;
  for (unsigned i = 0; i < 20; ++i) EXPECT_EQ(bench.requester.results[i].answered, first + i) << i;
}

// Responses that are not taken fill the bank: the request that then waits on the link comes in later.
TEST(PerfectBank, ABankThatIsFullHoldsRequestsBackAndLosesNone) {
  PerfectBankConfig config;
  config.latency_cycles = 2;
  config.request_queue = 1;
  Bench bench(config);
  bench.requester.hold_cycles = 10;
  std::vector<test::Requester::Request> requests;
  for (unsigned i = 0; i < 12; ++i) requests.push_back({kRead, A + 128 * i, 128, 10});
  bench.run(requests);
  EXPECT_GT(bench.requester.results[11].sent, bench.requester.results[0].sent + 11) << "backpressure";
}

TEST(PerfectBank, ABlockingAccessTakesTheLatency) {
  Bench bench(quick());
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  unsigned char data[8] = {1, 2, 3, 4, 5, 6, 7, 8};
  tlm::tlm_generic_payload payload;
  payload.set_command(kWrite);
  payload.set_address(A + 16);
  payload.set_data_ptr(data);
  payload.set_data_length(8);
  payload.set_streaming_width(8);
  sc_core::sc_time delay(5, sc_core::SC_NS);
  bench.requester.port.socket->b_transport(payload, delay);
  EXPECT_EQ(payload.get_response_status(), tlm::TLM_OK_RESPONSE);
  EXPECT_EQ(delay, sc_core::sc_time(5 + 30, sc_core::SC_NS));
  EXPECT_EQ(static_cast<int>(*bench.memory.at(A + 23)), 8);
}

}  // namespace
}  // namespace warpvp
