// Scheduling policies in a whole run: every pair of strict policies gets through barriers, a short name is
// its pair, and what is wrong about budgets and policies is refused with the remedy.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/platform/program.h"

namespace warpvp::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;

std::vector<std::string> select(const std::string& place, const std::string& selection,
                                const std::string& mode) {
  return {place + ".name=select", place + ".selection=" + selection, place + ".mode=" + mode};
}
std::vector<std::string> select(const std::string& issue, const std::string& fetch, const std::string& mode,
                                const std::string& fetch_mode) {
  std::vector<std::string> all = select("platform.sm.warp_scheduler", issue, mode);
  const std::vector<std::string> more = select("platform.sm.frontend.fetch_scheduler", fetch, fetch_mode);
  all.insert(all.end(), more.begin(), more.end());
  all.insert(all.end(), {"workload.params.columns=2000", "limits.cycles=2000000"});
  return all;
}

// A strict stage waits for its warp; the warps of a barrier, and the other stage, must not wait for it too.
class StrictPairs : public testing::TestWithParam<std::tuple<const char*, const char*>> {};

TEST_P(StrictPairs, GetThroughBarriers) {
  const auto [issue, fetch] = GetParam();
  const ScratchFolder scratch;
  const Finished run =
      run_app("small", "pathfinder", scratch / "out", select(issue, fetch, "strict", "strict"));
  ASSERT_EQ(run.status, 0) << run.err;
  EXPECT_TRUE(read_json(scratch / "out/result.json")["verified"]);
}

INSTANTIATE_TEST_SUITE_P(Selections, StrictPairs,
                         testing::Combine(testing::Values("round_robin", "oldest", "icount"),
                                          testing::Values("round_robin", "oldest", "icount")),
                         [](const auto& info) {
                           return std::string(std::get<0>(info.param)) + "_" + std::get<1>(info.param);
                         });

TEST(Scheduling, SelectIsThePolicyOfItsPairAndModesDiffer) {
  const ScratchFolder scratch;
  const auto cycles = [&](const std::string& folder, std::vector<std::string> settings) {
    settings.push_back("workload.params.columns=4700");  // so that sub-cores have several warps
    const Finished run = run_app("small", "pathfinder", scratch / folder, settings);
    EXPECT_EQ(run.status, 0) << run.err;
    return read_json(scratch / (folder + "/result.json"))["simulation"]["kernel_cycles"].get<int>();
  };
  const int named =
      cycles("a", {"platform.sm.warp_scheduler=gtlo", "platform.sm.frontend.fetch_scheduler=gtlrr"});
  EXPECT_EQ(named, cycles("b", select("oldest", "round_robin", "greedy", "greedy")));
  EXPECT_NE(named, cycles("c", select("oldest", "round_robin", "greedy", "adaptive")));
  EXPECT_NE(named, cycles("d", select("icount", "round_robin", "greedy", "greedy")));
}

TEST(Scheduling, ProgramsThatShareADeviceHaveBudgets) {
  const ScratchFolder scratch;
  const auto first_over_second = [&](const std::string& budgets) {
    const Finished run =
        run_app("small", "corun", scratch / budgets,
                {"platform.bandwidth_controller=drf", "platform.sm.warp_scheduler=qaws",
                 "workload.params.k1={name: pure_compute, threads: 8192}",
                 "workload.params.k2={name: pure_compute, threads: 8192}",
                 "workload.params.horizon_cycles=30000", "workload.params.budgets=[" + budgets + "]"});
    EXPECT_EQ(run.status, 0) << run.err;
    const nlohmann::json measured = read_json(scratch / (budgets + "/result.json"))["measured"];
    return measured["K1_ipc"].get<double>() / measured["K2_ipc"].get<double>();
  };
  const double equal = first_over_second("1, 1");
  EXPECT_GT(first_over_second("8, 1"), equal);
  EXPECT_LT(first_over_second("1, 8"), equal);
  EXPECT_THAT(run_app("small", "corun", scratch / "one", {"workload.params.budgets=[1]"}).err,
              HasSubstr("needs one for each of the 2 in `kernels`"));
}

// Warps at a barrier wait for others of their CTA on other schedulers: two kernels whose quotas each
// scheduler counts apart wait for each other, until the epoch is over.
TEST(Scheduling, QuotasOfAnSmLetKernelsThroughBarriers) {
  const ScratchFolder scratch;
  const auto ended_by_time = [&](const std::string& scope) {
    const Finished run = run_app(
        "small", "corun", scratch / scope,
        {"platform.bandwidth_controller=drf", "workload.params.k1={name: backprop, inputs: 4096}",
         "workload.params.k2={name: pathfinder, columns: 10000, rows: 21, height: 20}",
         "workload.params.horizon_cycles=20000",
         "platform.sm.warp_scheduler={name: kernel_quota, quotas: [20, 20], epoch: 200000, scope: " + scope +
             "}"});
    EXPECT_EQ(run.status, 0) << run.err;
    const nlohmann::json result = read_json(scratch / (scope + "/result.json"));
    EXPECT_TRUE(result["verified"]);
    int epochs = 0;
    for (const nlohmann::json& sm : result["sms"])
      epochs += sm["policies"]["warp_scheduler"]["ended_by_time"].get<int>();
    return epochs;
  };
  EXPECT_EQ(ended_by_time("sm"), 0);
  EXPECT_GT(ended_by_time("scheduler"), 0);
}

