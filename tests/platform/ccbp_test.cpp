// CCBP from YAML to result.json: kernels that share a device under the controller compute what they should,
// the controller finds things out and decides, and everything repeats digit for digit.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <numeric>
#include <sstream>

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
  // Kernels come in the order of their numbers, though K1 begins with clearing its bins.
  EXPECT_LT(ipc(few, "K1"), 0.8 * ipc(many, "K1"));
  EXPECT_LT(ipc(many, "K2"), 0.8 * ipc(few, "K2"));
  const std::string err =
      corun(scratch, "{type: fixed, ctas: [32, 32]}", "too_many", "fifo", 3).get<std::string>();
  EXPECT_NE(err.find("do not fit on an SM"), std::string::npos) << err;
}

// What is measured lies between two moments, whenever launches begin and end.
TEST(Ccbp, CorunMeasuresFromTheWarmUpToTheHorizon) {
  const ScratchFolder scratch;
  const std::string file = scratch.file("corun.yaml",
                                        "platform: {extends: ccbp_gpu, sms: 4}\nworkload:\n  app: corun\n  "
                                        "params: {k1: {name: histogram, words: "
                                        "65536}, k2: {name: vector_add, count: 262144}, warm_up_cycles: "
                                        "50000, horizon_cycles: 100000, counters: "
                                        "\"simulation.warp_instructions streams[name=K1].l1.responses\"}\n");
  const Finished run = run_program({"run", file, "--intervals", "1000", "--out", scratch / "out"});
  ASSERT_EQ(run.status, 0) << run.err;
  const auto result = read_json(scratch / "out" / "result.json");
  const auto& measured = result["measured"];
  const double k1 = measured["K1_instructions"], k2 = measured["K2_instructions"];
  EXPECT_GT(k1, 0);
  EXPECT_GT(k2, 0);
  EXPECT_DOUBLE_EQ(measured["K1_ipc"], k1 / 100000);
  EXPECT_DOUBLE_EQ(measured["K2_ipc"], k2 / 100000);
  EXPECT_EQ(measured["simulation_warp_instructions"], k1 + k2) << "nothing else runs then";
  EXPECT_GT(measured["streams_name_K1__l1_responses"], 0);
  for (const auto& stream : result["streams"])
    if (stream["name"] == "K1") {
      EXPECT_LT(k1, stream["warp_instructions"]);
    }
  // The same by the counters over time: some window of 100 intervals in a row has this sum.
  std::ifstream rows(scratch / "out" / "intervals.csv");
  std::string line, cell;
  std::getline(rows, line);
  std::istringstream heads(line);
  unsigned column = 0;
  while (std::getline(heads, cell, ',') && cell != "sms.issued") ++column;
  std::vector<double> issued;
  while (std::getline(rows, line)) {
    std::istringstream cells(line);
    for (unsigned i = 0; i <= column; ++i) std::getline(cells, cell, ',');
    issued.push_back(std::stod(cell));
  }
  double nearest = 1e30;
  for (std::size_t i = 0; i + 100 <= issued.size(); ++i) {
    const double sum = std::accumulate(issued.begin() + static_cast<std::ptrdiff_t>(i),
                                       issued.begin() + static_cast<std::ptrdiff_t>(i) + 100, 0.0);
    nearest = std::min(nearest, std::abs(sum - (k1 + k2)));
  }
  EXPECT_LT(nearest, 0.01 * (k1 + k2));
}

TEST(Ccbp, CorunNamesCountersThatAreNone) {
  const ScratchFolder scratch;
  const std::string file = scratch.file("corun.yaml",
                                        "platform: small\nworkload:\n  app: corun\n  params: {k1: saxpy, k2: "
                                        "saxpy, horizon_cycles: 1000, counters: "
                                        "sms.isued}\n");
  const Finished run = run_program({"run", file, "--out", scratch / "out"});
  EXPECT_EQ(run.status, 2);
  EXPECT_NE(run.err.find("the statistics have no number 'sms.isued'"), std::string::npos) << run.err;
}

