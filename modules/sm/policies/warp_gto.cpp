// Greedy then oldest (QAWS paper, section II-A; GTLO in the SWaS paper's section II-B): the warp that issued
// in the last cycle goes on until it stalls, then the oldest ready warp takes over.
//
// A cycle in which nothing issues is a stall of the greedy warp too, so the oldest ready warp follows it.
// That is also how Algorithm 1 of the QAWS paper orders a single group (its W_greedy is null then). GPGPU-Sim
// keeps preferring the last issued warp instead; `greedy_survives_idle: true` gives that.

#include "base/registry.h"
#include "modules/sm/policies.h"
#include "modules/sm/policies/warp_age_order.h"

namespace warpvp {
namespace {

struct GtoParams {
  bool greedy_survives_idle = false;
  void fields(FieldVisitor& v) {
    v.field("greedy_survives_idle", greedy_survives_idle,
            "Prefer the last issued warp even after cycles in which nothing issued.");
  }
};

class GtoScheduler : public WarpPolicy<GtoScheduler> {
 public:
  explicit GtoScheduler(const GtoParams& params) : greedy_survives_idle_(params.greedy_survives_idle) {}

  void warp_started(unsigned warp, const WarpInfo& info) override { order_.start(warp, info.age); }
  void warp_finished(unsigned warp) override {
    order_.finish(warp);
    greedy_ &= ~only_warp(warp);
  }
  unsigned pick(const IssueView& view) override {
    const bool continues = greedy_survives_idle_ || view.cycle <= last_cycle_ + 1;
    last_cycle_ = view.cycle;
    if (!(continues && (view.ready & greedy_))) greedy_ = only_warp(order_.oldest(view.ready));
    return lowest_warp(greedy_);
  }

 private:
  const bool greedy_survives_idle_;
  WarpAgeOrder order_;
  WarpMask greedy_ = 0;  // the warp that issued last, unless it has finished
  Cycle last_cycle_ = 0;
};

WARPVP_REGISTER_POLICY_WITH_PARAMS(
    WarpSchedulerPolicy, GtoScheduler, GtoParams, "gto",
    "Greedy then oldest: the same warp until it stalls, then the oldest ready warp.");

}  // namespace
}  // namespace warpvp
