// extends:, deep merge and --set.

#include <gtest/gtest.h>

#include "base/error.h"
#include "platform/config/run_config.h"
#include "tests/config/folder.h"
#include "tests/config/sample_config.h"

namespace warpvp {
namespace {

class Merge : public ::testing::Test {
 protected:
  Merge() : search_({folder_ / "configs"}) {
    folder_.write("configs/platforms/small.yaml",
                  "# A small machine.\nsms: 1\nsm:\n  warps: 16\n  l1: {bytes: 2048, ways: 2}\n");
    folder_.write("configs/platforms/fast.yaml", "extends: small\nsm:\n  clock_mhz: 2000\n  l1: {ways: 8}\n");
    folder_.write("configs/platforms/grouped.yaml",
                  "extends: small\nsm:\n  chooser: {name: grouped, group_size: 4}\n");
    folder_.write("configs/workloads/adding.yaml", "app: add\nparams: {n: 77}\n");
  }

  sample::PlatformConfig load(const std::string& yaml, const std::vector<std::string>& sets = {}) {
    const auto file = folder_.write("run.yaml", yaml);
    sample::PlatformConfig platform;
    run_ = RunConfig{};
    RunFile::load(file, sets, search_).read(run_, [&](FieldVisitor& v) { platform.fields(v); });
    return platform;
  }

  static std::uint32_t group_size(const sample::PlatformConfig& platform) {
    return Registry<sample::Chooser>::instance().make(platform.sm.chooser)->group_size();
  }

