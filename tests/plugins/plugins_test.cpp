// The example plugins, built against an installed program: each does its part in a run, by every command that
// reads run files.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "tests/platform/program.h"

namespace warpvp::test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

const std::string kExamples = WARPVP_PLACE "/examples/";

/// result.json of an example's run with further settings.
nlohmann::json run_example(const std::string& name, std::vector<std::string> settings = {}) {
  const ScratchFolder scratch;
  std::vector<std::string> words = {"run",   kExamples + name + ".yaml",
                                    "--out", (scratch / "out").string(),
                                    "--set", "platform.check_protocol=true"};
  for (const std::string& setting : settings) {
    words.emplace_back("--set");
    words.push_back(setting);
  }
  const Finished run = run_program(words);
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_THAT(run.out + run.err, Not(HasSubstr("Warning"))) << "of SystemC";
  return read_json(scratch / "out/result.json");
}

TEST(Plugins, AWarpPolicySchedulesWarps) {
  const auto own = run_example("warp_policy");
  EXPECT_TRUE(own["verified"].get<bool>());
  EXPECT_EQ(own["config"]["platform"]["sm"]["warp_scheduler"], "youngest_first");
  EXPECT_EQ(own["config"]["plugins"][0], kExamples + "build/youngest_first.so");
  const auto other = run_example("warp_policy", {"platform.sm.warp_scheduler=lrr"});
  EXPECT_NE(own["simulation"]["kernel_cycles"], other["simulation"]["kernel_cycles"]);
}

// The tutorial's point: on an L1 that is too small for all warps, two of the four of a scheduler are faster.
TEST(Plugins, FewWarpsShareTheL1Better) {
  const auto run_of = [](const std::string& warps) {
    const ScratchFolder scratch;
    const Finished run =
        run_program({"run", "spmv", "--platform", "small", "--out", (scratch / "out").string(), "--set",
                     "plugins=[" + kExamples + "build/few_warps.so]", "--set",
                     "platform.sm.warp_scheduler={name: few_warps, warps: " + warps + "}", "--set",
                     "platform.sm.resources.shared_options_kib=[]", "--set",
                     "platform.sm.memory.l1.unified_kib=0", "--set", "platform.sm.memory.l1.size_kib=64"});
    EXPECT_EQ(run.status, 0) << run.err;
    return read_json(scratch / "out/result.json");
  };
  const auto two = run_of("2"), all = run_of("4");
  EXPECT_TRUE(two["verified"].get<bool>());
  EXPECT_LT(two["simulation"]["kernel_cycles"], all["simulation"]["kernel_cycles"]);
  EXPECT_GT(two["kernels"][0]["l1"]["l1_hit_rate"], all["kernels"][0]["l1"]["l1_hit_rate"]);
}

// A scheduler that hears of the L1's evictions: it is `oldest` where what is lost counts nothing, and keeps
// more of the lines that warps use again where it does (Rogers et al., MICRO 2012: fewer misses by holding
// warps back).
TEST(Plugins, ASchedulerThatListensToTheL1KeepsLocality) {
  const auto run_of = [](const std::string& scheduler) {
    const ScratchFolder scratch;
    const Finished run = run_program(
        {"run", "spmv", "--platform", "small", "--out", (scratch / "out").string(), "--set",
         "plugins=[" + kExamples + "build/lost_locality.so]", "--set",
         "platform.sm.warp_scheduler=" + scheduler, "--set", "platform.sm.resources.shared_options_kib=[]",
         "--set", "platform.sm.memory.l1.unified_kib=0", "--set", "platform.sm.memory.l1.size_kib=64"});
    EXPECT_EQ(run.status, 0) << run.err;
    return read_json(scratch / "out/result.json");
  };
  const auto oldest = run_of("oldest"), deaf = run_of("{name: lost_locality, k_throttle: 0}"),
             listening = run_of("lost_locality");
  EXPECT_TRUE(listening["verified"].get<bool>());
  EXPECT_EQ(deaf["simulation"]["kernel_cycles"], oldest["simulation"]["kernel_cycles"]);
  EXPECT_EQ(oldest["sms"][0].count("policies"), 0u);
  const auto lost = [](const nlohmann::json& result) {
    return result["sms"][0]["policies"]["warp_scheduler"]["lost_lines"].get<int>();
  };
  EXPECT_LT(lost(listening), lost(deaf));
  EXPECT_GT(listening["kernels"][0]["l1"]["l1_hit_rate"],
            1.2 * oldest["kernels"][0]["l1"]["l1_hit_rate"].get<double>());
  EXPECT_LT(listening["simulation"]["kernel_cycles"], oldest["simulation"]["kernel_cycles"]);
}

