// Hardware that starts packets in the order that firmware's ranks and gates give it: registers RANK, ADMIT, OPTIONS and
// LOG. The core sleeps; the test writes what firmware would.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/control/processor_bench.h"
#include "tests/control/scripted_core.h"

namespace warpvp::test {
namespace {

namespace cp = regmap::cp;
namespace qc = regmap::qc;
namespace wd = regmap::wd;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

CommandProcessorConfig assisted() {
  CommandProcessorConfig config = eager_hardware();
  config.type = "assisted";
  config.dispatch_ns = 0;
  return config;
}

struct SequencerBench : ProcessorBench {
  explicit SequencerBench(unsigned slots = 1, const CommandProcessorConfig& config = assisted())
      : ProcessorBench("bench", config, slots, ScriptedCore::factory([](ScriptedCore&) {})) {}

  tlm::tlm_response_status write(std::uint64_t offset, std::uint32_t value) {
    return access(driver.socket, tlm::TLM_WRITE_COMMAND, port(offset), &value, sizeof value);
  }
  void options(std::uint32_t value) { ASSERT_EQ(write(qc::kOptions, value), tlm::TLM_OK_RESPONSE); }
  void rank(unsigned q, std::uint32_t value) { ASSERT_EQ(write(qc::kRank + 4 * q, value), tlm::TLM_OK_RESPONSE); }
  void admit(unsigned q) { ASSERT_EQ(write(qc::kAdmit + 4 * q, 1), tlm::TLM_OK_RESPONSE); }
  std::uint32_t gated() { return driver.read<std::uint32_t>(port(qc::kGated)); }
  std::vector<std::uint32_t> events() {
    std::vector<std::uint32_t> out;
    while (const std::uint32_t e = driver.read<std::uint32_t>(port(qc::kEvent))) {
      out.push_back(e);
      driver.write<std::uint32_t>(port(qc::kEventPop), 1);
    }
    return out;
  }
  void map(unsigned q) {
    map_queue(q);
    run_ns(10);
    events();
  }
  /// Queues 0 to n-1 with a packet each, named by their queue; queue 7 holds the only slot until all are there.
  void fill(unsigned n, unsigned packets = 1) {
    map(7);
    put(7, dispatch(true, 0, 100));
    ring(7);
    for (unsigned q = 0; q < n; ++q) map(q);
    run_ns(2000);
    if (gated() != 0) admit(7);
    run_ns(100);
    ASSERT_EQ(marks(), std::vector<unsigned>{100});
    for (unsigned q = 0; q < n; ++q) {
      for (unsigned i = 0; i < packets; ++i) put(q, dispatch(true, 0, q + 1));
      ring(q);
    }
    run_ns(5000);
    kernels.clear();
  }
  /// Lets what runs end, one after the other, and says whose kernels were started, counting from 1.
  std::vector<unsigned> drain() {
    for (int i = 0; i < 40; ++i) {
      end_kernel(0);
      run_ns(3000);
    }
    return marks();
  }
  aql::KernelDispatch of_job(std::uint32_t job, bool last, std::uint32_t mark = 1) {
    aql::Extension x;
    x.job = job;
    x.job_flags = last ? aql::kJobLast : 0;
    const std::uint64_t extension = *memory.allocate(64, 64);
    store(extension, x);
    auto p = dispatch(true, 0, mark);
    p.extension = extension;
    return p;
  }
  struct Entry {
    unsigned kind, destination, queue;
    bool last;
    std::uint32_t ctas;
  };
  std::vector<Entry> log() {
    std::vector<Entry> out;
    const auto n = driver.read<std::uint32_t>(port(qc::kLogCount));
    for (std::uint32_t i = 0; i < n; ++i) {
      qc::LogEntry e;
      EXPECT_EQ(access(driver.socket, tlm::TLM_READ_COMMAND, port(qc::kLog), &e, sizeof e), tlm::TLM_OK_RESPONSE);
      out.push_back({e.what >> 30, e.what >> 16 & 0x3fff, e.what & 0x7fff, (e.what & 0x8000) != 0, e.ctas});
      EXPECT_EQ(write(qc::kLogPop, 1), tlm::TLM_OK_RESPONSE);
    }
    return out;
  }
};
bool operator==(const SequencerBench::Entry& a, const SequencerBench::Entry& b) {
  return a.kind == b.kind && a.destination == b.destination && a.queue == b.queue && a.last == b.last && a.ctas == b.ctas;
}

TEST(AssistedSequencer, WithoutOptionsQueuesTakeTurns) {
  SequencerBench b;
  b.fill(3, 2);
  EXPECT_THAT(b.drain(), ElementsAre(1, 2, 3, 1, 2, 3));
}

TEST(AssistedSequencer, TheSmallestRankGoesFirst) {
  SequencerBench b;
  for (unsigned q = 0; q < 4; ++q) b.rank(q, 40 - 10 * q);
  b.fill(4, 2);
  EXPECT_THAT(b.drain(), ElementsAre(4, 4, 3, 3, 2, 2, 1, 1));
}

TEST(AssistedSequencer, ARankMayChangeWhileTheHeadWaits) {
  SequencerBench b;
  b.fill(3, 1);
  b.rank(0, 5);
  b.rank(1, 5);
  b.rank(2, 4);
  EXPECT_THAT(b.drain(), ElementsAre(3, 1, 2));
}

TEST(AssistedSequencer, HeadsWaitAtTheirGates) {
  SequencerBench b(4);
  b.options(qc::kGates);
  b.map(3);
  b.put(3, b.dispatch(true, 0, 1));
  b.put(3, b.dispatch(true, 0, 2));
  b.ring(3);
  b.run_ns(5000);
  EXPECT_THAT(b.kernels, IsEmpty());
  EXPECT_EQ(b.gated(), 1u << 3);
  b.admit(3);
  EXPECT_EQ(b.gated(), 0u);
  b.run_ns(100);
  EXPECT_THAT(b.marks(), ElementsAre(1));
  b.end_kernel(0);
  b.run_ns(5000);
  EXPECT_THAT(b.marks(), ElementsAre(1)) << "a packet of no job takes its admission with it";
  EXPECT_EQ(b.gated(), 1u << 3);
}

TEST(AssistedSequencer, AJobIsAdmittedAsAWhole) {
  SequencerBench b(4);
  b.options(qc::kGates);
  b.map(0);
  b.put(0, b.of_job(1, false, 1));
  b.put(0, b.of_job(1, true, 2));
  b.put(0, b.of_job(2, true, 3));
  b.ring(0);
  b.run_ns(3000);
  b.admit(0);
  for (int i = 0; i < 3; ++i) {
    b.run_ns(3000);
    b.end_kernel(0);
  }
  b.run_ns(3000);
  EXPECT_THAT(b.marks(), ElementsAre(1, 2));
  EXPECT_EQ(b.gated(), 1u) << "the next job needs its own";
}

TEST(AssistedSequencer, AQueueThatIsMappedAnewIsGatedAnew) {
  SequencerBench b(4);
  b.options(qc::kGates);
  b.map(0);
  b.admit(0);
  b.map(0);
  b.put(0, b.dispatch(true, 0, 1));
  b.ring(0);
  b.run_ns(3000);
  EXPECT_EQ(b.gated(), 1u);
}

TEST(AssistedSequencer, EqualRanksGoInTheOrderOfAdmission) {
  SequencerBench b;
  b.options(qc::kGates);
  b.fill(3, 1);
  for (unsigned q : {2, 0, 1}) b.admit(q);
  EXPECT_THAT(b.drain(), ElementsAre(3, 1, 2));
}

/// Queue 7 holds the slot; then jobs of three kernels in queues 0 and 1, admitted in reverse order.
std::vector<unsigned> two_jobs(std::uint32_t options) {
  SequencerBench b;
  b.options(options);
  b.map(7);
  b.put(7, b.dispatch(true, 0, 100));
  b.ring(7);
  b.run_ns(3000);
  b.admit(7);
  for (unsigned q = 0; q < 2; ++q) {
    b.map(q);
    for (unsigned i = 0; i < 3; ++i) b.put(q, b.of_job(q + 1, i == 2, q + 1));
    b.ring(q);
  }
  b.run_ns(5000);
  b.admit(1);
  b.admit(0);
  b.kernels.clear();
  return b.drain();
}

TEST(AssistedSequencer, TheJobAdmittedFirstGoesOn) {
  EXPECT_THAT(two_jobs(qc::kGates), ElementsAre(2, 2, 2, 1, 1, 1));
}
TEST(AssistedSequencer, JobsTakeTurnsIfAsked) {
  EXPECT_THAT(two_jobs(qc::kGates | qc::kTurns), ElementsAre(2, 1, 2, 1, 2, 1));
}

TEST(AssistedSequencer, RanksAreThePrioritiesOfKernelsThatRun) {
  SequencerBench b(4);
  b.options(qc::kRankedKernels);
  b.rank(2, 1000);
  b.map(2);
  b.put(2, b.dispatch(true, 0, 1));
  b.ring(2);
  b.run_ns(3000);
  ASSERT_EQ(b.kernels.size(), 1u);
  EXPECT_EQ(b.kernels[0].image.priority, 0x7fffffff - 500);
  EXPECT_THAT(b.priorities, IsEmpty());
  b.rank(2, 10);
  b.rank(3, 20);
  EXPECT_THAT(b.priorities, ElementsAre(ProcessorBench::Priority{0, 0x7fffffff - 5}));
  b.end_kernel(0);
  b.run_ns(1000);
  b.rank(2, 30);
  EXPECT_EQ(b.priorities.size(), 1u);
}

TEST(AssistedSequencer, TheLogSaysWhatWasStartedAndWhatEnded) {
  SequencerBench b(4);
  b.options(qc::kLogging);
  b.map(5);
  b.put(5, b.of_job(9, false, 6));
  b.put(5, SequencerBench::barrier(aql::PacketType::kBarrierAnd, {}));
  b.ring(5);
  b.run_ns(3000);
  EXPECT_THAT(b.log(), ElementsAre(SequencerBench::Entry{1, 0, 5, false, 6}));
  b.end_kernel(0);
  b.run_ns(3000);
  EXPECT_THAT(b.log(), ElementsAre(SequencerBench::Entry{2, 0, 5, false, 6},
                                   SequencerBench::Entry{1, 0x3fff, 5, true, 0},
                                   SequencerBench::Entry{2, 0x3fff, 5, false, 0}));
  EXPECT_EQ(b.write(qc::kLogPop, 1), tlm::TLM_GENERIC_ERROR_RESPONSE) << "there is none";
}

TEST(AssistedSequencer, AFullLogHoldsStartsBack) {
  SequencerBench b(1);
  b.options(qc::kLogging);
  b.map_queue(0, 1024);
  b.run_ns(10);
  b.events();
  for (unsigned i = 0; i < 600; ++i) b.put(0, SequencerBench::barrier(aql::PacketType::kBarrierAnd, {}));
  b.ring(0);
  b.run_ns(600'000);
  const auto entries = b.driver.read<std::uint32_t>(port(qc::kLogCount));
  EXPECT_LE(entries, qc::kLogDepth);
  EXPECT_GT(entries, qc::kLogDepth / 2);
  const std::uint32_t half = static_cast<std::uint32_t>(qc::Event::kLogHalf) << 24;
  EXPECT_THAT(b.events(), ::testing::Contains(half).Times(1));
  EXPECT_LT(b.read_index(0), 600u);
  while (const auto n = b.driver.read<std::uint32_t>(port(qc::kLogCount))) {
    ASSERT_EQ(b.write(qc::kLogPop, n), tlm::TLM_OK_RESPONSE);
    b.run_ns(300'000);
  }
  EXPECT_EQ(b.read_index(0), 600u);
}

TEST(AssistedSequencer, TellsOfMorePacketsOnceUntilFirmwareHasHeard) {
  SequencerBench b(4);
  b.options(qc::kDoorbellEvents | qc::kGates);
  b.map(2);
  const std::uint32_t doorbell = static_cast<std::uint32_t>(qc::Event::kDoorbell) << 24 | 2;
  b.put(2, b.dispatch(true));
  b.ring(2);
  b.run_ns(2000);
  EXPECT_THAT(b.events(), IsEmpty()) << "the head tells of itself";
  for (int i = 0; i < 3; ++i) {
    b.put(2, b.dispatch(true));
    b.ring(2);
    b.run_ns(100);
  }
  EXPECT_THAT(b.events(), ElementsAre(doorbell));
  b.ring(2);  // says nothing new
  b.run_ns(100);
  EXPECT_THAT(b.events(), IsEmpty());
}

TEST(AssistedSequencer, FirmwareMayRejectAHeadAtItsGate) {
  SequencerBench b(4);
  b.options(qc::kGates);
  const std::uint64_t signal = b.make_signal();
  b.map(0);
  auto first = b.of_job(1, false, 1);
  first.completion_signal = signal;
  b.put(0, first);
  b.put(0, b.of_job(1, true, 2));
  b.put(0, b.of_job(2, true, 3));
  b.ring(0);
  b.run_ns(3000);
  EXPECT_EQ(b.write(qc::kRejectJob, 5u << 16), tlm::TLM_OK_RESPONSE);
  b.run_ns(6000);
  EXPECT_EQ(aql::rejection_code(b.load<aql::Signal>(signal).start_ns), 5u);
  EXPECT_THAT(b.kernels, IsEmpty());
  b.admit(0);
  b.run_ns(1000);
  EXPECT_THAT(b.marks(), ElementsAre(3));
}

TEST(AssistedSequencer, RefusesWhatItDoesItself) {
  SequencerBench b;
  b.options(qc::kGates);
  b.map(0);
  b.put(0, b.dispatch(true));
  b.ring(0);
  b.run_ns(3000);
  for (const std::uint64_t command : {qc::kForward, qc::kTake, qc::kComplete})
    EXPECT_EQ(b.write(command, 0), tlm::TLM_GENERIC_ERROR_RESPONSE);
  EXPECT_EQ(b.write(qc::kOptions, 0x40), tlm::TLM_GENERIC_ERROR_RESPONSE) << "unknown";
}

TEST(AssistedSequencer, OnlyItObeysRanksAndGates) {
  SequencerBench b(1, eager_hardware());
  for (const std::uint64_t command : {qc::kRank, qc::kAdmit, qc::kLogPop})
    EXPECT_EQ(b.write(command, 1), tlm::TLM_GENERIC_ERROR_RESPONSE);
  EXPECT_EQ(b.write(qc::kOptions, qc::kGates), tlm::TLM_GENERIC_ERROR_RESPONSE);
  EXPECT_EQ(b.write(qc::kOptions, qc::kDoorbellEvents), tlm::TLM_OK_RESPONSE);
}

// ---- The priority that the host writes (LAX-CPU), with any sequencer

TEST(LivePriority, ActsOnTheHeadOnWhatRunsAndOnWhatComes) {
  SequencerBench b(4, eager_hardware());
  b.options(0);
  b.map(3);
  for (int i = 0; i < 2; ++i) b.put(3, b.dispatch(true));
  b.ring(3);
  b.run_ns(3000);
  // Firmware starts the first; the second is the head.
  ASSERT_EQ(b.write(qc::kForward, 3), tlm::TLM_OK_RESPONSE);
  b.driver.write<std::uint32_t>(wd::slot(0) + wd::kSlotStart, 1);
  ASSERT_EQ(b.write(qc::kTake, 3), tlm::TLM_OK_RESPONSE);
  b.run_ns(3000);
  const auto head_priority = [&] { return static_cast<std::int32_t>(b.driver.read<std::uint32_t>(qc::head(3) + qc::kHeadPriority)); };
  EXPECT_EQ(head_priority(), 0);
  b.driver.write<std::uint32_t>(cp::queue(3) + cp::kLivePriority, static_cast<std::uint32_t>(-7));
  b.run_ns(10);
  EXPECT_EQ(head_priority(), -7);
  EXPECT_THAT(b.priorities, ElementsAre(ProcessorBench::Priority{0, -7}));
  EXPECT_THAT(b.events(), ElementsAre(static_cast<std::uint32_t>(qc::Event::kPriority) << 24 | 3));
  // What it forwards, and what comes later.
  ASSERT_EQ(b.write(qc::kForward, 1u << 16 | 3), tlm::TLM_OK_RESPONSE);
  b.driver.write<std::uint32_t>(wd::slot(1) + wd::kSlotStart, 1);
  EXPECT_EQ(b.kernels.back().image.priority, -7);
  ASSERT_EQ(b.write(qc::kTake, 1u << 16 | 3), tlm::TLM_OK_RESPONSE);
  b.put(3, b.dispatch(true));
  b.ring(3);
  b.run_ns(3000);
  EXPECT_EQ(head_priority(), -7);
  // Mapping the queue anew forgets it.
  b.map(3);
  b.put(3, b.dispatch(true));
  b.ring(3);
  b.run_ns(3000);
  EXPECT_EQ(head_priority(), 0);
  EXPECT_EQ(b.driver.read<std::uint32_t>(cp::queue(3) + cp::kLivePriority), cp::kOwnPriority);
}

}  // namespace
}  // namespace warpvp::test
