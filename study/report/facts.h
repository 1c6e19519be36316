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
/// The keys of a result that facts_of() looks at, for those who keep a part of each result only.
const std::vector<std::string>& fact_keys();

}  // namespace warpvp::report
