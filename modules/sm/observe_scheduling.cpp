// What the SM tells the oracles beside its schedulers (`sm.oracle`; SWaS paper, section VI-A4). Nothing here
// changes what the SM does.

#include "modules/sm/streaming_multiprocessor.h"

namespace warpvp {

/// Warps that lack nothing but an instruction: their I-buffer is empty, and what it would hold counts as
/// ready. In coordinated mode I-buffers are never empty; there these are the warps suspended by a miss whose
/// head could issue.
WarpMask StreamingMultiprocessor::starved_warps(unsigned s, Cycle now) const {
  const IssueScheduler& scheduler = schedulers_[s];
  const Frontend& frontend = frontends_[s];
  WarpMask starved = 0;
  for (WarpMask rest = scheduler.resident(); rest; rest &= rest - 1) {
    const unsigned lane = static_cast<unsigned>(__builtin_ctzll(rest));
    const WarpSlot& slot = slots_[lane * sub_cores_ + s];
    if (slot.state != WarpState::kFetch) continue;
    if (coordinated_ && !frontend.nop_at_head(lane)) {
      const ptx::Inst& inst = slot.exec.next();
      if (slot.scoreboard.clear_at(inst, slot.exec.row_base(), slot.exec.pred_base()) > now) continue;
      if (!scheduler.open(inst.unit, now)) continue;
      if (inst.unit == ptx::Unit::kLsu && !memory_->can_accept(slot.owner.kernel_slot)) continue;
    }
    starved |= WarpMask{1} << lane;
  }
  return starved;
}

unsigned StreamingMultiprocessor::pick_observed(unsigned s, Cycle now, WarpMask issuable) {
  IssueScheduler& scheduler = schedulers_[s];
  if (!scheduler.resident()) return kNoWarp;
  const Frontend& frontend = frontends_[s];
  Oracle& oracle = oracles_[s];
  oracle.schedulers.foresee(scheduler.policy(), scheduler.view(now, issuable, frontend.buffered()),
                            starved_warps(s, now), oracle.excused.at(now) | frontend.missing());
  const unsigned lane = issuable ? scheduler.pick(now, issuable, frontend.buffered()) : kNoWarp;
  const ScheduleOracle::Verdict verdict = oracle.schedulers.compare(lane);
  counters_.scheduling.count(verdict.discrepancy, verdict.error);
  for (const auto& launch : ctas_.launches())
    if (launch->warps[s]) launch->counters->scheduling.count(verdict.discrepancy, verdict.error);
  return lane;
}

/// Nobody was ready at the edges the SM slept through, and nothing changed: the oracles look at them
/// afterwards.
void StreamingMultiprocessor::observe_skipped_edges(Cycle now) {
  if (resident_warps_)
    for (Cycle edge = observed_ + 1; edge < now; ++edge)
      for (unsigned s = 0; s < sub_cores_; ++s) pick_observed(s, edge, 0);
  observed_ = now;
}

}  // namespace warpvp
