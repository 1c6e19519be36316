#pragma once
// What an experiment leaves to read: tables on the terminal, table.csv, report.md and report.html with plots.

#include <filesystem>
#include <iosfwd>
#include <vector>

#include "platform/experiment/experiment.h"
#include "platform/experiment/result_table.h"
#include "platform/experiment/svg_chart.h"

namespace warpvp {

/// One chart for each value of the table that is to be plotted.
std::vector<Chart> charts(const ResultTable& table);

/// Prints the tables to `terminal` and writes the files into `folder`.
void write_report(const Experiment& experiment, const std::vector<ExperimentRun>& runs,
                  const std::vector<RunResult>& results, const std::filesystem::path& folder,
                  std::ostream& terminal);

}  // namespace warpvp
