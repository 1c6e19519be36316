#pragma once
// Runs whose kernels are sampled (`platform.sampling`, docs/sampling.md): what cannot be asked of them, and
// what is said of them.

#include <nlohmann/json.hpp>
#include <string>

#include "platform/config/run_config.h"
#include "platform/platform_config.h"

namespace warpvp {

/// InputError for what looks at every CTA, or runs kernels at once.
void check_run_can_be_sampled(const PlatformConfig& platform, const RunConfig& run);

/// Lines for the terminal about the sampled kernels of a result and those that were not, with their reasons;
/// at most eight, and one that counts the others. Empty where kernels are not sampled.
std::string describe_sampled(const nlohmann::ordered_json& result);

}  // namespace warpvp
