// Two-level scheduling (QAWS paper, section III, after Narasiman et al., MICRO 2011): only the warps of a
// small active group may issue. A warp that meets a long-latency operation leaves the group; the warp that
// has waited longest and does not itself wait for memory takes its place (`order: gto`: the oldest such
// warp).
//
// A barrier is no long-latency operation to the scheduler, yet a group full of warps at a barrier would wait
// for ever for the warps outside it. So when warps outside the group have been ready for `patience` cycles
// and nothing has issued, the group's stalled warps make room for them.

#include "base/registry.h"
#include "modules/sm/policies.h"
#include "modules/sm/policies/warp_age_order.h"

namespace warpvp {
namespace {

struct TwoLevelParams {
  std::uint32_t active_warps = 8;
  std::uint32_t patience = 32;
  std::string order = "lrr";
  void fields(FieldVisitor& v) {
    v.field("active_warps", active_warps, "warps", "Size of the active group of a scheduler.",
            Constraint::range(1, 64));
    v.field("patience", patience, "cycles",
            "How long ready warps wait outside a wholly stalled group before they replace it.",
            Constraint::at_least(1));
    v.field("order", order, "Order of issue inside the group and of promotion into it.",
            Constraint::words({"lrr", "gto"}));
  }
};

class TwoLevelScheduler : public WarpPolicy<TwoLevelScheduler> {
 public:
  explicit TwoLevelScheduler(const TwoLevelParams& params)
      : active_limit_(params.active_warps), patience_(params.patience), gto_(params.order == "gto") {}

  void warp_started(unsigned warp, const WarpInfo& info) override {
    age_.start(warp, info.age);
    enqueue(warp);
  }
  void warp_finished(unsigned warp) override {
    age_.finish(warp);
    pending_ &= ~only_warp(warp);
    active_ &= ~only_warp(warp);
    greedy_ &= ~only_warp(warp);
  }
  unsigned pick(const IssueView& view) override {
    demote(active_ & view.long_stalled);
    promote(pending_ & ~view.long_stalled);
    if (!(active_ & view.ready)) {
      if (refused_since_ == kNever) refused_since_ = view.cycle;
      if (view.cycle < refused_since_ + patience_) return kNoWarp;
      demote(active_);
      promote(pending_ & view.ready);
      promote(pending_ & ~view.long_stalled);
    }
    const WarpMask ready = active_ & view.ready;
    unsigned warp;
    if (gto_) {
      const bool continues = view.cycle <= last_cycle_ + 1 && (ready & greedy_);
      warp = continues ? lowest_warp(greedy_) : age_.oldest(ready);
      greedy_ = only_warp(warp);
    } else {
      warp = next_warp(ready, last_ + 1);
      last_ = warp;
    }
    last_cycle_ = view.cycle;
    refused_since_ = kNever;
    return warp;
  }

 private:
  void enqueue(unsigned warp) {
    pending_ |= only_warp(warp);
    queue_.start(warp, ++enqueued_);
  }
  void demote(WarpMask warps) {
    active_ &= ~warps;
    for (; warps; warps &= warps - 1) {
      // Restarting the warp in the queue puts it behind all that wait already.
      const unsigned warp = lowest_warp(warps);
      queue_.finish(warp);
      enqueue(warp);
    }
  }
  /// Fills the active group from `eligible`, a subset of the pending warps.
  void promote(WarpMask eligible) {
    unsigned free = active_limit_ - static_cast<unsigned>(__builtin_popcountll(active_));
    for (; free > 0 && eligible; --free) {
      const unsigned warp = gto_ ? age_.oldest(eligible) : queue_.oldest(eligible);
      eligible &= ~only_warp(warp);
      pending_ &= ~only_warp(warp);
      active_ |= only_warp(warp);
      queue_.finish(warp);
    }
  }

  const unsigned active_limit_;
  const Cycle patience_;
  const bool gto_;
  WarpAgeOrder age_;
  WarpAgeOrder queue_;  // order in which the pending warps came
  std::uint64_t enqueued_ = 0;
  WarpMask active_ = 0;
  WarpMask pending_ = 0;
  WarpMask greedy_ = 0;
  unsigned last_ = 63;
  Cycle last_cycle_ = 0;          // of the last issue
  Cycle refused_since_ = kNever;  // first edge since then at which only warps outside the group were ready
};

WARPVP_REGISTER_POLICY_WITH_PARAMS(
    WarpSchedulerPolicy, TwoLevelScheduler, TwoLevelParams, "two_level",
    "A small active group issues; a warp that waits for memory leaves it for the next in line.");

}  // namespace
}  // namespace warpvp
