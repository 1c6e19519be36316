// Firmware that goes wrong ends the run with exit status 3 and a message that says where and why; what is no
// firmware is refused with exit status 2.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "tests/platform/program.h"

namespace warpvp::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;

Finished run_firmware(const ScratchFolder& scratch, const std::string& firmware,
                      const std::vector<std::string>& more = {}) {
  std::vector<std::string> settings{"platform.command_processor.type=riscv",
                                    "platform.command_processor.firmware=" + firmware};
  settings.insert(settings.end(), more.begin(), more.end());
  return run_app("small", "saxpy", scratch / "run", settings);
}

struct FaultCase {
  std::string firmware;
  std::vector<std::string> settings;
  std::vector<std::string> message_has;
};
void PrintTo(const FaultCase& c, std::ostream* os) { *os << c.firmware; }

class FaultyFirmware : public testing::TestWithParam<FaultCase> {
 protected:
  void SetUp() override {
#ifndef HAVE_FAULTY_FIRMWARE
    GTEST_SKIP() << "built without riscv64-unknown-elf-gcc";
#endif
  }
};

TEST_P(FaultyFirmware, EndsTheRunWithItsPlace) {
  const ScratchFolder scratch;
  const Finished run =
      run_firmware(scratch, FIRMWARE_FOLDER "/" + GetParam().firmware + ".elf", GetParam().settings);
  EXPECT_EQ(run.status, 3) << run.err;
  for (const std::string& part : GetParam().message_has) EXPECT_THAT(run.err, HasSubstr(part));
  const auto result = read_json(scratch / "run/result.json");
  EXPECT_EQ(result["exit_code"], 3);
}

INSTANTIATE_TEST_SUITE_P(
    Shipped, FaultyFirmware,
    testing::Values(
        FaultCase{"illegal_instruction", {}, {"illegal instruction", "illegal_instruction+0x2 (0x80000002)"}},
        FaultCase{"null_load", {}, {"load access fault", "null_load", "lw a0,16(zero)", "0x10"}},
        FaultCase{"wild_store", {}, {"store access fault", "wild_store+0x4", "0x90000000"}},
        FaultCase{"jump_to_null", {}, {"instruction access fault"}},
        FaultCase{"misaligned_load", {}, {"misaligned", "misaligned_load"}},
        FaultCase{"store_to_read_only_register",
                  {},
                  {"store access fault", "store_to_read_only_register", "READY"}},
        FaultCase{"double_fault", {}, {"double fault", "faulty_handler", "load access fault"}},
        FaultCase{"sleep_without_interrupt",
                  {},
                  {"no interrupt", "sleep_without_interrupt", "queue 1: 1 packets waiting"}},
        FaultCase{"spin",
                  {"platform.command_processor.core.progress_limit=10000"},
                  {"10000 instructions", "spin", "queue 1: 4 packets waiting"}},
        FaultCase{"store_for_ever",
                  {"limits.progress_us=100"},
                  {"no progress for 10", "limits.progress_us", "store_for_ever", "queue 1: "}},
        FaultCase{"poll_for_ever",
                  {"platform.command_processor.core.progress_limit=10000"},
                  {"10000 instructions", "poll_for_ever", "MTIME"}},
        FaultCase{"ignore_everything", {}, {"deadlock", "queue 1: 4 packets waiting", "ignore_everything"}},
        FaultCase{"wake_without_clearing",
                  {"platform.command_processor.core.progress_limit=10000"},
                  {"10000 instructions", "wake_without_clearing", "PENDING"}},
        FaultCase{"give_up", {}, {"gave up", "42", "give_up"}}),
    [](const auto& info) { return info.param.firmware; });

TEST(FirmwareFile, ThatCannotRunIsRefusedWithTheRemedy) {
  const ScratchFolder scratch;
  const std::string text = scratch.file("text.elf", "int main(void) { return 0; }\n");
  EXPECT_EQ(run_firmware(scratch, text).status, 2);
  EXPECT_THAT(run_firmware(scratch, text).err, AllOf(HasSubstr("text.elf"), HasSubstr("ELF")));
  const Finished host = run_firmware(scratch, "/bin/sh");  // an ELF file of the host
  EXPECT_EQ(host.status, 2);
  EXPECT_THAT(host.err, HasSubstr("rv32"));
  const Finished unknown = run_firmware(scratch, "rrr");
  EXPECT_EQ(unknown.status, 2);
  EXPECT_THAT(unknown.err, AllOf(HasSubstr("rrr"), HasSubstr("edf"), HasSubstr("priority")));
  const Finished absent = run_firmware(scratch, (scratch / "absent.elf").string());
  EXPECT_EQ(absent.status, 2);
  EXPECT_THAT(absent.err, HasSubstr("absent.elf"));
}

#ifdef HAVE_FAULTY_FIRMWARE
TEST(FirmwareFile, ThatDoesNotFitTheMemoryIsRefused) {
  const ScratchFolder scratch;
  const Finished outside = run_firmware(scratch, FIRMWARE_FOLDER "/outside_memory.elf");
  EXPECT_EQ(outside.status, 2);
  EXPECT_THAT(outside.err, AllOf(HasSubstr("0xa0000000"), HasSubstr("local memory")));
  const Finished entry = run_firmware(scratch, FIRMWARE_FOLDER "/entry_in_nowhere.elf");
  EXPECT_EQ(entry.status, 2);
  EXPECT_THAT(entry.err, AllOf(HasSubstr("entry"), HasSubstr("0x1234")));
}
#endif

}  // namespace
}  // namespace warpvp::test
