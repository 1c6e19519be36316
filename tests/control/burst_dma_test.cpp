// Channels whose transfers take turns burst by burst: data, times in closed form, who overtakes whom, errors.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "modules/host/burst_dma_engine.h"
#include "tests/control/dma_bench.h"

namespace warpvp::test {
namespace {

namespace dma = regmap::dma;

constexpr unsigned kChannels = 4;
constexpr unsigned kBurst = 4096;

/// Four channels; the link moves 4096 bytes in 409.6 ns each way; memory is fast.
struct BurstDmaBench : DmaBench<BurstDmaEngine> {
  explicit BurstDmaBench(sc_core::sc_module_name name, BurstDmaConfig config = one_burst(),
                         unsigned line = kBurst)
      : DmaBench(name, kChannels, 0, 1e6) {
    const auto shared = std::make_shared<TransferEngines>(config.bursts);
    for (unsigned i = 0; i < kChannels; ++i) add_engine(config, DmaPlace{i, memory, faults, line}, shared);
  }
  static BurstDmaConfig one_burst() {
    BurstDmaConfig c;
    c.bursts = 1;
    c.setup_ns = 0;
    return c;
  }
  void start(unsigned channel, std::uint64_t from, std::uint64_t to, std::uint64_t bytes,
             std::int16_t priority = 0, aql::CopyKind kind = aql::CopyKind::kCopy, std::uint32_t value = 0) {
    dma::Descriptor d{from, to, bytes, static_cast<std::uint16_t>(kind), priority};
    d.value = static_cast<std::uint16_t>(value);
    d.tag = 70 + channel;
    DmaBench::start(channel, d);
  }
  std::uint64_t device_bytes(std::uint64_t bytes) { return *memory.allocate(bytes); }
  std::uint64_t done_ns(unsigned channel) const {
    for (const Done& d : done)
      if (d.record.engine == channel) return static_cast<std::uint64_t>(d.at_ns + 0.5);
    return 0;
  }
  DmaStats stats() const { return engines[0]->statistics(); }
};

// A burst of an idle machine: the read request (0 bytes: no time here), 4096 bytes over the link, memory.
constexpr double kBurstNs = kBurst / 10.0;

TEST(BurstDma, DataArriveInTheTimeOfTheirBursts) {
  BurstDmaBench b("bench");
  auto source = pattern(3 * kBurst + 100, 1);
  std::vector<unsigned char> back(source.size(), 0);
  const std::uint64_t from = b.host.map(source.data(), source.size());
  const std::uint64_t to = b.host.map(back.data(), back.size());
  const std::uint64_t device = b.device_bytes(source.size());
  b.start(2, from, device, source.size());
  EXPECT_EQ(b.driver.read<std::uint32_t>(dma::engine(2) + dma::kStatus) & 1, 1u);
  b.run_us(5);
  ASSERT_EQ(b.done.size(), 1u);
  EXPECT_EQ(b.done[0].record.tag, 72u);
  EXPECT_EQ(b.done[0].record.error, 0u);
  EXPECT_NEAR(b.done[0].at_ns, 3 * kBurstNs + 10, 1);
  EXPECT_EQ(std::memcmp(b.memory.at(device), source.data(), source.size()), 0);
  b.start(1, device, to, source.size());
  b.run_us(5);
  ASSERT_EQ(b.done.size(), 2u);
  EXPECT_NEAR(b.done[1].at_ns - 5000, 3 * kBurstNs + 10, 1);
  EXPECT_EQ(back, source);
  EXPECT_EQ(b.stats().bursts, 8u);
  EXPECT_NEAR(b.stats().to_device_busy_us, 1.2388, 0.002);
  EXPECT_NEAR(b.stats().to_host_busy_us, 1.2388, 0.002);
  EXPECT_EQ(b.stats().on_device_busy_us, 0);
}

TEST(BurstDma, TheTwoDirectionsDoNotWaitForEachOther) {
  BurstDmaBench b("bench");
  std::vector<unsigned char> source(10 * kBurst, 1), back(10 * kBurst, 0);
  const std::uint64_t device = b.device_bytes(20 * kBurst);
  b.start(0, b.host.map(source.data(), source.size()), device, source.size());
  b.start(1, device + 10 * kBurst, b.host.map(back.data(), back.size()), back.size());
  b.run_us(20);
  ASSERT_EQ(b.done.size(), 2u);
  EXPECT_NEAR(b.done_ns(0), 10 * kBurstNs, 15);
  EXPECT_NEAR(b.done_ns(1), 10 * kBurstNs, 15);
}

TEST(BurstDma, EqualTransfersTakeTurnsBurstByBurst) {
  BurstDmaBench b("bench");
  std::vector<unsigned char> source(8 * kBurst, 1);
  const std::uint64_t from = b.host.map(source.data(), source.size());
  const std::uint64_t device = b.device_bytes(16 * kBurst);
  b.start(0, from, device, 8 * kBurst);
  b.run_us(0.1);
  b.start(1, from, device + 8 * kBurst, 3 * kBurst);
  b.run_us(20);
  ASSERT_EQ(b.done.size(), 2u);
  EXPECT_NEAR(b.done_ns(1), 6 * kBurstNs, 2);   // 0 1 0 1 0 1
  EXPECT_NEAR(b.done_ns(0), 11 * kBurstNs, 2);  // and the rest alone
  EXPECT_EQ(b.stats().switches, 5u);            // the last change comes when the other one has nothing left
}

TEST(BurstDma, AnUrgentTransferOvertakesAtTheNextBurstBoundary) {
  BurstDmaBench b("bench");
  std::vector<unsigned char> source(20 * kBurst, 1);
  const std::uint64_t from = b.host.map(source.data(), source.size());
  const std::uint64_t device = b.device_bytes(40 * kBurst);
  b.start(0, from, device, 20 * kBurst);
  b.run_us(1.5);  // within the fourth burst, which ends at 1638.4 ns
  b.start(3, from, device + 20 * kBurst, 2 * kBurst, 1);
  b.run_us(20);
  ASSERT_EQ(b.done.size(), 2u);
  EXPECT_NEAR(b.done_ns(3), 6 * kBurstNs, 2);
  EXPECT_EQ(b.stats().overtakings, 1u);
  EXPECT_NEAR(b.done_ns(0), 22 * kBurstNs, 2);
}

TEST(BurstDma, BurstsUnderWayAreNotTakenBack) {
  BurstDmaConfig config = BurstDmaBench::one_burst();
  config.bursts = 3;
  BurstDmaBench b("bench", config);
  std::vector<unsigned char> source(20 * kBurst, 1);
  const std::uint64_t from = b.host.map(source.data(), source.size());
  const std::uint64_t device = b.device_bytes(40 * kBurst);
  b.start(0, from, device, 20 * kBurst);
  b.run_us(0.1);
  b.start(1, from, device + 20 * kBurst, kBurst, 1);
  b.run_us(20);
  EXPECT_NEAR(b.done_ns(1), 4 * kBurstNs, 2);  // behind the three that had begun
  EXPECT_NEAR(b.done_ns(0), 21 * kBurstNs, 2);
}

TEST(BurstDma, FillsAndCopiesWithinTheDeviceHaveAnEngineOfTheirOwn) {
  BurstDmaBench b("bench", BurstDmaBench::one_burst(), 128);  // lines shorter than a burst: many requests
  const std::uint64_t device = b.device_bytes(4 * kBurst);
  b.start(0, 0, device + 3, 2 * kBurst, 0, aql::CopyKind::kFill, 0x5a);
  b.run_us(20);
  b.start(1, device + 3, device + 2 * kBurst + 7, kBurst);
  b.run_us(20);
  ASSERT_EQ(b.done.size(), 2u);
  const auto* m = reinterpret_cast<unsigned char*>(b.memory.at(device));
  EXPECT_EQ(m[2], 0);
  for (const std::size_t at : {std::size_t{3}, std::size_t{2 * kBurst + 2}, std::size_t{3 * kBurst + 6}})
    EXPECT_EQ(m[at], 0x5a) << at;
  EXPECT_EQ(m[3 * kBurst + 7], 0);
  EXPECT_GT(b.stats().on_device_busy_us, 0);
  EXPECT_EQ(b.stats().to_device_busy_us, 0);
}

TEST(BurstDma, WithoutValuesTimeAndTrafficStayAndMemoryToo) {
  BurstDmaConfig config = BurstDmaBench::one_burst();
  config.values = false;
  BurstDmaBench b("bench", config);
  std::vector<unsigned char> source(3 * kBurst, 9);
  const std::uint64_t device = b.device_bytes(3 * kBurst);
  b.start(0, b.host.map(source.data(), source.size()), device, source.size());
  b.run_us(20);
  ASSERT_EQ(b.done.size(), 1u);
  EXPECT_NEAR(b.done[0].at_ns, 3 * kBurstNs, 1);
  EXPECT_EQ(b.stats().memory_written_bytes, 3u * kBurst);
  EXPECT_EQ(static_cast<unsigned>(*b.memory.at(device)), 0u);
  // And the host's memory, with as many bytes on the wire.
  std::memset(b.memory.at(device), 0x5a, 3 * kBurst);
  b.start(0, device, b.host.map(source.data(), source.size()), source.size());
  b.run_us(20);
  ASSERT_EQ(b.done.size(), 2u);
  EXPECT_NEAR(b.done[1].at_ns - 20000, 3 * kBurstNs, 1);
  EXPECT_EQ(b.link.statistics().to_host_bytes, 3u * kBurst);
  EXPECT_EQ(source, std::vector<unsigned char>(3 * kBurst, 9));
  // A host range that is not there is an error without bytes, too.
  b.start(0, device, b.host.map(source.data(), kBurst), 2 * kBurst);
  b.run_us(20);
  ASSERT_EQ(b.done.size(), 3u);
  EXPECT_TRUE(b.faults.faulted());  // of a posted write, which nobody waits for
}

TEST(BurstDma, ABadAddressEndsItsTransferAndNoOther) {
  BurstDmaBench b("bench");
  std::vector<unsigned char> source(4 * kBurst, 1);
  const std::uint64_t from = b.host.map(source.data(), source.size());
  const std::uint64_t device = b.device_bytes(4 * kBurst);
  b.start(0, from, b.memory.base() + b.memory.size() - kBurst, 4 * kBurst);  // runs out of memory
  b.start(1, from, device, 4 * kBurst);
  b.run_us(20);
  ASSERT_EQ(b.done.size(), 2u);
  for (const BurstDmaBench::Done& d : b.done) EXPECT_EQ(d.record.error != 0, d.record.engine == 0);
  EXPECT_EQ(b.stats().failed, 1u);
  EXPECT_FALSE(b.engines[0]->busy());
  b.start(0, from, device, kBurst);  // the channel takes the next one
  b.run_us(20);
  EXPECT_EQ(b.done.size(), 3u);
  EXPECT_EQ(b.done.back().record.error, 0u);
}

}  // namespace
}  // namespace warpvp::test
