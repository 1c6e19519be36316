// Firmware that goes wrong ends as a device fault that says where, why, and what it did last.

#include <gtest/gtest.h>

#include "base/error.h"
#include "tests/riscv/core_rig.h"

namespace warpvp::riscv::test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

const std::string kHandler = "la t0,handler\n csrrw zero,mtvec,t0\n";

TEST(CoreFault, AnExceptionWithoutAHandler) {
  struct Case {
    const char* text;
    const char* expected;
    const char* address;
  };
  const std::vector<Case> cases = {
      {"nop\n .word 0xffffffff", "program+0x4 (0x80000004), .4byte 0xffffffff: illegal instruction", nullptr},
      {"li a0,0x40\n sw a1,4(a0)", "program+0x8 (0x80000008), sw a1,4(a0): store access fault", "0x44"},
      {"lw a1,0(zero)", "program (0x80000000), lw a1,0(zero): load access fault", "0x0"},
      {"li a0,0x80001001\n sh a0,0(a0)", "sh a0,0(a0): store address misaligned", "0x80001001"},
      {"li a0,0x90000000\n jalr ra,0(a0)", "0x90000000: instruction access fault", "0x90000000"},
      {"ebreak", "ebreak: breakpoint", nullptr},
      {"ecall", "ecall: environment call", nullptr},
  };
  std::vector<std::unique_ptr<CoreRig>> rigs;
  for (const Case& c : cases) rigs.push_back(std::make_unique<CoreRig>(c.text));
  run_us(1);
  for (std::size_t i = 0; i < cases.size(); ++i) {
    ASSERT_TRUE(rigs[i]->faults.faulted()) << cases[i].text;
    const std::string summary = rigs[i]->faults.fault()->summary();
    EXPECT_THAT(summary, AllOf(StartsWith("firmware in "), HasSubstr(cases[i].expected),
                               HasSubstr("without a trap handler (mtvec was never written)")));
    if (cases[i].address)
      EXPECT_THAT(summary, HasSubstr(std::string(" at address ") + cases[i].address));
    else
      EXPECT_THAT(summary, Not(HasSubstr("at address")));
    EXPECT_TRUE(rigs[i]->core->asleep()) << "it executes no more";
  }
}

TEST(CoreFault, ExceptionsWithAHandlerAreTheFirmwaresOwnAffair) {
  CoreRig rig(kHandler +
              "li s0,0x100000\n lw a0,0(zero)\nhandler:\n csrrs a0,mcause,zero\n sw a0,0(s0)\n"
              "csrrs a0,mtval,zero\n sw a0,0(s0)\nend:\n j end\n");
  run_us(1);
  EXPECT_FALSE(rig.faults.faulted());
  EXPECT_THAT(rig.values(), ::testing::ElementsAre(5, 0));
}

TEST(CoreFault, AnExceptionWithinTheHandlerOfAnException) {
  CoreRig direct(kHandler + "lw a0,0(zero)\nhandler:\n .word 0\n");
  CoreRig after_return(kHandler +
                       "lw a0,0(zero)\nhandler:\n la a0,next\n csrrw zero,mepc,a0\n mret\nnext:\n"
                       "la t0,second\n csrrw zero,mtvec,t0\n ecall\nsecond:\n j second\n");
  CoreRig within_interrupt(kHandler +
                           "li t0,8\n csrrw zero,mie,t0\n csrrsi zero,mstatus,8\nend:\n j end\n"
                           "handler:\n la t0,inner\n csrrw zero,mtvec,t0\n ecall\ninner:\n j inner\n");
  Script script("script");
  script.at_ns(100, [&] { within_interrupt.core->set_interrupt(Interrupt::kSoftware, true); });
  run_us(1);
  ASSERT_TRUE(direct.faults.faulted());
  EXPECT_THAT(direct.faults.fault()->summary(), HasSubstr("double fault: illegal instruction in the handler "
                                                          "of an exception (the first: load access fault, in "
                                                          "program+0xc (0x8000000c))"));
  EXPECT_FALSE(after_return.faults.faulted());
  EXPECT_FALSE(within_interrupt.faults.faulted());
}

