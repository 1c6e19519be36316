// What a run calls, recorded as a trace and played back: the same copies and launches in the same order.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <sstream>

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
  // Recorded again it is the same trace: all calls in their order, the same ones in one stream. What the CPU
  // did in between is as long as loading took; streams of a process have other numbers; the player waits at
  // its end.
  const std::string end = "  - synchronize: true\n";
  const auto calls = [](const std::string& text) {
    std::map<std::string, std::size_t> streams;
    std::string out;
    std::istringstream lines(text.substr(text.find("steps:")));
    for (std::string line; std::getline(lines, line);) {
      const std::size_t at = line.find("stream: ");
      if (at != std::string::npos) {
        const std::size_t number = streams.emplace(line.substr(at), streams.size()).first->second;
        line = line.substr(0, at) + "stream: " + std::to_string(number);
      }
      if (line.find("cpu_us") == std::string::npos) out += line + "\n";
    }
    return out;
  };
  const std::string one = calls(read_text(scratch / "first/application_main.yaml"));
  const std::string two = calls(read_text(scratch / "second/application_main.yaml"));
  EXPECT_TRUE(two == one + end) << "first:\n" << one.substr(0, 2000) << "\nsecond:\n" << two.substr(0, 2000);
}

INSTANTIATE_TEST_SUITE_P(Apps, Recording,
                         testing::Values("vector_add", "matmul", "histogram", "many_streams", "spmv"));

}  // namespace
}  // namespace warpvp::test
