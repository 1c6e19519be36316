#pragma once
// What issues when, for those who want to know it: traces, predictions and tests. It cannot influence the SM.
// The SM tells in its commit what happened in its evaluate, so that one observer can watch several SMs.

#include <cstdint>
#include <functional>
#include <utility>
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
  /// The warp of `slot` issued the instruction at `pc`, which has taken effect: the warp's state and the
  /// memory are those behind it. A NOP of the coordinated front end has no `inst`; `pc` is the warp's next
  /// instruction then.
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

/// What an SM has to tell its observer at the end of the edge.
class ObserverQueue {
 public:
  IssueObserver* observer = nullptr;  ///< nullptr: nobody watches

  /// `event` gets the observer; whatever it refers to has to live until the edge's commit.
  template <class Event>
  void tell(Event&& event) {
    if (observer) events_.emplace_back(std::forward<Event>(event));
  }
  void deliver() {
    if (events_.empty()) return;
    for (const auto& event : events_)
      if (observer) event(*observer);
    events_.clear();
  }

 private:
  std::vector<std::function<void(IssueObserver&)>> events_;
};

}  // namespace warpvp
