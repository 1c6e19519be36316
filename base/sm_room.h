#pragma once
// What an empty SM has left after CTAs of several kernels: for those who work out how many of each fit.

#include "base/sm_resources.h"

namespace warpvp {

class SmRoom {
 public:
  explicit SmRoom(const SmResources& sm)
      : ctas_(sm.ctas),
        warps_(sm.warps),
        threads_(sm.threads),
        registers_(sm.registers),
        shared_bytes_(sm.shared_bytes),
        barriers_(sm.barriers) {}

  /// One more CTA fits. The caller sees to CtaNeeds::most_ctas, which adds what sums cannot say.
  bool has(const CtaNeeds& cta) const {
    return ctas_ > 0 && cta.warps <= warps_ && cta.threads <= threads_ && cta.registers <= registers_ &&
           cta.shared_bytes <= shared_bytes_ && cta.barriers <= barriers_;
  }
  /// Takes what one CTA needs; has() it.
  void take(const CtaNeeds& cta) {
    --ctas_;
    warps_ -= cta.warps;
    threads_ -= cta.threads;
    registers_ -= cta.registers;
    shared_bytes_ -= cta.shared_bytes;
    barriers_ -= cta.barriers;
  }
  /// Takes `ctas` CTAs if all of them fit; else nothing.
  bool take(const CtaNeeds& cta, std::uint32_t ctas) {
    SmRoom left = *this;
    for (std::uint32_t i = 0; i < ctas; ++i) {
      if (!left.has(cta)) return false;
      left.take(cta);
    }
    *this = left;
    return true;
  }

 private:
  std::uint32_t ctas_, warps_, threads_, registers_, shared_bytes_, barriers_;
};

}  // namespace warpvp