/// result.json of spmv under a front end of a plugin; `csv` gets the header of instructions.csv.
nlohmann::json run_under(const std::string& plugin, const std::string& mode, const std::string& code,
                         std::string* csv = nullptr) {
  const ScratchFolder scratch;
  std::vector<std::string> words = {"run",        "spmv",
                                    "--platform", "small",
                                    "--out",      (scratch / "out").string(),
                                    "--set",      "plugins=[" + kExamples + "build/" + plugin + ".so]",
                                    "--set",      "platform.sm.frontend.mode=" + mode,
                                    "--set",      "platform.ptx.code=" + code,
                                    "--set",      "platform.sm.operands.read_window=1",
                                    "--set",      "output.instructions=true"};
  const Finished run = run_program(words);
  EXPECT_EQ(run.status, 0) << run.err;
  if (csv != nullptr) std::getline(std::ifstream(scratch / "out/instructions.csv"), *csv);
  return read_json(scratch / "out/result.json");
}

// Half of the machine instructions that compute nothing are left out, with and without fetching them.
TEST(Plugins, AFrontEndSkipsInstructions) {
  std::string with, without;
  const auto all = run_under("every_second_nop", "separate", "machine", &without);
  EXPECT_FALSE(all["kernels"][0]["frontend"].contains("skipped"));
  EXPECT_THAT(without, HasSubstr("text,issued,threads"));
  const auto issued = [](const nlohmann::json& result) {
    return result["simulation"]["warp_instructions"].get<int>();
  };
  for (const std::string fetch : {"false", "true"}) {
    const auto less = run_under(
        "every_second_nop", "{name: every_second_nop, parts: true, fetch: " + fetch + "}", "machine", &with);
    EXPECT_TRUE(less["verified"].get<bool>());
    const int skipped = less["kernels"][0]["frontend"]["skipped"];
    EXPECT_GT(skipped, 0);
    EXPECT_EQ(issued(less) + skipped, issued(all));
    const auto& counts = less["sms"][0]["policies"]["front_end"];
    EXPECT_EQ(counts["not_fetched"].get<int>() == 0, fetch == "true");
    EXPECT_GE(counts["not_fetched"].get<int>() + counts["dropped"].get<int>(),
              less["sms"][0]["skipped"].get<int>())
        << "more where branches were taken";
    EXPECT_THAT(with, HasSubstr("text,skipped,issued,threads"));
  }
}

TEST(Plugins, AFrontEndRenamesRows) {
  const auto plain = run_under("skewed_rows", "separate", "ptx");
  const auto identity = run_under("skewed_rows", "{name: skewed_rows, shift: 0}", "ptx");
  const auto skewed = run_under("skewed_rows", "{name: skewed_rows, banks: 2}", "ptx");
  EXPECT_TRUE(identity["verified"].get<bool>());
  EXPECT_TRUE(skewed["verified"].get<bool>());
  EXPECT_EQ(identity["simulation"], plain["simulation"]);
  EXPECT_EQ(identity["kernels"], plain["kernels"]);
  const auto conflicts = [](const nlohmann::json& result) {
    std::vector<int> of_sms;
    for (const auto& sm : result["sms"]) of_sms.push_back(sm["bank_conflict_cycles"]);
    return of_sms;
  };
  EXPECT_EQ(conflicts(identity), conflicts(plain));
  EXPECT_NE(conflicts(skewed), conflicts(plain));
}

