// What a run calls, recorded as a trace and played back: the same copies and launches in the same order.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/platform/program.h"

namespace warpvp::test {
namespace {

using nlohmann::json;

/// Of each launch: kernel, grid, block, stream relative to the first, occupancy.
json launches_of(const json& result) {
  json list = json::array();
  for (const json& kernel : result["kernels"])
    list.push_back({kernel["entry"], kernel["grid"], kernel["block"], kernel["ctas_per_sm"]});
  return list;
}

class Recording : public testing::TestWithParam<const char*> {};

TEST_P(Recording, PlayedBackMakesTheSameCopiesAndLaunches) {
  const ScratchFolder scratch;
  const Finished recorded = run_app("small", GetParam(), scratch / "first", {"output.applications=true"});
  ASSERT_EQ(recorded.status, 0) << recorded.err;
  const std::string trace = (scratch / "first/application_main.yaml").string();
  ASSERT_TRUE(std::filesystem::exists(trace));
  const std::string file = scratch.file(
      "again.yaml", "platform: small\noutput: {applications: true}\nworkload:\n  processes: [{application: " +
                        trace + ", name: main}]\n");
  const Finished played = run_program({"run", file, "--out", (scratch / "second").string(), "--quiet"});
  ASSERT_EQ(played.status, 0) << played.err;
  const json first = read_json(scratch / "first/result.json"),
             second = read_json(scratch / "second/result.json");
  EXPECT_GT(first["kernels"].size(), 0u);
  EXPECT_EQ(launches_of(first), launches_of(second));
  for (const char* key : {"copies", "bytes", "memory_read_bytes", "memory_written_bytes"})
    EXPECT_EQ(first["control"]["dma"][key], second["control"]["dma"][key]) << key;
  // Recorded again it is the same trace: order and streams of all calls. (CPU times differ by what loading
  // took.)
  const auto calls = [](const std::string& text) {
    std::string out;
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);)
      if (line.find("cpu_us") == std::string::npos) out += line + "\n";
    return out;
  };
  EXPECT_EQ(calls(read_text(scratch / "first/application_main.yaml")),
            calls(read_text(scratch / "second/application_main.yaml")));
}

INSTANTIATE_TEST_SUITE_P(Apps, Recording,
                         testing::Values("vector_add", "matmul", "histogram", "many_streams", "spmv"));

}  // namespace
}  // namespace warpvp::test
