#pragma once
// Which registers decide where a loop goes and what it does to others: its slice. A counter that nobody looks
// at is not among them, so `while (!flag) ++i;` is seen to do the same for ever.

#include <vector>

#include "ptx/program.h"

namespace warpvp {

struct LoopSlice {
  std::vector<bool> rows, preds;  ///< relative to the frame
  /// The loop prints, calls or copies asynchronously: what its registers say is not all.
  bool opaque = false;
};

/// The slice of the instructions marked in `executed` (one flag an instruction of the program): the rows and
/// predicates that branches, memory accesses, barriers and votes among them read, and what those are computed
/// from.
LoopSlice loop_slice(const ptx::Program& program, const std::vector<bool>& executed);

}  // namespace warpvp
