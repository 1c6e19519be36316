#pragma once
// Instructions with a member mask: bar.warp.sync and the .sync forms of shfl, vote, match, redux and elect
// (PTX ISA, chapters on parallel synchronization and data movement). A thread waits there until all threads
// of its mask that have not exited execute the instruction with the same qualifiers and the same mask, which
// may stand elsewhere in the program. Private to ptx/exec.

#include "ptx/exec/warp.h"

namespace warpvp::ptx {

struct WarpSync {
  /// `lanes`, not all live lanes of the warp, execute `inst`, which has a member mask. With independent
  /// threads those whose mask names lanes that have not come wait; without, that is a fault. True: the
  /// running group changed and the program counter has been dealt with; false: the instruction is done.
  static bool arrive(Warp& w, const Inst& inst, LaneMask lanes);
  /// Lanes exited: nobody waits for them any longer.
  static void lanes_exited(Warp& w);
  /// No group can go on and some wait for lanes of their mask: a fault that says where each waits.
  static void report_deadlock(Warp& w);

 private:
  static LaneMask arrived(const Warp& w, const Inst& inst, LaneMask members);
  static void exchange(Warp& w, const std::vector<Warp::Waiter>& groups);
  static void complete(Warp& w, const Inst& inst, LaneMask members, const Warp::Waiter* last);
};

}  // namespace warpvp::ptx
