// Loose round robin. By default the turn moves on after every issue: each edge starts looking behind the warp
// that issued last (the LRR of the SWaS paper's section II-B: a new warp is selected at each cycle, and one
// that is not ready is skipped). With `greedy: true` a warp keeps its turn until it stalls, which the SWaS
// paper calls GTLRR and the QAWS paper's section II-A and figure 3b call LRR.

#include "base/registry.h"
#include "modules/sm/policies.h"
#include "modules/sm/policies/warp_age_order.h"

namespace warpvp {
namespace {

struct LrrParams {
  bool greedy = false;
  void fields(FieldVisitor& v) {
    v.field("greedy", greedy,
            "Keep issuing the same warp until it stalls, then take the next in order (GTLRR).");
  }
};

class LrrScheduler : public WarpPolicy<LrrScheduler> {
 public:
  explicit LrrScheduler(const LrrParams& params) : greedy_(params.greedy) {}

  void warp_started(unsigned, const WarpInfo&) override {}
  void warp_finished(unsigned warp) override {
    if (warp == last_) holds_turn_ = false;
  }
  unsigned pick(const IssueView& view) override {
    const bool keeps =
        greedy_ && holds_turn_ && view.cycle <= last_cycle_ + 1 && (view.ready & only_warp(last_));
    if (!keeps) last_ = next_warp(view.ready, last_ + 1);
    holds_turn_ = true;
    last_cycle_ = view.cycle;
    return last_;
  }

 private:
  const bool greedy_;
  unsigned last_ = 63;  // so that the first search starts at warp 0
  Cycle last_cycle_ = 0;
  bool holds_turn_ = false;  // last_ names a warp that has not finished since it issued
};

WARPVP_REGISTER_POLICY_WITH_PARAMS(
    WarpSchedulerPolicy, LrrScheduler, LrrParams, "lrr",
    "Loose round robin: warps in cyclic order, skipping those not ready; optionally greedy.");

}  // namespace
}  // namespace warpvp
