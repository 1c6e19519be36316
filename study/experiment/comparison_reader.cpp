#include "study/experiment/comparison_reader.h"

#include <fmt/format.h>

#include <limits>

#include "base/error.h"
#include "platform/config/yaml_field_loader.h"

namespace warpvp {

void ComparisonReader::read(const Setting& comparisons) {
  for (const Setting& item : list(comparisons, "comparisons")) {
    ComparisonSpec spec = comparison(item);
    if (e_.comparison(spec.name)) fail(item, fmt::format("two comparisons are called '{}'", spec.name));
    e_.comparisons.push_back(std::move(spec));
  }
}

ComparisonSpec ComparisonReader::comparison(const Setting& s) const {
  const std::string path = "comparisons";
  check_keys(s, path, {"name", "title", "source", "table", "paper", "than", "over", "even"});
  ComparisonSpec out;
  out.name = word(require(s, path, "name"), path + ".name");
  out.title = word(require(s, path, "title"), path + ".title");
  out.source = word(require(s, path, "source"), path + ".source");
  const Setting& table = require(s, path, "table");
  out.table = word(table, path + ".table");
  if (!e_.has_table(out.table))
    fail(table, fmt::format("no table is called '{}'; allowed: {}", out.table, e_.table_names()));
  if (const Setting* than = s.find("than")) out.than = number(*than, path + ".than");
  if (const Setting* even = s.find("even")) out.even = number(*even, path + ".even");
  if (const Setting* over = s.find("over")) out.over = word(*over, path + ".over");
  read_cells(require(s, path, "paper"), out);
  return out;
}

void ComparisonReader::read_cells(const Setting& paper, ComparisonSpec& out) const {
  const std::string path = "comparisons.paper";
  if (!paper.is_mapping() || paper.entries.empty())
    fail(paper,
         fmt::format("'{}' is empty or no mapping; allowed: a mapping of rows to columns with their numbers",
                     path));
  std::size_t compared = 0;
  for (const SettingEntry& row : paper.entries) {
    if (!row.value.is_mapping())
      fail(row.value, fmt::format("'{}.{}' is {}; allowed: a mapping of columns to numbers", path, row.key,
                                  kind_name(row.value)));
    if (!out.over.empty() && !row.value.find(out.over.c_str()))
      fail(row.value, fmt::format("'{}.{}' has no '{}', over which the others are", path, row.key, out.over));
    for (const SettingEntry& column : row.value.entries) {
      PaperCell cell;
      cell.row = row.key;
      cell.column = column.key;
      cell.text = word(column.value, path + "." + row.key + "." + column.key);
      cell.place = column.value.place;
      const char mark = cell.text.empty() ? '\0' : cell.text[0];
      cell.sign_only = mark == '<' || mark == '>' || mark == '=';
      if (!parse_double(cell.text.substr(mark == '~' || cell.sign_only), cell.number) ||
          (column.key == out.over && (cell.number == 0 || cell.sign_only)) ||
          (cell.sign_only && cell.number != out.than))
        fail(
            column.value,
            fmt::format("'{}.{}.{}' is '{}'; allowed: a number{}, with '~' before it if it was read by eye{}",
                        path, row.key, column.key, cell.text, column.key == out.over ? " that is not 0" : "",
                        column.key == out.over
                            ? ""
                            : fmt::format(", or '<{0:g}', '>{0:g}' or '={0:g}' where only who wins is said",
                                          out.than)));
      if (mark == '<') cell.number = -std::numeric_limits<double>::infinity();
      if (mark == '>') cell.number = std::numeric_limits<double>::infinity();
      if (column.key != out.over) ++compared;
      out.cells.push_back(std::move(cell));
    }
  }
  if (compared == 0) fail(paper, fmt::format("'{}' has no number to compare with", path));
}

}  // namespace warpvp
