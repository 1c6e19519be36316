#include "modules/command_processor/observe/instruction_trace.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "tests/observe/steps.h"
#include "tests/support/elf_file.h"

namespace warpvp::riscv {
namespace {

class InstructionTraceTest : public testing::Test {
 protected:
  InstructionTraceTest() {
    ElfFile file;
    file.entry = 0x80000000;
    file.sections = {{".text", 0x80000000, std::vector<std::uint8_t>(0x100), true}};
    file.symbols = {{"main", 0x80000000, 0x80}};
    elf = ElfImage::parse(file.content(), "test.elf");
  }
  ElfImage elf;
};

TEST_F(InstructionTraceTest, ALoadShowsRegisterAndAddress) {
  Step step = step_of(kLwA5S0, 0x8000001c);
  step.time_fs = 1'234'567'891;
  step.loads = true;
  step.address = 0x80000808;
  step.bytes = 4;
  step.rd_value = 0x2a;
  EXPECT_EQ(trace_line(step, elf),
            "      1234.567  8000001c  main+0x1c                     lw a5,8(s0)                     "
            "a5=0000002a [80000808]");
}

TEST_F(InstructionTraceTest, AStoreShowsItsValueInItsWidth) {
  Step step = step_of(kSbA5S0, 0x80000090);
  step.stores = true;
  step.address = 0x80000808;
  step.bytes = 1;
  step.stored = 0xabcd;
  EXPECT_EQ(trace_line(step, elf),
            "         0.000  80000090                                sb a5,8(s0)                     "
            "[80000808]=cd");
}

TEST_F(InstructionTraceTest, AnAtomicOperationShowsAllThree) {
  Step step = step_of(kAmoaddW, 0x80000000);
  step.loads = step.stores = true;
  step.address = 0x80000800;
  step.bytes = 4;
  step.stored = 3;
  step.rd_value = 39;
  EXPECT_EQ(trace_line(step, elf),
            "         0.000  80000000  main                          amoadd.w a0,a1,(a2)             "
            "a0=00000027 [80000800]=00000003");
}

TEST_F(InstructionTraceTest, NothingChangedNothingShown) {
  EXPECT_EQ(trace_line(step_of(kRet, 0x80000004), elf),
            "         0.000  80000004  main+0x4                      jalr zero,0(ra)");
}

TEST_F(InstructionTraceTest, Traps) {
  EXPECT_EQ(trace_line(TrapEntry{2'000'000, 0x80000008, 5, 0x10, 0x80000040}),
            "         2.000  80000008  trap: load access fault, mtval 00000010, handled at 80000040");
  EXPECT_EQ(trace_line(TrapEntry{2'000'000, 0x80000008, 0x8000000b, 0, 0x80000040}),
            "         2.000  80000008  trap: interrupt 11, handled at 80000040");
}

TEST_F(InstructionTraceTest, TheFileHasALineForEach) {
  const std::string path = testing::TempDir() + "instruction_trace_test.txt";
  {
    InstructionTrace trace(path, elf);
    ASSERT_TRUE(trace.good());
    trace.executed(step_of(kNop, 0x80000000));
    trace.trapped({0, 0x80000004, 7, 0, 0x80000040});
    EXPECT_TRUE(trace.finish());
  }
  std::stringstream text;
  text << std::ifstream(path).rdbuf();
  std::filesystem::remove(path);
  EXPECT_EQ(text.str(),
            "         0.000  80000000  main                          addi zero,zero,0\n"
            "         0.000  80000004  trap: store access fault, mtval 00000000, handled at 80000040\n");
}

TEST_F(InstructionTraceTest, AFileThatCannotBeWrittenIsNoticed) {
  EXPECT_FALSE(InstructionTrace("/nowhere/at/all", elf).good());
  InstructionTrace full("/dev/full", elf);
  for (int i = 0; i < 10000; ++i) full.executed(step_of(kNop, 0x80000000));
  EXPECT_FALSE(full.finish());
}

}  // namespace
}  // namespace warpvp::riscv
