#pragma once
// All numbers of CTAs of several kernels that fit on an SM: what searches go through. Plain C++.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/sm_resources.h"

namespace warpvp {

/// CTAs of each kernel on an SM.
using CtaNumbers = std::vector<std::uint32_t>;

/// Every combination with at least one CTA of each kernel, those of the last kernel counting up fastest;
/// `together`: on one SM, otherwise each on SMs of its own. Ends when there are more than `most`, so that as
/// many and one is too many.
std::vector<CtaNumbers> cta_combinations(const SmResources& sm, const std::vector<CtaNeeds>& kernels,
                                         bool together, std::size_t most);

}  // namespace warpvp
