#pragma once
// How a stage chooses a warp, in the two terms of the SWaS paper's section II-B: which warp comes next
// (selection), and how long it stays (mode). Fetch and issue schedulers share this engine.
//
// Selections: round robin takes warps in cyclic order; oldest the one that started first; youngest the one
// that started last, as Huerta et al. find on later chips (MICRO 2025); ICOUNT the one
// with the fewest instructions fetched and not issued, among equals the next in cyclic order. Modes: strict
// selects among all contenders and idles when the selected one is not ready; loose selects among the ready
// ones; greedy keeps the selected warp until it stalls, and then selects as loose does; adaptive is greedy
// only while the warp is not too far ahead of the others (after Lakshminarayana and Kim, reference 6 of the
// paper).
//
// Where the paper leaves room:
// - Strict mode selects among contenders, not all warps, lest a warp keep its turn from the very warps it
//   waits for: at issue among those that no barrier or fence holds, at fetch among those that have room in
//   their I-buffer, a miss pending or not.
// - Strict round robin passes the turn on at every edge, also at those that a sleeping SM skips; they are
//   counted as if the contenders had been the same. The first pick among new warps follows no pause.
// - An edge without any ready warp is a stall of the greedy warp, unless `greed_survives_idle`.
// - Progress counts the edges a warp was chosen at. A warp is ahead when it is more than `lead` above the
//   mean of the resident warps; warps that are ahead are passed over while another is ready. A warp that
//   starts takes over the mean, so that the age of a CTA is no lead.

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>

#include "base/fields.h"
#include "modules/sm/policies.h"
#include "modules/sm/policies/warp_age_order.h"

namespace warpvp {

enum class Selection : std::uint8_t { kRoundRobin, kOldest, kYoungest, kIcount };
enum class SelectionMode : std::uint8_t { kStrict, kLoose, kGreedy, kAdaptive };

/// Parameters of the policies named `select`.
struct SelectParams {
  std::string selection = "round_robin";
  std::string mode = "loose";
  std::uint32_t lead = 16;
  void fields(FieldVisitor& v) {
    v.field("selection", selection,
            "Which warp comes next: in cyclic order, the oldest, the youngest, or the one with the fewest "
            "instructions fetched and not issued.",
            Constraint::words({"round_robin", "oldest", "youngest", "icount"}));
    v.field("mode", mode,
            "Wait for the selected warp (strict), skip it when it is not ready (loose), keep it until it "
            "stalls (greedy), or until it is too far ahead (adaptive).",
            Constraint::words({"strict", "loose", "greedy", "adaptive"}));
    v.field("lead", lead, "turns", "Adaptive mode: how far above the mean a warp may be and keep its turn.",
            Constraint::at_least(0));
  }
};

/// Chooses one of up to 64 warps at an edge. Copies are independent.
class WarpSelector {
 public:
  WarpSelector(Selection selection, SelectionMode mode, std::uint32_t lead = 0,
               bool greed_survives_idle = false)
      : selection_(selection), mode_(mode), greed_survives_idle_(greed_survives_idle), lead_(lead) {}
  explicit WarpSelector(const SelectParams& params)
      : WarpSelector(params.selection == "oldest"     ? Selection::kOldest
                     : params.selection == "youngest" ? Selection::kYoungest
                     : params.selection == "icount"   ? Selection::kIcount
                                                      : Selection::kRoundRobin,
                     params.mode == "strict"     ? SelectionMode::kStrict
                     : params.mode == "greedy"   ? SelectionMode::kGreedy
                     : params.mode == "adaptive" ? SelectionMode::kAdaptive
                                                 : SelectionMode::kLoose,
                     params.lead) {}

  void start(unsigned warp, const WarpInfo& info) {
    if (warps_ == 0) last_cycle_ = kNever;
    order_.start(warp, info.age);
    // Rounded down: a warp that arrives neither gains nor loses a turn.
    progress_[warp] = warps_ ? turns_ / warps_ : 0;
    turns_ += progress_[warp];
    ++warps_;
  }
  void finish(unsigned warp) {
    order_.finish(warp);
    current_ &= ~only_warp(warp);
    ahead_ &= ~only_warp(warp);
    turns_ -= progress_[warp];
    --warps_;
    recheck_ = 0;
  }

