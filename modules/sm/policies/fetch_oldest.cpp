// Oldest-first fetch (SWaS paper, section II-B): the oldest warp that can fetch does.

#include "base/registry.h"
#include "modules/sm/policies.h"
#include "modules/sm/policies/warp_age_order.h"

namespace warpvp {
namespace {

class OldestFetch : public FetchPolicy {
 public:
  void warp_started(unsigned warp, const WarpInfo& info) override { order_.start(warp, info.age); }
  void warp_finished(unsigned warp) override { order_.finish(warp); }
  unsigned pick(const FetchView& view, const std::uint8_t*) override { return order_.oldest(view.fetchable); }

 private:
  WarpAgeOrder order_;
};

WARPVP_REGISTER_POLICY(FetchPolicy, OldestFetch, "oldest", "The oldest warp that can fetch, every cycle.");

}  // namespace
}  // namespace warpvp