TEST(Ccbp, CorunRefusesAHorizonBeforeItsFirstRound) {
  const ScratchFolder scratch;
  const std::string file =
      scratch.file("corun.yaml",
                   "platform: small\nworkload:\n  app: corun\n  params: {k1: saxpy, k2: saxpy, "
                   "horizon_cycles: 1}\n");
  const Finished run = run_program({"run", file, "--out", scratch / "out"});
  EXPECT_EQ(run.status, 2);
  EXPECT_NE(run.err.find("workload.params.horizon_cycles: it is over before"), std::string::npos) << run.err;
}

TEST(Ccbp, TheHorizonCanBeginWhenTheControllerHasSettled) {
  const ScratchFolder scratch;
  const auto with = [&](const char* params, const char* out, int status) -> nlohmann::json {
    const std::string file =
        scratch.file("corun.yaml", std::string("platform: {extends: ccbp_gpu, sms: 4, sm: {memory: {l1: "
                                               "{miss_queue: ccbp}}}, bandwidth_controller: ") +
                                       kShort +
                                       "}\nworkload:\n  app: corun\n  params: {k1: {name: histogram, words: "
                                       "65536}, k2: {name: vector_add, count: "
                                       "262144}, horizon_cycles: 20000, " +
                                       params + "}\n");
    const Finished run = run_program({"run", file, "--out", scratch / out});
    EXPECT_EQ(run.status, status) << run.err;
    if (run.status != 0) return run.err;
    return read_json(scratch / out / "result.json");
  };
  const auto result = with(
      "warm_up_after: control.bandwidth_controller.settled_at, counters: simulation.cycles "
      "control.bandwidth_controller.windows",
      "settled", 0);
  const double settled = result["control"]["bandwidth_controller"]["settled_at"];
  EXPECT_GT(settled, 25'000) << "the shortest way through the phases";
  EXPECT_EQ(result["measured"]["control_bandwidth_controller_windows"], 0)
      << "none of them is in the horizon";
  EXPECT_GT(result["simulation"]["cycles"], settled + 20'000);
  EXPECT_GT(result["measured"]["K1_instructions"], 0);
  EXPECT_GE(result["measured"]["begin_us"].get<double>() * 1800, settled) << "SM cycles";

  const std::string early = with("warm_up_cycles: 5000", "early", 2);
  EXPECT_NE(
      early.find("workload.params.horizon_cycles: it is over before the bandwidth controller has settled"),
      std::string::npos)
      << early;
  const std::string late =
      with("warm_up_after: control.bandwidth_controller.settled_at, longest_wait_cycles: 10000", "late", 2);
  EXPECT_NE(
      late.find("workload.params.longest_wait_cycles: 'control.bandwidth_controller.settled_at' is still 0"),
      std::string::npos)
      << late;
  const std::string wrong = with("warm_up_after: control.bandwidth_controller.setled", "wrong", 2);
  EXPECT_NE(wrong.find("workload.params.warm_up_after: the statistics have no number"), std::string::npos)
      << wrong;
  const std::string alone =
      with("alone: 1, warm_up_after: control.bandwidth_controller.settled_at", "alone", 2);
  EXPECT_NE(alone.find("with `alone` nothing is divided"), std::string::npos) << alone;
}

double ipc_of(const nlohmann::json& result, const char* kernel) {
  return result["measured"][std::string(kernel) + "_ipc"].get<double>();
}

// K1 has two requests an interval and misses up to 32 lines at a time. What it hands in must not stand before
// what K2 does.
TEST(Ccbp, AKernelShortOfCreditsDoesNotHoldUpTheOther) {
  const ScratchFolder scratch;
  const auto with = [&](const std::string& admission) {
    const std::string file = scratch.file("admission.yaml",
                                          "platform:\n  extends: ccbp_gpu\n  sms: 4\n  sm: {memory: {l1: "
                                          "{miss_queue: {name: ccbp, admission: " +
                                              admission +
                                              "}}}}\n  bandwidth_controller: {type: fixed, ctas: [2, 4], "
                                              "quotas: [2, 0]}\nworkload:\n  app: corun\n"
                                              "  params: {k1: {name: cfd, width: 24, height: 24, depth: 12, "
                                              "window: 384, block: 192}, k2: {name: "
                                              "vector_add, count: 262144}, horizon_cycles: 60000}\n");
    const Finished run = run_program({"run", file, "--out", scratch / admission});
    EXPECT_EQ(run.status, 0) << run.err;
    return ipc_of(read_json(scratch / admission / "result.json"), "K2");
  };
  EXPECT_GT(with("with_room"), 1.5 * with("open"));
}

TEST(Ccbp, ControllersGiveEachKernelItsOwn) {
  const ScratchFolder scratch;
  const auto shared = corun(scratch, "drf", "drf", "fifo");
  const auto parts = corun(scratch, "{type: fixed, spatial: 2, ctas: [1, 7]}", "parts", "fifo");
  EXPECT_LT(ipc_of(parts, "K1"), 0.8 * ipc_of(shared, "K1"));
  EXPECT_GT(ipc_of(parts, "K1"), 0);
  EXPECT_GT(ipc_of(parts, "K2"), 0);
  const auto sliced = corun(
      scratch, "{type: warped_slicer, warm_up_cycles: 3000, sample_cycles: 2000, absent_cycles: 100000}",
      "sliced", "fifo");
  const auto& found = sliced["control"]["bandwidth_controller"];
  EXPECT_GE(found["profiles"], 1);
  EXPECT_GT(found["least_performance"], 0);
  EXPECT_GT(found["kernel_1"]["ctas"], 0);
  EXPECT_GT(found["kernel_2"]["ctas"], 0);
}

// What the search finds is at least as good as a combination from outside it, in force for all of the
// horizon.
TEST(Ccbp, TheSearchFindsACombinationThatIsNotWorse) {
  const ScratchFolder scratch;
  const auto with = [&](const std::string& controller, const char* until, const char* out) {
    const std::string file =
        scratch.file("search.yaml",
                     "platform: {extends: ccbp_gpu, sms: 4, sm: {memory: {l1: {miss_queue: fifo}}}, "
                     "bandwidth_controller: " +
                         controller +
                         "}\nworkload:\n  app: corun\n  params: {k1: {name: histogram, words: 65536}, k2: "
                         "{name: vector_add, count: 262144}, horizon_cycles: 60000, " +
                         until + "}\n");
    const Finished run = run_program({"run", file, "--out", scratch / out});
    EXPECT_EQ(run.status, 0) << run.err;
    return read_json(scratch / out / "result.json");
  };
  const auto searched =
      with("{type: cta_search, settle_cycles: 2000, sample_cycles: 6000, alone_ipc: [4000, 4000]}",
           "warm_up_after: control.bandwidth_controller.settled_at", "searched");
  const auto& found = searched["control"]["bandwidth_controller"];
  EXPECT_EQ(found["combinations"], 7 * 8 / 2) << "CTAs of 256 threads, of which an SM has room for eight";
  const auto fixed = with("{type: fixed, ctas: [1, 1]}", "warm_up_cycles: 60000", "fixed");
  const auto harmonic = [](const nlohmann::json& r) {
    return 2 / (4.0 / ipc_of(r, "K1") + 4.0 / ipc_of(r, "K2"));
  };
  EXPECT_GE(harmonic(searched), harmonic(fixed));
  EXPECT_NEAR(harmonic(searched), found["harmonic"]["speedup"], 0.15 * harmonic(searched));
}

TEST(Ccbp, NeedsMissQueuesThatGiveCredits) {
  const ScratchFolder scratch;
  for (const char* controller : {"ccbp", "{type: fixed, quotas: [5, 5]}", "{type: fixed, sensitive: [1]}"}) {
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
