#pragma once
// Figures from elsewhere, measured or published: a table in a file of its own that an experiment compares
// with.

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace warpvp {

class Figures {
 public:
  /// Reads lines of cells with tabs between; lines that begin with '#' are comments, the first other line
  /// holds the headings. InputError with place for a line of another length, a heading or a key that occurs
  /// twice, a missing file. `key` is the heading of the column that names a line; InputError without a place
  /// if there is none.
  static Figures load(const std::filesystem::path& file, const std::string& key);

  const std::vector<std::string>& headings() const { return headings_; }
  /// The lines' names in the order of the file.
  std::vector<std::string> lines() const;
  /// nullopt: no such line or heading, or no number.
  std::optional<double> number(const std::string& line, const std::string& heading) const;

 private:
  std::vector<std::string> headings_;
  std::vector<std::vector<std::string>> cells_;
  std::size_t key_ = 0;
};

}  // namespace warpvp
