// Oldest first (SWaS paper, section II-B: loose oldest-first): every cycle the oldest ready warp issues.

#include "base/registry.h"
#include "modules/sm/policies.h"
#include "modules/sm/policies/warp_age_order.h"

namespace warpvp {
namespace {

class OldestScheduler : public WarpPolicy<OldestScheduler> {
 public:
  void warp_started(unsigned warp, const WarpInfo& info) override { order_.start(warp, info.age); }
  void warp_finished(unsigned warp) override { order_.finish(warp); }
  unsigned pick(const IssueView& view) override { return order_.oldest(view.ready); }

 private:
  WarpAgeOrder order_;
};

WARPVP_REGISTER_POLICY(WarpSchedulerPolicy, OldestScheduler, "oldest", "The oldest ready warp, every cycle.");

}  // namespace
}  // namespace warpvp
