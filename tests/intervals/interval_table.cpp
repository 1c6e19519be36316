#include "tests/intervals/interval_table.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <limits>
#include <sstream>

#include "tests/platform/program.h"

namespace warpvp::test {

namespace {

std::vector<std::string> split(const std::string& line, char at) {
  std::vector<std::string> parts;
  std::istringstream in(line);
  for (std::string part; std::getline(in, part, at);) parts.push_back(part);
  return parts;
}

double total_below(const nlohmann::json& value, const std::vector<std::string>& path, std::size_t i) {
  if (i == path.size()) return value.is_number() ? value.get<double>() : std::nan("");
  if (value.is_object())
    return value.contains(path[i]) ? total_below(value[path[i]], path, i + 1) : std::nan("");
  if (!value.is_array()) return std::nan("");
  if (std::isdigit(static_cast<unsigned char>(path[i][0])) != 0) {
    const auto index = std::stoul(path[i]);
    return index < value.size() ? total_below(value[index], path, i + 1) : std::nan("");
  }
  double sum = 0;
  for (const auto& item : value) sum += total_below(item, path, i);
  return sum;
}

}  // namespace

bool IntervalTable::has(const std::string& name) const {
  return std::find(names.begin(), names.end(), name) != names.end();
}

std::size_t IntervalTable::column(const std::string& name) const {
  EXPECT_TRUE(has(name)) << name;
  return static_cast<std::size_t>(std::find(names.begin(), names.end(), name) - names.begin()) %
         std::max<std::size_t>(names.size(), 1);
}

double IntervalTable::sum(const std::string& name) const {
  const std::size_t at = column(name);
  double sum = 0;
  for (const Row& row : rows) sum += row.values[at];
  return sum;
}

IntervalTable read_intervals(const std::filesystem::path& folder) {
  IntervalTable table;
  std::istringstream lines(read_text(folder / "intervals.csv"));
  std::string line;
  std::getline(lines, line);
  table.names = split(line, ',');
  EXPECT_EQ(table.names.size() > 2 ? table.names[0] + "," + table.names[1] : line, "time_us,cycle");
  table.names.erase(table.names.begin(), table.names.begin() + 2);
  while (std::getline(lines, line)) {
    const std::vector<std::string> cells = split(line, ',');
    EXPECT_EQ(cells.size(), table.names.size() + 2) << line;
    IntervalTable::Row row{cells[0], std::stoull(cells[1]), {}};
    for (std::size_t i = 2; i < cells.size(); ++i) row.values.push_back(std::stod(cells[i]));
    table.rows.push_back(std::move(row));
  }
  return table;
}

double total_of(const nlohmann::json& result, const std::string& key) {
  return total_below(result, split(key, '.'), 0);
}

bool is_level(const std::string& name) {
  for (const char* level : {".resident_warps", ".resident_ctas", ".resident_kernels", ".copies_under_way"})
    if (name.size() > std::string(level).size() &&
        name.compare(name.size() - std::string(level).size(), std::string::npos, level) == 0)
      return true;
  return false;
}

void expect_sums_of_result(const std::filesystem::path& folder) {
  const IntervalTable table = read_intervals(folder);
  const nlohmann::json result = read_json(folder / "result.json");
  ASSERT_FALSE(table.rows.empty());
  for (const std::string& name : table.names) {
    if (is_level(name)) continue;
    const double total = total_of(result, name);
    // What this run has not been asked to count is not in its result.
    const bool skipped = name.size() > 8 && name.compare(name.size() - 8, 8, ".skipped") == 0;
    if ((skipped || name.find(".scheduling.") != std::string::npos ||
         name.find(".context_switch.") != std::string::npos) &&
        std::isnan(total)) {
      EXPECT_EQ(table.sum(name), 0) << name;
      continue;
    }
    EXPECT_NEAR(table.sum(name), total, 1e-9 * std::abs(total)) << name;
  }
  EXPECT_EQ(table.rows.back().cycle, result["simulation"]["cycles"]);
  EXPECT_NEAR(std::stod(table.rows.back().time_us), result["simulation"]["time_us"].get<double>(), 1e-6);
}

}  // namespace warpvp::test
