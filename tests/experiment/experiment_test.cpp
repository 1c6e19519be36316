// Experiment files: expansion, exclusion, tables and what is refused.

#include "study/experiment/experiment.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "base/error.h"
#include "study/experiment/report.h"
#include "study/experiment/result_table.h"
#include "study/experiment/svg_chart.h"
#include "tests/config/folder.h"

namespace warpvp {
namespace {

using Json = nlohmann::ordered_json;

Experiment load(const Folder& folder, const std::string& yaml) {
  return Experiment::load(folder.write("experiment.yaml", yaml), ConfigSearch({folder / "configs"}));
}

const char* const kMatrix = R"(experiment: e
base: {workload: {app: add}}
matrix:
  sched: {setting: platform.sm.chooser, values: [first, grouped]}
  workload.params.n: [1, 2, 3]
  stage:
    values:
    - {name: a, set: {platform.sms: 4}}
    - {name: b, set: {platform.sms: 8, seed: 2}}
)";

TEST(Experiment, ExpandsTheLastAxisFastest) {
  const Folder folder;
  const Experiment e = load(folder, std::string(kMatrix) + "table: {values: [x]}\n");
  const auto runs = e.runs();
  ASSERT_EQ(runs.size(), 12u);
  EXPECT_EQ(runs[0].name, "sched-first_n-1_stage-a");
  EXPECT_EQ(runs[1].name, "sched-first_n-1_stage-b");
  EXPECT_EQ(runs[2].name, "sched-first_n-2_stage-a");
  EXPECT_EQ(runs[11].name, "sched-grouped_n-3_stage-b");
  const auto sets = e.assignments(runs[11]);
  ASSERT_EQ(sets.size(), 4u);
  EXPECT_EQ(sets[0].path, "platform.sm.chooser");
  EXPECT_EQ(sets[0].value.text, "grouped");
  EXPECT_EQ(sets[1].path, "workload.params.n");
  EXPECT_EQ(sets[2].path, "platform.sms");
  EXPECT_EQ(sets[3].value.text, "2");
}

TEST(Experiment, SetsAlsoWhatCombinationsOfAxesNeed) {
  const Folder folder;
  const Experiment e = load(folder, R"(experiment: e
base: {}
matrix:
  pair:
  - {name: p, set: {n: 1}, also: [{where: {scheme: [x, y]}, set: {scheme.alone: 7}}, {where: {scheme: y, m: 2}, set: {n: 5}}]}
  - {name: q, set: {n: 2}}
  scheme: [x, y, z]
  m: [1, 2]
table: {values: [x]}
)");
  const auto sets = [&](std::size_t run) {
    std::string text;
    for (const Assignment& a : e.assignments(e.runs()[run])) text += a.path + "=" + a.value.text + " ";
    return text;
  };
  EXPECT_EQ(sets(0), "n=1 scheme=x m=1 scheme.alone=7 ");
  EXPECT_EQ(sets(3), "n=1 scheme=y m=2 scheme.alone=7 n=5 ");
  EXPECT_EQ(sets(4), "n=1 scheme=z m=1 ");
  EXPECT_EQ(sets(6), "n=2 scheme=x m=1 ");
}

TEST(Experiment, Excludes) {
  const Folder folder;
  const Experiment e =
      load(folder, std::string(kMatrix) +
                       "exclude: [{sched: first, stage: b}, {workload.params.n: 3}]\ntable: {values: [x]}\n");
  std::vector<std::string> names;
  for (const auto& run : e.runs()) names.push_back(run.name);
  EXPECT_EQ(names, (std::vector<std::string>{"sched-first_n-1_stage-a", "sched-first_n-2_stage-a",
                                             "sched-grouped_n-1_stage-a", "sched-grouped_n-1_stage-b",
                                             "sched-grouped_n-2_stage-a", "sched-grouped_n-2_stage-b"}));
}

TEST(Experiment, FoldersOfRunsAreSafeAndDistinct) {
  const Folder folder;
  const Experiment e = load(folder, "experiment: e\nbase: {}\nmatrix: {x: [a/b, 'a?b', '" +
                                        std::string(200, 'y') + "', [1, 2]]}\ntable: {values: [x]}\n");
  const auto runs = e.runs();
  EXPECT_EQ(runs[0].name, "x-a-b");
  EXPECT_EQ(runs[1].name.rfind("x-a-b_", 0), 0u);
  EXPECT_LT(runs[2].name.size(), 130u);
  EXPECT_EQ(runs[3].name, "x-1x2");
}

TEST(Experiment, BaseMayBeAFileAndNoMatrixIsOneRun) {
  const Folder folder;
  folder.write("base.yaml", "seed: 4\n");
  const Experiment e = load(folder, "experiment: e\nbase: base.yaml\ntable: {values: [x]}\n");
  EXPECT_EQ(e.base.find("seed")->text, "4");
  ASSERT_EQ(e.runs().size(), 1u);
  EXPECT_EQ(e.runs()[0].name, "run");
}

struct WrongFile {
  const char* name;
  std::string yaml;
  const char* message;
};
void PrintTo(const WrongFile& w, std::ostream* os) { *os << w.name; }
class WrongExperiment : public ::testing::TestWithParam<WrongFile> {};

TEST_P(WrongExperiment, IsRefused) {
  const Folder folder;
  folder.write("nested.yaml", "experiment: x\n");
  try {
    load(folder, GetParam().yaml);
    FAIL() << "accepted";
  } catch (const InputError& e) {
    EXPECT_EQ(folder.shorten(e.what()), GetParam().message);
  }
}

const std::string kHead = "experiment: e\nbase: {}\nmatrix: {s: [a, b], t: [c, d]}\n";
const WrongFile kWrongFiles[] = {
    {"Key", "experiment: e\nbas: {}\n",
     "@experiment.yaml:2:1: unknown key 'bas'; nearest: 'base'; allowed: experiment, description, "
     "experiments, base, matrix, seeds, exclude, figures, table, tables, joined, comparisons, page"},
    {"NoBase", "experiment: e\ntable: {values: [x]}\n", "@experiment.yaml:1:1: 'base' is missing"},
    {"NameIsPath", "experiment: a/b\nbase: {}\n",
     "@experiment.yaml:1:13: 'experiment' is 'a/b'; allowed: a name that can be a folder's"},
    {"NoTable", "experiment: e\nbase: {}\n",
     "@experiment.yaml:1:1: no 'table'; say what the experiment is to print"},
    {"EmptyAxis", "experiment: e\nbase: {}\nmatrix: {s: []}\n",
     "@experiment.yaml:3:13: 'matrix.s' is an empty list; give at least one value"},
    {"Twice", "experiment: e\nbase: {}\nmatrix: {s: [a, a]}\n",
     "@experiment.yaml:3:17: 'matrix.s' has 'a' twice; give each alternative its own name"},
    {"Reserved", "experiment: e\nbase: {}\nmatrix: {Run: [a]}\n",
     "@experiment.yaml:3:10: axis 'Run' has a name that is taken; reserved: run_id, run, exit_code, message"},
    {"Alternative", "experiment: e\nbase: {}\nmatrix: {s: [{name: a, sets: {}}]}\n",
     "@experiment.yaml:3:24: unknown key 'sets' in 'matrix.s'; nearest: 'set'; allowed: name, set, value, "
     "also"},
    {"AlsoAxis",
     "experiment: e\nbase: {}\nmatrix: {s: [{name: a, set: {}, also: [{where: {u: c}, set: {}}]}], t: [c]}\n",
     "@experiment.yaml:3:52: 'matrix.s.also.where' names 'u', which is no axis of the matrix; allowed: s, t; "
     "did you mean "
     "'s'?"},
    {"AlsoLabel",
     "experiment: e\nbase: {}\nmatrix: {s: [{name: a, set: {}, also: [{where: {t: [c, x]}, set: {}}]}], t: "
     "[c]}\n",
     "@experiment.yaml:3:56: 'matrix.s.also.where.t' is 'x'; allowed: c"},
    {"ExcludeAxis", kHead + "exclude: [{u: a}]\n",
     "@experiment.yaml:4:15: 'exclude' names 'u', which is no axis of the matrix; allowed: s, t; did you "
     "mean 's'?"},
    {"ExcludeLabel", kHead + "exclude: [{s: x}]\n",
     "@experiment.yaml:4:15: 'exclude.s' is 'x'; allowed: a, b"},
    {"ExcludeAll", kHead + "exclude: [{s: a}, {s: b}]\ntable: {values: [x]}\n",
     "@experiment.yaml:4:10: 'exclude' leaves no run"},
    {"AxisNowhere", kHead + "table: {rows: s, values: [x]}\n",
     "@experiment.yaml:4:27: axis 't' is neither in rows nor in across; add it, or pick one of its values "
     "with 'where' or 'best'"},
    {"RowsAndAcross", kHead + "table: {rows: [s, t], across: t, values: [x]}\n",
     "@experiment.yaml:4:8: axis 't' is in both rows and across of 'table'"},
    {"InvertAlone", kHead + "table: {values: [{key: x, invert: true}]}\n",
     "@experiment.yaml:4:18: 'table.values.invert' without 'relative_to'"},
    {"RelativeKeyAlone", kHead + "table: {values: [{key: x, relative_key: y}]}\n",
     "@experiment.yaml:4:18: 'table.values.relative_key' without 'relative_to'"},
    {"Foot", kHead + "table: {values: [x], foot: median}\n",
     "@experiment.yaml:4:28: 'table.foot' is 'median'; allowed: mean, geomean, mape, log-correlation"},
    {"Expression", kHead + "table: {values: [{key: x +}]}\n",
     "@experiment.yaml:4:24: 'table.values.key' is 'x +': the end instead of a number, a key or '('"},
    {"ExpressionAxis", kHead + "table: {values: [x / $u]}\n",
     "@experiment.yaml:4:18: 'table.values' names 'u', which is no axis of the matrix; allowed: s, t; did "
     "you mean 's'?"},
    {"Elsewhere", kHead + "table: {values: ['x / @s=c:x']}\n",
     "@experiment.yaml:4:18: 'table.values' has '@s=c:x'; allowed for s: a, b"},
    {"BestLabel", kHead + "table: {rows: s, values: [{key: x, best: {axis: t, among: [c, x], lowest: x}}]}\n",
     "@experiment.yaml:4:63: 'table.values.best.among' is 'x'; allowed: c, d"},
    {"BestBy", kHead + "table: {rows: s, values: [{key: x, best: {axis: t}}]}\n",
     "@experiment.yaml:4:42: 'table.values.best': allowed: one of lowest, highest"},
    {"BestShown", kHead + "table: {values: [{key: x, best: {axis: t, lowest: x}}]}\n",
     "@experiment.yaml:4:18: axis 't' is in rows or across and in 'where' or 'best'"},
    {"Class", kHead + "table: {values: [{key: x, classes: [{below: y, is: MI}]}]}\n",
     "@experiment.yaml:4:45: 'table.values.classes.below' is 'y'; allowed: a number"},
    {"EachRows",
     kHead + "table: {each: {list: l, label: each.x, where: {s: a, t: c}}, rows: s, values: [x]}\n",
     "@experiment.yaml:4:68: 'table' has 'rows' and 'each'; allowed: one of them"},
    {"EachRun", kHead + "table: {each: {list: l, label: each.x, where: {s: a}}, values: [x]}\n",
     "@experiment.yaml:4:15: 'table.each' is of one run; pick one of axis 't' with 'table.each.where'"},
    {"EachMost", "experiment: e\nbase: {}\ntable: {each: {list: l, label: each.x, most: 1}, values: [x]}\n",
     "@experiment.yaml:3:46: 'table.each.most' is '1'; allowed: a whole number from 2 to 1000000"},
    {"EachLabel", "experiment: e\nbase: {}\ntable: {each: {list: l, label: x}, values: [x]}\n",
     "@experiment.yaml:3:32: 'table.each.label' is 'x'; allowed: an expression with a member 'each.KEY' of "
     "the "
     "items"},
    {"EachList", "experiment: e\nbase: {}\ntable: {each: {list: l + 1, label: each.x}, values: [x]}\n",
     "@experiment.yaml:3:22: 'table.each.list' is 'l + 1'; allowed: the key of a list"},
    {"EachBest",
     "experiment: e\nbase: {}\ntable: {each: {list: l, label: each.x}, values: [{key: x, where: {}}]}\n",
     "@experiment.yaml:3:66: 'table.values.where' in a table with 'each'; allowed: 'each.where', which picks "
     "the run of the whole table"},
    {"Nested", "experiment: e\nbase: nested.yaml\ntable: {values: [x]}\n",
     "@nested.yaml:1:13: 'base' is itself an experiment; allowed: a run file"},
};
INSTANTIATE_TEST_SUITE_P(Experiment, WrongExperiment, ::testing::ValuesIn(kWrongFiles),
                         [](const auto& info) { return std::string(info.param.name); });

/// Cycles: kernel k1 100 under gto, 80 under qaws; k2 50 and 100.
struct Filled {
  Experiment experiment;
  std::vector<ExperimentRun> runs;
  std::vector<FinishedRun> results;
};

Filled filled(const Folder& folder, const std::string& table) {
  Filled f;
  f.experiment =
      load(folder, "experiment: e\nbase: {}\nmatrix: {kernel: [k1, k2], s: [gto, qaws]}\n" + table);
  f.runs = f.experiment.runs();
  const int cycles[] = {100, 80, 50, 100};
  for (std::size_t i = 0; i < 4; ++i) {
    FinishedRun r;
    r.result["simulation"]["cycles"] = cycles[i];
    r.result["ok"] = i != 3;
    f.results.push_back(std::move(r));
  }
  return f;
}

TEST(Table, AcrossRelativeInvertedWithMeans) {
  const Folder folder;
  const Filled f = filled(folder, R"(table:
  across: s
  values:
    - {key: simulation.cycles, title: speedup, relative_to: {s: gto}, invert: true}
  foot: [mean, geomean]
)");
  const ResultTable t = make_table(f.experiment, f.experiment.tables[0], f.runs, f.results);
  // Speed-ups of qaws by hand: 100/80 = 1.25 and 50/100 = 0.5; mean 0.875; geomean sqrt(0.625) = 0.7906.
  EXPECT_EQ(t.text.text(),
            "kernel     gto   qaws\n"
            "---------------------\n"
            "k1       1.000  1.250\n"
            "k2       1.000  0.500\n"
            "---------------------\n"
            "mean     1.000  0.875\n"
            "geomean  1.000  0.791\n");
  EXPECT_EQ(t.row_labels, (std::vector<std::string>{"k1", "k2"}));
  EXPECT_EQ(t.blocks[0].series, (std::vector<std::string>{"gto", "qaws"}));
  EXPECT_EQ(*t.blocks[0].cells[0][1], 1.25);
  EXPECT_TRUE(t.warnings.empty());
}

TEST(Table, RowsOfAllAxesWholeNumbersAndWords) {
  const Folder folder;
  const Filled f = filled(folder,
                          "table: {values: [simulation.cycles, {key: ok, plot: none}, {key: "
                          "simulation.cycles, title: x, digits: 1}], foot: mean}\n");
  const ResultTable t = make_table(f.experiment, f.experiment.tables[0], f.runs, f.results);
  EXPECT_EQ(t.text.csv(),
            "kernel,s,simulation.cycles,ok,x\n"
            "k1,gto,100,true,100.0\n"
            "k1,qaws,80,true,80.0\n"
            "k2,gto,50,true,50.0\n"
            "k2,qaws,100,false,100.0\n"
            "mean,,82.500,-,82.5\n");
}

TEST(Table, TheBestIsOneOfTheRunsThatAreNotExcluded) {
  const Folder folder;
  const Filled f =
      filled(folder,
             "exclude: [{kernel: k2, s: gto}]\ntable: {rows: kernel, values: [{key: simulation.cycles, "
             "title: best, best: {axis: s, lowest: simulation.cycles, show: name}}]}\n");
  EXPECT_EQ(make_table(f.experiment, f.experiment.tables[0], f.runs, f.results).text.csv(),
            "kernel,best\nk1,qaws\nk2,qaws\n");
}

TEST(Table, WherePicksOneAlternative) {
  const Folder folder;
  const Filled f =
      filled(folder,
             "table: {rows: kernel, values: [{key: simulation.cycles, title: q, where: {s: qaws}}, "
             "{key: simulation.cycles, title: q/g, where: {s: qaws}, relative_to: {s: gto}, digits: 2}]}\n");
  EXPECT_EQ(make_table(f.experiment, f.experiment.tables[0], f.runs, f.results).text.csv(),
            "kernel,q,q/g\nk1,80,0.80\nk2,100,2.00\n");
}

TEST(Table, TheReferenceMayBeAnotherKey) {
  const Folder folder;
  Filled f = filled(
      folder,
      "table: {across: s, values: [{key: k2, relative_to: {s: gto}, relative_key: simulation.cycles}]}\n");
  for (FinishedRun& r : f.results) r.result["k2"] = 200;
  EXPECT_EQ(make_table(f.experiment, f.experiment.tables[0], f.runs, f.results).text.csv(),
            "kernel,gto,qaws\nk1,2.000,2.000\nk2,4.000,4.000\n");
}

TEST(Table, TheBestOfSeveralRunsItsNameAndClasses) {
  const Folder folder;
  Filled f = filled(folder, R"(table:
  rows: kernel
  values:
    - {key: simulation.cycles, title: low, best: {axis: s, lowest: simulation.cycles}}
    - {key: ok, title: of the highest, best: {axis: s, highest: simulation.cycles + 0, show: value}}
    - {key: simulation.cycles, title: which, best: {axis: s, lowest: simulation.cycles, show: name}}
    - {key: simulation.cycles, title: to gto, best: {axis: s, among: [qaws], lowest: simulation.cycles}, relative_to: {s: gto}}
    - {key: simulation.cycles, title: class, where: {s: gto}, classes: [{below: 60, is: short}, {below: 99, is: no}, {is: long}]}
)");
  // By hand: k1 100 and 80, k2 50 and 100; `ok` is false for k2 under qaws only.
  EXPECT_EQ(make_table(f.experiment, f.experiment.tables[0], f.runs, f.results).text.csv(),
            "kernel,low,of the highest,which,to gto,class\n"
            "k1,80,true,qaws,0.800,long\n"
            "k2,50,false,gto,2.000,short\n");
  f.results[1].exit_code = 3;  // without one of them nobody knows the best
  EXPECT_EQ(make_table(f.experiment, f.experiment.tables[0], f.runs, f.results).text.csv().substr(45, 17),
            "k1,-,-,-,-,long\nk");
}

TEST(Table, ExpressionsSumsAndLabelsOfAxes) {
  const Folder folder;
  Filled f;
  f.experiment = load(folder, R"(experiment: e
base: {}
matrix: {n: [1, 4]}
table:
  values:
    - {key: (simulation.cycles - $n) / 2, title: half, digits: 1}
    - {key: kernels.*.stalls + kernels.*.by.*, title: sum, digits: 0}
    - {key: "simulation.cycles + @n=4:more", title: other, digits: 0}
    - {key: simulation.cycle * 2, title: gone}
)");
  f.runs = f.experiment.runs();
  for (int i = 0; i < 2; ++i) {
    FinishedRun r;
    r.result = Json::parse(R"({"simulation": {"cycles": 10},
                               "kernels": [{"stalls": 3, "by": [1, 1]}, {"stalls": 4, "by": [1]}]})");
    r.result["more"] = 100 * i;
    f.results.push_back(std::move(r));
  }
  const ResultTable t = make_table(f.experiment, f.experiment.tables[0], f.runs, f.results);
  EXPECT_EQ(t.text.csv(), "n,half,sum,other,gone\n1,4.5,10,110,-\n4,3.0,10,110,-\n");
  ASSERT_EQ(t.warnings.size(), 1u);
  EXPECT_EQ(folder.shorten(t.warnings[0]),
            "@experiment.yaml:9:7: no result has the key 'simulation.cycle'; nearest: 'simulation.cycles'");
}

