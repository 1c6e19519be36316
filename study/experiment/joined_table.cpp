#include "study/experiment/joined_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "base/error.h"
#include "base/registry.h"

namespace warpvp {

namespace {

std::optional<double> mean_of(FootKind kind, const ResultTable::Block& block, std::size_t series) {
  std::vector<double> numbers;
  for (const auto& row : block.cells) {
    if (!row[series]) return std::nullopt;
    numbers.push_back(*row[series]);
  }
  if (kind == FootKind::kGeomean) return geometric_mean(numbers);
  if (numbers.empty()) return std::nullopt;
  return std::accumulate(numbers.begin(), numbers.end(), 0.0) / static_cast<double>(numbers.size());
}

void add_foot(FootKind kind, ResultTable& out) {
  std::vector<std::string> cells(out.label_columns);
  cells[0] = foot_name(kind);
  std::vector<std::optional<Estimate>>& numbers = out.foot_numbers.emplace_back();
  for (const ResultTable::Block& block : out.blocks)
    for (std::size_t s = 0; s < block.series.size(); ++s) {
      const std::optional<double> mean = mean_of(kind, block, s);
      cells.push_back(mean ? fmt::format("{:.{}f}", *mean, block.value->digits) : "-");
      numbers.push_back(mean ? std::optional<Estimate>({1, *mean, std::nullopt}) : std::nullopt);
    }
  out.data.add_foot(cells);
  out.text.add_foot(std::move(cells));
}

}  // namespace

ResultTable join_tables(const JoinedSpec& spec,
                        const std::vector<std::pair<std::string, ResultTable>>& tables) {
  const ResultTable& first = tables.front().second;
  ResultTable out;
  out.title = spec.title;
  out.label_columns = first.label_columns;
  std::size_t column = 0;
  for (const std::string& title : first.text.titles()) {
    const auto align = column++ < first.label_columns ? TextTable::Align::kLeft : TextTable::Align::kRight;
    out.text.add_column(title, align);
    out.data.add_column(title, align);
  }
  for (const ResultTable::Block& block : first.blocks)
    out.blocks.push_back({block.value, block.series, {}, {}, false, {}});
  for (const auto& [name, table] : tables) {
    if (table.text.titles() != first.text.titles())
      throw InputError(fmt::format(
          "{}: '{}' has the columns {}, and '{}' has {}; allowed: tables with the same", spec.place, name,
          join_names(table.text.titles()), tables.front().first, join_names(first.text.titles())));
    for (std::size_t b = 0; b < table.blocks.size(); ++b) {
      const ResultTable::Block& block = table.blocks[b];
      if (block.averaged)
        throw InputError(
            fmt::format("{}: '{}' has means over seeds; allowed: tables without", spec.place, name));
      out.blocks[b].cells.insert(out.blocks[b].cells.end(), block.cells.begin(), block.cells.end());
      out.blocks[b].compared.insert(out.blocks[b].compared.end(), block.compared.begin(),
                                    block.compared.end());
    }
    out.row_labels.insert(out.row_labels.end(), table.row_labels.begin(), table.row_labels.end());
    for (std::size_t row = 0; row < table.text.rows(); ++row) {
      out.text.add_row(table.text.row(row));
      out.data.add_row(table.text.row(row));
    }
  }
  for (const FootKind kind : spec.foot) add_foot(kind, out);
  return out;
}

}  // namespace warpvp
