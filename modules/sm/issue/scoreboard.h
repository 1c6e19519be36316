#pragma once
// Scoreboard of one warp: the edge from which each register row and predicate may be read or overwritten.
// Because every execution unit announces its completion when an instruction issues, only loads leave a row
// without a known edge; everything else needs no writeback event.
//
// Edges are kept in 32 bits, counted from a base: an SM's scoreboards together are as large as a host's
// cache.

#include <algorithm>
#include <cstdint>
#include <vector>

#include "base/cycle.h"
#include "ptx/program.h"

namespace warpvp {

class Scoreboard {
 public:
  /// Values of a row whose load has not come back: later than any edge.
  static constexpr Cycle kPendingHit = kNever - 1;  ///< in the L1 or on its way there
  static constexpr Cycle kPendingMiss = kNever;     ///< missed the L1

  /// A warp starts at edge `now`; no edge before it is set from now on.
  void reset(unsigned rows, unsigned preds, Cycle now) {
    preds_at_ = rows;
    base_ = now;
    ready_.assign(rows + preds, 0);
  }
  /// Recursive programs grow beyond what was declared.
  void ensure(unsigned rows, unsigned preds) {
    if (rows > preds_at_ || preds > ready_.size() - preds_at_) grow(rows, preds);
  }

  /// The edge at which `inst` has no RAW or WAW hazard left (0: there never was one);
  /// kPendingHit/kPendingMiss when a load is awaited.
  Cycle clear_at(const ptx::Inst& inst, unsigned row_base, unsigned pred_base) const {
    Edge t = 0;
    const Edge* rows = ready_.data() + row_base;
    const Edge* preds = ready_.data() + preds_at_ + pred_base;
    for (unsigned i = 0; i < inst.read_rows; ++i) t = std::max(t, rows[inst.reads[i]]);
    for (unsigned i = 0; i < inst.written_rows; ++i) t = std::max(t, rows[inst.writes[i]]);
    for (unsigned i = 0; i < inst.read_preds; ++i) t = std::max(t, preds[inst.pred_reads[i]]);
    for (unsigned i = 0; i < inst.written_preds; ++i) t = std::max(t, preds[inst.pred_writes[i]]);
    if (t > kLastEdge) return kNever - (kMiss - t);
    return t ? base_ + t : 0;
  }
  /// The edge at which the guard of `inst` is there; 0: it has none, or it always was.
  Cycle guard_at(const ptx::Inst& inst, unsigned pred_base) const {
    if (inst.guard.kind != ptx::OperandKind::kPred) return 0;
    const Edge t = ready_[preds_at_ + pred_base + inst.guard.index];
    return t > kLastEdge ? kNever - (kMiss - t) : t ? base_ + t : 0;
  }
  /// The edge at which this row is there, of which no load is awaited; 0: it always was.
  Cycle row_at(std::size_t row) const {
    const Edge t = ready_[row];
    return t ? base_ + t : 0;
  }
  // For who names rows otherwise than programs do (row_map.h).
  /// As clear_at(), but for the rows whose bits stand in these masks, by their place in the instruction.
  Cycle clear_at_but(unsigned reads, unsigned writes, const ptx::Inst& inst, unsigned row_base,
                     unsigned pred_base) const {
    Edge t = 0;
    const Edge* rows = ready_.data() + row_base;
    const Edge* preds = ready_.data() + preds_at_ + pred_base;
    // Others are mixed with them at will: no branch, which nothing could foresee.
    for (unsigned i = 0; i < inst.read_rows; ++i, reads >>= 1)
      t = std::max(t, rows[inst.reads[i]] & ((reads & 1) - 1));
    for (unsigned i = 0; i < inst.written_rows; ++i, writes >>= 1)
      t = std::max(t, rows[inst.writes[i]] & ((writes & 1) - 1));
    for (unsigned i = 0; i < inst.read_preds; ++i) t = std::max(t, preds[inst.pred_reads[i]]);
    for (unsigned i = 0; i < inst.written_preds; ++i) t = std::max(t, preds[inst.pred_writes[i]]);
    return edge(t);
  }
  unsigned rows() const { return preds_at_; }
  /// As clear_at(), of a row.
  Cycle row_clear_at(std::size_t row) const { return edge(ready_[row]); }
  void set_row(std::size_t row, Cycle at) {
    const Edge e = edge_of(at);
    ready_[row] = e;
  }
  void set_preds(const ptx::Inst& inst, unsigned pred_base, Cycle at) {
    const Edge e = edge_of(at);
    for (unsigned i = 0; i < inst.written_preds; ++i) ready_[preds_at_ + pred_base + inst.pred_writes[i]] = e;
  }
  /// The edge at which the last row that `inst` reads is there; no load of one is awaited. 0: they always
  /// were.
  Cycle operands_at(const ptx::Inst& inst, unsigned row_base) const {
    Edge t = 0;
    for (unsigned i = 0; i < inst.read_rows; ++i) t = std::max(t, ready_[row_base + inst.reads[i]]);
    return t ? base_ + t : 0;
  }
  /// Sets the edge of all that `inst` writes. Edges that are 2^31 older than one being set have passed.
  /// An edge before the warp's start is one that has passed, too.
  void set(const ptx::Inst& inst, unsigned row_base, unsigned pred_base, Cycle at) {
    const Edge edge = edge_of(at);
    Edge* rows = ready_.data() + row_base;
    Edge* preds = ready_.data() + preds_at_ + pred_base;
    for (unsigned i = 0; i < inst.written_rows; ++i) rows[inst.writes[i]] = edge;
    for (unsigned i = 0; i < inst.written_preds; ++i) preds[inst.pred_writes[i]] = edge;
  }

