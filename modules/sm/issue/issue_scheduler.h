#pragma once
// The issue scheduler of one sub-core: which warps are ready for which unit, and the policy that picks.
//
// Readiness is a set of bit masks changed by events (operand arrived, instruction fetched, barrier released),
// so an edge costs the same whatever the number of warps.

#include <memory>

#include "base/registry.h"
#include "modules/sm/config.h"
#include "modules/sm/operands/operand_stage.h"
#include "modules/sm/policies.h"

namespace warpvp {

class alignas(64) IssueScheduler {
 public:
  explicit IssueScheduler(const SmConfig& config)
      : policy_(Registry<WarpSchedulerPolicy>::instance().make(config.warp_scheduler)), operands_(config) {}

  /// What a NOP at a warp's head needs: neither unit nor collector.
  static constexpr ptx::Unit kNoUnit = ptx::Unit::kCount;

  void warp_started(unsigned warp, const WarpInfo& info) {
    resident_ |= bit(warp);
    policy_->warp_started(warp, info);
  }
  void warp_finished(unsigned warp) {
    resident_ &= ~bit(warp);
    policy_->warp_finished(warp);
  }
  void set_ready(unsigned warp, ptx::Unit unit) {
    ready_[static_cast<unsigned>(unit)] |= bit(warp);
    any_ready_ |= bit(warp);
  }
  void clear_ready(unsigned warp, ptx::Unit unit) {
    ready_[static_cast<unsigned>(unit)] &= ~bit(warp);
    any_ready_ &= ~bit(warp);
  }
  void set_long_stalled(unsigned warp, bool stalled) {
    long_stalled_ = stalled ? long_stalled_ | bit(warp) : long_stalled_ & ~bit(warp);
  }
  /// The warp stands at a barrier or fence, or has exited.
  void set_held(unsigned warp, bool held) { held_ = held ? held_ | bit(warp) : held_ & ~bit(warp); }

  WarpMask ready_for(ptx::Unit unit) const { return ready_[static_cast<unsigned>(unit)]; }
  WarpMask ready() const { return any_ready_; }
  WarpMask resident() const { return resident_; }
  OperandStage& operands() { return operands_; }

  /// Ready warps whose unit and collector can take an instruction at `now`, the load/store unit's own room
  /// aside.
  WarpMask issuable(Cycle now) const {
    WarpMask open = ready_for(kNoUnit);
    if (!operands_.collector_free(now)) return open;
    for (unsigned u = 0; u < OperandStage::kUnits; ++u)
      if (ready_[u] && operands_.unit_open(u, now)) open |= ready_[u];
    return open;
  }
  /// The same for one unit, whatever is ready.
  bool open(ptx::Unit unit, Cycle now) const {
    return operands_.collector_free(now) && operands_.unit_open(static_cast<unsigned>(unit), now);
  }
  IssueView view(Cycle now, WarpMask issuable, const std::uint8_t* buffered) const {
    return {now, resident_, issuable, long_stalled_, buffered, held_};
  }
  unsigned pick(Cycle now, WarpMask issuable, const std::uint8_t* buffered) {
    return policy_->pick(view(now, issuable, buffered));
  }
  const WarpSchedulerPolicy& policy() const { return *policy_; }

 private:
  static WarpMask bit(unsigned warp) { return WarpMask{1} << warp; }
  // One line of the host's cache: what every edge looks at.
  WarpMask any_ready_ = 0;
  WarpMask ready_[OperandStage::kUnits + 1] = {};  // the last: kNoUnit
  std::unique_ptr<WarpSchedulerPolicy> policy_;
  WarpMask resident_ = 0, long_stalled_ = 0, held_ = 0;
  OperandStage operands_;
};

}  // namespace warpvp
