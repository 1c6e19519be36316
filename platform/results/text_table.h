#pragma once
// A table of text with aligned columns, for the terminal, Markdown and CSV.

#include <cstdint>
#include <string>
#include <vector>

namespace warpvp {

class TextTable {
 public:
  enum class Align { kLeft, kRight };

  /// Adds a column; call before adding rows.
  void add_column(std::string title, Align align = Align::kRight) {
    titles_.push_back(std::move(title));
    align_.push_back(align);
  }
  /// Cells beyond the columns are an error of the caller; missing cells are empty.
  void add_row(std::vector<std::string> cells);
  /// A row below a rule: means and totals.
  void add_foot(std::vector<std::string> cells);

  std::size_t columns() const { return titles_.size(); }
  std::size_t rows() const { return rows_.size(); }
  const std::vector<std::string>& titles() const { return titles_; }
  const std::vector<std::string>& row(std::size_t i) const { return rows_[i]; }
  const std::vector<std::vector<std::string>>& foot() const { return foot_; }

  /// Columns two spaces apart, a rule under the titles and above the foot; no trailing blanks.
  std::string text() const;
  std::string markdown() const;
  /// RFC 4180, the foot included.
  std::string csv() const;

 private:
  std::vector<std::size_t> widths() const;

  std::vector<std::string> titles_;
  std::vector<Align> align_;
  std::vector<std::vector<std::string>> rows_;
  std::vector<std::vector<std::string>> foot_;
};

/// Thousands separated for reading: 1234567 -> "1,234,567".
std::string with_thousands(std::uint64_t value);

}  // namespace warpvp
