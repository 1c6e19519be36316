// Seeds as an axis: means, Student's intervals and numbers of runs, worked out by hand.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "base/error.h"
#include "study/experiment/estimate.h"
#include "study/experiment/page.h"
#include "study/experiment/report.h"
#include "tests/config/folder.h"

namespace warpvp {
namespace {

using ::testing::HasSubstr;

TEST(Estimate, IsMeanAndStudentsInterval) {
  // 10, 12, 14: mean 12, sample deviation 2, t(0.975; 2) = 4.302653, 4.302653 * 2 / sqrt(3) = 4.968275.
  const std::optional<Estimate> three = estimate({10, 12, 14});
  EXPECT_EQ(three->runs, 3u);
  EXPECT_DOUBLE_EQ(three->mean, 12);
  EXPECT_NEAR(*three->half, 4.968275, 1e-6);
  // 1, 2: deviation sqrt(1/2), t(0.975; 1) = 12.706205, so half of t.
  EXPECT_NEAR(*estimate({1, 2})->half, 12.706205 / 2, 1e-6);
  // Ten values 1 to 10: mean 5.5, deviation 3.027650, t(0.975; 9) = 2.262157, over sqrt(10).
  EXPECT_NEAR(*estimate({1, 2, 3, 4, 5, 6, 7, 8, 9, 10})->half, 2.165851, 1e-6);
}

TEST(Estimate, OneValueHasNoIntervalAndEqualOnesANarrowOne) {
  EXPECT_FALSE(estimate({}));
  EXPECT_EQ(estimate({7})->mean, 7);
  EXPECT_FALSE(estimate({7})->half);
  const std::optional<Estimate> equal = estimate({0.1, 0.1, 0.1});
  EXPECT_EQ(equal->mean, 0.1);
  EXPECT_EQ(*equal->half, 0);
}

class Seeds : public ::testing::Test {
 protected:
  Experiment load(const std::string& yaml, const Setting* seeds = nullptr) {
    return Experiment::load(folder_.write("e.yaml", "experiment: e\nbase: {}\n" + yaml),
                            ConfigSearch({folder_.path()}), seeds);
  }
  std::string error_of(const std::string& yaml) {
    try {
      load(yaml);
    } catch (const InputError& error) {
      return folder_.shorten(error.what());
    }
    return "accepted";
  }
  /// One result a run, in the order of the runs; below zero: it failed.
  static std::vector<FinishedRun> results(const std::vector<double>& cycles) {
    std::vector<FinishedRun> out(cycles.size());
    for (std::size_t i = 0; i < cycles.size(); ++i) {
      if (cycles[i] < 0) out[i].exit_code = 3;
      out[i].result["cycles"] = static_cast<std::uint64_t>(std::fabs(cycles[i]));
      out[i].result["word"] = cycles[i] == 13 ? "odd" : "even";
    }
    return out;
  }
  ResultTable table(const std::string& yaml, const std::vector<double>& cycles) {
    experiment_ = load(yaml);
    return make_table(experiment_, experiment_.tables[0], experiment_.runs(), results(cycles));
  }

