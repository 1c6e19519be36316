// Figures from elsewhere: reading them, comparing with them, showing how well values agree.

#include "study/experiment/figures.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/error.h"
#include "study/experiment/agreement.h"
#include "study/experiment/experiment.h"
#include "study/experiment/report.h"
#include "study/experiment/result_table.h"
#include "tests/config/folder.h"

namespace warpvp {
namespace {

const char* const kFigures =
    "# measured\n"
    "program\tkernel\tcycles\thits\n"
    "p\tk1\t100\t0\n"
    "p\tk2\t1000\t50\n"
    "q\tother\t7\t-\n";

class FiguresFile : public ::testing::Test {
 protected:
  std::string error_of(const std::string& text, const std::string& key) {
    try {
      Figures::load(folder_.write("f.tsv", text), key);
    } catch (const InputError& error) {
      return shortened(error.what());
    }
    return "accepted";
  }
  std::string experiment_error(const std::string& yaml) {
    folder_.write("f.tsv", kFigures);
    try {
      Experiment::load(folder_.write("e.yaml", yaml), ConfigSearch({folder_ / "configs"}));
    } catch (const InputError& error) {
      return shortened(error.what());
    }
    return "accepted";
  }
  /// Paths in the folder as mere names.
  std::string shortened(const std::string& text) const {
    std::string out = folder_.shorten(text);
    out.erase(std::remove(out.begin(), out.end(), '@'), out.end());
    return out;
  }
  Folder folder_;
};

TEST_F(FiguresFile, CellsByLineAndHeading) {
  const Figures f = Figures::load(folder_.write("f.tsv", kFigures), "kernel");
  EXPECT_EQ(f.headings(), (std::vector<std::string>{"program", "kernel", "cycles", "hits"}));
  EXPECT_EQ(f.lines(), (std::vector<std::string>{"k1", "k2", "other"}));
  EXPECT_EQ(f.number("k2", "hits"), 50);
  EXPECT_EQ(f.number("k1", "cycles"), 100);
  EXPECT_FALSE(f.number("other", "hits"));
  EXPECT_FALSE(f.number("k3", "cycles"));
  EXPECT_FALSE(f.number("k1", "misses"));
}

TEST_F(FiguresFile, SaysWhatIsWrong) {
  EXPECT_EQ(error_of("a\tb\n1\n", "a"), "f.tsv:2:1: 1 cells; allowed: 2, as many as headings");
  EXPECT_EQ(error_of("a\ta\n", "a"), "f.tsv:1:1: the heading 'a' occurs twice");
  EXPECT_EQ(error_of("a\tb\n1\t2\n# c\n1\t3\n", "a"), "f.tsv:4:1: a second line for '1' in column 'a'");
  EXPECT_EQ(error_of("a\tb\n", "c"), "no column of f.tsv is called 'c'; allowed: a, b");
  EXPECT_EQ(error_of("# nothing\n", "c"), "f.tsv: has no line of headings");
}

TEST(Agreement, MeanErrorAndCorrelation) {
  EXPECT_DOUBLE_EQ(*mean_relative_error({{110, 100}, {80, 100}, {300, 300}}), 0.1);
  EXPECT_FALSE(mean_relative_error({}));
  EXPECT_FALSE(mean_relative_error({{1, 0}}));
  EXPECT_NEAR(*log_correlation({{2, 1}, {20, 10}, {200, 100}}), 1, 1e-12);
  EXPECT_NEAR(*log_correlation({{100, 1}, {10, 10}, {1, 100}}), -1, 1e-12);
  // By hand, in decades: figures 0, 1, 2, values 0, 1, 0: covariance 0.
  EXPECT_NEAR(*log_correlation({{1, 1}, {10, 10}, {1, 100}}), 0, 1e-12);
  EXPECT_FALSE(log_correlation({{1, 1}}));
  EXPECT_FALSE(log_correlation({{1, 1}, {0, 2}}));
  EXPECT_FALSE(log_correlation({{1, 1}, {2, 1}}));
}

const char* const kExperiment = R"(experiment: study
base: {}
matrix: {kernel: [k1, k2]}
figures: {file: f.tsv, axis: kernel}
table:
  name: t
  title: T
  values:
    - {key: kernels.0.cycles, title: ours, against: figure(cycles), plot: scatter}
    - {key: figure(cycles), title: silicon, digits: 0}
    - {key: kernels.0.cycles, title: ratio, against: figure(cycles), show: ratio, digits: 2}
    - {key: kernels.0.hits, title: hits, against: figure(hits), show: ratio}
    - {key: kernels.0.cycles, title: large, against: figure(cycles), show: ratio, least: 500}
  foot: [mean, geomean, mape, log-correlation]
)";

TEST_F(FiguresFile, ATableComparesAndItsFeetSayHowWell) {
  folder_.write("f.tsv", kFigures);
  const Experiment e =
      Experiment::load(folder_.write("e.yaml", kExperiment), ConfigSearch({folder_ / "configs"}));
  std::vector<FinishedRun> results(2);
  const int cycles[] = {150, 900}, hits[] = {3, 60};
  for (int i = 0; i < 2; ++i) results[i].result["kernels"][0] = {{"cycles", cycles[i]}, {"hits", hits[i]}};
  const ResultTable table = make_table(e, e.tables[0], e.runs(), results);
  EXPECT_TRUE(table.warnings.empty());
  const auto cell = [&](const char* row, const char* column) { return *table.cell(row, column); };
  EXPECT_EQ(cell("k1", "ours"), "150");
  EXPECT_EQ(cell("k1", "silicon"), "100");
  EXPECT_EQ(cell("k1", "ratio"), "1.50");
  EXPECT_EQ(cell("k2", "ratio"), "0.90");
  EXPECT_EQ(cell("mean", "ratio"), "1.20");
  EXPECT_EQ(cell("geomean", "ratio"), "1.16");
  EXPECT_EQ(cell("mape", "ours"), "30.0 %");
  EXPECT_EQ(cell("mape", "ratio"), "30.0 %");
  EXPECT_EQ(cell("log-correlation", "ratio"), "1.000");
  EXPECT_EQ(cell("mape", "silicon"), "-");  // compared with nothing
  // A figure of zero is no figure to compare with, and its row does not count.
  EXPECT_EQ(cell("k1", "hits"), "-");
  EXPECT_EQ(cell("mean", "hits"), "1.200");
  EXPECT_EQ(cell("mape", "hits"), "20.0 %");
  EXPECT_EQ(cell("k1", "large"), "-");
  EXPECT_EQ(cell("mape", "large"), "10.0 %");

  const std::vector<Chart> plots = charts(table);
  ASSERT_EQ(plots.size(), 5u);
  ASSERT_EQ(plots[0].x.size(), 2u);
  EXPECT_EQ(plots[0].x[1][0], 1000);
  EXPECT_EQ(plots[0].values[1][0], 900);
  EXPECT_TRUE(plots[1].x.empty());
}

TEST_F(FiguresFile, WhereThereIsNoFigureNothingIsCompared) {
  folder_.write("f.tsv", kFigures);
  const Experiment e = Experiment::load(
      folder_.write(
          "e.yaml",
          "experiment: s\nbase: {}\nmatrix: {kernel: [k2, other]}\n"
          "figures: {file: f.tsv, axis: kernel}\n"
          "table: {values: [{key: n, title: n, against: figure(hits), show: ratio}], foot: mape}\n"),
      ConfigSearch({folder_ / "configs"}));
  std::vector<FinishedRun> results(2);
  for (FinishedRun& r : results) r.result["n"] = 100;
  const ResultTable table = make_table(e, e.tables[0], e.runs(), results);
  EXPECT_EQ(*table.cell("other", "n"), "-");
  EXPECT_EQ(*table.cell("mape", "n"), "100.0 %");
}

TEST_F(FiguresFile, AFailedRunLeavesNoMean) {
  folder_.write("f.tsv", kFigures);
  const Experiment e =
      Experiment::load(folder_.write("e.yaml", kExperiment), ConfigSearch({folder_ / "configs"}));
  std::vector<FinishedRun> results(2);
  results[0].result["kernels"][0] = {{"cycles", 150}, {"hits", 3}};
  results[1].exit_code = 3;
  const ResultTable table = make_table(e, e.tables[0], e.runs(), results);
  EXPECT_EQ(*table.cell("mape", "ratio"), "-");
  EXPECT_EQ(*table.cell("log-correlation", "ratio"), "-");
  EXPECT_EQ(*table.cell("mean", "hits"), "-");
}

TEST_F(FiguresFile, AnExperimentNamesWhatThereIs) {
  const std::string head = "experiment: s\nbase: {}\nmatrix: {kernel: [k1, k2]}\n";
  EXPECT_EQ(experiment_error(head + "table: {values: [figure(cycles)]}\n"),
            "e.yaml:4:18: 'table.values' names a figure, but there are no 'figures'");
  const std::string figures = head + "figures: {file: f.tsv, axis: kernel}\n";
  EXPECT_EQ(experiment_error(figures + "table: {values: [figure(cycle)]}\n"),
            "e.yaml:5:18: 'table.values' names the figure 'cycle'; allowed: program, kernel, cycles, hits");
  EXPECT_EQ(experiment_error(head + "figures: {file: g.tsv, axis: kernel}\ntable: {values: [a]}\n"),
            "e.yaml:4:17: 'figures.file' is 'g.tsv', which is no file");
  EXPECT_EQ(experiment_error(head +
                             "figures: {file: f.tsv, axis: kernel, column: program}\ntable: {values: [a]}\n"),
            "e.yaml:4:46: f.tsv:4:1: a second line for 'p' in column 'program'");
  EXPECT_EQ(experiment_error("experiment: s\nbase: {}\nmatrix: {kernel: [k1, k9]}\n"
                             "figures: {file: f.tsv, axis: kernel}\ntable: {values: [a]}\n"),
            "e.yaml:4:17: 'figures.file' has no line for 'k9' of axis 'kernel'; it has: k1, k2, other");
  EXPECT_EQ(experiment_error(figures + "table: {values: [{key: a, show: ratio}]}\n"),
            "e.yaml:5:33: 'table.values.show' without 'against'");
  EXPECT_EQ(experiment_error(figures + "table: {values: [{key: a, plot: scatter}]}\n"),
            "e.yaml:5:18: 'table.values.plot' is 'scatter' without 'against'");
}

TEST(Scatter, PointsOnTheLineOfEqualityAndDecades) {
  Chart chart;
  chart.title = "a < b";
  chart.categories = {"one", "two", "three"};
  chart.series = {""};
  chart.values = {{10.0}, {1000.0}, {std::nullopt}};
  chart.x = {{10.0}, {100.0}, {5.0}};
  const std::string svg = to_svg(chart);
  EXPECT_NE(svg.find("a &lt; b"), std::string::npos);
  std::vector<std::pair<double, double>> points;
  for (std::size_t at = 0; (at = svg.find("cx=\"", at)) != std::string::npos; ++at)
    points.emplace_back(std::stod(svg.substr(at + 4)), std::stod(svg.substr(svg.find("cy=\"", at) + 4)));
  ASSERT_EQ(points.size(), 2u);  // the third has no value
  // Two decades of 210 each, from the corner at (90, 460).
  EXPECT_NEAR(points[0].first, 90, 0.1);
  EXPECT_NEAR(points[0].second, 460, 0.1);
  EXPECT_NEAR(points[1].first, 300, 0.1);
  EXPECT_NEAR(points[1].second, 40, 0.1);
  EXPECT_NE(svg.find("<title>two: 1000 for 100</title>"), std::string::npos);
  EXPECT_NE(svg.find(">two</text>"), std::string::npos);
  EXPECT_EQ(svg.find(">three</text>"), std::string::npos);
  EXPECT_NE(svg.find(">what it is compared with</text>"), std::string::npos);
  EXPECT_NE(svg.find(">value</text>"), std::string::npos);
  chart.series = {"elapsed"};
  EXPECT_NE(to_svg(chart).find(">elapsed</text>"), std::string::npos);
}

}  // namespace
}  // namespace warpvp
