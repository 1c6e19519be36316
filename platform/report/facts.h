#pragma once
// Where results come from, for the head of a report.

#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

namespace warpvp::report {

/// Platform, workload, seed, version, command, date and whatever else `provenance` of a result.json has, as
/// name and text. Every result has some of them.
std::vector<std::pair<std::string, std::string>> facts_of(const nlohmann::ordered_json& result);

}  // namespace warpvp::report
