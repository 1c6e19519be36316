// Policies that go wrong, on the RISC-V core: what their user reads.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/platform/program.h"

namespace warpvp::test {
namespace {

using testing::HasSubstr;

struct Case {
  const char* policy;
  std::vector<std::string> console, message;
};
void PrintTo(const Case& c, std::ostream* out) { *out << c.policy; }

class FaultyPolicy : public testing::TestWithParam<Case> {
 protected:
  void SetUp() override {
#ifndef HAVE_FIRMWARE_COMPILER
    GTEST_SKIP() << "built without riscv64-unknown-elf-gcc";
#endif
  }
};

TEST_P(FaultyPolicy, SaysWhatHappenedAndWhere) {
  const ScratchFolder scratch;
  const Finished run = run_app(
      "small", "vector_add", scratch / "out",
      {"platform.command_processor.type=riscv", "platform.command_processor.console=console.txt",
       std::string("platform.command_processor.firmware=" FIRMWARE_FOLDER "/") + GetParam().policy + ".elf"});
  EXPECT_EQ(run.status, 3);
  const std::string console = read_text(scratch / "out/console.txt");
  for (const std::string& text : GetParam().console) EXPECT_THAT(console, HasSubstr(text));
  for (const std::string& text : GetParam().message) EXPECT_THAT(run.err, HasSubstr(text));
  EXPECT_THAT(run.err, HasSubstr("QUEUES.READY[3]")) << "what led to it, not the console";
  EXPECT_THAT(run.err, HasSubstr("queue 1: ")) << "and what waits";
}

INSTANTIATE_TEST_SUITE_P(
    Policies, FaultyPolicy,
    testing::Values(
        Case{"wild_store",
             {"panic: trap: store access fault (mcause 00000007) at pc 8000", "mtval 90000000\n  ra 8000",
              "  t6 "},
             {"code 1 (an unexpected trap); it was handling store access fault in store_wildly+0x",
              "mtval 0x90000000"}},
        // The stack is the lowest of local memory: the store that leaves it is the one that is named.
        Case{"stack_overflow",
             {"panic: trap: store access fault", ", mtval 7fffff"},
             {"it was handling store access fault in ", "mtval 0x7fffff"}},
        Case{"assertion",
             {"128 queues, first 1\npanic: tests/firmware/faulty_policies/assertion.c:8: hal_machine.queues "
              "== 5 "
              "does not hold\n"},
             {"the firmware gave up with code 2 (a failed assertion)"}},
        Case{"aborts", {"panic: abort\n"}, {"the firmware gave up with code 2 (a failed assertion)"}},
        Case{"asserts",
             {"panic: tests/firmware/faulty_policies/asserts.c:7: pick: can_start == 0 does not hold\n"},
             {"the firmware gave up with code 2 (a failed assertion)"}},
        Case{"exits",
             {"panic: the firmware ended with status 4\n"},
             {"gave up with code 5 (the end of main)"}}),
    [](const auto& info) { return info.param.policy; });

// A policy of several files in C and C++, with a constructor, on a core alone and beside hardware.
TEST(LibraryPolicy, MayHaveSeveralFilesAndBeInCPlusPlus) {
#ifndef HAVE_FIRMWARE_COMPILER
  GTEST_SKIP() << "built without riscv64-unknown-elf-gcc";
#endif
  for (const char* type : {"riscv", "assisted"}) {
    const ScratchFolder scratch;
    const std::string cp = "platform.command_processor.";
    const Finished run = run_app(
        "small", "vector_add", scratch / "out",
        {cp + "type=" + type, cp + "console=console.txt", cp + "firmware=" FIRMWARE_FOLDER "/two_files.elf"});
    EXPECT_EQ(run.status, 0) << run.err;
    const std::string console = read_text(scratch / "out/console.txt");
    EXPECT_EQ(console,
              std::string(type) == "riscv" ? "constructed with 41\nhelped once\n" : "constructed with 41\n");
  }
}

}  // namespace
}  // namespace warpvp::test
