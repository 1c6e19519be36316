// Greedy-then-oldest fetch (GTLO in the SWaS paper's section II-B): the warp that fetched in the last cycle
// goes on until it cannot (full buffer, instruction cache miss), then the oldest that can takes over.

#include "base/registry.h"
#include "modules/sm/policies.h"
#include "modules/sm/policies/warp_age_order.h"

namespace warpvp {
namespace {

class GtoFetch : public FetchPolicy {
 public:
  void warp_started(unsigned warp, const WarpInfo& info) override { order_.start(warp, info.age); }
  void warp_finished(unsigned warp) override {
    order_.finish(warp);
    greedy_ &= ~only_warp(warp);
  }
  unsigned pick(const FetchView& view, const std::uint8_t*) override {
    const bool continues = view.cycle <= last_cycle_ + 1 && (view.fetchable & greedy_);
    last_cycle_ = view.cycle;
    if (!continues) greedy_ = only_warp(order_.oldest(view.fetchable));
    return lowest_warp(greedy_);
  }

 private:
  WarpAgeOrder order_;
  WarpMask greedy_ = 0;
  Cycle last_cycle_ = 0;
};

WARPVP_REGISTER_POLICY(FetchPolicy, GtoFetch, "gto",
                       "Greedy then oldest: the same warp until it cannot fetch, then the oldest that can.");

}  // namespace
}  // namespace warpvp
