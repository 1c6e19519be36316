#pragma once
// From a page's model to one HTML file with everything in it: style, scripts, the charting library and the
// data.

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

namespace warpvp::report {

/// The charting library, Chart.js 3 or 4, as one file of JavaScript. `given` if it is not empty, else where
/// Debian's libjs-chart.js has it. InputError with the remedy if there is none, or the file is not that.
std::string chart_library(const std::filesystem::path& given);

/// The page; `data` as report::to_json() makes it. It loads nothing, wherever it is opened. InputError if the
/// page's own files are missing from the data folder.
std::string html_page(const nlohmann::ordered_json& data, const std::string& library);

}  // namespace warpvp::report
