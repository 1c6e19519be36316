// Interrupts come exactly when they should, however far the core runs ahead.

#include <gtest/gtest.h>

#include <random>

#include "tests/riscv/core_rig.h"

namespace warpvp::riscv::test {
namespace {

using ::testing::ElementsAre;

TEST(InterruptLines, AreSeenFromTheNextInstantOn) {
  InterruptLines lines;
  lines.set(7, true, 100);
  EXPECT_EQ(lines.levels(), 0x80u);
  EXPECT_EQ(lines.visible(100), 0u);
  EXPECT_EQ(lines.visible(101), 0x80u);
  EXPECT_EQ(lines.high_from(0x80), 101u);
  EXPECT_EQ(lines.high_from(0x800), InterruptLines::kNever);
  lines.set(7, false, 200);
  EXPECT_EQ(lines.visible(200), 0x80u) << "still as it was before this instant";
  EXPECT_EQ(lines.visible(201), 0u);
  EXPECT_EQ(lines.high_from(0x80), InterruptLines::kNever);
}

TEST(InterruptLines, OnlyTheLastChangeOfAnInstantCounts) {
  InterruptLines lines;
  lines.set(3, true, 100);
  lines.set(3, false, 100);
  lines.set(3, true, 100);
  EXPECT_EQ(lines.visible(100), 0u);
  EXPECT_EQ(lines.visible(101), 8u);
  lines.set(3, false, 300);
  lines.set(3, true, 300);
  EXPECT_EQ(lines.visible(300), 8u);
  EXPECT_EQ(lines.visible(301), 8u);
}

TEST(InterruptLines, WhatWokeACoreIsSeenAtOnce) {
  InterruptLines lines;
  lines.set(11, true, 100);
  lines.show(100);
  EXPECT_EQ(lines.visible(100), 0x800u);
  EXPECT_EQ(lines.high_from(0x800), 100u);
}

// A loop of single-cycle instructions; the handler reports where it came from and switches its line off.
const std::string kLoop = R"(
    li s0,0x100000
    la t0,handler
    csrrw zero,mtvec,t0
    li t0,0x888
    csrrw zero,mie,t0
    csrrsi zero,mstatus,8
loop:
    addi a0,a0,1
    addi a1,a1,1
    addi a2,a2,1
    addi a3,a3,1
    j loop
handler:
    sw t6,0(s0)
    csrrs t6,mepc,zero
    sw t6,4(s0)
    mret
)";

TEST(CoreInterrupts, AreTakenAtTheFirstInstructionThatStartsLater) {
  // The loop starts at 12 ns (addresses take two instructions, CSR accesses 2 ns each) and a turn takes 4 + 2
  // ns, so one starts at 102. The handler's first store follows the trap's 4 ns.
  struct Case {
    double at;       // ns
    double trapped;  // ns, start of the instruction that the trap replaces
    unsigned index;  // of that instruction in the loop
  };
  const std::vector<Case> cases = {{101, 102, 0}, {101.999999, 102, 0}, {102, 103, 1}, {102.5, 103, 1},
                                   {104, 105, 3}, {105, 106, 4},        {106, 108, 0}, {107, 108, 0}};
  std::vector<std::unique_ptr<CoreRig>> rigs;
  Script script("script");
  for (const std::uint32_t quantum : {1u, 3u, 1000u}) {
    RiscvCoreConfig config;
    config.quantum = quantum;
    for (std::size_t i = 0; i < cases.size(); ++i) rigs.push_back(std::make_unique<CoreRig>(kLoop, config));
  }
  for (std::size_t i = 0; i < cases.size(); ++i)
    for (std::size_t k = i; k < rigs.size(); k += cases.size())
      rigs[k]->bus->written = [core = rigs[k]->core.get()](std::uint32_t, std::uint32_t) {
        core->set_interrupt(Interrupt::kExternal, false);
      };
  for (std::size_t i = 0; i < cases.size(); ++i)
    script.at_ns(cases[i].at, [&, i] {
      for (std::size_t k = i; k < rigs.size(); k += cases.size())
        rigs[k]->core->set_interrupt(Interrupt::kExternal, true);
    });
  run_us(1);
  for (std::size_t k = 0; k < rigs.size(); ++k) {
    const Case& c = cases[k % cases.size()];
    const auto times = rigs[k]->times();
    ASSERT_GE(times.size(), 2u) << c.at;
    EXPECT_EQ(times[0], c.trapped + 4) << c.at;
    EXPECT_EQ(rigs[k]->bus->log[1].value, rigs[k]->program.label("loop") + 4 * c.index) << c.at;
  }
}

// Also when waking takes no time, so that the next instruction starts at the instant of the interrupt itself.
TEST(CoreInterrupts, TheOneThatEndsWfiComesBeforeTheNextInstruction) {
  RiscvCoreConfig config;
  config.costs.wake = 0;
  CoreRig rig(R"(
    li s0,0x100000
    la t0,handler
    csrrw zero,mtvec,t0
    csrrwi zero,mie,8
    csrrsi zero,mstatus,8
    wfi
after:
    sw zero,0(s0)
end:
    j end
handler:
    csrrs a0,mepc,zero
    sw a0,4(s0)
stay:
    j stay
)",
              config);
  Script script("script");
  script.at_ns(500, [&] { rig.core->set_interrupt(Interrupt::kSoftware, true); });
  run_us(1);
  EXPECT_THAT(rig.times(), ElementsAre(500 + 4 + 2));
  EXPECT_THAT(rig.values(), ElementsAre(rig.program.label("after")));
}

