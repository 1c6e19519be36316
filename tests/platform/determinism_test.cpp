// Same YAML, same seed: the same result.json, host times aside.

#include <gtest/gtest.h>

#include "tests/platform/program.h"

namespace warpvp::test {
namespace {

TEST(Determinism, TwoRunsAgreeToTheBit) {
  const ScratchFolder scratch;
  const std::vector<std::string> settings{"workload.params.k1=his", "workload.params.k2=mm",
                                          "workload.params.size=0.02", "workload.params.budget2=4",
                                          "platform.sm.warp_scheduler=qaws"};
  ASSERT_EQ(run_app("small", "pair", scratch / "a", settings).status, 0);
  ASSERT_EQ(run_app("small", "pair", scratch / "b", settings).status, 0);
  EXPECT_EQ(read_result(scratch / "a").dump(), read_result(scratch / "b").dump());
}

TEST(Determinism, TheFirmwareMayRunAheadAsFarAsItLikes) {
  const ScratchFolder scratch;
  nlohmann::json first;
  for (const std::string quantum : {"1", "10", "1000", "100000"}) {
    SCOPED_TRACE(quantum);
    const Finished run = run_app("small", "many_streams", scratch / quantum,
                                 {"platform.command_processor.type=riscv", "workload.params.streams=5",
                                  "platform.command_processor.core.quantum=" + quantum});
    ASSERT_EQ(run.status, 0) << run.err;
    nlohmann::json result = read_result(scratch / quantum);
    result.erase("config");
    if (first.is_null()) first = result;
    EXPECT_EQ(result.dump(), first.dump());
  }
}

TEST(Determinism, TheSeedMatters) {
  const ScratchFolder scratch;
  ASSERT_EQ(run_app("small", "bfs", scratch / "a", {"seed=1", "workload.params.vertices=300"}).status, 0);
  ASSERT_EQ(run_app("small", "bfs", scratch / "b", {"seed=2", "workload.params.vertices=300"}).status, 0);
  EXPECT_NE(read_json(scratch / "a/result.json")["simulation"]["cycles"],
            read_json(scratch / "b/result.json")["simulation"]["cycles"]);
}

TEST(Determinism, CheckersAndTracesDoNotChangeTheResult) {
  const ScratchFolder scratch;
  ASSERT_EQ(run_app("small", "reduction", scratch / "a", {}).status, 0);
  ASSERT_EQ(
      run_app("small", "reduction", scratch / "b", {"platform.check_protocol=true", "trace.enabled=true"})
          .status,
      0);
  auto a = read_json(scratch / "a/result.json"), b = read_json(scratch / "b/result.json");
  for (const char* key : {"simulation", "kernels", "sms", "noc", "l2", "dram", "control"})
    EXPECT_EQ(a[key], b[key]) << key;
  EXPECT_TRUE(read_json(scratch / "b/trace.json").contains("traceEvents"));
}

TEST(Determinism, ResultsDoNotDependOnTheNumberOfJobs) {
  const ScratchFolder scratch;
  const std::string file =
      scratch.file("experiment.yaml",
                   "experiment: jobs\n"
                   "base:\n"
                   "  platform: small\n"
                   "  workload: {app: reduction, params: {count: 3001, ctas: 3}}\n"
                   "matrix:\n"
                   "  scheduler: {setting: platform.sm.warp_scheduler, values: [lrr, gto, oldest]}\n"
                   "table: {rows: scheduler, values: [{key: simulation.cycles}]}\n");
  for (const char* jobs : {"1", "3"}) {
    const Finished run =
        run_program({"run", file, "--quiet", "--jobs", jobs, "--out", (scratch / jobs).string()});
    ASSERT_EQ(run.status, 0) << run.err;
  }
  unsigned compared = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(scratch / "1")) {
    if (entry.path().filename() != "result.json") continue;
    const auto other = scratch / "3" / std::filesystem::relative(entry.path(), scratch / "1");
    EXPECT_EQ(read_result(entry.path().parent_path()).dump(), read_result(other.parent_path()).dump())
        << other;
    ++compared;
  }
  EXPECT_EQ(compared, 3u);
}

}  // namespace
}  // namespace warpvp::test
