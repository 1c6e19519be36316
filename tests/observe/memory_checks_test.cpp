#include "modules/command_processor/observe/memory_checks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/observe/steps.h"
#include "tests/support/elf_file.h"

namespace warpvp::riscv {
namespace {

using testing::HasSubstr;

constexpr std::uint32_t kLocal = 0x80000000, kLocalBytes = 0x10000;

// As the shipped linker script lays it out: stack, stack of the handlers, code, data, the rest free.
ElfFile layout() {
  ElfFile file;
  file.entry = 0x80001000;
  file.sections = {{".stack", kLocal, std::vector<std::uint8_t>(0x900), false},
                   {".text", 0x80001000, std::vector<std::uint8_t>(0x100), true},
                   {".data", 0x80002000, std::vector<std::uint8_t>(0x40), false}};
  file.symbols = {{"main", 0x80001000, 0x100},
                  {"jobs", 0x80002000, 0x30, STT_OBJECT},
                  {"__stack_limit", kLocal, 0, STT_NOTYPE},
                  {"__stack_top", 0x80000800, 0, STT_NOTYPE},
                  {"__trap_stack_top", 0x80000900, 0, STT_NOTYPE},
                  {"__free_start", 0x80004000, 0, STT_NOTYPE},
                  {"__free_end", 0x80010000, 0, STT_NOTYPE}};
  return file;
}

Step access(std::uint32_t bits, std::uint32_t address, unsigned bytes) {
  Step step = step_of(bits, 0x80001000);
  step.address = address;
  step.bytes = static_cast<std::uint8_t>(bytes);
  const Op op = step.instruction.op;
  step.loads = op == Op::kLw || op == Op::kAmoadd;
  step.stores = op == Op::kSw || op == Op::kSb || op == Op::kAmoadd;
  return step;
}

class MemoryChecksTest : public testing::Test {
 protected:
  std::string load(std::uint32_t address) { return checks.objection(access(kLwA5S0, address, 4)); }
  std::string store(std::uint32_t address) { return checks.objection(access(kSwA5S0, address, 4)); }
  void set_sp(std::uint32_t value) {
    Step step = step_of(kAddiSp16, 0x80001000);
    step.rd_value = value;
    checks.executed(step);
  }

