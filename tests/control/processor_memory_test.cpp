// What the command processor asks of device memory (packets, descriptors, signals), and what it does with the
// answers.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "interconnect/launch_counters.h"
#include "tests/control/processor_bench.h"

namespace warpvp::test {
namespace {

namespace cp = regmap::cp;
using ::testing::ElementsAre;

TEST(CommandProcessor, PacketsDescriptorsAndSignalsTravelTheMemorySystem) {
  ProcessorBench b("bench");
  b.map_queue(0);
  const std::uint64_t signal = b.make_signal(1);
  aql::KernelDispatch packet = b.dispatch(true, signal);
  aql::Extension extension;
  packet.extension = *b.memory.allocate(64, 64);
  b.store(packet.extension, extension);
  b.put(0, packet);
  b.ring(0);
  b.run_ns(1000);
  ASSERT_EQ(b.kernels.size(), 1u);
  ASSERT_EQ(b.stub.seen.size(), 3u);
  b.end_kernel(b.kernels[0].slot);
  b.run_ns(1000);
  struct Expected {
    tlm::tlm_command command;
    std::uint64_t address;
    unsigned bytes;
  };
  const Expected expected[] = {{tlm::TLM_READ_COMMAND, b.rings[0], 64},
                               {tlm::TLM_READ_COMMAND, packet.extension, 64},
                               {tlm::TLM_READ_COMMAND, b.object, 64},
                               {tlm::TLM_READ_COMMAND, signal, 64},
                               {tlm::TLM_WRITE_COMMAND, signal, aql::kSignalMailboxBytes}};
  ASSERT_EQ(b.stub.seen.size(), std::size(expected));
  for (std::size_t i = 0; i < std::size(expected); ++i) {
    EXPECT_EQ(b.stub.seen[i].command, expected[i].command) << i;
    EXPECT_EQ(b.stub.seen[i].address, expected[i].address) << i;
    EXPECT_EQ(b.stub.seen[i].bytes, expected[i].bytes) << i;
    EXPECT_EQ(b.stub.seen[i].launch, kCommandLaunch) << i;
    EXPECT_EQ(b.stub.seen[i].kind, AccessKind::kCommand) << i;
  }
  EXPECT_EQ(b.load<aql::Signal>(signal).value, 0);
}

TEST(CommandProcessor, ASlowMemorySlowsTheLaunchAndTheSignal) {
  ProcessorBench b("bench");
  b.stub.latency = in_ns(5000);
  b.map_queue(0);
  b.run_ns(100);
  const std::uint64_t signal = b.make_signal(1);
  b.put(0, b.dispatch(true, signal));
  b.ring(0);
  b.run_ns(10000);
  EXPECT_EQ(b.kernels.size(), 0u);
  b.run_ns(1000);
  ASSERT_EQ(b.kernels.size(), 1u);
  b.end_kernel(b.kernels[0].slot);
  b.run_ns(10000);
  EXPECT_EQ(b.load<aql::Signal>(signal).value, 1) << "read, and not yet written";
  b.run_ns(1000);
  EXPECT_EQ(b.load<aql::Signal>(signal).value, 0);
}

TEST(CommandProcessor, CompletionsThatMeetAtOneSignalAllCount) {
  ProcessorBench b("bench");
  const std::uint64_t signal = b.make_signal(3);
  for (unsigned q = 0; q < 3; ++q) {
    b.map_queue(q);
    b.put(q, b.dispatch(false, signal));
    b.ring(q);
  }
  b.run_ns(1000);
  ASSERT_EQ(b.kernels.size(), 3u);
  for (unsigned slot = 0; slot < 3; ++slot) b.end_kernel(slot);
  b.run_ns(100);
  EXPECT_EQ(b.load<aql::Signal>(signal).value, 3);
  b.run_ns(1000);
  EXPECT_EQ(b.load<aql::Signal>(signal).value, 0);
}

TEST(CommandProcessor, AnAnswerForAQueueThatWasUnmappedIsForgotten) {
  ProcessorBench b("bench");
  b.stub.latency = in_ns(1000);
  b.map_queue(0);
  b.put(0, b.dispatch(true, 0, 11));
  b.ring(0);
  b.run_ns(500);  // the packet is being read
  EXPECT_EQ(b.stub.seen.size(), 1u);
  b.driver.write<std::uint32_t>(regmap::cp::queue(0) + regmap::cp::kControl, 0);
  b.run_ns(20);
  b.written[0] = 0;
  b.map_queue(0);
  b.put(0, b.dispatch(true, 0, 22));
  b.ring(0);
  b.run_ns(10000);
  EXPECT_THAT(b.marks(), ElementsAre(22));
}

TEST(CommandProcessor, APieceThatMemoryRefusesStopsItsQueue) {
  ProcessorBench b("bench");
  b.stub.answer = [&](const MemoryStub::Seen& seen) {
    return seen.address == b.object ? tlm::TLM_GENERIC_ERROR_RESPONSE : tlm::TLM_OK_RESPONSE;
  };
  b.map_queue(0);
  b.put(0, b.dispatch(true));
  b.ring(0);
  b.run_ns(2000);
  EXPECT_TRUE(b.kernels.empty());
  EXPECT_EQ(b.error(0), regmap::cp::QueueError::kBadKernelObject);
}

// Of a signal that cannot be read nothing is written; the host hears only of values that memory has. Nobody
// waits for the answer but the processor, which therefore ends the simulation.
class SignalRefused : public ::testing::TestWithParam<tlm::tlm_command> {};

TEST_P(SignalRefused, IsNotToldToTheHost) {
  ProcessorBench b("bench");
  b.map_queue(0);
  const std::uint64_t signal = b.make_signal(1, regmap::kHostBusBase + 0x40);
  unsigned reads = 0, writes = 0;
  b.stub.answer = [&](const MemoryStub::Seen& seen) {
    if (seen.address != signal) return tlm::TLM_OK_RESPONSE;
    ++(seen.command == tlm::TLM_READ_COMMAND ? reads : writes);
    return seen.command == GetParam() ? tlm::TLM_GENERIC_ERROR_RESPONSE : tlm::TLM_OK_RESPONSE;
  };
  b.put(0, b.dispatch(true, signal));
  b.ring(0);
  b.run_ns(1000);
  ASSERT_EQ(b.kernels.size(), 1u);
  b.end_kernel(0);
  EXPECT_THROW(b.run_ns(1000), sc_core::sc_report);
  EXPECT_EQ(reads, 1u);
  EXPECT_EQ(writes, GetParam() == tlm::TLM_READ_COMMAND ? 0u : 1u);
  EXPECT_EQ(b.load<aql::Signal>(signal).value, 1);
  EXPECT_TRUE(b.host_writes.empty());
}

INSTANTIATE_TEST_SUITE_P(CommandProcessor, SignalRefused,
                         ::testing::Values(tlm::TLM_READ_COMMAND, tlm::TLM_WRITE_COMMAND),
                         [](const auto& info) {
                           return info.param == tlm::TLM_READ_COMMAND ? "Read" : "Write";
                         });

}  // namespace
}  // namespace warpvp::test
