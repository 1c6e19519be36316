// Profiles of executions a few instructions long, added up by hand.

#include "modules/command_processor/observe/function_profile.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/observe/steps.h"
#include "tests/support/elf_file.h"

namespace warpvp::riscv {
namespace {

constexpr std::uint64_t kPeriod = 1'000'000;  // 1 ns
// Functions of 0x100 bytes.
constexpr std::uint32_t kMain = 0x80000000, kF = 0x80000100, kG = 0x80000200, kHandler = 0x80000300;

ElfImage image() {
  ElfFile file;
  file.entry = kMain;
  file.sections = {{".text", kMain, std::vector<std::uint8_t>(0x400), true}};
  file.symbols = {{"main", kMain, 0x100}, {"f", kF, 0x100}, {"g", kG, 0x100}, {"handler", kHandler, 0x80}};
  return ElfImage::parse(file.content(), "test.elf");
}

class FunctionProfileTest : public testing::Test {
 protected:
  /// Executes an instruction at pc, in `cycles`, and goes on at `next`.
  void run(std::uint32_t bits, std::uint64_t cycles = 1, std::uint32_t next = 0, std::uint64_t waits = 0) {
    Step step = step_of(bits, pc, cycles);
    if (next != 0) step.next_pc = next;
    step.time_fs = time;
    profile.executed(step);
    pc = step.next_pc;
    time += (cycles + waits) * kPeriod;
  }
  FunctionProfile::Function of(const std::string& name) {
    if (result.empty()) result = profile.finish(time);
    for (const auto& f : result)
      if (f.name == name) return f;
    ADD_FAILURE() << "no function " << name;
    return {};
  }
  void expect(const std::string& name, std::uint64_t calls, std::uint64_t self, std::uint64_t inclusive) {
    const auto f = of(name);
    EXPECT_EQ(f.calls, calls) << name;
    EXPECT_EQ(f.self, self) << name;
    EXPECT_EQ(f.inclusive, inclusive) << name;
  }

