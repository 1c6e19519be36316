// Lines of PTX from instructions.csv.

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/error.h"
#include "study/report/sections.h"

namespace warpvp::report {

namespace {

constexpr std::size_t kMostLines = 60;  // a kernel
constexpr std::size_t kMostKernels = 12;
constexpr std::size_t kLinesInCharts = 20;

/// Instructions of one line of one kernel together.
struct Line {
  double number = 0;
  std::string text;
  double issued = 0, threads = 0, divergent = 0;
  std::vector<double> stalls;

  double stalled() const {
    double sum = 0;
    for (const double cycles : stalls) sum += cycles;
    return sum;
  }
  double cost() const { return issued + stalled(); }
};

struct KernelLines {
  std::string kernel, file;
  std::vector<Line> lines;
  double cost() const {
    double sum = 0;
    for (const Line& line : lines) sum += line.cost();
    return sum;
  }
};

struct Columns {
  std::size_t kernel, file, line, text, issued, threads, divergent;
  std::vector<std::size_t> stalls;
  std::vector<std::string> reasons;
};

Columns columns_of(const CsvTable& table) {
  const auto at = [&](const char* name) {
    const auto found = table.find(name);
    if (!found)
      throw InputError(
          fmt::format("instructions.csv: no column '{}'; allowed: what `warpvp run` wrote", name));
    return *found;
  };
  Columns c{at("kernel"),  at("file"),      at("line"), at("text"), at("issued"),
            at("threads"), at("divergent"), {},         {}};
  for (std::size_t i = c.divergent + 1; i < table.columns.size(); ++i) {
    c.stalls.push_back(i);
    c.reasons.push_back(table.columns[i]);
  }
  return c;
}

std::vector<KernelLines> lines_of(const CsvTable& table, const Columns& c) {
  std::vector<KernelLines> kernels;
  for (std::size_t row = 0; row < table.rows.size(); ++row) {
    const auto& cells = table.rows[row];
    auto kernel = std::find_if(kernels.begin(), kernels.end(), [&](const KernelLines& k) {
      return k.kernel == cells[c.kernel] && k.file == cells[c.file];
    });
    if (kernel == kernels.end()) {
      kernels.push_back({cells[c.kernel], cells[c.file], {}});
      kernel = kernels.end() - 1;
    }
    const double number = table.number(row, c.line);
    auto line = std::find_if(kernel->lines.rbegin(), kernel->lines.rend(),
                             [&](const Line& l) { return l.number == number; });
    if (line == kernel->lines.rend()) {
      kernel->lines.push_back({});
      kernel->lines.back().number = number;
      kernel->lines.back().stalls.resize(c.stalls.size());
      line = kernel->lines.rbegin();
    }
    // Machine instructions of a line are several; the last one is the PTX instruction itself.
    line->text = cells[c.text];
    line->issued += table.number(row, c.issued);
    line->threads += table.number(row, c.threads);
    line->divergent += table.number(row, c.divergent);
    for (std::size_t s = 0; s < c.stalls.size(); ++s) line->stalls[s] += table.number(row, c.stalls[s]);
  }
  return kernels;
}

std::string file_name(const std::string& path) { return path.substr(path.rfind('/') + 1); }

Table table_of(const KernelLines& kernel, const std::vector<const Line*>& lines, const Columns& c) {
  Table table;
  table.caption = fmt::format("Hot lines of {} ({})", kernel.kernel, file_name(kernel.file));
  table.columns = {{"line", "", true, 0u},
                   {"instruction", "", false, {}, true},
                   {"issued", "warp instructions", true, 0u},
                   {"lanes", "per issue", true, 1u},
                   {"divergent", "% of issues", true, 1u},
                   {"stalled", "warp-cycles", true, 0u},
                   {"of all warp-cycles", "%", true, 1u},
                   {"greatest stall", "", false}};
  const double all = kernel.cost();
  for (const Line* line : lines) {
    const auto per_issue = [&](double value) {
      return line->issued > 0 ? std::optional<double>(value / line->issued) : std::nullopt;
    };
    std::string worst;
    const auto most = std::max_element(line->stalls.begin(), line->stalls.end());
    if (most != line->stalls.end() && *most > 0)
      worst = stall_words(c.reasons[static_cast<std::size_t>(most - line->stalls.begin())]);
    table.rows.push_back({line->number, line->text, line->issued, per_issue(line->threads),
                          per_issue(100 * line->divergent), line->stalled(),
                          all > 0 ? std::optional<double>(100 * line->cost() / all) : std::nullopt, worst});
  }
  return table;
}

Chart chart_of(const KernelLines& kernel, std::vector<const Line*> lines, const Columns& c,
               std::size_t index) {
  Chart chart;
  chart.id = fmt::format("hot-lines-{}", index);
  chart.kind = ChartKind::kStack;
  chart.title = fmt::format("{}: cycles by line", kernel.kernel);
  chart.x = {"line of " + file_name(kernel.file), "", false};
  chart.y = {"warp-cycles", "", false};
  const Line& hottest = *lines.front();
  chart.summary =
      fmt::format("The hottest line of {} is line {}, {}: {} of the kernel's warp-cycles.", kernel.kernel,
                  hottest.number, hottest.text, percent(hottest.cost(), kernel.cost()));
  if (lines.size() > kLinesInCharts) lines.resize(kLinesInCharts);
  std::sort(lines.begin(), lines.end(), [](const Line* a, const Line* b) { return a->number < b->number; });
  const auto add = [&](const std::string& name, auto value) {
    Series series;
    series.name = name;
    series.colour = stall_colour(name);
    bool any = false;
    for (const Line* line : lines) {
      series.y.push_back({value(*line), {}, {}});
      any = any || value(*line) > 0;
    }
    if (any) chart.series.push_back(std::move(series));
  };
  for (const Line* line : lines) chart.categories.push_back(fmt::format("{}", line->number));
  add("issued", [](const Line& line) { return line.issued; });
  for (std::size_t s = 0; s < c.reasons.size(); ++s)
    add(stall_words(c.reasons[s]), [s](const Line& line) { return line.stalls[s]; });
  return chart;
}

}  // namespace

Section hot_lines_section(const RunView& run) {
  Section section;
  if (!run.instructions) return section;
  section.id = "hot-lines";
  section.title = "Hot lines";
  const Columns columns = columns_of(*run.instructions);
  std::vector<KernelLines> kernels = lines_of(*run.instructions, columns);
  std::stable_sort(kernels.begin(), kernels.end(),
                   [](const KernelLines& a, const KernelLines& b) { return a.cost() > b.cost(); });
  section.text.push_back(
      "Of each line of PTX: warp instructions issued, lanes that executed, issues without some of the warp's "
      "live lanes "
      "(divergent), and the warp-cycles in which a warp waited to issue it, or waited at it.");
  for (std::size_t k = 0; k < std::min(kernels.size(), kMostKernels); ++k) {
    std::vector<const Line*> lines;
    for (const Line& line : kernels[k].lines)
      if (line.cost() > 0) lines.push_back(&line);
    if (lines.empty()) continue;
    std::stable_sort(lines.begin(), lines.end(),
                     [](const Line* a, const Line* b) { return a->cost() > b->cost(); });
    if (lines.size() > kMostLines) {
      section.text.push_back(fmt::format("{}: the {} hottest of {} lines; instructions.csv has all.",
                                         kernels[k].kernel, kMostLines, lines.size()));
      lines.resize(kMostLines);
    }
    section.charts.push_back(chart_of(kernels[k], lines, columns, k));
    section.tables.push_back(table_of(kernels[k], lines, columns));
  }
  if (kernels.size() > kMostKernels)
    section.text.push_back(
        fmt::format("The {} of {} kernels that took the most warp-cycles.", kMostKernels, kernels.size()));
  return section;
}

}  // namespace warpvp::report