TEST(CoreFault, AnInterruptWithoutAHandler) {
  CoreRig rig("csrrwi zero,mie,8\n csrrsi zero,mstatus,8\nend:\n j end\n");
  Script script("script");
  script.at_ns(100, [&] { rig.core->set_interrupt(Interrupt::kSoftware, true); });
  run_us(1);
  ASSERT_TRUE(rig.faults.faulted());
  EXPECT_THAT(rig.faults.fault()->summary(), HasSubstr("interrupt 3 without a trap handler"));
}

TEST(CoreFault, NoProgress) {
  RiscvCoreConfig config;
  config.progress_limit = 5000;
  const auto rig_of = [&](const char* text, std::uint32_t quantum, std::uint64_t limit = 5000) {
    config.quantum = quantum;
    config.progress_limit = limit;
    return std::make_unique<CoreRig>(text, config);
  };
  // 4 instructions, then a loop of 2.
  const char* spin = "li s0,0x100000\n sw zero,0(s0)\n nop\nloop:\n addi a0,a0,1\n j loop\n";
  const auto a = rig_of(spin, 1), b = rig_of(spin, 1000), c = rig_of(spin, 100000);
  const auto reads = rig_of("li s0,0x100000\nloop:\n lw a0,0(s0)\n j loop\n", 1000);
  const auto writes = rig_of("li s0,0x100000\nloop:\n sw a0,0(s0)\n j loop\n", 1000);
  const auto prints =
      rig_of(fmt::format("li s0,{:#x}\nloop:\n sw a0,0(s0)\n j loop\n", regmap::uart::kBase).c_str(), 1000);
  const auto never_sleeps = rig_of("csrrwi zero,mie,8\nloop:\n wfi\n j loop\n", 1000);
  never_sleeps->core->set_interrupt(Interrupt::kSoftware, true);
  const auto sleeps = rig_of("csrrwi zero,mie,8\nloop:\n wfi\n j loop\n", 1000);
  Script script("script");
  for (unsigned n = 1; n <= 4000; ++n)
    script.at_ns(10 * n, [&, n] { sleeps->core->set_interrupt(Interrupt::kSoftware, n % 2 != 0); });
  const auto unlimited = rig_of(spin, 1000, 0);
  InstructionObserver nobody;
  const auto observed = rig_of(spin, 1000);
  observed->core->add_observer(nobody);
  run_us(50);
  for (const CoreRig* rig : {a.get(), b.get(), c.get(), observed.get()}) {
    ASSERT_TRUE(rig->faults.faulted());
    EXPECT_THAT(rig->faults.fault()->summary(), HasSubstr("no progress: more than 5000 instructions"));
    EXPECT_EQ(rig->core->instructions_executed(), 3 + 5001u);
  }
  EXPECT_TRUE(reads->faults.faulted()) << "looking is no progress";
  EXPECT_TRUE(prints->faults.faulted()) << "nor is complaining";
  EXPECT_TRUE(never_sleeps->faults.faulted()) << "nor is wfi that does not sleep";
  EXPECT_FALSE(writes->faults.faulted());
  EXPECT_FALSE(sleeps->faults.faulted());
  EXPECT_GT(sleeps->core->instructions_executed(), 5000u);
  EXPECT_FALSE(unlimited->faults.faulted());
  EXPECT_GT(unlimited->core->instructions_executed(), 20'000u);
}

TEST(CoreFault, AsleepForEver) {
  bool pending = false, external = false, armed = false;
  CoreSurroundings around;
  around.work_pending = [&] { return pending; };
  around.external_enabled = [&] { return external; };
  around.timer_armed = [&] { return armed; };
  CoreRig nothing_enabled("wfi\n", {}, around);
  CoreRig nothing_external("li a0,0x800\n csrrw zero,mie,a0\n wfi\n", {}, around);
  CoreRig no_timer("li a0,0x80\n csrrw zero,mie,a0\n wfi\n", {}, around);
  CoreRig software("csrrwi zero,mie,8\n wfi\n", {}, around);
  run_us(1);
  for (const CoreRig* rig : {&nothing_enabled, &nothing_external, &no_timer, &software})
    EXPECT_FALSE(rig->faults.faulted()) << "nothing to do: let it sleep";
  pending = true;
  external = true;
  for (const CoreRig* rig : {&nothing_enabled, &nothing_external, &no_timer, &software})
    rig->core->work_arrived();
  run_us(1);
  ASSERT_TRUE(nothing_enabled.faults.faulted());
  EXPECT_THAT(
      nothing_enabled.faults.fault()->summary(),
      AllOf(HasSubstr("program (0x80000000), wfi: asleep for ever"), HasSubstr("no interrupt enabled")));
  EXPECT_FALSE(nothing_external.faults.faulted()) << "the controller would report something";
  EXPECT_TRUE(no_timer.faults.faulted());
  EXPECT_FALSE(software.faults.faulted());
  external = false;
  nothing_external.core->work_arrived();
  run_us(1);
  EXPECT_TRUE(nothing_external.faults.faulted());
}

TEST(CoreFault, AsleepForEverIsFoundAtOnceWhenWorkIsThere) {
  CoreSurroundings around;
  around.work_pending = [] { return true; };
  CoreRig rig("wfi\n", {}, around);
  run_us(1);
  EXPECT_TRUE(rig.faults.faulted());
}

TEST(CoreFault, TheFirmwareGivesUp) {
  CoreRig rig("li s0,0x100000\n li a0,3\n sw a0,0x14(s0)\n sw a0,0(s0)\n");
  rig.bus->written = [&](std::uint32_t offset, std::uint32_t value) {
    if (offset == 0x14) rig.core->halt(value);
  };
  run_us(1);
  ASSERT_TRUE(rig.faults.faulted());
  EXPECT_THAT(rig.faults.fault()->summary(),
              HasSubstr("program+0x10 (0x80000010), sw a0,20(s0): the firmware gave up with code 3"));
  EXPECT_EQ(rig.bus->log.size(), 1u) << "nothing after it";
}

TEST(CoreFault, TellsWhatHappenedBefore) {
  CoreSurroundings around;
  around.describe_queues = [] { return "queue 7: 2 packets waiting\n"; };
  std::string text = "li s0,0x100000\n li ra,0x80000004\n li sp,0x80003000\n";
  for (unsigned i = 0; i < 10; ++i) text += fmt::format("lw a0,{}(s0)\n", 4 * i);
  CoreRig rig(text + "ebreak\n", {}, around);
  rig.bus->read = [](std::uint32_t offset) { return 0x1000 + offset; };
  rig.core->bus.name_of = [](std::uint64_t address) { return fmt::format("REGISTER_{:x}", address); };
  run_us(1);
  ASSERT_TRUE(rig.faults.faulted());
  const std::string detail = rig.faults.fault()->detail;
  EXPECT_THAT(detail, AllOf(HasSubstr("ra program+0x4 (0x80000004), sp 0x80003000"),
                            HasSubstr("read REGISTER_100024 -> 0x1024"), HasSubstr("REGISTER_100008"),
                            Not(HasSubstr("REGISTER_100004"))))
      << "the last eight";
  EXPECT_THAT(detail, HasSubstr("queues:\nqueue 7: 2 packets waiting"));
}

TEST(CoreFault, AnImageThatDoesNotFitIsWrongInput) {
  RiscvCoreConfig config;
  config.local_kib = 16;
  std::string long_program;
  for (unsigned i = 0; i < 5000; ++i) long_program += "nop\n";
  EXPECT_THROW(CoreRig(long_program, config), InputError);
}

}  // namespace
}  // namespace warpvp::riscv::test
