#pragma once
// One bank between a requester and a memory of fixed latency, all on one 1 GHz clock, with a protocol checker
// on both links. Latencies expected: hit 30; miss 20 + 100 + 10 = 130.

#include <gtest/gtest.h>
#include <tlm_utils/simple_initiator_socket.h>

#include <optional>

#include "interconnect/protocol_checker.h"
#include "modules/dram/fixed_latency_memory.h"
#include "modules/l2/cache_bank.h"
#include "tests/support/tlm_agents.h"

namespace warpvp::bank_test {
using sc_core::sc_time;
using Request = test::Requester::Request;
using test::kRead;
using test::kWrite;
constexpr std::uint64_t A = DeviceMemory::kBase;
constexpr std::uint64_t kSetStride = 128 * 16;  // 16 sets

inline AddressMapConfig one_bank() {
  AddressMapConfig c;
  c.banks = c.channels = 1;
  c.hash = "none";
  return c;
}

inline CacheBankConfig small_bank() {
  CacheBankConfig c;
  c.bank_kib = 4;
  c.associativity = 2;
  c.line_bytes = 128;
  c.sector_bytes = 32;
  c.latency_cycles = 30;
  c.miss_latency_cycles = 20;
  c.fill_latency_cycles = 10;
  c.atomic_cycles = 4;
  c.mshrs = 8;
  c.mshr_merges = 4;
  return c;
}

/// A master of the register bus, for the bank's window alone.
struct RegisterMaster : sc_core::sc_module {
  explicit RegisterMaster(sc_core::sc_module_name name, tlm::tlm_target_socket<>* bank) : sc_module(name) {
    if (bank == nullptr) return;
    socket.emplace("socket");
    socket->bind(*bank);
  }

  /// A write that arrives after `delay`.
  tlm::tlm_response_status write(std::uint64_t offset, std::uint32_t value,
                                 sc_core::sc_time delay = sc_core::SC_ZERO_TIME) {
    return access(tlm::TLM_WRITE_COMMAND, offset, value, delay);
  }
  std::uint32_t read(std::uint64_t offset) {
    std::uint32_t value = ~0u;
    EXPECT_EQ(access(tlm::TLM_READ_COMMAND, offset, value, sc_core::SC_ZERO_TIME), tlm::TLM_OK_RESPONSE);
    return value;
  }
  std::optional<tlm_utils::simple_initiator_socket<RegisterMaster>> socket;  // if there is something to bind

 private:
  tlm::tlm_response_status access(tlm::tlm_command command, std::uint64_t offset, std::uint32_t& value,
                                  sc_core::sc_time delay) {
    tlm::tlm_generic_payload payload;
    payload.set_command(command);
    payload.set_address(offset);
    payload.set_data_ptr(reinterpret_cast<unsigned char*>(&value));
    payload.set_data_length(sizeof value);
    payload.set_streaming_width(sizeof value);
    (*socket)->b_transport(payload, delay);
    return payload.get_response_status();
  }
};

struct Bench {
  explicit Bench(const CacheBankConfig& config = small_bank(), std::uint32_t memory_latency = 100,
                 std::uint64_t page_bytes = L2Place::kPageBytes)
      : memory(1 << 20),
        map(one_bank()),
        l2("l2", {clock, memory, map, 0, config.line_bytes, 1, 4, 4, page_bytes}, config),
        dram("dram", place(), dram_config(memory_latency)) {
    requester.port.socket.bind(above.target);
    above.initiator.bind(l2.in());
    l2.out().bind(below.target);
    below.initiator.bind(dram.in(0));
  }
  MemoryChannelPlace place() { return {clock, memory, map, 0, 1}; }
  static FixedLatencyConfig dram_config(std::uint32_t latency) {
    FixedLatencyConfig c;
    c.latency_cycles = latency;
    return c;
  }
  void run(std::vector<Request> requests, unsigned us = 50) {
    requester.requests = std::move(requests);
    sc_core::sc_start(sc_time(us, sc_core::SC_US));
    EXPECT_TRUE(requester.done());
    EXPECT_EQ(above.count(), 0u) << above.violations()[0].text;
    EXPECT_EQ(below.count(), 0u) << below.violations()[0].text;
    EXPECT_EQ(above.in_flight() + below.in_flight(), 0u);
  }
  Cycle latency(unsigned i) const { return requester.results[i].answered - requester.results[i].sent; }

  ClockDomain clock{"clock", 1000};
  DeviceMemory memory;
  AddressMap map;
  test::Requester requester{"requester", clock};
  CacheBank l2;
  RegisterMaster registers{"registers", l2.registers_socket()};
  FixedLatencyMemory dram;
  ProtocolChecker above{"above"}, below{"below"};
};

}  // namespace warpvp::bank_test
