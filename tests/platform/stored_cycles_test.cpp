// Cycle counts and traffic of whole runs, stored: a change of timing is a decision, never an accident. After
// a change on purpose, write the table anew with
//
//   WARPVP_STORE_CYCLES=1 build/release/tests/platform/platform_tests --gtest_filter='*Stored*'
//
// and say in the commit why which figures changed.

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

#include "tests/platform/program.h"

namespace warpvp::test {
namespace {

const char* const kFile = WARPVP_SOURCE "/tests/platform/stored_cycles.tsv";

struct StoredWorkload {
  std::string app;
  std::vector<std::string> settings;
};

/// Small, and each for something else: bandwidth, latency, shared memory, atomics, divergence, barriers,
/// several kernels, copies, firmware.
const std::vector<StoredWorkload> kWorkloads = {
    {"vector_add", {"count=20000"}},
    {"matmul", {"m=48", "n=48", "k=48"}},
    {"histogram", {"words=20000"}},
    {"bfs", {"vertices=600"}},
    {"reduction", {"count=20000"}},
    {"atax", {}},
    {"conv2d", {}},
    {"pathfinder", {}},
    {"spmv", {}},
    {"dxtc", {}},
    {"many_streams", {"streams=6"}},
    {"transpose", {}},
    {"hotspot", {}},
};
const std::vector<std::string> kPlatforms = {"small", "ccbp_gpu", "vortex_sm"};
const std::vector<std::string> kKeys = {
    "simulation.cycles", "simulation.kernel_cycles", "simulation.warp_instructions", "l2.hits",
    "l2.misses",         "dram.read_bytes",          "dram.written_bytes",           "dram.row_hits",
    "dram.write_drains"};

std::string value_of(const nlohmann::json& result, const std::string& key) {
  const nlohmann::json* at = &result;
  std::istringstream words(key);
  for (std::string word; std::getline(words, word, '.');) {
    if (!at->contains(word)) return "-";
    at = &(*at)[word];
  }
  return at->dump();
}

std::string header() {
  std::string line = "platform\tworkload";
  for (const std::string& key : kKeys) line += "\t" + key;
  return line;
}

std::string measure(const std::string& platform, const StoredWorkload& workload) {
  const ScratchFolder scratch;
  std::vector<std::string> settings{"platform.sms=2"};
  for (const std::string& setting : workload.settings) settings.push_back("workload.params." + setting);
  const Finished run = run_app(platform, workload.app, scratch / "run", settings);
  EXPECT_EQ(run.status, 0) << run.err;
  if (run.status != 0) return "";
  const nlohmann::json result = read_json(scratch / "run/result.json");
  std::string line = platform + "\t" + workload.app;
  for (const std::string& key : kKeys) line += "\t" + value_of(result, key);
  return line;
}

std::vector<std::string> stored_lines() {
  std::vector<std::string> lines;
  std::ifstream in(kFile);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

class StoredCycles : public testing::TestWithParam<std::string> {};

TEST_P(StoredCycles, AreWhatTheRunsTake) {
  const std::string platform = GetParam();
  const bool store = std::getenv("WARPVP_STORE_CYCLES") != nullptr;
  std::vector<std::string> kept{header()}, measured;
  for (const StoredWorkload& workload : kWorkloads) measured.push_back(measure(platform, workload));
  const std::vector<std::string> old = stored_lines();
  if (store) {
    for (const std::string& line : old)
      if (line != header() && line.rfind(platform + "\t", 0) != 0) kept.push_back(line);
    kept.insert(kept.end(), measured.begin(), measured.end());
    std::ofstream out(kFile);
    for (const std::string& line : kept) out << line << '\n';
    return;
  }
  ASSERT_FALSE(old.empty()) << "no " << kFile;
  EXPECT_EQ(old[0], header());
  for (std::size_t i = 0; i < measured.size(); ++i) {
    const std::string start = platform + "\t" + kWorkloads[i].app + "\t";
    std::string stored = "(no line)";
    for (const std::string& line : old)
      if (line.rfind(start, 0) == 0) stored = line;
    EXPECT_EQ(measured[i], stored) << header();
  }
}

INSTANTIATE_TEST_SUITE_P(Of, StoredCycles, testing::ValuesIn(kPlatforms),
                         [](const auto& info) { return info.param; });

// Scheduling errors of the SM that the SWaS study uses: what the oracles excuse, and for how long.
TEST(StoredErrors, AreWhatTheOraclesCount) {
  const std::string file = WARPVP_SOURCE "/tests/platform/stored_errors.tsv";
  std::string measured;
  for (const std::string policy : {"lrr", "gtlrr", "gtlo"}) {
    const ScratchFolder scratch;
    const Finished run = run_app("vortex_sm", "sgemm", scratch / "run",
                                 {"platform.sm.oracle=true", "platform.sm.warp_scheduler=" + policy});
    ASSERT_EQ(run.status, 0) << run.err;
    const nlohmann::json scheduling = read_json(scratch / "run/result.json")["simulation"]["scheduling"];
    measured +=
        policy + "\t" + scheduling["discrepancies"].dump() + "\t" + scheduling["errors"].dump() + "\n";
  }
  if (std::getenv("WARPVP_STORE_CYCLES") != nullptr) {
    std::ofstream(file) << measured;
    return;
  }
  EXPECT_EQ(measured, read_text(file));
}

}  // namespace
}  // namespace warpvp::test