TEST(Plugins, ARowPolicyWithParametersClosesRows) {
  const auto own = run_example("row_policy");
  EXPECT_TRUE(own["verified"].get<bool>());
  EXPECT_EQ(own["config"]["platform"]["dram"]["page_policy"]["name"], "row_limit");
  EXPECT_EQ(own["config"]["platform"]["dram"]["page_policy"]["accesses"], 2);
  const auto other = run_example("row_policy", {"platform.dram.page_policy=open"});
  EXPECT_GT(own["dram"]["activates"], other["dram"]["activates"]);
}

TEST(Plugins, AReplacementPolicyWorksForL1AndL2) {
  const auto own = run_example("replacement");
  EXPECT_TRUE(own["verified"].get<bool>());
  EXPECT_EQ(own["config"]["platform"]["l2"]["replacement"], "most_recent");
  const auto lru =
      run_example("replacement", {"platform.l2.replacement=lru", "platform.sm.memory.l1.replacement=lru"});
  EXPECT_NE(own["l2"]["hits"], lru["l2"]["hits"]);
}

TEST(Plugins, AForeignMemoryWithOneSocketIsAChannel) {
  const auto own = run_example("foreign_memory");
  EXPECT_TRUE(own["verified"].get<bool>());
  EXPECT_EQ(own["config"]["platform"]["dram"]["type"], "foreign");
  EXPECT_GT(own["dram"]["reads"].get<int>(), 0);
  EXPECT_GT(own["dram"]["writes"].get<int>(), 0);
  const auto slower = run_example("foreign_memory", {"platform.dram.latency_ns=800"});
  EXPECT_TRUE(slower["verified"].get<bool>());
  EXPECT_GT(slower["simulation"]["cycles"], own["simulation"]["cycles"]);
}

TEST(Plugins, AnL2StandsBetweenCrossbarAndMemory) {
  const auto own = run_example("l2");
  EXPECT_TRUE(own["verified"].get<bool>());
  EXPECT_GT(own["l2"]["accesses"].get<int>(), 0);
  EXPECT_EQ(own["l2"]["hits"], 0);
  // Every request reaches memory.
  EXPECT_EQ(own["dram"]["reads"].get<int>() + own["dram"]["writes"].get<int>(), own["l2"]["accesses"]);
  const auto slower = run_example("l2", {"platform.l2.latency_cycles=200"});
  EXPECT_GT(slower["simulation"]["kernel_cycles"], own["simulation"]["kernel_cycles"]);
}

TEST(Plugins, OneInALaterCppDoesTheSame) {
  const auto own = run_example("l2");
  const auto newer = run_example("l2", {"plugins=[" WARPVP_PLACE "/newer/build/cxx20.so]"});
  EXPECT_EQ(newer["simulation"]["kernel_cycles"], own["simulation"]["kernel_cycles"]);
}

// What only the distributor decides shows in the time of the kernel: each wave of CTAs takes 2000 cycles.
TEST(Plugins, AnSmOfGivenTimesShowsTheDistributor) {
  const auto cycles = [](const std::vector<std::string>& settings) {
    const auto result = run_example("timed_sm", settings);
    EXPECT_FALSE(result["verified"].get<bool>());
    const auto& kernel = result["kernels"][0];
    EXPECT_EQ(kernel["ctas"], 40);
    EXPECT_EQ(kernel["warp_instructions"], 0);
    return kernel["end_cycle"].get<double>() - kernel["start_cycle"].get<double>();
  };
  const struct {
    std::vector<std::string> settings;
    unsigned waves;
  } kCases[] = {
      {{"platform.sms=2", "platform.sm.resources.ctas=4"}, 5},
      {{"platform.sms=2", "platform.sm.resources.ctas=20"}, 3},  // 2048 threads: 8 CTAs
      {{"platform.sms=5", "platform.sm.resources.ctas=32"}, 1},
      {{"platform.sms=1", "platform.sm.resources.ctas=32", "platform.sm.resources.threads=1024"}, 10},
  };
  for (const auto& c : kCases) {
    const double time = cycles(c.settings);
    EXPECT_GE(time, 2000 * c.waves) << c.settings.back();
    EXPECT_LT(time, 2000 * (c.waves + 0.5)) << c.settings.back();
  }
}

