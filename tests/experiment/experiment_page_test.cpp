// From an experiment's tables to the page of its report.

#include "study/experiment/experiment_page.h"

#include <gtest/gtest.h>

#include "platform/config/yaml_document.h"

namespace warpvp {
namespace {

Chart chart_of(const std::vector<std::string>& categories, const std::vector<double>& values) {
  Chart chart;
  chart.title = "t";
  chart.value_title = "cycles";
  chart.categories = categories;
  chart.series = {"gto"};
  for (const double value : values) chart.values.push_back({value});
  return chart;
}

TableSpec rows_of(const std::string& axis) {
  TableSpec spec;
  spec.rows = {axis};
  return spec;
}

TEST(ReportChart, NamesItsAxesAndKeepsIntervals) {
  Chart from = chart_of({"mm", "pc"}, {10, 20});
  from.errors = {{2.5}, {std::nullopt}};
  const report::Chart chart = report_chart(from, rows_of("kernel"), "table-1-1");
  EXPECT_EQ(chart.kind, report::ChartKind::kBars);
  EXPECT_EQ(chart.x.title, "kernel");
  EXPECT_EQ(chart.y.title, "cycles");
  EXPECT_EQ(chart.categories, from.categories);
  EXPECT_EQ(chart.series.at(0).y.at(0).low, 7.5);
  EXPECT_EQ(chart.series[0].y[0].high, 12.5);
  EXPECT_FALSE(chart.series[0].y[1].low);
  EXPECT_EQ(chart.summary, "gto: from 10 (mm) to 20 (pc).");
}

TEST(ReportChart, StacksPartsWithoutTheirIntervals) {
  Chart from = chart_of({"mm", "pc"}, {10, 20});
  from.stacked = true;
  from.errors = {{2.5}, {std::nullopt}};
  const report::Chart chart = report_chart(from, rows_of("kernel"), "c");
  EXPECT_EQ(chart.kind, report::ChartKind::kStack);
  EXPECT_EQ(chart.categories, from.categories);
  EXPECT_EQ(chart.series.at(0).y.at(0).number, 10);
  EXPECT_FALSE(chart.series[0].y[0].low);
}

TEST(ReportChart, PlacesNumbersToScaleFromLeftToRight) {
  Chart from = chart_of({"1024", "16", "256"}, {3, 1, 2});
  from.lines = from.log_scale = true;
  const report::Chart chart = report_chart(from, rows_of("count"), "c");
  EXPECT_EQ(chart.kind, report::ChartKind::kLines);
  EXPECT_TRUE(chart.x.logarithmic);
  EXPECT_TRUE(chart.categories.empty());
  EXPECT_EQ(chart.series.at(0).x, (std::vector<std::optional<double>>{16, 256, 1024}));
  EXPECT_EQ(chart.series[0].y[0].number, 1);
  EXPECT_EQ(chart.series[0].y[2].number, 3);
  from.categories[1] = "few";
  EXPECT_EQ(report_chart(from, rows_of("count"), "c").kind, report::ChartKind::kBars);
}

TEST(ReportChart, DrawsEqualityBesidePoints) {
  Chart from = chart_of({"mm", "pc"}, {10, 20});
  from.x = {{5}, {40}};
  const report::Chart chart = report_chart(from, rows_of("kernel"), "c");
  EXPECT_EQ(chart.kind, report::ChartKind::kScatter);
  ASSERT_EQ(chart.series.size(), 2u);
  EXPECT_FALSE(chart.series[0].line);
  EXPECT_EQ(chart.series[0].labels, from.categories);
  EXPECT_EQ(chart.series[1].x, (std::vector<std::optional<double>>{5, 40}));
  EXPECT_EQ(chart.series[1].y[1].number, 40);
}

TEST(ExperimentPage, HasTablesRunsAndWhatRunsHaveInCommon) {
  Experiment experiment;
  experiment.name = "schedulers";
  experiment.base = parse_yaml("{platform: small}", "base", ".");
  experiment.matrix = {{"policy", {{"gto", {}}, {"lrr", {}}}}};
  TableSpec spec = rows_of("policy");
  spec.title = "Cycles";
  experiment.tables = {spec};
  const std::vector<ExperimentRun> runs = experiment.runs();
  ASSERT_EQ(runs.size(), 2u);
  std::vector<FinishedRun> results(2);
  results[0].result = {
      {"seed", 5},
      {"version", "1"},
      {"simulation", {{"kernel_cycles", 77}}},
      {"provenance", {{"platform", "small"}, {"command", "warpvp run a"}, {"date", "today"}}}};
  results[1] = {3, "deadlock", {{"seed", 5}, {"version", "1"}, {"provenance", {{"platform", "titan_v"}}}}};
  ResultTable table;
  table.title = "Cycles";
  table.text.add_column("policy", TextTable::Align::kLeft);
  table.text.add_column("cycles");
  table.text.add_row({"gto", "77.0 ± 0.5"});
  table.text.add_row({"lrr", "-"});
  table.text.add_foot({"mean", "-"});

  const report::Page page = experiment_page(experiment, {table}, runs, results, "warpvp experiment x.yaml");
  EXPECT_EQ(page.title, "schedulers");
  EXPECT_EQ(page.verdict, report::Verdict::kBad);
  EXPECT_EQ(page.verdict_text, "1 of 2 runs without a result");
  const std::vector<std::pair<std::string, std::string>> facts = {
      {"seed", "5"}, {"version", "1"}, {"command", "warpvp experiment x.yaml"}};
  EXPECT_EQ(page.facts, facts) << "platforms and dates differ, commands are the runs' own";
  ASSERT_EQ(page.sections.size(), 2u);
  const report::Table& cycles = page.sections[0].tables.at(0);
  EXPECT_EQ(cycles.rows[0][1].text, "77.0 ± 0.5");
  EXPECT_EQ(cycles.rows[0][1].number, 77.0) << "what it is sorted by";
  EXPECT_FALSE(cycles.rows[1][1].number);
  EXPECT_TRUE(cycles.columns[1].numeric);
  EXPECT_EQ(cycles.foot.size(), 1u);
  const report::Table& list = page.sections[1].tables.at(0);
  ASSERT_EQ(list.rows.size(), 2u);
  EXPECT_EQ(list.columns[1].title, "policy");
  EXPECT_EQ(list.rows[0][0].link, "runs/" + runs[0].name + "/report.html");
  EXPECT_EQ(list.rows[0][3].number, 77.0);
  EXPECT_EQ(list.rows[1][2].number, 3.0);
  EXPECT_EQ(list.rows[1].back().text, "deadlock");
}

}  // namespace
}  // namespace warpvp
