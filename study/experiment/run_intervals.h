#pragma once
// The interval statistics of a run as a list that tables with `each` can show.

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

namespace warpvp {

/// What tables call that list.
inline constexpr const char* kIntervalList = "intervals";

/// An object for each row of intervals.csv, a column `a.b` being member `b` of `a`; null: the run wrote none.
/// InputError as read_csv().
nlohmann::ordered_json run_intervals(const std::filesystem::path& folder);

/// What `key` of a table names in an interval, a column: `dram.read_bytes` of `intervals.0.dram.read_bytes`;
/// empty: it is no interval's.
std::string interval_column(const std::string& key);

}  // namespace warpvp
