// The example of an embedding program, linked with an installed libwarpvp: it simulates in slices, finds the
// data of the installation, and loads plugins that find their registries in it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/platform/program.h"

namespace warpvp::test {
namespace {

using ::testing::HasSubstr;
using ::testing::MatchesRegex;

const std::string kPlace = WARPVP_PLACE "/embedding/";
const std::string kPlugins = WARPVP_PLACE "/examples/build/";

Finished run_embedding(const std::vector<std::string>& settings) {
  std::vector<std::string> words{kPlace + "run.yaml", kPlace + "axpy.ptx"};
  words.insert(words.end(), settings.begin(), settings.end());
  return run_program_at(kPlace + "build/embedding", words);
}

/// The cycles that it prints at its end.
double cycles_of(const Finished& run) {
  EXPECT_EQ(run.status, 0) << run.err;
  const std::size_t at = run.out.find("verified, ");
  return at == std::string::npos ? -1 : std::stod(run.out.substr(at + 10));
}

TEST(Embedding, RunsInSlicesAndChecksItsResult) {
  const Finished run = run_embedding({});
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_EQ(run.err, "") << "neither a banner of SystemC's nor a warning";
  EXPECT_THAT(run.out, HasSubstr(" us: kernel axpy has done "));
  EXPECT_THAT(run.out, HasSubstr(" of 157 CTAs\n"));
  EXPECT_THAT(run.out.substr(run.out.find("verified")), MatchesRegex("verified, [0-9]+ cycles\n"));
  EXPECT_GT(cycles_of(run), 1000);
}

TEST(Embedding, TakesSettings) {
  const double two = cycles_of(run_embedding({"platform.sms=2"}));
  const double one = cycles_of(run_embedding({"platform.sms=1"}));
  EXPECT_GT(one, two);
}

TEST(Embedding, EndsWithTheExitStatusOfItsErrors) {
  const Finished wrong = run_embedding({"platform.sms=none"});
  EXPECT_EQ(wrong.status, 2);
  EXPECT_THAT(wrong.err,
              HasSubstr("embedding: --set platform.sms=none: 'platform.sms' is 'none'; allowed: "));
  const Finished fault = run_embedding({"limits.cycles=3000"});
  EXPECT_EQ(fault.status, 3);
  EXPECT_THAT(fault.out, HasSubstr("the limit of 3000 SM cycles (limits.cycles) is reached"));
  const Finished other =
      run_program_at(kPlace + "build/embedding", {kPlace + "run.yaml", "/nowhere/none.ptx"});
  EXPECT_EQ(other.status, 2);
  EXPECT_THAT(other.err, HasSubstr("/nowhere/none.ptx"));
}

// The installation lies elsewhere than the program, and has been moved since it was installed.
TEST(Embedding, FindsTheDataOfTheInstallation) {
  EXPECT_GT(cycles_of(run_embedding({"platform=only_here"})), 0);
  EXPECT_EQ(run_embedding({"platform=not_even_here"}).status, 2);
}

TEST(Embedding, PluginsFindTheirRegistriesInIt) {
  const double own = cycles_of(run_embedding({"platform.sm.warp_scheduler=lrr"}));
  const double policy = cycles_of(run_embedding(
      {"plugins=[" + kPlugins + "youngest_first.so]", "platform.sm.warp_scheduler=youngest_first"}));
  EXPECT_NE(policy, own);
  EXPECT_GT(cycles_of(run_embedding({"plugins=[" + kPlugins + "pass_through_l2.so]",
                                     "platform.l2=pass_through", "platform.check_protocol=true"})),
            0);
  EXPECT_GT(
      cycles_of(run_embedding({"plugins=[" + kPlugins + "foreign_channel.so]", "platform.dram=foreign"})), 0);
}

TEST(Embedding, APluginForAnotherWarpvpIsRefusedByItToo) {
  const Finished run = run_embedding({"plugins=[" WARPVP_PLACE "/broken/build/foreign.so]"});
  EXPECT_EQ(run.status, 2);
  EXPECT_THAT(run.err, HasSubstr("was built for another warpvp"));
}

}  // namespace
}  // namespace warpvp::test