  Folder folder_;
  Experiment experiment_;
};

TEST_F(Seeds, AreTheFastestAxisAndSetTheSeed) {
  const Experiment e = load("matrix: {s: [a, b]}\nseeds: [7, 9]\ntable: {values: [cycles]}\n");
  const std::vector<ExperimentRun> runs = e.runs();
  ASSERT_EQ(runs.size(), 4u);
  EXPECT_EQ(runs[1].name, "s-a_seed-9");
  EXPECT_EQ(runs[2].name, "s-b_seed-7");
  const std::vector<Assignment> sets = e.assignments(runs[1]);
  ASSERT_EQ(sets.size(), 2u);
  EXPECT_EQ(sets[1].path, "seed");
  EXPECT_EQ(sets[1].value.text, "9");
  const Experiment counted = load("seeds: 3\ntable: {values: [cycles]}\n");
  ASSERT_EQ(counted.runs().size(), 3u);
  EXPECT_EQ(counted.runs()[2].name, "seed-3");
}

TEST_F(Seeds, CellsAreMeansWithIntervals) {
  const ResultTable t =
      table("matrix: {s: [a, b]}\nseeds: 3\ntable: {rows: s, values: [cycles]}\n", {10, 12, 14, 20, 20, 20});
  EXPECT_EQ(t.text.text(),
            "s          cycles\n"
            "-----------------\n"
            "a  12.000 ± 4.968\n"
            "b  20.000 ± 0.000\n");
  EXPECT_EQ(t.data.csv(), "s,cycles,cycles ci95,cycles runs\na,12.000,4.968,3\nb,20.000,0.000,3\n");
  EXPECT_EQ(
      t.note,
      "Means with 95 % confidence intervals (Student's t); n = 3 runs a value, with the seeds 1, 2, 3.");
  EXPECT_DOUBLE_EQ(*t.blocks[0].cells[0][0], 12);
  EXPECT_NEAR(*t.blocks[0].estimates[0][0]->half, 4.968275, 1e-6);
}

TEST_F(Seeds, RatiosRelateRunsOfTheSameSeed) {
  // b / a with the same seed is 2 each time, whatever the seed does to both.
  const ResultTable t =
      table("matrix: {s: [a, b]}\nseeds: 3\ntable: {rows: s, values: [{key: cycles, relative_to: {s: a}}]}\n",
            {10, 20, 60, 20, 40, 120});
  EXPECT_EQ(t.text.row(1)[1], "2.000 ± 0.000");
}

TEST_F(Seeds, FootsAreTakenSeedBySeed) {
  // Means over the rows: 15, 17, 22 for the seeds; their mean 18, deviation sqrt(13) = 3.605551,
  // 4.302653 * 3.605551 / sqrt(3) = 8.956686.
  const ResultTable t = table(
      "matrix: {s: [a, b]}\nseeds: 3\ntable: {rows: s, values: [{key: cycles, digits: 2}], foot: [mean, "
      "geomean]}\n",
      {10, 12, 14, 20, 22, 30});
  EXPECT_EQ(t.text.foot()[0][1], "18.00 ± 8.96");
  // sqrt(200), sqrt(264), sqrt(420): mean 16.9614, deviation 3.2354, 4.302653 * 3.2354 / sqrt(3) = 8.04.
  EXPECT_EQ(t.text.foot()[1][1], "16.96 ± 8.04");
}

TEST_F(Seeds, FewerRunsThanSeedsAreSaid) {
  const std::string yaml = "matrix: {s: [a, b]}\nseeds: 3\ntable: {rows: s, values: [cycles], foot: mean}\n";
  ResultTable t = table(yaml, {10, -1, 12, 20, 20, 20});
  EXPECT_EQ(t.text.row(0)[1], "11.000 ± 12.706 (n = 2)");
  EXPECT_EQ(t.text.foot()[0][1], "15.500 ± 6.353 (n = 2)") << "of the seeds that have all rows";
  t = table(yaml, {-1, -1, 12, 20, 20, 20});
  EXPECT_EQ(t.text.row(0)[1], "12.000 (n = 1)");
  EXPECT_EQ(t.data.row(0), (std::vector<std::string>{"a", "12.000", "", "1"}));
  t = table(yaml, {-1, -1, -1, 20, 20, 20});
  EXPECT_EQ(t.text.row(0)[1], "-");
  EXPECT_EQ(t.text.foot()[0][1], "-");
}

TEST_F(Seeds, TheBestRunIsTheOneWithTheBestMean) {
  // By single runs b wins twice; by the mean (12 against 14) a does.
  const ResultTable t = table(
      "matrix: {s: [a, b]}\nseeds: 3\ntable: {rows: [], values: [{key: cycles, digits: 1, best: {axis: s, "
      "lowest: cycles}}, {key: cycles, title: which, best: {axis: s, lowest: cycles, show: name}}]}\n",
      {12, 12, 12, 11, 11, 20});
  EXPECT_EQ(t.text.row(0)[1], "12.0 ± 0.0");
  EXPECT_EQ(t.text.row(0)[2], "a");
}

TEST_F(Seeds, WordsAndClasses) {
  const std::string yaml =
      "matrix: {s: [a, b]}\nseeds: 2\ntable: {rows: s, values: [word, {key: cycles, title: class, classes: "
      "[{below: 13, is: low}, {is: high}]}]}\n";
  const ResultTable t = table(yaml, {12, 12, 12, 13});
  EXPECT_EQ(t.text.row(0)[1], "even");
  EXPECT_EQ(t.text.row(0)[2], "low");
  EXPECT_EQ(t.text.row(1)[1], "-") << "the runs do not agree";
  EXPECT_EQ(t.text.row(1)[2], "low") << "12.5";
}

TEST_F(Seeds, ATableThatNamesTheSeedShowsEachRun) {
  const ResultTable rows = table("seeds: 2\ntable: {rows: seed, values: [cycles]}\n", {10, 12});
  EXPECT_EQ(rows.text.row(1)[1], "12");
  EXPECT_EQ(rows.note, "");
  const ResultTable one =
      table("seeds: 2\ntable: {values: [{key: cycles, where: {seed: 2}}, cycles]}\n", {10, 12});
  EXPECT_EQ(one.text.row(0)[1], "12");
  EXPECT_EQ(one.text.row(0)[2], "11.000 ± 12.706");
}

TEST_F(Seeds, PlotsAndPagesHaveThem) {
  const Experiment e = load(
      "matrix: {s: [1, 2]}\nseeds: 3\ntable: {name: t, rows: s, values: [{key: cycles, digits: 1}, {key: "
      "cycles, title: line, plot: line}]}\npage: {file: p.md, title: T, blocks: [{text: '{{t/1/cycles}}'}, "
      "{table: t}, {plot: t}]}\n");
  const std::vector<PageFile> files = make_page(e, {{&e, e.runs(), results({10, 12, 14, 20, 20, 20})}});
  EXPECT_THAT(files[0].content, HasSubstr("\n12.0 ± 5.0\n"));
  EXPECT_THAT(files[0].content, HasSubstr("| 1 | 12.0 ± 5.0 |"));
  EXPECT_THAT(files[0].content, HasSubstr("\nMeans with 95 % confidence intervals (Student's t); n = 3 "));
  ASSERT_EQ(files.size(), 3u);
  for (const std::size_t file : {1, 2}) {
    EXPECT_THAT(files[file].content, HasSubstr("<title>1: 12 ± 4.97</title>"));
    EXPECT_THAT(files[file].content, HasSubstr("n = 3 runs a value"));
    const std::string& svg = files[file].content;
    const std::size_t bar = svg.find("class=\"error\"");
    EXPECT_NE(bar, std::string::npos);
    EXPECT_EQ(svg.find("class=\"error\"", bar + 1), std::string::npos) << "equal values need none";
  }
  Chart plain = charts(make_table(e, e.tables[0], e.runs(), results({10, 12, 14, 20, 20, 20})))[0];
  EXPECT_EQ(plain.errors.size(), 2u);
  EXPECT_NEAR(*plain.errors[0][0], 4.968275, 1e-6);
  // The axis reaches to the end of the bar: 16.97 of 0 to 20.
  plain.values = {{12.0}, {12.0}};
  EXPECT_THAT(to_svg(plain), HasSubstr(">20</text>"));
  plain.errors.clear();
  EXPECT_THAT(to_svg(plain), ::testing::Not(HasSubstr(">20</text>")));
}

TEST_F(Seeds, AScatterHasThemToo) {
  const Experiment e = load(
      "matrix: {s: [a, b]}\nseeds: 3\ntable: {rows: s, values: [{key: cycles, against: cycles * 2, plot: "
      "scatter}]}\n");
  const std::string svg =
      to_svg(charts(make_table(e, e.tables[0], e.runs(), results({10, 12, 14, 20, 20, 20})))[0]);
  EXPECT_THAT(svg, HasSubstr("a: 12 ± 4.97 for 24"));
  EXPECT_THAT(svg, HasSubstr("class=\"error\""));
}

TEST_F(Seeds, WrongOnesAreRefusedWithTheirPlace) {
  const std::string tail = "\ntable: {values: [cycles]}\n";
  EXPECT_THAT(error_of("seeds: 0" + tail),
              HasSubstr("@e.yaml:3:8: 'seeds' is '0'; allowed: a list of seeds"));
  EXPECT_THAT(error_of("seeds: many" + tail), HasSubstr("'seeds' is 'many'"));
  EXPECT_THAT(error_of("seeds: [1, x]" + tail), HasSubstr("@e.yaml:3:12: 'seeds' has 'x'"));
  EXPECT_THAT(error_of("seeds: [1, 0x1]" + tail), HasSubstr("'seeds' has 1 twice"));
  EXPECT_THAT(error_of("seeds: []" + tail), HasSubstr("'seeds' is an empty list"));
  EXPECT_THAT(error_of("matrix: {x: {setting: seed, values: [1]}}\nseeds: 2" + tail),
              HasSubstr("'seeds', and axis 'x' is about the seed too"));
}

TEST_F(Seeds, OthersCanStandInTheirPlace) {
  Setting five = Setting::string("5");
  EXPECT_EQ(load("seeds: 2\ntable: {values: [cycles]}\n", &five).runs().size(), 5u);
  EXPECT_EQ(load("table: {values: [cycles]}\n", &five).runs().size(), 5u);
}

}  // namespace
}  // namespace warpvp
