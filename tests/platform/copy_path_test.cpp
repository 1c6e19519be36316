// Copy engines on the memory system as the platform wires it: what a copy does at every station on its way,
// and what it does to others.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "platform/build/links.h"
#include "platform/build/memory_system.h"
#include "tests/control/rig.h"
#include "tests/support/set_fields.h"
#include "tests/support/tlm_agents.h"

namespace warpvp::test {
namespace {

using ::testing::HasSubstr;

constexpr std::uint64_t kMiB = 1 << 20;
constexpr unsigned kLine = 128;

/// Banks of 96 KiB, 24 ways, with sectors of that size.
void set_l2(PlatformConfig& c, unsigned sector_bytes) {
  c.l2.type = part_with("cache", {{"bank_kib", 96}, {"associativity", 24}, {"sector_bytes", sector_bytes}});
}

/// Four banks of 96 KiB and two channels, as `small`; one requester in the place of an SM.
PlatformConfig small_memory() {
  PlatformConfig c;
  c.sms = 1;
  c.check_protocol = true;
  c.address_map.banks = 4;
  c.address_map.channels = 2;
  set_l2(c, 32);
  return c;
}

/// A memory that moves `bytes_per_cycle` at 100 MHz in each of its channels.
PlatformConfig with_slow_memory(unsigned bytes_per_cycle) {
  PlatformConfig c = small_memory();
  c.dram = part_with("fixed_latency", {{"clock_mhz", 100}, {"bytes_per_cycle", bytes_per_cycle}});
  return c;
}

struct Bench : sc_core::sc_module {
  PlatformConfig config;
  FaultSink faults;
  Links links;
  DeviceMemory memory{64 * kMiB};
  ClockDomain sm_clock;
  MemorySystem system;
  Requester sm;
  SilentInitiator hub;
  ThreadedHost host;
  PacketLink link;
  RegisterBus bus;
  Driver driver;
  Target mailbox, unused;
  std::vector<std::unique_ptr<ChunkedDmaEngine>> engines;
  std::vector<double> done_us;
  std::vector<std::uint32_t> errors;

