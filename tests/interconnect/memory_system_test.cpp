// Requesters, crossbar, L2 banks and DRAM channels together, each on its clock, with a protocol checker on
// every link: nothing is lost, no rule is broken, the same run twice is the same, latencies add up as
// configured.

#include <gtest/gtest.h>

#include "base/registry.h"
#include "interconnect/protocol_checker.h"
#include "interconnect/switched_crossbar.h"
#include "modules/dram/dram_controller.h"
#include "modules/dram/memory_channel.h"
#include "modules/l2/cache_bank.h"
#include "tests/dram/dram_bench.h"
#include "tests/support/tlm_agents.h"

namespace warpvp {
namespace {

using test::kRead;
using test::kWrite;
constexpr std::uint64_t kBase = DeviceMemory::kBase;

struct SystemConfig {
  unsigned requesters = 8;
  AddressMapConfig map;
  SwitchedCrossbarConfig crossbar;
  CacheBankConfig l2;
  PolicyChoice channel = "controller";
  double sm_mhz = 1200, crossbar_mhz = 1200, l2_mhz = 1200;
};

struct MemorySystem : sc_core::sc_module {
  MemorySystem(sc_core::sc_module_name name, const SystemConfig& c)
      : sc_module(name),
        map(c.map),
        type(Registry<MemoryChannelType>::instance().make(c.channel)),
        sm_clock("sm_clock", c.sm_mhz),
        crossbar_clock("crossbar_clock", c.crossbar_mhz),
        l2_clock("l2_clock", c.l2_mhz),
        dram_clock("dram_clock", type->clock_mhz()),
        crossbar("crossbar", crossbar_clock, c.crossbar, map, c.requesters) {
    for (unsigned i = 0; i < c.requesters; ++i) {
      requesters.push_back(std::make_unique<test::Requester>(("sm_" + std::to_string(i)).c_str(), sm_clock));
      link(requesters[i]->port.socket, crossbar.in(i));
    }
    for (unsigned i = 0; i < map.channels(); ++i)
      channels.push_back(type->build(("dram_" + std::to_string(i)).c_str(),
                                     {dram_clock, memory, map, i, map.banks_per_channel()}));
    for (unsigned b = 0; b < map.banks(); ++b) {
      banks.push_back(std::make_unique<CacheBank>(("l2_" + std::to_string(b)).c_str(),
                                                  L2Place{l2_clock, memory, map, b}, c.l2));
      link(crossbar.out(b), banks[b]->in());
      link(banks[b]->out(), channels[map.channel_of_bank(b)]->in(map.port_of_bank(b)));
    }
  }
  void link(tlm::tlm_initiator_socket<>& from, tlm::tlm_target_socket<>& to) {
    checkers.push_back(
        std::make_unique<ProtocolChecker>(("link_" + std::to_string(checkers.size())).c_str()));
    from.bind(checkers.back()->target);
    checkers.back()->initiator.bind(to);
  }
  void random_traffic(unsigned each, std::uint64_t seed, std::uint64_t span) {
    for (auto& r : requesters)
      for (unsigned i = 0; i < each; ++i) {
        seed = seed * 6364136223846793005ull + 1442695040888963407ull;
        const std::uint64_t x = seed >> 24;
        r->requests.push_back({x % 4 ? kRead : kWrite, kBase + (x >> 8) % (span / 128) * 128,
                               x & 64 ? 128u : 32u, i / 50 * Cycle{3000},
                               x % 61 == 0 ? AccessKind::kAtomic : AccessKind::kLoad,
                               static_cast<std::uint32_t>(x >> 30 & 1)});
      }
  }
  void check() {
    for (auto& r : requesters) {
      EXPECT_TRUE(r->done()) << r->name();
      EXPECT_EQ(r->live_transactions(), 0u);
      for (const auto& result : r->results) ASSERT_EQ(result.status, tlm::TLM_OK_RESPONSE);
    }
    for (auto& c : checkers) {
      EXPECT_EQ(c->count(), 0u) << c->violations()[0].text;
      EXPECT_EQ(c->in_flight(), 0u);
    }
  }
  DeviceMemory memory{std::uint64_t{1} << 30};
  AddressMap map;
  std::unique_ptr<MemoryChannelType> type;
  ClockDomain sm_clock, crossbar_clock, l2_clock, dram_clock;
  SwitchedCrossbar crossbar;
  std::vector<std::unique_ptr<test::Requester>> requesters;
  std::vector<std::unique_ptr<MemoryChannel>> channels;
  std::vector<std::unique_ptr<CacheBank>> banks;
  std::vector<std::unique_ptr<ProtocolChecker>> checkers;
};

SystemConfig small_system() {
  SystemConfig c;
  c.map.banks = 6;
  c.map.channels = 3;
  c.crossbar.ports_per_input = 2;
  c.l2.bank_kib = 6;
  c.l2.associativity = 8;
  c.l2.sector_bytes = 32;
  c.l2.mshrs = 16;
  return c;
}

void run(double ms) { sc_core::sc_start(sc_core::sc_time(ms, sc_core::SC_MS)); }

TEST(MemorySystem, RandomTrafficLosesNothingAndTheSameRunTwiceIsTheSame) {
  MemorySystem a("a", small_system()), b("b", small_system());
  for (MemorySystem* s : {&a, &b}) s->random_traffic(1000, 4711, 1 << 18);
  run(2);
  a.check();
  b.check();
  std::uint64_t accesses = 0, fills = 0, writebacks = 0, dram_reads = 0;
  for (auto& bank : a.banks) {
    const L2Counters c = bank->totals();
    accesses += c.accesses;
    fills += c.fill_reads;
    writebacks += c.writebacks;
    EXPECT_GT(c.accesses, 1000u) << "traffic is spread";
  }
  for (auto& channel : a.channels) {
    dram_reads += channel->launches().at(0).reads + channel->launches().at(1).reads;
    EXPECT_EQ(channel->launches().other().reads, 0u);
  }
  EXPECT_EQ(accesses, 8000u);
  EXPECT_EQ(a.crossbar.totals().request.packets, 8000u);
  EXPECT_EQ(a.crossbar.totals().reply.packets, 8000u);
  EXPECT_EQ(fills, dram_reads);
  EXPECT_GT(writebacks, 100u);
  for (unsigned r = 0; r < 8; ++r)
    for (unsigned i = 0; i < 1000; ++i)
      ASSERT_EQ(a.requesters[r]->results[i].answered, b.requesters[r]->results[i].answered) << r << " " << i;
}

TEST(MemorySystem, FixedLatencyChannelsSwapInByName) {
  SystemConfig c = small_system();
  c.channel = "fixed_latency";
  MemorySystem s("s", c);
  s.random_traffic(500, 1, 1 << 18);
  run(2);
  s.check();
}

// CCBP table 1: SMs at 1800 MHz, network, L2 and DRAM at 1200 MHz, 16 banks and 16 channels; idle latencies
// of 200 SM cycles to L2 and 380 to DRAM (a row that is closed). 200 and 380 SM cycles are 133 and 253 of the
// others.
TEST(MemorySystem, IdleLatenciesToL2AndDramAddUpToCcbpsTable) {
  SystemConfig c;
  c.requesters = 1;
  c.sm_mhz = 1800;
  c.map.banks = c.map.channels = 16;
  c.crossbar.request_latency_cycles = c.crossbar.reply_latency_cycles = 8;
  // Request: seen after 1, 8 through the switch. Reply: seen after 1, 8 through the switch, 4 for data flits.
  const unsigned crossbar = 9 + 13;
  c.l2.latency_cycles = 133 - crossbar;
  // DRAM: frontend 20, ACT to RD 12, RD to data 12, four bursts of which three wait tCCD_L = 3, burst 2,
  // backend 20.
  const unsigned dram = 20 + 12 + 12 + 3 * 3 + 2 + 20;
  c.l2.miss_latency_cycles = 100;
  c.l2.fill_latency_cycles = 253 - crossbar - dram - 100;
  c.channel.load = [](const std::function<void(FieldVisitor&)>& fields) {
    test::SetFields set({{"clock_mhz", 1200}, {"frontend_cycles", 20}, {"backend_cycles", 20}});
    set.words["preset"] = "gddr5";
    fields(set);
  };
  MemorySystem s("s", c);
  auto& q = s.requesters[0]->requests;
  for (unsigned i = 0; i < 16; ++i) {  // one line of each channel: every row is closed
    q.push_back({kRead, kBase + i * 256, 128, i * Cycle{2001} + 10});
    q.push_back({kRead, kBase + i * 256, 128, i * Cycle{2001} + 1010});
  }
  run(1);
  s.check();
  for (unsigned i = 0; i < 16; ++i) {
    const auto& miss = s.requesters[0]->results[2 * i];
    const auto& hit = s.requesters[0]->results[2 * i + 1];
    EXPECT_NEAR(double(hit.answered - hit.sent), 200, 2.0);
    EXPECT_NEAR(double(miss.answered - miss.sent), 380, 2.0);
    EXPECT_EQ(miss.dram_accesses, 1u);
    EXPECT_EQ(hit.dram_accesses, 0u);
  }
}

// A memory written with nothing but plain TLM stands in for a DRAM channel.
TEST(MemorySystem, AThirdPartysMemoryBindsUnchanged) {
  AddressMapConfig one;
  one.banks = one.channels = 1;
  const AddressMap map(one);
  ClockDomain clock("clock", 1000);
  SwitchedCrossbar crossbar("crossbar", clock, SwitchedCrossbarConfig{}, map, 3);
  CacheBankConfig config;
  config.bank_kib = 4;
  DeviceMemory values(1 << 20);
  CacheBank bank("bank", {clock, values, map, 0}, config);
  test::ScriptedTarget memory("memory", test::Variant::kFourPhases);
  std::vector<std::unique_ptr<test::Requester>> requesters;
  for (unsigned p = 0; p < 3; ++p) {
    requesters.push_back(std::make_unique<test::Requester>(("r" + std::to_string(p)).c_str(), clock));
    requesters[p]->port.socket.bind(crossbar.in(p));
    for (unsigned i = 0; i < 200; ++i)
      requesters[p]->requests.push_back({i % 3 ? kRead : kWrite, kBase + (i * 7 + p * 13) % 97 * 128, 32, 1});
  }
  ProtocolChecker checker("checker");
  crossbar.out(0).bind(bank.in());
  bank.out().bind(checker.target);
  checker.initiator.bind(memory.socket);
  run(0.1);
  for (auto& r : requesters) EXPECT_TRUE(r->done());
  EXPECT_EQ(checker.count(), 0u) << checker.violations()[0].text;
  EXPECT_GT(memory.requests, 97u);
}

}  // namespace
}  // namespace warpvp
