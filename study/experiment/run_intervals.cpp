#include "study/experiment/run_intervals.h"

#include <sstream>
#include <string>

#include "platform/config/interval_config.h"
#include "platform/results/csv_table.h"

namespace warpvp {

namespace {

/// Below the object, made with all on the way; a step that is a number is a name too.
nlohmann::ordered_json& member(nlohmann::ordered_json& object, const std::string& path) {
  nlohmann::ordered_json* at = &object;
  std::istringstream steps(path);
  for (std::string step; std::getline(steps, step, '.');) {
    if (!at->is_object()) *at = nlohmann::ordered_json::object();
    at = &(*at)[step];
  }
  return *at;
}

}  // namespace

nlohmann::ordered_json run_intervals(const std::filesystem::path& folder) {
  const std::optional<CsvTable> table = read_csv(folder / kIntervalFile);
  if (!table) return nullptr;
  auto list = nlohmann::ordered_json::array();
  for (std::size_t row = 0; row < table->rows.size(); ++row) {
    nlohmann::ordered_json& item = list.emplace_back(nlohmann::ordered_json::object());
    for (std::size_t column = 0; column < table->columns.size(); ++column)
      member(item, table->columns[column]) = table->number(row, column);
  }
  return list;
}

std::string interval_column(const std::string& key) {
  const std::string list = std::string(kIntervalList) + ".";
  if (key.compare(0, list.size(), list) != 0) return "";
  const std::size_t index_end = key.find('.', list.size());
  return index_end == std::string::npos ? "" : key.substr(index_end + 1);
}

}  // namespace warpvp
