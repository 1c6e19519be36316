#pragma once
// Warped-Slicer (Xu, Jeon, Kim, Ro and Annavaram, "Warped-Slicer: Efficient intra-SM slicing through dynamic
// resource partitioning for GPU multiprogramming", ISCA 2016): how many CTAs of each kernel an SM has, from
// how the kernels' performance grows with their CTAs. Plain C++, without a simulator around it.

#include <cstdint>
#include <vector>

#include "base/sm_resources.h"

namespace warpvp {

/// A kernel that is to share SMs.
struct ScalableKernel {
  CtaNeeds needs;
  /// Its performance alone with 1, 2, ... CTAs an SM, in any unit; it need not grow with every CTA. With more
  /// CTAs than it names, a kernel is not considered.
  std::vector<double> performance;
};

struct CtaCombination {
  std::vector<std::uint32_t> ctas;  ///< of each kernel, on an SM
  /// The least of the kernels' performances, each as a share of the best that the kernel has alone.
  double least_performance = 0;
};

/// The combination that fits the SM and whose least performance is the greatest (water-filling, Algorithm 1
/// of the paper): the kernel that is worst off gets as many CTAs as make it better, until it cannot; then the
/// next one. Every kernel has at least one CTA. Without kernels, or where not one CTA of each fits, all have
/// none.
CtaCombination slice_by_water_filling(const SmResources& sm, const std::vector<ScalableKernel>& kernels);

}  // namespace warpvp
