#pragma once
// One number of a result by its key, for whoever asks a run while it is there.

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace warpvp {

/// "simulation.cycles", "kernels.0.end_cycle" (find_value in platform/results/json_stats.h). InputError if it
/// is no number.
double statistic_of(const nlohmann::ordered_json& result, const std::string& key);

}  // namespace warpvp
