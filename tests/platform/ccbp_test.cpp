// CCBP from YAML to result.json: kernels that share a device under the controller compute what they should,
// the controller finds things out and decides, and everything repeats digit for digit.

#include <gtest/gtest.h>

#include "tests/platform/program.h"

namespace warpvp::test {
namespace {

/// Two kernels on a small part of the paper's machine, with detections short enough for a test.
nlohmann::json corun(const ScratchFolder& scratch, const std::string& controller, const std::string& out,
                     const std::string& queue = "ccbp", int status = 0) {
  const std::string file = scratch.file(
      "corun.yaml", "platform:\n  extends: ccbp_gpu\n  sms: 4\n  sm: {memory: {l1: {miss_queue: " + queue +
                        "}}}\n  bandwidth_controller: " + controller +
                        "\nworkload:\n  app: corun\n  params: {k1: {name: histogram, words: 65536}, k2: "
                        "{name: vector_add, count: "
                        "262144}, horizon_cycles: 150000}\n");
  const Finished run = run_program({"run", file, "--out", scratch / out});
  EXPECT_EQ(run.status, status) << run.err;
  if (run.status != 0) return run.err;
  EXPECT_NE(run.out.find("results verified"), std::string::npos) << run.out;
  return read_json(scratch / out / "result.json");
}

constexpr const char* kShort =
    "{type: ccbp, warm_up_cycles: 5000, factor_cycles: 10000, type_cycles: 10000, throttle_skip_cycles: "
    "1000, "
    "throttle_cycles: 3000, adjust_cycles: 10000}";

TEST(Ccbp, TwoKernelsShareTheDeviceUnderTheController) {
  const ScratchFolder scratch;
  const auto result = corun(scratch, kShort, "out");
  const auto& found = result["control"]["bandwidth_controller"];
  EXPECT_EQ(found["detections"], 1) << "kernels that are launched again are the same kernels";
  EXPECT_GE(found["allocations"], 1);
  for (const char* kernel : {"kernel_1", "kernel_2"}) {
    EXPECT_GT(found[kernel]["rf"], 0.3) << kernel;
    EXPECT_GT(found[kernel]["ctas"], 0) << kernel;
    EXPECT_LT(found[kernel]["quota"], 27) << kernel;
  }
  EXPECT_GT(found["kernel_2"]["df"], 0.1) << "3 MiB do not stay in an L2 of 2";
  const double network =
      found["kernel_1"]["network_units"].get<double>() + found["kernel_2"]["network_units"].get<double>();
  const double dram =
      found["kernel_1"]["dram_units"].get<double>() + found["kernel_2"]["dram_units"].get<double>();
  EXPECT_LE(network, 20.000001);
  EXPECT_LE(dram, 20.000001);
  unsigned launches[2] = {0, 0};
  for (const auto& kernel : result["kernels"]) ++launches[kernel["name"] == "K2"];
  EXPECT_GT(launches[0], 1u);
  EXPECT_GT(launches[1], 1u);
}

TEST(Ccbp, RepeatsDigitForDigit) {
  const ScratchFolder scratch;
  auto first = corun(scratch, kShort, "first"), second = corun(scratch, kShort, "second");
  for (auto* result : {&first, &second}) {
    result->erase("host");
    result->erase("provenance");
  }
  EXPECT_EQ(first, second);
}

TEST(Ccbp, NobodyIsThereWhereNobodyIsAskedFor) {
  const ScratchFolder scratch;
  const auto result = corun(scratch, "none", "out", "fifo");
  EXPECT_FALSE(result["control"].contains("bandwidth_controller"));
}

TEST(Ccbp, FixedCombinationsAreKept) {
  const ScratchFolder scratch;
  const auto few = corun(scratch, "{type: fixed, ctas: [1, 7]}", "few", "fifo");
  const auto many = corun(scratch, "{type: fixed, ctas: [7, 1]}", "many", "fifo");
  const auto ipc = [](const nlohmann::json& result, const char* stream) {
    for (const auto& s : result["streams"])
      if (s["name"] == stream) return s["ipc"].get<double>();
    return 0.0;
  };
  // K2 comes first, as the round of K1 begins with clearing its bins: the first number is K2's.
  EXPECT_LT(ipc(few, "K2"), 0.8 * ipc(many, "K2"));
  EXPECT_LT(ipc(many, "K1"), 0.8 * ipc(few, "K1"));
  const std::string err =
      corun(scratch, "{type: fixed, ctas: [32, 32]}", "too_many", "fifo", 3).get<std::string>();
  EXPECT_NE(err.find("do not fit on an SM"), std::string::npos) << err;
}

TEST(Ccbp, NeedsMissQueuesThatGiveCredits) {
  const ScratchFolder scratch;
  for (const char* controller : {"ccbp", "{type: fixed, quotas: [5, 5]}"}) {
    const std::string err = corun(scratch, controller, "out", "fifo", 2).get<std::string>();
    EXPECT_NE(err.find("set sm.memory.l1.miss_queue: ccbp"), std::string::npos) << err;
  }
}

TEST(Ccbp, WrongInputIsNamedWithItsPlace) {
  const ScratchFolder scratch;
  const struct {
    const char *controller, *message;
  } cases[] = {
      {"{type: ccbp, units: 0}", "bandwidth_controller.units"},
      {"{type: ccbp, goal: fairness}", "allowed: one of: hspeedup, wspeedup"},
      {"{type: fixed, ctas: [0]}", "bandwidth_controller.ctas"},
      {"ccpb", "did you mean 'ccbp'"},
  };
  for (const auto& c : cases) {
    const std::string err = corun(scratch, c.controller, "out", "ccbp", 2).get<std::string>();
    EXPECT_NE(err.find(c.message), std::string::npos) << err;
  }
}

}  // namespace
}  // namespace warpvp::test