TEST(Plugins, WithoutChecksTheSummarySaysSo) {
  const ScratchFolder scratch;
  const Finished run = run_program({"run", kExamples + "timed_sm.yaml", "--out", (scratch / "out").string()});
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_THAT(run.out, HasSubstr("results not checked"));
}

TEST(Plugins, OneMayBeNamedByAnOverrideAndTwice) {
  const ScratchFolder scratch;
  const std::string plugin = kExamples + "build/youngest_first.so";
  const Finished run =
      run_app("small", "vector_add", scratch / "out",
              {"platform.sm.warp_scheduler=youngest_first",
               "plugins=[" + plugin + ", " + kExamples + "/build/../build/youngest_first.so]"});
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_TRUE(read_json(scratch / "out/result.json")["verified"].get<bool>());
}

TEST(Plugins, ConfigPrintsAFileThatRunsFromElsewhere) {
  const ScratchFolder scratch;
  const Finished config = run_program({"config", kExamples + "l2.yaml"});
  ASSERT_EQ(config.status, 0) << config.err;
  EXPECT_THAT(config.out, HasSubstr(kExamples + "build/pass_through_l2.so"));
  EXPECT_THAT(config.out, HasSubstr("requests: 64"));  // a field of the plugin's own
  const Finished run = run_program(
      {"run", scratch.file("resolved.yaml", config.out), "--quiet", "--out", (scratch / "out").string()});
  EXPECT_EQ(run.status, 0) << run.err;
}

TEST(Plugins, PredictKnowsThem) {
  const ScratchFolder scratch;
  const Finished run =
      run_program({"predict", kExamples + "warp_policy.yaml", "--policies", "youngest_first", "--set",
                   "platform.sm.frontend.fetch_width=1", "--out", (scratch / "out").string()});
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_THAT(run.out, HasSubstr("youngest_first"));
}

TEST(Plugins, AnExperimentSweepsThemAndRunsAnewWhenOneChanges) {
  const ScratchFolder scratch;
  const std::string plugin = scratch.file("policy.so", read_text(kExamples + "build/youngest_first.so"));
  const std::string file = scratch.file(
      "sweep.yaml",
      "experiment: sweep\nbase:\n  plugins: [policy.so]\n  platform: small\n  workload: {app: hello}\n"
      "matrix:\n  platform.sm.warp_scheduler: [lrr, youngest_first]\n"
      "table:\n  rows: platform.sm.warp_scheduler\n  values: [simulation.kernel_cycles]\n");
  const std::vector<std::string> words = {"experiment", file, "--out", (scratch / "out").string()};
  const Finished first = run_program(words);
  EXPECT_EQ(first.status, 0) << first.err;
  EXPECT_THAT(first.out, HasSubstr("youngest_first"));
  EXPECT_THAT(first.err, HasSubstr("2 ran, 0 finished before"));
  EXPECT_THAT(run_program(words).err, HasSubstr("0 ran, 2 finished before"));
  // The same parts, other bytes.
  scratch.file("policy.so", read_text(plugin) + "\n");
  EXPECT_THAT(run_program(words).err, HasSubstr("2 ran, 0 finished before"));
}

TEST(Plugins, ListAndDescribeShowTheirParts) {
  const std::string plugin = kExamples + "build/timed_sm.so";
  const Finished list = run_program({"list", "sm", "--plugin", plugin});
  EXPECT_EQ(list.status, 0) << list.err;
  EXPECT_THAT(list.out, HasSubstr("timed"));
  const Finished description = run_program({"describe", "timed", "--plugin", plugin});
  EXPECT_EQ(description.status, 0) << description.err;
  EXPECT_THAT(description.out, HasSubstr("`cycles_per_cta`"));
  EXPECT_EQ(run_program({"describe", "timed"}).status, 2);
  const Finished none = run_program({"list", "--plugin", "none.so"});
  EXPECT_EQ(none.status, 2);
  EXPECT_THAT(none.err, HasSubstr("--plugin: cannot read none.so"));
}

}  // namespace
}  // namespace warpvp::test
