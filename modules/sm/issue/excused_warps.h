#pragma once
// Warps whose empty I-buffer a static analysis foresees (SWaS paper, section VI-A4): the line that their
// fetch missed came, or they took a branch, so short a time ago that nothing can have arrived since. The
// paper's constant miss latency is the real one here: while a miss is pending the front end knows it
// (Frontend::missing), and that excuses as well.

#include "base/cycle.h"
#include "modules/sm/policies.h"

namespace warpvp {

class ExcusedWarps {
 public:
  explicit ExcusedWarps(unsigned hit_latency) : window_(1 + hit_latency) {}

  /// The line that the warp's fetch missed came, or the warp issued a branch that is taken.
  void excuse(unsigned warp, Cycle now) {
    recent_ |= bit(warp);
    until_[warp] = now + window_;
  }
  void finished(unsigned warp) { recent_ &= ~bit(warp); }

  /// Those excused at edge `now`: less than 1 + t_F edges ago.
  WarpMask at(Cycle now) {
    for (WarpMask rest = recent_; rest; rest &= rest - 1) {
      const unsigned warp = static_cast<unsigned>(__builtin_ctzll(rest));
      if (until_[warp] <= now) recent_ &= ~bit(warp);
    }
    return recent_;
  }

 private:
  static WarpMask bit(unsigned warp) { return WarpMask{1} << warp; }

  const Cycle window_;
  WarpMask recent_ = 0;
  Cycle until_[64] = {};  // of recent_
};

}  // namespace warpvp
