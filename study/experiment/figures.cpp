#include "study/experiment/figures.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>

#include "base/error.h"
#include "base/registry.h"
#include "platform/config/setting.h"

namespace warpvp {

namespace {

std::vector<std::string> split(const std::string& line) {
  std::vector<std::string> cells;
  for (std::size_t from = 0;;) {
    const std::size_t tab = line.find('\t', from);
    cells.push_back(line.substr(from, tab - from));
    if (tab == std::string::npos) return cells;
    from = tab + 1;
  }
}

}  // namespace

Figures Figures::load(const std::filesystem::path& file, const std::string& key) {
  std::ifstream in(file);
  if (!in) throw InputError(fmt::format("{}: cannot be read", file.string()));
  Figures out;
  std::string line;
  for (unsigned number = 1; std::getline(in, line); ++number) {
    if (!line.empty() && line.back() == '\r') line.pop_back();
    if (line.empty() || line[0] == '#') continue;
    const auto fail = [&](const std::string& what) {
      throw InputError(fmt::format("{}:{}:1: {}", file.string(), number, what));
    };
    std::vector<std::string> cells = split(line);
    if (out.headings_.empty()) {
      for (std::size_t i = 0; i < cells.size(); ++i)
        if (std::find(cells.begin(), cells.begin() + static_cast<std::ptrdiff_t>(i), cells[i]) !=
            cells.begin() + static_cast<std::ptrdiff_t>(i))
          fail(fmt::format("the heading '{}' occurs twice", cells[i]));
      const auto at = std::find(cells.begin(), cells.end(), key);
      if (at == cells.end())
        throw InputError(fmt::format("no column of {} is called '{}'; allowed: {}", file.string(), key,
                                     join_names(cells)));
      out.key_ = static_cast<std::size_t>(at - cells.begin());
      out.headings_ = std::move(cells);
      continue;
    }
    if (cells.size() != out.headings_.size())
      fail(fmt::format("{} cells; allowed: {}, as many as headings", cells.size(), out.headings_.size()));
    for (const std::vector<std::string>& other : out.cells_)
      if (other[out.key_] == cells[out.key_])
        fail(fmt::format("a second line for '{}' in column '{}'", cells[out.key_], key));
    out.cells_.push_back(std::move(cells));
  }
  if (out.headings_.empty()) throw InputError(fmt::format("{}: has no line of headings", file.string()));
  return out;
}

std::vector<std::string> Figures::lines() const {
  std::vector<std::string> out;
  for (const std::vector<std::string>& line : cells_) out.push_back(line[key_]);
  return out;
}

std::optional<double> Figures::number(const std::string& line, const std::string& heading) const {
  const auto column = std::find(headings_.begin(), headings_.end(), heading);
  if (column == headings_.end()) return std::nullopt;
  for (const std::vector<std::string>& cells : cells_) {
    if (cells[key_] != line) continue;
    double number = 0;
    if (!parse_double(cells[static_cast<std::size_t>(column - headings_.begin())], number))
      return std::nullopt;
    return number;
  }
  return std::nullopt;
}

}  // namespace warpvp
