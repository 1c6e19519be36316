#include "modules/sm/issue/schedule_oracle.h"

namespace warpvp {

void ScheduleOracle::foresee(const WarpSchedulerPolicy& policy, const IssueView& view, WarpMask starved,
                             WarpMask excused) {
  ++counters_.cycles;
  intended_ = excusing_ = kSame;
  starved &= view.resident & ~view.held & ~view.ready;
  if (starved == 0) return;
  IssueView fed = view;
  fed.ready |= starved;
  intended_ = policy.clone()->pick(fed);
  if ((starved & excused) == 0) {
    excusing_ = intended_;
  } else if (starved & ~excused) {
    fed.ready = view.ready | (starved & ~excused);
    excusing_ = policy.clone()->pick(fed);
  }
}

ScheduleOracle::Verdict ScheduleOracle::compare(unsigned picked) {
  const Verdict verdict{intended_ != kSame && intended_ != picked, excusing_ != kSame && excusing_ != picked};
  counters_.discrepancies += verdict.discrepancy;
  counters_.errors += verdict.error;
  return verdict;
}

}  // namespace warpvp
