#pragma once
// Gathers the statistics of a run.

#include "platform/platform.h"
#include "platform/run_result.h"

namespace warpvp {

/// Everything but the header, the remark and host times. Closes open stall intervals. The result refers to
/// the platform's blocks: it is written while the platform is there.
RunResult collect(Platform& platform);

}  // namespace warpvp
