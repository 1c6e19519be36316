#include "platform/results/csv_table.h"

#include <fmt/format.h>

#include <charconv>

#include "base/error.h"
#include "base/input_file.h"

namespace warpvp {

namespace {

constexpr std::uint64_t kMostTableBytes = 1024 * input_limit::kMiB;

/// One row from `at` on, which is moved behind its line break. False: the text ends before the row does.
bool read_row(const std::string& text, std::size_t& at, std::vector<std::string>& row) {
  row.assign(1, "");
  bool quoted = false;
  for (; at < text.size(); ++at) {
    const char c = text[at];
    if (quoted) {
      if (c != '"') {
        row.back() += c;
      } else if (at + 1 < text.size() && text[at + 1] == '"') {
        row.back() += c;
        ++at;
      } else {
        quoted = false;
      }
    } else if (c == '"') {
      quoted = true;
    } else if (c == ',') {
      row.emplace_back();
    } else if (c == '\n') {
      ++at;
      return true;
    } else if (c != '\r') {
      row.back() += c;
    }
  }
  return false;
}

}  // namespace

std::optional<std::size_t> CsvTable::find(const std::string& column) const {
  for (std::size_t i = 0; i < columns.size(); ++i)
    if (columns[i] == column) return i;
  return std::nullopt;
}

double CsvTable::number(std::size_t row, std::size_t column) const {
  const std::string& text = rows[row][column];
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() ? value : 0;
}

CsvTable parse_csv(const std::string& text, const std::string& file) {
  CsvTable table;
  std::size_t at = 0;
  if (!read_row(text, at, table.columns) || table.columns[0].empty())
    throw InputError(fmt::format("{}: no line of headings", file));
  std::vector<std::string> row;
  for (std::size_t line = 2; read_row(text, at, row); ++line) {
    if (row.size() != table.columns.size())
      throw InputError(fmt::format("{}: row {} has {} cells, and the headings are {}", file, line, row.size(),
                                   table.columns.size()));
    table.rows.push_back(row);
  }
  return table;
}

std::optional<CsvTable> read_csv(const std::filesystem::path& file) {
  std::error_code error;
  if (!std::filesystem::exists(file, error)) return std::nullopt;
  return parse_csv(read_input_file(file, kMostTableBytes), file.string());
}

}  // namespace warpvp
