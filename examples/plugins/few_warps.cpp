// A warp scheduler that lets few warps run at a time, so that they share the L1 with few others.
// docs/tutorial.md explains it; limiting warps is an idea of Rogers, O'Connor and Aamodt (MICRO 2012).
#include "base/registry.h"
#include "modules/sm/policies.h"
#include "modules/sm/policies/warp_age_order.h"

namespace {

using warpvp::WarpMask;

struct FewWarpsParams {
  std::int32_t warps = 4;
  void fields(warpvp::FieldVisitor& v) {
    v.field("warps", warps, "warps", "How many of the oldest warps of a scheduler may issue.",
            warpvp::Constraint::range(1, 64));
  }
};

class FewWarps : public warpvp::WarpPolicy<FewWarps> {
 public:
  explicit FewWarps(const FewWarpsParams& params) : warps_(params.warps) {}

  void warp_started(unsigned warp, const warpvp::WarpInfo& info) override { order_.start(warp, info.age); }
  void warp_finished(unsigned warp) override { order_.finish(warp); }

  unsigned pick(const warpvp::IssueView& view) override {
    // A warp at a barrier may wait for one that is not among the oldest: it gives up its place meanwhile.
    WarpMask rest = order_.started() & ~view.held;
    for (std::int32_t n = 0; n < warps_ && rest != 0; ++n) {
      const unsigned warp = order_.oldest(rest);
      if (view.ready & warpvp::only_warp(warp)) return warp;
      rest &= ~warpvp::only_warp(warp);
    }
    return warpvp::kNoWarp;
  }

 private:
  const std::int32_t warps_;
  warpvp::WarpAgeOrder order_;
};

WARPVP_REGISTER_POLICY_WITH_PARAMS(warpvp::WarpSchedulerPolicy, FewWarps, FewWarpsParams, "few_warps",
                                   "Only the oldest warps of a scheduler issue, the oldest first.");

}  // namespace
