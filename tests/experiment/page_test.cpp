// The page an experiment writes: its tables and those of its parts, figures from elsewhere, plots, cells in
// text.

#include "study/experiment/page.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "study/experiment/experiment.h"
#include "tests/config/folder.h"

namespace warpvp {
namespace {

const char* const kPart = R"(experiment: inner
base: {}
matrix: {kernel: [k1, k2], s: [gto, qaws]}
tables:
  - name: cycles
    title: Cycles
    across: s
    values: [simulation.cycles]
    foot: mean
    reference:
      title: paper
      source: section V-B
      values: {k1: "1.5", mean: "2"}
)";

class Page : public ::testing::Test {
 protected:
  Experiment load(const std::string& yaml) {
    folder_.write("configs/experiments/inner.yaml", kPart);
    folder_.write("configs/experiments/plain.yaml",
                  "experiment: plain\nbase: {}\nmatrix: {kernel: [k1, k2], s: [gto, qaws]}\n"
                  "tables: [{name: cycles, across: s, values: [simulation.cycles]}]\n");
    return Experiment::load(folder_.write("study.yaml", yaml), ConfigSearch({folder_ / "configs"}));
  }
  /// Cycles 100 and 80 of k1 under gto and qaws; 50 and 100 of k2.
  std::vector<ExperimentResults> results(const Experiment& e) {
    std::vector<ExperimentResults> out;
    const auto add = [&](const Experiment& one) {
      ExperimentResults r{&one, one.runs(), {}};
      const int cycles[] = {100, 80, 50, 100};
      for (std::size_t i = 0; i < r.runs.size(); ++i) {
        r.results.emplace_back();
        r.results.back().result["simulation"]["cycles"] = cycles[i % 4];
      }
      out.push_back(std::move(r));
    };
    for (const Experiment& part : e.parts) add(part);
    if (!e.base.is_null()) add(e);
    return out;
  }
  std::string error_of(const std::string& blocks) {
    try {
      const Experiment e =
          load("experiment: study\nexperiments: [inner]\npage:\n  file: p.md\n  title: T\n" + blocks);
      make_page(e, results(e));
    } catch (const InputError& error) {
      return folder_.shorten(error.what());
    }
    return "accepted";
  }

  Folder folder_;
};

const char* const kJoined = R"(experiment: study
experiments: [plain]
base: {}
matrix: {kernel: [k3, k4], s: [gto, qaws]}
tables:
  - {name: own, across: s, values: [simulation.cycles]}
  - {name: other, across: s, values: [{key: simulation.cycles, title: c}, {key: simulation.cycles, title: d}]}
joined:
  - {name: both, title: All kernels, tables: [plain.cycles, own], foot: [mean, geomean]}
)";

