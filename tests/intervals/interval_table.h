#pragma once
// intervals.csv as a table, and the totals of result.json that its columns stand for.

#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

namespace warpvp::test {

/// Reasons for which warps stall.
inline const std::set<std::string> kStalls = {"not_selected", "fetch",   "raw_short", "raw_long", "lsu_full",
                                              "unit_busy",    "barrier", "fence",     "drain"};

struct IntervalTable {
  std::vector<std::string> names;  ///< of the columns behind time_us and cycle
  struct Row {
    std::string time_us;
    std::uint64_t cycle;
    std::vector<double> values;
  };
  std::vector<Row> rows;

  /// Position of a column; fails the test if there is none.
  std::size_t column(const std::string& name) const;
  bool has(const std::string& name) const;
  double sum(const std::string& name) const;
};

IntervalTable read_intervals(const std::filesystem::path& folder);

/// The value of a key of result.json; lists without an index are summed over. NaN if there is none.
double total_of(const nlohmann::json& result, const std::string& key);

/// Columns that are levels.
bool is_level(const std::string& name);

/// Every counter of the table sums up to the value in the folder's result.json.
void expect_sums_of_result(const std::filesystem::path& folder);

}  // namespace warpvp::test
