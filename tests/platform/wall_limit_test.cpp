// A limit of the host's time: exit status 124, and what is known so far is kept. No test looks at how long it
// took.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/sanitizers.h"
#include "tests/platform/program.h"

namespace warpvp::test {
namespace {

using testing::HasSubstr;

const char* const kEndless =
    "platform: small\nlimits: {progress_us: 0}\nworkload: {app: fault, params: {kind: "
    "endless}}\n";

TEST(WallLimit, EndsARunWithWhatIsKnown) {
  const ScratchFolder scratch;
  const std::string file = scratch.file("run.yaml", kEndless);
  const Finished run =
      run_program({"run", file, "--quiet", "--out", (scratch / "out").string(), "--wall-limit", "0.5"});
  EXPECT_EQ(run.status, 124) << run.err;
  EXPECT_THAT(run.err, HasSubstr("the wall-clock limit of 0.5 s (limits.wall_seconds) is reached"));
  const auto result = read_json(scratch / "out/result.json");
  EXPECT_EQ(result["exit_code"], 124);
  EXPECT_FALSE(result["verified"]);
  EXPECT_EQ(result["kernels"].size(), 1u);
  EXPECT_GT(result["simulation"]["warp_instructions"], 0);
}

/// A file that takes seconds to read: a list of three million values.
std::string long_yaml() {
  std::string text = "platform: small\nworkload: {app: hello}\nx: [1";
  for (unsigned i = 1; i < 3'000'000; ++i) text += ",1";
  return text + "]\n";
}

/// A kernel of a million and a half instructions.
std::string long_ptx() {
  std::string text = ".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry k()\n{\n.reg .b32 r;\n";
  for (unsigned i = 0; i < 1'500'000; ++i) text += "add.s32 r, r, 1;\n";
  return text + "ret;\n}\n";
}

TEST(WallLimit, EndsTheReadingOfALongFile) {
  const ScratchFolder scratch;
  const std::string file = scratch.file("run.yaml", long_yaml());
  for (const char* command : {"run", "experiment"}) {
    const Finished run =
        run_program({command, file, "--out", (scratch / "out").string(), "--wall-limit", "0.2"});
    EXPECT_EQ(run.status, 124) << command << run.err;
    EXPECT_EQ(run.err, "warpvp: the wall-clock limit of 0.2 s is reached while reading " + file + "\n");
  }
}

TEST(WallLimit, EndsTheReadingOfALongPtxFile) {
  const ScratchFolder scratch;
  scratch.file("long.ptx", long_ptx());
  const std::string file = scratch.file(
      "run.yaml", "platform: small\nworkload: {launches: [{ptx: long.ptx, entry: k, grid: 1, block: 32}]}\n");
  const Finished run = run_program({"run", file, "--out", (scratch / "out").string(), "--wall-limit", "0.3"});
  EXPECT_EQ(run.status, 124) << run.err;
  EXPECT_THAT(run.err, HasSubstr("the wall-clock limit of 0.3 s is reached while "));
  EXPECT_THAT(run.err, HasSubstr("long.ptx"));
}

TEST(WallLimit, LeavesAFinishedRunAlone) {
  const ScratchFolder scratch;
  nlohmann::json results[2];
  for (int limited = 0; limited < 2; ++limited) {
    const auto out = scratch / std::to_string(limited);
    const Finished run = run_app("small", "vector_add", out,
                                 {limited ? "limits.wall_seconds=100000" : "limits.wall_seconds=0"});
    EXPECT_EQ(run.status, 0) << run.err;
    results[limited] = read_json(out / "result.json");
    for (const char* key : {"host", "provenance", "config"}) results[limited].erase(key);
  }
  EXPECT_EQ(results[0], results[1]);
}

TEST(WallLimit, EndsAnExperiment) {
  const ScratchFolder scratch;
  scratch.file("base.yaml", kEndless);
  const std::string file = scratch.file("experiment.yaml",
                                        "experiment: endless\nbase:\n  platform: small\n"
                                        "  limits: {progress_us: 0}\n"
                                        "  workload: {app: fault, params: {kind: endless}}\n"
                                        "matrix:\n  seed: {setting: seed, values: [1, 2, 3]}\n"
                                        "table:\n  rows: seed\n  values:\n"
                                        "    - {key: simulation.cycles, title: cycles}\n");
  // Long enough for the runs to begin and to be told of their end, also under a sanitizer on a busy machine.
  const std::string limit = WARPVP_HAS_ASAN || WARPVP_HAS_TSAN ? "10" : "2";
  const Finished run = run_program(
      {"experiment", file, "--jobs", "2", "--out", (scratch / "out").string(), "--wall-limit", limit});
  EXPECT_EQ(run.status, 124) << run.err;
  EXPECT_THAT(run.out,
              HasSubstr("not finished: the experiment's wall-clock limit of " + limit + " s is reached"));
  EXPECT_THAT(run.out, HasSubstr("exit status 124"));
}

TEST(WallLimit, WrongLimitsAreRefused) {
  for (const char* limit : {"0", "-1", "nan"}) {
    const Finished run = run_program({"run", "vector_add", std::string("--wall-limit=") + limit});
    EXPECT_EQ(run.status, 2) << limit;
    EXPECT_THAT(run.err, HasSubstr("--wall-limit is ")) << limit;
  }
}

TEST(Limits, AreChecked) {
  for (const auto& [setting, message] : std::vector<std::pair<std::string, std::string>>{
           {"limits.progress_us=-1", "'limits.progress_us'"},
           {"limits.progress_us=nan", "'limits.progress_us'"},
           {"limits.wall_seconds=-3", "'limits.wall_seconds'"},
           {"limits.wall_seconds=2e9", "'limits.wall_seconds'"},
           {"limits.cycles=-1", "'limits.cycles'"},
           {"limits.effect_us=5", "unknown key 'effect_us'"}}) {
    const ScratchFolder scratch;
    const Finished run = run_app("small", "vector_add", scratch / "out", {setting});
    EXPECT_EQ(run.status, 2) << setting;
    EXPECT_THAT(run.err, HasSubstr(message)) << setting;
  }
}

}  // namespace
}  // namespace warpvp::test
