// A process that faults ends alone, whatever schedules the device: its kernels leave the SMs, its queues are
// drained, and the others go on with right results.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "tests/platform/program.h"

namespace warpvp::test {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

const char* const kVictim = "    - {app: victim, params: {launches: 4}}\n";

struct ContainedRun {
  Finished finished;
  nlohmann::json result;
};

ContainedRun run_processes(const std::string& platform, const std::string& processes,
                           const std::string& more = "") {
  const ScratchFolder scratch;
  const std::string file = scratch.file("run.yaml", "platform: {extends: small, mmu: page_tables" + platform +
                                                        "}\nworkload:\n  processes:\n" + processes + more);
  ContainedRun ran;
  ran.finished = run_program({"run", file, "--quiet", "--out", (scratch / "out").string()});
  if (std::filesystem::exists(scratch / "out/result.json")) ran.result = read_result(scratch / "out");
  return ran;
}

void expect_right(const nlohmann::json& process) {
  EXPECT_EQ(process["state"], "finished") << process["name"];
  EXPECT_EQ(process["verified"], true) << process["name"];
}

/// The processes around a kernel that goes wrong with many CTAs under way, behind which others wait.
std::string around(const std::string& kind) {
  return std::string(kVictim) + "    - {app: fault, params: {kind: " + kind + "}, arrival_us: 10}\n" +
         "    - {app: reduction}\n    - {app: histogram, arrival_us: 15}\n";
}

class Kinds : public testing::TestWithParam<const char*> {};

TEST_P(Kinds, OfFaultsEndTheirProcessAlone) {
  const ContainedRun ran = run_processes("", around(GetParam()));
  EXPECT_EQ(ran.finished.status, 3) << ran.finished.err;
  EXPECT_THAT(ran.finished.err, StartsWith("warpvp: process fault: "));
  ASSERT_FALSE(ran.result.is_null());
  const auto& processes = ran.result["processes"];
  EXPECT_EQ(processes[1]["state"], "faulted");
  EXPECT_THAT(ran.finished.err, HasSubstr(processes[1]["fault"].get<std::string>()));
  for (const unsigned innocent : {0u, 2u, 3u}) expect_right(processes[innocent]);
  EXPECT_FALSE(ran.result["verified"]) << "one has not";
  for (const auto& kernel : ran.result["kernels"]) {
    EXPECT_EQ(kernel["killed"], kernel["context"] == processes[1]["context"]) << kernel["name"];
    EXPECT_EQ(kernel["killed"], kernel["ctas_done"] < kernel["ctas"]) << kernel["name"];
  }
}

INSTANTIATE_TEST_SUITE_P(Each, Kinds,
                         testing::Values("out_of_bounds", "misaligned", "trapped", "failed_assertion"),
                         [](const auto& info) { return std::string(info.param); });

class Machines : public testing::TestWithParam<const char*> {};

TEST_P(Machines, GoOnWithoutTheGuiltyOne) {
  const ContainedRun ran = run_processes(std::string(", ") + GetParam(), around("out_of_bounds"));
  EXPECT_EQ(ran.finished.status, 3) << ran.finished.err;
  ASSERT_FALSE(ran.result.is_null()) << ran.finished.err;
  const auto& processes = ran.result["processes"];
  EXPECT_EQ(processes[1]["state"], "faulted");
  for (const unsigned innocent : {0u, 2u, 3u}) expect_right(processes[innocent]);
  const auto& distributor = ran.result["control"]["work_distributor"];
  const auto count = [&](const char* key) { return distributor[key].get<std::uint64_t>(); };
  EXPECT_EQ(count("ctas_issued"),
            count("ctas_done") + count("ctas_saved") + count("ctas_dropped") + count("ctas_killed"));
  EXPECT_GT(count("ctas_killed"), 0u);
}

INSTANTIATE_TEST_SUITE_P(
    Each, Machines,
    testing::Values("work_distributor: {policy: smk}", "work_distributor: {policy: exclusive}",
                    "work_distributor: {policy: spatial}", "work_distributor: {policy: fcfs_m}",
                    "work_distributor: {policy: round_robin, setup_cycles: 300}",
                    "work_distributor: {policy: fcfs_ppq, preemption: switch}",
                    "work_distributor: {policy: token, preemption: flush}",
                    "work_distributor: {policy: token, preemption: switch}",
                    "command_processor: {type: native}", "command_processor: {type: hardware}",
                    "command_processor: {type: assisted}", "dma: {type: burst}", "sms: 1", "l2: perfect",
                    "check_protocol: true"),
    [](const auto& info) {
      std::string name = info.param;
      std::string word;
      for (const char c : name)
        if (std::isalnum(static_cast<unsigned char>(c))) word += c;
      return word;
    });

// The order in which blocks of an edge are looked at decides nothing, here as everywhere.
TEST(Containment, IsTheSameHoweverBlocksAreEvaluated) {
  const ContainedRun plain = run_processes("", around("out_of_bounds"));
  const ContainedRun reverse = run_processes(", evaluation: {order: reverse}", around("out_of_bounds"));
  ASSERT_FALSE(plain.result.is_null() || reverse.result.is_null());
  for (const char* key : {"processes", "kernels", "control", "l2", "noc"})
    EXPECT_EQ(plain.result[key], reverse.result[key]) << key;
}

TEST(Containment, TwoGuiltyOnesAreBothNamed) {
  const ContainedRun ran =
      run_processes("", std::string(kVictim) + "    - {app: fault, params: {kind: trapped}, name: first}\n" +
                            "    - {app: fault, params: {kind: misaligned}, name: second, arrival_us: 20}\n");
  EXPECT_EQ(ran.finished.status, 3);
  EXPECT_THAT(ran.finished.err, HasSubstr("process first: trap instruction"));
  EXPECT_THAT(ran.finished.err, HasSubstr("; process second: misaligned global"));
  ASSERT_FALSE(ran.result.is_null());
  expect_right(ran.result["processes"][0]);
}

// At random moments, under any scheduler: SMs that are being saved, flushed, set up or restored, packets that
// are being parsed, started or wait.
TEST(Containment, HoldsAtRandomMoments) {
  static constexpr const char* kApps[] = {"matmul, params: {m: 128}",
                                          "reduction",
                                          "histogram",
                                          "merge_sort",
                                          "stencil",
                                          "scan",
                                          "bfs",
                                          "divergence"};
  static constexpr const char* kKinds[] = {"out_of_bounds", "misaligned", "trapped", "failed_assertion"};
  static constexpr const char* kPolicies[] = {"smk", "fcfs_ppq, preemption: switch",
                                              "token, preemption: switch", "fcfs_ppq, preemption: flush",
                                              "round_robin"};
  static constexpr const char* kProcessors[] = {"riscv", "native", "hardware", "assisted"};
  std::mt19937 random(7);
  std::uint64_t killed = 0;
  for (unsigned i = 0; i < 15; ++i) {
    std::string processes;
    for (unsigned p = 0; p < 6; ++p)
      processes += p % 3 == 2 ? fmt::format(
                                    "    - {{app: fault, params: {{kind: {}}}, name: guilty{}, priority: {}, "
                                    "arrival_us: {}}}\n",
                                    kKinds[random() % 4], p, random() % 4, random() % 100)
                              : fmt::format("    - {{app: {}, name: p{}, priority: {}, arrival_us: {}}}\n",
                                            kApps[random() % 8], p, random() % 4, random() % 100);
    const std::string platform = fmt::format(
        ", sms: {}, command_processor: {{type: {}}}, work_distributor: {{policy: {}, setup_cycles: {}}}",
        1 + random() % 4, kProcessors[random() % 4], kPolicies[i % 5], 20 * (random() % 3));
    SCOPED_TRACE(platform + "\n" + processes);
    const ContainedRun ran = run_processes(platform, processes);
    EXPECT_EQ(ran.finished.status, 3) << ran.finished.err;
    ASSERT_FALSE(ran.result.is_null()) << ran.finished.err;
    for (unsigned p = 0; p < 6; ++p) {
      if (p % 3 == 2) {
        EXPECT_EQ(ran.result["processes"][p]["state"], "faulted") << p;
      } else {
        expect_right(ran.result["processes"][p]);
      }
    }
    killed += ran.result["control"]["work_distributor"]["ctas_killed"].get<std::uint64_t>();
  }
  EXPECT_GT(killed, 30u);
}

// Whoever is measured alone first does not hold the others up; and a process that plays again until all have
// ended once does so without the guilty one.
TEST(Containment, HoldsUpNoMeasurementAndNoReplay) {
  const ContainedRun ran = run_processes(
      "",
      std::string(kVictim) + "    - {app: fault, params: {kind: out_of_bounds}}\n    - {app: reduction}\n",
      "  alone: measure\n  replay: until_all_once\n");
  EXPECT_EQ(ran.finished.status, 3);
  ASSERT_FALSE(ran.result.is_null()) << ran.finished.err;
  expect_right(ran.result["processes"][0]);
  expect_right(ran.result["processes"][2]);
  EXPECT_EQ(ran.result["processes"][1]["state"], "faulted");
  EXPECT_TRUE(ran.result["processes"][1]["alone_us"].is_null());
}

TEST(Containment, AloneAProcessEndsTheRunAsEver) {
  const ContainedRun ran = run_processes("", "    - {app: fault, params: {kind: trapped}}\n");
  EXPECT_EQ(ran.finished.status, 3);
  EXPECT_THAT(ran.finished.err, StartsWith("warpvp: trap instruction"));
  EXPECT_EQ(std::count(ran.finished.err.begin(), ran.finished.err.end(), '\n'), 1) << ran.finished.err;
  ASSERT_FALSE(ran.result.is_null());
  EXPECT_EQ(ran.result["processes"][0]["state"], "running");
}

}  // namespace
}  // namespace warpvp::test
