#pragma once
// `warpvp report`: from the folder of a run, or of an experiment, to its report.html.

#include <filesystem>
#include <nlohmann/json.hpp>
#include <vector>

#include "study/report/page_model.h"

namespace warpvp::report {

struct ReportRequest {
  std::filesystem::path folder;
  std::filesystem::path out;      ///< file to write; empty: report.html in the folder
  std::filesystem::path library;  ///< as chart_library() takes it
  bool runs = true;               ///< of an experiment: the reports of its runs too
};

/// Writes the reports and returns their files, that of the folder itself last. InputError if the folder holds
/// no result, or one of another shape, or a file cannot be read or written.
std::vector<std::filesystem::path> write_reports(const ReportRequest& request);

/// What an experiment leaves for later reports: its page, as report.json in its folder.
void write_page_data(const Page& page, const std::filesystem::path& folder);

}  // namespace warpvp::report
