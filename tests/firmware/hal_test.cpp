// Time, timer, console and the end of the firmware.
#include <gtest/gtest.h>

#include "tests/firmware/scripted_machine.h"

namespace warpvp::test {
namespace {

std::vector<std::uint64_t> times;
void note_time(unsigned) {
  for (int i = 0; i < 8; ++i) times.push_back(hal_now_ns());
}
// A read takes 20 ns, so the lower half wraps at every place between the reads of a call once.
TEST(FirmwareTime, IsRightWhereItsLowerHalfWraps) {
  for (std::uint64_t before = 0; before < 1000; before += 10) {
    times.clear();
    ScriptedMachine m;
    m.now = 0x2'0000'0000 - 300 - before;
    m.push(0, {{}});
    fw_policy p{};
    p.name = "clock";
    p.pick = none;
    p.head = note_time;
    m.run(p, m.now + 3000);
    ASSERT_EQ(times.size(), 8u);
    EXPECT_GE(times[0], 0x2'0000'0000 - 300 - before);
    EXPECT_LT(times[0], 0x2'0000'0000 + 3000u);
    for (std::size_t i = 1; i < times.size(); ++i) {
      EXPECT_GT(times[i], times[i - 1]) << before;
      EXPECT_LT(times[i], times[i - 1] + 200) << before;
    }
  }
}

std::vector<std::uint64_t> ticks;
ScriptedMachine* current = nullptr;
void tick() { ticks.push_back(current->now); }
void slow_tick() {
  ticks.push_back(current->now);
  if (ticks.size() == 2)
    for (int i = 0; i < 1500; ++i) hal_read32(INTC_PENDING);
}

fw_policy ticking(void (*function)(), std::uint32_t period) {
  fw_policy p{};
  p.name = "ticking";
  p.pick = none;
  p.tick = function;
  p.tick_ns = period;
  return p;
}

TEST(FirmwareTick, ComesOnItsGrid) {
  ticks.clear();
  ScriptedMachine m;
  current = &m;
  const fw_policy p = ticking(tick, 10000);
  m.run(p, 100'000);
  ASSERT_EQ(ticks.size(), 9u);
  for (std::size_t i = 1; i < ticks.size(); ++i) EXPECT_EQ(ticks[i] - ticks[i - 1], 10000u);
}

TEST(FirmwareTick, WorksAcrossTheUpperHalfOfTheTimer) {
  ticks.clear();
  ScriptedMachine m;
  m.now = 0x1'0000'0000 - 25000;
  current = &m;
  const fw_policy p = ticking(tick, 10000);
  m.run(p, 0x1'0000'0000 + 25000);
  EXPECT_EQ(ticks.size(), 4u);
}

TEST(FirmwareTick, IsNotMadeUpForWhenLate) {
  ticks.clear();
  ScriptedMachine m;
  current = &m;
  const fw_policy p = ticking(slow_tick, 10000);
  m.run(p, 100'000);
  // The second one takes 30 us: what fell due meanwhile comes once, then the grid goes on.
  ASSERT_EQ(ticks.size(), 7u);
  EXPECT_LT(ticks[2] - ticks[1], 31000u);
  EXPECT_EQ(ticks[3] - ticks[0], 50000u);
}

std::vector<std::uint32_t> received;
void message(std::uint32_t word) {
  received.push_back(word);
  hal_send_host(word + hal_parameter(2));
  EXPECT_EQ(hal_parameter(FW_PARAMETERS), 0u);
}

TEST(FirmwareMailbox, WordsGoToThePolicyAndBack) {
  received.clear();
  ScriptedMachine m;
  m.parameters[2] = 100;
  m.at(3000, [&] {
    m.send_word(1);
    m.send_word(2);
  });
  m.at(9000, [&] { m.send_word(3); });
  fw_policy p{};
  p.name = "messages";
  p.pick = none;
  p.message = message;
  m.run(p);
  EXPECT_EQ(received, (std::vector<std::uint32_t>{1, 2, 3}));
  EXPECT_EQ(m.to_host, (std::vector<std::uint32_t>{101, 102, 103}));
}

std::uint64_t told_at = 0;
void tell_time(std::uint32_t) { told_at = hal_now_ns(); }
void ask_time() { hal_now_ns(); }

// Longer than the lower half of the time lasts, so that it alone does not show that it has wrapped.
TEST(FirmwareTime, IsReadAnewAfterALongSleep) {
  ScriptedMachine m;
  m.at(5'000'000'000, [&] { m.send_word(1); });
  fw_policy p{};
  p.name = "asks";
  p.pick = none;
  p.init = ask_time;
  p.message = tell_time;
  m.run(p, 5'001'000'000);
  EXPECT_GE(told_at, 5'000'000'000u);
  EXPECT_LT(told_at, 5'000'100'000u);
}

void say(unsigned queue) {
  hal_printf("queue %u of %u, %s\n", queue, static_cast<unsigned>(hal_machine.queues), "hello");
}

TEST(FirmwareConsole, Prints) {
  ScriptedMachine m;
  m.push(2, {{}});
  fw_policy p{};
  p.name = "say";
  p.pick = none;
  p.head = say;
  m.run(p);
  EXPECT_EQ(m.console, "queue 2 of 8, hello\n");
}

TEST(FirmwareConsole, CutsLongLines) {
  ScriptedMachine m;
  hal_printf("%0300d", 1);
  EXPECT_EQ(m.console, std::string(255, '0'));
}

int assert_something(const fw_set*) {
  FW_ASSERT(hal_machine.queues == 7);
  return -1;
}

TEST(FirmwareAssertion, SaysWhatDoesNotHoldAndHalts) {
  ScriptedMachine m;
  m.push(0, {{}});
  fw_policy p{};
  p.name = "assert";
  p.pick = assert_something;
  m.run(p);
  EXPECT_EQ(m.halted, FW_HALT_ASSERTION);
  EXPECT_NE(m.console.find("hal_test.cpp:"), std::string::npos) << m.console;
  EXPECT_NE(m.console.find("hal_machine.queues == 7 does not hold\n"), std::string::npos) << m.console;
}

}  // namespace
}  // namespace warpvp::test
