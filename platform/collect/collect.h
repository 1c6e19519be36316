#pragma once
// Gathers the statistics of a run.

#include "platform/build/platform.h"
#include "platform/collect/run_result.h"

namespace warpvp {

class RedundancySource;

/// Everything but the header, the remark and host times, as it has been counted so far; nothing is changed by
/// it. Its list of kernels has the first `listed`: a run may have millions. Without a table of
/// energies it has none, nor of redundancy without a watch. The result refers to the platform's blocks: it is
/// written while the platform is there.
RunResult collect(Platform& platform, std::size_t listed, const EnergyTable* energies = nullptr,
                  const RedundancySource* redundancy = nullptr);
/// What all SMs together have counted for one launch.
SmLaunchCounters counters_of_launch(const Platform& platform, std::uint32_t launch);
/// Counts the waits of warps that are under way. When nothing will happen any more.
void settle(Platform& platform);

}  // namespace warpvp
