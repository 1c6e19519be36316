#pragma once
// Branches, calls and exits on the SIMT stack. Private to ptx/exec.
//
// The stack holds groups of lanes that wait. When a branch diverges, the group splits: a continuation with
// all lanes waits at the immediate post-dominator, the lanes that fall through wait above it, and the lanes
// that jump run first. A group that reaches its reconvergence point is popped; so the continuation runs once
// both parts have arrived there. Loops do not grow the stack: lanes that leave early are already in the
// continuation.
//
// A lane is where the highest entry says that holds it. So the lanes of an entry that no entry above holds
// can go on at any time, without breaking the order of the entries that hold a lane: as a group on top of the
// stack. What remains of a continuation waits for the lanes that have not come. That is used
// - when a group has to wait for lanes elsewhere: at barrier.sync, and, with independent threads, at
// bar.sync,
//   bar.warp.sync and shuffles, votes and the like with a member mask (warp_sync.h);
// - with independent threads, when a group has looped for long while another one could go on (`count`).
// Groups that come to stand at the same place are joined where one of them is resumed.

#include "ptx/exec/warp.h"
#include "ptx/exec/warp_position.h"

namespace warpvp::ptx {

struct ControlFlow {
  /// bra, brx.idx, call and ret, for `lanes` of the running group (possibly none).
  static void branch(Warp& w, const Inst& inst, LaneMask lanes);
  /// exit of `lanes`.
  static void exit(Warp& w, LaneMask lanes);
  /// Drops the running group, which is empty or at its reconvergence point, and resumes the one below.
  static void pop(Warp& w);
  /// `lanes` of the running group wait at a CTA barrier for lanes of their warp that are elsewhere: runs
  /// others.
  static void park(Warp& w, LaneMask lanes);
  /// nanosleep: other groups that can run have their turn.
  static void yield(Warp& w);

  // ---- for warp_position.cpp

  static void position(const Warp& w, WarpPosition& p);
  static LaneMask carry(const Warp& w);

  // ---- for warp_sync.cpp and barrier_ops.cpp

  /// Takes `lanes` out of the running group (which may become empty); they wait at its instruction, on the
  /// stack.
  static void set_aside(Warp& w, LaneMask lanes);
  /// The groups of `lanes`, which wait at an instruction, have passed it.
  static void release(Warp& w, LaneMask lanes);
  /// No group runs: resumes the highest that can, or lets the warp arrive at the CTA barrier that all lanes
  /// have come to, or faults since lanes wait for ever.
  static void resume_other(Warp& w);
  /// Adds the groups to the running one that stand where it stands.
  static void join(Warp& w);

 private:
  static void jump(Warp& w, Pc target) {
    w.pc_ = target;
    if (w.pc_ == w.reconverge_) pop(w);
  }
  static void push_running(Warp& w);
  static void load(Warp& w, const Warp::Entry& e);
  static void resume(Warp& w, std::size_t entry);
  /// Resumes `lanes` of an entry, which no entry above holds.
  static void take(Warp& w, std::size_t entry, LaneMask lanes);
  /// `body(entry, lanes)` for each entry at which lanes stand, from the top, until it returns true.
  template <class Body>
  static void each_waiting(Warp& w, Body body);
  static bool resume_ready(Warp& w);
  /// The running group has looped, for `units` of Inst::loop_units: who has waited for too many has its turn.
  static void count(Warp& w, std::uint64_t units);
  static void indexed_branch(Warp& w, const Inst& inst, LaneMask lanes);
  /// Splits the running group into `count` parts with their own targets, the last one running first.
  static void split(Warp& w, const Pc* targets, const LaneMask* masks, unsigned count, Pc reconverge);
  static void call(Warp& w, const Inst& inst, LaneMask lanes);
  static void ret(Warp& w, LaneMask lanes);
};

}  // namespace warpvp::ptx
