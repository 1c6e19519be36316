#pragma once
// What is said of a result whose kernels are sampled (`platform.sampling`, docs/sampling.md).

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace warpvp {

/// A line about each sampled kernel of a result and each that was not, with its reason; at most eight, and
/// one that counts the others. Empty where kernels are not sampled.
std::vector<std::string> sampled_kernels(const nlohmann::ordered_json& result);

}  // namespace warpvp
