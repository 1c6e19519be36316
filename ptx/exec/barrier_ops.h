#pragma once
// Execution functions of bar and barrier. Private to ptx/exec.

#include "ptx/exec/warp.h"

namespace warpvp::ptx {

struct BarrierOps {
  /// The execution function for bar.sync/arrive/red and bar.warp.sync, nullptr for an illegal combination.
  static ExecFn select(Inst& inst, const Modifiers& m);
  /// Writes the result of a completed reduction to a warp that took part.
  static void deliver(Warp& w, const BarrierState& b);
  /// All live lanes wait at the barrier they reached group by group: the warp arrives.
  static void arrive_parked(Warp& w);
  /// Lanes exited: the others alone make up what the warp has to bring to bar.arrive.
  static void lanes_exited(Warp& w);

 private:
  static void arrive(const Inst& inst, Warp& w, LaneMask lanes);
  static void sync(const Inst& inst, Warp& w, LaneMask lanes);
  static void reduce(const Inst& inst, Warp& w, LaneMask lanes);
  static void warp_sync(const Inst& inst, Warp& w, LaneMask lanes);
  /// The warp, or a group of its lanes, waits at a barrier.
  static void wait(const Inst& inst, Warp& w, LaneMask lanes, unsigned id, unsigned threads);
  /// Whether the instruction counts threads, so that groups of a warp arrive on their own: barrier always,
  /// bar with independent threads.
  static bool counts_threads(const Inst& inst, const Warp& w);
  /// Reads id and thread count (warp-uniform); false after a fault.
  static bool operands(const Inst& inst, Warp& w, LaneMask lanes, unsigned& id, unsigned& threads);
};

}  // namespace warpvp::ptx