  /// Brings the entries from `row_base` on towards the processor's caches: few lines, and the instructions
  /// after the next one need them too.
  void prefetch(unsigned row_base) const {
    const std::size_t end = std::min<std::size_t>(ready_.size(), row_base + kPrefetched);
    for (std::size_t i = row_base; i < end; i += 64 / sizeof(Edge)) __builtin_prefetch(ready_.data() + i, 1);
  }

 private:
  using Edge = std::uint32_t;  // after base_
  static constexpr Edge kMiss = ~Edge{0}, kLastEdge = kMiss - 2;
  static constexpr Cycle kReach = Cycle{1} << 31;
  static constexpr unsigned kPrefetched = 64;

  Cycle edge(Edge t) const { return t > kLastEdge ? kNever - (kMiss - t) : t ? base_ + t : 0; }
  Edge edge_of(Cycle at) {
    at = std::max(at, base_);
    if (at < kPendingHit && at - base_ > kLastEdge) move_base(at);
    return at < kPendingHit ? static_cast<Edge>(at - base_) : kMiss - static_cast<Edge>(kNever - at);
  }
  void grow(unsigned rows, unsigned preds) {
    // Each may be short on its own.
    const unsigned new_preds_at = std::max(2 * rows, preds_at_);
    std::vector<Edge> bigger(
        std::max<std::size_t>(new_preds_at + 2 * preds, new_preds_at + ready_.size() - preds_at_), 0);
    std::copy(ready_.begin(), ready_.begin() + preds_at_, bigger.begin());
    std::copy(ready_.begin() + preds_at_, ready_.end(), bigger.begin() + new_preds_at);
    preds_at_ = new_preds_at;
    ready_ = std::move(bigger);
  }
  /// Moves the base so that `at` lies kReach beyond it.
  void move_base(Cycle at) {
    const Cycle by = at - kReach - base_;
    for (Edge& edge : ready_)
      if (edge <= kLastEdge) edge = edge > by ? edge - static_cast<Edge>(by) : 0;
    base_ += by;
  }

  std::vector<Edge> ready_;  // rows, then predicates
  Cycle base_ = 0;
  unsigned preds_at_ = 0;
};

}  // namespace warpvp
