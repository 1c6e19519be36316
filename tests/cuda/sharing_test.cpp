// CUDA programs that share a device: those that come with warpvp, their deadlines, and experiments with them.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include "tests/platform/program.h"

namespace warpvp::test {
namespace {

using testing::HasSubstr;

/// They check themselves against the CPU.
class ShippedProgram : public testing::TestWithParam<const char*> {};

TEST_P(ShippedProgram, IsRight) {
  const ScratchFolder scratch;
  const std::string program = std::string("warpvp:") + GetParam();
  const Finished run = run_program({"cuda", "--platform", "small", "--set", "platform.sm.type=functional",
                                    "-o", (scratch / "run").string(), "--", program});
  EXPECT_EQ(run.status, 0) << run.out << run.err;
  EXPECT_GT(read_result(scratch / "run")["processes"][0]["launches"], 0);
}

TEST_P(ShippedProgram, RefusesAWrongArgument) {
  const ScratchFolder scratch;
  for (const char* wrong : {"none", "0", "-1", "4x", ""}) {
    const Finished run = run_program({"cuda", "--platform", "small", "-o", (scratch / "run").string(), "--",
                                      std::string("warpvp:") + GetParam(), wrong});
    EXPECT_EQ(run.status, 2) << wrong;
    EXPECT_THAT(run.err, HasSubstr("argument 1 is '" + std::string(wrong) + "'; allowed: a number from 1"));
  }
}

INSTANTIATE_TEST_SUITE_P(All, ShippedProgram,
                         testing::Values("bytes", "heat", "multiply", "pi", "scale", "service"),
                         [](const auto& info) { return std::string(info.param); });

TEST(ShippedPrograms, PointsInANameAreNothingToSpeakOf) {
  const ScratchFolder scratch;
  const std::string program = scratch.file("a program.v1.sh", "#!/bin/sh\n");
  std::filesystem::permissions(program, std::filesystem::perms::owner_all);
  const Finished run =
      run_program({"cuda", "--platform", "small", "-o", (scratch / "run").string(), "--", program});
  EXPECT_EQ(run.status, 0);
  EXPECT_EQ(run.out, "");
  EXPECT_EQ(run.err, "");
}

TEST(ShippedPrograms, AnotherNameIsRefused) {
  const ScratchFolder scratch;
  const Finished run = run_program(
      {"cuda", "--platform", "small", "-o", (scratch / "run").string(), "--", "warpvp:../libcuda.so.1"});
  EXPECT_EQ(run.status, 2);
  EXPECT_THAT(run.err,
              HasSubstr("cannot start warpvp:../libcuda.so.1: allowed after 'warpvp:': bytes, heat"));
}

/// Two services under firmware `policy`, each of whose requests has that deadline.
Finished two_services(const ScratchFolder& scratch, const std::string& policy, const std::string& deadline) {
  const std::string service =
      "    - {app: cuda, params: {program: 'warpvp:service', arguments: 4 32}, deadline_us: " + deadline +
      "}\n";
  const std::string file = scratch.file(
      "two.yaml", "platform: {extends: small, command_processor: {type: native, firmware: " + policy +
                      "}, work_distributor: {policy: smk}}\nworkload:\n  processes:\n" + service + service);
  return run_program({"run", file, "-q", "-o", (scratch / "run").string()});
}

TEST(Deadlines, ThatAreFarAreMet) {
  for (const char* policy : {"rr", "lax"}) {
    const ScratchFolder scratch;
    const Finished run = two_services(scratch, policy, "100000");
    ASSERT_EQ(run.status, 0) << run.err;
    EXPECT_EQ(run.out,
              "service: 4 requests answered, 0 turned down\nservice: 4 requests answered, 0 turned down\n");
    const auto result = read_result(scratch / "run");
    for (const auto& process : result["processes"]) {
      EXPECT_EQ(process["requests_met"], 4) << policy;
      EXPECT_EQ(process["requests_missed"], 0);
      EXPECT_EQ(process["requests_rejected"], 0);
    }
    EXPECT_EQ(result["job_summary"]["met"], 8);
    std::set<std::string> names;
    for (const auto& job : result["jobs"]) names.insert(job["name"].get<std::string>());
    EXPECT_EQ(names.size(), 8u);
    EXPECT_EQ(names.count("cuda_1 4") + names.count("cuda_2 1"), 2u);
  }
}

// What a scheduler turns down, the program hears of, and answers what it can.
TEST(Deadlines, ThatCannotBeMetAreMissedOrTurnedDown) {
  for (const std::string policy : {"rr", "lax"}) {
    const ScratchFolder scratch;
    const Finished run = two_services(scratch, policy, "1");
    ASSERT_EQ(run.status, 0) << run.err;
    int answered = 0, turned_down = 0;
    std::istringstream lines(run.out);
    for (std::string line; std::getline(lines, line);) {
      int a = 0, b = 0;
      ASSERT_EQ(std::sscanf(line.c_str(), "service: %d requests answered, %d turned down", &a, &b), 2)
          << line;
      answered += a;
      turned_down += b;
    }
    EXPECT_EQ(answered + turned_down, 8);
    EXPECT_EQ(turned_down == 0, policy == "rr") << turned_down;
    int missed = 0, rejected = 0;
    const auto result = read_result(scratch / "run");
    for (const auto& process : result["processes"]) {
      EXPECT_EQ(process["requests_met"], 0);
      missed += process["requests_missed"].get<int>();
      rejected += process["requests_rejected"].get<int>();
    }
    EXPECT_EQ(missed, answered) << policy;
    EXPECT_EQ(rejected, turned_down) << policy;
  }
}

// A result is that of a program as it was.
TEST(Experiments, RunAnewWhatIsAnotherProgramNow) {
  const ScratchFolder scratch;
  const std::string program = scratch.file("program.sh", "#!/bin/sh\nexit 0\n");
  std::filesystem::permissions(program, std::filesystem::perms::owner_all);
  const std::string file = scratch.file(
      "e.yaml",
      "experiment: e\nbase:\n  platform: small\n  workload:\n    processes:\n"
      "      - {app: cuda, params: {program: " +
          program + "}}\nmatrix:\n  seed: [1]\ntable:\n  values: [{key: processes.0.launches}]\n");
  const auto again = [&] { return run_program({"experiment", file, "-o", (scratch / "out").string()}).err; };
  EXPECT_THAT(again(), HasSubstr("1 ran, 0 finished before"));
  EXPECT_THAT(again(), HasSubstr("0 ran, 1 finished before"));
  std::ofstream(program) << "#!/bin/sh\nexit 0 # otherwise\n";
  EXPECT_THAT(again(), HasSubstr("1 ran, 0 finished before"));
  std::filesystem::remove(program);
  const Finished gone = run_program({"experiment", file, "-o", (scratch / "out").string()});
  EXPECT_EQ(gone.status, 2);
  EXPECT_THAT(gone.err, HasSubstr("cannot start " + program + ": No such file or directory"));
}

}  // namespace
}  // namespace warpvp::test
