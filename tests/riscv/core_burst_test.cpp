// Bursts: words between local memory and elsewhere in one access.

#include <gtest/gtest.h>

#include "tests/riscv/core_rig.h"

namespace warpvp::riscv::test {
namespace {

using ::testing::ElementsAre;

// s0: the device, s1: local memory; a trap handler that writes mcause and mtval to the device.
const std::string kBegin =
    "li s0,0x100000\n li s1,0x80001000\n la t0,handler\n csrrw zero,mtvec,t0\n csrrw zero,mburstlocal,s1\n";
const std::string kEnd =
    "\nend:\n j end\nhandler:\n csrrs a0,mcause,zero\n sw a0,0x40(s0)\n csrrs a0,mtval,zero\n sw a0,0x44(s0)\n j end\n";

std::string burst(unsigned words, const std::string& csr, const std::string& address = "s0") {
  return "li a1," + std::to_string(words) + "\n csrrw zero,mburstwords,a1\n csrrw zero," + csr + "," + address + "\n";
}

TEST(CoreBurst, ReadsWordsIntoLocalMemory) {
  CoreRig rig(kBegin + burst(3, "mburstread") + "lw a2,0(s1)\n lw a3,8(s1)\n lw a4,12(s1)\n sw a2,0x80(s0)\n" + kEnd);
  rig.bus->read = [](std::uint32_t offset) { return 100 + offset; };
  run_us(1);
  ASSERT_EQ(rig.bus->log.size(), 2u) << "one access, and the store";
  EXPECT_EQ(rig.bus->log[0].bytes, 12u);
  EXPECT_FALSE(rig.bus->log[0].write);
  EXPECT_EQ(rig.core->read_register(12), 100u);
  EXPECT_EQ(rig.core->read_register(13), 108u);
  EXPECT_EQ(rig.core->read_register(14), 0u) << "not more than asked for";
}

TEST(CoreBurst, WritesWordsFromLocalMemory) {
  CoreRig rig(kBegin + "li a0,7\n sw a0,0(s1)\n li a0,8\n sw a0,4(s1)\n" + burst(2, "mburstwrite") + kEnd);
  run_us(1);
  ASSERT_EQ(rig.bus->log.size(), 1u);
  EXPECT_TRUE(rig.bus->log[0].write);
  EXPECT_THAT(rig.bus->log[0].words, ElementsAre(7, 8));
}

TEST(CoreBurst, TakesOneAccessAndEachWordsCost) {
  RiscvCoreConfig config;
  config.costs.burst_word = 5;
  std::vector<std::unique_ptr<CoreRig>> rigs;
  for (unsigned words : {1u, 64u}) {
    rigs.push_back(std::make_unique<CoreRig>(kBegin + burst(words, "mburstread") + "sw zero,0x80(s0)\n" + kEnd, config));
    rigs.back()->bus->delay = [] { return 20'000'000; };
  }
  run_us(2);
  std::vector<std::uint64_t> took;
  for (const auto& rig : rigs) {
    ASSERT_EQ(rig->bus->log.size(), 2u);
    took.push_back((rig->bus->log[1].time_fs - rig->bus->log[0].time_fs) / 1'000'000);
  }
  EXPECT_THAT(took, ElementsAre(20 + 2 + 5, 20 + 2 + 64 * 5));
}

TEST(CoreBurst, CodeThatIsOverwrittenIsDecodedAnew) {
  // The instruction at `patched` becomes "addi a2,zero,9".
  CoreRig rig("li s0,0x100000\n la s1,patched\n csrrw zero,mburstlocal,s1\n li a5,0\nagain:\npatched:\n addi a2,zero,1\n"
              "bne a5,zero,done\n li a5,1\n" + burst(1, "mburstread") + "j again\ndone:\n sw a2,0x80(s0)\nend:\n j end\n");
  rig.bus->read = [](std::uint32_t) { return 0x00900613u; };
  run_us(1);
  EXPECT_EQ(rig.core->read_register(12), 9u);
}

struct Wrong {
  const char* name;
  std::string text;
  std::uint32_t cause, address;
};
TEST(CoreBurst, WhatMayNotBeDoneIsAnAccessFault) {
  const std::vector<Wrong> cases = {
      {"none", burst(0, "mburstread"), 5, 0x100000},
      {"too many", burst(65, "mburstwrite"), 7, 0x100000},
      {"into nowhere", "li a0,0x90000000\n csrrw zero,mburstlocal,a0\n" + burst(1, "mburstread"), 5, 0x100000},
      {"crooked", "addi a0,s1,2\n csrrw zero,mburstlocal,a0\n" + burst(1, "mburstread"), 5, 0x100000},
      {"nobody answers", "li a0,0x300000\n" + burst(1, "mburstwrite", "a0"), 7, 0x300000},
  };
  std::vector<std::unique_ptr<CoreRig>> rigs;
  for (const Wrong& c : cases) rigs.push_back(std::make_unique<CoreRig>(kBegin + c.text + kEnd));
  run_us(1);
  for (std::size_t i = 0; i < cases.size(); ++i) {
    ASSERT_EQ(rigs[i]->bus->log.size(), 2u) << cases[i].name;
    EXPECT_EQ(rigs[i]->bus->log[0].value, cases[i].cause) << cases[i].name;
    EXPECT_EQ(rigs[i]->bus->log[1].value, cases[i].address) << cases[i].name;
  }
}

}  // namespace
}  // namespace warpvp::riscv::test
