// CCBP as firmware on the whole platform: on either core it finds out and decides what the SystemC controller
// does, and what it cannot work with ends the run with a line.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <tuple>

#include "tests/platform/program.h"

namespace warpvp::test {
namespace {

using testing::HasSubstr;

/// Two kernels, of which one is latency-sensitive and the other network-intensive, on a small part of the
/// paper's machine.
Finished corun(const ScratchFolder& scratch, const std::string& out, const std::vector<std::string>& settings,
               const std::string& queue = "ccbp") {
  const std::string file = scratch.file(
      "corun.yaml",
      "platform: {extends: ccbp_gpu, sms: 4, sm: {memory: {l1: {miss_queue: " + queue +
          "}}}}\nworkload:\n  app: corun\n  params: {k1: {name: backprop, inputs: 32768}, k2: {name: "
          "vector_add, count: 262144}, horizon_cycles: 120000}\n");
  std::vector<std::string> arguments = {"run", file, "--out", scratch / out};
  for (const std::string& setting : settings) {
    arguments.push_back("--set");
    arguments.push_back(setting);
  }
  return run_program(arguments);
}

using Found = std::tuple<int, int, int, int>;  ///< type and CTAs of both kernels

TEST(CcbpFirmware, FindsAndDecidesWhatTheControllerDoes) {
  const ScratchFolder scratch;
  const Finished module =
      corun(scratch, "module",
            {"platform.bandwidth_controller={type: ccbp, warm_up_cycles: 15000, factor_cycles: "
             "6000, type_cycles: 6000, throttle_skip_cycles: 3000, throttle_cycles: 3000, adjust: "
             "false}"});
  ASSERT_EQ(module.status, 0) << module.err;
  const nlohmann::json known = read_json(scratch / "module/result.json")["control"]["bandwidth_controller"];
  const auto of = [&](const char* kernel, const char* what) { return known[kernel][what].get<int>(); };
  const Found expected = {of("kernel_1", "type"), of("kernel_1", "ctas"), of("kernel_2", "type"),
                          of("kernel_2", "ctas")};
  EXPECT_EQ(expected, Found(0, 5, 1, 3));
  for (const char* type : {"native", "riscv"}) {
    const Finished run = corun(
        scratch, type,
        {std::string("platform.command_processor.type=") + type, "platform.command_processor.firmware=ccbp",
         "platform.command_processor.parameters=[0, 2, 30]"});
    ASSERT_EQ(run.status, 0) << run.err;
    EXPECT_THAT(run.out, HasSubstr("results verified")) << type;
    const nlohmann::json words =
        read_json(scratch / type / "result.json")["control"]["command_processor"]["reported"];
    const auto word = [&](unsigned i) { return words["word_" + std::to_string(i)].get<int>(); };
    EXPECT_EQ(word(1), 1) << type << ": kernels that are launched again are the same kernels";
    EXPECT_EQ(word(7), 2) << type << ": kernels";
    EXPECT_EQ(Found(word(8), word(9), word(11), word(12)), expected) << type;
    EXPECT_GT(word(6), 0) << type << ": it has settled";
    for (const unsigned quota : {10u, 13u}) EXPECT_LT(word(quota), 27) << type;
  }
}

TEST(CcbpFirmware, SaysWhatItCannotWorkWith) {
  const ScratchFolder scratch;
  const std::string firmware = "platform.command_processor.firmware=ccbp";
  const Finished assisted =
      corun(scratch, "assisted", {firmware, "platform.command_processor.type=assisted"});
  EXPECT_EQ(assisted.status, 3);
  EXPECT_THAT(assisted.out + assisted.err,
              HasSubstr("type assisted starts kernels before firmware could give them terms"));
  const Finished queue = corun(scratch, "queue", {firmware}, "fifo");
  EXPECT_EQ(queue.status, 3);
  EXPECT_THAT(queue.out + queue.err, HasSubstr("set sm.memory.l1.miss_queue: ccbp"));
  const Finished twice = corun(scratch, "twice", {firmware, "platform.bandwidth_controller=ccbp"});
  EXPECT_EQ(twice.status, 3);
  EXPECT_THAT(twice.out + twice.err, HasSubstr("set bandwidth_controller: none"));
}

}  // namespace
}  // namespace warpvp::test
