#pragma once
// Several workloads at once on one machine, each in its own stream: the QAWS paper's evaluation (section
// V-A).

#include <memory>
#include <string>
#include <vector>

#include "sw/apps/workload.h"

namespace warpvp::apps {

/// One kernel of a mix. Its launches are named K1, K2, ... in the order of the mix.
struct MixEntry {
  std::unique_ptr<Workload> workload;
  std::string label;  ///< for messages: the workload's name
  std::uint32_t budget = 1;
  std::int32_t priority = 0;
};

enum class MixMode {
  kConcurrent,  ///< all launched one right after the other, K1 first, each in its own stream
  kSerial       ///< each launched when the one before has finished; same grids
};

/// When concurrent kernels of a mix begin.
struct MixStart {
  bool together = false;  ///< at a StartGate; else each as its launch reaches the device
  double gap_ns = 0;      ///< together: host time between one and the next
};

/// How the kernels of a mix divide the SMs.
enum class MixShares {
  kEqual,  ///< persistent form, equally many warps of each on every SM from first to last
  kFree    ///< normal form: CTAs of all compete for room, as the work distributor lets them
};

/// CTAs per SM of each workload such that every SM holds equally many warps of each and all fit together:
/// each may use at most 1/N of what it could use alone. InputError when that leaves one of them without a
/// CTA. `warps_per_cta` and `occupancy` (CTAs on an SM to itself) are given per workload.
std::vector<unsigned> equal_warp_shares(const std::vector<unsigned>& warps_per_cta,
                                        const std::vector<unsigned>& occupancy);

/// Prepares all, launches them, checks all.
AppResult run_mix(std::vector<MixEntry>& entries, MixMode mode, const MixStart& start, MixShares shares,
                  double size, rt::Runtime& device, const AppContext& context);

}  // namespace warpvp::apps
