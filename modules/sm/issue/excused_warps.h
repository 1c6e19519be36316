#pragma once
// Warps whose empty I-buffer a static analysis foresees (SWaS paper, section VI-A4): their fetch missed the
// instruction cache, or they took a branch, so short a time ago that nothing can have arrived since. The
// paper's constant miss latency is the real one here: a miss excuses while it is pending and then as long as
// a hit takes.

#include "base/cycle.h"
#include "modules/sm/policies.h"

namespace warpvp {

class ExcusedWarps {
 public:
  explicit ExcusedWarps(unsigned hit_latency) : window_(1 + hit_latency) {}

  /// The warp's fetch missed and waits for its line.
  void missed(unsigned warp) { pending_ |= bit(warp); }
  /// That line came.
  void filled(unsigned warp, Cycle now) {
    pending_ &= ~bit(warp);
    excuse(warp, now);
  }
  /// The warp issued a branch that is taken; a miss of the path it left does not hold it any more.
  void branched(unsigned warp, Cycle now) { filled(warp, now); }
  void finished(unsigned warp) {
    pending_ &= ~bit(warp);
    recent_ &= ~bit(warp);
  }

  /// Those excused at edge `now`: a miss pending, or an event less than 1 + t_F edges ago.
  WarpMask at(Cycle now) {
    for (WarpMask rest = recent_; rest; rest &= rest - 1) {
      const unsigned warp = static_cast<unsigned>(__builtin_ctzll(rest));
      if (until_[warp] <= now) recent_ &= ~bit(warp);
    }
    return pending_ | recent_;
  }

 private:
  static WarpMask bit(unsigned warp) { return WarpMask{1} << warp; }
  void excuse(unsigned warp, Cycle now) {
    recent_ |= bit(warp);
    until_[warp] = now + window_;
  }

  const Cycle window_;
  WarpMask pending_ = 0, recent_ = 0;
  Cycle until_[64] = {};  // of recent_
};

}  // namespace warpvp
