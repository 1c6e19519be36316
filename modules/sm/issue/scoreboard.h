#pragma once
// Scoreboard of one warp: the edge from which each register row and predicate may be read or overwritten.
// Because every execution unit announces its completion when an instruction issues, only loads leave a row
// without a known edge; everything else needs no writeback event.

#include <algorithm>
#include <vector>

#include "base/cycle.h"
#include "ptx/exec/warp.h"

namespace warpvp {

class Scoreboard {
 public:
  /// Values of a row whose load has not come back: later than any edge.
  static constexpr Cycle kPendingHit = kNever - 1;  ///< in the L1 or on its way there
  static constexpr Cycle kPendingMiss = kNever;     ///< missed the L1

  void reset(unsigned rows, unsigned preds) {
    preds_at_ = rows;
    ready_.assign(rows + preds, 0);
  }
  /// Recursive programs grow beyond what was declared.
  void ensure(unsigned rows, unsigned preds) {
    if (rows > preds_at_ || preds > ready_.size() - preds_at_) grow(rows, preds);
  }

  /// The edge at which `inst` has no RAW or WAW hazard left; kPendingHit/kPendingMiss when a load is awaited.
  Cycle clear_at(const ptx::Inst& inst, unsigned row_base, unsigned pred_base) const {
    Cycle t = 0;
    const Cycle* rows = ready_.data() + row_base;
    const Cycle* preds = ready_.data() + preds_at_ + pred_base;
    for (unsigned i = 0; i < inst.read_rows; ++i) t = std::max(t, rows[inst.reads[i]]);
    for (unsigned i = 0; i < inst.written_rows; ++i) t = std::max(t, rows[inst.writes[i]]);
    for (unsigned i = 0; i < inst.read_preds; ++i) t = std::max(t, preds[inst.pred_reads[i]]);
    for (unsigned i = 0; i < inst.written_preds; ++i) t = std::max(t, preds[inst.pred_writes[i]]);
    return t;
  }
  void set(const ptx::Inst& inst, unsigned row_base, unsigned pred_base, Cycle at) {
    Cycle* rows = ready_.data() + row_base;
    Cycle* preds = ready_.data() + preds_at_ + pred_base;
    for (unsigned i = 0; i < inst.written_rows; ++i) rows[inst.writes[i]] = at;
    for (unsigned i = 0; i < inst.written_preds; ++i) preds[inst.pred_writes[i]] = at;
  }

 private:
  void grow(unsigned rows, unsigned preds) {
    std::vector<Cycle> bigger(2 * rows + 2 * preds, 0);
    std::copy(ready_.begin(), ready_.begin() + preds_at_, bigger.begin());
    std::copy(ready_.begin() + preds_at_, ready_.end(), bigger.begin() + 2 * rows);
    preds_at_ = 2 * rows;
    ready_ = std::move(bigger);
  }
  std::vector<Cycle> ready_;  // rows, then predicates
  unsigned preds_at_ = 0;
};

}  // namespace warpvp
