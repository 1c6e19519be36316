#include "study/report/report_folder.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

#include "base/error.h"
#include "base/input_file.h"
#include "platform/results/json_input.h"
#include "platform/results/json_stats.h"
#include "platform/results/result_checksum.h"
#include "platform/results/result_writer.h"
#include "study/report/page_writer.h"
#include "study/report/run_page.h"

namespace warpvp::report {
namespace fs = std::filesystem;

namespace {

using Json = nlohmann::ordered_json;

constexpr std::uint64_t kMostResultBytes = 1024 * input_limit::kMiB;
constexpr const char* kPageData = "report.json";
constexpr const char* kResult = "result.json";
constexpr const char* kReport = "report.html";
/// Raised when the shape of report.json changes.
constexpr int kFormat = 1;

Json parse(const std::string& text, const fs::path& file) {
  Json json = Json::parse(text, nullptr, false);
  if (json.is_discarded())
    throw InputError(fmt::format("{}: not JSON; run again to have it written anew", file.string()));
  return json;
}

Json read_json(const fs::path& file) { return parse(read_json_text(file), file); }

bool is_file(const fs::path& file) {
  std::error_code error;
  return fs::is_regular_file(file, error);
}

/// "first" of "runs/first/" and of "." within it.
std::string folder_name(const fs::path& folder) {
  std::error_code error;
  fs::path whole = fs::weakly_canonical(folder, error);
  if (error) whole = folder;
  return whole.has_filename() ? whole.filename().string() : whole.parent_path().filename().string();
}

Json run_data(const fs::path& folder) {
  const std::string text = read_json_text(folder / kResult);
  const Json result = parse(text, folder / kResult);
  RunView run = view_of(result, (folder / kResult).string());
  run.name = folder_name(folder);
  run.intervals = read_csv(folder / "intervals.csv");
  run.instructions = read_csv(folder / "instructions.csv");
  const auto profile = run.text("config.platform.command_processor.core.profile");
  if (profile && is_file(folder / *profile))
    run.firmware_profile = read_input_file(folder / *profile, kMostResultBytes);
  Page page = run_page(run);
  if (check_checksum(text) == Checksum::kBroken) {
    const char* const why = "result.json was changed since it was written: its checksum does not hold";
    page.verdict = Verdict::kBad;
    page.verdict_text = fmt::format("{}; {}", why, page.verdict_text);
    fmt::print(stderr, "warpvp: warning: {}: {}\n", folder.string(), why);
  }
  return to_json(page);
}

/// Calls `visit` with every cell that has a link.
template <class Visit>
void visit_links(Json& page, Visit visit) {
  for (Json& section : page["sections"])
    for (Json& table : section["tables"])
      for (Json& row : table["rows"])
        for (Json& cell : row)
          if (cell.is_object() && cell.contains("link")) visit(cell);
}

/// The page of an experiment. InputError unless it has the shape that write_page_data() gave it.
Json experiment_data(const fs::path& folder) {
  const fs::path file = folder / kPageData;
  Json data = read_json(file);
  const auto list = [](const Json& object, const char* key) {
    return object.is_object() && object.contains(key) && object[key].is_array();
  };
  const auto whole = [&](const Json& section) {
    return list(section, "tables") &&
           std::all_of(section["tables"].begin(), section["tables"].end(), [&](const Json& t) {
             return list(t, "rows") && std::all_of(t["rows"].begin(), t["rows"].end(),
                                                   [](const Json& row) { return row.is_array(); });
           });
  };
  const bool good = data.is_object() && data.value("format", Json()) == kFormat && data.contains("page") &&
                    list(data["page"], "sections") &&
                    std::all_of(data["page"]["sections"].begin(), data["page"]["sections"].end(), whole);
  if (!good)
    throw InputError(fmt::format(
        "{}: no data of an experiment's report; allowed: what `warpvp experiment` of this version wrote",
        file.string()));
  return std::move(data["page"]);
}

/// A link goes to a run's report if there is one, else to its result, else nowhere.
void settle_links(Json& page, const fs::path& folder, const fs::path& page_folder) {
  visit_links(page, [&](Json& cell) {
    fs::path target = cell["link"].get<std::string>();
    if (!is_file(folder / target)) target = target.parent_path() / kResult;
    if (!is_file(folder / target)) {
      cell = cell["text"];
      return;
    }
    std::error_code error;
    fs::path from_page = fs::proximate(folder / target, page_folder, error);
    cell["link"] = error ? target.generic_string() : from_page.generic_string();
  });
}

}  // namespace

std::vector<fs::path> write_reports(const ReportRequest& request) {
  std::error_code error;
  if (!fs::is_directory(request.folder, error))
    throw InputError(fmt::format("no folder {}; allowed: the output folder of a run or an experiment",
                                 request.folder.string()));
  const bool is_run = is_file(request.folder / kResult);
  if (!is_run && !is_file(request.folder / kPageData))
    throw InputError(fmt::format(
        "{}: neither result.json nor report.json; allowed: the output folder of `warpvp run` or `warpvp "
        "experiment`",
        request.folder.string()));
  const fs::path out = request.out.empty() ? request.folder / kReport : request.out;
  const std::string library = chart_library(request.library);
  std::vector<fs::path> written;
  const auto write = [&](const fs::path& file, const Json& data) {
    write_file_atomically(file, html_page(data, library));
    written.push_back(file);
  };
  if (is_run) {
    write(out, run_data(request.folder));
    return written;
  }
  Json page = experiment_data(request.folder);
  if (request.runs)
    visit_links(page, [&](const Json& cell) {
      const fs::path run = request.folder / fs::path(cell["link"].get<std::string>()).parent_path();
      if (is_file(run / kResult)) write(run / kReport, run_data(run));
    });
  const fs::path page_folder = out.has_parent_path() ? out.parent_path() : fs::path(".");
  settle_links(page, request.folder, page_folder);
  write(out, page);
  return written;
}

void write_page_data(const Page& page, const fs::path& folder) {
  const Json data{{"format", kFormat}, {"page", to_json(page)}};
  write_file_atomically(folder / kPageData, data.dump(1, ' ', false, Json::error_handler_t::replace) + "\n");
}

}  // namespace warpvp::report
