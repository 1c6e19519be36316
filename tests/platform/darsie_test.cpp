// DARSIE as a user has it: every kernel of the tree with each skipped value checked, and what is refused.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/platform/every_kernel.h"
#include "tests/platform/program.h"

namespace warpvp::test {
namespace {

using ::testing::HasSubstr;

const char* const kMode = "platform.sm.frontend.mode=darsie";

class DarsieKernels : public testing::TestWithParam<KernelCase> {};

// The app compares its results with its reference, the front end each skipped value with its leader's.
TEST_P(DarsieKernels, HaveTheirResults) {
  for (const char* mode :
       {"{name: darsie, check: true, registers_from: own}", "{name: darsie_no_cf_sync, check: true}"}) {
    const ScratchFolder scratch;
    std::vector<std::string> settings = GetParam().settings;
    settings.emplace_back("platform.ptx.code=machine");
    settings.push_back(std::string("platform.sm.frontend.mode=") + mode);
    const Finished run = run_app("small", GetParam().app, scratch / "run", settings);
    EXPECT_EQ(run.status, 0) << mode << ": " << run.err;
  }
}
INSTANTIATE_TEST_SUITE_P(Shipped, DarsieKernels, testing::ValuesIn(every_kernel()),
                         [](const auto& info) { return info.param.label; });

struct Refusal {
  const char* name;
  std::vector<std::string> settings;
  const char* what;
};
class DarsieRefuses : public testing::TestWithParam<Refusal> {};
TEST_P(DarsieRefuses, WithOneLine) {
  const ScratchFolder scratch;
  std::vector<std::string> settings = GetParam().settings;
  settings.insert(settings.begin(), kMode);
  const Finished run = run_app("small", "vector_add", scratch / "run", settings);
  EXPECT_EQ(run.status, 2);
  EXPECT_THAT(run.err, HasSubstr(GetParam().what));
}
INSTANTIATE_TEST_SUITE_P(
    Settings, DarsieRefuses,
    testing::Values(
        Refusal{"no_port", {"platform.sm.frontend.mode.read_ports=0"}, "a whole number from 1 to 64"},
        Refusal{"no_entry", {"platform.sm.frontend.mode.table_entries=0"}, "a whole number from 1 to 1024"},
        Refusal{"more_registers_than_entries",
                {"platform.sm.frontend.mode.registers=40"},
                "more than rename_entries"},
        Refusal{"unknown_place", {"platform.sm.frontend.mode.registers_from=elsewhere"}, "occupancy, own"}),
    [](const auto& info) { return std::string(info.param.name); });

// Full SMs and few registers or entries: warps wait for each other in every way there is. Each of these once
// never ended.
struct Wait {
  const char* name;
  unsigned sms;
  const char* app;
  std::vector<std::string> params;
  const char* mode;
};
class DarsieWaits : public testing::TestWithParam<Wait> {};
TEST_P(DarsieWaits, ComeToAnEnd) {
  const ScratchFolder scratch;
  std::vector<std::string> settings = {"platform.sms=" + std::to_string(GetParam().sms),
                                       "platform.ptx.code=machine",
                                       std::string("platform.sm.frontend.mode=") + GetParam().mode};
  for (const std::string& param : GetParam().params) settings.push_back("workload.params." + param);
  const Finished run = run_app("gtx1080ti", GetParam().app, scratch / "run", settings);
  EXPECT_EQ(run.status, 0) << run.err;
}
constexpr const char* kOneOfEach =
    "{name: darsie, check: true, registers_from: own, registers: 1, table_entries: 1, when_full: wait}";
INSTANTIATE_TEST_SUITE_P(
    Full, DarsieWaits,
    testing::Values(
        // one was found ready to fetch what another then made all wait at
        Wait{
            "about_to_fetch", 1, "binomial_options", {"options=2"}, "{name: darsie_no_cf_sync, check: true}"},
        // one was looked at between its branch and the place that the branch sends it to
        Wait{"at_a_taken_branch", 1, "scan", {"count=512"}, kOneOfEach},
        // one was looked at before it had gone past what it skips
        Wait{"while_it_skips", 1, "dct8x8", {"kernel=dct_vectors", "width=64", "height=64"}, kOneOfEach},
        // one passed the place at the edge at which others began to wait there
        Wait{"fetched_past_it",
             6,
             "matmul",
             {"m=256", "n=256", "k=256"},
             "{name: darsie_no_cf_sync, check: true, registers_from: own, registers: 2, table_entries: 3, "
             "write_ports: 3}"}),
    [](const auto& info) { return std::string(info.param.name); });

// local_by_address shares what threads have stored for themselves: right where they have stored the same, and
// found by `check` where not.
TEST(Darsie, LocalLoadsByAddressHoldForPathsThatAreAlike) {
  const auto executed = [](const std::string& normals, const std::string& by_address, int status) {
    const ScratchFolder scratch;
    const Finished run =
        run_app("small", "libor", scratch / "run",
                {"workload.params.normals=" + normals, "workload.params.rates=12", "workload.params.steps=3",
                 "platform.ptx.code=machine", kMode, "platform.sm.frontend.mode.check=true",
                 "platform.sm.frontend.mode.registers_from=own",
                 "platform.sm.frontend.mode.local_by_address=" + by_address});
    EXPECT_EQ(run.status, status) << run.err;
    if (status != 0) {
      EXPECT_THAT(run.err, HasSubstr("ld.local"));
      return 0.0;
    }
    return read_result(scratch / "run")["simulation"]["warp_instructions"].get<double>();
  };
  const double by_hand = executed("alike", "false", 0);
  EXPECT_LT(executed("alike", "true", 0), 0.6 * by_hand);
  executed("own", "true", 3);
}

TEST(Darsie, StreamsSayWhatTheirKernelsSkipped) {
  const ScratchFolder scratch;
  const Finished run = run_app("small", "matmul", scratch / "run", {kMode, "workload.params.m=64"});
  ASSERT_EQ(run.status, 0) << run.err;
  const auto result = read_result(scratch / "run");
  std::uint64_t skipped = 0;
  for (const auto& kernel : result["kernels"]) skipped += kernel["frontend"]["skipped"].get<std::uint64_t>();
  EXPECT_GT(skipped, 0u);
  EXPECT_EQ(result["streams"][0]["skipped"], skipped);
}

TEST(Darsie, MarksOfAKernelThatIsNotThereAreRefused) {
  const Finished run =
      run_program({"ptx", WARPVP_SOURCE "/sw/kernels/matmul.ptx", "--redundancy", "--entry", "nobody"});
  EXPECT_EQ(run.status, 2);
  EXPECT_THAT(run.err, HasSubstr("no kernel 'nobody'; allowed: matmul"));
}

TEST(Darsie, MarksArePrintedForTheShapeOfTheCta) {
  const std::vector<std::string> words = {
      "ptx", WARPVP_SOURCE "/sw/kernels/matmul.ptx", "--entry", "matmul", "--code", "ptx", "--redundancy"};
  const auto with_block = [&](const char* block) {
    std::vector<std::string> all = words;
    all.insert(all.end(), {"--block", block});
    return run_program(all).out;
  };
  EXPECT_THAT(with_block("16,16"), HasSubstr("\n*CR  0x0260  ld.shared.f32 %f14, [%rd7]\n"));
  EXPECT_THAT(with_block("256"), HasSubstr("\n CR  0x0260  ld.shared.f32 %f14, [%rd7]\n"));
  EXPECT_THAT(run_program(words).out, HasSubstr("\n CR  0x0260  ld.shared.f32 %f14, [%rd7]\n"));
}

}  // namespace
}  // namespace warpvp::test
