// A paper's numbers beside ours: who wins on either side, what a page says of it, and what a file may say.

#include "study/experiment/comparison.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "study/experiment/page.h"
#include "tests/config/folder.h"

namespace warpvp {
namespace {

std::optional<Estimate> settled(double mean) { return Estimate{1, mean, std::nullopt}; }

TEST(Judge, TheSameSideOrADrawOnBothIsTheSameSign) {
  EXPECT_EQ(judge(1.3, settled(1.1), 1, 0.02), Verdict::kSame);
  EXPECT_EQ(judge(0.7, settled(0.2), 1, 0.02), Verdict::kSame);
  EXPECT_EQ(judge(1.01, settled(0.99), 1, 0.02), Verdict::kSame) << "a draw on both sides";
  EXPECT_EQ(judge(1.3, settled(0.9), 1, 0.02), Verdict::kOpposite);
  EXPECT_EQ(judge(1.3, settled(1.015), 1, 0.02), Verdict::kDrawHere);
  EXPECT_EQ(judge(1.0, settled(1.03), 1, 0.02), Verdict::kDrawThere);
  EXPECT_EQ(judge(3.0, settled(2.0), 2.5, 0.02), Verdict::kOpposite) << "told by another value than 1";
  EXPECT_EQ(judge(3.0, std::nullopt, 1, 0.02), Verdict::kMissing);
}

TEST(Judge, AnIntervalThatReachesOverTheValueSettlesNothing) {
  EXPECT_EQ(judge(1.3, Estimate{5, 1.1, 0.2}, 1, 0.02), Verdict::kUnsettled);
  EXPECT_EQ(judge(0.7, Estimate{5, 1.1, 0.2}, 1, 0.02), Verdict::kUnsettled);
  EXPECT_EQ(judge(1.3, Estimate{5, 1.1, 0.05}, 1, 0.02), Verdict::kSame);
  EXPECT_EQ(judge(0.7, Estimate{5, 1.1, 0.05}, 1, 0.02), Verdict::kOpposite);
}

// Cycles of k1, k2, k3 under gto and qaws: 100 and 80, 50 and 100, 40 and 40.
const char* const kBase = R"(experiment: study
base: {}
matrix: {kernel: [k1, k2, k3], s: [gto, qaws]}
tables:
  - {name: cycles, across: s, values: [simulation.cycles], foot: mean}
  - name: speed
    across: s
    values: [{key: simulation.cycles, title: x, relative_to: {s: gto}, invert: true}]
    reference: {title: paper, values: {k1: "1.5"}}
)";

class ComparisonFile : public ::testing::Test {
 protected:
  Experiment load(const std::string& yaml) {
    return Experiment::load(folder_.write("study.yaml", kBase + yaml), ConfigSearch({folder_ / "configs"}));
  }
  std::string page(const std::string& yaml, const std::vector<int>& cycles = {100, 80, 50, 100, 40, 40}) {
    const Experiment e =
        load(yaml + "page: {file: p.md, title: T, blocks: [{agreement: all}, {comparison: c}]}\n");
    ExperimentResults r{&e, e.runs(), {}};
    for (std::size_t i = 0; i < r.runs.size(); ++i) {
      r.results.emplace_back();
      r.results.back().result["simulation"]["cycles"] = cycles[i % cycles.size()];
    }
    const std::string text = make_page(e, {r})[0].content;
    return text.substr(text.find("# T\n\n") + 5);
  }
  std::string error_of(const std::string& yaml) {
    try {
      page(yaml);
    } catch (const InputError& error) {
      return folder_.shorten(error.what());
    }
    return "accepted";
  }
  Folder folder_;
};

TEST_F(ComparisonFile, APaperMaySayWhoWinsWithoutANumber) {
  EXPECT_EQ(page(R"(comparisons:
  - name: c
    title: Speed-up (figure 9)
    source: section 7
    table: speed
    paper: {k1: {qaws: ">1"}, k2: {qaws: ">1"}, k3: {qaws: "=1"}}
)"),
            R"(**In 2 of 3 rows of the paper's figures the same side wins here as there.**

| figure | rows | same sign | other |
|---|---:|---:|---|
| Speed-up (figure 9) | 3 | 2 | k2 qaws |

**Speed-up (figure 9): the same sign in 2 of 3**

| kernel | paper, qaws | ours, qaws | same sign? |
|---|---:|---:|---|
| k2 | >1 | 0.500 | **no** |
| k1 | >1 | 1.250 | yes |
| k3 | =1 | 1.000 | yes |

*paper*: section 7. Who wins is told by 1; within 2 % of it nobody does. With <, > or =: the text says who wins, and the number is not in it.
)");
  // Divided by a column of ours; the paper's own number there says nothing then.
  const std::string over = page(R"(comparisons:
  - name: c
    title: C
    source: s
    table: cycles
    over: gto
    paper: {k1: {gto: 1, qaws: "<1"}, k2: {gto: 1, qaws: "<1"}}
)");
  EXPECT_NE(over.find("| k2 | <1 | 2.00 | **no** |"), std::string::npos) << over;
  EXPECT_NE(over.find("| k1 | <1 | 0.80 | yes |"), std::string::npos) << over;
  for (const char* wrong : {"\"<2\"", "\">\"", "\"<~1\""})
    EXPECT_NE(error_of(std::string(
                           "comparisons: [{name: c, title: C, source: s, table: speed, paper: {k1: {qaws: ") +
                       wrong + "}}}]\n")
                  .find("or '<1', '>1' or '=1' where only who wins is said"),
              std::string::npos)
        << wrong;
}

TEST_F(ComparisonFile, RowsThatDisagreeStandFirst) {
  EXPECT_EQ(page(R"(comparisons:
  - name: c
    title: Speed-up (figure 9)
    source: section 7
    table: speed
    paper: {k1: {qaws: 1.5}, k2: {qaws: ~1.2}, k3: {qaws: 1.00}}
)"),
            "**In 2 of 3 rows of the paper's figures the same side wins here as there.**\n\n"
            "| figure | rows | same sign | other |\n"
            "|---|---:|---:|---|\n"
            "| Speed-up (figure 9) | 3 | 2 | k2 qaws |\n"
            "\n"
            "**Speed-up (figure 9): the same sign in 2 of 3**\n\n"
            "| kernel | paper, qaws | ours, qaws | same sign? |\n"
            "|---|---:|---:|---|\n"
            "| k2 | ~1.2 | 0.500 | **no** |\n"
            "| k1 | 1.5 | 1.250 | yes |\n"
            "| k3 | 1.00 | 1.000 | yes |\n"
            "\n"
            "*paper*: section 7. Who wins is told by 1; within 2 % of it nobody does. With ~: the height of "
            "a bar, read "
            "by eye.\n");
}

TEST_F(ComparisonFile, OverAnotherColumnAndFeet) {
  const std::string text = page(R"(comparisons:
  - name: c
    title: Cycles
    source: table 2
    table: cycles
    over: gto
    even: 0.3
    paper: {k1: {gto: 10, qaws: 6}, k2: {qaws: 5, gto: ~2}, mean: {gto: 1, qaws: 2}}
)");
  EXPECT_NE(text.find("| k1 | 0.60 | 0.80 | **no**, a draw here |\n"), std::string::npos) << text;
  EXPECT_NE(text.find("| k2 | ~2.50 | 2.00 | yes |\n"), std::string::npos) << text;
  EXPECT_NE(text.find("| mean | 2.00 | 1.16 | **no**, a draw here |\n"), std::string::npos) << text;
  EXPECT_NE(text.find("within 30 % of it"), std::string::npos) << text;
}

TEST_F(ComparisonFile, SeveralColumnsAreNamedAndTheWorstComparisonComesFirst) {
  const std::string text = page(R"(comparisons:
  - {name: right, title: Right, source: a, table: speed, paper: {k1: {qaws: 2}}}
  - {name: c, title: Wrong, source: b, table: cycles, than: 60, paper: {k1: {gto: 10, qaws: 100}}}
)");
  EXPECT_LT(text.find("| Wrong | 2 | 1 | k1 gto |"), text.find("| Right | 1 | 1 |  |")) << text;
  EXPECT_NE(text.find("| k1 | gto | 10 | 100 | **no** |\n| k1 | qaws | 100 | 80 | yes |\n"),
            std::string::npos)
      << text;
}

TEST_F(ComparisonFile, ANumberThatIsMissingIsNoAgreement) {
  const std::string text = page(R"(comparisons:
  - {name: c, title: C, source: b, table: speed, paper: {k1: {qaws: 2}}}
)",
                                {100, 0});
  EXPECT_NE(text.find("| k1 | 2 | - | no number |"), std::string::npos) << text;
  EXPECT_NE(text.find("In 0 of 1 rows"), std::string::npos) << text;
}

