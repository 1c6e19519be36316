// The devices around the core, each by itself with a plain initiator.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "modules/command_processor/devices/host_mailbox.h"
#include "modules/command_processor/devices/interrupt_controller.h"
#include "modules/command_processor/devices/performance_counters.h"
#include "modules/command_processor/devices/system_control.h"
#include "modules/command_processor/devices/timer.h"
#include "modules/command_processor/devices/uart.h"
#include "tests/control/access_rules.h"
#include "tests/control/rig.h"

namespace warpvp::test {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

/// A device and an initiator.
template <class D>
struct DeviceBench : sc_core::sc_module {
  template <class... Arguments>
  explicit DeviceBench(Arguments&&... arguments)
      : sc_module(sc_core::sc_module_name("bench")), device("device", std::forward<Arguments>(arguments)...) {
    driver.socket.bind(device.registers);
  }
  std::uint32_t read(std::uint64_t offset) { return driver.template read<std::uint32_t>(offset); }
  std::uint64_t read64(std::uint64_t offset) { return driver.template read<std::uint64_t>(offset); }
  void write(std::uint64_t offset, std::uint32_t value) { driver.write(offset, value); }
  tlm::tlm_response_status try_write(std::uint64_t offset, std::uint32_t value) {
    return access(driver.socket, tlm::TLM_WRITE_COMMAND, offset, &value, sizeof value);
  }
  void start() { sc_core::sc_start(sc_core::SC_ZERO_TIME); }
  void run_ns(double t) { sc_core::sc_start(in_ns(t)); }
  void expect_rules() {
    start();
    expect_access_rules(driver.socket, device.register_block(), 0);
  }

