// A plugin that cannot be used is an input error: one line that says why, and nothing of it has run. One that
// never returns ends with the run's limit.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/platform/program.h"

namespace warpvp::test {
namespace {

using ::testing::HasSubstr;
using ::testing::MatchesRegex;
using ::testing::Not;
using ::testing::StartsWith;

const std::string kBroken = WARPVP_PLACE "/broken/build/";

/// `warpvp run` of a run file with this plugin, named in line 1.
Finished run_with(const ScratchFolder& scratch, const std::string& plugin) {
  const std::string file =
      scratch.file("run.yaml", "plugins: [\"" + plugin + "\"]\nplatform: small\nworkload: {app: hello}\n");
  return run_program({"run", file, "--quiet", "--out", (scratch / "out").string()});
}

/// The run ends with status 2 and the one line "warpvp: run.yaml:1:11: 'plugins': MESSAGE".
void expect_refused(const std::string& plugin, const std::string& message) {
  const ScratchFolder scratch;
  const Finished run = run_with(scratch, plugin);
  EXPECT_EQ(run.status, 2);
  EXPECT_THAT(run.err, HasSubstr("run.yaml:1:11: 'plugins': "));
  EXPECT_THAT(run.err, HasSubstr(message));
  EXPECT_EQ(std::count(run.err.begin(), run.err.end(), '\n'), 1) << run.err;
  EXPECT_THAT(run.out, Not(HasSubstr("the plugin ran")));
  EXPECT_FALSE(std::filesystem::exists(scratch / "out")) << "nothing is written before the input is read";
}

TEST(BadPlugin, NoSuchFile) { expect_refused("/nowhere/none.so", "cannot read /nowhere/none.so"); }

TEST(BadPlugin, ATextFileIsNoSharedLibrary) {
  const ScratchFolder scratch;
  const std::string text = scratch.file("text.so", "a policy, in words\n");
  expect_refused(text, "plugin " + text + " is no shared library");
  expect_refused(scratch.file("empty.so", ""), "is no shared library");
}

TEST(BadPlugin, ADamagedLibraryIsRefused) {
  const ScratchFolder scratch;
  const std::string whole = read_text(kBroken + "registers_nothing.so");
  // The section headers stand at the end: without them there is no mark to be found.
  expect_refused(scratch.file("cut.so", whole.substr(0, whole.size() / 2)), "cut.so is no");
  std::string other = whole;
  other[18] = static_cast<char>(other[18] + 1);
  expect_refused(scratch.file("other.so", other), "other.so is built for another machine");
}

TEST(BadPlugin, ALibraryWithoutTheMarkIsNoPlugin) {
  expect_refused(kBroken + "no_mark.so", "is no plugin of warpvp: it has no section .warpvp_abi");
}

TEST(BadPlugin, OneForAnotherWarpvpIsRefusedBeforeAnythingOfItRuns) {
  expect_refused(kBroken + "foreign.so",
                 "was built for another warpvp (warpvp 0.0.1, here 0.2.0; headers 0123456789abcdef, here ");
}

TEST(BadPlugin, AMissingSymbolIsNamedAsInTheSource) {
  expect_refused(
      kBroken + "missing_symbol.so",
      "missing_symbol.so needs elsewhere::nobody_has_this(int), which neither warpvp nor the plugin");
}

// Otherwise the second of two plugins with functions of one name would call those of the first.
TEST(BadPlugin, PluginsDoNotSeeEachOthersSymbols) {
  const ScratchFolder scratch;
  const Finished run = run_with(scratch, kBroken + "has_symbol.so\", \"" + kBroken + "missing_symbol.so");
  EXPECT_EQ(run.status, 2);
  EXPECT_THAT(run.err, HasSubstr("missing_symbol.so needs elsewhere::nobody_has_this(int), which neither"));
}

TEST(BadPlugin, ASymbolThatALibraryLacksIsNamedWithoutTheLibrarysVersion) {
  expect_refused(kBroken + "old_library.so",
                 "old_library.so needs part_has_now(), which neither warpvp nor the plugin");
}

TEST(BadPlugin, ANameThatIsTakenNamesBothSources) {
  const ScratchFolder scratch;
  const Finished run = run_with(scratch, kBroken + "name_taken.so");
  expect_refused(kBroken + "name_taken.so", "dram_scheduler 'fcfs' is registered twice: in ");
  EXPECT_THAT(run.err, HasSubstr("modules/dram/policies/fcfs.cpp and in " + kBroken + "name_taken.so ("));
}

TEST(BadPlugin, OneThatRegistersNothingIsRefused) {
  expect_refused(kBroken + "registers_nothing.so", "registers nothing");
}

TEST(BadPlugin, TheListMustBeAListOfPaths) {
  const ScratchFolder scratch;
  for (const char* list : {"a.so", "[{path: a.so}]", "{a: b}", "[\"\"]"}) {
    SCOPED_TRACE(list);
    const std::string file =
        scratch.file("run.yaml", std::string("platform: small\nworkload: hello\nplugins: ") + list + "\n");
    const Finished run = run_program({"run", file, "--out", (scratch / "out").string()});
    EXPECT_EQ(run.status, 2);
    EXPECT_THAT(run.err, HasSubstr("run.yaml:3:"));
    EXPECT_THAT(run.err, HasSubstr("allowed: a list of paths, relative to the YAML file"));
  }
}

TEST(BadPlugin, AnUnknownNameListsWhatThePluginBrought) {
  const Finished run =
      run_program({"run", WARPVP_PLACE "/examples/l2.yaml", "--set", "platform.l2.type=pass_thruogh"});
  EXPECT_EQ(run.status, 2);
  EXPECT_THAT(run.err, HasSubstr("an unknown l2; allowed: cache, pass_through, perfect; did you mean "
                                 "'pass_through'?"));
}

TEST(BadPlugin, APlatformFileNamesNone) {
  const ScratchFolder scratch;
  const std::string platform = scratch.file("machine.yaml", "extends: small\nplugins: [a.so]\n");
  const std::string file = scratch.file("run.yaml", "platform: machine.yaml\nworkload: hello\n");
  const Finished run = run_program({"run", file, "--out", (scratch / "out").string()});
  EXPECT_EQ(run.status, 2);
  EXPECT_THAT(run.err, HasSubstr("machine.yaml:2:1: unknown key 'plugins' in 'platform'"));
}

// Seconds enough to come to the policy, also under the thread sanitizer.
TEST(BadPlugin, APolicyThatNeverReturnsEndsAtTheLimit) {
  const ScratchFolder scratch;
  const std::string file = scratch.file("run.yaml", "plugins: [\"" + kBroken +
                                                        "never_returns.so\"]\nplatform: {extends: small, sm: "
                                                        "{warp_scheduler: never_returns}}\n"
                                                        "workload: {app: vector_add}\n");
  const Finished run =
      run_program({"run", file, "--quiet", "--out", (scratch / "out").string(), "--wall-limit", "4"});
  EXPECT_EQ(run.status, 124) << run.err;
  EXPECT_THAT(run.err, HasSubstr("warpvp: the wall-clock limit of 4 s is reached while simulating"));
  EXPECT_THAT(run.err, HasSubstr("warp_scheduler 'never_returns' of the plugin " + kBroken));
  EXPECT_THAT(run.err, HasSubstr(", after SM cycle "));
  const auto result = read_json(scratch / "out/result.json");
  EXPECT_EQ(result["exit_code"], 124);
  EXPECT_FALSE(result["verified"]);
}

/// A run of parts of the plugin `throws`.
Finished run_throwing(const ScratchFolder& scratch, const std::string& setting) {
  const std::string file = scratch.file("run.yaml", "plugins: [\"" + kBroken +
                                                        "throws.so\"]\nplatform: small\n"
                                                        "workload: {app: vector_add}\n");
  return run_program({"run", file, "--quiet", "--out", (scratch / "out").string(), "--set", setting});
}

TEST(BadPlugin, APartThatThrowsIsNamedWithItsFile) {
  const std::string of = " of the plugin " + kBroken + "throws.so threw std::out_of_range: the 33rd of 32";
  const struct {
    const char* setting;
    std::string says;
  } kCases[] = {
      {"platform.sm.warp_scheduler=throws_in_pick", "warp_scheduler policy 'throws_in_pick'" + of + "; at "},
      {"platform.sm.warp_scheduler=throws_when_made",
       "warp_scheduler 'throws_when_made'" + of + " when it was made\n"},
      {"platform.l2.type=throws_when_built", "l2 'throws_when_built'" + of + " when block l2_0 was built\n"},
      {"platform.dram=throws_at_an_edge", "block platform.dram_"}};
  for (const auto& c : kCases) {
    const ScratchFolder scratch;
    const Finished run = run_throwing(scratch, c.setting);
    EXPECT_EQ(run.status, 3) << c.setting;
    EXPECT_THAT(run.err, HasSubstr("warpvp: " + c.says)) << c.setting;
    EXPECT_THAT(run.err, HasSubstr(of)) << c.setting;
    EXPECT_EQ(run.err.find('\n'), run.err.size() - 1) << "one line: " << run.err;
  }
}

// Stages and the source of instructions are no blocks and have no caller that looks after each of them: the
// SM is named, and with it what it was built with.
TEST(BadPlugin, APartOfAnSmThatThrowsIsNamedWithItsFile) {
  const std::string of = " of the plugin " + kBroken + "throws.so",
                    threw = ") threw std::out_of_range: the 33rd of 32";
  const std::string at_an_edge = "block platform.sm_0 (with ";
  const struct {
    const char* setting;
    std::string says;
  } kCases[] = {
      {"platform.sm.execute=throws_in_start", at_an_edge + "execute_stage 'throws_in_start'" + of + threw},
      {"platform.sm.operands.type=throws_in_collect",
       at_an_edge + "operand_stage 'throws_in_collect'" + of + threw},
      {"platform.sm.issue=throws_in_issue", at_an_edge + "issue_stage 'throws_in_issue'" + of + threw},
      {"platform.sm.frontend.mode=throws_in_warp_started",
       at_an_edge + "front_end 'throws_in_warp_started'" + of + threw},
      {"platform.sm.instructions=source_throws_when_built",
       "sm 'cycle' (with instruction_source 'source_throws_when_built'" + of + threw +
           " when block sm_0 was built\n"},
      // Both, where it can be either.
      {"platform.sm={execute: throws_in_start, issue: throws_in_issue}",
       at_an_edge + "execute_stage 'throws_in_start'" + of + ", issue_stage 'throws_in_issue'" + of + threw},
      // A policy names itself; the SM is not to blame.
      {"platform.sm={execute: throws_in_start, warp_scheduler: throws_in_pick}",
       "warp_scheduler policy 'throws_in_pick'" + of + " threw"}};
  for (const auto& c : kCases) {
    const ScratchFolder scratch;
    const Finished run = run_throwing(scratch, c.setting);
    EXPECT_EQ(run.status, 3) << c.setting;
    EXPECT_THAT(run.err, HasSubstr("warpvp: " + c.says)) << c.setting;
    EXPECT_EQ(run.err.find('\n'), run.err.size() - 1) << "one line: " << run.err;
  }
}

TEST(Plugin, AHostMayDriveTheDeviceByItself) {
  const ScratchFolder scratch;
  const std::string file = scratch.file("run.yaml", "plugins: [\"" + kBroken +
                                                        "own_host.so\"]\n"
                                                        "platform: {extends: small, host: own_host}\n");
  const Finished run = run_program({"run", file, "--quiet", "--out", (scratch / "out").string()});
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_EQ(read_json(scratch / "out/result.json")["control"]["hub"]["host_reads"], 1);
}

}  // namespace
}  // namespace warpvp::test
