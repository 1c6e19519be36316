#include "study/experiment/experiment_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "platform/results/json_stats.h"
#include "study/experiment/report.h"
#include "study/report/facts.h"

namespace warpvp {

namespace {

/// The number that a text begins with: "1.5", "12.0 ± 0.3", "83 %".
std::optional<double> number_in(const std::string& text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool whole_word = end == text.data() + text.size() || *end == ' ';
  return error == std::errc() && whole_word && std::isfinite(value) ? std::optional<double>(value)
                                                                    : std::nullopt;
}

report::Cell cell_of(const std::string& text) {
  report::Cell cell;
  if (text.empty() || text == "-") return cell;
  cell.text = text;
  cell.number = number_in(text);
  return cell;
}

report::Table table_of(const ResultTable& table, const std::string& caption) {
  report::Table out;
  out.caption = caption;
  for (std::size_t c = 0; c < table.text.columns(); ++c) {
    bool numeric = false;
    for (std::size_t r = 0; r < table.text.rows(); ++r) numeric = numeric || number_in(table.text.row(r)[c]);
    out.columns.push_back({table.text.titles()[c], "", numeric});
  }
  const auto cells = [](const std::vector<std::string>& texts) {
    std::vector<report::Cell> row;
    for (const std::string& text : texts) row.push_back(cell_of(text));
    return row;
  };
  for (std::size_t r = 0; r < table.text.rows(); ++r) out.rows.push_back(cells(table.text.row(r)));
  for (const auto& foot : table.text.foot()) out.foot.push_back(cells(foot));
  return out;
}

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : ", ") + word;
  return text;
}

/// Every category is a number: they have places on an axis.
bool all_numbers(const std::vector<std::string>& labels) {
  return !labels.empty() && std::all_of(labels.begin(), labels.end(), [](const std::string& label) {
    const auto number = number_in(label);
    return number && label.find(' ') == std::string::npos;
  });
}

/// What a chart of numbers says in words: who is greatest and who is least.
std::string summary_of(const report::Chart& chart, const std::vector<std::string>& rows) {
  std::string text;
  for (const report::Series& series : chart.series) {
    std::optional<std::size_t> least, most;
    for (std::size_t i = 0; i < series.y.size(); ++i) {
      if (!series.y[i].number) continue;
      if (!least || *series.y[i].number < *series.y[*least].number) least = i;
      if (!most || *series.y[i].number > *series.y[*most].number) most = i;
    }
    if (!least) continue;
    const auto at = [&](std::size_t i) { return fmt::format("{:.4g} ({})", *series.y[i].number, rows[i]); };
    text += fmt::format("{}{}{}from {} to {}.", text.empty() ? "" : " ", series.name,
                        series.name.empty() ? "" : ": ", at(*least), at(*most));
    if (text.size() > 400) return text + " The table has the rest.";
  }
  return text;
}

report::Section runs_section(const Experiment& experiment, const std::vector<ExperimentRun>& runs,
                             const std::vector<FinishedRun>& results) {
  report::Section section;
  section.id = "runs";
  section.title = "Runs";
  section.text.push_back(
      "A run's name leads to its report; where it has none, to its result.json. `warpvp report` on this "
      "folder writes the "
      "reports of all runs.");
  report::Table table;
  table.caption = fmt::format("{} runs of {}", runs.size(), experiment.name);
  table.columns.push_back({"run", "", false});
  for (const report::Column& column :
       {report::Column{"exit status", "", true, 0u}, report::Column{"kernel cycles", "", true, 0u},
        report::Column{"simulated time", "us", true}, report::Column{"message", "", false}})
    table.columns.push_back(column);
  for (std::size_t a = 0; a < experiment.matrix.size(); ++a)
    table.columns.insert(table.columns.begin() + static_cast<std::ptrdiff_t>(a) + 1,
                         report::Column{experiment.matrix[a].name, "", false});
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const auto figure = [&](const char* key) -> report::Cell {
      const auto* value = find_value(results[i].result, key);
      return value != nullptr && value->is_number() ? report::Cell(value->get<double>()) : report::Cell();
    };
    std::vector<report::Cell> row{report::Cell(runs[i].name, "runs/" + runs[i].name + "/report.html")};
    for (std::size_t a = 0; a < experiment.matrix.size(); ++a)
      row.push_back(cell_of(experiment.label(runs[i], a)));
    row.emplace_back(static_cast<double>(results[i].exit_code));
    row.push_back(figure("simulation.kernel_cycles"));
    row.push_back(figure("simulation.time_us"));
    row.emplace_back(results[i].message);
    table.rows.push_back(std::move(row));
  }
  section.tables.push_back(std::move(table));
  return section;
}

/// The facts that all runs with a result have in common.
std::vector<std::pair<std::string, std::string>> common_facts(const std::vector<FinishedRun>& results) {
  std::vector<std::pair<std::string, std::string>> common;
  bool first = true;
  for (const FinishedRun& result : results) {
    if (!result.result.is_object()) continue;
    const auto facts = report::facts_of(result.result);
    if (first) {
      common = facts;
      first = false;
      continue;
    }
    common.erase(std::remove_if(common.begin(), common.end(),
                                [&](const auto& fact) {
                                  return std::find(facts.begin(), facts.end(), fact) == facts.end();
                                }),
                 common.end());
  }
  // A run's command is not the experiment's.
  common.erase(
      std::remove_if(common.begin(), common.end(), [](const auto& fact) { return fact.first == "command"; }),
      common.end());
  return common;
}

}  // namespace