  /// `ready` is not empty and a subset of `contenders`. Returns one of `ready`, or kNoWarp in strict mode.
  unsigned pick(Cycle now, WarpMask contenders, WarpMask ready, const std::uint8_t* buffered) {
    switch (mode_) {
      case SelectionMode::kStrict:
        return pick_strict(now, contenders, ready, buffered);
      case SelectionMode::kLoose:
        return last_ = select(ready, buffered);
      case SelectionMode::kGreedy:
        if (!continues(now, ready)) change_to(select(ready, buffered));
        return last_;
      case SelectionMode::kAdaptive:
        return pick_adaptive(now, ready, buffered);
    }
    return kNoWarp;
  }

 private:
  unsigned select(WarpMask set, const std::uint8_t* buffered) const {
    switch (selection_) {
      case Selection::kRoundRobin:
        break;
      case Selection::kOldest:
        return order_.oldest(set);
      case Selection::kYoungest:
        return order_.youngest(set);
      case Selection::kIcount:
        return fewest(set, buffered);
    }
    return next_warp(set, last_ + 1);
  }
  /// Warp of `set` with the fewest instructions buffered, the first such behind `last_` in cyclic order.
  unsigned fewest(WarpMask set, const std::uint8_t* buffered) const {
    const unsigned first = last_ + 1;
    unsigned least = ~0u;  // instructions and, below them, the distance behind `last_`
    for (; set; set &= set - 1) {
      const unsigned warp = lowest_warp(set);
      least = std::min(least, buffered[warp] << 6 | ((warp - first) & 63));
    }
    return (least + first) & 63;
  }
  bool continues(Cycle now, WarpMask ready) {
    const bool in_a_row = greed_survives_idle_ || last_cycle_ + 1 >= now;
    last_cycle_ = now;
    return in_a_row && (ready & current_);
  }
  void change_to(unsigned warp) {
    last_ = warp;
    current_ = only_warp(warp);
  }

  unsigned pick_strict(Cycle now, WarpMask contenders, WarpMask ready, const std::uint8_t* buffered) {
    if (selection_ == Selection::kRoundRobin && last_cycle_ < now - 1) {
      // The turn went round while the SM slept; whole rounds need no walk.
      const Cycle skipped = now - last_cycle_ - 1;
      for (Cycle rest = skipped % static_cast<unsigned>(__builtin_popcountll(contenders)); rest; --rest)
        last_ = next_warp(contenders, last_ + 1);
    }
    last_cycle_ = now;
    last_ = select(contenders, buffered);
    return ready >> last_ & 1 ? last_ : kNoWarp;
  }

  unsigned pick_adaptive(Cycle now, WarpMask ready, const std::uint8_t* buffered) {
    if (turns_ >= recheck_) refresh_ahead();
    if (!continues(now, ready & ~ahead_)) {
      const WarpMask behind = ready & ~ahead_;
      change_to(select(behind ? behind : ready, buffered));
    }
    ++progress_[last_];
    ++turns_;
    if (is_ahead(last_)) {
      ahead_ |= current_;
      recheck_ = std::min(recheck_, level(last_));
    }
    return last_;
  }
  /// Total of turns from which on the warp is not ahead.
  std::uint64_t level(unsigned warp) const {
    return progress_[warp] > lead_ ? warps_ * (progress_[warp] - lead_) : 0;
  }
  bool is_ahead(unsigned warp) const { return turns_ < level(warp); }
  /// Finds anew who is ahead: when the total reaches the lowest level of those, or a warp went.
  void refresh_ahead() {
    recheck_ = std::numeric_limits<std::uint64_t>::max();
    for (WarpMask rest = order_.started(); rest; rest &= rest - 1) {
      const unsigned warp = lowest_warp(rest);
      if (is_ahead(warp)) {
        ahead_ |= only_warp(warp);
        recheck_ = std::min(recheck_, level(warp));
      } else {
        ahead_ &= ~only_warp(warp);
      }
    }
  }

  Selection selection_;
  SelectionMode mode_;
  bool greed_survives_idle_;
  unsigned last_ = 63;         // selected last; 63 so that the first search starts at warp 0
  Cycle last_cycle_ = kNever;  // of the last pick since there are warps
  WarpMask current_ = 0;       // the warp selected last, unless it has finished
  WarpAgeOrder order_;
  // Adaptive mode.
  std::uint64_t lead_;
  std::uint64_t warps_ = 0, turns_ = 0;  // resident warps and the sum of their progress
  std::uint64_t recheck_ = 0;
  WarpMask ahead_ = 0;
  std::uint64_t progress_[64] = {};
};

}  // namespace warpvp
