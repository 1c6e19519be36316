// `sm.issue: single`: one warp an edge, chosen by the warp scheduler policy. With `sm.oracle`, two oracles
// look at every choice (schedule_oracle.h).

#include <optional>

#include "base/registry.h"
#include "modules/sm/config.h"
#include "modules/sm/execute/execute_stage.h"
#include "modules/sm/frontend/front_end.h"
#include "modules/sm/issue/excused_warps.h"
#include "modules/sm/issue/issue_stage.h"
#include "modules/sm/issue/schedule_oracle.h"
#include "modules/sm/operands/operand_stage.h"
#include "modules/sm/stage_context.h"

namespace warpvp {
namespace {

class alignas(64) SingleIssueStage final : public IssueStage {
 public:
  SingleIssueStage(const StageContext& context, const IssueNeighbours& neighbours)
      : context_(context),
        neighbours_(neighbours),
        policy_(Registry<WarpSchedulerPolicy>::instance().make(context.config.warp_scheduler)) {
    // The "1 +" of the paper's excuses is the decode stage.
    if (context.config.oracle) oracle_.emplace(Oracle{{}, ExcusedWarps(context.config.frontend.depth() - 1)});
  }

  void warp_started(unsigned warp, const WarpInfo& info) override {
    resident_ |= bit(warp);
    policy_->warp_started(warp, info);
  }
  void warp_finished(unsigned warp) override {
    resident_ &= ~bit(warp);
    policy_->warp_finished(warp);
    if (oracle_) oracle_->excused.finished(warp);
  }

  void issue(Cycle now, IssueClient& client) override {
    const WarpMask issuable = any_ready_ ? issuable_warps(now, client) : 0;
    const unsigned warp = oracle_    ? pick_observed(now, issuable, client)
                          : issuable ? pick(now, issuable)
                                     : kNoWarp;
    if (warp == kNoWarp) return;
    context_.check_pick(WarpSchedulerPolicy::kKind, context_.config.warp_scheduler.name, "ready", warp,
                        issuable, now);
    client.issue(warp, now);
  }

  bool observed() const override { return oracle_.has_value(); }
  void observe_idle_edge(Cycle edge, IssueClient& client) override { pick_observed(edge, 0, client); }
  void excuse(unsigned warp, Cycle now) override {
    if (oracle_) oracle_->excused.excuse(warp, now);
  }

 private:
  struct Oracle {
    ScheduleOracle schedulers;
    ExcusedWarps excused;
  };

  /// Ready warps whose unit, operand stage and load/store unit can take an instruction.
  WarpMask issuable_warps(Cycle now, IssueClient& client) const {
    WarpMask issuable = ready_for(kNoUnit);
    if (neighbours_.operands.free(now))
      for (unsigned u = 0; u < kUnits; ++u)
        if (ready_[u] && neighbours_.units.open(u, now)) issuable |= ready_[u];
    if (issuable != any_ready_) client.charge_blocked(any_ready_ & ~issuable, Stall::kUnitBusy);
    const WarpMask loads = issuable & ready_for(ptx::Unit::kLsu);
    if (!loads) return issuable;
    const WarpMask refused = client.refused_by_memory(loads);
    if (refused) client.charge_blocked(refused, Stall::kLsuFull);
    return issuable & ~refused;
  }

  IssueView view(Cycle now, WarpMask issuable) const {
    return {now, resident_, issuable, long_stalled_, neighbours_.front_end.buffered(), held_};
  }
  unsigned pick(Cycle now, WarpMask issuable) { return policy_->pick(view(now, issuable)); }

  unsigned pick_observed(Cycle now, WarpMask issuable, IssueClient& client) {
    if (!resident_) return kNoWarp;
    oracle_->schedulers.foresee(*policy_, view(now, issuable), client.starved(now),
                                oracle_->excused.at(now) | neighbours_.front_end.missing());
    const unsigned warp = issuable ? pick(now, issuable) : kNoWarp;
    const ScheduleOracle::Verdict verdict = oracle_->schedulers.compare(warp);
    client.count_verdict(verdict.discrepancy, verdict.error);
    return warp;
  }

  const StageContext context_;
  const IssueNeighbours neighbours_;
  const std::unique_ptr<WarpSchedulerPolicy> policy_;
  std::optional<Oracle> oracle_;
};

class SingleIssue : public IssueStageType {
 public:
  std::unique_ptr<IssueStage> build(const StageContext& context,
                                    const IssueNeighbours& neighbours) const override {
    return std::make_unique<SingleIssueStage>(context, neighbours);
  }
};
WARPVP_REGISTER_POLICY(IssueStageType, SingleIssue, "single",
                       "One warp an edge, chosen by `warp_scheduler`.");

}  // namespace
}  // namespace warpvp
