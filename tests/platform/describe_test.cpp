// `warpvp describe` of the files that come with the project.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/platform/program.h"

namespace warpvp::test {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

TEST(Describe, TitanV) {
  const Finished run = run_program({"describe", "titan_v"});
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_THAT(run.out,
              StartsWith("# `titan_v`\n\nA platform of configs/platforms.\n\nNVIDIA TITAN V: 80 SMs"));
  EXPECT_THAT(run.out, HasSubstr("SMs               80\n"
                                 "SM clock          1200 MHz\n"
                                 "schedulers        4 in an SM, gto\n"
                                 "an SM holds       32 CTAs, 64 warps, 65536 registers\n"
                                 "shared memory     98304 bytes in 32 banks\n"
                                 "L1                32 KiB, 64 ways, lines of 128 bytes, "
                                 "write_through_allocate, miss queue fifo\n"
                                 "work distributor  smk\n"
                                 "L2                48 banks of 96 KiB, 24 ways, lines of 128 bytes\n"
                                 "DRAM              24 channels, controller\n"
                                 "DRAM timing       hbm2, scheduler fr_fcfs\n"
                                 "device memory     12288 MiB\n"));
}

TEST(Describe, APlatformThatExtendsAnotherIsSummedUpAsAWhole) {
  const Finished run = run_program({"describe", "small"});
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_THAT(run.out, HasSubstr("SMs               4\n"));
  EXPECT_THAT(run.out, HasSubstr("DRAM              2 channels, controller\n"));
}

TEST(Describe, EveryFileThatListShows) {
  unsigned files = 0;
  for (const char* kind : {"platforms", "workloads", "experiments"}) {
    for (const auto& entry :
         std::filesystem::directory_iterator(std::filesystem::path(WARPVP_SOURCE) / "configs" / kind)) {
      const std::string name = entry.path().stem().string();
      const Finished run = run_program({"describe", name});
      EXPECT_EQ(run.status, 0) << name << ": " << run.err;
      EXPECT_THAT(run.out, HasSubstr("# `" + name + "`\n")) << name;
      EXPECT_THAT(run.out, HasSubstr(std::string(" of configs/") + kind + ".\n")) << name;
      ++files;
    }
  }
  EXPECT_GT(files, 20u);
}

TEST(Describe, AnUnknownNameIsRefusedWithTheNearest) {
  const Finished run = run_program({"describe", "titan_w"});
  EXPECT_EQ(run.status, 2);
  EXPECT_THAT(run.err, HasSubstr("did you mean 'titan_v'?"));
}

}  // namespace
}  // namespace warpvp::test
