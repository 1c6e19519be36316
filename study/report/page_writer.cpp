#include "study/report/page_writer.h"

#include <fmt/format.h>

#include "base/data_folder.h"
#include "base/error.h"
#include "base/input_file.h"
#include "base/markup.h"
#include "platform/results/text_table.h"

namespace warpvp::report {
namespace fs = std::filesystem;

namespace {

constexpr std::uint64_t kMostPageBytes = 16 * input_limit::kMiB;
constexpr const char* kLibraryFiles[] = {
    "/usr/share/javascript/chart.js/chart.umd.min.js", "/usr/share/javascript/chart.js/chart.min.js",
    "/usr/share/javascript/chart.js/chart.umd.js", "/usr/share/javascript/chart.js/chart.js"};
constexpr const char* kScripts[] = {"numbers.js", "tables.js", "charts.js", "report.js"};

std::string own_file(const char* name) {
  return read_input_file(data_folder("study/report/page") / name, kMostPageBytes, "",
                         "it belongs to the program: install it again");
}

void replace_all(std::string& text, const std::string& what, const std::string& with) {
  for (std::size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += with.size())
    text.replace(at, what.size(), with);
}

/// Script that may stand inside a script element: nothing in it ends the element or begins a comment of HTML.
std::string as_script(std::string text) {
  replace_all(text, "</script", "<\\/script");
  replace_all(text, "<!--", "<\\!--");
  return text;
}

/// JSON without the character that HTML looks for.
std::string as_data(const nlohmann::ordered_json& data) {
  std::string text = data.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
  replace_all(text, "<", "\\u003c");
  return text;
}

}  // namespace

std::string chart_library(const fs::path& given) {
  constexpr const char* kRemedy =
      "install Debian's package libjs-chart.js, or give the file chart.min.js of Chart.js 3 or 4 with "
      "--chart-library";
  fs::path file = given;
  if (file.empty()) {
    std::error_code error;
    for (const char* candidate : kLibraryFiles)
      if (fs::is_regular_file(candidate, error)) {
        file = candidate;
        break;
      }
    if (file.empty()) throw InputError(fmt::format("no charting library: {}", kRemedy));
  }
  std::string text = read_input_file(file, kMostPageBytes, "", kRemedy);
  const std::size_t at = text.find("Chart.js v");
  const char major = at == std::string::npos ? '\0' : text[at + 10];
  if (major != '3' && major != '4')
    throw InputError(fmt::format("{}: not Chart.js 3 or 4 as one script; {}", file.string(), kRemedy));
  return text;
}

std::string html_page(const nlohmann::ordered_json& data, const std::string& library) {
  std::string scripts;
  for (const char* name : kScripts) scripts += own_file(name) + "\n";
  const std::pair<const char*, std::string> parts[] = {
      {"{{title}}", markup_escaped(data.value("title", "warpvp"))},
      {"{{style}}", own_file("report.css")},
      {"{{data}}", as_data(data)},
      {"{{library}}", as_script(library)},
      {"{{scripts}}", as_script(std::move(scripts))},
  };
  // In one pass: what is put in is not looked at again.
  const std::string frame = own_file("report.html");
  std::string page;
  std::size_t from = 0;
  for (std::size_t at; (at = frame.find("{{", from)) != std::string::npos;) {
    page += frame.substr(from, at - from);
    from = at;
    for (const auto& [mark, text] : parts)
      if (frame.compare(at, std::string(mark).size(), mark) == 0) {
        page += text;
        from = at + std::string(mark).size();
      }
    if (from == at) throw InputError("report.html: an unknown mark at '" + frame.substr(at, 20) + "'");
  }
  return page + frame.substr(from);
}

}  // namespace warpvp::report
