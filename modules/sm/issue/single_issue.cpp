// `sm.issue: single`: one warp an edge, chosen by the warp scheduler policy. With `sm.oracle`, two oracles
// look at every choice (schedule_oracle.h).

#include <algorithm>
#include <memory>

#include "base/registry.h"
#include "interconnect/policy_slot.h"
#include "modules/sm/config.h"
#include "modules/sm/frontend/front_end.h"
#include "modules/sm/issue/excused_warps.h"
#include "modules/sm/issue/issue_stage.h"
#include "modules/sm/issue/schedule_oracle.h"
#include "modules/sm/stage_context.h"

namespace warpvp {
namespace {

class alignas(64) SingleIssueStage final : public IssueStage {
 public:
  SingleIssueStage(const StageContext& context, const FrontEnd& front_end)
      : signals_(context.signals),
        policy_(context.config.warp_scheduler,
                context.of_policy(WarpSchedulerPolicy::kKind, context.config.warp_scheduler)),
        front_end_(front_end),
        context_(context) {
    // The "1 +" of the paper's excuses is the decode stage.
    if (context.config.oracle)
      oracle_ = std::make_unique<Oracle>(Oracle{{}, ExcusedWarps(context.config.frontend.depth() - 1)});
  }

  void warp_started(unsigned warp, const WarpInfo& info) override {
    policy_.call([&](WarpSchedulerPolicy& policy) { policy.warp_started(warp, info); });
  }
  void warp_finished(unsigned warp) override {
    policy_.call([&](WarpSchedulerPolicy& policy) { policy.warp_finished(warp); });
    if (oracle_) oracle_->excused.finished(warp);
  }

  void issue(Cycle now, IssueClient& client) override {
    const WarpMask issuable = signals_.ready ? issuable_warps(now, client) : 0;
    const unsigned warp = oracle_    ? pick_observed(now, issuable, client)
                          : issuable ? pick(now, issuable)
                                     : kNoWarp;
    if (warp == kNoWarp) return;
    context_.check_pick(WarpSchedulerPolicy::kKind, context_.config.warp_scheduler.name, "ready", warp,
                        issuable, now);
    client.issue(warp, now);
  }

  bool observed() const override { return oracle_ != nullptr; }
  void observe_idle_edge(Cycle edge, IssueClient& client) override { pick_observed(edge, 0, client); }
  void excuse(unsigned warp, Cycle now) override {
    if (oracle_) oracle_->excused.excuse(warp, now);
  }
  void stats(StatVisitor& v) const override { policy_.stats(v, kWarpSchedulerSentence); }

 private:
  struct Oracle {
    ScheduleOracle schedulers;
    ExcusedWarps excused;
  };

  /// Ready warps whose unit, operand stage and load/store unit can take an instruction.
  WarpMask issuable_warps(Cycle now, IssueClient& client) {
    const WarpMask ready = signals_.ready;
    WarpMask issuable = signals_.ready_for[StageSignals::kNoPort];
    constexpr std::uint32_t kNeedsNone = std::uint32_t{1} << StageSignals::kNoPort;
    if (signals_.operands_free_from <= now) {
      for (std::uint32_t rest = signals_.ready_ports & ~kNeedsNone; rest; rest &= rest - 1) {
        const auto port = static_cast<unsigned>(__builtin_ctz(rest));
        if (signals_.unit_open_from[port] <= now) issuable |= signals_.ready_for[port];
      }
    }
    const WarpMask busy = ready & ~issuable;
    if (busy) client.charge_blocked(busy, Stall::kUnitBusy, 1);
    const WarpMask loads = issuable & signals_.ready_for[static_cast<unsigned>(ptx::Unit::kLsu)];
    WarpMask full = 0;
    if (loads) {
      full = client.refused_by_memory(loads);
      if (full) client.charge_blocked(full, Stall::kLsuFull, 1);
      issuable &= ~full;
    }
    if (!issuable) {
      signals_.refused_until = opens(now);
      signals_.refused_busy = busy;
      signals_.refused_full = full;
    }
    return issuable;
  }
  /// The first edge at which a warp may go that units keep back; kNever: none is.
  Cycle opens(Cycle now) const {
    if (signals_.operands_free_from > now) return signals_.operands_free_from;
    Cycle first = kNever;
    for (std::uint32_t rest = signals_.ready_ports; rest; rest &= rest - 1) {
      const auto port = static_cast<unsigned>(__builtin_ctz(rest));
      if (port < StageSignals::kPorts && signals_.unit_open_from[port] > now)
        first = std::min(first, signals_.unit_open_from[port]);
    }
    return first;
  }

  IssueView view(Cycle now, WarpMask issuable) const {
    return {now,
            signals_.resident,
            issuable,
            signals_.long_stalled,
            front_end_.buffered(),
            signals_.held,
            issuable & signals_.ready_for[static_cast<unsigned>(ptx::Unit::kLsu)]};
  }
  unsigned pick(Cycle now, WarpMask issuable) {
    return policy_.call([&](WarpSchedulerPolicy& policy) { return policy.pick(view(now, issuable)); });
  }

  unsigned pick_observed(Cycle now, WarpMask issuable, IssueClient& client) {
    if (!signals_.resident) return kNoWarp;
    const WarpMask starved = client.starved(now), excused = oracle_->excused.at(now) | front_end_.missing();
    policy_.call([&](const WarpSchedulerPolicy& policy) {
      oracle_->schedulers.foresee(policy, view(now, issuable), starved, excused);
    });
    const unsigned warp = issuable ? pick(now, issuable) : kNoWarp;
    const ScheduleOracle::Verdict verdict = oracle_->schedulers.compare(warp);
    client.count_verdict(verdict.discrepancy, verdict.error);
    return warp;
  }

  StageSignals& signals_;
  const PolicySlot<WarpSchedulerPolicy> policy_;
  std::unique_ptr<Oracle> oracle_;
  const FrontEnd& front_end_;
  const StageContext context_;
};

class SingleIssue : public IssueStageType {
 public:
  std::unique_ptr<IssueStage> build(const StageContext& context, const FrontEnd& front_end) const override {
    return std::make_unique<SingleIssueStage>(context, front_end);
  }
};
WARPVP_REGISTER_POLICY(IssueStageType, SingleIssue, "single",
                       "One warp an edge, chosen by `warp_scheduler`.");

}  // namespace
}  // namespace warpvp
