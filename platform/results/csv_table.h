#pragma once
// The CSV files of a run: a line of headings, then rows as wide as it.

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace warpvp {

struct CsvTable {
  std::vector<std::string> columns;
  std::vector<std::vector<std::string>> rows;

  /// Index of the column of that name; nullopt: there is none.
  std::optional<std::size_t> find(const std::string& column) const;
  /// The cell as a number; 0 if it is none.
  double number(std::size_t row, std::size_t column) const;
};

/// As RFC 4180, with line breaks of either kind. A last row that is cut off is left out, as a run that was
/// ended may leave it. InputError "FILE: ..." for a file without headings or with a row of another width.
CsvTable parse_csv(const std::string& text, const std::string& file);
/// nullopt: no such file. InputError as parse_csv() and read_input_file().
std::optional<CsvTable> read_csv(const std::filesystem::path& file);

}  // namespace warpvp
