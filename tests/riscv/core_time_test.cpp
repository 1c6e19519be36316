// What instructions cost, when devices are accessed, when a sleeping core wakes.

#include <gtest/gtest.h>

#include "tests/riscv/core_rig.h"

namespace warpvp::riscv::test {
namespace {

using ::testing::ElementsAre;

/// Each class its own prime, so that no sum can be another.
RiscvCosts primes() {
  RiscvCosts c;
  c.alu = 2;
  c.multiply = 3;
  c.divide = 101;
  c.load = 7;
  c.store = 11;
  c.branch = 13;
  c.branch_taken = 17;
  c.jump = 19;
  c.csr = 23;
  c.atomic = 29;
  c.trap = 31;
  c.wake = 37;
  return c;
}

// The device is written before and after; s0 is its address, s1 a word in local memory.
const std::string kBefore =
    "li s0,0x100000\n li s1,0x80001000\n la t0,handler\n csrrw zero,mtvec,t0\n sw zero,0(s0)\n";
const std::string kAfter = "\nhandler:\n sw zero,4(s0)\nend:\n j end\n";

TEST(CoreTime, EveryClassOfInstructionHasItsCost) {
  struct Case {
    const char* text;
    unsigned cycles;
  };
  const RiscvCosts c = primes();
  const std::vector<Case> cases = {
      {"", 0},
      {"add a0,a0,a0", c.alu},
      {"lui a0,1", c.alu},
      {"auipc a0,1", c.alu},
      {"srai a0,a0,3", c.alu},
      {"fence", c.alu},
      {"mul a0,a0,a0", c.multiply},
      {"mulhsu a0,a0,a0", c.multiply},
      {"div a0,a0,a0", c.divide},
      {"remu a0,a0,a0", c.divide},
      {"lw a0,0(s1)", c.load},
      {"lbu a0,0(s1)", c.load},
      {"sw a0,0(s1)", c.store},
      {"sb a0,0(s1)", c.store},
      {"bne zero,zero,end", c.branch},
      {"beq zero,zero,here\n ebreak\n here:\n", c.branch_taken},
      {"jal ra,here\n ebreak\n here:\n", c.jump},
      {"csrrs a0,mscratch,zero", c.csr},
      {"csrrs a0,mstatus,zero", c.csr},
      {"fence.i", c.csr},
      {"lr.w a0,(s1)", c.atomic},
      {"sc.w a0,a0,(s1)", c.atomic},
      {"amoadd.w a0,a0,(s1)", c.atomic},
      {"ecall", c.trap},
      {"la t0,handler\n csrrw zero,mepc,t0\n mret", c.alu + c.alu + c.csr + c.csr},
      {"add a0,a0,a0\n div a0,a0,a0\n lw a0,0(s1)", c.alu + c.divide + c.load},
  };
  RiscvCoreConfig config;
  config.costs = c;
  std::vector<std::unique_ptr<CoreRig>> rigs;
  for (const Case& test : cases)
    rigs.push_back(std::make_unique<CoreRig>(kBefore + test.text + kAfter, config));
  run_us(2);
  for (std::size_t i = 0; i < cases.size(); ++i) {
    const auto times = rigs[i]->times();
    ASSERT_EQ(times.size(), 2u) << cases[i].text;
    EXPECT_EQ(times[1] - times[0], c.store + cases[i].cycles) << cases[i].text;
  }
}

TEST(CoreTime, TheClockSetsTheCycle) {
  RiscvCoreConfig slow;
  slow.clock_mhz = 250;
  CoreRig rig(kBefore + "div a0,a0,a0\n csrrs a0,mcycle,zero\n csrrs a1,time,zero" + kAfter, slow);
  run_us(2);
  const auto times = rig.times();
  ASSERT_EQ(times.size(), 2u);
  EXPECT_EQ(times[1] - times[0], (1 + 33 + 2 + 2) * 4);
  EXPECT_EQ(rig.bus->log[1].registers[10], times[1] / 4 - 4) << "cycles since time 0";
  EXPECT_EQ(rig.bus->log[1].registers[11], times[1] - 2 * 4) << "ns since time 0";
}

TEST(CoreTime, FirmwareCanBeFreeOfCost) {
  RiscvCoreConfig config;
  RiscvCosts& c = config.costs;
  for (std::uint32_t* cost : {&c.alu, &c.multiply, &c.divide, &c.load, &c.store, &c.branch, &c.branch_taken,
                              &c.jump, &c.csr, &c.atomic, &c.trap, &c.wake})
    *cost = 0;
  CoreRig rig(
      "li s0,0x100000\n li a0,1000\nloop:\n addi a0,a0,-1\n bne a0,zero,loop\n sw a0,0(s0)\n sw a0,0(s0)\n"
      "csrrwi zero,mie,8\n wfi\n sw a0,0(s0)\nend:\n wfi\n j end\n",
      config);
  rig.bus->delay = [] { return 20'000'000; };
  Script script("script");
  script.at_ns(1000, [&] { rig.core->set_interrupt(Interrupt::kSoftware, true); });
  script.at_ns(1000.5, [&] { rig.core->set_interrupt(Interrupt::kSoftware, false); });
  run_us(3);
  // Only devices take time; asleep, it wakes at the very instant.
  EXPECT_THAT(rig.times(), ElementsAre(0, 20, 1000));
}

TEST(CoreTime, ADevicesDelayComesOnTop) {
  CoreRig rig("li s0,0x100000\n lw a0,0(s0)\n lw a0,0(s0)\n sw a0,0(s0)\n sw a0,0(s0)\nend:\n j end\n");
  rig.bus->delay = [] { return 20'300'000; };
  run_us(1);
  // Two instructions, then loads of 2 cycles and stores of 1.
  EXPECT_THAT(rig.times(), ElementsAre(2, 2 + 22.3, 2 + 2 * 22.3, 2 + 2 * 22.3 + 21.3));
}

// A device that changes at an edge is seen as it is after the edge, whoever comes first in the simulator.
TEST(CoreTime, AnAccessSeesWhatHappensAtItsInstant) {
  std::uint32_t value = 0;
  const auto set = [&] { value = 42; };
  RiscvCoreConfig config;
  std::vector<std::unique_ptr<CoreRig>> rigs;
  for (const std::uint32_t quantum : {1u, 1000u}) {
    config.quantum = quantum;
    rigs.push_back(
        std::make_unique<CoreRig>("li s0,0x100000\n nop\n nop\n nop\n lw a0,0(s0)\nend:\n j end\n", config));
    rigs.back()->bus->read = [&](std::uint32_t) { return value; };
  }
  Script late("late");
  late.at_ns(4.9, [] {});  // so that its next turn is asked for after the cores'
  late.at_ns(5, set);
  run_us(1);
  for (const auto& rig : rigs) {
    EXPECT_THAT(rig->times(), ElementsAre(5));
    EXPECT_THAT(rig->values(), ElementsAre(42));
  }
}

TEST(CoreTime, ASleepingCoreCostsTheSimulatorNothing) {
  CoreRig rig("csrrwi zero,mie,8\n wfi\nend:\n j end\n");
  run_us(1);
  const auto deltas = sc_core::sc_delta_count();
  run_us(1e6);
  EXPECT_LE(sc_core::sc_delta_count() - deltas, 1u);
  EXPECT_EQ(rig.core->instructions_executed(), 2u);
  EXPECT_TRUE(rig.core->asleep());
}

TEST(CoreTime, AnInterruptWakesAtItsTime) {
  RiscvCoreConfig config;
  config.costs.wake = 5;
  CoreRig rig(
      "li s0,0x100000\n li a0,0x800\n csrrw zero,mie,a0\n sw zero,0(s0)\n wfi\n sw zero,4(s0)\nend:\n j "
      "end\n",
      config);
  Script script("script");
  script.at_ns(500, [&] { rig.core->set_interrupt(Interrupt::kTimer, true); });  // not enabled
  script.at_ns(1234.5, [&] { rig.core->set_interrupt(Interrupt::kExternal, true); });
  run_us(2);
  EXPECT_THAT(rig.times(), ElementsAre(6, 1234.5 + 5));
}

TEST(CoreTime, WfiDoesNotSleepWhenAnInterruptIsPending) {
  CoreRig rig(
      "li s0,0x100000\n li a0,0x800\n csrrw zero,mie,a0\n div a1,a1,a1\n sw zero,0(s0)\n wfi\n sw "
      "zero,4(s0)\nend:\n j end\n");
  Script script("script");
  script.at_ns(10, [&] { rig.core->set_interrupt(Interrupt::kExternal, true); });
  run_us(2);
  EXPECT_THAT(rig.times(), ElementsAre(39, 39 + 1 + 2));
}

TEST(CoreTime, StatisticsTellHowItSpentItsTime) {
  CoreRig rig("li s0,0x100000\n lw a0,0(s0)\n csrrwi zero,mie,8\n wfi\nend:\n j end\n");
  struct Values : StatVisitor {
    void value(const char* key, std::uint64_t v, const char*, const char*) override {
      all[key] = static_cast<double>(v);
    }
    void value(const char* key, double v, const char*, const char*) override { all[key] = v; }
    void begin_group(const char*, const char*) override {}
    void end_group() override {}
    std::map<std::string, double> all;
  } values;
  run_us(1);
  rig.core->stats(values);
  EXPECT_EQ(values.all["instructions"], 5);
  EXPECT_EQ(values.all["cycles"], 1000);
  EXPECT_EQ(values.all["device_accesses"], 1);
  EXPECT_DOUBLE_EQ(values.all["sleeping"], (1000 - (2 + 2 + 2 + 2)) / 1000.0) << "also while it still sleeps";
}

}  // namespace
}  // namespace warpvp::riscv::test
