#pragma once
// Two oracle schedulers beside the one that issues (SWaS paper, section VI-A4). osched1 decides as if every
// I-buffer held an instruction: where it picks another warp, the policy is not respected (a discrepancy).
// osched2 excuses the warps whose buffer is foreseeably empty: what remains are errors.
//
// Both decide with a copy of the policy's state taken before its own decision, so that they are in step with
// it again right after a discrepancy, which is counted once.

#include <cstdint>

#include "modules/sm/policies.h"

namespace warpvp {

class ScheduleOracle {
 public:
  struct Counters {
    std::uint64_t cycles = 0;         ///< edges with resident warps
    std::uint64_t discrepancies = 0;  ///< of these, osched1 picked another warp
    std::uint64_t errors = 0;         ///< of these, osched2 did
  };
  struct Verdict {
    bool discrepancy = false, error = false;
  };

  /// Before the scheduler decides at an edge with resident warps, also when none is ready. `policy` is in the
  /// state in which it will be asked, `view` what it will be shown. `starved` warps lack nothing but an
  /// instruction; `excused` ones are allowed to.
  void foresee(const WarpSchedulerPolicy& policy, const IssueView& view, WarpMask starved, WarpMask excused);
  /// What the scheduler decided then: a warp, or kNoWarp when none was ready or the policy waits.
  Verdict compare(unsigned picked);

  const Counters& counters() const { return counters_; }

 private:
  static constexpr unsigned kSame = kNoWarp - 1;  // nothing starves: the oracle sees what the scheduler sees
  unsigned intended_ = kSame, excusing_ = kSame;
  Counters counters_;
};

}  // namespace warpvp