// ---- The same results for every quantum

constexpr unsigned kMicroseconds = 150;

/// A program without end of everything that matters to running ahead and going back: computation, stores and
/// atomics in local memory, counters, devices, exceptions, masking and unmasking, sleep. s registers are
/// fixed, t5, t6 and s10 belong to the handler.
std::string random_program(std::mt19937& rng) {
  std::string text = R"(
    li s0,0x100000
    li s1,0x80004000
    li s2,0x80004040
    la t0,vectors
    ori t0,t0,1
    csrrw zero,mtvec,t0
    li t0,0x888
    csrrw zero,mie,t0
    csrrsi zero,mstatus,8
loop:
)";
  const char* const kRegisters[] = {"a0", "a1", "a2", "a3", "a4", "a5", "a6", "a7", "t0", "t1"};
  const auto r = [&] { return kRegisters[rng() % 10]; };
  for (unsigned i = 0; i < 220; ++i) {
    switch (rng() % 16) {
      case 0:
        text += fmt::format("sw {},{}(s1)\n", r(), 4 * (rng() % 32));
        break;
      case 1:
        text += fmt::format("sb {},{}(s1)\n", r(), rng() % 128);
        break;
      case 2:
        text += fmt::format("lw {},{}(s1)\n", r(), 4 * (rng() % 32));
        break;
      case 3:
        text += fmt::format("amoxor.w {},{},(s2)\n", r(), r());
        break;
      case 4:
        text += fmt::format(
            "retry{0}:\n lr.w a0,(s2)\n addi a0,a0,{0}\n sc.w a1,a0,(s2)\n bne a1,zero,retry{0}\n", i);
        break;
      case 5:
        text += fmt::format("div {},{},{}\n", r(), r(), r());
        break;
      case 6:
        text += fmt::format("mulhu {},{},{}\n", r(), r(), r());
        break;
      case 7:
        text += fmt::format("csrrs {},{},zero\n", r(),
                            rng() % 3 == 0 ? "time"
                            : rng() % 2    ? "mcycle"
                                           : "minstret");
        break;
      case 8:
        if (rng() % 2) text += fmt::format("sw {},{}(s0)\n", r(), 0x100 + 4 * (rng() % 8));
        break;
      case 9:
        if (rng() % 2) text += fmt::format("lw {},{}(s0)\n", r(), 0x100 + 4 * (rng() % 8));
        break;
      case 10:
        if (rng() % 3 == 0)
          text += fmt::format("csrrci zero,mstatus,8\n add a2,a2,a0\n csrrsi zero,mstatus,8\n");
        break;
      case 11:
        if (rng() % 6 == 0) text += "wfi\n";
        break;
      case 12:
        if (rng() % 6 == 0) text += rng() % 2 ? "ecall\n" : "lw a3,1(s1)\n";
        break;
      case 13:
        if (rng() % 4 == 0) text += fmt::format("csrrs {},mip,zero\n", r());
        break;
      case 14:
        text += fmt::format("li a7,{0}\nspin{1}:\n addi a7,a7,-1\n add a4,a4,a7\n bne a7,zero,spin{1}\n",
                            1 + rng() % 60, i);
        break;
      default:
        text += fmt::format("add {},{},{}\n", r(), r(), r());
        break;
    }
  }
  return text + R"(
    j loop
handler:
    csrrs t5,mcause,zero
    sw t5,0(s0)             # the device switches the line off
    csrrs t6,mepc,zero
    sw t6,4(s0)
    blt t5,zero,return
    addi t6,t6,4
    csrrw zero,mepc,t6
return:
    lw s10,0(s2)            # changes memory and breaks the reservation of whom it interrupted
    addi s10,s10,1
    sw s10,0(s2)
    mret
    nop
    nop
    nop
    nop
    nop
    nop
    nop
    nop
vectors:
    j handler
    nop
    nop
    j handler
    nop
    nop
    nop
    j handler
    nop
    nop
    nop
    j handler
)";
}

struct Change {
  std::uint64_t at_fs;
  Interrupt line;
  bool level;
};

