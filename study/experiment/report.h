#pragma once
// What an experiment leaves to read: tables on the terminal, table.csv, report.md report.html with charts,
// and report.json.

#include <filesystem>
#include <iosfwd>
#include <vector>

#include "study/experiment/experiment.h"
#include "study/experiment/result_table.h"
#include "study/experiment/svg_chart.h"

namespace warpvp {

/// One chart for each value of the table that is to be plotted.
std::vector<Chart> charts(const ResultTable& table);

/// Prints the tables to `terminal` and writes the files into `folder`: table.csv, report.md, report.json for
/// later reports, and report.html, or to `terminal` why not. `command` is what a user types to have it all.
void write_report(const Experiment& experiment, const std::vector<ExperimentRun>& runs,
                  const std::vector<FinishedRun>& results, const std::filesystem::path& folder,
                  const std::string& command, std::ostream& terminal);

}  // namespace warpvp
