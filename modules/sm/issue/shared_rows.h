#pragma once
// Register rows that belong to an SM and to none of its warps: a renaming front end lets one warp write such
// a row and others, of whatever sub-core, read it. Here stands when each is there, as a warp's scoreboard has
// it for the warp's own, and who waits for it.
//
// A row that is allotted and not yet written is *expected*: readers wait for its writer. The front end frees
// rows by itself, when no entry that names one is left.

#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "base/cycle.h"
#include "modules/sm/issue/scoreboard.h"
#include "modules/sm/stage_signals.h"

namespace warpvp {

class SharedRows {
 public:
  static constexpr std::uint8_t kNoUnit = StageSignals::kUnits;

  /// `warps`: warp slots of the SM.
  SharedRows(unsigned rows, unsigned warps)
      : words_((warps + 63) / 64), rows_(rows), waiting_(rows * words_) {}

  unsigned size() const { return static_cast<unsigned>(rows_.size()); }
  /// It is allotted anew: nobody has issued the instruction that writes it.
  void expect(unsigned row) { rows_[row] = {0, kNoUnit, true}; }
  /// The edge from which it may be read; Scoreboard::kPendingHit or kPendingMiss while that is not known.
  Cycle readable(unsigned row) const { return rows_[row].expected ? Scoreboard::kPendingHit : rows_[row].at; }
  /// The edge from which it may be overwritten: its first writer waits for nobody.
  Cycle writable(unsigned row) const { return rows_[row].at; }
  /// The unit that wrote it, as StageSignals::started_on has it.
  std::uint8_t unit(unsigned row) const { return rows_[row].unit; }

  /// It is there from edge `at` on, of which a load may leave open when that is. `at_once`: no sub-core has
  /// been evaluated at this edge, so readers may issue at it. To be called with 0 for a row that is expected
  /// and will not be written.
  void set(unsigned row, Cycle at, std::uint8_t unit, bool at_once) {
    const bool told = at != Scoreboard::kPendingHit;
    rows_[row] = {at, unit, false};
    if (told && changed) changed(row, at, at_once);
  }

  /// Warp slot `warp` of the SM is to be told when the row's edge is known, or farther off.
  void await(unsigned row, unsigned warp) {
    waiting_[row * words_ + warp / 64] |= std::uint64_t{1} << warp % 64;
  }
  /// Calls `f(warp)` for those that wait, who do so no longer.
  template <class F>
  void release(unsigned row, F&& f) {
    for (unsigned word = 0; word < words_; ++word)
      for (std::uint64_t rest = std::exchange(waiting_[row * words_ + word], 0); rest; rest &= rest - 1)
        f(word * 64 + static_cast<unsigned>(__builtin_ctzll(rest)));
  }

  /// The SM's: a row's edge has changed.
  std::function<void(unsigned row, Cycle at, bool at_once)> changed;

 private:
  struct Row {
    Cycle at = 0;
    std::uint8_t unit = kNoUnit;
    bool expected = false;
  };
  const unsigned words_;
  std::vector<Row> rows_;
  std::vector<std::uint64_t> waiting_;  // by row and word of warps
};

}  // namespace warpvp
