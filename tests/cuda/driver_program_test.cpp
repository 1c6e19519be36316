// `warpvp cuda` with a program of the driver API (driver_program.cpp).

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/platform/program.h"

namespace warpvp::test {
namespace {

using testing::HasSubstr;

Finished run_driver_case(const ScratchFolder& scratch, const std::string& name) {
  return run_program(
      {"cuda", "--platform", "small", "-o", (scratch / "run").string(), "--", CUDA_DRIVER_PROGRAM, name});
}

/// The program checks itself.
class CudaDriverProgramPasses : public testing::TestWithParam<const char*> {};

TEST_P(CudaDriverProgramPasses, AndEndsWithStatusZero) {
  const ScratchFolder scratch;
  const Finished run = run_driver_case(scratch, GetParam());
  EXPECT_EQ(run.status, 0) << run.out << run.err;
  EXPECT_EQ(run.out, "");
  EXPECT_EQ(read_result(scratch / "run")["processes"][0]["state"], "finished");
}

INSTANTIATE_TEST_SUITE_P(Cases, CudaDriverProgramPasses,
                         testing::Values("launches", "packed", "globals", "streams", "device", "beginnings",
                                         "errors", "fills", "rows", "occupancy", "lookup", "libraries",
                                         "pointers", "mixed", "threads", "images", "arrays", "graphs",
                                         "captures", "addresses", "links", "pools", "old_launches",
                                         "reservations"),
                         [](const auto& info) { return std::string(info.param); });

TEST(CudaDriverProgram, KernelsAreInTheResult) {
  const ScratchFolder scratch;
  ASSERT_EQ(run_driver_case(scratch, "launches").status, 0);
  const auto result = read_result(scratch / "run");
  ASSERT_EQ(result["kernels"].size(), 1u);
  EXPECT_EQ(result["kernels"][0]["name"], "add");
  EXPECT_EQ(result["kernels"][0]["ctas"], 12);
  EXPECT_EQ(result["processes"][0]["bytes_to_host"], 12000);
}

TEST(CudaDriverProgram, AFaultReachesItAndTheExitStatus) {
  const ScratchFolder scratch;
  const Finished run = run_driver_case(scratch, "fault");
  EXPECT_EQ(run.status, 3);
  EXPECT_EQ(run.out, "");  // its own checks passed
  EXPECT_THAT(run.err, HasSubstr("kernel stray"));
  EXPECT_EQ(read_result(scratch / "run")["processes"][0]["state"], "faulted");
}

TEST(CudaDriverProgram, ReservationsGetMemoryInPageTablesToo) {
  const ScratchFolder scratch;
  const Finished run =
      run_program({"cuda", "--platform", "small", "--set", "platform.mmu.type=page_tables", "-o",
                   (scratch / "run").string(), "--", CUDA_DRIVER_PROGRAM, "reservations"});
  EXPECT_EQ(run.status, 0) << run.out << run.err;
}

// As on a chip: other memory of the same page is there. The first access is told of.
TEST(CudaDriverProgram, AccessesBesideAllocationsPassUnlessTheyAreToBeFaults) {
  const ScratchFolder scratch;
  for (const char* const platform :
       {"platform.sm.type=cycle", "platform.sm.type=functional", "platform.mmu.type=page_tables"}) {
    const auto run = [&](const std::string& setting) {
      return run_program({"cuda", "--platform", "small", "--set", platform, "--set", setting, "-o",
                          (scratch / "run").string(), "--", CUDA_DRIVER_PROGRAM, "beyond"});
    };
    const Finished passes = run("seed=1");
    EXPECT_EQ(passes.status, 0) << passes.out << passes.err;
    EXPECT_THAT(passes.err, HasSubstr("warning: out-of-bounds global store of 4 bytes"));
    EXPECT_THAT(passes.err, HasSubstr("kernel add"));
    const Finished faults = run("platform.memory.stray_accesses=fault");
    EXPECT_EQ(faults.status, 3);
    EXPECT_THAT(faults.err, HasSubstr("out-of-bounds global store of 4 bytes"));
  }
}

TEST(CudaDriverProgram, WhatIsRefusedIsNamed) {
  const ScratchFolder scratch;
  const Finished run = run_driver_case(scratch, "errors");
  EXPECT_THAT(run.err, HasSubstr("cuIpcGetMemHandle is not offered"));
  EXPECT_THAT(run.err, HasSubstr("machine code (a cubin), which has no PTX in it"));
  EXPECT_THAT(run.err, HasSubstr("missing"));
}

TEST(CudaDriverProgram, WithoutASimulatorItSaysHowToGetOne) {
  const Finished run =
      run_program_at("/usr/bin/env", {"-u", "WARPVP_CUDA_SOCKET", CUDA_DRIVER_PROGRAM, "launches"});
  EXPECT_EQ(run.status, 1);
  EXPECT_THAT(run.err, HasSubstr("warpvp cuda -- PROGRAM"));
}

}  // namespace
}  // namespace warpvp::test
