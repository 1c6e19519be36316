// The limit study of redundancy as a user has it, and whether the marks are sound and good for every kernel
// of the tree. What is marked, precision and recall are stored; after a change on purpose, write the table
// anew with
//
//   WARPVP_STORE_REDUNDANCY=1 build/release/tests/platform/platform_tests --gtest_filter='*RedundancyFloors*'

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <fstream>
#include <map>
#include <sstream>

#include "tests/platform/every_kernel.h"
#include "tests/platform/program.h"

namespace warpvp::test {
namespace {

using ::testing::HasSubstr;

const char* const kRedundancy = "output.redundancy=true";

nlohmann::json with_redundancy(const std::string& app, std::vector<std::string> settings) {
  settings.emplace_back(kRedundancy);
  return result_of_app("small", app, settings);
}

TEST(Redundancy, IsToldOfLaunchesAndOfTheRun) {
  const auto result = with_redundancy("sgemm", {});
  ASSERT_EQ(result["kernels"].size(), 1u);
  const auto& kernel = result["kernels"][0];
  const auto& r = kernel["redundancy"];
  EXPECT_EQ(r, result["simulation"]["redundancy"]);
  EXPECT_EQ(r["instructions"], kernel["warp_instructions"]);
  EXPECT_EQ(r["ctas"], kernel["ctas"]);
  const double block = r["block"];
  EXPECT_GT(block, 0.4);
  EXPECT_NEAR(block, r["uniform"].get<double>() + r["affine"].get<double>() + r["unstructured"].get<double>(),
              1e-12);
  EXPECT_GT(r["affine"], 0.2) << "its CTAs are 32 threads wide";
  EXPECT_EQ(r["precision"], 1);
  EXPECT_GT(r["recall"], 0.9);
  EXPECT_EQ(r["unsound"], 0);
}

TEST(Redundancy, IsSummedOverLaunches) {
  const auto result = with_redundancy("reduction", {"workload.params.count=4000"});
  ASSERT_GT(result["kernels"].size(), 1u);
  double instructions = 0, block = 0;
  for (const auto& kernel : result["kernels"]) {
    const auto& r = kernel["redundancy"];
    instructions += r["instructions"].get<double>();
    block += r["instructions"].get<double>() * r["block"].get<double>();
  }
  const auto& sum = result["simulation"]["redundancy"];
  EXPECT_EQ(sum["instructions"], instructions);
  EXPECT_NEAR(sum["block"].get<double>() * instructions, block, 0.5);
}

TEST(Redundancy, ChangesNothingElse) {
  const std::vector<std::string> settings = {"workload.params.vertices=300"};
  auto with = with_redundancy("bfs", settings), without = result_of_app("small", "bfs", settings);
  with["simulation"].erase("redundancy");
  for (auto& kernel : with["kernels"]) kernel.erase("redundancy");
  with.erase("config");
  without.erase("config");
  EXPECT_EQ(with, without);
}

// As divergent as it gets, and the SMs' edges evaluated in the other order.
TEST(Redundancy, DoesNotDependOnTheOrderOfEvaluation) {
  auto one = with_redundancy("divergence", {}),
       other = with_redundancy("divergence", {"platform.evaluation.order=reverse"});
  EXPECT_EQ(one["simulation"]["redundancy"], other["simulation"]["redundancy"]);
}

struct Refused {
  const char *name, *setting, *what;
};
class RedundancyRefuses : public testing::TestWithParam<Refused> {};
TEST_P(RedundancyRefuses, WhatHidesWhatInstructionsYield) {
  const ScratchFolder scratch;
  const Finished run = run_app("small", "vector_add", scratch / "run", {kRedundancy, GetParam().setting});
  EXPECT_EQ(run.status, 2);
  EXPECT_THAT(run.err, HasSubstr(GetParam().what));
  EXPECT_THAT(run.err, HasSubstr("allowed: "));
  EXPECT_THAT(run.err, HasSubstr("or output.redundancy: false"));
}
INSTANTIATE_TEST_SUITE_P(Choices, RedundancyRefuses,
                         testing::Values(Refused{"darsie", "platform.sm.frontend.mode=darsie",
                                                 "'platform.sm.frontend.mode' is 'darsie'"},
                                         Refused{"profile", "platform.sm=profile",
                                                 "'platform.sm.type' is 'profile'"}),
                         [](const auto& info) { return info.param.name; });

/// Threads of the first warp store where all have loaded before, or will load.
constexpr const char kRacy[] = R"(.version 7.5
.target sm_80
.address_size 64
.visible .entry racy(.param .u64 a)
{
.reg .u32 %r<4>; .reg .u64 %rd<2>;
ld.param.u64 %rd0, [a];
mov.u32 %r0, %tid.y;
add.u32 %r0, %r0, 1;
st.global.u32 [%rd0], %r0;
ld.global.u32 %r1, [%rd0];
st.global.u32 [%rd0+4], %r1;
ret;
}
)";

TEST(Redundancy, WarnsOfMarksThatDoNotHold) {
  const ScratchFolder scratch;
  scratch.file("racy.ptx", kRacy);
  const std::string run = scratch.file("run.yaml",
                                       "platform: small\n"
                                       "workload:\n"
                                       "  buffers: {a: {type: u32, count: 2, init: zero}}\n"
                                       "  launches: [{ptx: racy.ptx, entry: racy, block: [32, 8], args: "
                                       "[{buffer: a}]}]\n"
                                       "output: {redundancy: true}\n");
  const Finished finished = run_program({"run", run, "--quiet", "--out", scratch / "out"});
  ASSERT_EQ(finished.status, 0) << finished.err;
  const auto result = read_result(scratch / "out");
  const std::uint64_t unsound = result["simulation"]["redundancy"]["unsound"];
  EXPECT_GT(unsound, 0u);
  EXPECT_THAT(finished.err, HasSubstr("warpvp: warning: " + std::to_string(unsound) + " instructions"));
  EXPECT_THAT(finished.err, HasSubstr("in launch 0 (racy), CTA 0 warp "));
  EXPECT_THAT(finished.err, HasSubstr("racy.ptx:11: ld.global.u32 %r1"));
}

// What such CTAs had done on another SM is not known.
TEST(Redundancy, LeavesOutCtasThatWereTakenOffAnSm) {
  const ScratchFolder scratch;
  std::uint64_t left = 0;
  for (const char* way : {"switch", "flush"}) {
    const std::string run = scratch.file(
        "run.yaml",
        fmt::format(
            "platform:\n  extends: small\n"
            "  work_distributor: {{policy: fcfs_ppq, preemption: {}, setup_cycles: 20}}\n"
            "workload:\n  processes:\n"
            "    - {{app: matmul, params: {{m: 128}}, name: a}}\n"
            "    - {{app: histogram, params: {{words: 4000}}, name: b, priority: 3, arrival_us: 40}}\n"
            "output: {{redundancy: true}}\n",
            way));
    const Finished finished = run_program({"run", run, "--quiet", "--out", scratch / "out"});
    ASSERT_EQ(finished.status, 0) << finished.err;
    const auto result = read_result(scratch / "out");
    for (const auto& kernel : result["kernels"]) {
      const auto& r = kernel["redundancy"];
      left += kernel["ctas"].get<std::uint64_t>() - r["ctas"].get<std::uint64_t>();
      EXPECT_EQ(r["unsound"], 0);
      if (r["ctas"] == kernel["ctas"]) {
        EXPECT_EQ(r["instructions"], kernel["warp_instructions"]);
      }
    }
  }
  EXPECT_GT(left, 0u);
}

TEST(Redundancy, IsAColumnOfExperiments) {
  const ScratchFolder scratch;
  const std::string file =
      scratch.file("experiment.yaml",
                   "experiment: redundant\nbase:\n  platform: small\n  workload: matmul\n"
                   "  output: {redundancy: true}\n"
                   "matrix:\n  code: {setting: platform.ptx.code, values: [ptx, machine]}\n"
                   "table:\n  rows: code\n  values:\n"
                   "    - {key: kernels.0.redundancy.block, title: shared}\n"
                   "    - {key: simulation.redundancy.recall, title: found}\n"
                   "    - {key: simulation.redundancy.unsound, title: wrong}\n");
  const Finished run = run_program({"experiment", file, "--out", scratch / "out", "--quiet"});
  ASSERT_EQ(run.status, 0) << run.err;
  EXPECT_THAT(run.out, HasSubstr("shared"));
  EXPECT_EQ(run.out.find(" - "), std::string::npos) << run.out;
}

// ---- every kernel of the tree

const char* const kFloorFile = WARPVP_SOURCE "/tests/platform/redundancy_floors.tsv";
const char* const kFloorHeader = "case\tmarked\tprecision\trecall";
const char* const kFloors[] = {"marked", "precision", "recall"};

std::map<std::string, std::string> floors() {
  std::map<std::string, std::string> lines;
  std::ifstream in(kFloorFile);
  for (std::string line; std::getline(in, line);)
    if (line != kFloorHeader) lines[line.substr(0, line.find('\t'))] = line;
  return lines;
}

class RedundancyFloors : public testing::TestWithParam<KernelCase> {};

// A load is marked by its address, which holds in programs without data races. None of these shows one.
TEST_P(RedundancyFloors, MarksAreSoundAndStayAsGood) {
  const ScratchFolder scratch;
  std::vector<std::string> settings = GetParam().settings;
  settings.emplace_back(kRedundancy);
  const Finished run = run_app("small", GetParam().app, scratch / "run", settings);
  ASSERT_EQ(run.status, 0) << run.err;
  const auto r = read_json(scratch / "run/result.json")["simulation"]["redundancy"];
  EXPECT_EQ(r["unsound"], 0) << run.err;
  std::string measured = GetParam().label;
  for (const char* key : kFloors) {
    if (!r.contains(key)) {
      measured += "\t-";
      continue;
    }
    // Half a per cent below what is measured.
    const double floor = std::floor(std::max(0.0, r[key].get<double>() - 0.005) * 1000) / 1000;
    measured += fmt::format("\t{:.3f}", floor);
  }
  auto lines = floors();
  if (std::getenv("WARPVP_STORE_REDUNDANCY") != nullptr) {
    lines[GetParam().label] = measured;
    std::ofstream out(kFloorFile);
    out << kFloorHeader << '\n';
    for (const auto& [label, line] : lines) out << line << '\n';
    return;
  }
  ASSERT_TRUE(lines.count(GetParam().label)) << "not in " << kFloorFile << ": " << measured;
  std::istringstream words(lines[GetParam().label]);
  std::string word;
  words >> word;
  for (const char* key : kFloors) {
    ASSERT_TRUE(words >> word) << lines[GetParam().label];
    if (word == "-") continue;
    ASSERT_TRUE(r.contains(key)) << key << ", stored: " << lines[GetParam().label];
    EXPECT_GE(r[key].get<double>(), std::stod(word)) << key;
  }
}

INSTANTIATE_TEST_SUITE_P(Shipped, RedundancyFloors, testing::ValuesIn(every_kernel()),
                         [](const auto& info) { return info.param.label; });

TEST(RedundancyFloorTable, HasNoCaseThatIsGone) {
  auto lines = floors();
  for (const KernelCase& c : every_kernel()) lines.erase(c.label);
  for (const auto& [label, line] : lines) ADD_FAILURE() << label;
}

}  // namespace
}  // namespace warpvp::test
