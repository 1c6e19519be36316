// The rules of the queues, which hold under every policy.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/firmware/scripted_machine.h"

namespace warpvp::test {
namespace {

using ::testing::ElementsAre;
using ::testing::UnorderedElementsAre;

ScriptedPacket kernel(std::uint64_t signal = 0, bool barrier = true) {
  ScriptedPacket p;
  p.signal = signal;
  p.barrier = barrier;
  return p;
}
ScriptedPacket copy(std::uint64_t signal = 0, bool fails = false) {
  ScriptedPacket p;
  p.type = FW_COPY;
  p.signal = signal;
  p.fails = fails;
  return p;
}
ScriptedPacket wait(unsigned type, std::vector<std::uint64_t> signals, std::uint64_t signal = 0) {
  ScriptedPacket p;
  p.type = type;
  p.waits_for = std::move(signals);
  p.signal = signal;
  return p;
}
constexpr auto sig = &ScriptedMachine::signal;

TEST(FirmwareScheduler, PacketsWithTheBarrierBitRunOneAfterTheOther) {
  ScriptedMachine m;
  m.push(0, {kernel(), kernel()});
  m.run(policy("rr"));
  EXPECT_THAT(m.log, ElementsAre("start q0 slot0", "done q0", "start q0 slot0", "done q0"));
}

TEST(FirmwareScheduler, PacketsWithoutItOverlap) {
  ScriptedMachine m;
  m.push(0, {kernel(0, false), kernel(0, false), kernel(0, true)});
  m.run(policy("rr"));
  EXPECT_THAT(m.log, ElementsAre("start q0 slot0", "start q0 slot1", "done q0", "done q0", "start q0 slot0",
                                 "done q0"));
}

TEST(FirmwareScheduler, KernelsTakeTurnsOnTheSlotsAndCopiesNeedNone) {
  ScriptedMachine m(8, 1, 1);
  m.push(0, {kernel()});
  m.push(1, {kernel()});
  m.push(2, {copy()});
  m.push(3, {copy()});
  m.run(policy("rr"));
  EXPECT_THAT(m.log, ElementsAre("start q0 slot0", "start q2 engine0", "done q0", "start q1 slot0", "done q2",
                                 "start q3 engine0", "done q1", "done q3"));
}

TEST(FirmwareScheduler, CompletionsCarryTheSignalOfTheirPacket) {
  ScriptedMachine m;
  for (unsigned i = 0; i < 3; ++i) m.signals[sig(i)] = 1;
  m.signals[0x7'0000'0040] = 1;  // elsewhere in the 64-bit space
  m.push(0, {kernel(sig(0))});
  m.push(1, {copy(sig(1))});
  m.push(2, {kernel(0x7'0000'0040), wait(FW_BARRIER_AND, {}, sig(2))});
  m.run(policy("rr"));
  for (const auto& [address, value] : m.signals) EXPECT_EQ(value, 0) << std::hex << address;
}

TEST(FirmwareScheduler, BarrierAndWaitsForAllSignals) {
  ScriptedMachine m;
  m.signals = {{sig(0), 1}, {sig(1), 1}, {sig(2), 1}};
  m.push(0, {wait(FW_BARRIER_AND, {sig(0), sig(1)}, sig(2)), kernel()});
  m.push(1, {kernel(sig(0))});
  m.push(2, {kernel(), kernel(sig(1))});
  m.run(policy("rr"));
  EXPECT_THAT(m.log, ElementsAre("start q1 slot0", "start q2 slot1", "done q1 @0x100000000", "done q2",
                                 "start q2 slot0", "done q2 @0x100000040", "barrier q0",
                                 "done q0 @0x100000080", "start q0 slot0", "done q0"));
}

TEST(FirmwareScheduler, BarrierOrWaitsForOneSignal) {
  ScriptedMachine m;
  m.signals = {{sig(0), 1}, {sig(1), 1}};
  m.push(0, {wait(FW_BARRIER_OR, {sig(0), sig(1)})});
  ScriptedPacket slow = kernel(sig(0));
  slow.run_ns = 50000;
  m.push(1, {slow});
  m.push(2, {kernel(sig(1))});
  m.run(policy("rr"));
  EXPECT_THAT(m.log, ElementsAre("start q1 slot0", "start q2 slot1", "done q2 @0x100000040", "barrier q0",
                                 "done q0", "done q1 @0x100000000"));
}

TEST(FirmwareScheduler, BarriersWithoutSignalsWaitForNothing) {
  for (unsigned type : {FW_BARRIER_AND, FW_BARRIER_OR}) {
    ScriptedMachine m;
    m.push(0, {wait(type, {})});
    m.run(policy("rr"));
    EXPECT_THAT(m.log, ElementsAre("barrier q0", "done q0"));
  }
}

TEST(FirmwareScheduler, ABarrierPacketWaitsForItsOwnQueueFirst) {
  ScriptedMachine m;
  m.signals = {{sig(0), 0}};
  m.push(0, {kernel(), wait(FW_BARRIER_AND, {sig(0)})});
  m.run(policy("rr"));
  EXPECT_THAT(m.log, ElementsAre("start q0 slot0", "done q0", "barrier q0", "done q0"));
}

TEST(FirmwareScheduler, SignalsBeyondTheirLowerHalfAreNotZero) {
  for (std::int64_t value : {std::int64_t{0x1'0000'0000}, std::int64_t{-1}, std::int64_t{1}}) {
    ScriptedMachine m;
    m.signals = {{sig(0), value}};
    m.push(0, {wait(FW_BARRIER_AND, {sig(0)})});
    m.run(policy("rr"));
    EXPECT_TRUE(m.log.empty()) << value;
  }
}

TEST(FirmwareScheduler, OnlyBarriersThatNameASignalLookAtItWhenItChanges) {
  ScriptedMachine m(32, 2);
  m.signals[sig(100)] = 1;
  for (unsigned q = 0; q < 20; ++q) {
    m.signals[sig(q)] = 5;
    m.push(q, {wait(FW_BARRIER_AND, {sig(q)})});
  }
  m.run(policy("rr"), 100'000);
  const std::uint64_t at_first = m.signal_reads;
  EXPECT_EQ(at_first, 40u) << "both halves of each, once";
  m.signals[sig(3)] = 1;
  ScriptedPacket p = kernel(sig(3));
  m.push(31, {p});
  m.resume();
  EXPECT_EQ(m.signal_reads, at_first + 2);
  EXPECT_EQ(m.log.back(), "done q3");
}

TEST(FirmwareScheduler, ASignalChangedByTheHostIsSeenWhenHardwareSaysSo) {
  ScriptedMachine m;
  m.signals = {{sig(0), 1}};
  m.push(0, {wait(FW_BARRIER_AND, {sig(0)})});
  m.at(5000, [&] { m.signals[sig(0)] = 0; });
  m.at(90000, [&] { m.queue_event(FW_EVENT_SIGNALS_CHANGED, 0); });
  m.run(policy("rr"), 80000);
  EXPECT_TRUE(m.log.empty());
  m.resume();
  EXPECT_THAT(m.log, ElementsAre("barrier q0", "done q0"));
}

TEST(FirmwareScheduler, PollingFindsItByItself) {
  ScriptedMachine m;
  m.signal_poll_ns = 2000;
  m.signals = {{sig(0), 1}};
  m.push(0, {wait(FW_BARRIER_AND, {sig(0)})});
  m.at(9000, [&] { m.signals[sig(0)] = 0; });
  m.run(policy("rr"), 12000);
  EXPECT_THAT(m.log, ElementsAre("barrier q0", "done q0"));
  EXPECT_LT(m.signal_reads, 14u) << "about every 2000 ns";
}

TEST(FirmwareScheduler, WithoutWaitingBarriersItSleeps) {
  ScriptedMachine m;
  m.signal_poll_ns = 100;
  m.push(0, {kernel()});
  m.run(policy("rr"), 1'000'000);
  EXPECT_LT(m.sleeps, 10u);
}

struct Refusal {
  const char* name;
  std::uint32_t status;
  const char* line;
};
class Refused : public ::testing::TestWithParam<Refusal> {};
TEST_P(Refused, StopsItsQueueAlone) {
  ScriptedMachine m(8, 1);
  m.set_first_index(0, 0x1'ffff'fffe);
  ScriptedPacket bad = kernel();
  bad.status = GetParam().status;
  m.push(0, {kernel(), kernel(), bad, kernel()});
  m.push(1, {kernel(), kernel(), kernel(), kernel()});
  m.run(policy("rr"));
  EXPECT_EQ(std::count(m.starts.begin(), m.starts.end(), 0u), 2);
  EXPECT_EQ(std::count(m.starts.begin(), m.starts.end(), 1u), 4);
  EXPECT_THAT(m.log, ::testing::Contains(GetParam().line));
}
INSTANTIATE_TEST_SUITE_P(
    Statuses, Refused,
    ::testing::Values(Refusal{"NeverFits", FW_SLOT_NEVER_FITS, "stop q0 error 5 packet 8589934592"},
                      Refusal{"Dimensions", FW_SLOT_BAD_DIMENSIONS, "stop q0 error 2 packet 8589934592"},
                      Refusal{"Busy", FW_SLOT_BUSY, "stop q0 error 10 packet 8589934592"}),
    [](const auto& info) { return info.param.name; });

TEST(FirmwareScheduler, AKernelThatEndedBeforeItsStatusWasReadIsNoRefusal) {
  ScriptedMachine m;
  ScriptedPacket p = kernel();
  p.run_ns = 1;
  m.push(0, {p, p});
  m.run(policy("rr"));
  EXPECT_THAT(m.log, ElementsAre("start q0 slot0", "done q0", "start q0 slot0", "done q0"));
}

TEST(FirmwareScheduler, AFailedCopyStopsItsQueueAndLeavesItsSignal) {
  ScriptedMachine m;
  m.signals = {{sig(0), 1}};
  m.set_first_index(2, 0xffff'ffff);
  m.push(2, {kernel(), copy(sig(0), true), kernel()});
  m.push(3, {kernel(), kernel()});
  m.run(policy("rr"));
  EXPECT_EQ(m.signals[sig(0)], 1);
  EXPECT_THAT(m.log,
              ElementsAre("start q2 slot0", "start q3 slot1", "done q2", "start q2 engine0", "done q3",
                          "start q3 slot0", "done q2", "stop q2 error 8 packet 4294967296", "done q3"));
}

TEST(FirmwareScheduler, AnUnmappedQueueIsForgotten) {
  ScriptedMachine m(8, 1);
  m.push(0, {kernel()});
  m.push(1, {kernel(), kernel()});
  m.at(1500, [&] { m.unmap(1); });  // its head waits for the slot
  m.at(5000, [&] { m.push(1, {kernel()}); });
  m.run(policy("rr"));
  EXPECT_THAT(m.log, ElementsAre("start q0 slot0", "done q0", "start q1 slot0", "done q1"));
}

// Whenever the host unmaps a queue, nothing of it starts that was not the queue's head when it was started.
TEST(FirmwareScheduler, UnmappingAtAnyMomentStartsNothingStale) {
  for (std::uint64_t at = 1000; at < 3000; at += 10) {
    ScriptedMachine m(8, 1);
    m.push(0, {kernel(0, false), kernel(0, false), kernel(0, false)});
    m.push(1, {copy(), wait(FW_BARRIER_AND, {}), copy()});
    m.at(at, [&] {
      m.unmap(0);
      m.unmap(1);
    });
    m.at(20000, [&] {
      m.push(0, {kernel()});
      m.push(1, {copy()});
    });
    m.run(policy("rr"));
    EXPECT_EQ(m.halted, 0) << at;
    ASSERT_GE(m.log.size(), 4u) << at;
    EXPECT_THAT(std::vector<std::string>(m.log.end() - 4, m.log.end()),
                UnorderedElementsAre("start q0 slot0", "start q1 engine0", "done q0", "done q1"))
        << at;
  }
}

// The copy belongs to what the queue was before.
TEST(FirmwareScheduler, AFailureOfAnOldCopyLeavesTheQueueAlone) {
  ScriptedMachine m;
  m.push(0, {copy(0, true), copy()});
  m.at(1500, [&] {
    m.unmap(0);
    m.push(0, {kernel(), kernel()});
  });
  m.run(policy("rr"));
  EXPECT_THAT(m.log, ElementsAre("start q0 engine0", "done q0", "start q0 slot0", "done q0", "start q0 slot0",
                                 "done q0"));
}

TEST(FirmwareScheduler, DoneMessagesThatNobodyWaitsForAreIgnored) {
  ScriptedMachine m;
  for (unsigned kind : {FW_EVENT_KERNEL_DONE, FW_EVENT_COPY_DONE, FW_EVENT_COPY_FAILED})
    for (unsigned index : {0u, 1u, 127u, 0xffffffu}) m.queue_event(kind, index);
  m.queue_event(FW_EVENT_QUEUE_CHANGED, 0xffffff);
  m.push(0, {kernel()});
  m.run(policy("rr"));
  EXPECT_THAT(m.log, ElementsAre("start q0 slot0", "done q0"));
}

TEST(FirmwareScheduler, AnUnknownEventIsHardwareGoneWrong) {
  ScriptedMachine m;
  m.queue_event(9, 3);
  m.run(policy("rr"));
  EXPECT_EQ(m.halted, FW_HALT_HARDWARE);
  EXPECT_EQ(m.console, "panic: event 09000003\n");
}

TEST(FirmwareScheduler, AHeadOfUnknownTypeIsToo) {
  ScriptedMachine m;
  ScriptedPacket p;
  p.type = 4;
  m.push(6, {p});
  m.run(policy("rr"));
  EXPECT_EQ(m.halted, FW_HALT_HARDWARE);
  EXPECT_EQ(m.console, "panic: queue 6: a head of type 4\n");
}

// The path from a head that becomes ready to its start, for 128 queues: pending, clear, four words of queues,
// type, forward, start.
TEST(FirmwareScheduler, AStartIsAHandfulOfAccesses) {
  ScriptedMachine m(128, 16);
  m.run(policy("rr"), 50'000);
  const std::uint64_t before = m.accesses;
  std::uint64_t at_start = 0;
  ScriptedPacket p = kernel();
  m.push(5, {p});
  m.on_start = [&] { at_start = m.accesses; };
  m.resume();
  EXPECT_EQ(at_start - before, 9u);
}

}  // namespace
}  // namespace warpvp::test
