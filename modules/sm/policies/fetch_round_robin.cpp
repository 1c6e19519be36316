// Round-robin fetch (SWaS paper, section II-B): warps take turns in a fixed order, those that cannot fetch
// are skipped. With `greedy: true` a warp goes on fetching until it cannot.

#include "base/registry.h"
#include "modules/sm/policies.h"
#include "modules/sm/policies/warp_age_order.h"

namespace warpvp {
namespace {

struct RoundRobinFetchParams {
  bool greedy = false;
  void fields(FieldVisitor& v) {
    v.field("greedy", greedy,
            "Keep fetching for the same warp until it cannot, then take the next in order.");
  }
};

class RoundRobinFetch : public FetchPolicy {
 public:
  explicit RoundRobinFetch(const RoundRobinFetchParams& params) : greedy_(params.greedy) {}

  void warp_started(unsigned, const WarpInfo&) override {}
  void warp_finished(unsigned warp) override {
    if (warp == last_) holds_turn_ = false;
  }
  unsigned pick(const FetchView& view, const std::uint8_t*) override {
    const bool keeps =
        greedy_ && holds_turn_ && view.cycle <= last_cycle_ + 1 && (view.fetchable & only_warp(last_));
    if (!keeps) last_ = next_warp(view.fetchable, last_ + 1);
    holds_turn_ = true;
    last_cycle_ = view.cycle;
    return last_;
  }

 private:
  const bool greedy_;
  unsigned last_ = 63;
  Cycle last_cycle_ = 0;
  bool holds_turn_ = false;
};

WARPVP_REGISTER_POLICY_WITH_PARAMS(
    FetchPolicy, RoundRobinFetch, RoundRobinFetchParams, "lrr",
    "Loose round robin: warps in cyclic order, skipping those that cannot fetch.");

}  // namespace
}  // namespace warpvp
