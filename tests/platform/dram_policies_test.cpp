// The DRAM controller's policies, chosen in YAML: what each changes in a whole run, keys that were there
// before them, and what is refused.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

#include "tests/platform/program.h"

namespace warpvp::test {
namespace {

using nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;

/// The result of a vector addition on `small`, with this `dram:` mapping.
json vector_add_result_with(const ScratchFolder& scratch, const std::string& dram) {
  const std::string file =
      scratch.file("run.yaml", "platform:\n  extends: small\n  dram: " + dram +
                                   "\nworkload: {app: vector_add, params: {count: 65536}}\n");
  const std::string out = (scratch / "out").string();
  const Finished run = run_program({"run", file, "--out", out});
  EXPECT_EQ(run.status, 0) << run.err;
  json result = read_json(out + "/result.json");
  EXPECT_TRUE(result["verified"]);
  return result;
}

struct DramEffect {
  const char* name;
  const char* dram;
  std::function<void(const json& dram, const json& standard)> check;
};
void PrintTo(const DramEffect& e, std::ostream* out) { *out << e.name; }

class DramPolicyInYaml : public testing::TestWithParam<DramEffect> {};

TEST_P(DramPolicyInYaml, ChangesTheRun) {
  const ScratchFolder scratch, standard;
  const json result = vector_add_result_with(scratch, GetParam().dram);
  const json without = vector_add_result_with(standard, "{}");
  EXPECT_NE(result["simulation"]["kernel_cycles"], without["simulation"]["kernel_cycles"]);
  GetParam().check(result["dram"], without["dram"]);
}

INSTANTIATE_TEST_SUITE_P(
    Kinds, DramPolicyInYaml,
    testing::Values(DramEffect{"closed", "{page_policy: closed}",
                               [](const json& dram, const json& standard) {
                                 EXPECT_GT(dram["auto_precharges"], 0);
                                 EXPECT_EQ(standard["auto_precharges"], 0);
                                 EXPECT_LT(dram["row_conflicts"], standard["row_conflicts"]);
                               }},
                    DramEffect{"timeout", "{page_policy: {name: timeout, cycles: 20}}",
                               [](const json& dram, const json& standard) {
                                 EXPECT_LT(dram["row_conflicts"], standard["row_conflicts"]);
                                 EXPECT_GT(dram["row_misses"], standard["row_misses"]);
                               }},
                    DramEffect{"no_refresh", "{refresh: none}",
                               [](const json& dram, const json& standard) {
                                 EXPECT_EQ(dram["refreshes"], 0);
                                 EXPECT_GT(standard["refreshes"], 0);
                               }},
                    DramEffect{"per_bank", "{refresh: {name: per_bank, bank_cycles: 100}}",
                               [](const json& dram, const json& standard) {
                                 EXPECT_GT(dram["refreshes"], 10 * standard["refreshes"].get<int>());
                               }},
                    DramEffect{"drain_at_four", "{write_drain: {name: watermark, high: 4, low: 2}}",
                               [](const json& dram, const json& standard) {
                                 EXPECT_GT(dram["write_drains"], standard["write_drains"]);
                               }},
                    DramEffect{"bank_interleaved", "{address_mapping: bank_interleaved}",
                               [](const json& dram, const json& standard) {
                                 EXPECT_NE(dram["row_hits"], standard["row_hits"]);
                               }},
                    DramEffect{"permutation", "{address_mapping: permutation}",
                               [](const json& dram, const json& standard) {
                                 EXPECT_NE(dram["row_hits"], standard["row_hits"]);
                               }}),
    [](const auto& info) { return info.param.name; });

// What a file could say before drains were a policy still says the same.
TEST(DramPolicies, TheControllersWatermarksAreThoseOfWatermark) {
  const ScratchFolder a, b, c;
  const json keys = vector_add_result_with(a, "{write_high: 4, write_low: 2}")["simulation"];
  const json params =
      vector_add_result_with(b, "{write_drain: {name: watermark, high: 4, low: 2}}")["simulation"];
  const json named =
      vector_add_result_with(c, "{write_drain: watermark, write_high: 4, write_low: 2}")["simulation"];
  EXPECT_EQ(keys["kernel_cycles"], params["kernel_cycles"]);
  EXPECT_EQ(keys["kernel_cycles"], named["kernel_cycles"]);
}

TEST(DramPolicies, WrongOnesAreRefusedWithTheRemedy) {
  struct Mistake {
    const char *dram, *what, *remedy;
  };
  const Mistake mistakes[] = {
      {"{page_policy: opne}",
       "run.yaml:3:23: 'platform.dram.page_policy' is 'opne', an unknown dram_page_policy",
       "did you mean 'open'?"},
      {"{refresh: perbank}", "'perbank', an unknown dram_refresh; allowed: ", "did you mean 'per_bank'?"},
      {"{write_drain: watermarks}", "'watermarks', an unknown dram_write_drain", "did you mean 'watermark'?"},
      {"{address_mapping: row_bank_colum}", "an unknown dram_address_mapping",
       "did you mean 'row_bank_column'?"},
      {"{page_policy: {name: timeout, cycle: 3}}", "unknown key 'cycle' in 'platform.dram.page_policy'",
       "nearest: 'cycles'"},
      {"{page_policy: {name: timeout, cycles: 0}}", "'platform.dram.page_policy.cycles' is 0", "from 1 to"},
      {"{write_drain: {name: watermark, high: 129}}",
       "run.yaml:3:30: dram_write_drain 'watermark': 'high' is 129", "at most write_queue, 128"},
      {"{write_high: 129}", "'platform.dram.write_high'", "must not exceed write_queue"},
      {"{timing: {banks_per_group: 16, bank_groups: 16}}", "'platform.dram.timing.banks_per_group'",
       "at most 64 banks"},
  };
  for (const Mistake& mistake : mistakes) {
    const ScratchFolder scratch;
    const std::string file = scratch.file("run.yaml", std::string("platform:\n  extends: small\n  dram: ") +
                                                          mistake.dram + "\nworkload: {app: vector_add}\n");
    const Finished run = run_program({"run", file, "--out", (scratch / "out").string()});
    EXPECT_EQ(run.status, 2) << mistake.dram << run.err;
    EXPECT_THAT(run.err, AllOf(HasSubstr(mistake.what), HasSubstr(mistake.remedy)));
    EXPECT_EQ(std::count(run.err.begin(), run.err.end(), '\n'), 1) << run.err;
  }
}

}  // namespace
}  // namespace warpvp::test
