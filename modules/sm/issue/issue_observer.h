#pragma once
// What issues when, for those who want to know it: traces, predictions and tests. It cannot influence the SM.

#include "base/cycle.h"
#include "ptx/program.h"

namespace warpvp {

struct WarpSlot;

class IssueObserver {
 public:
  virtual ~IssueObserver() = default;
  /// The warp of `slot` issued the instruction at `pc`, which has taken effect: the warp's state is that
  /// behind it. A NOP of the coordinated front end has no `inst`; `pc` is the warp's next instruction then.
  virtual void issued(Cycle now, const WarpSlot& slot, ptx::Pc pc, const ptx::Inst* inst) = 0;
};

}  // namespace warpvp
