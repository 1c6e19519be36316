// Tables whose rows are the items of a list in one run's result: a series over time.

#include <gtest/gtest.h>

#include "study/experiment/needed_keys.h"
#include "study/experiment/report.h"
#include "study/experiment/result_table.h"
#include "study/experiment/run_intervals.h"
#include "study/experiment/svg_chart.h"
#include "tests/config/folder.h"

namespace warpvp {
namespace {

struct FilledEach {
  Experiment experiment;
  std::vector<ExperimentRun> runs;
  std::vector<FinishedRun> results;
  ResultTable table() const { return make_table(experiment, experiment.tables[0], runs, results); }
};

/// Two runs; a job of each has `at` 0, 10, 20, ... and `left` 80, 70, ... in the first, twice that in the
/// other.
FilledEach filled_each(const Folder& folder, const std::string& table, std::size_t items = 6) {
  FilledEach f;
  f.experiment = Experiment::load(
      folder.write("experiment.yaml", "experiment: e\nbase: {}\nmatrix: {s: [lax, rr]}\n" + table),
      ConfigSearch({folder / "configs"}));
  f.runs = f.experiment.runs();
  for (int factor : {1, 2}) {
    FinishedRun r;
    r.result["jobs"] = {{{"job", 1}}, {{"job", 2}, {"latency", 75}}};
    auto& series = r.result["jobs"][1]["series"] = nlohmann::ordered_json::array();
    for (std::size_t i = 0; i < items; ++i)
      series.push_back({{"at", 10 * i}, {"left", factor * (80 - 10 * static_cast<int>(i))}});
    f.results.push_back(std::move(r));
  }
  return f;
}

const char* const kSeries =
    "  each: {list: 'jobs[job=2].series', label: each.at / 10, title: time, where: {s: lax}MORE}\n"
    "  values:\n"
    "    - {key: each.at + each.left, title: predicted, against: 'jobs[job=2].latency'}\n"
    "    - {key: each.left, title: left}\n"
    "    - {key: 'jobs[job=2].latency', title: real}\n"
    "  foot: mape\n  plot: line\n";

std::string series(const std::string& more = "") {
  std::string text = std::string("table:\n") + kSeries;
  return text.replace(text.find("MORE"), 4, more);
}

TEST(Each, HasARowForEachItem) {
  const Folder folder;
  const FilledEach run = filled_each(folder, series());  // the table refers to it
  const ResultTable t = run.table();
  EXPECT_EQ(t.text.csv(),
            "time,predicted,left,real\n0,80.000,80,75\n1,80.000,70,75\n2,80.000,60,75\n3,80.000,50,75\n"
            "4,80.000,40,75\n5,80.000,30,75\nmape,6.7 %,-,-\n");
  EXPECT_TRUE(t.warnings.empty());
  const std::vector<Chart> all = charts(t);
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].categories, (std::vector<std::string>{"0", "1", "2", "3", "4", "5"}));
  EXPECT_EQ(all[0].values[3][1], 50);
  EXPECT_TRUE(all[0].lines);
}

TEST(Each, TakesTheRunThatWherePicks) {
  const Folder folder;
  std::string yaml = series();
  yaml.replace(yaml.find("lax}"), 4, "rr}");
  EXPECT_EQ(filled_each(folder, yaml).table().text.csv().substr(0, 41),
            "time,predicted,left,real\n0,160.000,160,75");
}

TEST(Each, TakesAtMostSoManyEvenlySpread) {
  const Folder folder;
  const auto labels = [&](std::size_t items) {
    return filled_each(folder, series(", most: 3"), items).table().row_labels;
  };
  EXPECT_EQ(labels(6), (std::vector<std::string>{"0", "2", "5"})) << "with the first and the last";
  EXPECT_EQ(labels(3), (std::vector<std::string>{"0", "1", "2"}));
  EXPECT_EQ(labels(2), (std::vector<std::string>{"0", "1"}));
  EXPECT_EQ(labels(0), std::vector<std::string>());
}

