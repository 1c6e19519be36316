// Packets and jobs that a scheduler rejects, at the registers of the scheduler port.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/control/processor_bench.h"
#include "tests/control/scripted_core.h"

namespace warpvp::test {
namespace {

namespace qc = regmap::qc;
namespace wd = regmap::wd;
using regmap::cp::QueueError;
using ::testing::ElementsAre;

constexpr std::uint64_t port(std::uint64_t offset) { return qc::kBase + offset; }

/// A core that sleeps; the test writes the port's registers itself.
struct RejectionBench : ProcessorBench {
  RejectionBench()
      : ProcessorBench("bench", eager_hardware(), 4, ScriptedCore::factory([](ScriptedCore&) {})) {}

  bool ready(unsigned q) {
    return (driver.read<std::uint32_t>(port(qc::kReady) + q / 32 * 4) >> q % 32 & 1) != 0;
  }
  tlm::tlm_response_status write(std::uint64_t offset, std::uint32_t value) {
    return access(driver.socket, tlm::TLM_WRITE_COMMAND, port(offset), &value, sizeof value);
  }
  void drop_events() {
    while (driver.read<std::uint32_t>(port(qc::kEvent)) != 0)
      driver.write<std::uint32_t>(port(qc::kEventPop), 1);
  }
  void map(unsigned q) {
    map_queue(q);
    run_ns(10);
    drop_events();
  }
  /// A kernel of a job; `last`: no packet of the job follows.
  aql::KernelDispatch of_job(std::uint32_t job, std::uint64_t signal, bool last = false,
                             std::uint32_t mark = 1) {
    aql::Extension x;
    x.job = job;
    x.job_flags = last ? aql::kJobLast : 0;
    const std::uint64_t extension = *memory.allocate(64, 64);
    store(extension, x);
    auto p = dispatch(true, signal, mark);
    p.extension = extension;
    return p;
  }
  std::uint32_t job_of_head(unsigned q) { return driver.read<std::uint32_t>(qc::head(q) + qc::kJob); }
  void ring_and_run(unsigned q) {
    ring(q);
    run_ns(3000);
  }
  void start(unsigned q, unsigned slot) {
    ASSERT_EQ(write(qc::kForward, slot << 16 | q), tlm::TLM_OK_RESPONSE);
    driver.write<std::uint32_t>(wd::slot(slot) + wd::kSlotStart, 1);
    ASSERT_EQ(write(qc::kTake, slot << 16 | q), tlm::TLM_OK_RESPONSE);
  }
};

TEST(Rejection, MarksTheSignalAndTheQueueGoesOn) {
  RejectionBench b;
  const std::uint64_t mirror = regmap::kHostBusBase + 64, signal = b.make_signal(1, mirror);
  b.map(3);
  b.put(3, b.dispatch(true, signal, 7));
  b.put(3, b.dispatch(true, 0, 8));
  b.ring_and_run(3);
  ASSERT_TRUE(b.ready(3));
  EXPECT_EQ(b.write(qc::kReject, 77u << 16 | 3), tlm::TLM_OK_RESPONSE);
  const double rejected = ns(sc_core::sc_time_stamp());
  b.run_ns(3000);
  const auto s = b.load<aql::Signal>(signal);
  EXPECT_EQ(s.value, 0);
  EXPECT_EQ(aql::rejection_code(s.start_ns), 77u);
  EXPECT_NEAR(static_cast<double>(s.end_ns), rejected, 2);
  ASSERT_EQ(b.host_writes.size(), 1u);
  EXPECT_EQ(b.host_writes[0].first, mirror);
  EXPECT_EQ(std::memcmp(b.host_writes[0].second.data(), &s, 24), 0);
  EXPECT_EQ(b.error(3), QueueError::kNone);
  EXPECT_EQ(b.read_index(3), 1u);
  EXPECT_TRUE(b.ready(3)) << "the packet behind it";
  EXPECT_EQ(b.driver.read<wd::KernelSlotImage>(qc::head(3) + qc::kPayload).grid[0], 8u);
  EXPECT_EQ(b.processor.statistics().rejections, 1u);
  EXPECT_EQ(b.processor.statistics().errors, 0u);
  EXPECT_TRUE(b.kernels.empty());
}

TEST(Rejection, KeepsItsTurnBehindWhatRuns) {
  RejectionBench b;
  const std::uint64_t signal = b.make_signal();
  b.map(0);
  b.put(0, b.dispatch(true, 0, 5));
  b.put(0, b.dispatch(true, signal, 6));
  b.ring_and_run(0);
  b.start(0, 1);
  b.run_ns(3000);
  ASSERT_TRUE(b.ready(0));
  EXPECT_EQ(b.write(qc::kReject, 1u << 16 | 0), tlm::TLM_OK_RESPONSE);
  b.run_ns(3000);
  EXPECT_FALSE(b.ready(0)) << "it cannot be started any more";
  EXPECT_EQ(b.load<aql::Signal>(signal).value, 1) << "while the kernel before it runs";
  EXPECT_EQ(b.read_index(0), 1u);
  EXPECT_EQ(b.write(qc::kForward, 2u << 16 | 0), tlm::TLM_GENERIC_ERROR_RESPONSE);
  b.end_kernel(1);
  b.run_ns(100);
  EXPECT_EQ(b.write(qc::kComplete, 0), tlm::TLM_OK_RESPONSE);
  b.run_ns(3000);
  EXPECT_EQ(b.load<aql::Signal>(signal).value, 0);
  EXPECT_EQ(b.read_index(0), 2u);
  EXPECT_FALSE(b.processor.queues().work_pending());
}

TEST(Rejection, OfAJobTakesWhateverComesOfIt) {
  RejectionBench b;
  std::vector<std::uint64_t> signals;
  for (int i = 0; i < 6; ++i) signals.push_back(b.make_signal());
  b.map(9);
  b.put(9, b.of_job(5, signals[0]));
  b.put(9, b.of_job(5, signals[1]));
  b.put(9, b.of_job(6, signals[2], false, 2));
  b.ring_and_run(9);
  EXPECT_EQ(b.write(qc::kRejectJob, 300u << 16 | 9), tlm::TLM_OK_RESPONSE);
  b.run_ns(3000);
  ASSERT_TRUE(b.ready(9));
  EXPECT_EQ(b.job_of_head(9), 6u) << "of another job: it stays";
  b.start(9, 0);
  // A copy and the last kernel of the job come only now, with the other job's between them.
  aql::Copy c;
  c.header = aql::header(aql::PacketType::kVendor, true);
  c.kind = 1;
  c.source = regmap::kHostBusBase;
  c.destination = DeviceMemory::kBase + 64;
  c.bytes = 64;
  c.extension = b.of_job(5, 0).extension;
  c.completion_signal = signals[3];
  b.put(9, c);
  b.put(9, b.of_job(5, signals[4], true));
  b.put(9, b.of_job(5, signals[5]));
  b.ring_and_run(9);
  b.end_kernel(0);
  b.run_ns(100);
  EXPECT_EQ(b.write(qc::kComplete, 9), tlm::TLM_OK_RESPONSE);
  b.run_ns(5000);
  for (int i : {0, 1, 3, 4}) {
    EXPECT_EQ(b.load<aql::Signal>(signals[i]).value, 0) << i;
    EXPECT_EQ(aql::rejection_code(b.load<aql::Signal>(signals[i]).start_ns), 300u) << i;
  }
  EXPECT_TRUE(b.copies.empty());
  ASSERT_TRUE(b.ready(9)) << "after its last packet the job is forgotten";
  EXPECT_EQ(b.job_of_head(9), 5u);
  EXPECT_EQ(b.processor.statistics().rejections, 4u);
  EXPECT_THAT(b.marks(), ElementsAre(2));
}

TEST(Rejection, OfAHeadWithoutAJobTakesTheHeadAlone) {
  RejectionBench b;
  b.map(1);
  b.put(1, b.dispatch(true, 0, 3));
  b.put(1, b.dispatch(true, 0, 4));
  b.ring_and_run(1);
  EXPECT_EQ(b.write(qc::kRejectJob, 1u << 16 | 1), tlm::TLM_OK_RESPONSE);
  b.run_ns(3000);
  EXPECT_TRUE(b.ready(1));
  EXPECT_EQ(b.read_index(1), 1u);
}

TEST(Rejection, GivesBackWhereTheHeadWasForwarded) {
  RejectionBench b;
  b.map(1);
  b.map(2);
  b.put(1, b.dispatch(true, 0, 3));
  b.put(2, b.dispatch(true, 0, 4));
  b.ring(1);
  b.ring_and_run(2);
  EXPECT_EQ(b.write(qc::kForward, 2u << 16 | 1), tlm::TLM_OK_RESPONSE);
  EXPECT_EQ(b.write(qc::kForward, 2u << 16 | 2), tlm::TLM_GENERIC_ERROR_RESPONSE);
  EXPECT_EQ(b.write(qc::kReject, 9u << 16 | 1), tlm::TLM_OK_RESPONSE);
  EXPECT_EQ(b.write(qc::kForward, 2u << 16 | 2), tlm::TLM_OK_RESPONSE);
}

TEST(Rejection, IsRefusedWithoutACodeOrAHead) {
  RejectionBench b;
  b.map(1);
  EXPECT_EQ(b.write(qc::kReject, 1u << 16 | 1), tlm::TLM_GENERIC_ERROR_RESPONSE);
  EXPECT_EQ(b.write(qc::kRejectJob, 1u << 16 | 1), tlm::TLM_GENERIC_ERROR_RESPONSE);
  EXPECT_EQ(b.write(qc::kReject, 1u << 16 | 999), tlm::TLM_GENERIC_ERROR_RESPONSE);
  b.put(1, b.dispatch(true, 0, 3));
  b.ring_and_run(1);
  EXPECT_EQ(b.write(qc::kReject, 1), tlm::TLM_GENERIC_ERROR_RESPONSE);
  EXPECT_TRUE(b.ready(1));
}

TEST(Rejection, OfAHeadThatVanishedIsSettledQuietly) {
  RejectionBench b;
  b.map(1);
  b.put(1, b.dispatch(true, 0, 3));
  b.ring_and_run(1);
  b.driver.write<std::uint32_t>(regmap::cp::queue(1) + regmap::cp::kControl, 0);
  b.run_ns(2);
  EXPECT_EQ(b.write(qc::kRejectJob, 1u << 16 | 1), tlm::TLM_OK_RESPONSE);
  b.drop_events();
  EXPECT_EQ(b.processor.statistics().rejections, 0u);
}

TEST(Rejection, TheHeadShowsItsJob) {
  RejectionBench b;
  b.map(4);
  auto p = b.of_job(12, 0, true);
  auto x = b.load<aql::Extension>(p.extension);
  x.job_arrival_ns = 0x123456789a;
  x.job_index = 4;
  x.job_kernels = 5;
  b.store(p.extension, x);
  b.put(4, p);
  b.ring_and_run(4);
  const std::uint64_t head = qc::head(4);
  EXPECT_EQ(b.driver.read<std::uint32_t>(head + qc::kJob), 12u);
  EXPECT_EQ(b.driver.read<std::uint64_t>(head + qc::kJobArrivalNs), 0x123456789au);
  EXPECT_EQ(b.driver.read<std::uint32_t>(head + qc::kJobIndex), 4u);
  EXPECT_EQ(b.driver.read<std::uint32_t>(head + qc::kJobKernels), 5u);
  EXPECT_EQ(b.driver.read<std::uint32_t>(head + qc::kJobFlags), aql::kJobLast);
}

}  // namespace
}  // namespace warpvp::test
