// The command processor with a scripted distributor: kernels it starts end when the test says so.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <fstream>

#include "tests/control/processor_bench.h"

namespace warpvp::test {
namespace {

namespace cp = regmap::cp;
namespace wd = regmap::wd;
using ::testing::ElementsAre;

TEST(CommandProcessor, AKernelGoesFromPacketToStatusRegister) {
  ProcessorBench b("bench");
  b.map_queue(5);
  aql::Extension x;
  x.launch_id = 12;
  x.job = 3;
  x.priority = -2;
  x.budget = 8;
  x.stream = 6;
  x.context = 1;
  x.deadline_ns = 123456;
  const std::uint64_t extension = *b.memory.allocate(64, 64);
  b.store(extension, x);
  auto p = b.dispatch(true, 0, 5);
  p.extension = extension;
  p.workgroup_size[1] = 2;
  p.grid_size[1] = 6;
  b.put(5, p);
  b.ring(5);
  b.run_ns(1000);
  ASSERT_EQ(b.kernels.size(), 1u);
  const wd::KernelSlotImage& k = b.kernels[0].image;
  EXPECT_EQ(k.kernel_object, b.object);
  EXPECT_EQ(k.kernarg_address, b.arguments);
  EXPECT_EQ(k.launch_id, 12u);
  EXPECT_EQ(k.stream, 6u);
  EXPECT_EQ(k.context, 1u);
  EXPECT_EQ(k.priority, -2);
  EXPECT_EQ(k.budget, 8u);
  EXPECT_EQ(k.job, 3u);
  EXPECT_EQ(k.deadline_ns, 123456u);
  EXPECT_EQ(k.dynamic_shared_bytes, 64u);
  EXPECT_EQ(k.static_shared_bytes, 128u);
  EXPECT_EQ(k.registers_per_thread, 24u);
  EXPECT_THAT(k.grid, ElementsAre(5, 3, 1));
  EXPECT_THAT(k.block, ElementsAre(32, 2, 1));
  EXPECT_EQ(b.read_index(5), 1u);
}

TEST(CommandProcessor, LaunchLatencyIsWhatItsPartsSay) {
  CommandProcessorConfig config = eager_hardware();
  config.parse_ns = 100;
  ProcessorBench b("bench", config);
  b.map_queue(0);
  b.run_ns(100);
  b.put(0, b.dispatch(true));
  b.ring(0);
  b.run_ns(1000);
  // Doorbell at 100 seen at the edge 101; packet and descriptor from memory at 50 + 10 each, whose answers
  // are seen at the edge after; and parsing.
  ASSERT_EQ(b.kernels.size(), 1u);
  EXPECT_NEAR(b.kernels[0].at_ns, 101 + 100 + 2 * (60 + 1), 1e-6);
}

TEST(CommandProcessor, CompletionDecrementsTheSignalAndTellsTheHost) {
  ProcessorBench b("bench");
  b.map_queue(0);
  const std::uint64_t signal = b.make_signal(1, regmap::kHostBusBase + 0x40);
  b.put(0, b.dispatch(true, signal));
  b.ring(0);
  b.run_ns(1000);
  EXPECT_EQ(b.load<aql::Signal>(signal).value, 1);
  EXPECT_TRUE(b.host_writes.empty());
  b.end_kernel(0);
  b.run_ns(1000);
  const auto s = b.load<aql::Signal>(signal);
  EXPECT_EQ(s.value, 0);
  EXPECT_NEAR(static_cast<double>(s.start_ns), b.kernels[0].at_ns, 1e-6);
  EXPECT_EQ(s.end_ns, 1011u);  // the report takes 10 ns on the bus
  ASSERT_EQ(b.host_writes.size(), 1u);
  EXPECT_EQ(b.host_writes[0].first, regmap::kHostBusBase + 0x40);
  ASSERT_EQ(b.host_writes[0].second.size(), 24u);
  EXPECT_EQ(std::memcmp(b.host_writes[0].second.data(), &s, 24), 0);
  EXPECT_EQ(b.state(0), cp::QueueState::kIdle);
}

TEST(CommandProcessor, QueuesTakeTurns) {
  CommandProcessorConfig config = eager_hardware();
  config.parsers = 1;
  ProcessorBench b("bench", config, 16);
  for (unsigned q : {3, 7, 100}) b.map_queue(q);
  for (unsigned q : {3, 7, 100})
    for (unsigned i = 0; i < 3; ++i) b.put(q, b.dispatch(false, 0, 10 * q + i + 1));
  for (unsigned q : {100, 7, 3}) b.ring(q);
  b.run_ns(20000);
  EXPECT_THAT(b.marks(), ElementsAre(31, 71, 1001, 32, 72, 1002, 33, 73, 1003));
}

TEST(CommandProcessor, TheBarrierBitWaitsAndItsAbsenceDoesNot) {
  ProcessorBench b("bench");
  b.map_queue(0);
  b.put(0, b.dispatch(true, 0, 1));
  b.put(0, b.dispatch(false, 0, 2));
  b.put(0, b.dispatch(true, 0, 3));
  b.ring(0);
  b.run_ns(5000);
  EXPECT_THAT(b.marks(), ElementsAre(1, 2));
  EXPECT_EQ(b.state(0), cp::QueueState::kWaiting);
  b.end_kernel(b.kernels[0].slot);
  b.run_ns(5000);
  EXPECT_EQ(b.kernels.size(), 2u);  // the second is still running
  b.end_kernel(b.kernels[1].slot);
  b.run_ns(5000);
  EXPECT_THAT(b.marks(), ElementsAre(1, 2, 3));
}

TEST(CommandProcessor, KernelsWaitForAFreeSlot) {
  ProcessorBench b("bench", eager_hardware(), 2);
  for (unsigned q = 0; q < 3; ++q) {
    b.map_queue(q);
    b.put(q, b.dispatch(true, 0, q + 1));
    b.ring(q);
  }
  b.run_ns(5000);
  EXPECT_THAT(b.marks(), ElementsAre(1, 2));
  b.end_kernel(1);
  b.run_ns(5000);
  ASSERT_THAT(b.marks(), ElementsAre(1, 2, 3));
  EXPECT_EQ(b.kernels[2].slot, 1u);
}

TEST(CommandProcessor, BarrierAndNeedsAllBarrierOrAny) {
  ProcessorBench b("bench");
  const std::uint64_t s[2] = {b.make_signal(), b.make_signal()};
  for (unsigned q = 0; q < 4; ++q) b.map_queue(q);
  b.put(0, b.dispatch(true, s[0], 1));
  b.put(1, b.dispatch(true, s[1], 2));
  b.put(2, ProcessorBench::barrier(aql::PacketType::kBarrierAnd, {s[0], 0, s[1]}));
  b.put(2, b.dispatch(true, 0, 20));
  b.put(3, ProcessorBench::barrier(aql::PacketType::kBarrierOr, {s[0], s[1]}));
  b.put(3, b.dispatch(true, 0, 30));
  for (unsigned q = 0; q < 4; ++q) b.ring(q);
  b.run_ns(5000);
  EXPECT_THAT(b.marks(), ElementsAre(1, 2));
  b.end_kernel(1);
  b.run_ns(2000);
  EXPECT_THAT(b.marks(), ElementsAre(1, 2, 30));
  b.end_kernel(0);
  b.run_ns(2000);
  EXPECT_THAT(b.marks(), ElementsAre(1, 2, 30, 20));
}

TEST(CommandProcessor, ABarrierLooksAtItsSignalsAtThePollingInterval) {
  CommandProcessorConfig config = eager_hardware();
  config.signal_poll_ns = 1000;
  ProcessorBench b("bench", config);
  const std::uint64_t signal = b.make_signal(2), done = b.make_signal();
  b.map_queue(0);
  b.put(0, ProcessorBench::barrier(aql::PacketType::kBarrierAnd, {signal}, done));
  b.ring(0);
  b.run_ns(10000);
  EXPECT_EQ(b.load<aql::Signal>(done).value, 1);
  b.driver.write<std::uint64_t>(signal, 0);
  b.run_ns(1300);
  EXPECT_EQ(b.load<aql::Signal>(done).value, 0);
}

TEST(CommandProcessor, ABarrierLooksAtItsSignalsWhenTheDoorbellIsRungAgain) {
  ProcessorBench b("bench");
  const std::uint64_t signal = b.make_signal(2), done = b.make_signal();
  b.map_queue(0);
  b.put(0, ProcessorBench::barrier(aql::PacketType::kBarrierAnd, {signal}, done));
  b.ring(0);
  b.run_ns(1000);
  const auto deltas = sc_core::sc_delta_count();
  b.run_ns(1e6);
  EXPECT_LT(sc_core::sc_delta_count() - deltas, 5u);  // waiting costs nothing, so a hang shows as starvation
  b.driver.write<std::uint64_t>(signal, 0);
  b.run_ns(10000);
  EXPECT_EQ(b.load<aql::Signal>(done).value, 1);
  b.ring(0);
  b.run_ns(1000);
  EXPECT_EQ(b.load<aql::Signal>(done).value, 0);
}

TEST(CommandProcessor, CopiesGoToFreeEngines) {
  ProcessorBench b("bench");
  const std::uint64_t signal = b.make_signal();
  aql::Copy c;
  c.header = aql::header(aql::PacketType::kVendor, false);
  c.kind = 1;
  c.source = regmap::kHostBusBase;
  c.destination = DeviceMemory::kBase + 64;
  c.bytes = 1000;
  c.completion_signal = signal;
  b.map_queue(0);
  for (int i = 0; i < 3; ++i) b.put(0, c);
  b.ring(0);
  b.run_ns(5000);
  ASSERT_EQ(b.copies.size(), 2u);
  EXPECT_EQ(b.copies[0].engine, 0u);
  EXPECT_EQ(b.copies[1].engine, 1u);
  EXPECT_EQ(b.copies[0].descriptor.source, c.source);
  EXPECT_EQ(b.copies[0].descriptor.destination, c.destination);
  EXPECT_EQ(b.copies[0].descriptor.bytes, 1000u);
  b.end_copy(1);
  b.run_ns(5000);
  ASSERT_EQ(b.copies.size(), 3u);
  EXPECT_EQ(b.copies[2].engine, 1u);
  EXPECT_EQ(b.load<aql::Signal>(signal).value, 0);
  b.end_copy(0, 4);
  b.run_ns(5000);
  EXPECT_EQ(b.error(0), cp::QueueError::kCopyFailed);
  EXPECT_EQ(b.driver.read<std::uint64_t>(cp::queue(0) + cp::kErrorIndex), 0u);
  EXPECT_EQ(b.load<aql::Signal>(signal).value, 0);  // a copy that failed completes nothing
}

TEST(CommandProcessor, ParsersTakeUpPacketsOnlyAtTheirInterval) {
  CommandProcessorConfig config = eager_hardware();  // LAX section 6.4: four queues every 2 us
  config.parsers = 4;
  config.parse_interval_ns = 2000;
  config.parse_ns = 100;
  ProcessorBench b("bench", config, 16);
  for (unsigned q = 0; q < 6; ++q) {
    b.map_queue(q);
    b.put(q, b.dispatch(true, 0, q + 1));
  }
  b.run_ns(100);
  for (unsigned q = 0; q < 6; ++q) b.ring(q);
  b.run_ns(10000);
  ASSERT_THAT(b.marks(), ElementsAre(1, 2, 3, 4, 5, 6));
  for (unsigned i = 0; i < 4; ++i) {
    EXPECT_GT(b.kernels[i].at_ns, 2000);
    EXPECT_LT(b.kernels[i].at_ns, 4000);
  }
  for (unsigned i = 4; i < 6; ++i) EXPECT_GT(b.kernels[i].at_ns, 4000);
}

TEST(CommandProcessor, EveryMalformedPacketStopsItsQueueAlone) {
  ProcessorBench b("bench");
  std::vector<std::pair<cp::QueueError, std::function<void(unsigned)>>> cases;
  const auto add = [&](cp::QueueError e, std::function<void(unsigned)> make) { cases.push_back({e, make}); };
  const auto with = [&](auto change) {
    return [&b, change](unsigned q) {
      auto p = b.dispatch(true);
      change(p);
      b.put(q, p);
    };
  };
  using P = aql::KernelDispatch;
  add(cp::QueueError::kBadPacketType, with([](P& p) { p.header = 1; }));
  add(cp::QueueError::kBadPacketType, with([](P& p) { p.header = 4; }));
  add(cp::QueueError::kBadPacketType, with([](P& p) { p.header = 77; }));
  add(cp::QueueError::kBadDimensions, with([](P& p) { p.workgroup_size[1] = 0; }));
  add(cp::QueueError::kBadDimensions, with([](P& p) { p.grid_size[2] = 0; }));
  add(cp::QueueError::kBadDimensions, with([](P& p) { p.grid_size[0] = 33; }));
  add(cp::QueueError::kBadDimensions, with([](P& p) { p.group_segment_size = 127; }));
  add(cp::QueueError::kBadKernelObject, with([](P& p) { p.kernel_object = 0; }));
  add(cp::QueueError::kBadKernelObject, with([](P& p) { p.kernel_object += 32; }));
  add(cp::QueueError::kBadKernelObject, with([&](P& p) { p.kernel_object = b.arguments; }));
  add(cp::QueueError::kBadAddress, with([](P& p) { p.completion_signal = 64; }));
  add(cp::QueueError::kBadAddress, with([&](P& p) { p.completion_signal = b.arguments + 8; }));
  add(cp::QueueError::kBadAddress, with([](P& p) { p.extension = 1ull << 60; }));
  add(cp::QueueError::kBadAddress, with([&](P& p) { p.extension = b.arguments; }));
  add(cp::QueueError::kBadAddress, with([](P& p) { p.kernarg_address = 0; }));
  add(cp::QueueError::kBadAddress,
      [&](unsigned q) { b.put(q, ProcessorBench::barrier(aql::PacketType::kBarrierAnd, {0x40})); });
  add(cp::QueueError::kBadCopy, [&](unsigned q) {
    aql::Copy c;
    c.header = aql::header(aql::PacketType::kVendor, true);
    c.kind = 9;
    b.put(q, c);
  });
  b.map_queue(127);
  for (unsigned q = 0; q < cases.size(); ++q) {
    b.map_queue(q);
    b.put(q, b.dispatch(true, 0, 1));  // a good packet before and after the bad one
    cases[q].second(q);
    b.put(q, b.dispatch(true, 0, 1));
    b.ring(q);
  }
  const std::uint64_t mailbox = regmap::kHostBusBase + 0x1000;
  b.driver.write<std::uint64_t>(cp::kBase + cp::kErrorMailbox, mailbox);
  for (int i = 0; i < 200; ++i) {
    b.run_ns(500);
    std::vector<unsigned> slots;
    for (const auto& k : b.kernels) slots.push_back(k.slot);
    b.kernels.clear();
    for (unsigned s : slots) b.end_kernel(s);
  }
  for (unsigned q = 0; q < cases.size(); ++q) {
    EXPECT_EQ(b.error(q), cases[q].first) << q;
    EXPECT_EQ(b.state(q), cp::QueueState::kStopped) << q;
    EXPECT_EQ(b.read_index(q), 1u) << q;
    EXPECT_EQ(b.driver.read<std::uint64_t>(cp::queue(q) + cp::kErrorIndex), 1u) << q;
  }
  EXPECT_EQ(b.driver.read<std::uint32_t>(cp::kBase + cp::kErrorCount), cases.size());
  EXPECT_EQ(b.host_writes.size(), cases.size());
  for (const auto& w : b.host_writes) EXPECT_EQ(w.first, mailbox);

  b.put(127, b.dispatch(true, 0, 9));
  b.ring(127);
  b.run_ns(1000);
  EXPECT_THAT(b.marks(), ElementsAre(9));  // a healthy queue is served as before
  b.written[0] = 0;                        // and a stopped one after it was mapped anew
  b.map_queue(0);
  b.put(0, b.dispatch(true, 0, 8));
  b.ring(0);
  b.run_ns(1000);
  EXPECT_THAT(b.marks(), ElementsAre(9, 8));
}

TEST(CommandProcessor, DoorbellsAreChecked) {
  ProcessorBench b("bench");
  b.map_queue(0, 4);
  b.map_queue(1, 4);
  b.map_queue(3, 3);  // no power of two
  b.driver.write<std::uint64_t>(cp::doorbell(0), 5);
  b.driver.write<std::uint64_t>(cp::doorbell(2), 1);
  b.put(1, b.dispatch(true));
  b.ring(1);
  b.run_ns(1000);
  b.driver.write<std::uint64_t>(cp::doorbell(1), 0);
  b.run_ns(1000);
  EXPECT_EQ(b.error(0), cp::QueueError::kRingOverrun);
  EXPECT_EQ(b.error(1), cp::QueueError::kRingOverrun);  // backwards
  EXPECT_EQ(b.error(2), cp::QueueError::kQueueNotMapped);
  EXPECT_EQ(b.error(3), cp::QueueError::kBadAddress);
  EXPECT_EQ(b.kernels.size(), 1u);
}

/// The mark that a signal has whose packet's context has ended.
constexpr std::uint64_t kEnded = aql::kRejected | aql::kContextEnded;

// What runs ends when it ends, what waits never runs, and every signal goes down, once, with the mark. Other
// queues go on.
TEST(CommandProcessor, AKilledQueueCompletesEverythingAsRejected) {
  ProcessorBench b("bench");
  std::vector<std::uint64_t> signals;
  for (unsigned q : {0u, 1u}) {
    b.map_queue(q);
    for (unsigned i = 0; i < 4; ++i) {
      signals.push_back(b.make_signal());
      b.put(q, b.dispatch(true, signals.back(), 10 * q + i + 1));
    }
    b.ring(q);
  }
  b.run_ns(5000);
  EXPECT_THAT(b.marks(), ElementsAre(1, 11));
  b.driver.write(cp::queue(0) + cp::kControl, std::uint32_t{cp::kKill});
  b.run_ns(5000);
  for (unsigned i = 0; i < 4; ++i)
    EXPECT_EQ(b.load<aql::Signal>(signals[i]).value, 1) << i << ": in its turn";
  b.end_kernel(b.kernels[0].slot);
  b.run_ns(5000);
  for (unsigned i = 0; i < 4; ++i) {
    EXPECT_EQ(b.load<aql::Signal>(signals[i]).value, 0) << i;
    EXPECT_EQ(b.load<aql::Signal>(signals[i]).start_ns, kEnded) << i;
  }
  EXPECT_EQ(b.read_index(0), 4u);
  EXPECT_EQ(b.error(0), cp::QueueError::kNone);
  b.put(0, b.dispatch(true, signals[0], 99));  // later ones too
  b.store(signals[0], aql::Signal{1});
  b.ring(0);
  b.run_ns(5000);
  EXPECT_EQ(b.load<aql::Signal>(signals[0]).start_ns, kEnded);
  b.end_kernel(b.kernels[1].slot);
  b.run_ns(5000);
  EXPECT_THAT(b.marks(), ElementsAre(1, 11, 12));
  EXPECT_EQ(b.load<aql::Signal>(signals[4]).value, 0);
  EXPECT_NE(b.load<aql::Signal>(signals[4]).start_ns, kEnded);
}

/// A copy fails `before` its queue is killed, which stops the queue, or afterwards; a kernel waits behind it.
void expect_copy_and_kernel_to_end(bool before) {
  ProcessorBench b("bench");
  aql::Copy c;
  c.header = aql::header(aql::PacketType::kVendor, true);
  c.kind = 1;
  c.source = regmap::kHostBusBase;
  c.destination = DeviceMemory::kBase + 64;
  c.bytes = 1000;
  const std::uint64_t copied = b.make_signal(), behind = b.make_signal();
  c.completion_signal = copied;
  b.map_queue(0);
  b.put(0, c);
  b.put(0, b.dispatch(true, behind));
  b.ring(0);
  b.run_ns(5000);
  if (before) b.end_copy(0, 4);
  b.run_ns(5000);
  EXPECT_EQ(b.error(0), before ? cp::QueueError::kCopyFailed : cp::QueueError::kNone);
  b.driver.write(cp::queue(0) + cp::kControl, std::uint32_t{cp::kKill});
  b.run_ns(5000);
  if (!before) b.end_copy(0, 4);
  b.run_ns(5000);
  for (const std::uint64_t signal : {copied, behind}) {
    EXPECT_EQ(b.load<aql::Signal>(signal).value, 0);
    EXPECT_EQ(b.load<aql::Signal>(signal).start_ns, kEnded);
  }
  EXPECT_TRUE(b.kernels.empty());
}
TEST(CommandProcessor, AQueueThatACopyHadStoppedGoesOnWhenItIsKilled) { expect_copy_and_kernel_to_end(true); }
TEST(CommandProcessor, ACopyThatFailsInAKilledQueueIsOver) { expect_copy_and_kernel_to_end(false); }

TEST(CommandProcessor, RefusalOfTheDistributorStopsTheQueue) {
  ProcessorBench b("bench");
  b.map_queue(0);
  b.map_queue(1);
  b.answer = wd::SlotStatus::kRefusedNeverFits;
  b.put(0, b.dispatch(true));
  b.ring(0);
  b.run_ns(1000);
  EXPECT_EQ(b.error(0), cp::QueueError::kCtaNeverFits);
  b.answer = wd::SlotStatus::kRunning;
  b.put(1, b.dispatch(true));
  b.ring(1);
  b.run_ns(1000);
  EXPECT_EQ(b.kernels.size(), 1u);
  EXPECT_EQ(b.error(1), cp::QueueError::kNone);
}

TEST(CommandProcessor, TheRingWrapsAround) {
  ProcessorBench b("bench");
  b.map_queue(0, 2);
  for (unsigned i = 1; i <= 7; ++i) {
    b.put(0, b.dispatch(true, 0, i));
    b.ring(0);
    b.run_ns(1000);
    ASSERT_EQ(b.kernels.size(), i);
    EXPECT_EQ(b.kernels.back().image.grid[0], i);
    b.end_kernel(b.kernels.back().slot);
    b.run_ns(1000);
  }
  EXPECT_EQ(b.error(0), cp::QueueError::kNone);
}

TEST(CommandProcessor, IdleCostsNothing) {
  ProcessorBench b("bench");
  b.map_queue(0);
  b.put(0, b.dispatch(true));
  b.ring(0);
  b.run_ns(2000);
  const auto deltas = sc_core::sc_delta_count();
  b.run_ns(1e9);  // a second with a kernel running and nothing to do
  EXPECT_LT(sc_core::sc_delta_count() - deltas, 5u);
}

TEST(CommandProcessor, EachLaunchKnowsItsDoorbell) {
  ProcessorBench b("bench");
  b.map_queue(0);
  std::vector<double> rung;
  for (unsigned i = 0; i < 3; ++i) {
    aql::Extension x;
    x.launch_id = 10 + i;
    const std::uint64_t at = *b.memory.allocate(64, 64);
    b.store(at, x);
    auto p = b.dispatch(true);
    p.extension = at;
    b.put(0, p);
    if (i == 1) continue;  // the second and third are announced together
    b.run_ns(100);
    rung.push_back(ns(sc_core::sc_time_stamp()));
    b.ring(0);
  }
  for (unsigned i = 0; i < 3; ++i) {
    b.run_ns(1000);
    ASSERT_EQ(b.kernels.size(), i + 1);
    b.end_kernel(b.kernels[i].slot);
  }
  const QueueController& queues = b.processor.queues();
  for (unsigned i = 0; i < 3; ++i) {
    const sc_core::sc_time* doorbell = queues.doorbell_of_launch(10 + i);
    ASSERT_NE(doorbell, nullptr);
    EXPECT_NEAR(ns(*doorbell), rung[i == 0 ? 0 : 1], 2) << i;
  }
  EXPECT_EQ(queues.doorbell_of_launch(13), nullptr);
  double waits = 0;
  for (unsigned i = 0; i < 3; ++i) waits += b.kernels[i].at_ns - rung[i == 0 ? 0 : 1];
  EXPECT_NEAR(b.processor.statistics().queue_wait_us * 1000, waits, 6);
}

TEST(CommandProcessor, DecisionsGoToAFile) {
  const std::string path = ::testing::TempDir() + "decisions_" + std::to_string(::getpid()) + ".csv";
  CommandProcessorConfig config = eager_hardware();
  config.decisions = path;
  const std::uint64_t kSignal = DeviceMemory::kBase + 0x10000;
  {
    ProcessorBench b("bench", config);
    b.store(kSignal, aql::Signal{});
    b.map_queue(3);
    b.put(3, b.dispatch(false, kSignal));
    b.put(3, ProcessorBench::barrier(aql::PacketType::kBarrierAnd, {}));
    auto bad = b.dispatch(true);
    bad.kernel_object = 0;
    b.put(3, bad);
    b.run_ns(100);
    b.ring(3);
    b.run_ns(2000);
    b.end_kernel(0);
    b.run_ns(2000);
  }
  std::ifstream file(path);
  std::string line, text;
  double last = 100;
  std::getline(file, line);
  EXPECT_EQ(line, "time_ns,decision,queue,packet,detail");
  while (std::getline(file, line)) {
    const std::size_t comma = line.find(',');
    const double at = std::stod(line.substr(0, comma));
    EXPECT_GE(at, last);
    last = at;
    text += line.substr(comma + 1) + "\n";
  }
  std::remove(path.c_str());
  // The barrier packet waits for the kernel, which is why its signal comes first.
  EXPECT_EQ(text,
            "forward,3,0,destination 0\n"
            "take,3,0,destination 0\n"
            "complete,3,,signal 0x100010000\n"
            "take,3,1,barrier\n"
            "complete,3,,signal 0x0\n"
            "stop,3,2,kernel_object names no kernel\n");
}

TEST(CommandProcessor, AFileThatCannotBeWrittenIsAnInputError) {
  CommandProcessorConfig config = eager_hardware();
  config.decisions = "/nowhere/decisions.csv";
  try {
    ProcessorBench b("bench", config);
    FAIL() << "it was accepted";
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(),
                ::testing::HasSubstr("command_processor.decisions: cannot write /nowhere/decisions.csv"));
  }
}

TEST(CommandProcessor, ObserverSeesQueueDepth) {
  struct Observer : QueueObserver {
    std::vector<std::pair<unsigned, std::uint64_t>> depths;
    void queue_depth(unsigned q, std::uint64_t n) override { depths.push_back({q, n}); }
  } observer;
  ProcessorBench b("bench");
  b.processor.add_observer(observer);
  b.map_queue(4);
  b.put(4, b.dispatch(false));
  b.put(4, b.dispatch(false));
  b.ring(4);
  b.run_ns(3000);
  EXPECT_THAT(observer.depths,
              ElementsAre(std::make_pair(4u, 2ull), std::make_pair(4u, 1ull), std::make_pair(4u, 0ull)));
}

}  // namespace
}  // namespace warpvp::test
