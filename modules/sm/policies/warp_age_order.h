#pragma once
// Who is older, for policies that order warps by age ("oldest first", QAWS paper section II-A).

#include "modules/sm/policies.h"

namespace warpvp {

/// Lowest-numbered warp of a set that is not empty.
inline unsigned lowest_warp(WarpMask set) { return static_cast<unsigned>(__builtin_ctzll(set)); }
/// The set that holds only this warp.
inline WarpMask only_warp(unsigned warp) { return WarpMask{1} << warp; }

/// First warp of `set` (not empty) at or after `from` in cyclic order of warp numbers; `from` <= 64.
inline unsigned next_warp(WarpMask set, unsigned from) {
  const WarpMask later = from < 64 ? set & (~WarpMask{0} << from) : 0;
  return lowest_warp(later ? later : set);
}

/// Age order of the warps of one scheduler: for each warp the set of those older than it. Finding the oldest
/// of a set walks from candidate to candidate, each older than the one before: a handful of steps, no scan.
class WarpAgeOrder {
 public:
  void start(unsigned warp, std::uint64_t age) {
    WarpMask older = 0;
    for (WarpMask rest = started_ & ~only_warp(warp); rest; rest &= rest - 1) {
      const unsigned other = lowest_warp(rest);
      if (age_[other] <= age) {
        older |= only_warp(other);
        older_than_[other] &= ~only_warp(warp);
      } else {
        older_than_[other] |= only_warp(warp);
      }
    }
    age_[warp] = age;
    older_than_[warp] = older;
    started_ |= only_warp(warp);
  }
  void finish(unsigned warp) { started_ &= ~only_warp(warp); }
  WarpMask started() const { return started_; }

  /// Oldest warp of `set`, a set of started warps that is not empty. Equal ages: the one that started first.
  unsigned oldest(WarpMask set) const {
    unsigned warp = lowest_warp(set);
    while (const WarpMask older = older_than_[warp] & set) warp = lowest_warp(older);
    return warp;
  }
  /// Youngest warp of `set`, likewise. Equal ages: the one that started last.
  unsigned youngest(WarpMask set) const {
    unsigned warp = lowest_warp(set);
    while (const WarpMask younger = set & ~older_than_[warp] & ~only_warp(warp)) warp = lowest_warp(younger);
    return warp;
  }

 private:
  WarpMask started_ = 0;
  WarpMask older_than_[64] = {};
  std::uint64_t age_[64] = {};
};

}  // namespace warpvp
