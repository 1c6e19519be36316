#include "study/report/facts.h"

#include <fmt/format.h>

#include <algorithm>

#include "platform/results/json_stats.h"

namespace warpvp::report {

namespace {

using Json = nlohmann::ordered_json;

std::string text_of(const Json& value) {
  if (value.is_string()) return value.get<std::string>();
  if (value.is_boolean()) return value.get<bool>() ? "yes" : "no";
  return value.is_number() ? value.dump() : std::string();
}

}  // namespace

const std::vector<std::string>& fact_keys() {
  static const std::vector<std::string> keys = {"provenance",
                                                "config.platform.sms",
                                                "config.platform.sm_clock_mhz",
                                                "config.platform.sm.warp_scheduler",
                                                "seed",
                                                "version",
                                                "config.workload.params"};
  return keys;
}

std::vector<std::pair<std::string, std::string>> facts_of(const Json& result) {
  std::vector<std::pair<std::string, std::string>> facts;
  const auto add = [&](const std::string& name, const std::string& value) {
    const bool there =
        std::any_of(facts.begin(), facts.end(), [&](const auto& fact) { return fact.first == name; });
    if (!value.empty() && !there) facts.emplace_back(name, value);
  };
  const auto add_value = [&](const char* name, const char* key) {
    if (const Json* value = find_value(result, key)) add(name, text_of(*value));
  };
  add_value("platform", "provenance.platform");
  const Json* const sms = find_value(result, "config.platform.sms");
  const Json* const clock = find_value(result, "config.platform.sm_clock_mhz");
  if (sms != nullptr && sms->is_number() && clock != nullptr && clock->is_number())
    add("SMs", fmt::format("{} at {} MHz", text_of(*sms), text_of(*clock)));
  add_value("warp scheduler", "config.platform.sm.warp_scheduler.name");
  add_value("warp scheduler", "config.platform.sm.warp_scheduler");
  add_value("seed", "seed");
  add_value("version", "version");
  add_value("command", "provenance.command");
  add_value("date", "provenance.date");
  if (const Json* provenance = find_value(result, "provenance");
      provenance != nullptr && provenance->is_object())
    for (const auto& [key, value] : provenance->items()) {
      std::string name = key;
      std::replace(name.begin(), name.end(), '_', ' ');
      add(name, text_of(value));
    }
  if (const Json* parameters = find_value(result, "config.workload.params");
      parameters != nullptr && parameters->is_object()) {
    std::string list;
    for (const auto& [key, value] : parameters->items())
      if (!text_of(value).empty()) list += (list.empty() ? "" : ", ") + key + " = " + text_of(value);
    add("parameters", list);
  }
  return facts;
}

}  // namespace warpvp::report