/// Lines that rise and sometimes fall by themselves, on the core's cycles and between them, often several at
/// one instant, at times many, at times long none.
std::vector<Change> random_changes(std::mt19937& rng) {
  const Interrupt kLines[] = {Interrupt::kSoftware, Interrupt::kTimer, Interrupt::kExternal};
  std::vector<Change> changes;
  std::uint64_t time = 0;
  while (time < kMicroseconds * 1'000'000'000ull) {
    const std::uint64_t cycles = rng() % 10 == 0 ? rng() % 3000 : rng() % 60;
    time += cycles * 1'000'000 + (rng() % 3 == 0 ? rng() % 1'000'000 : 0);
    if (rng() % 3 == 0) time -= time % 1'000'000;
    for (unsigned n = 1 + rng() % 2; n > 0; --n) changes.push_back({time, kLines[rng() % 3], rng() % 4 != 0});
  }
  std::stable_sort(changes.begin(), changes.end(),
                   [](const Change& a, const Change& b) { return a.at_fs < b.at_fs; });
  return changes;
}

class Quantum : public ::testing::TestWithParam<unsigned> {};

TEST_P(Quantum, HasNoInfluence) {
  std::mt19937 rng(GetParam());
  const std::string program = random_program(rng);
  const std::vector<Change> changes = random_changes(rng);
  const bool fine_delays = rng() % 2 != 0;
  RiscvCosts costs;
  if (rng() % 4 == 0) costs.alu = costs.branch_taken = costs.wake = costs.trap = 0;

  // Half of the lines are driven by a process that is older than the cores, half by a younger one.
  Script early("early");
  InstructionObserver nobody;
  std::vector<std::unique_ptr<CoreRig>> rigs;
  const std::vector<std::uint32_t> quanta = {1, 7, 100, 10000, 10000};
  for (const std::uint32_t quantum : quanta) {
    RiscvCoreConfig config;
    config.quantum = quantum;
    config.costs = costs;
    rigs.push_back(std::make_unique<CoreRig>(program, config));
    CoreRig& rig = *rigs.back();
    rig.bus->read = [bus = rig.bus.get()](std::uint32_t offset) {
      return static_cast<std::uint32_t>(bus->log.size() * 77 + offset);
    };
    rig.bus->written = [core = rig.core.get()](std::uint32_t offset, std::uint32_t value) {
      if (offset == 0 && (value >> 31) != 0) core->set_interrupt(static_cast<Interrupt>(value & 31), false);
    };
    rig.bus->delay = [bus = rig.bus.get(), fine_delays] {
      return bus->log.size() % 7 * (fine_delays ? 3'141'593ull : 5'000'000ull);
    };
  }
  rigs.back()->core->add_observer(nobody);  // and the loop for observers
  Script late("late");
  for (const Change& change : changes)
    (change.line == Interrupt::kTimer ? early : late).at_fs(change.at_fs, [&, change] {
      for (const auto& rig : rigs) rig->core->set_interrupt(change.line, change.level);
    });
  run_us(kMicroseconds);

  const auto& expected = rigs[0]->bus->log;
  unsigned interrupts = 0, exceptions = 0;
  for (const ScriptedBus::Access& a : expected)
    if (a.write && a.offset == 0) ++((a.value >> 31) != 0 ? interrupts : exceptions);
  EXPECT_GT(interrupts, 200u);
  EXPECT_GT(expected.size(), 2 * (interrupts + exceptions));
  for (std::size_t i = 1; i < rigs.size(); ++i) {
    EXPECT_FALSE(rigs[i]->faults.faulted());
    const auto& log = rigs[i]->bus->log;
    for (std::size_t k = 0; k < std::min(log.size(), expected.size()); ++k)
      ASSERT_TRUE(log[k] == expected[k])
          << "quantum " << quanta[i] << ", access " << k << " at " << expected[k].time_fs << " or "
          << log[k].time_fs << " fs, pc " << std::hex << expected[k].pc << " or " << log[k].pc;
    ASSERT_EQ(log.size(), expected.size()) << "quantum " << quanta[i];
  }
}

INSTANTIATE_TEST_SUITE_P(Programs, Quantum, ::testing::Range(0u, 24u),
                         [](const auto& info) { return "program_" + std::to_string(info.param); });

// Running ahead does happen: the simulator is asked to wait once a quantum, not once an instruction.
TEST(CoreInterrupts, AQuantumSavesWaits) {
  RiscvCoreConfig config;
  config.quantum = 1000;
  CoreRig rig("loop:\n addi a0,a0,1\n j loop\n", config);
  const auto before = sc_core::sc_delta_count();
  run_us(300);
  EXPECT_GT(rig.core->instructions_executed(), 150'000u);
  EXPECT_LT(sc_core::sc_delta_count() - before, 1000u);
}

}  // namespace
}  // namespace warpvp::riscv::test
