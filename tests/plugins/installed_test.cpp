// The installed program, moved to another place, uses the data that moved with it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "tests/platform/program.h"

namespace warpvp::test {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

/// Another copy of what was installed, for tests that change it.
class Installed : public testing::Test {
 protected:
  Installed() {
    fs::copy(WARPVP_PLACE "/moved/bin", scratch_ / "bin", fs::copy_options::recursive);
    fs::copy(WARPVP_PLACE "/moved/share", scratch_ / "share", fs::copy_options::recursive);
    if (fs::exists(WARPVP_PLACE "/moved/lib"))
      fs::copy(WARPVP_PLACE "/moved/lib", scratch_ / "lib", fs::copy_options::recursive);
  }
  Finished run(const std::string& command, const std::string& app, const std::string& more = "") const {
    const std::string file =
        scratch_.file("run.yaml", "platform:\n  extends: small\n" + more + "workload: " + app + "\n");
    std::vector<std::string> words = {command, file};
    if (command == "run") words.insert(words.end(), {"--quiet", "--out", (scratch_ / "out").string()});
    return run_program_at((scratch_ / "bin/warpvp").string(), words);
  }
  const ScratchFolder scratch_;
  const fs::path share_ = scratch_ / "share/warpvp";
};

TEST_F(Installed, FindsConfigurationsBesideItself) {
  const Finished config = run("config", "list_vector_add");
  EXPECT_EQ(config.status, 0) << config.err;
  EXPECT_THAT(config.out, HasSubstr((share_ / "sw/kernels/vector_add.ptx").string()));
  fs::remove(share_ / "configs/workloads/list_vector_add.yaml");
  EXPECT_EQ(run("config", "list_vector_add").status, 2);
}

TEST_F(Installed, FindsFirmwareBesideItself) {
  // A name that the source tree does not have.
  fs::rename(share_ / "sw/firmware/prebuilt/fcfs.elf", share_ / "sw/firmware/prebuilt/only_here.elf");
  const std::string firmware = "  command_processor: {firmware: only_here}\n";
  EXPECT_EQ(run("run", "{app: hello}", firmware).status, 0);
}

TEST_F(Installed, FindsThePageOfReportsBesideItself) {
  EXPECT_EQ(run("run", "{app: hello}").status, 0);
  const auto report = [&] {
    return run_program_at((scratch_ / "bin/warpvp").string(), {"report", (scratch_ / "out").string()});
  };
  EXPECT_EQ(report().status, 0) << report().err;
  EXPECT_TRUE(fs::exists(scratch_ / "out/report.html"));
  fs::remove(share_ / "study/report/page/report.css");
  const Finished damaged = report();
  EXPECT_EQ(damaged.status, 2);
  EXPECT_THAT(damaged.err, HasSubstr((share_ / "study/report/page/report.css").string()));
  EXPECT_THAT(damaged.err, HasSubstr("it belongs to the program: install it again"));
}

TEST_F(Installed, FindsKernelsBesideItself) {
  EXPECT_EQ(run("run", "{app: hello}").status, 0);
  fs::resize_file(share_ / "sw/kernels/hello.ptx", 3);
  const Finished damaged = run("run", "{app: hello}");
  EXPECT_EQ(damaged.status, 2);
  EXPECT_THAT(damaged.err, HasSubstr((share_ / "sw/kernels/hello.ptx").string()));
}

}  // namespace
}  // namespace warpvp::test
