#include "base/dominant_share.h"

#include <algorithm>

#include "base/sm_room.h"

namespace warpvp {

DominantShare::DominantShare(const SmResources& sm, const CtaNeeds& needs, std::uint32_t ctas) {
  const auto also = [&](std::uint32_t of_one, std::uint32_t of_sm) {
    if (of_sm == 0) return;
    DominantShare share;
    share.part = std::uint64_t{of_one} * ctas;
    share.whole = of_sm;
    *this = std::max(*this, share);
  };
  also(needs.registers, sm.registers);
  also(needs.shared_bytes, sm.shared_bytes);
  also(needs.threads, sm.threads);
  also(1, sm.ctas);
}

std::vector<std::uint32_t> fair_cta_combination(const SmResources& sm, const std::vector<CtaNeeds>& kernels) {
  std::vector<std::uint32_t> ctas(kernels.size(), 0);
  SmRoom room(sm);
  for (;;) {
    std::size_t poorest = kernels.size();
    DominantShare least;
    for (std::size_t k = 0; k < kernels.size(); ++k) {
      if (ctas[k] >= kernels[k].most_ctas || !room.has(kernels[k])) continue;
      const DominantShare share(sm, kernels[k], ctas[k]);
      if (poorest != kernels.size() && !(share < least)) continue;
      poorest = k;
      least = share;
    }
    if (poorest == kernels.size()) return ctas;
    room.take(kernels[poorest]);
    ++ctas[poorest];
  }
}

}  // namespace warpvp
