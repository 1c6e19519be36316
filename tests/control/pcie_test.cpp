// The PCIe link: times in closed form, order, and what happens to bad accesses.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>

#include "interconnect/no_bytes.h"
#include "interconnect/protocol_checker.h"
#include "modules/host/packet_link.h"
#include "tests/control/rig.h"

namespace warpvp::test {
namespace {

// 10 GB/s, 500 ns, 20 bytes of header for each 256: easy numbers.
PcieConfig easy() {
  PcieConfig c;
  c.gb_per_s = 10;
  c.latency_ns = 500;
  c.packet_bytes = 256;
  c.header_bytes = 20;
  return c;
}

/// Host, link, and a target in the device's place.
struct PcieBench : sc_core::sc_module {
  FaultSink faults;
  ThreadedHost host;
  PacketLink link;
  ProtocolChecker checker;
  Target device;
  explicit PcieBench(sc_core::sc_module_name name)
      : sc_module(name),
        host("host", config(), faults),
        link("link", easy(), faults),
        checker("checker"),
        device("device") {
    host.pcie.socket.bind(link.host().socket);
    link.host_memory.bind(host.memory);
    link.device.socket.bind(checker.target);
    checker.initiator.bind(device.socket);
  }
  static HostConfig config() {
    HostConfig c;
    c.memory_latency_ns = 90;
    return c;
  }
  void run(std::function<void(HostInterface&)> program) {
    host.add_program("program", std::move(program));
    sc_core::sc_start(sc_core::sc_time(1, sc_core::SC_MS));
    ASSERT_TRUE(host.finished());
    if (host.failure()) std::rethrow_exception(host.failure());
    EXPECT_EQ(checker.count(), 0u) << checker.violations()[0].text;
  }
};

TEST(Pcie, PostedWriteReturnsWhenSentAndArrivesALatencyLater) {
  PcieBench bench("bench");
  sc_core::sc_time arrived;
  SimTime returned;
  bench.device.on_access = [&](tlm::tlm_generic_payload& p, sc_core::sc_time&) {
    arrived = sc_core::sc_time_stamp();
    EXPECT_TRUE(p.is_write());
    EXPECT_EQ(p.get_address(), 0x40u);
    EXPECT_EQ(p.get_data_length(), 80u);
  };
  bench.run([&](HostInterface& host) {
    std::vector<unsigned char> data(80, 1);
    host.write(0x40, data.data(), data.size());
    returned = host.now();
    std::fill(data.begin(), data.end(), 2);  // posted: the link has its own copy
    host.sleep(SimTime::from_ns(2000));
  });
  EXPECT_EQ(returned, SimTime::from_ns(10));  // 80 + 20 bytes at 10 bytes/ns
  EXPECT_EQ(arrived, in_ns(510));
}

TEST(Pcie, ReadTakesARoundTrip) {
  PcieBench bench("bench");
  bench.device.on_access = [&](tlm::tlm_generic_payload& p, sc_core::sc_time& delay) {
    EXPECT_TRUE(p.is_read());
    std::memset(p.get_data_ptr(), 0x5a, p.get_data_length());
    delay += in_ns(100);
  };
  bench.run([&](HostInterface& host) {
    std::vector<unsigned char> data(512, 0);
    host.read(0x40, data.data(), data.size());
    EXPECT_EQ(host.now(), SimTime::from_ns(2 + 500 + 100 + (512 + 40) / 10.0 + 500));
    EXPECT_EQ(data, std::vector<unsigned char>(512, 0x5a));
  });
}

TEST(Pcie, AReadNeverOvertakesAnEarlierWrite) {
  PcieBench bench("bench");
  std::uint32_t reg = 0;
  bench.device.on_access = [&](tlm::tlm_generic_payload& p, sc_core::sc_time&) {
    if (p.is_write()) {
      std::memcpy(&reg, p.get_data_ptr(), 4);
    } else {
      std::memcpy(p.get_data_ptr(), &reg, 4);
    }
  };
  bench.run([&](HostInterface& host) {
    const std::uint32_t value = 77;
    std::uint32_t back = 0;
    host.write(0, &value, 4);
    host.read(0, &back, 4);
    EXPECT_EQ(back, 77u);
  });
}

TEST(Pcie, WritesSerialiseAtTheBandwidth) {
  PcieBench bench("bench");
  std::vector<double> arrivals;
  bench.device.on_access = [&](tlm::tlm_generic_payload&, sc_core::sc_time&) {
    arrivals.push_back(ns(sc_core::sc_time_stamp()));
  };
  bench.run([&](HostInterface& host) {
    std::vector<unsigned char> data(256, 0);
    for (int i = 0; i < 10; ++i) host.write(0, data.data(), data.size());
    host.sleep(SimTime::from_ns(2000));
  });
  ASSERT_EQ(arrivals.size(), 10u);
  for (int i = 0; i < 10; ++i) EXPECT_NEAR(arrivals[i], 27.6 * (i + 1) + 500, 1e-6);
  EXPECT_EQ(bench.link.statistics().to_device_bytes, 2560u);
  EXPECT_EQ(bench.link.statistics().to_device_wire_bytes, 2760u);
}

TEST(Pcie, TwoHostThreadsShareTheLink) {
  PcieBench bench("bench");
  unsigned accesses = 0;
  bench.device.on_access = [&](tlm::tlm_generic_payload&, sc_core::sc_time&) { ++accesses; };
  SimTime ends[2];
  for (int t = 0; t < 2; ++t) {
    bench.host.add_program("program", [&, t](HostInterface& host) {
      std::vector<unsigned char> data(236 + 20, 0);
      for (int i = 0; i < 100; ++i) host.write(0, data.data(), data.size());
      ends[t] = host.now();
    });
  }
  sc_core::sc_start(sc_core::sc_time(1, sc_core::SC_MS));
  EXPECT_TRUE(bench.host.finished());
  EXPECT_EQ(accesses, 200u);
  EXPECT_NEAR(ns(ends[0]), 199 * 27.6, 1e-3);  // they alternate
  EXPECT_NEAR(ns(ends[1]), 200 * 27.6, 1e-3);
}

TEST(Pcie, AFailedHostReadIsADeviceFault) {
  PcieBench bench("bench");
  bench.device.on_access = [](tlm::tlm_generic_payload& p, sc_core::sc_time&) {
    p.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
  };
  bench.run([&](HostInterface& host) {
    std::uint32_t value = 0;
    host.read(0xdead0000, &value, 4);
  });
  ASSERT_TRUE(bench.faults.faulted());
  EXPECT_EQ(bench.faults.fault()->address, 0xdead0000u);
}

TEST(Pcie, AFailedPostedWriteIsADeviceFaultToo) {
  PcieBench bench("bench");
  bench.device.on_access = [](tlm::tlm_generic_payload& p, sc_core::sc_time&) {
    p.set_response_status(tlm::TLM_COMMAND_ERROR_RESPONSE);
  };
  bench.run([&](HostInterface& host) {
    const std::uint32_t value = 0;
    host.write(0x123400, &value, 4);
    host.sleep(SimTime::from_ns(2000));
  });
  ASSERT_TRUE(bench.faults.faulted());
  EXPECT_EQ(bench.faults.fault()->address, 0x123400u);
}

TEST(Host, MemoryIsReachableWhereMappedAndNowhereElse) {
  FaultSink faults;
  ThreadedHost host("host", HostConfig{}, faults);
  PacketLink link("link", easy(), faults);
  Driver device("device");
  Target target("target");
  host.pcie.socket.bind(link.host().socket);
  Target unused("unused");
  link.host_memory.bind(unused.socket);
  link.device.socket.bind(target.socket);
  device.socket.bind(host.memory);
  sc_core::sc_start(sc_core::SC_ZERO_TIME);

  std::uint32_t array[4] = {1, 2, 3, 4};
  const std::uint64_t bus = host.map(array, sizeof array);
  EXPECT_EQ(device.read<std::uint32_t>(bus + 8), 3u);
  device.write<std::uint32_t>(bus + 12, 40);
  EXPECT_EQ(array[3], 40u);
  std::uint64_t value = 0;
  EXPECT_EQ(access(device.socket, tlm::TLM_READ_COMMAND, bus + 12, &value, 8),
            tlm::TLM_ADDRESS_ERROR_RESPONSE);
  EXPECT_EQ(access(device.socket, tlm::TLM_READ_COMMAND, bus - 4, &value, 4),
            tlm::TLM_ADDRESS_ERROR_RESPONSE);
  host.unmap(bus);
  EXPECT_EQ(access(device.socket, tlm::TLM_WRITE_COMMAND, bus, &value, 4), tlm::TLM_ADDRESS_ERROR_RESPONSE);
  EXPECT_EQ(array[0], 1u);
}

// A payload whose byte enables enable none takes its time; some bytes of several are refused.
TEST(Host, ATransferOfNoBytesLeavesMemoryWhatItIs) {
  FaultSink faults;
  ThreadedHost host("host", PcieBench::config(), faults);
  PacketLink link("link", easy(), faults);
  Driver driver("driver");
  Target target("target"), unused("unused");
  host.pcie.socket.bind(link.host().socket);
  link.host_memory.bind(unused.socket);
  link.device.socket.bind(target.socket);
  driver.socket.bind(host.memory);
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  unsigned char theirs[8] = {1, 2, 3, 4, 5, 6, 7, 8}, ours[8] = {};
  const std::uint64_t bus = host.map(theirs, sizeof theirs);
  for (const tlm::tlm_command command : {tlm::TLM_WRITE_COMMAND, tlm::TLM_READ_COMMAND}) {
    tlm::tlm_generic_payload p;
    p.set_command(command);
    p.set_address(bus);
    p.set_data_ptr(ours);
    p.set_data_length(8);
    p.set_streaming_width(8);
    disable_bytes(p);
    sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
    driver.socket->b_transport(p, delay);
    EXPECT_EQ(p.get_response_status(), tlm::TLM_OK_RESPONSE);
    EXPECT_NEAR(ns(delay), command == tlm::TLM_READ_COMMAND ? 90 : 0, 1e-6);
    EXPECT_EQ(theirs[0], 1);
    EXPECT_EQ(ours[0], 0);
    p.set_address(bus + 1);  // one byte too far
    driver.socket->b_transport(p, delay);
    EXPECT_EQ(p.get_response_status(), tlm::TLM_ADDRESS_ERROR_RESPONSE);
    unsigned char some[2] = {TLM_BYTE_DISABLED, TLM_BYTE_ENABLED};
    p.set_address(bus);
    p.set_byte_enable_ptr(some);
    p.set_byte_enable_length(2);
    driver.socket->b_transport(p, delay);
    EXPECT_EQ(p.get_response_status(), tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE);
  }
}

TEST(Host, BusAddressesAreDealtInOrder) {
  PcieBench bench("bench");
  bench.run([&](HostInterface& host) {
    char a[100], b[5000], c[1];
    const auto at = host.map(a, sizeof a);
    EXPECT_EQ(at, regmap::kHostBusBase);
    const auto bt = host.map(b, sizeof b);
    const auto ct = host.map(c, sizeof c);
    EXPECT_EQ(bt - at, 4096u);
    EXPECT_EQ(ct - bt, 8192u);
    host.unmap(bt);
    EXPECT_GT(host.map(b, sizeof b), ct);  // never reused
  });
}

TEST(Host, AnExceptionEndsTheProgramAndIsKept) {
  PcieBench bench("bench");
  int finished = 0;
  bench.host.on_finished = [&] { ++finished; };
  EXPECT_THROW(bench.run([](HostInterface& host) {
    host.sleep(SimTime::from_ns(5));
    throw InputError("x.yaml:1:2: wrong");
  }),
               InputError);
  EXPECT_EQ(finished, 1);
}

}  // namespace
}  // namespace warpvp::test