TEST(Table, OnePlotOfAllValues) {
  const Folder folder;
  const Filled f = filled(folder, R"(table:
  rows: kernel
  title: Both
  plot: log-line
  values:
    - {key: simulation.cycles, title: g, where: {s: gto}}
    - {key: simulation.cycles, title: q, where: {s: qaws}}
    - {key: ok, title: words are not plotted, where: {s: qaws}}
    - {key: simulation.cycles, title: left out, where: {s: qaws}, plot: none}
)");
  const std::vector<Chart> plots =
      charts(make_table(f.experiment, f.experiment.tables[0], f.runs, f.results));
  ASSERT_EQ(plots.size(), 1u);
  EXPECT_EQ(plots[0].title, "Both");
  EXPECT_EQ(plots[0].series, (std::vector<std::string>{"g", "q"}));
  EXPECT_EQ(*plots[0].values[1][0], 50);
  EXPECT_EQ(*plots[0].values[1][1], 100);
  EXPECT_TRUE(plots[0].lines);
  EXPECT_TRUE(plots[0].log_scale);
}

TEST(Table, OneStackOfAllValues) {
  const Folder folder;
  const Filled f = filled(folder, R"(table:
  rows: kernel
  plot: stack
  values:
    - {key: simulation.cycles, title: g, where: {s: gto}}
    - {key: simulation.cycles, title: q, where: {s: qaws}}
)");
  const std::vector<Chart> plots =
      charts(make_table(f.experiment, f.experiment.tables[0], f.runs, f.results));
  ASSERT_EQ(plots.size(), 1u);
  EXPECT_TRUE(plots[0].stacked);
  EXPECT_FALSE(plots[0].lines);
}