  ElfImage elf = ElfImage::parse(layout().content(), "test.elf");
  MemoryChecks checks{elf, kLocal, kLocalBytes};
};

TEST_F(MemoryChecksTest, WhatBelongsToTheFirmwareMayBeAccessed) {
  for (const std::uint32_t address :
       {0x80000000u, 0x800008fcu, 0x80002000u, 0x8000203cu, 0x80004000u, 0x8000fffcu}) {
    EXPECT_EQ(load(address), "") << address;
    EXPECT_EQ(store(address), "") << address;
  }
  EXPECT_EQ(load(0x80001000), "") << "constants may lie in code";
}

TEST_F(MemoryChecksTest, DevicesAnswerForThemselves) {
  for (const std::uint32_t address : {0x00100000u, 0x3ffffffcu, 0xc0000000u, 0xfffffffcu})
    EXPECT_EQ(store(address), "") << address;
}

TEST_F(MemoryChecksTest, NullPointers) {
  EXPECT_EQ(load(0), "null pointer: load of 4 bytes at 0x00000000");
  EXPECT_EQ(checks.objection(access(kSbA5S0, 0xfff, 1)), "null pointer: store of 1 byte at 0x00000fff");
  EXPECT_THAT(load(0x1000), HasSubstr("wild"));
}

TEST_F(MemoryChecksTest, AddressesWithNothingBehindThem) {
  for (const std::uint32_t address :
       {0x00001000u, 0x000ffffcu, 0x40000000u, 0x7ffffffcu, 0x80010000u, 0xbffffffcu})
    EXPECT_THAT(load(address),
                testing::AllOf(HasSubstr("wild load of 4 bytes at 0x"), HasSubstr("nothing is there")))
        << address;
}

TEST_F(MemoryChecksTest, HolesInLocalMemory) {
  EXPECT_EQ(
      load(0x80002040),
      "wild load of 4 bytes at 0x80002040: test.elf has nothing there, 16 bytes behind the end of jobs");
  EXPECT_THAT(store(0x80003ffc), HasSubstr("wild store"));
  EXPECT_THAT(store(0x8000203e), HasSubstr("wild store")) << "half of it lies in the hole";
  EXPECT_THAT(load(0x800008fe), HasSubstr("wild load"));
}

TEST_F(MemoryChecksTest, StoresToCode) {
  EXPECT_EQ(store(0x80001010), "store of 4 bytes at 0x80001010 writes to code, in main+0x10");
  EXPECT_EQ(checks.objection(access(kAmoaddW, 0x800010fc, 4)),
            "atomic access of 4 bytes at 0x800010fc writes to code, in main+0xfc");
}

TEST_F(MemoryChecksTest, JumpsToWhereThereIsNoCode) {
  checks.executed(step_of(kJalrRaA0, 0x80001020));
  EXPECT_EQ(checks.objection(step_of(kNop, 0)),
            "null pointer: jump to 0x00000000, where there is no code, from main+0x20 (0x80001020)");
  EXPECT_EQ(checks.objection(step_of(kNop, 0x80002000)),
            "wild jump to 0x80002000, where there is no code, from main+0x20 (0x80001020)");
  EXPECT_EQ(checks.objection(step_of(kNop, 0x800010fe)), "");
  EXPECT_THAT(checks.objection(step_of(kNop, 0x80001100)), HasSubstr("wild jump"));
}

TEST_F(MemoryChecksTest, TheStackPointerStaysInItsStack) {
  const Step push = step_of(kAddiSpMinus16, 0x80001000);
  EXPECT_EQ(checks.objection(push), "") << "not known yet where the stack is";
  set_sp(0x80000800);
  EXPECT_EQ(checks.objection(push), "");
  set_sp(0x80000010);
  EXPECT_EQ(checks.objection(push), "") << "down to the limit";
  set_sp(0x80000008);
  EXPECT_EQ(checks.objection(push),
            "stack overflow: sp would be 0x7ffffff8, 8 bytes below __stack_limit of a stack of 2048 bytes");
  EXPECT_EQ(checks.objection(step_of(kAddiSp16, 0x80001000)), "");
}

TEST_F(MemoryChecksTest, HandlersHaveAStackOfTheirOwn) {
  const Step push = step_of(kAddiSpMinus16, 0x80001000);
  set_sp(0x80000900);
  EXPECT_EQ(checks.objection(push), "");
  set_sp(0x80000808);
  EXPECT_THAT(checks.objection(push), HasSubstr("8 bytes below __stack_top of a stack of 256 bytes"));
}

TEST_F(MemoryChecksTest, TheHighWaterMarkIsThatOfTheMainStack) {
  EXPECT_EQ(checks.stack_high_water(), std::nullopt);
  for (const std::uint32_t sp : {0x80000800u, 0x800007c0u, 0x80000820u, 0x80000700u, 0x80000800u}) set_sp(sp);
  EXPECT_EQ(checks.stack_high_water(), 0x100u);
  EXPECT_EQ(checks.stack_bytes(), 0x800u);
}

TEST_F(MemoryChecksTest, WithoutTheSymbolsTheStackIsNotChecked) {
  ElfFile file = layout();
  file.symbols.clear();
  const ElfImage bare = ElfImage::parse(file.content(), "bare.elf");
  MemoryChecks unaware(bare, kLocal, kLocalBytes);
  Step step = step_of(kAddiSp16, 0x80001000);
  step.rd_value = 0x80000008;
  unaware.executed(step);
  EXPECT_EQ(unaware.objection(step_of(kAddiSpMinus16, 0x80001000)), "");
  EXPECT_EQ(unaware.stack_high_water(), std::nullopt);
}

TEST_F(MemoryChecksTest, AccessesThatTheHardwareRefuses) {
  EXPECT_EQ(checks.objection(Cause::kStoreAccess, 0x00110044), "store access fault at 0x00110044");
  EXPECT_EQ(checks.objection(Cause::kLoadMisaligned, 0x80002002), "load address misaligned at 0x80002002");
  EXPECT_EQ(checks.objection(Cause::kMachineCall, 0), "");
  EXPECT_EQ(checks.objection(Cause::kIllegalInstruction, 0), "") << "the handler's business";
}

}  // namespace
}  // namespace warpvp::riscv
