// What a run calls, recorded as a trace and played back: the same copies and launches in the same order.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

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
  // Recorded again it is the same trace: all calls in their order and streams, which count by program. What
  // the CPU did in between is as long as loading took; the player waits at its end.
  const std::string end = "  - synchronize: true\n";
  const auto calls = [](const std::string& text) {
    std::string out;
    std::istringstream lines(text.substr(text.find("steps:")));
    for (std::string line; std::getline(lines, line);) {
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

TEST(RecordCommand, WritesTheTraceOfARunAndThoseOfProcesses) {
  const ScratchFolder scratch;
  const std::string out = (scratch / "mine/trace.yaml").string(), runs = (scratch / "run").string();
  const Finished one =
      run_program({"record", "many_streams", "--platform", "small", "-o", out, "--runs", runs, "--quiet"});
  ASSERT_EQ(one.status, 0) << one.err;
  EXPECT_EQ(one.out, out + "\n");
  EXPECT_EQ(read_text(out), read_text(scratch / "run/application_main.yaml"));
  // Streams count from 1, whatever the numbers that the device has for them.
  EXPECT_THAT(read_text(out), testing::HasSubstr("stream: 1"));
  const std::string file =
      scratch.file("two.yaml", "platform: small\nworkload:\n  processes:\n    - {application: " + out +
                                   ", name: a}\n    - {application: " + out + ", name: b}\n");
  const Finished two =
      run_program({"record", file, "-o", (scratch / "both").string(), "--runs", runs, "--quiet"});
  ASSERT_EQ(two.status, 0) << two.err;
  const auto steps = [](const std::string& text) {
    std::string out;
    std::istringstream lines(text.substr(text.find("steps:")));
    for (std::string line; std::getline(lines, line);)
      if (line.find("cpu_us") == std::string::npos) out += line + "\n";
    return out;
  };
  const std::string a = steps(read_text(scratch / "both/a.yaml"));
  EXPECT_EQ(a, steps(read_text(scratch / "both/b.yaml")));  // the streams and events of each are its own
  EXPECT_EQ(a, steps(read_text(out)) + "  - synchronize: true\n");
  const Finished wrong = run_program({"record", "cusched"});
  EXPECT_EQ(wrong.status, 2);
  EXPECT_THAT(wrong.err, testing::HasSubstr("is an experiment; record takes a run file or a workload"));
}

TEST(ListAndDescribe, KnowApplicationsAndMixes) {
  EXPECT_THAT(run_program({"list", "applications"}).out,
              testing::AllOf(testing::HasSubstr("parboil/lbm"), testing::HasSubstr("lid-driven cavity")));
  const Finished lbm = run_program({"describe", "parboil/lbm"});
  EXPECT_EQ(lbm.status, 0) << lbm.err;
  EXPECT_THAT(lbm.out, testing::ContainsRegex("launches +100 of 1800000 CTAs"));
  EXPECT_THAT(lbm.out, testing::ContainsRegex("copied to the device +378470400 bytes"));
  const Finished all = run_program({"describe", "parboil"});
  EXPECT_THAT(all.out, testing::ContainsRegex("parboil/spmv +[0-9.]+ us +short"));
  EXPECT_THAT(all.out, testing::ContainsRegex("parboil/tpacf +[0-9.]+ us +long"));
  const ScratchFolder scratch;
  const Finished mix = run_program(
      {"describe",
       scratch.file("mix.yaml", "platform: gk110\nworkload:\n  mix: {size: 2, kind: in_turn, urgent: 1}\n")});
  EXPECT_EQ(mix.status, 0) << mix.err;
  EXPECT_THAT(mix.out, testing::ContainsRegex("2  long_long: parboil/[a-z_]+ .priority 1., parboil/[a-z_]+"));
  EXPECT_EQ(run_program({"describe", "parboil/lbn"}).status, 2);
}

}  // namespace
}  // namespace warpvp::test
