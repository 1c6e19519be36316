#pragma once
// Gathers the statistics of a run.

#include "platform/platform.h"
#include "platform/run_result.h"

namespace warpvp {

/// Everything but the header, the remark and host times, as it has been counted so far; nothing is changed by it.
/// The result refers to the platform's blocks: it is written while the platform is there.
RunResult collect(Platform& platform);
/// Counts the waits of warps that are under way. When nothing will happen any more.
void settle(Platform& platform);

}  // namespace warpvp
