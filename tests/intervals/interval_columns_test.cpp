// Which columns interval statistics have, and that they sum up to result.json.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/wildcard.h"
#include "cli/describe_intervals.h"
#include "platform/observe/interval_counters.h"
#include "tests/intervals/interval_table.h"
#include "tests/platform/program.h"

namespace warpvp::test {
namespace {

using testing::HasSubstr;

/// Everything that is counted by interval.
constexpr const char* kAll =
    "[default, sms.*, sms.*.*, sms.memory.*, sms.memory.*.*, sms.*.memory.*, kernels.*, kernels.*.*, "
    "kernels.stalls.by_scheduler.*.*, noc.*.*, l2.*, dram.*, traffic.*.*.*, traffic.*.*.*.*, "
    "control.*.*]";

struct Case {
  const char* name;
  const char* platform;
  const char* workload;
  int cycles;
};
void PrintTo(const Case& c, std::ostream* out) { *out << c.name; }

class Sums : public testing::TestWithParam<Case> {};

TEST_P(Sums, OfEveryColumnAreTheTotals) {
  const ScratchFolder scratch;
  const Finished run =
      run_program({"run",
                   scratch.file("run.yaml", std::string("platform: ") + GetParam().platform +
                                                "\nworkload: " + GetParam().workload +
                                                "\noutput: {intervals: {counters: " + kAll + "}}\n"),
                   "--intervals", std::to_string(GetParam().cycles), "--quiet", "--out", scratch / "out"});
  ASSERT_EQ(run.status, 0) << run.err;
  expect_sums_of_result(scratch / "out");
  const IntervalTable table = read_intervals(scratch / "out");
  EXPECT_GT(table.names.size(), 150u);
  EXPECT_GT(table.sum("sms.issued"), 0);
  EXPECT_GT(table.sum("control.dma.bytes"), 0);
  double by_sm = 0;
  for (const std::string& name : table.names)
    if (matches_pattern("sms.*.issued", name, '.')) by_sm += table.sum(name);
  EXPECT_EQ(by_sm, table.sum("sms.issued"));
}

INSTANTIATE_TEST_SUITE_P(
    Intervals, Sums,
    testing::Values(
        Case{"small", "small", "{app: matmul}", 500},
        Case{"every_cycles_odd", "small", "{app: histogram}", 333},
        Case{"many_kernels", "small", "{app: many_streams, params: {streams: 5}}", 1000},
        Case{"titan_v", "{extends: titan_v, sms: 2}", "{app: reduction}", 700},
        Case{"qv100", "{extends: qv100, sms: 3}", "{app: transpose}", 1000},
        Case{"vortex", "vortex_sm", "{app: vector_add}", 1000},
        Case{"ccbp", "{extends: ccbp_gpu, sms: 2}", "{app: matmul}", 1000},
        Case{"coordinated",
             "{extends: small, sm: {frontend: {mode: coordinated, fetch_width: 1}, oracle: true}}",
             "{app: vector_add}", 200},
        Case{"hardware", "{extends: small, command_processor: {type: hardware}, dram: {type: fixed_latency}}",
             "{app: vector_add}", 1000},
        Case{"isolated", "{extends: small, l2: {type: perfect}, sm: {memory: {model: isolated}}}",
             "{app: vector_add}", 1000},
        Case{"longer_than_the_run", "small", "{app: vector_add}", 100'000'000}),
    [](const auto& info) { return info.param.name; });

TEST(Columns, AreTheDefaultOnesInTheirOrder) {
  const ScratchFolder scratch;
  ASSERT_EQ(run_program({"run", "vector_add", "--platform", "small", "--intervals", "1000", "--quiet",
                         "--out", scratch / "out"})
                .status,
            0);
  EXPECT_EQ(read_intervals(scratch / "out").names, default_interval_counters());
  expect_sums_of_result(scratch / "out");
}

TEST(Columns, OfOneSmAreAskedFor) {
  const ScratchFolder scratch;
  const Finished run =
      run_app("small", "vector_add", scratch / "out",
              {"output.intervals.cycles=1000",
               "output.intervals.counters=[\"sms[1].issued\", sms.*.resident_warps, dram.row_*, "
               "sms.1.issued]"});
  ASSERT_EQ(run.status, 0) << run.err;
  EXPECT_EQ(read_intervals(scratch / "out").names,
            (std::vector<std::string>{"sms.1.issued", "sms.0.resident_warps", "sms.1.resident_warps",
                                      "sms.2.resident_warps", "sms.3.resident_warps", "dram.row_hits",
                                      "dram.row_misses", "dram.row_conflicts"}));
}

TEST(Columns, ThatAPlatformHasNotAreLeftOutOfTheDefault) {
  const ScratchFolder scratch;
  const Finished run = run_app("{extends: small, sm: {memory: {model: isolated}}}", "vector_add",
                               scratch / "out", {"output.intervals.cycles=1000"});
  ASSERT_EQ(run.status, 0) << run.err;
  EXPECT_TRUE(read_intervals(scratch / "out").has("sms.issued"));
}

TEST(Columns, ThatAreUnknownAreRefused) {
  const ScratchFolder scratch;
  const auto refused = [&](const std::string& counters) {
    const std::string file = scratch.file(
        "run.yaml", "platform: small\nworkload: vector_add\noutput:\n  intervals: {cycles: 1000, counters: " +
                        counters + "}\n");
    const Finished run = run_program({"run", file, "--quiet", "--out", scratch / "out"});
    EXPECT_EQ(run.status, 2) << counters;
    EXPECT_FALSE(std::filesystem::exists(scratch / "out")) << counters;
    return run.err;
  };
  EXPECT_THAT(refused("[default, l2.hit]"),
              HasSubstr("run.yaml:4:49: 'output.intervals.counters': this platform "
                        "counts nothing called 'l2.hit' by interval; did you mean "
                        "'l2.hits'?"));
  EXPECT_THAT(refused("l2.hit"), HasSubstr("`warpvp describe intervals` explains the names"));
  EXPECT_THAT(refused("sms.memory.l1_hit_rate"), HasSubstr("counts nothing called 'sms.memory.l1_hit_rate'"));
  EXPECT_THAT(refused("sms.4.issued"), HasSubstr("did you mean"));
  EXPECT_THAT(refused("kernels.0.warp_instructions"), HasSubstr("did you mean 'kernels.warp_instructions'?"));
  EXPECT_THAT(refused("{a: b}"), HasSubstr("is a mapping; allowed: a name or a list of names"));
  EXPECT_THAT(refused("[[sms.issued]]"), HasSubstr("is a list; allowed: a name or a list of names"));
  EXPECT_THAT(refused("[]"), HasSubstr("allowed: a name or a list of names"));
  EXPECT_EQ(run_program({"run", "vector_add", "--intervals", "0"}).status, 2);
  EXPECT_EQ(run_program({"run", "vector_add", "--intervals", "often"}).status, 2);
}

TEST(Columns, MatchTextWithinAComponent) {
  EXPECT_TRUE(matches_pattern("sms.issued", "sms.issued", '.'));
  EXPECT_TRUE(matches_pattern("sms.*", "sms.issued", '.'));
  EXPECT_TRUE(matches_pattern("sms.*.issued", "sms.12.issued", '.'));
  EXPECT_TRUE(matches_pattern("sms.memory.l1_*_sectors", "sms.memory.l1_read_hit_sectors", '.'));
  EXPECT_TRUE(matches_pattern("*.*s", "sms.ctas", '.'));
  EXPECT_TRUE(matches_pattern("l2.h*ts*", "l2.hits", '.'));
  EXPECT_FALSE(matches_pattern("sms.*", "sms.0.issued", '.'));
  EXPECT_FALSE(matches_pattern("sms.issue", "sms.issued", '.'));
  EXPECT_FALSE(matches_pattern("sms.issued.", "sms.issued", '.'));
  EXPECT_FALSE(matches_pattern("*", "sms.issued", '.'));
  EXPECT_FALSE(matches_pattern("", "sms.issued", '.'));
}

// Each column of the default with a unit and a sentence, and each level.
TEST(Columns, AreDescribed) {
  const std::string text = interval_reference();
  for (const std::string& name : default_interval_counters())
    EXPECT_THAT(text, HasSubstr("\n| `" + name + "` | "));
  for (const auto& level : IntervalCounters::levels()) {
    EXPECT_TRUE(is_level(level.name)) << level.name;
    EXPECT_THAT(text, HasSubstr("`" + level.name + "`"));
  }
  const Finished described = run_program({"describe", "intervals"});
  EXPECT_EQ(described.status, 0);
  EXPECT_EQ(described.out, text);
}

}  // namespace
}  // namespace warpvp::test
