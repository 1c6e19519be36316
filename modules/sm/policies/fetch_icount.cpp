// ICOUNT (SWaS paper, section II-B, after Tullsen et al., ISCA 1996): the warp with the fewest instructions
// fetched and not yet issued; among equals the next in cyclic order, so that none is left out.

#include "base/registry.h"
#include "modules/sm/policies.h"
#include "modules/sm/policies/warp_age_order.h"

namespace warpvp {
namespace {

class IcountFetch : public FetchPolicy {
 public:
  void warp_started(unsigned, const WarpInfo&) override {}
  void warp_finished(unsigned) override {}
  unsigned pick(const FetchView& view, const std::uint8_t* buffered) override {
    unsigned fewest = ~0u;
    WarpMask candidates = 0;
    for (WarpMask rest = view.fetchable; rest; rest &= rest - 1) {
      const unsigned warp = lowest_warp(rest);
      if (buffered[warp] < fewest) {
        fewest = buffered[warp];
        candidates = 0;
      }
      if (buffered[warp] == fewest) candidates |= only_warp(warp);
    }
    last_ = next_warp(candidates, last_ + 1);
    return last_;
  }

 private:
  unsigned last_ = 63;
};

WARPVP_REGISTER_POLICY(FetchPolicy, IcountFetch, "icount",
                       "The warp with the fewest instructions fetched and not issued.");

}  // namespace
}  // namespace warpvp
