#pragma once
// The barriers of one CTA, counted in warps.

#include <cstdint>
#include <vector>

#include "predict/trace.h"

namespace warpvp::predict {

class BarrierModel {
 public:
  explicit BarrierModel(unsigned warps) : live_(warps) {}

  /// Warp `warp` arrives. Returns whether it has to wait; the warps it releases are added to `released`.
  bool arrive(const Step& step, unsigned warp, std::vector<unsigned>& released) {
    Barrier& b = barriers_[step.barrier];
    if (b.arrived == 0) {
      b.whole_cta = step.barrier_warps == 0;
      b.expected = b.whole_cta ? live_ : step.barrier_warps;
    }
    ++b.arrived;
    const bool waits = !step.is(Step::kPasses);
    if (b.arrived >= b.expected) {
      complete(b, released);
      return false;
    }
    if (waits) b.waiting.push_back(warp);
    return waits;
  }
  /// A warp exits: barriers of the whole CTA no longer expect it.
  void exit(std::vector<unsigned>& released) {
    --live_;
    for (Barrier& b : barriers_) {
      if (b.arrived == 0 || !b.whole_cta) continue;
      b.expected = live_;
      if (b.arrived >= b.expected) complete(b, released);
    }
  }

 private:
  struct Barrier {
    unsigned arrived = 0, expected = 0;
    bool whole_cta = false;
    std::vector<unsigned> waiting;
  };
  static void complete(Barrier& b, std::vector<unsigned>& released) {
    released.insert(released.end(), b.waiting.begin(), b.waiting.end());
    b = Barrier{};
  }

  unsigned live_;
  Barrier barriers_[kBarriers];
};

}  // namespace warpvp::predict