TEST(Table, FailedRunsLeaveGapsAndNoMeans) {
  const Folder folder;
  Filled f = filled(
      folder,
      "table: {across: s, values: [{key: simulation.cycles, relative_to: {s: gto}}], foot: geomean}\n");
  f.results[2].exit_code = 3;  // k2 under gto: the reference of its row
  EXPECT_EQ(make_table(f.experiment, f.experiment.tables[0], f.runs, f.results).text.csv(),
            "kernel,gto,qaws\nk1,1.000,0.800\nk2,-,-\ngeomean,-,-\n");
}

TEST(Table, AKeyThatIsNowhereIsAWarning) {
  const Folder folder;
  const Filled f = filled(folder, "table:\n  values: [simulation.cycle]\n");
  const ResultTable t = make_table(f.experiment, f.experiment.tables[0], f.runs, f.results);
  ASSERT_EQ(t.warnings.size(), 1u);
  EXPECT_EQ(folder.shorten(t.warnings[0]),
            "@experiment.yaml:5:12: no result has the key 'simulation.cycle'; nearest: 'simulation.cycles'");
}

TEST(Table, GeometricMean) {
  EXPECT_NEAR(*geometric_mean({1, 2, 4}), 2, 1e-12);
  EXPECT_NEAR(*geometric_mean({1e-300, 1e300}), 1, 1e-9);  // no underflow on the way
  EXPECT_FALSE(geometric_mean({}));
  EXPECT_FALSE(geometric_mean({1, 0}));
  EXPECT_FALSE(geometric_mean({1, -1}));
}

