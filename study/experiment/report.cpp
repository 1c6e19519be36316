#include "study/experiment/report.h"

#include <fmt/format.h>
#include <fmt/ostream.h>

#include "base/error.h"
#include "platform/results/result_writer.h"
#include "study/experiment/experiment_page.h"
#include "study/report/report_folder.h"

namespace warpvp {

namespace {

constexpr std::size_t kFailuresOnTerminal = 10;

}  // namespace

std::vector<Chart> charts(const ResultTable& table) {
  std::vector<Chart> out;
  const auto add = [&](const std::string& title, const std::string& value_title, PlotKind kind) {
    Chart chart;
    chart.title = title;
    chart.value_title = value_title;
    chart.categories = table.row_labels;
    chart.values.resize(table.row_labels.size());
    if (!table.note.empty()) chart.errors.resize(table.row_labels.size());
    chart.note = table.note;
    chart.lines = kind == PlotKind::kLine || kind == PlotKind::kLogLine;
    chart.log_scale = kind == PlotKind::kLogLine;
    chart.stacked = kind == PlotKind::kStack;
    if (kind == PlotKind::kScatter) chart.x.resize(table.row_labels.size());
    out.push_back(std::move(chart));
  };
  const auto add_series = [&](const ResultTable::Block& block, bool name_value) {
    Chart& chart = out.back();
    for (const std::string& name : block.series)
      chart.series.push_back(!name_value    ? name
                             : name.empty() ? block.value->title
                                            : block.value->title + " " + name);
    for (std::size_t row = 0; row < block.cells.size(); ++row) {
      for (std::size_t s = 0; !chart.errors.empty() && s < block.series.size(); ++s) {
        const std::optional<Estimate> mean =
            block.averaged ? block.estimates[row][s] : std::optional<Estimate>();
        chart.errors[row].push_back(mean ? mean->half : std::nullopt);
      }
      if (chart.x.empty()) {
        chart.values[row].insert(chart.values[row].end(), block.cells[row].begin(), block.cells[row].end());
        continue;
      }
      for (const std::optional<Compared>& pair : block.compared[row]) {
        chart.values[row].push_back(pair ? std::optional<double>(pair->first) : std::nullopt);
        chart.x[row].push_back(pair ? std::optional<double>(pair->second) : std::nullopt);
      }
    }
  };
  const auto has_numbers = [](const ResultTable::Block& block) {
    for (const auto& row : block.cells)
      for (const auto& cell : row)
        if (cell) return true;
    return false;
  };
  if (table.plot != PlotKind::kNone) {
    add(table.title, "", table.plot);
    for (const ResultTable::Block& block : table.blocks)
      if (block.value->plot != PlotKind::kNone && has_numbers(block)) add_series(block, true);
    return out;
  }
  for (const ResultTable::Block& block : table.blocks) {
    if (block.value->plot == PlotKind::kNone) continue;
    add(table.blocks.size() == 1 && !table.title.empty() ? table.title : block.value->title,
        block.value->title, block.value->plot);
    add_series(block, false);
  }
  return out;
}

void write_report(const Experiment& experiment, const std::vector<ExperimentRun>& runs,
                  const std::vector<FinishedRun>& results, const std::filesystem::path& folder,
                  const std::string& command, std::ostream& terminal) {
  std::string csv;
  std::string markdown = fmt::format("# {}\n\n", experiment.name);
  std::vector<ResultTable> tables;
  if (!experiment.description.empty()) {
    markdown += experiment.description + "\n\n";
    fmt::print(terminal, "{}\n", experiment.description);
  }
  for (const TableSpec& spec : experiment.tables) {
    tables.push_back(make_table(experiment, spec, runs, results));
    const ResultTable& table = tables.back();
    if (!csv.empty()) csv += "\n";
    if (!table.title.empty()) {
      markdown += "## " + table.title + "\n\n";
      fmt::print(terminal, "\n{}\n", table.title);
    }
    fmt::print(terminal, "\n{}", table.text.text());
    csv += table.data.csv();
    markdown += table.text.markdown() + "\n";
    if (!table.note.empty()) {
      fmt::print(terminal, "{}\n", table.note);
      markdown += table.note + "\n\n";
    }
    for (const std::string& warning : table.warnings) fmt::print(terminal, "warning: {}\n", warning);
  }
  std::string failures;
  std::string first_failures;
  std::size_t failed = 0;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    if (results[i].exit_code == 0) continue;
    failures +=
        fmt::format("- {} (exit status {}): {}\n", runs[i].name, results[i].exit_code, results[i].message);
    if (++failed == kFailuresOnTerminal) first_failures = failures;
  }
  if (!failures.empty()) {
    markdown += "## Runs without a result\n\n" + failures + "\n";
    if (failed > kFailuresOnTerminal)
      failures = fmt::format("{}and {} more, in {}\n", first_failures, failed - kFailuresOnTerminal,
                             (folder / "report.md").string());
    fmt::print(terminal, "\nruns without a result:\n{}", failures);
  }
  write_file_atomically(folder / "table.csv", csv);
  write_file_atomically(folder / "report.md", markdown);
  report::write_page_data(experiment_page(experiment, tables, runs, results, command), folder);
  try {
    report::ReportRequest request;
    request.folder = folder;
    request.runs = false;
    report::write_reports(request);
  } catch (const InputError& error) {
    // Everything else is there, and `warpvp report` makes up for it.
    fmt::print(terminal, "\nno report.html: {}\n", error.what());
  }
}

}  // namespace warpvp
