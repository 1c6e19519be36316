#pragma once
// Names of the ways on which warps of a CTA come to an instruction. Two warps that are on the same way have
// taken the same branches since all of the CTA's warps were last in one place, and marks (ptx/redundancy.h)
// hold among them.

#include <cstdint>

#include "modules/sm/darsie/cta_tables.h"
#include "modules/sm/darsie/params.h"
#include "modules/sm/frontend/front_end.h"

namespace warpvp::darsie {

/// Warps of a CTA all of whose lanes have a thread.
inline Warps full_warps(const WarpInfo& of) {
  const unsigned full = of.block[0] * of.block[1] * of.block[2] / ptx::kWarpSize;
  return full >= 64 ? ~Warps{0} : (Warps{1} << full) - 1;
}

/// The name of a way after one more step.
inline std::uint64_t mix(std::uint64_t way, std::uint64_t step) {
  const std::uint64_t x =
      (way ^ (step + 0x9e3779b97f4a7c15ull + (way << 6) + (way >> 2))) * 0xff51afd7ed558ccdull;
  return x ^ (x >> 29);
}

/// The way of one warp, as its own redirects and branches tell it, for front ends whose warps wait for
/// nobody. It is known twice: behind what has issued, and behind what has been fetched, where branches count
/// as not taken until they issue. On one way a warp comes to an instruction at most once, so that an instance
/// is a way and a program counter.
///
/// A barrier that gathers begins a way that all warps name alike, as they come to it equally often.
class OwnWay {
 public:
  static constexpr std::uint64_t kFirst = 1;  ///< the way that a CTA begins on

  /// `full`: each of its lanes has a thread.
  void start(bool full) {
    *this = {};
    full_ = full;
  }
  /// It goes on in the middle of the program: how many barriers it has passed is not known. It shares no
  /// more.
  void resumed() { resumed_ = true; }

  /// An instruction is fetched, or decoded, or skipped.
  void ahead(ptx::Pc pc, const Flags& flags) {
    if (!flags.transfer && !flags.gathers) return;
    unresolved_ += flags.transfer;
    ahead_.pass(pc, flags);
  }
  /// It has issued; no lanes wait elsewhere, and none has gone, if `full`.
  void issued(ptx::Pc pc, const Flags& flags, bool full) {
    full_ = full;
    last_ = pc;
    if (!flags.transfer && !flags.gathers) return;
    unresolved_ -= flags.transfer;
    issued_.pass(pc, flags);
  }
  /// What is ahead is of no use; the warp goes on at `pc`.
  void redirected(ptx::Pc pc) {
    issued_.name = mix(mix(issued_.name, last_), pc);
    ahead_ = issued_;
    unresolved_ = 0;
  }

  std::uint64_t ahead() const { return ahead_.name; }
  std::uint64_t behind() const { return issued_.name; }
  /// Nothing is ahead that could send it elsewhere: what it fetches next it will execute.
  bool certain() const { return unresolved_ == 0; }
  /// It may share instances with others: none of its lanes is inactive.
  bool shares() const { return full_ && !resumed_; }
  bool full() const { return full_; }

 private:
  struct Way {
    std::uint64_t name = kFirst;
    std::uint64_t barriers = 0;
    void pass(ptx::Pc pc, const Flags& flags) {
      if (flags.gathers)
        name = mix(mix(kFirst, pc), ++barriers);
      else if (flags.choice)
        name = mix(name, pc + 1);
    }
  };
  Way issued_, ahead_;
  ptx::Pc last_ = 0;  // that has issued
  unsigned unresolved_ = 0;
  bool full_ = false, resumed_ = false;
};

}  // namespace warpvp::darsie