TEST(Svg, SixteenSeriesHaveColoursOfTheirOwn) {
  std::set<std::string> colours;
  for (std::size_t series = 0; series < 16; ++series) colours.insert(series_colour(series));
  EXPECT_EQ(colours.size(), 16u);
}

// A title that the chart is too narrow for gets smaller letters; others have 14 px.
TEST(Chart, HasRoomForItsTitle) {
  Chart chart;
  chart.categories = {"a"};
  chart.series = {"s"};
  chart.values = {{1.0}};
  chart.title = "Short";
  EXPECT_NE(to_svg(chart).find("font-size=\"14\" font-weight=\"bold\">Short<"), std::string::npos);
  chart.title = std::string(80, 'x');
  const std::string svg = to_svg(chart);
  const std::size_t bold = svg.find("font-weight=\"bold\"");
  ASSERT_NE(bold, std::string::npos);
  const std::size_t size = svg.rfind("font-size=\"", bold) + 11;
  EXPECT_NEAR(std::stod(svg.substr(size)), 10.9, 0.1);  // 80 letters of 8.2 px at 14 px into 511
}

TEST(Svg, BarsHaveTheHeightsOfTheirValues) {
  Chart chart;
  chart.title = "a < b";
  chart.categories = {"x", "y"};
  chart.series = {"s & t", "u"};
  chart.values = {{1.0, 2.0}, {4.0, std::nullopt}};
  const std::string svg = to_svg(chart);
  EXPECT_NE(svg.find("a &lt; b"), std::string::npos);
  EXPECT_NE(svg.find("s &amp; t"), std::string::npos);
  std::vector<double> heights;
  for (std::size_t at = 0; (at = svg.find("height=\"", at)) != std::string::npos; ++at) {
    const std::size_t end = svg.find('>', at);
    if (svg.compare(end + 1, 7, "<title>") == 0) heights.push_back(std::stod(svg.substr(at + 8)));
  }
  ASSERT_EQ(heights.size(), 3u) << "one bar a value, none for the missing one";
  EXPECT_NEAR(heights[1] / heights[0], 2, 0.01);
  EXPECT_NEAR(heights[2] / heights[0], 4, 0.01);
}

