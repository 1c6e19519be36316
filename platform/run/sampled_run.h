#pragma once
// Runs whose kernels are sampled (`platform.sampling`, docs/sampling.md): what cannot be asked of them.

#include "platform/config/run_config.h"
#include "platform/platform_config.h"

namespace warpvp {

/// InputError for what looks at every CTA, or runs kernels at once.
void check_run_can_be_sampled(const PlatformConfig& platform, const RunConfig& run);

}  // namespace warpvp
