// The example of a SystemC platform of one's own, linked with an installed libwarpvp: GPUs of different
// platforms in one simulation, each with the result that it has alone.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "tests/platform/program.h"

namespace warpvp::test {
namespace {

using ::testing::HasSubstr;
using ::testing::MatchesRegex;

const std::string kForeignPlatform = WARPVP_PLACE "/foreign_platform/";

std::string simulate_platforms(const std::vector<std::string>& platforms) {
  std::vector<std::string> words{kForeignPlatform + "axpy.ptx"};
  words.insert(words.end(), platforms.begin(), platforms.end());
  const Finished run = run_program_at(kForeignPlatform + "build/foreign_platform", words);
  EXPECT_EQ(run.status, 0) << run.err;
  return run.out;
}

TEST(ForeignPlatform, RunsSeveralGpusAsEachAlone) {
  const std::string one = simulate_platforms({"small"}), other = simulate_platforms({"only_here"});
  EXPECT_THAT(one, MatchesRegex("small: verified, [0-9]+ kernel cycles\n"));
  EXPECT_THAT(other, MatchesRegex("only_here: verified, [0-9]+ kernel cycles\n"));
  EXPECT_NE(one.substr(one.find(':')), other.substr(other.find(':')));
  EXPECT_EQ(simulate_platforms({"small", "only_here", "small"}), one + other + one);
}

TEST(ForeignPlatform, GpusThatFaultStopEachByItself) {
  const ScratchFolder scratch;
  const std::string wrong = (scratch / "wrong.ptx").string();
  std::ofstream(wrong)
      << ".version 7.5\n.target sm_70\n.address_size 64\n"
         ".visible .entry axpy(.param .u64 x, .param .u64 y, .param .f32 f, .param .u32 n) { trap; }\n";
  const Finished run =
      run_program_at(kForeignPlatform + "build/foreign_platform", {wrong, "small", "only_here"});
  EXPECT_EQ(run.status, 3);
  for (const char* platform : {"\nsmall: ", "\nonly_here: "})
    EXPECT_THAT("\n" + run.out, HasSubstr(platform + std::string("wrong, ")));
  for (const char* platform : {"\nsmall: ", "\nonly_here: "})
    EXPECT_THAT("\n" + run.err, HasSubstr(platform + std::string("trap"))) << "what the driver has read";
}

TEST(ForeignPlatform, EndsWithTheExitStatusOfItsErrors) {
  const Finished none =
      run_program_at(kForeignPlatform + "build/foreign_platform", {kForeignPlatform + "axpy.ptx", "nowhere"});
  EXPECT_EQ(none.status, 2);
  EXPECT_THAT(none.err, HasSubstr("foreign_platform: "));
  EXPECT_THAT(none.err, HasSubstr("nowhere"));
}

}  // namespace
}  // namespace warpvp::test