TEST(Svg, LongNamesBelowTheAxisHaveRoom) {
  Chart chart;
  chart.categories = {"four kernels, budgets of 1, 1, 8 and 8", "y"};
  chart.series = {""};
  chart.values = {{1.0}, {2.0}};
  const auto height = [&] {
    const std::string svg = to_svg(chart);
    return std::stod(svg.substr(svg.find(" height=\"") + 9));
  };
  const double room = height();
  chart.categories[0] = "x";
  // Slanted by 30 degrees: half of 38 letters of about 6.6 pixels, beside the 70 that short names have.
  EXPECT_GT(room, height() - 70 + 38 * 3.3);
}

/// The number after each `name="` of the bars of a chart.
std::vector<double> of_bars(const std::string& svg, const std::string& name) {
  std::vector<double> out;
  for (std::size_t at = 0; (at = svg.find("<rect x=", at)) != std::string::npos; ++at) {
    const std::string bar = svg.substr(at, svg.find('>', at) - at);
    if (bar.find("width=\"12\" height=\"12\"") != std::string::npos) continue;  // of the legend
    out.push_back(std::stod(bar.substr(bar.find(name + "=\"") + name.size() + 2)));
  }
  return out;
}

TEST(Svg, StackedBarsStandOnOneAnother) {
  Chart chart;
  chart.stacked = true;
  chart.categories = {"one", "two"};
  chart.series = {"a", "b", "c"};
  chart.values = {{1.0, 2.0, 4.0}, {std::nullopt, 3.0, -2.0}};
  const std::string svg = to_svg(chart);
  const std::vector<double> x = of_bars(svg, " x"), y = of_bars(svg, " y"), height = of_bars(svg, " height");
  ASSERT_EQ(y.size(), 5u) << "no bar for what is missing";
  EXPECT_EQ(x[0], x[1]);
  EXPECT_EQ(x[1], x[2]);
  EXPECT_LT(x[2], x[3]);
  const double unit = height[0], zero = y[0] + height[0];
  EXPECT_NEAR(height[1], 2 * unit, 0.2);
  EXPECT_NEAR(height[2], 4 * unit, 0.2);
  EXPECT_NEAR(y[1] + height[1], y[0], 0.2) << "the second stands on the first";
  EXPECT_NEAR(y[2] + height[2], y[1], 0.2);
  EXPECT_NEAR(y[3] + height[3], zero, 0.2) << "after a gap, on the axis";
  EXPECT_NEAR(y[4], zero, 0.2) << "what is negative hangs below it";
  EXPECT_NE(svg.find(">8</text>"), std::string::npos) << "the axis has room for the sum, 7";
  EXPECT_NE(svg.find(">-2</text>"), std::string::npos);
}

