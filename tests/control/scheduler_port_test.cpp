// The scheduler port, driven by a scripted core: what firmware sees of the queues, and what it may write
// when.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/control/access_rules.h"
#include "tests/control/processor_bench.h"
#include "tests/control/scripted_core.h"

namespace warpvp::test {
namespace {

namespace cp = regmap::cp;
namespace qc = regmap::qc;
namespace wd = regmap::wd;
namespace intc = regmap::intc;
using cp::QueueError;
using qc::Event;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr std::uint32_t event(Event kind, std::uint32_t index) {
  return static_cast<std::uint32_t>(kind) << 24 | index;
}
constexpr std::uint32_t to(std::uint32_t destination, std::uint32_t queue) {
  return destination << 16 | queue;
}
std::uint64_t ready_word(unsigned q) { return port(qc::kReady) + q / 32 * 4; }

/// A bench whose core does what the test body tells it: `in_core` runs a function in the core's thread.
struct PortBench : ProcessorBench {
  explicit PortBench(unsigned slots = 4)
      : ProcessorBench("bench", eager_hardware(), slots, factory()),
        core(dynamic_cast<ScriptedCore*>(processor.core())) {}

  CoreFactory factory() {
    return ScriptedCore::factory([this](ScriptedCore& c) {
      for (;;) {
        while (!job_) sc_core::wait(start_);
        job_(c);
        job_ = {};
      }
    });
  }
  void in_core(ScriptedCore::Program job) {
    job_ = std::move(job);
    start_.notify(sc_core::SC_ZERO_TIME);
    for (int i = 0; i < 1000 && job_; ++i) run_ns(1000);
    ASSERT_FALSE(job_) << "the core's program does not end";
  }
  std::uint32_t read(std::uint64_t address) { return driver.read<std::uint32_t>(address); }
  bool ready(unsigned q) { return (read(ready_word(q)) >> q % 32 & 1) != 0; }
  /// Drops all events and returns them.
  std::vector<std::uint32_t> events() {
    std::vector<std::uint32_t> out;
    while (const std::uint32_t e = read(port(qc::kEvent))) {
      out.push_back(e);
      driver.write<std::uint32_t>(port(qc::kEventPop), 1);
    }
    return out;
  }
  /// Maps the queue, puts the packets, rings, and waits until the head is ready.
  template <class... Packets>
  void head(unsigned q, const Packets&... packets) {
    map_queue(q);
    run_ns(10);
    events();
    (put(q, packets), ...);
    ring(q);
    run_ns(1000);
    ASSERT_TRUE(ready(q));
  }
  void unmap(unsigned q) {
    driver.write<std::uint32_t>(cp::queue(q) + cp::kControl, 0);
    run_ns(2);
  }
  tlm::tlm_response_status write(std::uint64_t offset, std::uint32_t value) {
    return access(driver.socket, tlm::TLM_WRITE_COMMAND, port(offset), &value, sizeof value);
  }
  unsigned in_flight(unsigned q) { return read(cp::queue(q) + cp::kInFlight); }

  ScriptedCore* const core;

