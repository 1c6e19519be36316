// CUDA programs that share a device: those that come with warpvp, and experiments with them.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

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

TEST(ShippedPrograms, AnotherNameIsRefused) {
  const ScratchFolder scratch;
  const Finished run = run_program(
      {"cuda", "--platform", "small", "-o", (scratch / "run").string(), "--", "warpvp:../libcuda.so.1"});
  EXPECT_EQ(run.status, 2);
  EXPECT_THAT(run.err,
              HasSubstr("cannot start warpvp:../libcuda.so.1: allowed after 'warpvp:': bytes, heat"));
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