TEST(Svg, LinesBreakAtGapsAndPlaceNumbersToScale) {
  Chart chart;
  chart.lines = true;
  chart.categories = {"0", "10", "40"};
  chart.series = {""};
  chart.values = {{1.0}, {2.0}, {3.0}};
  const auto centres = [](const std::string& svg) {
    std::vector<double> out;
    for (std::size_t at = 0; (at = svg.find("cx=\"", at)) != std::string::npos; ++at)
      out.push_back(std::stod(svg.substr(at + 4)));
    return out;
  };
  const auto x = centres(to_svg(chart));
  ASSERT_EQ(x.size(), 3u);
  EXPECT_NEAR((x[2] - x[1]) / (x[1] - x[0]), 3, 0.01);
  EXPECT_NE(to_svg(chart).find("<polyline"), std::string::npos);
  chart.values[1][0].reset();
  EXPECT_EQ(to_svg(chart).find("<polyline"), std::string::npos) << "no line across a gap";
}

TEST(Svg, ManyNumbersAlongAScaleHaveRoundNumbersBelow) {
  Chart chart;
  chart.lines = true;
  chart.series = {""};
  for (int i = 0; i < 40; ++i) {
    chart.categories.push_back(std::to_string(3 + 10 * i));
    chart.values.push_back({1.0 * i});
  }
  const std::string svg = to_svg(chart);
  EXPECT_NE(svg.find(">300</text>"), std::string::npos);
  EXPECT_EQ(svg.find(">303</text>"), std::string::npos);
  EXPECT_EQ(svg.find(">400</text>"), std::string::npos) << "beyond the last one";
  chart.categories.resize(10);
  chart.values.resize(10);
  EXPECT_NE(to_svg(chart).find(">93</text>"), std::string::npos) << "few have labels of their own";
}

TEST(Svg, LogarithmicScale) {
  Chart chart;
  chart.lines = chart.log_scale = true;
  chart.categories = {"1", "2", "16"};
  chart.series = {""};
  chart.values = {{1.0}, {2.0}, {3.0}};
  const std::string svg = to_svg(chart);
  std::vector<double> x;
  for (std::size_t at = 0; (at = svg.find("cx=\"", at)) != std::string::npos; ++at)
    x.push_back(std::stod(svg.substr(at + 4)));
  ASSERT_EQ(x.size(), 3u);
  EXPECT_NEAR((x[2] - x[1]) / (x[1] - x[0]), 3, 0.01);
}

TEST(Svg, Ticks) {
  EXPECT_EQ(axis_ticks(0, 6), (std::vector<double>{0, 1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(axis_ticks(0, 1.1),
            (std::vector<double>{0, 0.2, 0.4, 0.6000000000000001, 0.8, 1, 1.2000000000000002}));
  EXPECT_EQ(axis_ticks(-3, 10), (std::vector<double>{-5, -2.5, 0, 2.5, 5, 7.5, 10}));
}

}  // namespace
}  // namespace warpvp