  explicit Bench(sc_core::sc_module_name name, const PlatformConfig& c = small_memory())
      : sc_module(name),
        config(c),
        links({}, config.check_protocol, faults, {}),
        sm_clock("sm_clock", 1200),
        system(config, sm_clock, memory, links, 1),
        sm("sm", sm_clock),
        hub("hub"),
        host("host", HostConfig{}, faults),
        link("link", PcieConfig{}, faults),
        bus("bus", RegisterBusConfig{0}),
        driver("driver"),
        mailbox("mailbox"),
        unused("unused") {
    system.connect_sm(0, sm.port.socket);
    system.connect_hub(hub.port.socket);
    host.pcie.socket.bind(link.host().socket);
    link.host_memory.bind(host.memory);
    link.device.socket.bind(unused.socket);
    driver.socket.bind(bus.add_initiator("driver"));
    bus.add_target("mailbox", regmap::cp::kBase + regmap::cp::kCopyDone, 16).bind(mailbox.socket);
    mailbox.on_access = [this](tlm::tlm_generic_payload& p, sc_core::sc_time&) {
      regmap::cp::CopyDone record;
      std::memcpy(&record, p.get_data_ptr(), sizeof record);
      done_us.push_back(ns(sc_core::sc_time_stamp()) / 1000);
      errors.push_back(record.error);
    };
    for (unsigned i = 0; i < config.dma.engines; ++i) {
      const std::string id = std::to_string(i);
      engines.push_back(std::make_unique<ChunkedDmaEngine>(
          ("dma" + id).c_str(), DmaConfig{}, DmaPlace{i, memory, faults, config.l2.line_bytes}));
      engines[i]->bus.bind(bus.add_initiator("dma" + id));
      engines[i]->link.socket.bind(link.add_device_master("dma" + id));
      system.connect_copy_engine(i, engines[i]->memory_socket());
      bus.add_target("dma" + id, regmap::dma::engine(i), regmap::dma::kStride).bind(engines[i]->registers);
    }
  }
  void start(std::uint64_t from, std::uint64_t to, std::uint64_t bytes,
             aql::CopyKind kind = aql::CopyKind::kCopy, unsigned engine = 0) {
    if (sc_core::sc_get_status() == sc_core::SC_ELABORATION) sc_core::sc_start(sc_core::SC_ZERO_TIME);
    regmap::dma::Descriptor d{from, to, bytes, static_cast<std::uint16_t>(kind), 0, 0x77, 0, 0};
    access(driver.socket, tlm::TLM_WRITE_COMMAND, regmap::dma::engine(engine), &d, regmap::dma::kStart);
    driver.write<std::uint32_t>(regmap::dma::engine(engine) + regmap::dma::kStart, 1);
  }
  void fill(std::uint64_t to, std::uint64_t bytes) { start(0, to, bytes, aql::CopyKind::kFill); }
  /// Starts nothing further until all is over.
  void run_ms(double ms) { sc_core::sc_start(sc_core::sc_time(ms, sc_core::SC_MS)); }
  /// Has the requester read, from `at_us` on, every line of [from, from + bytes) for launch `launch`.
  void read_lines(std::uint64_t from, std::uint64_t bytes, double at_us, std::uint32_t launch) {
    for (std::uint64_t a = from; a < from + bytes; a += kLine)
      sm.requests.push_back(
          {tlm::TLM_READ_COMMAND, a, kLine, static_cast<Cycle>(at_us * 1200), AccessKind::kLoad, launch});
  }
  void check() {
    EXPECT_FALSE(faults.faulted()) << faults.fault()->summary();  // a violation of the protocol is one
    for (std::uint32_t error : errors) EXPECT_EQ(error, 0u);
    EXPECT_TRUE(sm.done());
  }
  double sm_last_us() const { return static_cast<double>(sm.results.back().answered) / 1200; }
};

TEST(CopyPath, TwoMebibytesCountAtEveryStation) {
  Bench b("bench");
  std::vector<unsigned char> source(2 * kMiB), back(2 * kMiB, 0);
  for (std::size_t i = 0; i < source.size(); ++i) source[i] = static_cast<unsigned char>(i * 31 + (i >> 9));
  const std::uint64_t from = b.host.map(source.data(), source.size());
  const std::uint64_t device = *b.memory.allocate(2 * kMiB);
  b.start(from, device, 2 * kMiB);
  b.run_ms(2);
  const std::uint64_t lines = 2 * kMiB / kLine, kept = 4 * 96 * 1024 / kLine;
  MemorySystem::Traffic t = b.system.copy_traffic();
  EXPECT_EQ(b.engines[0]->statistics().memory_writes, lines);
  EXPECT_EQ(t.crossbar.request.packets, lines);
  EXPECT_EQ(t.crossbar.request.flits, lines * (1 + kLine / 32));  // headers and data
  EXPECT_EQ(t.crossbar.reply.flits, lines);
  EXPECT_EQ(t.l2.writes, lines);
  EXPECT_EQ(t.l2.misses, lines);
  EXPECT_EQ(t.l2.fill_reads, 0u);
  EXPECT_EQ(t.dram.read_bytes, 0u);
  EXPECT_EQ(t.dram.written_bytes, (lines - kept) * kLine);  // the rest stays in the L2

  const std::uint64_t to = b.host.map(back.data(), back.size());
  b.start(device, to, 2 * kMiB);
  b.run_ms(2);
  t = b.system.copy_traffic();
  EXPECT_EQ(t.l2.reads, lines);
  EXPECT_EQ(t.l2.hits, 0u);  // what is read from the beginning has driven out the end before it is reached
  EXPECT_EQ(t.dram.read_bytes, 2 * kMiB);
  EXPECT_EQ(t.dram.written_bytes, 2 * kMiB);
  EXPECT_EQ(back, source);
  EXPECT_EQ(b.system.kernel_traffic().l2.accesses, 0u);
  EXPECT_EQ(b.system.command_traffic().l2.accesses, 0u);
  EXPECT_EQ(b.done_us.size(), 2u);
  b.check();
}

TEST(CopyPath, WithinTheDeviceItReadsAndWrites) {
  Bench b("bench");
  const std::uint64_t from = *b.memory.allocate(64 * 1024), to = *b.memory.allocate(64 * 1024);
  for (unsigned i = 0; i < 64 * 1024; ++i) *b.memory.at(from + i) = static_cast<std::byte>(i * 7);
  b.start(from, to, 64 * 1024);
  b.run_ms(1);
  EXPECT_EQ(std::memcmp(b.memory.at(from), b.memory.at(to), 64 * 1024), 0);
  const MemorySystem::Traffic t = b.system.copy_traffic();
  EXPECT_EQ(t.l2.reads, 512u);
  EXPECT_EQ(t.l2.writes, 512u);
  EXPECT_EQ(t.dram.read_bytes, 64u * 1024);
  b.check();
}

TEST(CopyPath, OnlyPartsOfSectorsAreFetched) {
  Bench b("bench");
  const std::uint64_t to = *b.memory.allocate(4096);
  b.fill(to + 5, 100);  // parts of the first and the last sector of a line, and two whole ones between
  b.run_ms(1);
  const MemorySystem::Traffic t = b.system.copy_traffic();
  EXPECT_EQ(t.l2.writes, 1u);
  EXPECT_EQ(t.l2.fill_reads, 2u);
  EXPECT_EQ(t.dram.read_bytes, 64u);
  EXPECT_EQ(*b.memory.at(to + 4), std::byte{0});
  EXPECT_EQ(*b.memory.at(to + 5), std::byte{0x77});
  EXPECT_EQ(*b.memory.at(to + 104), std::byte{0x77});
  EXPECT_EQ(*b.memory.at(to + 105), std::byte{0});
  b.check();
}

TEST(CopyPath, WhatACopyHasWrittenHitsUntilALargeCopyDrivesItOut) {
  Bench b("bench");
  const std::uint64_t data = *b.memory.allocate(64 * 1024), other = *b.memory.allocate(kMiB);
  b.read_lines(data, 64 * 1024, 100, 0);
  b.read_lines(data, 64 * 1024, 500, 1);
  b.fill(data, 64 * 1024);
  sc_core::sc_start(sc_core::sc_time(300, sc_core::SC_US));
  b.fill(other, kMiB);
  b.run_ms(2);
  EXPECT_EQ(b.system.l2_of(0).hits, 512u);
  EXPECT_EQ(b.system.dram_of(0).read_bytes, 0u);
  EXPECT_EQ(b.system.l2_of(1).misses, 512u);
  EXPECT_EQ(b.system.dram_of(1).read_bytes, 64u * 1024);
  b.check();
}

TEST(CopyPath, ASlowMemorySlowsCopies) {
  Bench fast("fast"), slow("slow", with_slow_memory(2)), slower("slower", with_slow_memory(1));
  for (Bench* b : {&fast, &slow, &slower}) b->fill(*b->memory.allocate(2 * kMiB), 2 * kMiB);
  fast.run_ms(20);
  for (Bench* b : {&fast, &slow, &slower}) {
    ASSERT_EQ(b->done_us.size(), 1u);
    b->check();
  }
  // What the L2 does not keep leaves through two channels of 0.2 or 0.1 bytes/ns.
  const double evicted = 2.0 * kMiB - 4 * 96 * 1024;
  EXPECT_NEAR(slow.done_us[0], evicted / (2 * 0.2) / 1000, 0.05 * slow.done_us[0]);
  EXPECT_NEAR(slower.done_us[0], evicted / (2 * 0.1) / 1000, 0.05 * slower.done_us[0]);
  EXPECT_LT(fast.done_us[0], 100);
}

TEST(CopyPath, ACopyAndAMemoryBoundKernelSlowEachOther) {
  PlatformConfig config = with_slow_memory(64);
  Bench copy("copy", config), kernel("kernel", config), both("both", config);
  const std::uint64_t read = DeviceMemory::kBase, from = read + 2 * kMiB, to = from + 2 * kMiB;
  for (Bench* b : {&kernel, &both}) b->read_lines(read, 2 * kMiB, 0, 0);
  for (Bench* b : {&copy, &both}) b->start(from, to, 2 * kMiB);
  copy.run_ms(10);
  EXPECT_GT(both.sm_last_us(), 1.2 * kernel.sm_last_us());
  EXPECT_GT(both.done_us.at(0), 1.3 * copy.done_us.at(0));
  // And whose traffic it is stays apart.
  EXPECT_EQ(both.system.l2_of(0).accesses, 2 * kMiB / kLine);
  EXPECT_EQ(both.system.dram_of(0).read_bytes, 2 * kMiB);
  EXPECT_EQ(both.system.copy_traffic().dram.read_bytes, 2 * kMiB);
  for (Bench* b : {&copy, &kernel, &both}) b->check();
}

TEST(CopyPath, EachEngineHasAPortOfItsOwn) {
  Bench one("one"), two("two");
  for (Bench* b : {&one, &two}) {
    const std::uint64_t a = *b->memory.allocate(64 * 1024), c = *b->memory.allocate(64 * 1024);
    b->fill(a, 64 * 1024);
    if (b == &two) b->start(0, c, 64 * 1024, aql::CopyKind::kFill, 1);
  }
  one.run_ms(1);
  ASSERT_EQ(two.done_us.size(), 2u);
  // 5 flits a line at 1200 MHz through one port; through two ports to four banks hardly more.
  EXPECT_GT(one.done_us[0], 512 * 5 / 1.2 / 1000);
  EXPECT_LT(two.done_us[1], 1.4 * one.done_us[0]);
}

TEST(CopyPath, SmallLinesAndWholeBlocksWorkToo) {
  PlatformConfig lines = small_memory(), blocks = small_memory();
  lines.l2.line_bytes = 32;
  set_l2(blocks, 128);
  Bench a("a", lines), b("b", blocks);
  for (Bench* bench : {&a, &b}) {
    const std::uint64_t from = *bench->memory.allocate(8192) + 17, to = *bench->memory.allocate(8192) + 101;
    for (unsigned i = 0; i < 7001; ++i) *bench->memory.at(from + i) = static_cast<std::byte>(i * 13);
    bench->start(from, to, 7001);
  }
  a.run_ms(1);
  for (Bench* bench : {&a, &b}) {
    ASSERT_EQ(bench->done_us.size(), 1u);
    const std::uint64_t from = DeviceMemory::kBase + 17, to = DeviceMemory::kBase + 8192 + 101;
    EXPECT_EQ(std::memcmp(bench->memory.at(from), bench->memory.at(to), 7001), 0);
    bench->check();
  }
  EXPECT_GT(a.system.copy_traffic().l2.accesses, 3 * b.system.copy_traffic().l2.accesses);
}

TEST(CopyPath, TheSameCopiesTwiceTakeTheSameTime) {
  Bench a("a"), b("b");
  const std::uint64_t x = DeviceMemory::kBase, y = x + kMiB;
  for (Bench* bench : {&a, &b}) bench->read_lines(y, kMiB / 2, 1, 0);
  for (Bench* bench : {&a, &b}) {
    bench->start(x + 3, y + 40, kMiB - 64);
    bench->start(0, x, kMiB / 2, aql::CopyKind::kFill, 1);
  }
  a.run_ms(3);
  ASSERT_EQ(a.done_us.size(), 2u);
  EXPECT_EQ(a.done_us, b.done_us);
  EXPECT_EQ(a.sm_last_us(), b.sm_last_us());
  a.check();
}

/// The protocol checkers stand on the new links too: a payload without data is found on each.
TEST(CopyPath, EveryLinkHasItsChecker) {
  PlatformConfig config = small_memory();
  DeviceMemory memory(16 * kMiB);
  FaultSink faults;
  Links links({}, config.check_protocol, faults, {});
  ClockDomain sm_clock("sm_clock", 1200);
  MemorySystem system(config, sm_clock, memory, links, 1);
  SilentInitiator sm("sm"), hub("hub"), engine0("engine0"), engine1("engine1");
  system.connect_sm(0, sm.port.socket);
  system.connect_hub(hub.port.socket);
  system.connect_copy_engine(0, engine0.port.socket);
  system.connect_copy_engine(1, engine1.port.socket);
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  TransactionPool pool;
  std::string found;
  for (SilentInitiator* from : {&engine1, &hub}) {
    Transaction& t = pool.make(tlm::TLM_READ_COMMAND, DeviceMemory::kBase, 32);
    t.set_data_ptr(nullptr);
    try {
      from->port.send(t);
    } catch (const std::runtime_error& violation) {
      found += violation.what();
    }
  }
  EXPECT_THAT(found, HasSubstr("on link dma_1 at"));
  EXPECT_THAT(found, HasSubstr("on link hub at"));
}

}  // namespace
}  // namespace warpvp::test
