// What a user meets every day: progress, where a result comes from, and small mistakes on the command line.

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <spawn.h>
#include <sys/wait.h>

#include <filesystem>
#include <fstream>

#include "tests/platform/program.h"

namespace warpvp::test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::MatchesRegex;
using ::testing::Not;
using ::testing::StartsWith;

// Each form of a workload: host programs, launch lists, streams of jobs, processes, mixes, steps.
TEST(Shipped, EveryWorkloadIsReadByItsName) {
  unsigned workloads = 0;
  for (const auto& file : std::filesystem::directory_iterator("configs/workloads")) {
    if (file.path().extension() != ".yaml") continue;
    ++workloads;
    const Finished config = run_program({"config", file.path().stem().string(), "--set", "platform=small"});
    EXPECT_EQ(config.status, 0) << config.err;
  }
  EXPECT_GE(workloads, 50u);
}

TEST(Progress, IsToldOnStandardErrorAndNotWhenQuiet) {
  const ScratchFolder scratch;
  std::vector<std::string> words{"run",        "matmul",
                                 "--progress", "0.01",
                                 "--set",      "workload.params.m=512",
                                 "--out",      (scratch / "a").string()};
  const Finished told = run_program(words);
  ASSERT_EQ(told.status, 0) << told.err;
  EXPECT_THAT(told.err, AllOf(HasSubstr(" us simulated; kernels: "), HasSubstr(" instructions, "),
                              HasSubstr(" elapsed\n"), Not(HasSubstr("\r"))));
  EXPECT_THAT(told.out, Not(HasSubstr("elapsed")));
  words.insert(words.end(), {"--quiet", "--out", (scratch / "b").string()});
  words.erase(words.begin() + 6, words.begin() + 8);
  const Finished quiet = run_program(words);
  EXPECT_EQ(quiet.err, "");
  auto a = read_json(scratch / "a/result.json"), b = read_json(scratch / "b/result.json");
  for (const char* key : {"host", "provenance"}) {
    a.erase(key);
    b.erase(key);
  }
  EXPECT_EQ(a.dump(), b.dump()) << "watching changes nothing";
}

TEST(Progress, OfAnExperimentHasTheRestOfTheTime) {
  const ScratchFolder scratch;
  const std::string file =
      scratch.file("experiment.yaml",
                   "experiment: e\nbase: {workload: {app: vector_add, params: {count: 100}}}\n"
                   "matrix: {seed: [1, 2]}\ntable: {rows: seed, values: [simulation.cycles]}\n");
  const Finished run = run_program({"experiment", file, "--jobs", "1", "--out", (scratch / "e").string()});
  ASSERT_EQ(run.status, 0) << run.err;
  EXPECT_THAT(run.err, HasSubstr("[1/2] seed-1 0 running, 0 failed, 0:0"));
  EXPECT_THAT(run.err, HasSubstr(" elapsed, about 0:0"));
  EXPECT_THAT(run.err, HasSubstr("2 runs: 2 ran, 0 finished before, 0 failed, 0 not run\n"));
}

TEST(Provenance, SaysWhereAResultComesFrom) {
  const ScratchFolder scratch;
  const std::string out = (scratch / "it's here").string();
  ASSERT_EQ(run_program(
                {"run", "vector_add", "--platform", "titan_v", "--set", "platform.sms=2", "-q", "--out", out})
                .status,
            0);
  const auto p = read_json(out + "/result.json")["provenance"];
  EXPECT_EQ(p["platform"], "titan_v, changed");
  EXPECT_THAT(p["platform_file"].get<std::string>(), testing::EndsWith("configs/platforms/titan_v.yaml"));
  EXPECT_THAT(p["command"].get<std::string>(),
              AllOf(HasSubstr(" run vector_add --platform titan_v --set platform.sms=2 -q --out '/"),
                    HasSubstr("/it'\\''s here'")));
  EXPECT_THAT(p["date"].get<std::string>(),
              MatchesRegex("20[0-9][0-9]-[01][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-6][0-9]Z"));
  EXPECT_THAT(p["commit"].get<std::string>(), MatchesRegex("[0-9a-f]{40}|unknown"));
  EXPECT_TRUE(p["modified"].is_boolean());
  EXPECT_THAT(p["systemc"].get<std::string>(), MatchesRegex("[23]\\.[0-9]+\\.[0-9]+"));
  const std::string version = run_program({"--version"}).out;
  EXPECT_THAT(version, StartsWith("warpvp " + p["version"].get<std::string>() + "\n"));
  for (const char* key : {"commit", "build_type", "compiler", "systemc"})
    EXPECT_THAT(version, HasSubstr(p[key].get<std::string>())) << key;
}