std::vector<std::string> page_keys() {
  std::vector<std::string> keys = report::fact_keys();
  keys.insert(keys.end(), {"simulation.kernel_cycles", "simulation.time_us"});
  return keys;
}

report::Chart report_chart(const Chart& from, const TableSpec& spec, const std::string& id) {
  report::Chart chart;
  chart.id = id;
  chart.title = from.title;
  chart.x.title = spec.each ? spec.each->title : joined(spec.rows);
  chart.y.title = from.value_title;
  const bool scatter = !from.x.empty();
  const bool placed = from.lines && all_numbers(from.categories);
  chart.kind = scatter        ? report::ChartKind::kScatter
               : from.lines   ? report::ChartKind::kLines
               : from.stacked ? report::ChartKind::kStack
                              : report::ChartKind::kBars;
  if (from.lines && !placed) chart.kind = report::ChartKind::kBars;
  for (std::size_t s = 0; s < from.series.size(); ++s) {
    report::Series series;
    series.name = from.series[s].empty() ? from.value_title : from.series[s];
    series.line = !scatter;
    for (std::size_t row = 0; row < from.categories.size(); ++row) {
      report::Value value{from.values[row][s], {}, {}};
      if (const auto half = from.errors.empty() || from.stacked ? std::nullopt : from.errors[row][s];
          half && value.number) {
        value.low = *value.number - *half;
        value.high = *value.number + *half;
      }
      series.y.push_back(value);
      if (scatter) {
        series.x.push_back(from.x[row][s]);
        series.labels.push_back(from.categories[row]);
      } else if (placed) {
        series.x.push_back(number_in(from.categories[row]));
      }
    }
    chart.series.push_back(std::move(series));
  }
  chart.summary = summary_of(chart, from.categories);
  if (scatter) {
    chart.x = {"compared with", "", true};
    chart.y.logarithmic = true;
    double least = INFINITY, most = 0;
    for (const report::Series& series : chart.series)
      for (std::size_t i = 0; i < series.y.size(); ++i)
        for (const auto& number : {series.x[i], series.y[i].number})
          if (number && *number > 0) {
            least = std::min(least, *number);
            most = std::max(most, *number);
          }
    if (most > 0) {
      report::Series equal;
      equal.name = "equal";
      equal.dashed = true;
      equal.x = {least, most};
      equal.y = {{least, {}, {}}, {most, {}, {}}};
      chart.series.push_back(std::move(equal));
    }
  } else if (placed) {
    const auto positive = [](const std::string& label) { return number_in(label).value_or(0) > 0; };
    chart.x.logarithmic =
        from.log_scale && std::all_of(from.categories.begin(), from.categories.end(), positive);
    for (report::Series& series : chart.series) {
      // Rows come in the order of the axis; a line goes from left to right.
      std::vector<std::size_t> order(series.x.size());
      for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
      std::stable_sort(order.begin(), order.end(),
                       [&](auto a, auto b) { return *series.x[a] < *series.x[b]; });
      report::Series sorted = series;
      for (std::size_t i = 0; i < order.size(); ++i) {
        sorted.x[i] = series.x[order[i]];
        sorted.y[i] = series.y[order[i]];
      }
      series = std::move(sorted);
    }
  } else {
    chart.categories = from.categories;
  }
  return chart;
}

report::Page experiment_page(const Experiment& experiment, const std::vector<ResultTable>& tables,
                             const std::vector<ExperimentRun>& runs, const std::vector<FinishedRun>& results,
                             const std::string& command) {
  report::Page page;
  page.title = experiment.name;
  page.subtitle = experiment.description.empty() ? "An experiment" : experiment.description;
  const auto failed =
      std::count_if(results.begin(), results.end(), [](const FinishedRun& r) { return r.exit_code != 0; });
  page.verdict = failed == 0 ? report::Verdict::kGood : report::Verdict::kBad;
  page.verdict_text = failed == 0 ? fmt::format("{} runs, all with a result", runs.size())
                                  : fmt::format("{} of {} runs without a result", failed, runs.size());
  page.facts = common_facts(results);
  page.facts.emplace_back("command", command);
  for (std::size_t t = 0; t < tables.size(); ++t) {
    const ResultTable& table = tables[t];
    const TableSpec& spec = experiment.tables[t];
    report::Section section;
    section.id = fmt::format("table-{}", t + 1);
    section.title = !table.title.empty() ? table.title
                    : spec.name.empty()  ? fmt::format("Table {}", t + 1)
                                         : spec.name;
    std::size_t number = 0;
    for (const Chart& chart : charts(table)) {
      if (!chart.note.empty() && section.text.empty()) section.text.push_back(chart.note);
      section.charts.push_back(report_chart(chart, spec, fmt::format("table-{}-{}", t + 1, ++number)));
    }
    section.tables.push_back(table_of(table, section.title));
    for (const ReferenceSpec& reference : spec.references)
      if (!reference.source.empty()) section.text.push_back(reference.title + ": " + reference.source + ".");
    page.sections.push_back(std::move(section));
  }
  page.sections.push_back(runs_section(experiment, runs, results));
  return page;
}

}  // namespace warpvp
