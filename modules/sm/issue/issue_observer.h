#pragma once
// What issues when, for those who want to know it: traces, predictions and tests. It cannot influence the SM.

#include <cstdint>
#include <vector>

#include "base/cycle.h"
#include "interconnect/launch.h"
#include "ptx/exec/cta.h"
#include "ptx/program.h"

namespace warpvp {

struct WarpSlot;

class IssueObserver {
 public:
  virtual ~IssueObserver() = default;
  /// The warp of `slot` issued the instruction at `pc`, which has taken effect: the warp's state is that
  /// behind it. A NOP of the coordinated front end has no `inst`; `pc` is the warp's next instruction then.
  virtual void issued(Cycle now, const WarpSlot& slot, ptx::Pc pc, const ptx::Inst* inst) = 0;

  /// The warps of a CTA start: warp w in slot `slots[w]`.
  virtual void cta_started(Cycle now, const CtaLaunch& cta, const ptx::Program& program,
                           const std::vector<std::uint16_t>& slots) {}
  /// The instruction last issued goes to the memory side under `token`, which may have been used before.
  virtual void memory_issued(const WarpSlot& slot, const ptx::MemoryAccess& access, std::uint32_t token) {}
  /// The instruction of `token` is complete: dependants may issue at this edge.
  virtual void memory_done(Cycle now, std::uint32_t token) {}
  /// The CTA's last warp is gone, and all its accesses are complete.
  virtual void cta_finished(Cycle now, const CtaLaunch& cta) {}
};

}  // namespace warpvp
