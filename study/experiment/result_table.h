#pragma once
// From the results of an experiment's runs to the tables it asks for.

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "platform/results/text_table.h"
#include "study/experiment/agreement.h"
#include "study/experiment/estimate.h"
#include "study/experiment/experiment.h"

namespace warpvp {

/// How a run ended, and its result.json if there is one.
struct FinishedRun {
  int exit_code = 0;
  std::string message;            ///< one line; empty when all is well
  nlohmann::ordered_json result;  ///< null: none
};

/// A finished table, numbers kept for plots.
struct ResultTable {
  /// The columns of one value.
  struct Block {
    const ValueSpec* value = nullptr;
    std::vector<std::string> series;  ///< labels of `across`; one empty label without it
    std::vector<std::vector<std::optional<double>>> cells;  ///< [row][series]
    /// [row][series]: value and what it is compared with; nullopt: not compared
    std::vector<std::vector<std::optional<Compared>>> compared;
    bool averaged = false;  ///< over the seeds: `cells` are means
    /// [row][series], if averaged: the means with their intervals
    std::vector<std::vector<std::optional<Estimate>>> estimates;
  };
  std::string title;
  PlotKind plot = PlotKind::kNone;      ///< of all blocks together
  std::size_t label_columns = 1;        ///< of `text`, before the values
  std::vector<std::string> row_labels;  ///< the axes' labels joined by spaces
  std::vector<Block> blocks;
  TextTable text;
  /// For programs to read: as `text`, but mean, half interval and number of runs in columns of their own.
  TextTable data;
  /// [foot][column]: its numbers, columns being those of all blocks
  std::vector<std::vector<std::optional<Estimate>>> foot_numbers;
  std::string note;                   ///< what the intervals are, a sentence; empty: there are none
  std::vector<std::string> warnings;  ///< keys found in no result, one line each

  /// The text in the row of that label (`mean` and `geomean` included) under that heading; nullptr if none.
  const std::string* cell(const std::string& row, const std::string& column) const;
  /// The number there, not rounded, with its interval if it is averaged over seeds; nullopt if there is none.
  std::optional<Estimate> number(const std::string& row, const std::string& column) const;
};

/// Builds one table. `runs` and `results` run in parallel. Cells of failed runs and of keys that a result
/// lacks are
/// "-"; a mean over a column with such a cell is "-" too, as is a geometric mean over values that are not
/// positive. Rows whose value is not compared, for want of a figure that is large enough, are left out of a
/// ratio's feet.
/// Along `seeds` (unless the table or the value names that axis) every seed is a table of its own; a cell,
/// and a foot, is the mean over those that have a value there, with its confidence interval: "12.0 ± 0.3",
/// and " (n = 9)" where fewer than all have one. Ratios relate runs of the same seed; the best run is the one
/// whose mean is best.
ResultTable make_table(const Experiment& experiment, const TableSpec& spec,
                       const std::vector<ExperimentRun>& runs, const std::vector<FinishedRun>& results);

/// exp(mean(log)); nullopt for an empty list or a value that is not positive.
std::optional<double> geometric_mean(const std::vector<double>& values);

}  // namespace warpvp