TEST(Each, TakesTheItemsWhoseLabelIsInARange) {
  const Folder folder;
  const auto labels = [&](const std::string& range) {
    return filled_each(folder, series(", " + range)).table().row_labels;
  };
  EXPECT_EQ(labels("from: 1, until: 3"), (std::vector<std::string>{"1", "2", "3"}));
  EXPECT_EQ(labels("from: 3.5"), (std::vector<std::string>{"4", "5"}));
  EXPECT_EQ(labels("until: 1"), (std::vector<std::string>{"0", "1"}));
  EXPECT_EQ(labels("from: 1, most: 2"), (std::vector<std::string>{"1", "5"})) << "spread over those";
  EXPECT_EQ(labels("from: 7"), std::vector<std::string>());
}

TEST(Each, IntervalsAreTheRowsOfTheirFile) {
  const Folder folder;
  folder.write("intervals.csv",
               "time_us,cycle,dram.read_bytes,dram.bus.busy,sms.0.issued,sms.issued\n"
               "1.5,400,256,7,1,5\n3,800,0,9,2,6\n");
  const auto intervals = run_intervals(folder / ".");
  ASSERT_EQ(intervals.size(), 2u);
  EXPECT_EQ(intervals[0]["time_us"], 1.5);
  EXPECT_EQ(intervals[1]["dram"]["read_bytes"], 0);
  EXPECT_EQ(intervals[1]["dram"]["bus"]["busy"], 9);
  EXPECT_EQ(intervals[1]["sms"]["0"]["issued"], 2);
  EXPECT_EQ(intervals[1]["sms"]["issued"], 6);
  EXPECT_TRUE(run_intervals(folder / "none").is_null());
}

TEST(Each, TakesTheItemsThatHaveWhatIsAskedFor) {
  const Folder folder;
  const auto rows = [&](const std::string& only) {
    std::string yaml = series(only);
    FilledEach f = filled_each(folder, yaml);
    for (FinishedRun& r : f.results) {
      auto& items = r.result["jobs"][1]["series"];
      for (std::size_t i = 0; i < items.size(); ++i) {
        items[i]["kind"] = i % 2 == 0 ? "even" : "odd";
        items[i]["third"] = i / 3;
      }
      r.result = NeededKeys(f.experiment).pick(r.result);
    }
    return f.table().row_labels;
  };
  EXPECT_EQ(rows(", only: {kind: odd}"), (std::vector<std::string>{"1", "3", "5"}));
  EXPECT_EQ(rows(", only: {kind: even, third: 0}"), (std::vector<std::string>{"0", "2"}));
  EXPECT_EQ(rows(", only: {kind: odd}, most: 2"), (std::vector<std::string>{"1", "5"}));
  EXPECT_EQ(rows(", only: {fourth: 0}"), std::vector<std::string>()) << "no item has such a member";
}

TEST(Each, WordsThatEndInItsNameAreOthers) {
  const Folder folder;
  const FilledEach f = filled_each(
      folder,
      "table: {each: {list: a.b, label: each.x, where: {s: lax}}, values: [reach.y + each.z - u.each.w]}\n");
  EXPECT_EQ(f.experiment.tables[0].values[0].key.names(),
            (std::vector<std::string>{"reach.y", "a.b.0.z", "u.each.w"}));
}

TEST(Each, WhatIsNoListIsSaid) {
  const Folder folder;
  const ResultTable t =
      filled_each(
          folder,
          "table: {each: {list: 'jobs[job=2].latency', label: each.x, where: {s: lax}}, values: [each.x]}\n")
          .table();
  EXPECT_EQ(t.text.rows(), 0u);
  ASSERT_FALSE(t.warnings.empty());
  EXPECT_NE(t.warnings[0].find("'jobs[job=2].latency' is no list in the result"), std::string::npos);
}

/// Results are cut down to what tables want as soon as they are read.
TEST(Each, KeepsTheItemsOfTheResult) {
  const Folder folder;
  FilledEach f = filled_each(folder, series());
  const std::string whole = f.table().text.csv();
  const NeededKeys needed(f.experiment);
  for (FinishedRun& r : f.results) r.result = needed.pick(r.result);
  EXPECT_EQ(f.table().text.csv(), whole);
}

}  // namespace
}  // namespace warpvp
