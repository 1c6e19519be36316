// DMA engines: data, times, overlap, and that nothing is visible before its time.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>

#include "modules/host/dma_engine.h"
#include "tests/control/rig.h"

namespace warpvp::test {
namespace {

namespace dma = regmap::dma;

/// Host memory and device memory with two engines between; a driver plays the command processor.
struct Bench : sc_core::sc_module {
  FaultSink faults;
  DeviceMemory memory{16 << 20};
  HostCpu host;
  PcieLink link;
  RegisterBus bus;
  MemoryWindow window;
  Driver driver;
  Target mailbox, unused;
  std::vector<std::unique_ptr<DmaEngine>> engines;
  struct Done {
    double at_ns;
    regmap::cp::CopyDone record;
  };
  std::vector<Done> done;

  explicit Bench(sc_core::sc_module_name name, DmaConfig config = easy())
      : sc_module(name),
        host("host", HostConfig{0}, faults),
        link("link", pcie(), faults),
        bus("bus", RegisterBusConfig{0}),
        window("window", MemoryWindowConfig{0}, memory),
        driver("driver"),
        mailbox("mailbox"),
        unused("unused") {
    host.pcie.socket.bind(link.host().socket);
    link.host_memory.bind(host.memory);
    link.device.bind(unused.socket);
    driver.socket.bind(bus.add_initiator("driver"));
    bus.add_target("memory", DeviceMemory::kBase, memory.size(), true).bind(window.socket);
    bus.add_target("mailbox", regmap::cp::kBase + regmap::cp::kCopyDone, 16).bind(mailbox.socket);
    mailbox.on_access = [this](tlm::tlm_generic_payload& p, sc_core::sc_time&) {
      Done d{ns(sc_core::sc_time_stamp()), {}};
      std::memcpy(&d.record, p.get_data_ptr(), sizeof d.record);
      done.push_back(d);
    };
    for (unsigned i = 0; i < 2; ++i) {
      const std::string id = std::to_string(i);
      engines.push_back(std::make_unique<DmaEngine>(("dma" + id).c_str(), config, i));
      engines[i]->bus.bind(bus.add_initiator("dma" + id));
      engines[i]->memory.bind(bus.add_initiator("dma_memory" + id));
      engines[i]->link.socket.bind(link.add_device_master("dma" + id).socket);
      bus.add_target("dma" + id, dma::engine(i), dma::kStride).bind(engines[i]->registers);
    }
  }
  // 10 bytes/ns and no headers on the link, no latency; 100 bytes/ns to device memory.
  static PcieConfig pcie() {
    PcieConfig c;
    c.gb_per_s = 10;
    c.latency_ns = 0;
    c.header_bytes = 0;
    return c;
  }
  static DmaConfig easy() {
    DmaConfig c;
    c.chunk_bytes = 1000;  // not a power of two on purpose; only YAML insists
    c.outstanding = 2;
    c.setup_ns = 0;
    c.memory_gb_per_s = 100;
    return c;
  }
  void start(unsigned engine, std::uint64_t from, std::uint64_t to, std::uint64_t bytes,
             aql::CopyKind kind = aql::CopyKind::kCopy, std::uint32_t value = 0, std::uint32_t tag = 0) {
    if (sc_core::sc_get_status() == sc_core::SC_ELABORATION) sc_core::sc_start(sc_core::SC_ZERO_TIME);
    dma::Descriptor d{from, to, bytes, static_cast<std::uint32_t>(kind), value, tag};
    EXPECT_EQ(access(driver.socket, tlm::TLM_WRITE_COMMAND, dma::engine(engine), &d, dma::kStart),
              tlm::TLM_OK_RESPONSE);
    driver.write<std::uint32_t>(dma::engine(engine) + dma::kStart, 1);
  }
  void run_us(double us) { sc_core::sc_start(sc_core::sc_time(us, sc_core::SC_US)); }
};

std::vector<unsigned char> pattern(std::size_t n, unsigned seed) {
  std::vector<unsigned char> v(n);
  for (std::size_t i = 0; i < n; ++i)
    v[i] = static_cast<unsigned char>((i * 131 + seed * 7 + (i >> 8)) & 0xff);
  return v;
}

TEST(Dma, ToDeviceAndBackInClosedFormTime) {
  Bench bench("bench");
  auto source = pattern(10500, 1);
  std::vector<unsigned char> back(10500, 0);
  const std::uint64_t from = bench.host.map(source.data(), source.size());
  const std::uint64_t to = bench.host.map(back.data(), back.size());
  const std::uint64_t device = *bench.memory.allocate(10500);
  bench.start(0, from, device, 10500, aql::CopyKind::kCopy, 0, 42);
  EXPECT_EQ(bench.driver.read<std::uint32_t>(dma::engine(0) + dma::kStatus) & 1, 1u);
  bench.run_us(10);
  ASSERT_EQ(bench.done.size(), 1u);
  EXPECT_EQ(bench.done[0].record.tag, 42u);
  EXPECT_EQ(bench.done[0].record.error, 0u);
  EXPECT_EQ(std::memcmp(bench.memory.at(device), source.data(), source.size()), 0);
  // The link is the bottleneck: 10500 bytes at 10 a ns; the last chunk of 500 then goes to memory at 100 a
  // ns.
  EXPECT_NEAR(bench.done[0].at_ns, 1050 + 5, 1e-6);
  EXPECT_EQ(bench.driver.read<std::uint64_t>(dma::engine(0) + dma::kDone), 10500u);

  bench.start(1, device, to, 10500);
  bench.run_us(10);
  ASSERT_EQ(bench.done.size(), 2u);
  EXPECT_EQ(bench.done[1].record.engine, 1u);
  EXPECT_EQ(back, source);
  EXPECT_NEAR(bench.done[1].at_ns - 10000, 10 + 1050, 1e-6);  // first chunk out of memory, then the link
}

TEST(Dma, NothingIsVisibleBeforeItsChunkIsThere) {
  Bench bench("bench");
  auto source = pattern(10000, 3);
  const std::uint64_t from = bench.host.map(source.data(), source.size());
  const std::uint64_t device = *bench.memory.allocate(10000);
  bench.start(0, from, device, 10000);
  const auto arrived = [&] {  // leading chunks that are there, and that no later byte is
    const auto* m = reinterpret_cast<unsigned char*>(bench.memory.at(device));
    std::size_t n = 0;
    while (n < 10 && std::memcmp(m + 1000 * n, source.data() + 1000 * n, 1000) == 0) ++n;
    for (std::size_t i = 1000 * n; i < 10000; ++i) EXPECT_EQ(m[i], 0) << i;
    return n;
  };
  EXPECT_EQ(arrived(), 0u);
  bench.run_us(0.1);  // 100 ns: the first chunk has crossed the link and not the memory
  EXPECT_EQ(arrived(), 0u);
  bench.run_us(0.02);
  EXPECT_EQ(arrived(), 1u);
  bench.run_us(0.5);
  EXPECT_EQ(arrived(), 6u);
  bench.run_us(1);
  EXPECT_EQ(arrived(), 10u);
}

TEST(Dma, TheSourceIsSampledChunkByChunk) {
  Bench bench("bench");
  std::vector<unsigned char> source(4000, 1);
  const std::uint64_t from = bench.host.map(source.data(), source.size());
  const std::uint64_t device = *bench.memory.allocate(4000);
  bench.start(0, from, device, 4000);
  bench.run_us(0.05);
  std::fill(source.begin(), source.end(), 2);  // as a host program that does not wait
  bench.run_us(1);
  EXPECT_EQ(*bench.memory.at(device), std::byte{1});
  EXPECT_EQ(*bench.memory.at(device + 3999), std::byte{2});
}

TEST(Dma, TwoEnginesShareOneDirection) {
  auto a = pattern(20000, 4), b = pattern(20000, 5);
  Bench bench("bench");
  const std::uint64_t from_a = bench.host.map(a.data(), a.size()),
                      from_b = bench.host.map(b.data(), b.size());
  const std::uint64_t to_a = *bench.memory.allocate(20000), to_b = *bench.memory.allocate(20000);
  bench.start(0, from_a, to_a, 20000);
  bench.start(1, from_b, to_b, 20000);
  bench.run_us(20);
  ASSERT_EQ(bench.done.size(), 2u);
  EXPECT_NEAR(bench.done[0].at_ns, 3800 + 10, 1);  // two chunks of each in turns, so both end near 4000
  EXPECT_NEAR(bench.done[1].at_ns, 4000 + 10, 1);
  EXPECT_EQ(std::memcmp(bench.memory.at(to_a), a.data(), 20000), 0);
  EXPECT_EQ(std::memcmp(bench.memory.at(to_b), b.data(), 20000), 0);
}

TEST(Dma, OppositeDirectionsDoNotSlowEachOther) {
  Bench bench("bench");
  auto a = pattern(20000, 4);
  std::vector<unsigned char> b(20000, 0);
  const std::uint64_t from = bench.host.map(a.data(), a.size()), to = bench.host.map(b.data(), b.size());
  const std::uint64_t device = *bench.memory.allocate(20000), other = *bench.memory.allocate(20000);
  std::memset(bench.memory.at(other), 9, 20000);
  bench.start(0, from, device, 20000);
  bench.start(1, other, to, 20000);
  bench.run_us(20);
  ASSERT_EQ(bench.done.size(), 2u);
  EXPECT_NEAR(bench.done[0].at_ns, 2010, 1);
  EXPECT_NEAR(bench.done[1].at_ns, 2020, 1);  // its read requests queue behind the other's data
  EXPECT_EQ(b, std::vector<unsigned char>(20000, 9));
}

TEST(Dma, WithinTheDeviceAndFill) {
  Bench bench("bench");
  const std::uint64_t from = *bench.memory.allocate(5000), to = *bench.memory.allocate(5000);
  auto source = pattern(5000, 8);
  std::memcpy(bench.memory.at(from), source.data(), 5000);
  bench.start(0, from, to, 5000);
  bench.run_us(1);
  ASSERT_EQ(bench.done.size(), 1u);
  EXPECT_NEAR(bench.done[0].at_ns, 100, 1e-6);  // read and written: 10000 bytes at 100 a ns
  EXPECT_EQ(std::memcmp(bench.memory.at(to), source.data(), 5000), 0);
  bench.start(1, 0, to + 1, 4998, aql::CopyKind::kFill, 0xee);
  bench.run_us(1);
  ASSERT_EQ(bench.done.size(), 2u);
  const auto* m = reinterpret_cast<unsigned char*>(bench.memory.at(to));
  EXPECT_EQ(m[0], source[0]);
  EXPECT_EQ(m[1], 0xee);
  EXPECT_EQ(m[4998], 0xee);
  EXPECT_EQ(m[4999], source[4999]);
}

TEST(Dma, BadAddressesEndTheCopyWithAnError) {
  Bench bench("bench");
  std::vector<unsigned char> small(1500, 0);
  const std::uint64_t bus = bench.host.map(small.data(), small.size());
  const std::uint64_t device = *bench.memory.allocate(5000);
  bench.start(0, bus, device, 5000);  // runs off the host array in its second chunk
  bench.run_us(5);
  ASSERT_EQ(bench.done.size(), 1u);
  EXPECT_NE(bench.done[0].record.error, 0u);
  bench.start(1, bus, 0x10, 100);  // no device memory there
  bench.run_us(5);
  ASSERT_EQ(bench.done.size(), 2u);
  EXPECT_NE(bench.done[1].record.error, 0u);
  bench.start(0, bus, device, 0);  // and an engine that failed works again; nothing to move is done at once
  bench.run_us(5);
  ASSERT_EQ(bench.done.size(), 3u);
  EXPECT_EQ(bench.done[2].record.error, 0u);
  EXPECT_FALSE(bench.faults.faulted());
}

}  // namespace
}  // namespace warpvp::test
