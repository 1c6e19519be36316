#pragma once
// How many CTAs of each kernel an SM has under dominant resource fairness (Ghodsi et al., NSDI 2011), as
// simultaneous multikernel divides SMs (SMK: Wang et al., "Simultaneous multikernel GPU: Multi-tasking
// throughput processors via fine-grained sharing", HPCA 2016). Plain C++, without a distributor.

#include <cstdint>
#include <vector>

#include "base/sm_resources.h"

namespace warpvp {

/// The greatest part that `ctas` CTAs take of any one of the resources that SMK counts: registers, shared
/// memory, threads and CTA slots. A fraction, to be compared without rounding.
struct DominantShare {
  std::uint64_t part = 0, whole = 1;
  DominantShare() = default;
  DominantShare(const SmResources& sm, const CtaNeeds& needs, std::uint32_t ctas);
  bool operator<(const DominantShare& other) const { return part * other.whole < other.part * whole; }
};

/// CTAs of each kernel on an SM: one at a time goes to the kernel with the smallest dominant share whose next
/// CTA fits, of equals to the first; until none fits.
std::vector<std::uint32_t> fair_cta_combination(const SmResources& sm, const std::vector<CtaNeeds>& kernels);

}  // namespace warpvp
