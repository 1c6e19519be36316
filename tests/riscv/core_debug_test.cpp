// What debuggers and observers see of the core, and what they can change.

#include <gtest/gtest.h>

#include "tests/riscv/core_rig.h"

namespace warpvp::riscv::test {
namespace {

using ::testing::ElementsAre;

struct Recorder : InstructionObserver {
  std::string objection(const Step& step) override {
    return step.stores && step.address == forbidden ? "this address is not for you" : "";
  }
  void executed(const Step& step) override { steps.push_back(step); }
  void trapped(const TrapEntry& entry) override { traps.push_back(entry); }
  std::vector<Step> steps;
  std::vector<TrapEntry> traps;
  std::uint32_t forbidden = 0;
};

TEST(CoreObserver, SeesEveryInstructionWithItsEffect) {
  CoreRig rig(R"(
    li s0,0x100000
    li s1,0x80001000
    sw s0,4(s1)
    lhu a0,6(s1)
    lw a1,8(s0)
    sb a1,12(s0)
    amoadd.w a2,a0,(s1)
    lr.w a3,(s1)
    sc.w a4,a0,(s1)
    sc.w a4,a0,(s1)
    div a5,a0,a0
end:
    j end
)");
  rig.bus->read = [](std::uint32_t) { return 0x89abcdef; };
  rig.bus->delay = [] { return 50'000'000; };
  Recorder recorder;
  rig.core->add_observer(recorder);
  run_us(1);
  ASSERT_GT(recorder.steps.size(), 15u);
  const auto& s = recorder.steps;
  EXPECT_EQ(s[0].pc, 0x80000000u);
  EXPECT_EQ(s[1].time_fs, 1'000'000u);
  EXPECT_EQ(s[1].rd_value, 0x100000u);
  EXPECT_EQ(s[3].next_pc, 0x80000010u);
  EXPECT_FALSE(s[3].loads || s[3].stores);
  EXPECT_TRUE(s[4].stores && !s[4].loads);  // sw
  EXPECT_EQ(s[4].address, 0x80001004u);
  EXPECT_EQ(s[4].bytes, 4);
  EXPECT_EQ(s[4].stored, 0x100000u);
  EXPECT_TRUE(s[5].loads && !s[5].stores);  // lhu
  EXPECT_EQ(s[5].loaded, 0x10u);
  EXPECT_EQ(s[5].rd_value, 0x10u);
  EXPECT_EQ(s[5].cycles, 2u);
  EXPECT_EQ(s[6].address, 0x100008u);  // lw of the device
  EXPECT_EQ(s[6].loaded, 0x89abcdefu);
  EXPECT_EQ(s[6].cycles, 2u);
  EXPECT_EQ(s[7].time_fs - s[6].time_fs, 52'000'000u);
  EXPECT_EQ(s[7].stored, 0xefu);  // sb
  EXPECT_EQ(s[7].bytes, 1);
  EXPECT_TRUE(s[8].loads && s[8].stores);  // amoadd
  EXPECT_EQ(s[8].loaded, 0u);
  EXPECT_EQ(s[8].stored, 0x10u);
  EXPECT_TRUE(s[9].loads && !s[9].stores);    // lr
  EXPECT_TRUE(s[10].stores && !s[10].loads);  // sc that succeeds
  EXPECT_FALSE(s[11].stores);                 // and one that does not
  EXPECT_EQ(s[12].cycles, 33u);
  EXPECT_EQ(s[13].next_pc, s[13].pc);
}

TEST(CoreObserver, SeesTraps) {
  CoreRig rig(
      "la t0,handler\n csrrw zero,mtvec,t0\n li t0,8\n csrrw zero,mie,t0\n csrrsi zero,mstatus,8\n"
      "lw a0,1(t0)\nhandler:\n la t0,end\n csrrw zero,mepc,t0\n mret\nend:\n j end\n");
  Script script("script");
  script.at_ns(500, [&] { rig.core->set_interrupt(Interrupt::kSoftware, true); });
  Recorder recorder;
  rig.core->add_observer(recorder);
  run_us(0.6);
  ASSERT_GE(recorder.traps.size(), 2u);
  EXPECT_EQ(recorder.traps[0].cause, 4u);
  EXPECT_EQ(recorder.traps[0].pc, 0x8000001cu);
  EXPECT_EQ(recorder.traps[0].value, 9u);
  EXPECT_EQ(recorder.traps[0].handler, rig.program.label("handler"));
  EXPECT_EQ(recorder.traps[1].cause, 0x80000003u);
  EXPECT_EQ(recorder.traps[1].pc, rig.program.label("end"));
  EXPECT_GT(recorder.traps[1].time_fs, 500'000'000u);
  EXPECT_LE(recorder.traps[1].time_fs, 502'000'000u);
}

TEST(CoreObserver, CanObject) {
  CoreRig rig("li s1,0x80001000\n sw s1,0(s1)\n sw s1,8(s1)\n");
  Recorder recorder;
  recorder.forbidden = 0x80001008;
  rig.core->add_observer(recorder);
  run_us(1);
  ASSERT_TRUE(rig.faults.faulted());
  EXPECT_EQ(rig.faults.fault()->summary(),
            "firmware in program+0xc (0x8000000c), sw s1,8(s1): this address is not for you");
  std::uint32_t word = 1;
  rig.core->read_memory(0x80001008, &word, 4);
  EXPECT_EQ(word, 0u) << "it was not executed";
}

struct Stopper : Debugger {
  explicit Stopper(RiscvCore& c) : core(c) {}
  void before_instruction() override {
    ++calls;
    pcs.push_back(core.read_pc());
    if (act) act();
  }
  void accessed(std::uint32_t address, unsigned bytes, bool store) override {
    accesses.push_back({address, bytes, store});
  }
  void faulted(const std::string& what) override {
    fault = what;
    fault_pc = core.read_pc();
  }
  RiscvCore& core;
  unsigned calls = 0;
  std::vector<std::uint32_t> pcs;
  std::vector<std::tuple<std::uint32_t, unsigned, bool>> accesses;
  std::function<void()> act;
  std::string fault;
  std::uint32_t fault_pc = 0;
};

TEST(CoreDebug, ADebuggerIsCalledBeforeEveryInstructionAndAfterEveryAccess) {
  CoreRig rig("li s1,0x80001000\n sh s1,2(s1)\n amoadd.w a0,a0,(s1)\n lb a0,0(zero)\n");
  Stopper stopper(*rig.core);
  rig.core->attach(&stopper);
  run_us(1);
  EXPECT_THAT(stopper.pcs, ElementsAre(0x80000000, 0x80000004, 0x80000008, 0x8000000c, 0x80000010));
  EXPECT_THAT(stopper.accesses,
              ElementsAre(std::make_tuple(0x80001002u, 2u, true), std::make_tuple(0x80001000u, 4u, false),
                          std::make_tuple(0x80001000u, 4u, true)));
  EXPECT_THAT(stopper.fault, ::testing::HasSubstr("load access fault"));
  EXPECT_EQ(stopper.fault_pc, 0x80000010u);
}

TEST(CoreDebug, ADebuggerChangesWhatIsExecuted) {
  CoreRig rig("li s0,0x100000\nloop:\n addi a0,a0,1\n sw a0,0(s0)\n j loop\n");
  Stopper stopper(*rig.core);
  rig.core->attach(&stopper);
  unsigned turn = 0;
  stopper.act = [&] {
    if (rig.core->read_pc() != 0x8000000c) return;
    ++turn;
    const std::uint32_t add_ten = 0x00a50513;
    if (turn == 2) rig.core->write_register(10, 100);
    if (turn == 3) rig.core->write_memory(0x80000008, &add_ten, 4);
    if (turn == 4) rig.core->write_pc(0x80000008);  // once more before the store
    if (turn == 6) rig.core->attach(nullptr);
  };
  run_us(0.05);
  const auto values = rig.values();
  ASSERT_GE(values.size(), 7u);
  EXPECT_THAT(std::vector<std::uint32_t>(values.begin(), values.begin() + 7),
              ElementsAre(1, 100, 101, 121, 131, 141, 151));
  EXPECT_LT(stopper.calls, 30u) << "none after it has gone";
}

TEST(CoreDebug, WhatADebuggerDoesTakesNoTime) {
  const std::string text =
      "li s0,0x100000\n li a1,100\nloop:\n addi a0,a0,1\n mul a2,a0,a0\n sw a2,0(s0)\n bne "
      "a0,a1,loop\nend:\n j end\n";
  CoreRig alone(text), debugged(text);
  Stopper stopper(*debugged.core);
  stopper.act = [&] {
    std::uint32_t word;
    debugged.core->read_memory(0x80000000, &word, 4);
    debugged.core->read_memory(0x00100000, &word, 4);
    debugged.core->csrs();
  };
  debugged.core->attach(&stopper);
  run_us(5);
  EXPECT_TRUE(alone.bus->log == debugged.bus->log);
  EXPECT_EQ(alone.bus->log.size(), 100u);
}

TEST(CoreDebug, MemoryIsReadAndWrittenAsFarAsItGoes) {
  CoreRig rig("end:\n j end\n");
  run_us(0.01);
  std::vector<unsigned char> buffer(64);
  DebugTarget& target = *rig.core;
  EXPECT_EQ(target.read_memory(0x80000000, buffer.data(), 4), 4u);
  EXPECT_EQ(buffer[0], 0x6f);
  EXPECT_EQ(target.read_memory(0x8003fffc, buffer.data(), 64), 4u) << "local memory ends";
  EXPECT_EQ(target.write_memory(0x8003fffe, buffer.data(), 64), 2u);
  EXPECT_EQ(target.read_memory(0x7ffffffe, buffer.data(), 64), 0u);
  EXPECT_EQ(target.read_memory(0, buffer.data(), 64), 0u);
  EXPECT_EQ(target.read_memory(0x001ffff1, buffer.data(), 64), 15u) << "the device ends";
  EXPECT_EQ(buffer[0], 0x5a);
  EXPECT_EQ(target.write_memory(0x001ffffe, buffer.data(), 2), 2u);
  EXPECT_TRUE(rig.bus->log.empty()) << "none of it was an access";
}

TEST(CoreDebug, CsrsAreListedAndWritten) {
  CoreRig rig("end:\n j end\n");
  run_us(0.01);
  const auto csrs = rig.core->csrs();
  EXPECT_TRUE(std::is_sorted(csrs.begin(), csrs.end(),
                             [](const auto& a, const auto& b) { return a.number < b.number; }));
  const auto named = [&](const std::string& name) {
    return std::count_if(csrs.begin(), csrs.end(), [&](const auto& c) { return c.name == name; });
  };
  for (const char* name :
       {"mstatus", "misa", "mie", "mtvec", "mscratch", "mepc", "mcause", "mtval", "mip", "mcycle", "minstret",
        "mcycleh", "minstreth", "cycle", "time", "instret", "mhartid", "mcountinhibit", "mburstlocal",
        "mburstwords", "mburstread", "mburstwrite"})
    EXPECT_EQ(named(name), 1) << name;
  for (const auto& c : csrs) EXPECT_TRUE(rig.core->read_csr(c.number)) << c.name;
  EXPECT_TRUE(rig.core->write_csr(csr::kMscratch, 77));
  EXPECT_EQ(rig.core->read_csr(csr::kMscratch), 77u);
  EXPECT_FALSE(rig.core->write_csr(csr::kMhartid, 77));
  EXPECT_EQ(rig.core->read_csr(0x7c4), std::nullopt);
}

TEST(CoreDebug, SaysWhereItIs) {
  CoreRig rig("nop\n wfi\n nop\n");
  run_us(1);
  EXPECT_EQ(rig.core->describe(), "firmware sleeps after wfi before program+0x8 (0x80000008)");
  EXPECT_TRUE(rig.core->asleep());
  EXPECT_EQ(rig.core->read_pc(), 0x80000008u);
}

}  // namespace
}  // namespace warpvp::riscv::test