  ElfImage elf = image();
  FunctionProfile profile{elf, kPeriod};
  std::uint32_t pc = kMain;
  std::uint64_t time = 0;
  std::vector<FunctionProfile::Function> result;
};

TEST_F(FunctionProfileTest, ACallAndItsReturn) {
  run(kNop);
  run(kJalRa, 2, kF);
  run(kNop, 10);
  run(kRet, 2, kMain + 8);
  run(kNop);
  expect("main", 1, 4, 16);
  expect("f", 1, 12, 12);
  EXPECT_EQ(of("main").instructions, 3u);
  EXPECT_EQ(profile.cycles(), 16u);
}

TEST_F(FunctionProfileTest, CallsOfCallsCountInAllTheirCallers) {
  run(kJalrRaA0, 2, kF);  // main calls f through a pointer
  run(kJalRa, 2, kG);
  run(kNop, 5);
  run(kRet, 2, kF + 4);
  run(kJalRa, 2, kG);
  run(kRet, 2, kF + 8);
  run(kRet, 2, kMain + 4);
  run(kNop);
  expect("main", 1, 3, 18);
  expect("f", 1, 6, 15);
  expect("g", 2, 9, 9);
}

TEST_F(FunctionProfileTest, RecursionCountsInclusiveCyclesOnce) {
  run(kJalRa, 1, kF);
  run(kJalRa, 1, kF);
  run(kJalRa, 1, kF);
  run(kRet, 1, kF + 4);
  run(kRet, 1, kF + 4);
  run(kRet, 1, kMain + 4);
  run(kNop);
  expect("f", 3, 5, 5);
  expect("main", 1, 2, 7);
}

TEST_F(FunctionProfileTest, ATailCallReturnsToTheCallersCaller) {
  run(kJalRa, 1, kF);
  run(kNop, 3);
  run(kJ, 1, kG);
  run(kNop, 5);
  run(kRet, 1, kMain + 4);
  run(kNop);
  expect("f", 1, 4, 4);
  expect("g", 1, 6, 6);
  expect("main", 1, 2, 12);
}

TEST_F(FunctionProfileTest, AJumpThroughAPointerToAnotherFunctionIsATailCall) {
  run(kJalRa, 1, kF);
  run(kJrA0, 1, kG);
  run(kRet, 1, kMain + 4);
  run(kNop);
  expect("f", 1, 1, 1);
  expect("g", 1, 1, 1);
}

TEST_F(FunctionProfileTest, AJumpWithinAFunctionIsNoCall) {
  run(kNop);
  run(kJ, 1, kMain);
  run(kJrA0, 1, kMain + 0x20);
  run(kNop);
  expect("main", 1, 4, 4);
}

TEST_F(FunctionProfileTest, TheAlternateLinkRegisterCallsAndReturnsToo) {
  run(kJalRa, 1, kF);
  run(kJalT0, 1, kG);  // how functions call the routines that save their registers
  run(kNop, 7);
  run(kJrT0, 1, kF + 4);
  run(kNop);
  run(kRet, 1, kMain + 4);
  run(kNop);
  expect("g", 1, 8, 8);
  expect("f", 1, 3, 11);
  expect("main", 1, 2, 13);
}

TEST_F(FunctionProfileTest, AReturnOverSeveralFramesEndsThemAll) {
  run(kJalRa, 1, kF);
  run(kJalRa, 1, kG);
  run(kRet, 1, kMain + 4);  // as longjmp does
  run(kNop);
  expect("g", 1, 1, 1);
  expect("f", 1, 1, 2);
  expect("main", 1, 2, 4);
}

TEST_F(FunctionProfileTest, AHandlerIsCalledByTheTrapAndLeftByMret) {
  run(kJalRa, 1, kF);
  run(kNop);
  profile.trapped({time, pc, 0x8000000b, 0, kHandler});
  pc = kHandler;
  run(kNop, 4);
  run(kMret, 2, kF + 4);
  run(kNop);
  run(kRet, 1, kMain + 4);
  run(kNop);
  expect("handler", 1, 6, 6);
  expect("f", 1, 3, 9);
  expect("main", 1, 2, 11);
}

TEST_F(FunctionProfileTest, WaitingForDevicesAndSleepAreNoCycles) {
  run(kLwA5S0, 2, 0, 30);
  run(kWfi, 1, 0, 500);
  run(kNop);
  EXPECT_EQ(of("main").waited_fs, 30 * kPeriod);
  EXPECT_EQ(profile.asleep_fs(), 500 * kPeriod);
  expect("main", 1, 4, 4);
}

TEST_F(FunctionProfileTest, CodeWithoutSymbolsIsOneFunction) {
  pc = 0x80000380;  // behind the handler
  run(kNop, 3);
  expect("(no symbol)", 1, 3, 3);
}

TEST_F(FunctionProfileTest, SortedBySelfCyclesThenName) {
  run(kJalRa, 1, kF);
  run(kNop, 8);
  run(kRet, 1, kMain + 4);
  run(kJalRa, 8, kG);
  run(kNop, 9);
  const auto sorted = profile.finish(time);
  ASSERT_EQ(sorted.size(), 3u);
  EXPECT_EQ(sorted[0].name, "f");
  EXPECT_EQ(sorted[1].name, "g");
  EXPECT_EQ(sorted[2].name, "main");
}

TEST_F(FunctionProfileTest, CallsThatNeverReturn) {
  for (int i = 0; i < 10000; ++i) run(kJalRa, 1, kMain);
  expect("main", 10001, 10000, 10000);
}

TEST_F(FunctionProfileTest, TheTextHasALineForEachFunction) {
  run(kJalRa, 1, kF);
  run(kNop, 8, 0, 2000);
  run(kRet, 1, kMain + 4);
  EXPECT_EQ(profile_text(profile, time),
            "3 instructions in 10 cycles; asleep 0.000 of 2.010 us\n"
            "self: cycles of the function's own instructions; inclusive: with what it calls; waits: its own\n"
            "accesses to devices took so much longer\n\n"
            "     calls  instructions          self   self%     inclusive   incl%      waits us  function\n"
            "         1             2             9   90.00             9   90.00         2.000  f\n"
            "         1             1             1   10.00            10  100.00         0.000  main\n");
}

}  // namespace
}  // namespace warpvp::riscv