  Driver driver{"driver"};
  D device;
};

// ---- UART

TEST(Uart, SendsAndReceivesBytes) {
  namespace uart = regmap::uart;
  std::string sent;
  unsigned received = 0;
  DeviceBench<Uart> b([&](char c) { sent += c; }, std::string("a\xff"));
  b.device.on_receive = [&] { ++received; };
  b.start();
  EXPECT_EQ(received, 1u);
  EXPECT_EQ(b.read(uart::kStatus), 1u);
  EXPECT_EQ(b.read(uart::kData), std::uint32_t{'a'});
  EXPECT_EQ(b.read(uart::kData), std::uint32_t{'a'});  // reading drops nothing
  b.write(uart::kRxPop, 0);
  EXPECT_EQ(received, 2u);
  EXPECT_EQ(b.read(uart::kData), 0xffu);
  b.write(uart::kRxPop, 0);
  EXPECT_EQ(received, 2u);
  EXPECT_EQ(b.read(uart::kStatus), 0u);
  EXPECT_EQ(b.read(uart::kData), 0u);
  b.write(uart::kRxPop, 0);  // nothing there: nothing happens
  b.write(uart::kData, 'o');
  b.write(uart::kData, 0x100 | 'k');
  EXPECT_EQ(sent, "ok");
  EXPECT_EQ(b.device.sent(), 2u);
}

TEST(Uart, WithoutInputNothingIsReceived) {
  unsigned received = 0;
  DeviceBench<Uart> b(std::function<void(char)>{});
  b.device.on_receive = [&] { ++received; };
  b.start();
  b.write(regmap::uart::kData, 'x');  // nobody listens
  EXPECT_EQ(received, 0u);
  EXPECT_EQ(b.read(regmap::uart::kStatus), 0u);
}

TEST(Uart, RefusesForbiddenAccesses) { DeviceBench<Uart>(std::function<void(char)>{}).expect_rules(); }

// ---- Timer

struct TimerBench : DeviceBench<Timer> {
  TimerBench() {
    device.on_level = [this](bool level) {
      levels.push_back({level, std::lround(ns(sc_core::sc_time_stamp()))});
    };
    start();
  }
  std::vector<std::pair<bool, long>> levels;  ///< and when, in ns
};

TEST(Timer, CountsNanoseconds) {
  namespace timer = regmap::timer;
  TimerBench b;
  b.run_ns(1234.9);
  EXPECT_EQ(b.read64(timer::kTime), 1234u);
  EXPECT_EQ(b.read(timer::kTime), 1234u);
  b.run_ns(5e9);
  EXPECT_EQ(b.read(timer::kTime + 4), 1u);
  EXPECT_EQ(b.read(timer::kTime), 5'000'001'234u - (1ull << 32));
  EXPECT_THAT(b.levels, IsEmpty());
}

TEST(Timer, InterruptsWhenItsTimeHasCome) {
  namespace timer = regmap::timer;
  TimerBench b;
  EXPECT_EQ(b.read64(timer::kCompare), ~std::uint64_t{0});
  EXPECT_FALSE(b.device.armed());
  b.driver.write<std::uint64_t>(timer::kCompare, 500);
  EXPECT_TRUE(b.device.armed());
  b.run_ns(1000);
  EXPECT_THAT(b.levels, ElementsAre(std::pair(true, 500L)));
  b.driver.write<std::uint64_t>(timer::kCompare, 1000);  // now
  EXPECT_EQ(b.levels.size(), 1u);
  b.driver.write<std::uint64_t>(timer::kCompare, 1001);
  b.run_ns(100);
  EXPECT_THAT(b.levels, ElementsAre(std::pair(true, 500L), std::pair(false, 1000L), std::pair(true, 1001L)));
}

TEST(Timer, IsSetInHalves) {
  namespace timer = regmap::timer;
  TimerBench b;
  b.write(timer::kCompare, 100);  // the high half still is all ones
  EXPECT_FALSE(b.device.armed());
  b.run_ns(1000);
  EXPECT_THAT(b.levels, IsEmpty());
  b.write(timer::kCompare + 4, 0);
  EXPECT_THAT(b.levels, ElementsAre(std::pair(true, 1000L)));
}

TEST(Timer, ALaterTimeReplacesAnEarlierOne) {
  namespace timer = regmap::timer;
  TimerBench b;
  b.driver.write<std::uint64_t>(timer::kCompare, 500);
  b.run_ns(100);
  b.driver.write<std::uint64_t>(timer::kCompare, 800);
  b.run_ns(600);
  EXPECT_THAT(b.levels, IsEmpty());
  b.run_ns(600);
  EXPECT_THAT(b.levels, ElementsAre(std::pair(true, 800L)));
  b.driver.write<std::uint64_t>(timer::kCompare, 5000);
  b.driver.write<std::uint64_t>(timer::kCompare, ~std::uint64_t{0});
  EXPECT_FALSE(sc_core::sc_pending_activity());  // a time that no longer counts is forgotten
  b.run_ns(10000);
  EXPECT_EQ(b.levels.size(), 2u);
  EXPECT_FALSE(b.device.armed());
}

TEST(Timer, ATimeThatSimulationNeverReachesIsNotArmed) {
  TimerBench b;
  b.driver.write<std::uint64_t>(regmap::timer::kCompare, 1ull << 62);
  b.run_ns(1000);
  EXPECT_FALSE(b.device.armed());
  EXPECT_THAT(b.levels, IsEmpty());
  EXPECT_FALSE(sc_core::sc_pending_activity());  // so that a hang is recognised
}

TEST(Timer, RefusesForbiddenAccesses) { DeviceBench<Timer>().expect_rules(); }

// ---- Interrupt controller

struct InterruptBench : DeviceBench<InterruptController> {
  InterruptBench() {
    device.on_level = [this](bool level) { levels.push_back(level); };
    start();
  }
  std::vector<bool> levels;
};

TEST(InterruptController, LatchesEventsUntilTheyAreCleared) {
  namespace intc = regmap::intc;
  InterruptBench b;
  b.device.raise(intc::kEvent);
  b.device.raise(intc::kMailbox);
  EXPECT_EQ(b.read(intc::kPending), 6u);
  EXPECT_THAT(b.levels, IsEmpty());
  EXPECT_FALSE(b.device.enabled());
  b.write(intc::kEnable, 0xffff'fff2);
  EXPECT_EQ(b.read(intc::kEnable), 2u);  // there are four lines
  EXPECT_TRUE(b.device.enabled());
  EXPECT_THAT(b.levels, ElementsAre(true));
  b.write(intc::kPending, 4);  // another line
  EXPECT_EQ(b.read(intc::kPending), 2u);
  b.write(intc::kPending, 0);
  EXPECT_EQ(b.read(intc::kPending), 2u);
  EXPECT_THAT(b.levels, ElementsAre(true));
  b.write(intc::kPending, 2);
  EXPECT_EQ(b.read(intc::kPending), 0u);
  EXPECT_THAT(b.levels, ElementsAre(true, false));
  b.device.raise(intc::kHead);  // not enabled
  b.device.raise(intc::kEvent);
  EXPECT_THAT(b.levels, ElementsAre(true, false, true));
  b.write(intc::kEnable, 0);
  EXPECT_THAT(b.levels, ElementsAre(true, false, true, false));
  b.write(intc::kEnable, 1);  // the head still is latched
  EXPECT_THAT(b.levels, ElementsAre(true, false, true, false, true));
}

TEST(InterruptController, RawShowsWhatIsThere) {
  namespace intc = regmap::intc;
  InterruptBench b;
  bool head = true, byte = false;
  b.device.set_level(intc::kHead, [&] { return head; });
  b.device.set_level(intc::kUartRx, [&] { return byte; });
  EXPECT_EQ(b.read(intc::kRaw), 1u);
  head = false;
  byte = true;
  EXPECT_EQ(b.read(intc::kRaw), 8u);
  EXPECT_EQ(b.read(intc::kPending), 0u);
}

TEST(InterruptController, RefusesForbiddenAccesses) { DeviceBench<InterruptController>().expect_rules(); }

// ---- Host mailbox

TEST(HostMailbox, HoldsWordsForTheCore) {
  namespace mailbox = regmap::mailbox;
  DeviceBench<HostMailbox> b(HostMailbox::Post{});
  unsigned words = 0;
  b.device.on_word = [&] { ++words; };
  b.start();
  EXPECT_EQ(b.read(mailbox::kToCore), 0u);
  EXPECT_EQ(b.try_write(mailbox::kToCorePop, 0), tlm::TLM_GENERIC_ERROR_RESPONSE);
  for (unsigned i = 0; i < mailbox::kDepth; ++i) b.write(mailbox::kSend, 100 + i);
  EXPECT_EQ(words, mailbox::kDepth);
  EXPECT_EQ(b.try_write(mailbox::kSend, 7), tlm::TLM_COMMAND_ERROR_RESPONSE);  // full
  EXPECT_EQ(words, mailbox::kDepth);
  for (unsigned i = 0; i < mailbox::kDepth; ++i) {
    EXPECT_TRUE(b.device.has_word());
    EXPECT_EQ(b.read(mailbox::kToCoreCount), mailbox::kDepth - i);
    EXPECT_EQ(b.read(mailbox::kToCore), 100 + i);
    b.write(mailbox::kToCorePop, 1);
  }
  EXPECT_FALSE(b.device.has_word());
  EXPECT_EQ(b.read(mailbox::kToCoreCount), 0u);
}

TEST(HostMailbox, PostsRecordsToTheHost) {
  namespace mailbox = regmap::mailbox;
  std::vector<std::pair<std::uint64_t, mailbox::HostRecord>> posted;
  DeviceBench<HostMailbox> b([&](std::uint64_t address, const mailbox::HostRecord& r) {
    posted.push_back({address, r});
  });
  b.start();
  b.write(mailbox::kToHost, 5);  // to nowhere, but counted
  EXPECT_THAT(posted, IsEmpty());
  b.driver.write<std::uint64_t>(mailbox::kHostAddress, regmap::kHostBusBase + 8);
  b.write(mailbox::kToHost, 6);
  ASSERT_EQ(posted.size(), 1u);
  EXPECT_EQ(posted[0].first, regmap::kHostBusBase + 8);
  EXPECT_EQ(posted[0].second.count, 2u);
  EXPECT_EQ(posted[0].second.word, 6u);
}

TEST(HostMailbox, RefusesForbiddenAccesses) { DeviceBench<HostMailbox>(HostMailbox::Post{}).expect_rules(); }

// ---- Performance counters

TEST(PerformanceCounters, ReadWhatThePlatformCounts) {
  namespace perf = regmap::perf;
  DeviceBench<PerformanceCounters> b;
  std::uint64_t cycles = 0x1'2345'6789;
  b.device.connect(PerformanceCounter::kSmCycles, [&] { return cycles; });
  b.device.connect(PerformanceCounter::kRegisterAccesses, [] { return std::uint64_t{9}; });
  b.start();
  constexpr auto kLast = static_cast<unsigned>(PerformanceCounter::kRegisterAccesses);
  EXPECT_EQ(b.read(perf::kCount), kLast + 1);
  EXPECT_EQ(b.read64(perf::kValues), cycles);
  EXPECT_EQ(b.read(perf::kValues + 4), 1u);
  ++cycles;
  EXPECT_EQ(b.read64(perf::kValues), cycles);
  EXPECT_EQ(b.read64(perf::kValues + 8 * kLast), 9u);
  EXPECT_EQ(b.read64(perf::kValues + 8), 0u);  // nobody counts that here
  EXPECT_EQ(b.read64(perf::kValues + 8 * (perf::kMaxCounters - 1)), 0u);
}

TEST(PerformanceCounters, RefuseForbiddenAccesses) { DeviceBench<PerformanceCounters>().expect_rules(); }

// ---- System control

SystemControl::Facts facts() {
  SystemControl::Facts facts;
  facts.queues = 128;
  facts.slots = 32;
  facts.engines = 2;
  facts.clock_khz = 1'000'000;
  facts.signal_poll_ns = 500;
  facts.parameters = {1, 2, 3, 4, 5, 6, 7, 8};
  return facts;
}

TEST(SystemControl, KnowsTheMachine) {
  namespace sysctl = regmap::sysctl;
  DeviceBench<SystemControl> b(facts());
  b.start();
  EXPECT_EQ(b.read(sysctl::kQueues), 128u);
  EXPECT_EQ(b.read(sysctl::kSlots), 32u);
  EXPECT_EQ(b.read(sysctl::kEngines), 2u);
  EXPECT_EQ(b.read(sysctl::kClockKhz), 1'000'000u);
  EXPECT_EQ(b.read(sysctl::kSignalPollNs), 500u);
  for (unsigned i = 0; i < sysctl::kParameterCount; ++i)
    EXPECT_EQ(b.read(sysctl::kParameters + 4 * i), i + 1);
}

TEST(SystemControl, MovesApertures) {
  namespace sysctl = regmap::sysctl;
  DeviceBench<SystemControl> b(facts());
  std::vector<std::pair<unsigned, std::uint64_t>> moved;
  b.device.on_aperture = [&](unsigned i, std::uint64_t base) { moved.push_back({i, base}); };
  b.start();
  for (unsigned i = 0; i < 4; ++i)
    EXPECT_EQ(b.read64(sysctl::kApertures + 8 * i), DeviceMemory::kBase + i * 0x1000'0000ull);
  b.driver.write<std::uint64_t>(sysctl::kApertures + 8, 0x40'0000'0000);
  b.write(sysctl::kApertures + 24, 0x1000);
  EXPECT_THAT(moved, ElementsAre(std::pair(1u, 0x40'0000'0000ull), std::pair(3u, 0x1'0000'1000ull)));
  EXPECT_EQ(b.read64(sysctl::kApertures + 24), 0x1'0000'1000u);
}

TEST(SystemControl, HaltsAndInterrupts) {
  namespace sysctl = regmap::sysctl;
  DeviceBench<SystemControl> b(facts());
  std::vector<std::uint32_t> halts;
  std::vector<bool> software;
  b.device.on_halt = [&](std::uint32_t code) { halts.push_back(code); };
  b.device.on_software = [&](bool level) { software.push_back(level); };
  b.start();
  b.write(sysctl::kHalt, 3);
  EXPECT_THAT(halts, ElementsAre(3));
  b.write(sysctl::kSoftware, 1);
  b.write(sysctl::kSoftware, 2);
  EXPECT_THAT(software, ElementsAre(true, false));
}

TEST(SystemControl, RefusesForbiddenAccesses) { DeviceBench<SystemControl>(facts()).expect_rules(); }

}  // namespace
}  // namespace warpvp::test