TEST(Provenance, ARunThatNamesNoPlatformTakesANamedOneAndSaysSo) {
  const ScratchFolder scratch;
  const std::string out = (scratch / "out").string();
  const Finished run = run_program({"run", "vector_add", "--out", out});
  ASSERT_EQ(run.status, 0) << run.err;
  EXPECT_THAT(run.err, HasSubstr("platform: small, since none is named; --platform NAME takes another\n"));
  const auto without = read_json(out + "/result.json");
  EXPECT_EQ(without["provenance"]["platform"], "small");
  const Finished named = run_program({"run", "vector_add", "--platform", "small", "--out", out});
  EXPECT_THAT(named.err, Not(HasSubstr("since none is named")));
  const auto with = read_json(out + "/result.json");
  EXPECT_EQ(with["simulation"], without["simulation"]);
  EXPECT_EQ(with["config"], without["config"]);
  // Settings of a part go on top of it.
  ASSERT_EQ(run_program({"run", "vector_add", "-q", "--set", "platform.sms=2", "--out", out}).status, 0);
  const auto changed = read_json(out + "/result.json");
  EXPECT_EQ(changed["provenance"]["platform"], "small, changed");
  EXPECT_EQ(changed["config"]["platform"]["sms"], 2);
  EXPECT_EQ(changed["config"]["platform"]["l2"], with["config"]["platform"]["l2"]);
}

TEST(Intervals, ATableOfAnExperimentShowsThem) {
  const ScratchFolder scratch;
  const auto with = [&](const std::string& column) {
    const std::string file =
        scratch.file("experiment.yaml",
                     "experiment: e\nbase: {platform: small, output: {intervals: {cycles: 500}}, workload: "
                     "{app: vector_add, params: {count: "
                     "4096}}}\ntable:\n  each: {list: intervals, label: each.time_us * 1000, title: ns}\n  "
                     "values: [{key: each." +
                         column + ", title: x, digits: 0}, {key: each.cycle, title: cycle, digits: 0}]\n");
    return run_program({"experiment", file, "--out", (scratch / "e").string()});
  };
  const Finished run = with("l2.accesses");
  ASSERT_EQ(run.status, 0) << run.err;
  const auto result = read_json(scratch / "e/runs/run/result.json");
  std::ifstream rows(scratch / "e/table.csv");
  std::string line;
  std::getline(rows, line);
  EXPECT_EQ(line, "ns,x,cycle");
  std::uint64_t sum = 0, count = 0;
  for (; std::getline(rows, line); ++count) sum += std::stoull(line.substr(line.find(',') + 1));
  EXPECT_GT(count, 3u);
  EXPECT_EQ(sum, result["l2"]["accesses"].get<std::uint64_t>())
      << "the sum of a column is the value of the run";

  const Finished wrong = with("l2.acesses");
  EXPECT_EQ(wrong.status, 2);
  EXPECT_THAT(wrong.err, HasSubstr("experiment.yaml:5:")) << wrong.err;
  EXPECT_THAT(wrong.err, HasSubstr("no key 'l2.acesses'"));
}

TEST(Provenance, RunsOfAnExperimentKnowTheirPlatform) {
  const ScratchFolder scratch;
  const std::string file =
      scratch.file("experiment.yaml",
                   "experiment: e\nbase: {workload: {app: vector_add, params: {count: 100}}}\n"
                   "matrix: {platform: [small, vortex_sm]}\n"
                   "table: {rows: platform, values: [simulation.cycles]}\n");
  const Finished run = run_program({"experiment", file, "--out", (scratch / "e").string()});
  ASSERT_EQ(run.status, 0) << run.err;
  for (const auto& [folder, name] : {std::pair{"small", "small"}, std::pair{"vortex-sm", "vortex_sm"}}) {
    const auto result = read_json(scratch / (std::string("e/runs/platform-") + folder + "/result.json"));
    EXPECT_EQ(result["provenance"]["platform"], name);
  }
}

