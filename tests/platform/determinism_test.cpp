// Same YAML, same seed: the same result.json, host times aside.

#include <gtest/gtest.h>

#include "tests/platform/program.h"

namespace warpvp::test {
namespace {

nlohmann::json without_host(nlohmann::json result) {
  result.erase("host");
  return result;
}

TEST(Determinism, TwoRunsAgreeToTheBit) {
  const ScratchFolder scratch;
  const std::vector<std::string> settings{"workload.params.k1=his", "workload.params.k2=mm",
                                          "workload.params.size=0.02", "workload.params.budget2=4",
                                          "platform.sm.warp_scheduler=qaws"};
  ASSERT_EQ(run_app("small", "pair", scratch / "a", settings).status, 0);
  ASSERT_EQ(run_app("small", "pair", scratch / "b", settings).status, 0);
  EXPECT_EQ(without_host(read_json(scratch / "a/result.json")).dump(),
            without_host(read_json(scratch / "b/result.json")).dump());
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

}  // namespace
}  // namespace warpvp::test
