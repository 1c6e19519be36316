#include "platform/run/statistic.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/error.h"
#include "platform/results/json_stats.h"

namespace warpvp {

double statistic_of(const nlohmann::ordered_json& result, const std::string& key) {
  const nlohmann::ordered_json* const value = find_value(result, key);
  if (value == nullptr || !value->is_number())
    throw InputError(
        fmt::format("the statistics have no number '{}'; `warpvp describe result` lists them", key));
  return value->get<double>();
}

}  // namespace warpvp
