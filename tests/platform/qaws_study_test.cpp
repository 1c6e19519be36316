// The QAWS study: its experiments and the references of its page are right, a page comes out the same a
// second time and leaves the documentation alone, and a budget does what it is for.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/platform/program.h"

namespace warpvp::test {
namespace {

using testing::HasSubstr;

TEST(QawsStudy, EveryExperimentOfItAndItsPageAreRight) {
  const Finished run = run_program({"describe", "qaws"});
  ASSERT_EQ(run.status, 0) << run.err;
  EXPECT_THAT(run.out, HasSubstr("qaws_homogeneous        54 runs"));
  EXPECT_THAT(run.out, HasSubstr("qaws_heterogeneous      30 runs"));
  EXPECT_THAT(run.out, HasSubstr("docs/results/qaws.md"));
}

TEST(QawsStudy, RunsSmallAndItsPageIsTheSameAgain) {
  const ScratchFolder scratch;
  const std::string file = scratch.file("study.yaml", R"(experiment: study
experiments: [qaws_vec]
page:
  file: docs/page.md
  title: A study
  blocks:
    - text: "{{qaws_vec.total/none/lrr}}"
    - table: qaws_vec.k1
    - table: qaws_vec.k2
    - table: qaws_vec.rows
    - plot: qaws_vec.total
)");
  const std::string out = (scratch / "out").string();
  const auto study = [&](const std::vector<std::string>& more) {
    std::vector<std::string> words = {"experiment", file, "--out", out, "--jobs", "2"};
    words.insert(words.end(), more.begin(), more.end());
    return run_program(words);
  };
  const std::vector<std::string> tiny = {"--set", "workload.params.size=0.02"};
  const Finished first = study(tiny);
  ASSERT_EQ(first.status, 0) << first.err << first.out;
  EXPECT_THAT(first.err, HasSubstr("35 runs: 35 ran, 0 finished before, 0 failed, 0 not run"));
  EXPECT_EQ(first.out.find("warning:"), std::string::npos) << first.out;
  EXPECT_FALSE(std::filesystem::exists(scratch / "docs")) << "other settings than the experiment's own";
  const std::string page = read_text(scratch / "out/page.md");
  EXPECT_THAT(page, HasSubstr("\n1.000\n"));
  EXPECT_EQ(page.find("| - |"), std::string::npos) << "a cell without a value";
  const Finished again = study(tiny);
  EXPECT_EQ(again.status, 0);
  EXPECT_THAT(again.err, HasSubstr("0 ran, 35 finished before"));
  EXPECT_EQ(read_text(scratch / "out/page.md"), page);
}

TEST(QawsStudy, ABudgetMovesTheAnswerFromOneKernelToTheOther) {
  const ScratchFolder scratch;
  const auto response = [&](const std::string& name, const std::string& budget1, const std::string& budget2) {
    const Finished run =
        run_app("small", "pair", scratch / name,
                {"platform.sm.warp_scheduler=qaws", "workload.params.k1=pc", "workload.params.k2=pc",
                 "workload.params.size=0.1", "workload.params.budget1=" + budget1,
                 "workload.params.budget2=" + budget2});
    EXPECT_EQ(run.status, 0) << run.err;
    const nlohmann::json result = read_json(scratch / name / "result.json");
    return std::pair<double, double>(result["streams"][0]["response_cycles"],
                                     result["streams"][1]["response_cycles"]);
  };
  const auto second = response("second", "1", "16");
  const auto first = response("first", "16", "1");
  EXPECT_LT(second.second, 0.9 * second.first);
  EXPECT_LT(first.first, 0.9 * first.second);
  EXPECT_LT(response("more", "1", "64").second, response("less", "1", "2").second);
}

}  // namespace
}  // namespace warpvp::test
