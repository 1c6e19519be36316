#include "modules/bandwidth/ccbp_allocation.h"

#include <algorithm>

#include "base/sm_room.h"

namespace warpvp {

namespace {

constexpr double kRounding = 1e-9;  // sums of thirds must not fail to fit by their last bit

bool fit_together(const std::vector<CcbpKernel>& kernels, const std::vector<CcbpShare>& shares,
                  const SmResources& sm, unsigned units) {
  SmRoom room(sm);
  double network = 0, dram = 0;
  for (std::size_t k = 0; k < kernels.size(); ++k) {
    const CtaNeeds& needs = kernels[k].needs;
    if (shares[k].ctas > needs.most_ctas || !room.take(needs, shares[k].ctas)) return false;
    network += shares[k].network;
    dram += shares[k].dram;
  }
  return network <= units + kRounding && dram <= units + kRounding;
}

/// One more unit of the kernel's dominant resource, and of the others what goes with it (lines 4 to 21).
CcbpShare tentative(const CcbpKernel& kernel, const CcbpShare& has) {
  CcbpShare next = has;
  const auto last = static_cast<unsigned>(kernel.network.size()) - 1;
  if (kernel.type == BandwidthType::kLatencySensitive) {
    next.ctas = has.ctas + 1;
    if (next.ctas > last) return next;  // more than it can have: found out by its caller
    next.network = kernel.network[next.ctas];
    next.dram = kernel.dram[next.ctas];
    return next;
  }
  const bool by_network = kernel.type == BandwidthType::kNetworkIntensive;
  const std::vector<double>& dominant = by_network ? kernel.network : kernel.dram;
  const std::vector<double>& other = by_network ? kernel.dram : kernel.network;
  const double wanted = (by_network ? has.network : has.dram) + 1;
  if (dominant[has.ctas] < wanted - kRounding) next.ctas = has.ctas + 1;
  if (next.ctas > last) return next;
  const double with_it = dominant[next.ctas] > 0 ? other[next.ctas] * wanted / dominant[next.ctas] : 0;
  (by_network ? next.network : next.dram) = wanted;
  (by_network ? next.dram : next.network) = with_it;
  return next;
}

double dominant_share(const CcbpKernel& kernel, const CcbpShare& share, const SmResources& sm,
                      const CcbpOptions& options) {
  switch (kernel.type) {
    case BandwidthType::kNetworkIntensive:
      return share.network / options.units;
    case BandwidthType::kDramIntensive:
      return share.dram / options.units;
    case BandwidthType::kLatencySensitive:
      break;
  }
  return static_share(kernel.needs, share.ctas, sm) * options.prior_lsk;
}

}  // namespace

double static_share(const CtaNeeds& needs, unsigned ctas, const SmResources& sm) {
  const auto part = [ctas](std::uint64_t of_cta, std::uint64_t whole) {
    return whole == 0 ? 0.0 : static_cast<double>(ctas * of_cta) / static_cast<double>(whole);
  };
  return std::max({part(needs.registers, sm.registers), part(needs.shared_bytes, sm.shared_bytes),
                   part(needs.threads, sm.threads)});
}

std::vector<CcbpShare> ccbp_allocate(const std::vector<CcbpKernel>& kernels, const SmResources& sm,
                                     const CcbpOptions& options,
                                     const std::function<void(const CcbpStep&)>& told) {
  std::vector<CcbpShare> shares(kernels.size());
  std::vector<bool> finished(kernels.size(), false);
  while (true) {
    // Of equal shares the kernel that came first.
    const std::size_t none = kernels.size();
    std::size_t k = none;
    for (std::size_t i = 0; i < kernels.size(); ++i)
      if (!finished[i] && (k == none || shares[i].dominant < shares[k].dominant - kRounding)) k = i;
    if (k == none) return shares;
    std::vector<CcbpShare> tried = shares;
    tried[k] = tentative(kernels[k], shares[k]);
    const bool granted = fit_together(kernels, tried, sm, options.units);
    if (granted) {
      tried[k].dominant = dominant_share(kernels[k], tried[k], sm, options);
      shares = std::move(tried);
    } else {
      finished[k] = true;
    }
    if (told) told({static_cast<unsigned>(k), granted, shares});
  }
}

}  // namespace warpvp
