#pragma once
// The interval statistics of a run as a list that tables with `each` can show.

#include <filesystem>
#include <nlohmann/json.hpp>

namespace warpvp {

/// What tables call that list.
inline constexpr const char* kIntervalList = "intervals";

/// An object for each row of intervals.csv, a column `a.b` being member `b` of `a`; null: the run wrote none.
/// InputError as read_csv().
nlohmann::ordered_json run_intervals(const std::filesystem::path& folder);

}  // namespace warpvp