  Folder folder_;
  ConfigSearch search_;
  RunConfig run_;
};

TEST_F(Merge, PlatformByNameKeepsDefaultsOfWhatItDoesNotSay) {
  const auto p = load("platform: small\nworkload: adding\n");
  EXPECT_EQ(p.sms, 1u);
  EXPECT_EQ(p.sm.warps, 16u);
  EXPECT_EQ(p.sm.registers, 65536u);
  EXPECT_EQ(p.sm.l1.bytes, 2048u);
  EXPECT_EQ(run_.workload.app.name, "add");
}

TEST_F(Merge, ExtendsMergesKeyByKeyThroughAChain) {
  const auto p = load("platform: {extends: fast, sm: {l1: {bytes: 4096}}}\nworkload: adding\n");
  EXPECT_EQ(p.sms, 1u);
  EXPECT_EQ(p.sm.warps, 16u);
  EXPECT_EQ(p.sm.clock_mhz, 2000);
  EXPECT_EQ(p.sm.l1.ways, 8u);
  EXPECT_EQ(p.sm.l1.bytes, 4096u);
}

TEST_F(Merge, WhatAPlatformExtendsCanBeSet) {
  const std::string run = "platform: {extends: small, sms: 2}\nworkload: adding\n";
  for (const auto& sets : {std::vector<std::string>{"platform.extends=fast", "platform.sm.warps=8"},
                           std::vector<std::string>{"platform.sm.warps=8", "platform.extends=fast"}}) {
    const auto p = load(run, sets);
    EXPECT_EQ(p.sm.clock_mhz, 2000) << "as fast has it";
    EXPECT_EQ(p.sm.l1.ways, 8u);
    EXPECT_EQ(p.sms, 2u) << "what the run says itself stays";
    EXPECT_EQ(p.sm.warps, 8u);
  }
  EXPECT_EQ(load("platform: small\nworkload: adding\n", {"platform.extends=fast"}).sm.clock_mhz, 2000);
  EXPECT_EQ(load("platform: small\nworkload: adding\n", {"platform.sms=3", "platform.extends=fast"}).sms, 3u);
}

TEST_F(Merge, AFileThatHasChangedIsReadAnew) {
  const std::string run = "platform: {extends: small, sms: 2}\nworkload: adding\n";
  EXPECT_EQ(load(run).sms, 2u);
  EXPECT_EQ(load(run).sms, 2u);
  EXPECT_EQ(load("platform: {extends: small, sms: 3}\nworkload: adding\n").sms, 3u);
  folder_.write("configs/platforms/small.yaml", "sms: 1\nsm: {warps: 32}\n");
  EXPECT_EQ(load(run).sm.warps, 32u);
}

TEST_F(Merge, RunFilesExtendRunFilesAndListsReplace) {
  folder_.write("sub/base.yaml",
                "platform: {extends: small, sm: {latencies: [1, 2, 3]}}\nworkload: adding\nseed: 5\n");
  const auto p = load("extends: sub/base.yaml\nplatform: {sm: {latencies: [9]}}\n");
  EXPECT_EQ(p.sm.latencies, std::vector<std::uint32_t>{9});
  EXPECT_EQ(p.sm.warps, 16u);
  EXPECT_EQ(run_.seed, 5u);
}

TEST_F(Merge, APlatformWithItsOwnExtendsStartsAfresh) {
  folder_.write("base.yaml", "platform: {extends: small, sm: {offset: 3}}\nworkload: adding\n");
  const auto p = load("extends: base.yaml\nplatform: {extends: fast}\n");
  EXPECT_EQ(p.sm.clock_mhz, 2000);
  EXPECT_EQ(p.sm.offset, 0);
}

TEST_F(Merge, RefiningANamedPlatformExtendsIt) {
  folder_.write("base.yaml", "platform: small\nworkload: adding\n");
  const auto p = load("extends: base.yaml\nplatform: {sms: 7}\n");
  EXPECT_EQ(p.sms, 7u);
  EXPECT_EQ(p.sm.warps, 16u);
}

TEST_F(Merge, SetsComeLastAndRefineWholes) {
  // The part is given before the whole on purpose.
  const auto p =
      load("platform: grouped\nworkload: adding\n",
           {"platform.sm.warps=8", "platform=fast", "workload.params.n=0x10", "platform.sm.warps=9"});
  EXPECT_EQ(p.sm.clock_mhz, 2000);
  EXPECT_EQ(p.sm.warps, 9u);
  EXPECT_EQ(p.sm.chooser.name, "first");
}

TEST_F(Merge, AMappingThatIsSetReplacesAllThatStoodThere) {
  const std::string run = "platform: {extends: fast, sm: {warps: 8}}\nworkload: adding\n";
  const auto one = load(run, {"platform.sm.l1.bytes=4096"});
  EXPECT_EQ(one.sm.l1.bytes, 4096u);
  EXPECT_EQ(one.sm.l1.ways, 8u);
  const auto whole = load(run, {"platform.sm.l1={bytes: 4096}"});
  EXPECT_EQ(whole.sm.l1.bytes, 4096u);
  EXPECT_EQ(whole.sm.l1.ways, sample::PlatformConfig().sm.l1.ways);
  EXPECT_NE(whole.sm.l1.ways, 8u);
  EXPECT_EQ(whole.sm.warps, 8u) << "beside it everything stays";
}

TEST_F(Merge, SetsReachIntoLists) {
  folder_.write("k.ptx", "");
  load("workload: {launches: [{ptx: k.ptx}, {ptx: k.ptx, grid: [4]}]}\n",
       {"workload.launches.1.grid=[2, 3]", "workload.launches.0.block=64"});
  EXPECT_EQ(run_.workload.launches[1].grid, (std::vector<std::uint32_t>{2, 3, 1}));
  EXPECT_EQ(run_.workload.launches[0].block, (std::vector<std::uint32_t>{64, 1, 1}));
  EXPECT_EQ(run_.workload.launches[0].grid, (std::vector<std::uint32_t>{1, 1, 1}));
}

TEST_F(Merge, PolicyParametersFollowTheNameTheyWereWrittenFor) {
  EXPECT_EQ(group_size(load("platform: grouped\nworkload: adding\n")), 4u);
  // The same name again keeps the parameters; another policy drops them; naming it anew takes its defaults.
  EXPECT_EQ(group_size(load("platform: grouped\nworkload: adding\n", {"platform.sm.chooser.name=grouped"})),
            4u);
  EXPECT_EQ(group_size(load("platform: grouped\nworkload: adding\n", {"platform.sm.chooser.name=first"})),
            1u);
  EXPECT_EQ(group_size(load("platform: grouped\nworkload: adding\n", {"platform.sm.chooser=first"})), 1u);
  EXPECT_EQ(group_size(load("platform: {sm: {chooser: grouped}}\nworkload: adding\n")), 8u);
  EXPECT_EQ(
      group_size(load("platform: {extends: grouped, sm: {chooser: {name: first}}}\nworkload: adding\n")), 1u);
}

TEST_F(Merge, AParameterCanBeSetOnAPolicyNamedByAWord) {
  const auto p =
      load("platform: {sm: {chooser: grouped}}\nworkload: adding\n", {"platform.sm.chooser.group_size=2"});
  EXPECT_EQ(p.sm.chooser.name, "grouped");
  EXPECT_EQ(group_size(p), 2u);
  EXPECT_EQ(group_size(load("workload: adding\n",
                            {"platform.sm.chooser=grouped", "platform.sm.chooser.group_size=3"})),
            3u);
}

TEST_F(Merge, RelativePathsBelongToTheFileThatNamesThem) {
  folder_.write("sub/k.ptx", "");
  folder_.write("sub/list.yaml", "launches: [{ptx: k.ptx}]\n");
  load("workload: sub/list.yaml\n");
  EXPECT_EQ(run_.workload.launches[0].ptx.resolved, (folder_ / "sub/k.ptx").string());
  EXPECT_EQ(run_.workload.launches[0].ptx.written, "k.ptx");
}

TEST_F(Merge, AnEmptyGroupSaysNothing) {
  const auto p = load("platform: {extends: small, sm: }\nworkload: adding\n");
  EXPECT_EQ(p.sm.warps, 16u);
}

TEST_F(Merge, NamesAndHeadlines) {
  EXPECT_EQ(search_.names("platforms"), (std::vector<std::string>{"fast", "grouped", "small"}));
  EXPECT_EQ(ConfigSearch::headline(folder_ / "configs/platforms/small.yaml"), "A small machine.");
  EXPECT_EQ(ConfigSearch::headline(folder_ / "configs/platforms/fast.yaml"), "");
}

}  // namespace
}  // namespace warpvp
