#include "ptx/exec/warp_position.h"

#include "ptx/exec/control_flow.h"

namespace warpvp::ptx {

namespace {

bool same_path(const WarpPosition::Path& a, const WarpPosition::Path& b, std::uint64_t units_a,
               std::uint64_t units_b) {
  if (a.pc != b.pc || a.reconverge != b.reconverge || a.lanes != b.lanes || a.row_base != b.row_base ||
      a.pred_base != b.pred_base || a.depot_base != b.depot_base || a.call_depth != b.call_depth ||
      a.fresh != b.fresh || a.turn != b.turn)
    return false;
  switch (a.turn) {
    case WarpPosition::Turn::kNone:
      return true;
    case WarpPosition::Turn::kOpen:
      return units_a - a.since == units_b - b.since;
    case WarpPosition::Turn::kCovered:
      // Either nobody came back to it in between, and nobody will, or it began to wait anew.
      return a.since == b.since || units_a - a.since == units_b - b.since;
  }
  return false;
}

}  // namespace

bool WarpPosition::same(const WarpPosition& other) const {
  if (paths.size() != other.paths.size() || rest != other.rest) return false;
  for (std::size_t i = paths.size(); i-- > 0;)
    if (!same_path(paths[i], other.paths[i], units, other.units)) return false;
  return true;
}

// Warp::look_at_ is left out: it only saves looks at which nobody's turn would have come.
void ControlFlow::position(const Warp& w, WarpPosition& p) {
  using Turn = WarpPosition::Turn;
  p.units = w.loop_units_;
  p.paths.resize(w.stack_.size() + 1);
  p.paths.back() = {w.pc_,         w.reconverge_, w.active_, w.row_base_, w.pred_base_,
                    w.depot_base_, w.call_depth_, false,     Turn::kNone, 0};
  const LaneMask blocked = w.waiting_ | w.parked_;
  const bool takes_turns = w.cta_->env().divergence.independent_threads;
  LaneMask covered = w.active_;
  for (std::size_t i = w.stack_.size(); i-- > 0;) {
    const Warp::Entry& e = w.stack_[i];
    Turn turn = Turn::kNone;
    if (e.pc != e.reconverge) {
      const LaneMask here = e.mask & ~covered;
      covered |= e.mask;
      if (takes_turns && (here & blocked) == 0) turn = here != 0 ? Turn::kOpen : Turn::kCovered;
    }
    p.paths[i] = {e.pc,         e.reconverge, e.mask,  e.row_base, e.pred_base,
                  e.depot_base, e.call_depth, e.fresh, turn,       e.since};
  }
  p.rest = {w.live_, w.parked_, w.parked_ != 0 ? w.parked_id_ : 0, w.parked_ != 0 ? w.parked_threads_ : 0,
            w.waiting_};
  for (const Warp::Waiter& g : w.waiters_)
    p.rest.insert(p.rest.end(), {g.pc, g.lanes, g.members, g.row_base, g.pred_base});
  for (const Warp::PartialArrival& a : w.partial_arrivals_)
    p.rest.insert(p.rest.end(), {a.id, a.threads, a.lanes});
  for (const Warp::Reduction& r : w.reductions_)
    p.rest.insert(p.rest.end(),
                  {static_cast<std::uint64_t>(r.inst - w.code_), r.lanes, r.row_base, r.pred_base});
}

LaneMask ControlFlow::carry(const Warp& w) { return w.carry_; }

void take_position(const Warp& warp, WarpPosition& position) { ControlFlow::position(warp, position); }
LaneMask carry_of(const Warp& warp) { return ControlFlow::carry(warp); }

}  // namespace warpvp::ptx
