// What a sub-core tells the oracle beside its scheduler (`sm.oracle`; SWaS paper, section VI-A4). Nothing
// here changes what the SM does.

#include "modules/sm/sub_core.h"

namespace warpvp {

/// Warps that lack nothing but an instruction: their I-buffer is empty, and what it would hold counts as
/// ready. In coordinated mode I-buffers are never empty; there these are the warps suspended by a miss whose
/// head could issue.
WarpMask SubCore::starved_warps(Cycle now) const {
  WarpMask starved = 0;
  for (WarpMask rest = scheduler_.resident(); rest; rest &= rest - 1) {
    const unsigned warp = static_cast<unsigned>(__builtin_ctzll(rest));
    const WarpSlot& slot = warps_[warp];
    if (slot.state != WarpState::kFetch) continue;
    if (coordinated_ && !frontend_.nop_at_head(warp)) {
      const ptx::Inst& inst = slot.exec.next();
      if (slot.scoreboard.clear_at(inst, slot.exec.row_base(), slot.exec.pred_base()) > now) continue;
      if (!scheduler_.open(inst.unit, now)) continue;
      if (inst.unit == ptx::Unit::kLsu && !sm_.memory->can_accept(slot.owner.kernel_slot)) continue;
    }
    starved |= WarpMask{1} << warp;
  }
  return starved;
}

unsigned SubCore::pick_observed(Cycle now, WarpMask issuable) {
  if (!scheduler_.resident()) return kNoWarp;
  oracle_->schedulers.foresee(scheduler_.policy(), scheduler_.view(now, issuable, frontend_.buffered()),
                              starved_warps(now), oracle_->excused.at(now) | frontend_.missing());
  const unsigned warp = issuable ? scheduler_.pick(now, issuable, frontend_.buffered()) : kNoWarp;
  const ScheduleOracle::Verdict verdict = oracle_->schedulers.compare(warp);
  sm_.counters.scheduling.count(verdict.discrepancy, verdict.error);
  for (const auto& launch : sm_.ctas.launches())
    if (launch->warps[index_]) launch->counters->scheduling.count(verdict.discrepancy, verdict.error);
  return warp;
}

}  // namespace warpvp
