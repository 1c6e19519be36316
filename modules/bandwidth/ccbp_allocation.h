#pragma once
// CCBP's allocation of CTAs and bandwidth to the kernels that share a device (TACO 2019, section 5.2,
// Algorithm 1, and DomShareCal of section 5.5): dominant resource fairness over static resources and both
// bandwidths.

#include <cstdint>
#include <functional>
#include <vector>

#include "base/sm_resources.h"
#include "modules/bandwidth/bandwidth_model.h"

namespace warpvp {

/// A kernel as the algorithm sees it. Bandwidths are in units, of which the device has BandwidthUnits::total
/// of each kind.
struct CcbpKernel {
  BandwidthType type = BandwidthType::kLatencySensitive;
  CtaNeeds needs;  ///< of one CTA; most_ctas bounds their number
  /// nbw and dbw: what it uses with so many CTAs on each SM, unlimited; [0] is no CTA. As many as
  /// needs.most_ctas + 1.
  std::vector<double> network, dram;
};

/// What a kernel gets.
struct CcbpShare {
  unsigned ctas = 0;    ///< on each SM
  double network = 0;   ///< units
  double dram = 0;      ///< units
  double dominant = 0;  ///< its share of its dominant resource, as DomShareCal says
};

struct CcbpOptions {
  unsigned units = 20;   ///< M
  double prior_lsk = 1;  ///< priority of latency-sensitive kernels, smaller is more urgent
};

/// One turn of the loop, for tests and reports.
struct CcbpStep {
  unsigned kernel = 0;
  bool granted = false;
  const std::vector<CcbpShare>& shares;  ///< after it
};

/// Shares in the order of `kernels`. A kernel for which not even one CTA has room gets none.
std::vector<CcbpShare> ccbp_allocate(const std::vector<CcbpKernel>& kernels, const SmResources& sm,
                                     const CcbpOptions& options,
                                     const std::function<void(const CcbpStep&)>& told = {});

/// The part of an SM's registers, shared memory or threads, whichever is greatest, that `ctas` CTAs take.
double static_share(const CtaNeeds& needs, unsigned ctas, const SmResources& sm);

}  // namespace warpvp
