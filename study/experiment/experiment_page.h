#pragma once
// The report of an experiment: its tables with their charts, and its runs.

#include <string>
#include <vector>

#include "study/experiment/result_table.h"
#include "study/experiment/svg_chart.h"
#include "study/report/page_model.h"

namespace warpvp {

/// `tables` are those of `experiment`, in its order; `runs` and `results` run in parallel; `command` is what
/// a user types to run it. Links to runs are relative to the experiment's folder.
report::Page experiment_page(const Experiment& experiment, const std::vector<ResultTable>& tables,
                             const std::vector<ExperimentRun>& runs, const std::vector<FinishedRun>& results,
                             const std::string& command);

/// What it looks at of the runs' results, as dotted keys, beside what the tables name.
std::vector<std::string> page_keys();

/// A chart of a table as the report has it: bars over names; lines where the rows are numbers, from left to
/// right and to scale; points beside the line of equality. `id` as report::Chart::id.
report::Chart report_chart(const Chart& chart, const TableSpec& spec, const std::string& id);

}  // namespace warpvp
