#pragma once
// What issues when, for those who want to know it: traces, predictions and tests. It cannot influence the SM.
// The SM tells in its commit what happened in its evaluate, so that one observer can watch several SMs.

#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "base/cycle.h"
#include "interconnect/launch.h"
#include "modules/sm/policies.h"
#include "modules/sm/statistics.h"
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
  /// The same of an instruction, told before issued(): `active` lanes had come to it, before it
  /// took any of them elsewhere.
  virtual void executed(const WarpSlot& slot, ptx::Pc pc, ptx::LaneMask active) {}
  /// The front end had left the instruction at `pc` out, and it has taken effect without issuing: told before
  /// the instruction that issued behind it at this edge, and shown the same state.
  virtual void skipped(Cycle now, const WarpSlot& slot, ptx::Pc pc, const ptx::Inst& inst) {}

  /// The warps of a CTA start: warp w in slot `slots[w]`, CtaSlot::kNoWarp for one that had exited before the
  /// CTA was taken off an SM.
  virtual void cta_started(Cycle now, const CtaLaunch& cta, const ptx::Program& program,
                           const std::vector<std::uint16_t>& slots) {}
  /// The instruction last issued goes to the memory side under `token`, which may have been used before.
  virtual void memory_issued(const WarpSlot& slot, const ptx::MemoryAccess& access, std::uint32_t token) {}
  /// The instruction of `token` is complete: dependants may issue at this edge.
  virtual void memory_done(Cycle now, std::uint32_t token) {}
  /// The CTA's last warp is gone, and all its accesses are complete.
  virtual void cta_finished(Cycle now, const CtaLaunch& cta) {}
  /// It leaves before its end; it will start again, here or elsewhere.
  virtual void cta_preempted(Cycle now, const CtaLaunch& cta) { cta_finished(now, cta); }
  /// Wants stalled() and blocked() too; asked once, when it begins to watch.
  virtual bool wants_stalls() const { return false; }
  /// The warp of slot number `slot` did not issue at the edges from `from` on and before `to`, for that
  /// reason. Edges that blocked() tells of are among those of kNotSelected.
  virtual void stalled(std::uint16_t slot, Stall reason, Cycle from, Cycle to) {}
  /// These warps of a sub-core, by position, were ready and could not issue at this edge, for that reason.
  virtual void blocked(Cycle now, unsigned sub_core, WarpMask warps, Stall reason) {}
};

/// Passes everything on to the observer that was there before; derived ones look at what they want first or
/// afterwards.
class PassingObserver : public IssueObserver {
 public:
  /// `next` may be nullptr: nobody.
  explicit PassingObserver(IssueObserver* next) : next_(next) {}

  void issued(Cycle now, const WarpSlot& slot, ptx::Pc pc, const ptx::Inst* inst) override {
    if (next_) next_->issued(now, slot, pc, inst);
  }
  void executed(const WarpSlot& slot, ptx::Pc pc, ptx::LaneMask active) override {
    if (next_) next_->executed(slot, pc, active);
  }
  void skipped(Cycle now, const WarpSlot& slot, ptx::Pc pc, const ptx::Inst& inst) override {
    if (next_) next_->skipped(now, slot, pc, inst);
  }
  void cta_started(Cycle now, const CtaLaunch& cta, const ptx::Program& program,
                   const std::vector<std::uint16_t>& slots) override {
    if (next_) next_->cta_started(now, cta, program, slots);
  }
  void memory_issued(const WarpSlot& slot, const ptx::MemoryAccess& access, std::uint32_t token) override {
    if (next_) next_->memory_issued(slot, access, token);
  }
  void memory_done(Cycle now, std::uint32_t token) override {
    if (next_) next_->memory_done(now, token);
  }
  void cta_finished(Cycle now, const CtaLaunch& cta) override {
    if (next_) next_->cta_finished(now, cta);
  }
  void cta_preempted(Cycle now, const CtaLaunch& cta) override {
    if (next_) next_->cta_preempted(now, cta);
  }
  bool wants_stalls() const override { return next_ && next_->wants_stalls(); }
  void stalled(std::uint16_t slot, Stall reason, Cycle from, Cycle to) override {
    if (next_) next_->stalled(slot, reason, from, to);
  }
  void blocked(Cycle now, unsigned sub_core, WarpMask warps, Stall reason) override {
    if (next_) next_->blocked(now, sub_core, warps, reason);
  }

 protected:
  IssueObserver* next() const { return next_; }

 private:
  IssueObserver* const next_;
};

/// What an SM has to tell its observer at the end of the edge.
class ObserverQueue {
 public:
  IssueObserver* observer = nullptr;  ///< nullptr: nobody watches
  bool stalls = false;                ///< it wants to know of stalls

  void watch_by(IssueObserver* by) {
    observer = by;
    stalls = by != nullptr && by->wants_stalls();
  }
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
