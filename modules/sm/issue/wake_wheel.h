#pragma once
// A timing wheel of warps: which warp's head instruction has its operands at which edge. One entry per warp
// at most, so storage is fixed.

#include <cstdint>
#include <vector>

#include "base/cycle.h"
#include "interconnect/timing_wheel.h"

namespace warpvp {

class WakeWheel {
 public:
  static constexpr unsigned kSlots = 2048;  ///< edges ahead that can be represented

  explicit WakeWheel(unsigned warps) : next_(warps, kNone) {
    for (auto& h : head_) h = kNone;
  }

  /// Arms `warp` for edge `at`, now < at < now + kSlots.
  void arm(unsigned warp, Cycle at) {
    const unsigned slot = at % kSlots;
    next_[warp] = head_[slot];
    head_[slot] = static_cast<std::uint16_t>(warp);
    due_.add(at);
    ++armed_;
  }

  /// Calls `f(warp)` for every warp armed for exactly this edge.
  template <class F>
  void fire(Cycle now, F&& f) {
    const unsigned slot = now % kSlots;
    std::uint16_t warp = head_[slot];
    if (warp == kNone) return;
    head_[slot] = kNone;
    due_.remove(now);
    while (warp != kNone) {
      const std::uint16_t next = next_[warp];
      --armed_;
      f(warp);
      warp = next;
    }
  }

  /// Calls `f(warp)` for every warp armed for edge `at` so far.
  template <class F>
  void peek(Cycle at, F&& f) const {
    for (std::uint16_t warp = head_[at % kSlots]; warp != kNone; warp = next_[warp]) f(warp);
  }

  /// The earliest armed edge after `now`, or kNever.
  Cycle next(Cycle now) const { return armed_ == 0 ? kNever : due_.first(now + 1); }

 private:
  static constexpr std::uint16_t kNone = 0xffff;
  std::uint16_t head_[kSlots];
  DueCycles due_{kSlots};
  std::vector<std::uint16_t> next_;
  unsigned armed_ = 0;
};

}  // namespace warpvp