struct Words {
  const char* name;
  std::vector<std::string> words;
  std::vector<std::string> told;
};
void PrintTo(const Words& w, std::ostream* os) { *os << w.name; }

class EverydayMistake : public testing::TestWithParam<Words> {};

TEST_P(EverydayMistake, IsToldInOneLine) {
  const Finished run = run_program(GetParam().words);
  EXPECT_EQ(run.status, 2);
  EXPECT_EQ(std::count(run.err.begin(), run.err.end(), '\n'), 1) << run.err;
  for (const std::string& part : GetParam().told) EXPECT_THAT(run.err, HasSubstr(part));
}

INSTANTIATE_TEST_SUITE_P(
    Mistakes, EverydayMistake,
    testing::Values(
        Words{"workload_misspelt", {"run", "matmol"}, {"'matmol'", "did you mean the workload 'matmul'?"}},
        Words{"experiment_misspelt", {"run", "qaws_quik"}, {"did you mean the experiment 'qaws_quick'?"}},
        Words{"platform_misspelt", {"run", "titanv"}, {"did you mean the platform 'titan_v'?"}},
        Words{"platform_instead", {"run", "titan_v"}, {"'titan_v' is a platform", "--platform titan_v"}},
        Words{"override_of_a_relation",
              {"run", "vector_add", "--set", "platform.memory.capacity_mib=32"},
              {"warpvp: --set platform.memory.capacity_mib=32: ", "local_mib is 64", "capacity_mib is 32"}},
        Words{"relation_in_a_part",
              {"run", "vector_add", "--set", "platform.sm.memory.l1.associativity=7"},
              {"--set platform.sm.memory.l1.associativity=7: ", "associativity is 7", "line_bytes is 128"}},
        Words{"no_jobs", {"run", "qaws_quick", "--jobs", "0"}, {"--jobs is '0'", "from 1"}},
        Words{"negative_jobs", {"experiment", "qaws_quick", "--jobs", "-1"}, {"--jobs is '-1'"}},
        Words{
            "progress_interval", {"run", "vector_add", "--progress", "0"}, {"--progress is 0", "from 0.01"}},
        Words{"origin", {"run", "vector_add", "--platform-origin", "x"}, {"allowed: NAME=FILE"}}),
    [](const auto& info) { return info.param.name; });

TEST(Everyday, AKeyThatNoRunCanHaveIsFoundBeforeTheRuns) {
  const ScratchFolder scratch;
  const auto run_with = [&](const std::string& key) {
    const std::string file =
        scratch.file("experiment.yaml",
                     "experiment: e\nbase: {workload: {app: vector_add, params: {count: 100}}}\n"
                     "matrix: {seed: [1]}\ntable: {rows: seed, values: [{key: \"" +
                         key + "\"}]}\n");
    return run_program({"experiment", file, "--out", (scratch / "e").string()});
  };
  for (const auto& [key, told] : std::vector<std::pair<std::string, std::string>>{
           {"simulation.cycels", "did you mean 'simulation.cycles'?"},
           {"kernels.0.l1_hits + 1", "did you mean 'kernels.l1.l1_hits'?"},
           {"simulation", "is a group of result.json"},
           {"kernels.0", "is a list of result.json"}}) {
    const Finished run = run_with(key);
    EXPECT_EQ(run.status, 2) << key;
    EXPECT_THAT(run.err, AllOf(HasSubstr("experiment.yaml:4:"), HasSubstr(told)));
    EXPECT_FALSE(std::filesystem::exists(scratch / "e/runs/seed-1/result.json")) << key;
  }
  for (const char* key : {"kernels[name=vector_add].l1.l1_hits", "kernels.*.ipc", "config.platform.sms",
                          "host.wall_seconds", "measured.anything"}) {
    const Finished run = run_with(key);
    EXPECT_EQ(run.status, 0) << key << run.err;
  }
}

