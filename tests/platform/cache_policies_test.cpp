// Policies of the caches, chosen in YAML: what each changes in a whole run, and what is refused.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "tests/platform/program.h"

namespace warpvp::test {
namespace {

using nlohmann::json;
using testing::HasSubstr;

/// A matrix product on `small`, with an L2 that holds a part of its data, and with these settings.
json result_with(std::vector<std::string> settings, const std::string& size = "128") {
  settings.insert(settings.end(), {"platform.l2.bank_kib=24", "workload.params.m=" + size,
                                   "workload.params.n=" + size, "workload.params.k=" + size});
  return result_of_app("small", "matmul", settings);
}

struct Effect {
  const char* name;
  std::vector<std::string> settings;
  std::function<void(const json& run, const json& standard)> check;
};
void PrintTo(const Effect& e, std::ostream* out) { *out << e.name; }

class CachePolicyInYaml : public testing::TestWithParam<Effect> {};

TEST_P(CachePolicyInYaml, ChangesTheRunAndNotTheResult) {
  const json run = result_with(GetParam().settings), standard = result_with({});
  ASSERT_TRUE(run["verified"]);
  GetParam().check(run, standard);
}

void differs_in_l2(const json& run, const json& standard) {
  EXPECT_NE(run["l2"]["hits"], standard["l2"]["hits"]);
  EXPECT_NE(run["simulation"]["kernel_cycles"], standard["simulation"]["kernel_cycles"]);
}
void is_the_same(const json& run, const json& standard) {
  EXPECT_EQ(run["simulation"], standard["simulation"]);
  json l2 = run["l2"];
  l2.erase("replacement");  // what its policy counts
  EXPECT_EQ(l2, standard["l2"]);
}
std::uint64_t l1_of(const json& run, const char* key) {
  std::uint64_t sum = 0;
  for (const json& kernel : run["kernels"]) sum += kernel["l1"][key].get<std::uint64_t>();
  return sum;
}
const json& l1_prefetch(const json& run) { return run["kernels"][0]["l1"]["l1_prefetch"]; }

INSTANTIATE_TEST_SUITE_P(
    Names, CachePolicyInYaml,
    testing::Values(
        Effect{"l2_lru", {"platform.l2.replacement=lru"}, is_the_same},
        Effect{"l2_fifo", {"platform.l2.replacement=fifo"}, differs_in_l2},
        Effect{"l2_random", {"platform.l2.replacement=random"}, differs_in_l2},
        Effect{"l2_srrip", {"platform.l2.replacement={name: srrip, bits: 3}"}, differs_in_l2},
        Effect{"l2_plru", {"platform.l2.replacement=plru"}, differs_in_l2},
        Effect{"l2_adaptive_insertion", {"platform.l2.replacement=adaptive_insertion"}, differs_in_l2},
        Effect{"l2_way_partition_without_quotas", {"platform.l2.replacement=way_partition"}, is_the_same},
        Effect{
            "l2_way_partition", {"platform.l2.replacement={name: way_partition, ways: [4]}"}, differs_in_l2},
        Effect{"l1_lru", {"platform.sm.memory.l1.replacement=lru"}, is_the_same},
        Effect{"write_through",
               {"platform.l2.write_policy=write_through"},
               [](const json& run, const json& standard) {
                 EXPECT_EQ(run["l2"]["writebacks"], 0);
                 EXPECT_EQ(run["l2"]["written_through"], run["l2"]["writes"]);
                 EXPECT_GT(run["dram"]["writes"], standard["dram"]["writes"]);
               }},
        Effect{"write_through_without_allocation",
               {"platform.l2.write_policy={name: write_through, allocate: false}"},
               [](const json& run, const json& standard) {
                 EXPECT_EQ(run["l2"]["written_through"], run["l2"]["writes"]);
                 EXPECT_NE(run["l2"]["hits"], standard["l2"]["hits"]);
               }},
        Effect{"write_around",
               {"platform.l2.write_policy=write_around"},
               [](const json& run, const json& standard) {
                 EXPECT_GT(run["l2"]["written_through"], 0);
                 EXPECT_LT(run["l2"]["writebacks"], standard["l2"]["writebacks"]);
               }},
        Effect{"inclusive",
               {"platform.l2.inclusion=inclusive"},
               [](const json& run, const json& standard) {
                 EXPECT_EQ(standard["l2"]["recalls"], 0);
                 EXPECT_GT(run["l2"]["recalls"], 0);
                 EXPECT_GT(l1_of(run, "l1_recalled_lines"), 0);
                 EXPECT_GE(l1_of(run, "l1_recalls"), l1_of(run, "l1_recalled_lines"));
                 EXPECT_LT(l1_of(run, "l1_hits"), l1_of(standard, "l1_hits"));
                 EXPECT_GT(run["noc"]["reply"]["packets"], standard["noc"]["reply"]["packets"]);
               }},
        Effect{"l2_next_line",
               {"platform.l2.prefetcher=next_line"},
               [](const json& run, const json& standard) {
                 EXPECT_GT(run["l2"]["prefetch"]["useful"], 0);
                 EXPECT_GT(run["l2"]["hits"], standard["l2"]["hits"]);
                 EXPECT_LT(run["l2"]["misses"], standard["l2"]["misses"]);
               }},
        Effect{"l2_stride",
               {"platform.l2.prefetcher={name: stride, degree: 2}"},
               [](const json& run, const json&) { EXPECT_GT(run["l2"]["prefetch"]["issued"], 0); }},
        Effect{"l1_next_line",
               {"platform.sm.memory.l1.prefetcher={name: next_line, degree: 2}"},
               [](const json& run, const json& standard) {
                 EXPECT_GT(l1_prefetch(run)["useful"], 0);
                 EXPECT_LT(l1_of(run, "l1_misses"), l1_of(standard, "l1_misses"));
               }},
        Effect{"l1_stride",
               {"platform.sm.memory.l1.prefetcher={name: stride, by: pc_and_warp, confidence: 1}"},
               [](const json& run, const json&) { EXPECT_GT(l1_prefetch(run)["issued"], 0); }},
        Effect{"no_prefetcher",
               {"platform.l2.prefetcher=none", "platform.sm.memory.l1.prefetcher=none"},
               is_the_same}),
    [](const auto& info) { return info.param.name; });

class L1ReplacementInYaml : public testing::TestWithParam<const char*> {};

TEST_P(L1ReplacementInYaml, ChangesTheRunAndNotTheResult) {
  const auto with = [](const std::string& replacement) {
    return result_with({"platform.sm.memory.l1.unified_kib=0", "platform.sm.resources.shared_options_kib=[]",
                        "platform.sm.memory.l1.size_kib=4", "platform.sm.memory.l1.associativity=4",
                        "platform.sm.memory.l1.replacement=" + replacement});
  };
  const json run = with(GetParam()), lru = with("lru");
  ASSERT_TRUE(run["verified"]);
  EXPECT_NE(l1_of(run, "l1_hits"), l1_of(lru, "l1_hits"));
}
INSTANTIATE_TEST_SUITE_P(Names, L1ReplacementInYaml, testing::Values("fifo", "random", "srrip", "plru"));

/// One of each.
const std::vector<std::string> kAll = {
    "platform.l2.replacement=random",           "platform.l2.write_policy=write_around",
    "platform.l2.inclusion=inclusive",          "platform.l2.prefetcher=next_line",
    "platform.sm.memory.l1.replacement=random", "platform.sm.memory.l1.prefetcher=next_line"};

TEST(CachePolicies, RandomFollowsFromTheSeedAndNotFromTheOrderOfEvaluation) {
  const auto with = [](const std::vector<std::string>& more, const std::string& size = "64") {
    std::vector<std::string> settings = kAll;
    settings.insert(settings.end(), more.begin(), more.end());
    json run = result_with(settings, size);  // small, as threads wait for each other at every edge
    run.erase("config");
    return run;
  };
  const json once = with({});
  ASSERT_TRUE(once["verified"]);
  EXPECT_EQ(with({"platform.evaluation.order=reverse"}), once);
  EXPECT_EQ(with({"platform.evaluation.threads=2"}), once);
  EXPECT_NE(with({"seed=2"}, "128")["l2"]["hits"], with({}, "128")["l2"]["hits"]);
}

TEST(CachePolicies, KeepToTheProtocolUnderEveryCrossbar) {
  for (const char* crossbar : {"switched", "ideal"}) {
    std::vector<std::string> settings = kAll;
    settings.insert(settings.end(),
                    {"platform.check_protocol=true", std::string("platform.crossbar=") + crossbar});
    EXPECT_TRUE(result_with(settings)["verified"]) << crossbar;
  }
}

// Small pages, at whose ends the next line may belong to nobody.
TEST(CachePolicies, PrefetchesStayInMappedPages) {
  std::vector<std::string> settings = kAll;
  settings.push_back("platform.mmu={type: page_tables, page_kib: 4}");
  const json run = result_with(settings);
  ASSERT_TRUE(run["verified"]);
  EXPECT_GT(l1_prefetch(run)["outside"], 0);
}

TEST(CachePolicies, WrongOnesAreRefusedWithTheRemedy) {
  const struct {
    const char *settings, *what, *remedy;
  } mistakes[] = {
      {"l2: {replacement: lrru}", "'platform.l2.replacement' is 'lrru', an unknown replacement",
       "did you mean 'lru'?"},
      {"l2: {inclusion: exclusive}", "'exclusive', an unknown l2_inclusion", "did you mean 'inclusive'?"},
      {"l2: {write_policy: write_thru}", "'write_thru', an unknown l2_write_policy", "allowed: "},
      {"l2: {prefetcher: {name: stride, by: pc}}", "prefetcher 'stride': 'by' is pc", "allowed in the L2"},
      {"l2: {replacement: {name: way_partition, ways: [1000]}}", "'ways' gives out more than the",
       "ways of the cache"},
      {"sm: {memory: {l1: {prefetcher: {name: next_line, degree: 0}}}}",
       "'platform.sm.memory.l1.prefetcher.degree' is 0", "from 1 to 64"},
  };
  for (const auto& mistake : mistakes) {
    const ScratchFolder scratch;
    const std::string file =
        scratch.file("run.yaml", std::string("platform:\n  extends: small\n  ") + mistake.settings +
                                     "\nworkload: {app: vector_add}\n");
    const Finished run = run_program({"run", file, "--out", scratch / "out"});
    EXPECT_EQ(run.status, 2) << mistake.settings;
    EXPECT_THAT(run.err, HasSubstr(mistake.what));
    EXPECT_THAT(run.err, HasSubstr(mistake.remedy));
  }
}

}  // namespace
}  // namespace warpvp::test