TEST_F(Page, JoinedTablesHaveTheRowsOfAllUnderOneMean) {
  const Experiment e = load(std::string(kJoined) + R"(comparisons:
  - {name: c, title: C, source: S, table: both, than: 80, paper: {k4: {gto: 70}, mean: {qaws: 90}}}
page:
  file: p.md
  title: T
  blocks:
    - table: both
    - comparison: c
    - text: "{{both/geomean/gto}} {{both/k4/qaws}}"
)");
  std::vector<ExperimentResults> all = results(e);
  for (int i = 0; i < 4; ++i) all[1].results[i].result["simulation"]["cycles"] = 10 * (i + 1);
  const std::string text = make_page(e, all)[0].content;
  EXPECT_NE(text.find("**All kernels**\n\n"
                      "| kernel | gto | qaws |\n|---|---:|---:|\n"
                      "| k1 | 100 | 80 |\n| k2 | 50 | 100 |\n| k3 | 10 | 20 |\n| k4 | 30 | 40 |\n"
                      "| mean | 47.500 | 60.000 |\n| geomean | 34.996 | 50.297 |\n"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("| k4 | gto | 70 | 30 | yes |"), std::string::npos) << text;
  EXPECT_NE(text.find("| mean | qaws | 90 | 60.000 | **no** |"), std::string::npos) << text;
  EXPECT_NE(text.find("34.996 40"), std::string::npos) << text;
}

TEST_F(Page, WhatCannotBeJoinedIsRefused) {
  const auto refused = [&](const std::string& joined) {
    try {
      const Experiment e = load("experiment: study\nexperiments: [inner, plain]\njoined: [" + joined +
                                "]\npage: {file: p.md, title: T, blocks: [table: j]}\n");
      make_page(e, results(e));
    } catch (const InputError& error) {
      return folder_.shorten(error.what());
    }
    return std::string("accepted");
  };
  EXPECT_EQ(refused("{name: j, title: T, tables: [plain.cycles]}"), "accepted");
  EXPECT_EQ(refused("{name: j, title: T, tables: []}"),
            "@study.yaml:3:10: 'joined.tables' is an empty list; name at least one");
  EXPECT_EQ(refused("{name: j, title: T, tables: [cycles]}"),
            "@study.yaml:3:39: no table is called 'cycles'; allowed: inner.cycles, plain.cycles");
  EXPECT_EQ(
      refused("{name: j, title: T, tables: [plain.cycles, inner.cycles]}"),
      "@study.yaml:3:10: 'inner.cycles' has the columns kernel, gto, qaws, paper, and 'plain.cycles' has "
      "kernel, gto, qaws; allowed: tables with the same");
  EXPECT_EQ(refused("{name: j, title: T, tables: [plain.cycles], foot: mape}"),
            "@study.yaml:3:60: 'joined.foot' is 'mape'; allowed: mean, geomean");
}

TEST_F(Page, TextTablesAndPlotsInOrder) {
  const Experiment e = load(R"(experiment: study
experiments: [inner]
page:
  file: docs/study.md
  title: A study
  blocks:
    - text: |
        QAWS takes {{inner.cycles/k1/qaws}} cycles, the paper says {{inner.cycles/mean/paper}}.

    - table: inner.cycles
    - plot: inner.cycles
    - plot: inner.cycles
)");
  EXPECT_EQ(folder_.shorten(e.page->file.string()), "@docs/study.md") << "relative to the experiment's file";
  const std::vector<PageFile> files = make_page(e, results(e));
  ASSERT_EQ(files.size(), 3u);
  EXPECT_EQ(files[0].name, "study.md");
  EXPECT_EQ(files[0].content,
            "<!-- Written by `warpvp experiment study`; change the experiment, not this file. -->\n"
            "\n"
            "# A study\n"
            "\n"
            "QAWS takes 80 cycles, the paper says 2.\n"
            "\n"
            "**Cycles**\n"
            "\n"
            "| kernel | gto | qaws | paper |\n"
            "|---|---:|---:|---:|\n"
            "| k1 | 100 | 80 | 1.5 |\n"
            "| k2 | 50 | 100 |  |\n"
            "| mean | 75.000 | 90.000 | 2 |\n"
            "\n"
            "*paper*: section V-B.\n"
            "\n"
            "![Cycles](study-inner-cycles.svg)\n"
            "\n"
            "![Cycles](study-inner-cycles-2.svg)\n");
  EXPECT_EQ(files[1].name, "study-inner-cycles.svg");
  EXPECT_EQ(files[2].name, "study-inner-cycles-2.svg");
  EXPECT_EQ(files[1].content.rfind("<svg xmlns=\"http://www.w3.org/2000/svg\"", 0), 0u);
  const std::vector<PageFile> again = make_page(e, results(e));
  for (std::size_t i = 0; i < files.size(); ++i) EXPECT_EQ(files[i].content, again[i].content);
}

TEST_F(Page, TablesOfItsOwnBesideThoseOfParts) {
  const Experiment e = load(R"(experiment: study
experiments: [inner]
base: {}
matrix: {x: [1, 2]}
table: {name: own, values: [simulation.cycles]}
page: {file: p.md, title: T, blocks: [{table: own}, {text: "{{own/2/simulation.cycles}}"}]}
)");
  const std::string text = make_page(e, results(e))[0].content;
  EXPECT_NE(text.find("| 1 | 100 |\n| 2 | 80 |\n\n80\n"), std::string::npos) << text;
}

TEST_F(Page, AWrongReferenceNamesWhatThereIs) {
  EXPECT_EQ(error_of("  blocks: [{text: '{{inner.cycles/k3/qaws}}'}]\n"),
            "@study.yaml:6:19: table 'inner.cycles' has no row 'k3' with a column 'qaws'");
  EXPECT_EQ(error_of("  blocks: [{text: '{{inner.cycles/k1/lrr}}'}]\n"),
            "@study.yaml:6:19: table 'inner.cycles' has no row 'k1' with a column 'lrr'");
  EXPECT_EQ(error_of("  blocks: [{text: '{{inner.cycle/k1/lrr}}'}]\n"),
            "@study.yaml:6:19: no table is called 'inner.cycle'");
  EXPECT_EQ(error_of("  blocks: [{text: 'a {{k1}} b'}]\n"),
            "@study.yaml:6:19: '{{k1}}' in the text; allowed: {{table/row/column}}");
  EXPECT_EQ(error_of("  blocks: [{text: 'a {{k1'}]\n"), "@study.yaml:6:19: '{{' without '}}' in the text");
}

struct WrongStudy {
  const char* name;
  std::string yaml;
  const char* message;
};
void PrintTo(const WrongStudy& w, std::ostream* os) { *os << w.name; }
class WrongPage : public Page, public ::testing::WithParamInterface<WrongStudy> {};

TEST_P(WrongPage, IsRefused) {
  try {
    load(GetParam().yaml);
    FAIL() << "accepted";
  } catch (const InputError& e) {
    EXPECT_EQ(folder_.shorten(e.what()), GetParam().message);
  }
}

const std::string kStudy = "experiment: study\nexperiments: [inner]\n";
const std::string kOwn = "experiment: study\nbase: {}\nmatrix: {s: [a, b]}\n";
const WrongStudy kWrongPages[] = {
    {"NoExtension", kStudy + "page: {file: p.txt, title: T, blocks: []}\n",
     "@study.yaml:3:14: 'page.file' is 'p.txt'; allowed: a name that ends in .md"},
    {"NoTitle", kStudy + "page: {file: p.md, blocks: []}\n", "@study.yaml:3:7: 'page.title' is missing"},
    {"Key", kStudy + "page: {file: p.md, title: T, text: x}\n",
     "@study.yaml:3:30: unknown key 'text' in 'page'; allowed: file, title, blocks"},
    {"TwoInABlock", kStudy + "page: {file: p.md, title: T, blocks: [{text: x, table: y}]}\n",
     "@study.yaml:3:39: 'page.blocks': allowed: one of text, table, plot, comparison, agreement"},
    {"NoTable", kStudy + "page: {file: p.md, title: T, blocks: [{table: cycles}]}\n",
     "@study.yaml:3:47: no table is called 'cycles'; allowed: inner.cycles"},
    {"NoName", kOwn + "table: {values: [x]}\npage: {file: p.md, title: T, blocks: [{plot: x}]}\n",
     "@study.yaml:5:46: no table is called 'x'; allowed: none, as no table has a 'name'"},
    {"TableName", kOwn + "table: {name: a.b, values: [x]}\n",
     "@study.yaml:4:15: 'table.name' is 'a.b'; allowed: a word without '.', '/', braces and blanks"},
    {"SameTableName", kOwn + "tables: [{name: a, values: [x]}, {name: a, values: [x]}]\n",
     "@study.yaml:4:41: two tables are called 'a'"},
    {"ReferenceRow", kOwn + "table: {values: [x], foot: mean, reference: {title: p, values: {c: 1}}}\n",
     "@study.yaml:4:65: 'table.reference.values' has 'c', which is no row of the table; allowed: a, b, mean"},
    {"SamePart", "experiment: study\nexperiments: [inner, inner]\n",
     "@study.yaml:2:22: 'experiments' has 'inner' twice"},
    {"NameOfAPart", "experiment: inner\nexperiments: [inner]\n",
     "@study.yaml:2:15: 'inner' has the name of this experiment; give one of them another"},
    {"TableWithoutBase", kStudy + "table: {values: [x]}\n", "@study.yaml:3:8: 'table' without 'base'"},
};
INSTANTIATE_TEST_SUITE_P(Page, WrongPage, ::testing::ValuesIn(kWrongPages),
                         [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace warpvp