/// Runs with standard output at `file`, or closed when it is null.
int status_with_output(const std::vector<std::string>& words, const char* file) {
  std::string program = WARPVP_PROGRAM;
  std::vector<std::string> copies = words;
  std::vector<char*> argv{program.data()};
  for (std::string& word : copies) argv.push_back(word.data());
  argv.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  if (file) {
    posix_spawn_file_actions_addopen(&actions, 1, file, O_WRONLY, 0);
  } else {
    posix_spawn_file_actions_addclose(&actions, 1);
  }
  posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0);
  pid_t child = 0;
  int status = -1;
  if (posix_spawn(&child, WARPVP_PROGRAM, &actions, nullptr, argv.data(), environ) == 0)
    waitpid(child, &status, 0);
  posix_spawn_file_actions_destroy(&actions);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST(Everyday, AFullDiskOrAClosedOutputIsNoSuccess) {
  const ScratchFolder scratch;
  const std::vector<std::string> run{"run", "vector_add", "--out", (scratch / "a").string()};
  for (const char* file : {"/dev/full", static_cast<const char*>(nullptr)}) {
    EXPECT_EQ(status_with_output({"list"}, file), 2);
    EXPECT_EQ(status_with_output({"config", "titan_v"}, file), 2);
    EXPECT_EQ(status_with_output({"--version"}, file), 2);
    EXPECT_EQ(status_with_output(run, file), 2);
  }
}

TEST(Everyday, ConfigAndDescribeTakeWhatRunTakes) {
  const Finished workload = run_program({"config", "vector_add", "--platform", "titan_v", "--seed", "7"});
  ASSERT_EQ(workload.status, 0) << workload.err;
  EXPECT_THAT(workload.out,
              AllOf(HasSubstr("sms: 80\n"), HasSubstr("seed: 7\n"), HasSubstr("app: vector_add\n")));
  EXPECT_EQ(run_program({"config", "configs/workloads/matmul.yaml"}).status, 0);
  EXPECT_EQ(run_program({"config", "small", "--seed", "7"}).status, 2);
  const Finished path = run_program({"describe", "configs/workloads/matmul.yaml"});
  ASSERT_EQ(path.status, 0) << path.err;
  EXPECT_THAT(path.out, AllOf(HasSubstr("A workload.\n"), HasSubstr("app: matmul")));
  EXPECT_THAT(run_program({"describe", "configs/platforms/small.yaml"}).out, HasSubstr("A platform.\n"));
  EXPECT_THAT(run_program({"describe", "configs/experiments/qaws_quick.yaml"}).out,
              HasSubstr("An experiment.\n"));
  EXPECT_EQ(run_program({"describe", "nowhere/at_all.yaml"}).status, 2);
}

// Shares of the samples of a run that takes long enough for some.
TEST(Everyday, AProfileSaysWhereHostTimeGoes) {
  const ScratchFolder scratch;
  const Finished run = run_app("small", "conv2d", scratch / "run", {"profile=true"});
  ASSERT_EQ(run.status, 0) << run.err;
  const nlohmann::json host = read_json(scratch / "run/result.json")["host"];
  ASSERT_TRUE(host.contains("time_shares"));
  double sum = 0;
  for (const auto& part : host["time_shares"].items()) sum += part.value().get<double>();
  EXPECT_NEAR(sum, 1, 1e-9);
  // The SMs of `small` are evaluated most, and at most of their edges something moves.
  const auto& sms = host["edges"].at(0);
  EXPECT_EQ(sms["block"], "sm");
  EXPECT_EQ(sms["blocks"], 4);
  EXPECT_GT(sms["edges"], 1000);
  EXPECT_LT(sms["in_vain"].get<double>(), 0.5 * sms["edges"].get<double>());
  EXPECT_THAT(host["edges"].dump(), AllOf(HasSubstr("\"crossbar\""), HasSubstr("\"l2\"")));
  const Finished without = run_app("small", "conv2d", scratch / "without", {});
  ASSERT_EQ(without.status, 0) << without.err;
  EXPECT_FALSE(read_json(scratch / "without/result.json")["host"].contains("time_shares"));
}

}  // namespace
}  // namespace warpvp::test
