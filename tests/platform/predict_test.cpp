// The proof of SWaS: schedules that `warpvp predict` computes from traces are those of the simulated SM, edge
// by edge, whenever fetch and issue are coordinated; and it notices when they are not.

#include <gtest/gtest.h>

#include <fstream>
#include <regex>

#include "tests/apps/app_cases.h"
#include "tests/platform/program.h"
#include "tests/platform/random_kernel.h"

namespace warpvp::test {
namespace {

const std::string kEveryPolicy =
    "lrr,gtlrr,gtlo,two_level,{name: select, selection: icount, mode: strict},"
    "{name: select, selection: oldest, mode: adaptive, lead: 4},{name: select, selection: icount, mode: "
    "loose}";

/// `warpvp predict` of a run file with further words.
Finished predict(const std::string& file, const std::filesystem::path& out,
                 const std::vector<std::string>& settings, const std::vector<std::string>& words = {}) {
  std::vector<std::string> all{"predict", file, "--out", out.string()};
  for (const std::string& setting : settings) all.insert(all.end(), {"--set", setting});
  all.insert(all.end(), words.begin(), words.end());
  return run_program(all);
}

std::string app_file(const ScratchFolder& scratch, const std::string& app) {
  return scratch.file("run.yaml", "platform: vortex_sm\nworkload: {app: " + app + "}\n");
}

void expect_exact(const Finished& run, const std::filesystem::path& out, std::size_t policies) {
  ASSERT_EQ(run.status, 0) << run.out << run.err;
  const auto result = read_json(out / "predict.json");
  EXPECT_TRUE(result["exact"]);
  ASSERT_EQ(result["runs"].size(), 2 * policies);
  for (const auto& one : result["runs"]) {
    EXPECT_TRUE(one["trace_differs"].is_null()) << one;
    EXPECT_EQ(one["difference"],
              one["simulated"]["makespan"].get<int>() - one["predicted"]["makespan"].get<int>());
    if (one["front_end"] != "coordinated") continue;
    EXPECT_TRUE(one["exact"]) << one;
    EXPECT_EQ(one["predicted"], one["simulated"]);
    EXPECT_TRUE(one["first_other_choice"].is_null() && one["first_other_edge"].is_null());
    EXPECT_GT(one["simulated"]["nops"], 0);
    EXPECT_GT(one["simulated"]["makespan"], 0);
  }
}

/// The paper's benchmarks, smaller.
const AppCase kBenchmarks[] = {
    {"blackscholes", "blackscholes", {{"options", "1024"}}},
    {"hotspot", "hotspot", {{"steps", "3"}}},
    {"hotspot3d", "hotspot3d", {{"nz", "3"}, {"steps", "2"}}},
    {"kmeans", "kmeans", {{"clusters", "3"}, {"features", "5"}, {"rounds", "2"}}},
    {"psort", "psort", {{"count", "320"}}},
    {"sgemm", "sgemm", {}},
};

class PaperBenchmark : public testing::TestWithParam<std::tuple<AppCase, int>> {};

TEST_P(PaperBenchmark, CoordinatedSchedulesAreAsPredicted) {
  const auto& [app, schedulers] = GetParam();
  const ScratchFolder scratch;
  std::vector<std::string> settings = settings_of(app);
  settings.push_back("platform.sm.schedulers=" + std::to_string(schedulers));
  const Finished run = predict(app_file(scratch, app.app), scratch / "out", settings);
  expect_exact(run, scratch / "out", 3);
  const auto result = read_json(scratch / "out/predict.json");
  unsigned departures = 0;
  for (const auto& one : result["runs"]) departures += !one["exact"];
  EXPECT_EQ(departures, 3u) << "separate fetch and issue schedulers leave the intended schedule";
  for (const char* policy : {"lrr", "gtlrr", "gtlo"})
    EXPECT_TRUE(read_json(scratch / (std::string("out/") + policy + "_coordinated/result.json"))["verified"]);
}

INSTANTIATE_TEST_SUITE_P(Swas, PaperBenchmark,
                         testing::Combine(testing::ValuesIn(kBenchmarks), testing::Values(1, 2, 4)),
                         [](const auto& info) {
                           return std::string(std::get<0>(info.param).label) + "_" +
                                  std::to_string(std::get<1>(info.param)) + "_schedulers";
                         });

/// Apps whose warps do the same under every schedule. The others look at who was first: spin locks, the last
/// CTA to finish, vertices that several warps reach, atomics that hand out places.
std::vector<AppCase> schedule_independent_apps() {
  std::vector<AppCase> cases;
  for (const AppCase& app : app_cases()) {
    bool depends = app.app == "mix" || app.app == "bfs" || app.app == "pair";
    for (const auto& [key, value] : app.params)
      depends |= value == "spin_lock" || value == "last_cta_sum" || key == "persistent";
    if (!depends) cases.push_back(app);
  }
  return cases;
}

class EveryAppPredicted : public testing::TestWithParam<AppCase> {};

TEST_P(EveryAppPredicted, CoordinatedSchedulesAreAsPredicted) {
  const ScratchFolder scratch;
  std::vector<std::string> settings = settings_of(GetParam());
  settings.push_back("platform.sm.schedulers=2");
  expect_exact(predict(app_file(scratch, GetParam().app), scratch / "out", settings, {"--policies", "gtlrr"}),
               scratch / "out", 1);
}

INSTANTIATE_TEST_SUITE_P(Shipped, EveryAppPredicted, testing::ValuesIn(schedule_independent_apps()),
                         [](const auto& info) { return info.param.label; });

class RandomPrediction : public testing::TestWithParam<unsigned> {};

TEST_P(RandomPrediction, CoordinatedSchedulesAreAsPredicted) {
  const ScratchFolder scratch;
  scratch.file("kernel.ptx", RandomKernel(GetParam()).text());
  std::mt19937 random(GetParam());
  std::string launches;
  for (unsigned n = 1 + random() % 3; n; --n)
    launches += fmt::format(
        "    - {{ptx: kernel.ptx, entry: k, grid: [{}], block: [{}], args: [{{buffer: in}}, {{buffer: "
        "out}}], stream: {}}}\n",
        1 + random() % 7, 1 + random() % 256, random() % 2);
  const std::string file = scratch.file(
      "run.yaml",
      "platform: vortex_sm\nworkload:\n  buffers:\n    in: {type: f32, count: 4096, init: random, seed: 7}\n"
      "    out: {type: u32, count: 32768, init: zero}\n  launches:\n" +
          launches);
  std::vector<std::string> settings = random_machine(GetParam());
  settings.push_back(fmt::format("platform.sms={}", 1 + random() % 2));
  expect_exact(predict(file, scratch / "out", settings, {"--policies", kEveryPolicy}), scratch / "out", 7);
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomPrediction, testing::Range(1u, 25u));

// Lanes 0 to 15 of warp 0 wait at the barrier, where warp 1 has long been, when the exit of the others
// completes it.
TEST(Prediction, AnExitOfSomeLanesReleasesABarrier) {
  const ScratchFolder scratch;
  scratch.file("kernel.ptx", R"(.version 7.0
.target sm_70
.address_size 64
.visible .entry k(.param .u64 out)
{
.reg .u32 %r<4>; .reg .u64 %a<3>; .reg .pred %p<4>;
mov.u32 %r0, %tid.x;
ld.param.u64 %a0, [out]; mul.wide.u32 %a1, %r0, 4; add.u64 %a0, %a0, %a1;
setp.ge.u32 %p0, %r0, 32;
@%p0 bra WAITER;
mov.u32 %r2, 0;
L0: add.u32 %r2, %r2, 1; setp.lt.u32 %p2, %r2, 100; @%p2 bra L0;
setp.lt.u32 %p1, %r0, 16;
@%p1 bra SYNC;
st.global.u32 [%a0], 1;
exit;
SYNC:
barrier.sync 0;
mov.u32 %r2, 0;
L1: add.u32 %r2, %r2, 1; setp.lt.u32 %p2, %r2, 50; @%p2 bra L1;
st.global.u32 [%a0], 1;
exit;
WAITER:
barrier.sync 0;
st.global.u32 [%a0], 1;
exit;
}
)");
  const std::string file = scratch.file(
      "run.yaml",
      "platform: vortex_sm\nworkload:\n  buffers:\n    out: {type: u32, count: 64, init: zero}\n"
      "  launches:\n    - {ptx: kernel.ptx, entry: k, grid: [1], block: [64], args: [{buffer: out}]}\n");
  expect_exact(predict(file, scratch / "out", {}, {"--policies", "lrr,gtlo"}), scratch / "out", 2);
  // It is the exit, instruction 13, that completes it.
  EXPECT_NE(read_text(scratch / "out/traces.txt").find("step 13 barrier 0"), std::string::npos);
}

TEST(Prediction, SaysWhereSeparateSchedulersLeaveTheIntendedSchedule) {
  const ScratchFolder scratch;
  const Finished run = predict(app_file(scratch, "sgemm"), scratch / "out", {}, {"--policies", "gtlo"});
  ASSERT_EQ(run.status, 0) << run.err;
  const auto separate = read_json(scratch / "out/predict.json")["runs"][1];
  EXPECT_EQ(separate["front_end"], "separate");
  EXPECT_EQ(separate["fetch_scheduler"], "lrr");
  EXPECT_EQ(separate["simulated"]["nops"], 0);
  EXPECT_NE(separate["difference"], 0);
  // Fetching in turns brings the first instruction of warp 1 before the second of warp 0, which a greedy
  // policy wants.
  const auto& first = separate["first_other_choice"];
  EXPECT_EQ(first["issues_before"], 1);
  EXPECT_EQ(first["predicted"]["warp"], 0);
  EXPECT_EQ(first["predicted"]["instruction"], 1);
  EXPECT_EQ(first["simulated"]["warp"], 1);
  EXPECT_EQ(first["simulated"]["instruction"], 0);
  EXPECT_NE(run.out.find("first other choice at edge"), std::string::npos) << run.out;
}

/// What a trace file says of the warps, without where and when they ran.
std::string without_arrivals(const std::string& text) {
  return std::regex_replace(text, std::regex("( sm \\d+ at \\d+)"), "");
}

TEST(Prediction, TracesDoNotDependOnTheScheduleTheyComeFrom) {
  const ScratchFolder scratch;
  const std::string file = app_file(scratch, "hotspot3d");
  const std::string one = (scratch / "one.txt").string(), other = (scratch / "other.txt").string();
  ASSERT_EQ(
      predict(file, scratch / "a", {"workload.params.steps=2"}, {"--policies", "lrr", "--save-traces", one})
          .status,
      0);
  ASSERT_EQ(predict(file, scratch / "b", {"workload.params.steps=2", "platform.sm.schedulers=4"},
                    {"--policies", "gtlo", "--save-traces", other})
                .status,
            0);
  ASSERT_GT(read_text(one).size(), 1000u);
  EXPECT_EQ(without_arrivals(read_text(one)), without_arrivals(read_text(other)));
  EXPECT_NE(read_text(one), read_text(other)) << "the second launch began at another edge";
  // Traces of the one predict the other.
  const Finished run = predict(file, scratch / "c", {"workload.params.steps=2", "platform.sm.schedulers=4"},
                               {"--policies", "gtlo", "--traces", one});
  expect_exact(run, scratch / "c", 1);
}

/// Changes the `occurrence`-th match of `what` in a text.
std::string changed(const std::string& text, const std::string& what, const std::string& to, int occurrence) {
  std::size_t at = text.find(what);
  while (at != std::string::npos && --occurrence) at = text.find(what, at + 1);
  EXPECT_NE(at, std::string::npos);
  return text.substr(0, at) + to + text.substr(at + what.size());
}

// A single warp, which nothing hides a cycle from.
TEST(Prediction, AWrongTraceIsNoticed) {
  const ScratchFolder scratch;
  const std::string file = app_file(scratch, "sgemm, params: {m: 32, n: 1, k: 8, block_y: 1}");
  const std::string good = (scratch / "good.txt").string();
  ASSERT_EQ(predict(file, scratch / "good", {}, {"--policies", "gtlrr", "--save-traces", good}).status, 0);
  const std::string text = read_text(good);
  const std::string load = " latency 115 long\n";  // 16 lines: every element of a row is another one
  const struct {
    const char* name;
    std::string text;
  } wrong[] = {{"one load a cycle longer", changed(text, load, " latency 116 long\n", 3)},
               {"one load a cycle shorter", changed(text, load, " latency 114 long\n", 5)},
               {"multiplications a cycle slower",
                std::regex_replace(text, std::regex(" int latency 4 "), " int latency 5 ")},
               {"code at another place in its line", changed(text, "0 name", "10 name", 1)}};
  for (const auto& [name, traces] : wrong) {
    SCOPED_TRACE(name);
    const Finished run = predict(file, scratch / "bad", {},
                                 {"--policies", "gtlrr", "--traces", scratch.file("bad.txt", traces)});
    EXPECT_EQ(run.status, 1) << run.out << run.err;
    const auto result = read_json(scratch / "bad/predict.json");
    EXPECT_FALSE(result["exact"]);
    EXPECT_FALSE(result["runs"][0]["exact"]);
    EXPECT_FALSE(result["runs"][0]["first_other_edge"].is_null());
    EXPECT_NE(run.out.find("gtlrr, coordinated: first other"), std::string::npos) << run.out;
  }
}

TEST(Prediction, AProgramThatLooksAtTheScheduleIsNamed) {
  const ScratchFolder scratch;
  const Finished run =
      predict(app_file(scratch, "features"), scratch / "out", {"workload.params.kernel=spin_lock"},
              {"--policies", "gtlrr,{name: select, selection: icount, mode: strict}"});
  EXPECT_EQ(run.status, 1) << run.out << run.err;
  EXPECT_NE(run.out.find("its warps do not do what the traces say: CTA (0,0,0) of launch 0, warp "),
            std::string::npos)
      << run.out;
}

TEST(Prediction, WrongInputIsNamed) {
  const ScratchFolder scratch;
  const std::string file = app_file(scratch, "sgemm");
  const auto message = [&](const std::vector<std::string>& words,
                           const std::vector<std::string>& settings = {}) {
    const Finished run = predict(file, scratch / "out", settings, words);
    EXPECT_EQ(run.status, 2) << run.out << run.err;
    EXPECT_FALSE(std::filesystem::exists(scratch / "out")) << "nothing has run";
    return run.err;
  };
  EXPECT_NE(message({"--policies", "gtlr"}).find("an unknown warp_scheduler; allowed: gtlo, gtlrr,"),
            std::string::npos);
  EXPECT_NE(message({"--policies", "lrr,"}).find("a list of names"), std::string::npos);
  EXPECT_NE(message({"--traces", "/nonexistent"}).find("cannot read /nonexistent: No such file or directory"),
            std::string::npos);
  EXPECT_NE(message({"--traces", "a", "--save-traces", "b"}).find("exclude each other"), std::string::npos);
  EXPECT_NE(message({}, {"platform.sm.frontend.ibuffer_entries=2"}).find("ibuffer_entries: 4"),
            std::string::npos);
  const std::string bad =
      scratch.file("bad.txt", "warpvp-trace 1\nprogram 0 address 0\ninst 0 int latency soon\n");
  EXPECT_NE(message({"--traces", bad}).find(bad + ":3: the latency is 'soon'"), std::string::npos);
}

TEST(Prediction, NeedsTheStagesThatItComputes) {
  const ScratchFolder scratch;
  const Finished run = predict(app_file(scratch, "vector_add"), scratch / "out",
                               {"platform.sm.operands.type=ideal"}, {"--policies", "lrr"});
  EXPECT_EQ(run.status, 2);
  EXPECT_NE(run.err.find("'platform.sm.operands.type' is 'ideal'; predictions need: collectors"),
            std::string::npos)
      << run.err;
}

TEST(Prediction, TracesOfAnotherRunAreRefused) {
  const ScratchFolder scratch;
  const std::string traces = (scratch / "t.txt").string();
  ASSERT_EQ(
      predict(app_file(scratch, "sgemm"), scratch / "a", {}, {"--policies", "lrr", "--save-traces", traces})
          .status,
      0);
  const Finished run = predict(app_file(scratch, "hotspot3d"), scratch / "b", {"workload.params.steps=2"},
                               {"--policies", "lrr", "--traces", traces});
  EXPECT_EQ(run.status, 2);
  EXPECT_NE(run.err.find("the traces lack CTA (0,0,0) of launch 1, which runs"), std::string::npos)
      << run.err;
}

}  // namespace
}  // namespace warpvp::test
