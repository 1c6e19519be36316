// The profile of the command processor's firmware (modules/command_processor/observe).

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <sstream>

#include "study/report/sections.h"

namespace warpvp::report {

namespace {

constexpr std::size_t kFunctionsInChart = 15;
constexpr std::size_t kColumns = 8;

std::vector<std::string> words_of(const std::string& line) {
  std::istringstream in(line);
  std::vector<std::string> words;
  for (std::string word; in >> word;) words.push_back(word);
  return words;
}

}  // namespace

Section firmware_section(const RunView& run) {
  Section section;
  if (run.firmware_profile.empty()) return section;
  section.id = "firmware";
  section.title = "Firmware profile";
  Table table;
  table.caption = "Functions of the command processor's firmware";
  table.columns = {{"function", "", false, {}, true}, {"calls", "", true, 0u},
                   {"instructions", "", true, 0u},    {"self", "cycles", true, 0u},
                   {"self", "%", true, 2u},           {"inclusive", "cycles", true, 0u},
                   {"inclusive", "%", true, 2u},      {"waits", "us", true, 3u}};
  std::istringstream in(run.firmware_profile);
  std::string line;
  bool inside = false;
  while (std::getline(in, line)) {
    const std::vector<std::string> words = words_of(line);
    if (words.empty()) continue;
    if (words.back() == "function") {
      inside = true;
      continue;
    }
    if (!inside) {
      if (section.text.empty()) section.text.push_back(line + ".");
      continue;
    }
    if (words.size() < kColumns) continue;
    std::string name = words[kColumns - 1];
    for (std::size_t i = kColumns; i < words.size(); ++i) name += " " + words[i];
    std::vector<Cell> row{name};
    // Written with a point whatever the locale; so is it read.
    for (std::size_t i = 0; i + 1 < kColumns; ++i) {
      std::istringstream number(words[i]);
      number.imbue(std::locale::classic());
      double value = 0;
      number >> value;
      row.emplace_back(value);
    }
    table.rows.push_back(std::move(row));
  }
  section.text.push_back(
      "Self: cycles of a function's own instructions. Inclusive: with what it calls. Waits: its accesses to "
      "devices took "
      "so much longer.");
  if (table.rows.empty()) {
    section.listing = run.firmware_profile;
    section.listing_title = "The profile";
    return section;
  }
  Chart chart;
  chart.id = "firmware-cycles";
  chart.title = "Cycles of functions";
  chart.x = {"function", "", false};
  chart.y = {"cycles", "", false};
  chart.series.resize(1);
  chart.series[0].name = "self";
  for (std::size_t i = 0; i < std::min(table.rows.size(), kFunctionsInChart); ++i) {
    chart.categories.push_back(table.rows[i][0].text);
    chart.series[0].y.push_back({table.rows[i][3].number, {}, {}});
  }
  chart.summary = fmt::format("{} takes the most cycles of its own: {} % of all.", table.rows[0][0].text,
                              readable(table.rows[0][4].number.value_or(0)));
  section.charts.push_back(std::move(chart));
  section.tables.push_back(std::move(table));
  return section;
}

}  // namespace warpvp::report