TEST(Scheduling, WrongPoliciesAndBudgetsAreRefusedWithTheRemedy) {
  struct Mistake {
    const char *app, *setting, *place, *remedy;
  };
  const Mistake mistakes[] = {
      {"pair", "platform.sm.warp_scheduler=qwas", "platform.sm.warp_scheduler", "did you mean 'qaws'"},
      {"pair", "platform.sm.warp_scheduler=fifo", "'fifo'", "allowed: gtlo, gtlrr, gto"},
      {"pair", "platform.sm.frontend.fetch_scheduler=gtlr", "'gtlr'", "did you mean 'gtl"},
      {"pair", "platform.sm.warp_scheduler={name: select, selection: icont}", "'icont'", "'icount'"},
      {"pair", "platform.sm.warp_scheduler={name: select, mode: lose}", "'lose'", "'loose'"},
      {"pair", "platform.sm.warp_scheduler={name: select, leed: 3}", "'leed'", "nearest: 'lead'"},
      {"pair", "workload.params.budget1=0", "'workload.params.budget1' is 0", "at least 1"},
      {"pair", "workload.params.budget2=-4", "'workload.params.budget2' is -4", "at least 1"},
      {"pair", "workload.params.budget3=4", "'budget3'", "allowed: k1, k2, budget1, budget2"},
      {"mix", "workload.params.budgets=[1, 0, 2]", "'workload.params.budgets.1' is 0", "at least 1"},
      {"mix", "workload.params.budgets=[1, 2, 4, 8]", "4 numbers", "one number for each of the 3"},
  };
  for (const Mistake& mistake : mistakes) {
    const ScratchFolder scratch;
    const Finished run = run_app("small", mistake.app, scratch / "out", {mistake.setting});
    EXPECT_EQ(run.status, 2) << mistake.setting << run.err;
    EXPECT_THAT(run.err, AllOf(HasSubstr(mistake.place), HasSubstr(mistake.remedy)));
    EXPECT_FALSE(std::filesystem::exists(scratch / "out/result.json"));
  }
}

TEST(Scheduling, ALaunchWithABudgetOfZeroIsRefused) {
  for (const std::string budget : {"0", "-2", "half"}) {
    const ScratchFolder scratch;
    const std::string file =
        scratch.file("run.yaml", "platform: small\nworkload:\n  launches:\n    - {ptx: " WARPVP_SOURCE
                                 "/sw/kernels/vector_add.ptx, budget: " +
                                     budget + ", args: []}\n");
    const Finished run = run_program({"run", file, "--out", (scratch / "out").string()});
    EXPECT_EQ(run.status, 2) << run.err;
    EXPECT_THAT(run.err, AllOf(HasSubstr("run.yaml:4:"), HasSubstr("launches.0.budget"), HasSubstr(budget),
                               HasSubstr("at least 1")));
  }
}

// What the distributor takes before the first CTA and after the last is elapsed, not execution.
TEST(Scheduling, LaunchAndDrainAreElapsedCyclesOfAKernel) {
  const ScratchFolder scratch;
  const auto kernel = [&](const std::string& folder, const std::vector<std::string>& settings) {
    const Finished run = run_app("small", "saxpy", scratch / folder, settings);
    EXPECT_EQ(run.status, 0) << run.err;
    return read_json(scratch / (folder + "/result.json"))["kernels"][0];
  };
  const auto cycles = [](const nlohmann::json& k, const char* key) { return k[key].get<int>(); };
  const auto plain = kernel("a", {});
  EXPECT_EQ(plain["elapsed_cycles"], plain["response_cycles"]);
  const auto paid = kernel(
      "b", {"platform.work_distributor.launch_cycles=700", "platform.work_distributor.drain_cycles=400"});
  EXPECT_EQ(cycles(paid, "start_cycle") - cycles(paid, "launch_cycle"),
            cycles(plain, "start_cycle") - cycles(plain, "launch_cycle") + 700);
  EXPECT_EQ(cycles(paid, "elapsed_cycles"), cycles(paid, "response_cycles") + 400);
  EXPECT_NEAR(cycles(paid, "execution_cycles"), cycles(plain, "execution_cycles"),
              0.02 * cycles(plain, "execution_cycles"));
}

}  // namespace
}  // namespace warpvp::test