 private:
  ScriptedCore::Program job_;
  sc_core::sc_event start_;
};

TEST(SchedulerPort, AHeadShowsItsPacket) {
  PortBench b;
  aql::Extension x;
  x.launch_id = 12;
  x.job = 3;
  x.priority = -2;
  x.budget = 4;
  x.stream = 5;
  x.context = 6;
  x.deadline_ns = 0x123456789a;
  x.enqueue_ns = 0x23456789ab;
  const std::uint64_t extension = *b.memory.allocate(64, 64), signal = b.make_signal();
  b.store(extension, x);
  auto p = b.dispatch(true, signal, 9);
  p.extension = extension;
  b.map_queue(40);
  b.run_ns(10);
  b.events();
  const std::uint64_t head = qc::head(40);
  EXPECT_FALSE(b.ready(40));
  EXPECT_EQ(b.read(head + qc::kType), 1u);
  EXPECT_EQ(b.read(head + qc::kLaunchId), 0u);
  b.run_ns(1000);
  const std::uint64_t rung = static_cast<std::uint64_t>(ns(sc_core::sc_time_stamp()));
  b.put(40, p);
  b.ring(40);
  b.run_ns(1000);
  EXPECT_TRUE(b.ready(40));
  EXPECT_FALSE(b.ready(41));
  EXPECT_EQ(b.read(head + qc::kType), 2u | 1u << 8);
  EXPECT_EQ(b.read(head + qc::kIndex), 0u);
  EXPECT_EQ(b.read(head + qc::kHeadInFlight), 0u);
  EXPECT_EQ(b.driver.read<std::uint64_t>(head + qc::kHeadSignal), signal);
  EXPECT_NEAR(static_cast<double>(b.driver.read<std::uint64_t>(head + qc::kDoorbellNs)), rung, 2);
  EXPECT_EQ(b.read(head + qc::kLaunchId), 12u);
  EXPECT_EQ(b.read(head + qc::kStream), 5u);
  EXPECT_EQ(b.read(head + qc::kHeadContext), 6u);
  EXPECT_EQ(b.read(head + qc::kHeadPriority), static_cast<std::uint32_t>(-2));
  EXPECT_EQ(b.read(head + qc::kBudget), 4u);
  EXPECT_EQ(b.read(head + qc::kJob), 3u);
  EXPECT_EQ(b.driver.read<std::uint64_t>(head + qc::kDeadlineNs), x.deadline_ns);
  EXPECT_EQ(b.read(head + qc::kEnqueueNs + 4), 0x23u);  // halves
  const auto image = b.driver.read<wd::KernelSlotImage>(head + qc::kPayload);
  EXPECT_EQ(image.kernel_object, b.object);
  EXPECT_EQ(image.grid[0], 9u);
  EXPECT_EQ(image.deadline_ns, x.deadline_ns);
}

TEST(SchedulerPort, AKernelGoesFromForwardToCompletion) {
  PortBench b;
  const std::uint64_t mirror = regmap::kHostBusBase + 64, signal = b.make_signal(3, mirror);
  b.head(5, b.dispatch(false, signal, 7), b.dispatch(false, 0, 8));
  b.in_core([](ScriptedCore& c) {
    c.write(port(qc::kForward), to(2, 5));
    // Its own access, and the burst behind it.
    EXPECT_EQ(c.last_delay, in_ns(20));
    c.write(wd::slot(2) + wd::kSlotStart, 1);
    c.write(port(qc::kTake), to(2, 5));
    EXPECT_EQ(c.read(qc::head(5) + qc::kHeadInFlight), 1u);
    EXPECT_EQ(c.read(qc::head(5) + qc::kType), 1u);  // the next one is not parsed yet
  });
  ASSERT_EQ(b.kernels.size(), 1u);
  EXPECT_EQ(b.kernels[0].slot, 2u);
  EXPECT_EQ(b.kernels[0].image.grid[0], 7u);
  EXPECT_EQ(b.read_index(5), 1u);
  EXPECT_TRUE(b.ready(5));
  EXPECT_EQ(b.read(qc::head(5) + qc::kIndex), 1u);
  EXPECT_THAT(b.events(), IsEmpty());

  b.end_kernel(2);
  b.run_ns(12);  // 10 ns on the bus
  EXPECT_THAT(b.events(), ElementsAre(event(Event::kKernelDone, 2)));
  EXPECT_EQ(b.in_flight(5), 1u);
  const double completed = ns(sc_core::sc_time_stamp());
  b.driver.write<std::uint64_t>(port(qc::kSignal), signal);
  b.driver.write<std::uint64_t>(port(qc::kStartNs), 1234);
  b.driver.write<std::uint32_t>(port(qc::kComplete), 5);
  b.driver.write<std::uint64_t>(port(qc::kSignal), 0);  // may be used for the next one at once
  EXPECT_EQ(b.in_flight(5), 0u);
  EXPECT_THAT(b.events(), IsEmpty());
  // The signal's two accesses to memory take 60 ns each; then it is seen.
  b.run_ns(115);
  EXPECT_THAT(b.host_writes, IsEmpty());
  EXPECT_THAT(b.events(), IsEmpty());
  b.run_ns(10);
  const auto s = b.load<aql::Signal>(signal);
  EXPECT_EQ(s.value, 2);
  EXPECT_EQ(s.start_ns, 1234u);
  EXPECT_NEAR(static_cast<double>(s.end_ns), completed, 1);
  ASSERT_EQ(b.host_writes.size(), 1u);
  EXPECT_EQ(b.host_writes[0].first, mirror);
  EXPECT_EQ(std::memcmp(b.host_writes[0].second.data(), &s, 24), 0);
  EXPECT_THAT(b.events(), ElementsAre(event(Event::kSignalsChanged, (signal >> 6) & 0xffffff)));
  EXPECT_EQ(b.processor.statistics().kernels, 1u);
}

TEST(SchedulerPort, CopiesAndBarriersHaveTheirPayload) {
  PortBench b;
  aql::Copy c;
  c.header = aql::header(aql::PacketType::kVendor, false);
  c.kind = 1;
  c.source = regmap::kHostBusBase;
  c.destination = DeviceMemory::kBase + 64;
  c.bytes = 1000;
  b.head(0, c, c);
  const std::uint64_t signal = b.make_signal();
  b.head(1, ProcessorBench::barrier(aql::PacketType::kBarrierOr, {0, signal}));
  EXPECT_EQ(b.read(qc::head(0) + qc::kType), 0u);
  EXPECT_EQ(b.write(qc::kForward, to(1, 0)), tlm::TLM_OK_RESPONSE);
  b.driver.write<std::uint32_t>(regmap::dma::engine(1) + regmap::dma::kStart, 1);
  EXPECT_EQ(b.write(qc::kTake, to(1, 0)), tlm::TLM_OK_RESPONSE);
  ASSERT_EQ(b.copies.size(), 1u);
  EXPECT_EQ(b.copies[0].engine, 1u);
  EXPECT_EQ(b.copies[0].descriptor.source, c.source);
  EXPECT_EQ(b.copies[0].descriptor.bytes, 1000u);
  b.end_copy(1);
  b.run_ns(1000);
  EXPECT_EQ(b.write(qc::kForward, to(0, 0)), tlm::TLM_OK_RESPONSE);
  EXPECT_EQ(b.write(qc::kTake, to(0, 0)), tlm::TLM_OK_RESPONSE);
  b.end_copy(0, 3);
  b.run_ns(2);
  EXPECT_THAT(b.events(), ElementsAre(event(Event::kCopyDone, 1), event(Event::kCopyFailed, 0)));

  EXPECT_EQ(b.read(qc::head(1) + qc::kType), 5u | 1u << 8);
  EXPECT_EQ(b.driver.read<std::uint64_t>(qc::head(1) + qc::kPayload + 8), signal);
  EXPECT_EQ(b.write(qc::kTake, to(qc::kNoDestination, 1)), tlm::TLM_OK_RESPONSE);
  EXPECT_EQ(b.in_flight(1), 1u);
  EXPECT_EQ(b.write(qc::kComplete, 1), tlm::TLM_OK_RESPONSE);  // SIGNAL is 0
  EXPECT_EQ(b.in_flight(1), 0u);
  b.run_ns(1000);
  EXPECT_THAT(b.events(), IsEmpty());
}

TEST(SchedulerPort, ARepeatedDoorbellHasSignalsLookedAtAgain) {
  PortBench b;
  const std::uint64_t signal = b.make_signal();
  b.head(0, ProcessorBench::barrier(aql::PacketType::kBarrierAnd, {signal}));
  b.head(1, b.dispatch(true));
  b.ring(0);
  b.ring(1);  // a kernel waits for no signal
  b.run_ns(2);
  EXPECT_THAT(b.events(), ElementsAre(event(Event::kSignalsChanged, 0)));
}

TEST(SchedulerPort, ANewQueueIsNotParsedBeforeItsEventIsDropped) {
  PortBench b;
  b.map_queue(3);
  b.put(3, b.dispatch(true));
  b.ring(3);
  b.run_ns(5000);
  EXPECT_FALSE(b.ready(3));
  EXPECT_EQ(b.read(port(qc::kEventCount)), 1u);
  EXPECT_EQ(b.read(port(qc::kEvent)), event(Event::kQueueChanged, 3));
  EXPECT_EQ(b.read(port(qc::kEvent)), event(Event::kQueueChanged, 3));  // reading does nothing
  EXPECT_THAT(b.events(), ElementsAre(event(Event::kQueueChanged, 3)));
  EXPECT_EQ(b.read(port(qc::kEventCount)), 0u);
  b.run_ns(1000);
  EXPECT_TRUE(b.ready(3));
}

TEST(SchedulerPort, AQueueThatStopsByItselfIsAnEvent) {
  PortBench b;
  b.head(2, b.dispatch(true));
  b.driver.write<std::uint64_t>(cp::doorbell(2), 999);
  b.run_ns(2);
  EXPECT_FALSE(b.ready(2));
  EXPECT_EQ(b.error(2), QueueError::kRingOverrun);
  EXPECT_THAT(b.events(), ElementsAre(event(Event::kQueueChanged, 2)));
  auto bad = b.dispatch(true);
  bad.kernel_object = 64;
  b.map_queue(4);
  b.run_ns(2);
  b.events();
  b.put(4, bad);
  b.ring(4);
  b.run_ns(1000);
  EXPECT_EQ(b.error(4), QueueError::kBadKernelObject);
  EXPECT_THAT(b.events(), ElementsAre(event(Event::kQueueChanged, 4)));
}

TEST(SchedulerPort, StopReportsThePacketAndGivesTheDestinationBack) {
  PortBench b(1);
  const std::uint64_t mailbox = regmap::kHostBusBase + 0x1000;
  b.driver.write<std::uint64_t>(cp::kBase + cp::kErrorMailbox, mailbox);
  b.head(2, b.dispatch(true));
  b.head(3, b.dispatch(true));
  EXPECT_EQ(b.write(qc::kForward, to(0, 2)), tlm::TLM_OK_RESPONSE);
  EXPECT_EQ(b.write(qc::kForward, to(0, 3)), tlm::TLM_GENERIC_ERROR_RESPONSE);  // it is taken
  EXPECT_EQ(b.write(qc::kTake, to(0, 3)), tlm::TLM_GENERIC_ERROR_RESPONSE);     // by the other
  b.map_queue(4);
  EXPECT_EQ(b.write(qc::kStop, to(5, 4)), tlm::TLM_OK_RESPONSE);
  EXPECT_EQ(b.write(qc::kForward, to(0, 3)), tlm::TLM_GENERIC_ERROR_RESPONSE);  // who keeps it
  b.run_ns(2);
  b.events();
  b.host_writes.clear();
  b.driver.write<std::uint64_t>(port(qc::kStopIndex), 0x1'0000'0002);
  EXPECT_EQ(b.write(qc::kStop, to(5, 2)), tlm::TLM_OK_RESPONSE);
  b.run_ns(2);
  EXPECT_EQ(b.error(2), QueueError::kCtaNeverFits);
  EXPECT_EQ(b.driver.read<std::uint64_t>(cp::queue(2) + cp::kErrorIndex), 0x1'0000'0002u);
  ASSERT_EQ(b.host_writes.size(), 1u);
  cp::QueueErrorRecord record;
  std::memcpy(&record, b.host_writes[0].second.data(), sizeof record);
  EXPECT_EQ(record.queue, 2u);
  EXPECT_EQ(record.error, 5u);
  EXPECT_EQ(record.packet_index, 0x1'0000'0002u);
  EXPECT_THAT(b.events(), ElementsAre(event(Event::kQueueChanged, 2)));
  EXPECT_EQ(b.write(qc::kStop, to(9, 2)), tlm::TLM_OK_RESPONSE);  // stopped already: ignored
  EXPECT_EQ(b.error(2), QueueError::kCtaNeverFits);
  EXPECT_EQ(b.write(qc::kForward, to(0, 3)), tlm::TLM_OK_RESPONSE);
}

TEST(SchedulerPort, WhatNoFirmwareInStepWouldWriteIsRefused) {
  PortBench b;
  b.head(0, b.dispatch(true));
  b.head(1, ProcessorBench::barrier(aql::PacketType::kBarrierAnd, {}));
  b.map_queue(2);
  b.run_ns(2);
  b.events();
  struct Case {
    const char* why;
    std::uint64_t offset;
    std::uint32_t value;
  };
  const Case cases[] = {
      {"no event", qc::kEventPop, 1},
      {"no such queue", qc::kForward, to(0, 128)},
      {"no such slot", qc::kForward, to(4, 0)},
      {"no such slot", qc::kForward, to(qc::kNoDestination, 0)},
      {"no head", qc::kForward, to(0, 2)},
      {"a barrier goes nowhere", qc::kForward, to(0, 1)},
      {"no such queue", qc::kTake, to(0, 128)},
      {"not forwarded", qc::kTake, to(0, 0)},
      {"a kernel needs a destination", qc::kTake, to(qc::kNoDestination, 0)},
      {"a barrier has none", qc::kTake, to(0, 1)},
      {"no head", qc::kTake, to(0, 2)},
      {"no such queue", qc::kStop, to(5, 128)},
      {"no error", qc::kStop, to(0, 0)},
      {"no such queue", qc::kComplete, 128},
      {"nothing in flight", qc::kComplete, 0},
  };
  for (const Case& c : cases)
    EXPECT_EQ(b.write(c.offset, c.value), tlm::TLM_GENERIC_ERROR_RESPONSE)
        << c.why << ", " << std::hex << c.offset << " <- " << c.value;
  EXPECT_EQ(b.write(qc::kForward, to(1, 0)), tlm::TLM_OK_RESPONSE);
  EXPECT_EQ(b.write(qc::kForward, to(2, 0)),
            tlm::TLM_OK_RESPONSE);  // to where it is free; the first stays reserved
  EXPECT_EQ(b.write(qc::kTake, to(3, 0)), tlm::TLM_GENERIC_ERROR_RESPONSE);  // not there
  for (unsigned q : {0u, 1u, 2u}) {
    EXPECT_EQ(b.error(q), QueueError::kNone);
    EXPECT_EQ(b.in_flight(q), 0u);
    EXPECT_EQ(b.read_index(q), 0u);
  }
  EXPECT_TRUE(b.ready(0) && b.ready(1) && !b.ready(2));
}

TEST(SchedulerPort, AKernelMayEndBeforeItIsTaken) {
  PortBench b;
  b.head(0, b.dispatch(true));
  EXPECT_EQ(b.write(qc::kForward, to(0, 0)), tlm::TLM_OK_RESPONSE);
  b.driver.write<std::uint32_t>(wd::slot(0) + wd::kSlotStart, 1);
  b.end_kernel(0);
  b.run_ns(12);
  EXPECT_EQ(b.write(qc::kTake, to(0, 0)), tlm::TLM_OK_RESPONSE);
  EXPECT_EQ(b.in_flight(0), 1u);
  EXPECT_THAT(b.events(), ElementsAre(event(Event::kKernelDone, 0)));
  EXPECT_EQ(b.write(qc::kComplete, 0), tlm::TLM_OK_RESPONSE);
  b.end_kernel(0);  // nothing runs there
  b.end_kernel(77);
  b.run_ns(12);
  EXPECT_THAT(b.events(), IsEmpty());
}

TEST(SchedulerPort, AHeadThatVanishesBeforeItIsForwardedReservesNothing) {
  PortBench b;
  b.head(0, b.dispatch(true, 0, 7));
  b.unmap(0);
  EXPECT_EQ(b.read(qc::head(0) + qc::kType), 2u | 1u << 8);  // still readable
  EXPECT_EQ(b.write(qc::kForward, to(1, 0)), tlm::TLM_OK_RESPONSE);
  EXPECT_FALSE(b.ready(0));
  b.driver.write<std::uint32_t>(wd::slot(1) + wd::kSlotStart, 1);
  EXPECT_THAT(b.kernels, IsEmpty());  // zeros, which the distributor refuses
  EXPECT_EQ(b.read(wd::slot(1) + wd::kSlotStatus),
            static_cast<std::uint32_t>(wd::SlotStatus::kRefusedDimensions));
  EXPECT_EQ(b.write(qc::kTake, to(1, 0)), tlm::TLM_OK_RESPONSE);
  EXPECT_EQ(b.in_flight(0), 0u);
  b.head(1, b.dispatch(true));
  EXPECT_EQ(b.write(qc::kForward, to(1, 1)), tlm::TLM_OK_RESPONSE);  // slot 1 is free
}

TEST(SchedulerPort, AHeadThatVanishesWhileItIsStartedIsCompletedAsUsual) {
  PortBench b;
  b.head(0, b.dispatch(true, 0, 7));
  EXPECT_EQ(b.write(qc::kForward, to(1, 0)), tlm::TLM_OK_RESPONSE);
  b.driver.write<std::uint32_t>(wd::slot(1) + wd::kSlotStart, 1);
  b.unmap(0);
  b.written[0] = 0;
  b.map_queue(0);  // and mapped anew, with work, before firmware notices
  b.put(0, b.dispatch(true, 0, 8));
  b.ring(0);
  b.run_ns(2000);
  EXPECT_FALSE(b.ready(0));
  EXPECT_EQ(b.write(qc::kTake, to(1, 0)), tlm::TLM_OK_RESPONSE);
  EXPECT_EQ(b.in_flight(0), 1u);
  EXPECT_EQ(b.read_index(0), 0u);  // that of the new life of the queue
  EXPECT_THAT(b.events(), ElementsAre(event(Event::kQueueChanged, 0)));
  b.end_kernel(1);
  b.run_ns(1000);
  EXPECT_TRUE(b.ready(0));
  EXPECT_THAT(b.events(), ElementsAre(event(Event::kKernelDone, 1)));
  EXPECT_EQ(b.write(qc::kComplete, 0), tlm::TLM_OK_RESPONSE);
  EXPECT_EQ(b.in_flight(0), 0u);
  EXPECT_EQ(b.write(qc::kForward, to(0, 0)), tlm::TLM_OK_RESPONSE);
}

TEST(SchedulerPort, AForwardThatIsNotFollowedUpIsGivenBackWithTheEvent) {
  PortBench b;
  b.head(0, b.dispatch(true));
  EXPECT_EQ(b.write(qc::kForward, to(1, 0)), tlm::TLM_OK_RESPONSE);
  b.unmap(0);
  EXPECT_FALSE(b.ready(0));     // firmware sees this and leaves it at that
  b.head(1, b.dispatch(true));  // drops all events
  EXPECT_EQ(b.write(qc::kForward, to(1, 1)), tlm::TLM_OK_RESPONSE);
}

TEST(SchedulerPort, AStopMeantForAQueueThatIsNoMoreSparesTheNewOne) {
  PortBench b;
  b.head(1, b.dispatch(true));
  b.head(0, b.dispatch(true));
  EXPECT_EQ(b.write(qc::kForward, to(1, 0)), tlm::TLM_OK_RESPONSE);
  b.unmap(0);
  b.written[0] = 0;
  b.map_queue(0);
  b.run_ns(2);
  EXPECT_EQ(b.write(qc::kStop, to(5, 0)), tlm::TLM_OK_RESPONSE);
  EXPECT_EQ(b.error(0), QueueError::kNone);
  EXPECT_EQ(b.write(qc::kForward, to(1, 1)), tlm::TLM_OK_RESPONSE);  // the slot is free again
}

TEST(SchedulerPort, HeadsAndEventsInterruptTheCore) {
  PortBench b;
  b.driver.write<std::uint32_t>(cp::kBase + cp::kErrorMailbox, 0);
  const auto pending = [&] { return b.read(intc::kBase + intc::kPending); };
  const auto clear = [&] { b.driver.write<std::uint32_t>(intc::kBase + intc::kPending, 0xf); };
  b.map_queue(0);
  b.run_ns(2);
  EXPECT_EQ(pending(), 1u << intc::kEvent);
  EXPECT_EQ(b.read(intc::kBase + intc::kRaw), 1u << intc::kEvent);
  EXPECT_THAT(b.core->interrupts, IsEmpty());  // not enabled
  EXPECT_EQ(b.core->work, 0u);
  b.driver.write<std::uint32_t>(intc::kBase + intc::kEnable, 3);
  EXPECT_TRUE(b.core->level(Interrupt::kExternal));
  clear();
  EXPECT_FALSE(b.core->level(Interrupt::kExternal));
  b.events();
  b.put(0, b.dispatch(false));
  b.put(0, b.dispatch(false));
  b.ring(0);
  b.run_ns(2);
  EXPECT_EQ(b.core->work, 1u);  // told at the doorbell, before a parser has made a head of it
  b.run_ns(1000);
  EXPECT_EQ(pending(), 1u << intc::kHead);
  EXPECT_EQ(b.read(intc::kBase + intc::kRaw), 1u << intc::kHead);
  clear();
  EXPECT_EQ(b.write(qc::kForward, to(0, 0)), tlm::TLM_OK_RESPONSE);
  EXPECT_EQ(b.write(qc::kTake, to(0, 0)), tlm::TLM_OK_RESPONSE);
  EXPECT_EQ(pending(), 0u);
  b.run_ns(1000);
  EXPECT_EQ(pending(), 1u << intc::kHead);  // the next head
}

TEST(SchedulerPort, EveryBlockRefusesForbiddenAccesses) {
  PortBench b;
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  unsigned blocks = 0;
  b.processor.directory().for_each(
      [&](const std::string& name, const RegisterBlock& each, std::uint64_t base) {
        SCOPED_TRACE(name);
        expect_access_rules(b.driver.socket, each, base);
        ++blocks;
      });
  EXPECT_EQ(blocks, 8u);  // both faces of the queues, six devices
}

TEST(SchedulerPort, WorkIsPendingUntilAllIsComplete) {
  PortBench b;
  const auto pending = [&] { return b.core->surroundings().work_pending(); };
  b.map_queue(0);
  b.run_ns(2);
  EXPECT_FALSE(pending());
  b.events();
  b.put(0, b.dispatch(true));
  b.ring(0);
  b.run_ns(2);
  EXPECT_TRUE(pending());
  b.run_ns(1000);
  EXPECT_EQ(b.write(qc::kForward, to(0, 0)), tlm::TLM_OK_RESPONSE);
  EXPECT_EQ(b.write(qc::kTake, to(0, 0)), tlm::TLM_OK_RESPONSE);
  EXPECT_TRUE(pending());
  EXPECT_EQ(b.write(qc::kComplete, 0), tlm::TLM_OK_RESPONSE);
  EXPECT_FALSE(pending());
}

}  // namespace
}  // namespace warpvp::test
