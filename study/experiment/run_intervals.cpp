#include "study/experiment/run_intervals.h"

#include <algorithm>
#include <string>
#include <vector>

#include "platform/config/interval_config.h"
#include "platform/results/csv_table.h"

namespace warpvp {

nlohmann::ordered_json run_intervals(const std::filesystem::path& folder) {
  const std::optional<CsvTable> table = read_csv(folder / kIntervalFile);
  if (!table) return nullptr;
  std::vector<nlohmann::ordered_json::json_pointer> members;
  for (std::string column : table->columns) {
    std::replace(column.begin(), column.end(), '.', '/');
    members.emplace_back("/" + column);
  }
  auto list = nlohmann::ordered_json::array();
  for (std::size_t row = 0; row < table->rows.size(); ++row) {
    nlohmann::ordered_json& item = list.emplace_back(nlohmann::ordered_json::object());
    for (std::size_t column = 0; column < members.size(); ++column)
      item[members[column]] = table->number(row, column);
  }
  return list;
}

}  // namespace warpvp
