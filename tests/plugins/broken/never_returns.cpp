// A warp scheduler that does not come back from its second cycle with a ready warp.
#include "base/registry.h"
#include "modules/sm/policies.h"

namespace {

class NeverReturns : public warpvp::WarpPolicy<NeverReturns> {
 public:
  void warp_started(unsigned, const warpvp::WarpInfo&) override {}
  void warp_finished(unsigned) override {}
  unsigned pick(const warpvp::IssueView& view) override {
    if (view.ready == 0) return warpvp::kNoWarp;
    while (forever_) {
    }
    return warpvp::kNoWarp;
  }

 private:
  volatile bool forever_ = true;
};

WARPVP_REGISTER_POLICY(warpvp::WarpSchedulerPolicy, NeverReturns, "never_returns", "Never returns.");

}  // namespace
