// DMA engines: data, times, overlap, the requests they send, and that nothing is visible before its time.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>

#include "interconnect/launch_counters.h"
#include "modules/host/chunked_dma_engine.h"
#include "tests/control/dma_bench.h"

namespace warpvp::test {
namespace {

namespace dma = regmap::dma;

constexpr unsigned kLine = 128;

/// Two engines; the memory moves 100 bytes/ns.
struct ChunkedDmaBench : DmaBench<ChunkedDmaEngine> {
  explicit ChunkedDmaBench(sc_core::sc_module_name name, DmaConfig config = easy(), double memory_ns = 0,
                           double memory_bytes_per_ns = 100)
      : DmaBench(name, 2, memory_ns, memory_bytes_per_ns) {
    for (unsigned i = 0; i < 2; ++i) add_engine(config, DmaPlace{i, memory, faults, kLine});
  }
  static DmaConfig easy() {
    DmaConfig c;
    c.chunk_bytes = 1000;  // not a power of two on purpose; only YAML insists
    c.outstanding = 2;
    c.setup_ns = 0;
    c.memory_requests = 1000;
    return c;
  }
  void start(unsigned engine, std::uint64_t from, std::uint64_t to, std::uint64_t bytes,
             aql::CopyKind kind = aql::CopyKind::kCopy, std::uint32_t value = 0, std::uint32_t tag = 0) {
    dma::Descriptor d{from, to, bytes, static_cast<std::uint16_t>(kind)};
    d.value = static_cast<std::uint16_t>(value);
    d.tag = tag;
    DmaBench::start(engine, d);
  }
};

TEST(Dma, ToDeviceAndBackInClosedFormTime) {
  ChunkedDmaBench bench("bench");
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
  ChunkedDmaBench bench("bench");
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
  ChunkedDmaBench bench("bench");
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
  ChunkedDmaBench bench("bench");
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
  DmaConfig config = ChunkedDmaBench::easy();
  config.outstanding = 4;
  ChunkedDmaBench bench("bench", config);
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
  // Its read requests queue behind the other's data, in the beginning behind all that may be under way.
  EXPECT_GE(bench.done[1].at_ns, 2019);
  EXPECT_LE(bench.done[1].at_ns, 2020 + 4 * 100);
  EXPECT_EQ(b, std::vector<unsigned char>(20000, 9));
}

TEST(Dma, WithinTheDeviceAndFill) {
  ChunkedDmaBench bench("bench");
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

// Times are the link's alone, and the memory sees nothing; errors are as ever.
TEST(Dma, WithoutTrafficMemoryTakesNoTimeAndSeesNoRequest) {
  DmaConfig config = ChunkedDmaBench::easy();
  config.setup_ns = 7;
  config.traffic = false;
  ChunkedDmaBench bench("bench", config);
  auto source = pattern(10500, 1);
  std::vector<unsigned char> back(10500, 0);
  const std::uint64_t from = bench.host.map(source.data(), source.size());
  const std::uint64_t to = bench.host.map(back.data(), back.size());
  const std::uint64_t a = *bench.memory.allocate(10500), b = *bench.memory.allocate(10500);
  bench.start(0, from, a, 10500);
  bench.run_us(10);
  bench.start(0, a, b, 10500);
  bench.run_us(10);
  bench.start(0, 0, a, 10500, aql::CopyKind::kFill, 0xee);
  bench.run_us(10);
  bench.start(0, b, to, 10500);
  bench.run_us(10);
  bench.start(0, a, bench.memory.base() + bench.memory.size() - 10, 100);
  bench.run_us(10);
  ASSERT_EQ(bench.done.size(), 5u);
  EXPECT_NEAR(bench.done[0].at_ns, 7 + 1050, 1e-6);
  EXPECT_NEAR(bench.done[1].at_ns - 10000, 7, 1e-6);
  EXPECT_NEAR(bench.done[2].at_ns - 20000, 7, 1e-6);
  EXPECT_NEAR(bench.done[3].at_ns - 30000, 7 + 1050, 1e-6);
  EXPECT_EQ(back, source);
  EXPECT_EQ(*reinterpret_cast<unsigned char*>(bench.memory.at(a) + 10499), 0xee);
  for (unsigned i = 0; i < 4; ++i) EXPECT_EQ(bench.done[i].record.error, 0u) << i;
  EXPECT_NE(bench.done[4].record.error, 0u);
  EXPECT_EQ(bench.stub.seen.size(), 0u);
}

TEST(Dma, BadAddressesEndTheCopyWithAnError) {
  ChunkedDmaBench bench("bench");
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

TEST(Dma, RequestsCoverEveryByteOnceAndNeverCrossALine) {
  ChunkedDmaBench bench("bench");
  auto source = pattern(3000, 2);
  const std::uint64_t from = bench.host.map(source.data(), source.size());
  const std::uint64_t device = *bench.memory.allocate(4096) + 77;  // head and tail cover parts of lines
  bench.start(0, from, device, 3000);
  bench.run_us(10);
  ASSERT_EQ(bench.done.size(), 1u);
  EXPECT_EQ(std::memcmp(bench.memory.at(device), source.data(), 3000), 0);
  std::vector<unsigned> covered(3000, 0);
  for (const MemoryStub::Seen& s : bench.stub.seen) {
    EXPECT_EQ(s.command, tlm::TLM_WRITE_COMMAND);
    EXPECT_EQ(s.address / kLine, (s.address + s.bytes - 1) / kLine);
    EXPECT_EQ(s.kind, AccessKind::kCopy);
    EXPECT_EQ(s.launch, kCopyLaunch);
    EXPECT_EQ(s.port, 0u);
    for (std::uint64_t a = s.address; a < s.address + s.bytes; ++a) ++covered.at(a - device);
  }
  EXPECT_EQ(covered, std::vector<unsigned>(3000, 1));
  EXPECT_EQ(bench.engines[0]->statistics().memory_writes, bench.stub.seen.size());
  EXPECT_EQ(bench.engines[0]->statistics().memory_written_bytes, 3000u);
}

TEST(Dma, BetweenAddressesOfDifferentAlignment) {
  ChunkedDmaBench bench("bench");
  auto source = pattern(5000, 6);
  const std::uint64_t from = *bench.memory.allocate(8192) + 3, to = *bench.memory.allocate(8192) + 90;
  std::memcpy(bench.memory.at(from), source.data(), source.size());
  bench.start(1, from, to, 5000);
  bench.run_us(10);
  ASSERT_EQ(bench.done.size(), 1u);
  EXPECT_EQ(std::memcmp(bench.memory.at(to), source.data(), 5000), 0);
  EXPECT_EQ(*bench.memory.at(to - 1), std::byte{0});
  EXPECT_EQ(*bench.memory.at(to + 5000), std::byte{0});
  const DmaStats traffic = bench.engines[1]->statistics();
  EXPECT_EQ(traffic.memory_read_bytes, 5000u);
  EXPECT_EQ(traffic.memory_written_bytes, 5000u);
}

TEST(Dma, AFillOnlyWrites) {
  ChunkedDmaBench bench("bench");
  const std::uint64_t to = *bench.memory.allocate(4096);
  bench.start(0, 0, to, 4096, aql::CopyKind::kFill, 0x5a);
  bench.run_us(10);
  const DmaStats traffic = bench.engines[0]->statistics();
  EXPECT_EQ(traffic.memory_reads, 0u);
  EXPECT_EQ(traffic.memory_writes, 4096u / kLine + 4);  // chunks of 1000 bytes cut four lines
  EXPECT_EQ(traffic.memory_written_bytes, 4096u);
}

TEST(Dma, OnlySoManyRequestsAreUnderWay) {
  DmaConfig config = ChunkedDmaBench::easy();
  config.memory_requests = 5;
  ChunkedDmaBench bench("bench", config, 1000);
  const std::uint64_t to = *bench.memory.allocate(64 * kLine);
  config.chunk_bytes = 64 * kLine;
  bench.start(0, 0, to, 10 * kLine, aql::CopyKind::kFill, 1);
  bench.run_us(10);
  ASSERT_EQ(bench.done.size(), 1u);
  EXPECT_EQ(bench.stub.most_under_way, 5u);
  EXPECT_GT(bench.done[0].at_ns, 2000);  // twice the latency
}

TEST(Dma, ASlowMemorySlowsTheCopy) {
  ChunkedDmaBench bench("bench", ChunkedDmaBench::easy(), 0, 1);  // a tenth of the link's bandwidth
  auto source = pattern(10000, 1);
  const std::uint64_t from = bench.host.map(source.data(), source.size());
  const std::uint64_t device = *bench.memory.allocate(10000);
  bench.start(0, from, device, 10000);
  bench.run_us(50);
  ASSERT_EQ(bench.done.size(), 1u);
  EXPECT_NEAR(bench.done[0].at_ns, 100 + 10000, 1);  // the first chunk over the link, then all at 1 byte/ns
}

TEST(Dma, ValuesMoveRequestByRequestWhenMemoryAnswers) {
  ChunkedDmaBench bench("bench", ChunkedDmaBench::easy(), 400, 1);  // a line every 128 ns, 400 ns later
  const std::uint64_t from = *bench.memory.allocate(512), to = *bench.memory.allocate(512);
  std::memset(bench.memory.at(from), 1, 512);
  bench.start(0, from, to, 512);
  // Reads are answered at 528, 656, 784 and 912 ns, and sample then; writes leave at 912 and are answered
  // from 1440 ns on.
  bench.run_us(0.6);
  std::memset(bench.memory.at(from), 2, 512);
  const auto first_of_line = [&](unsigned i) { return static_cast<int>(*bench.memory.at(to + i * kLine)); };
  bench.run_us(0.83);
  EXPECT_EQ(first_of_line(0), 0);
  bench.run_us(0.02);
  EXPECT_EQ(first_of_line(0), 1);
  EXPECT_EQ(first_of_line(1), 0);
  bench.run_us(1);
  EXPECT_EQ(first_of_line(1), 2);
  EXPECT_EQ(first_of_line(3), 2);
  ASSERT_EQ(bench.done.size(), 1u);
}

TEST(Dma, AnErrorOfTheMemorySystemEndsTheCopy) {
  ChunkedDmaBench bench("bench");
  const std::uint64_t to = *bench.memory.allocate(4096);
  bench.stub.answer = [&](const MemoryStub::Seen& seen) {
    return seen.address == to + 3 * kLine ? tlm::TLM_GENERIC_ERROR_RESPONSE : tlm::TLM_OK_RESPONSE;
  };
  bench.start(0, 0, to, 4096, aql::CopyKind::kFill, 7);
  bench.run_us(10);
  ASSERT_EQ(bench.done.size(), 1u);
  EXPECT_EQ(bench.done[0].record.error, 1u);  // TLM_GENERIC_ERROR_RESPONSE, negated
  EXPECT_EQ(*bench.memory.at(to), std::byte{7});
  EXPECT_EQ(*bench.memory.at(to + 3 * kLine), std::byte{0});
}

TEST(Dma, ACompletionRecordThatIsRefusedIsADeviceFault) {
  ChunkedDmaBench bench("bench");
  bench.mailbox.on_access = [](tlm::tlm_generic_payload& p, sc_core::sc_time&) {
    p.set_response_status(tlm::TLM_COMMAND_ERROR_RESPONSE);
  };
  const std::uint64_t to = *bench.memory.allocate(128);
  bench.start(1, 0, to, 128, aql::CopyKind::kFill, 7, 13);
  bench.run_us(10);
  ASSERT_TRUE(bench.faults.faulted());
  EXPECT_EQ(bench.faults.fault()->address, regmap::cp::kBase + regmap::cp::kCopyDone);
  EXPECT_THAT(bench.faults.fault()->what, ::testing::HasSubstr("DMA engine 1"));
  EXPECT_THAT(bench.faults.fault()->what, ::testing::HasSubstr("tag 13"));
  EXPECT_THAT(bench.faults.fault()->what, ::testing::HasSubstr("TLM_COMMAND_ERROR_RESPONSE"));
}

}  // namespace
}  // namespace warpvp::test
