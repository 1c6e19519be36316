// The command processor in the whole platform: apps run alike under every type, and results say what it did.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/platform/program.h"

namespace warpvp::test {
namespace {

using testing::HasSubstr;

const std::string kProcessor = "platform.command_processor.";

class EveryType : public testing::TestWithParam<std::string> {};

TEST_P(EveryType, RunsAnAppAndSaysHow) {
  const ScratchFolder scratch;
  const Finished run = run_app("small", "many_streams", scratch / "run",
                               {kProcessor + "type=" + GetParam(), kProcessor + "decisions=decisions.csv",
                                "workload.params.streams=6", "workload.params.launches=2"});
  ASSERT_EQ(run.status, 0) << run.err;
  const auto result = read_json(scratch / "run/result.json");
  EXPECT_TRUE(result["verified"]);
  ASSERT_GE(result["kernels"].size(), 12u);
  for (const auto& kernel : result["kernels"]) {
    // From the host's call to the first CTA, each step after the one before.
    EXPECT_LE(kernel["enqueued_us"], kernel["doorbell_us"]);
    EXPECT_LT(kernel["doorbell_us"], kernel["launch_us"]);
    EXPECT_LE(kernel["launch_us"], kernel["start_us"]);
  }
  const auto& processor = result["control"]["command_processor"];
  EXPECT_EQ(processor["kernels"], result["kernels"].size());
  EXPECT_EQ(processor["errors"], 0);
  EXPECT_EQ(processor.contains("core"), GetParam() != "hardware");
  const std::string log = read_text(scratch / "run/decisions.csv");
  std::size_t takes = 0;
  for (std::size_t at = 0; (at = log.find(",take,", at)) != std::string::npos; ++at) ++takes;
  EXPECT_EQ(takes, processor["kernels"].get<std::size_t>() + processor["copies"].get<std::size_t>() +
                       processor["barriers"].get<std::size_t>());
}

INSTANTIATE_TEST_SUITE_P(CommandProcessor, EveryType, testing::Values("hardware", "riscv", "native", "assisted"),
                         [](const auto& info) { return info.param; });

struct ProcessorMistake {
  const char* name;
  std::string setting;
  std::string message;
};
void PrintTo(const ProcessorMistake& m, std::ostream* os) { *os << m.name; }

class CommandProcessorMistake : public testing::TestWithParam<ProcessorMistake> {};

TEST_P(CommandProcessorMistake, IsAnInputError) {
  const ScratchFolder scratch;
  const Finished run = run_app("small", "hello", scratch / "run",
                               {kProcessor + "type=riscv", kProcessor + GetParam().setting});
  EXPECT_EQ(run.status, 2);
  EXPECT_THAT(run.err, HasSubstr(GetParam().message));
}

INSTANTIATE_TEST_SUITE_P(
    Shipped, CommandProcessorMistake,
    testing::Values(ProcessorMistake{"type", "type=software", "allowed: assisted, hardware, native, riscv"},
                    ProcessorMistake{"firmware_name", "firmware=nobody",
                                     "command_processor.firmware: no firmware 'nobody'; allowed: "},
                    ProcessorMistake{"firmware_file", "firmware=/nowhere/a.elf", "/nowhere/a.elf"},
                    ProcessorMistake{"parameters", "parameters=[1,2,3,4,5,6,7,8,9]",
                                     "must be at most 8 numbers"},
                    ProcessorMistake{"console", "console=/nowhere/console",
                                     "command_processor.console: cannot write /nowhere/console"},
                    ProcessorMistake{"console_input", "console_input=/nowhere/in", "cannot read /nowhere/in"},
                    ProcessorMistake{"decisions", "decisions=/nowhere/log",
                                     "command_processor.decisions: cannot write /nowhere/log"}),
    [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace warpvp::test