TEST_F(ComparisonFile, WhatIsWrongIsNamedWithItsPlace) {
  const auto with = [](const std::string& fields) {
    return "comparisons:\n  - {name: c, title: C, source: s, " + fields + "}\n";
  };
  EXPECT_EQ(error_of(with("table: sped, paper: {k1: {qaws: 2}}")),
            "@study.yaml:11:43: no table is called 'sped'; allowed: cycles, speed");
  EXPECT_EQ(error_of(with("table: speed, paper: {k4: {qaws: 2}}")),
            "@study.yaml:11:69: table 'speed' has no row 'k4' with a column 'qaws'");
  EXPECT_EQ(error_of(with("table: speed, paper: {k1: {lrr: 2}}")),
            "@study.yaml:11:68: table 'speed' has no row 'k1' with a column 'lrr'");
  EXPECT_EQ(error_of(with("table: speed, paper: {k1: {qaws: good}}")),
            "@study.yaml:11:69: 'comparisons.paper.k1.qaws' is 'good'; allowed: a number, with '~' before it "
            "if it was "
            "read by eye, or '<1', '>1' or '=1' where only who wins is said");
  EXPECT_EQ(error_of(with("table: speed, over: gto, paper: {k1: {qaws: 2}}")),
            "@study.yaml:11:73: 'comparisons.paper.k1' has no 'gto', over which the others are");
  EXPECT_EQ(error_of(with("table: speed, paper: {}")),
            "@study.yaml:11:57: 'comparisons.paper' is empty or no mapping; allowed: a mapping of rows to "
            "columns with "
            "their numbers");
  EXPECT_EQ(
      error_of("comparisons:\n  - {name: d, title: C, source: s, table: speed, paper: {k1: {qaws: 2}}}\n"),
      "@study.yaml:12:70: 'page.blocks' is 'c'; allowed: d");
}

}  // namespace
}  // namespace warpvp
