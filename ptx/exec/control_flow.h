#pragma once
// Branches, calls and exits on the SIMT stack. Private to ptx/exec.
//
// The stack holds groups of lanes that wait. When a branch diverges, the group splits: a continuation with
// all lanes waits at the immediate post-dominator, the lanes that fall through wait above it, and the lanes
// that jump run first. A group that reaches its reconvergence point is popped; so the continuation runs once
// both parts have arrived there. Loops do not grow the stack: lanes that leave early are already in the
// continuation.
//
// Groups other than continuations may run in any order. That is used at barrier.sync (the form that need not
// be reached by whole warps at once): a group that arrives alone is parked, and the lanes it diverged from
// run until they arrive as well.

#include "ptx/exec/warp.h"

namespace warpvp::ptx {

struct ControlFlow {
  /// bra, brx.idx, call and ret, for `lanes` of the running group (possibly none).
  static void branch(Warp& w, const Inst& inst, LaneMask lanes);
  /// exit of `lanes`.
  static void exit(Warp& w, LaneMask lanes);
  /// Drops the running group, which is empty or at its reconvergence point, and resumes the one below.
  static void pop(Warp& w);
  /// The running group waits at a barrier.sync for lanes of its warp that diverged: runs these meanwhile.
  static void park(Warp& w);

 private:
  static void jump(Warp& w, Pc target) {
    w.pc_ = target;
    if (w.pc_ == w.reconverge_) pop(w);
  }
  static void push_running(Warp& w);
  static void resume(Warp& w, std::size_t entry);
  /// Before a group with parked lanes goes on: all must have arrived, else others run first.
  static void check_parked(Warp& w);
  static void indexed_branch(Warp& w, const Inst& inst, LaneMask lanes);
  /// Splits the running group into `count` parts with their own targets, the last one running first.
  static void split(Warp& w, const Pc* targets, const LaneMask* masks, unsigned count, Pc reconverge);
  static void call(Warp& w, const Inst& inst, LaneMask lanes);
  static void ret(Warp& w, LaneMask lanes);
  /// Makes room for the frame at row_base_.
  static void grow(Warp& w);
};

}  // namespace warpvp::ptx
