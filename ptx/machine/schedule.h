#pragma once
// Pass: the order of instructions within blocks.

#include "ptx/ir.h"

namespace warpvp::ptx::machine {

/// Sorts the instructions of each block so that results are asked for as late as possible after they are:
/// list scheduling by the longest way to the end of the block, loads above arithmetic that does not need
/// them.
///
/// Kept: what every instruction computes (registers, the carry, guarded writes that leave old values); the
/// order of memory accesses that may touch the same bytes or that PTX orders; barriers, fences, shuffles and
/// votes among each other and all memory accesses; the place of branches, calls, clock reads and text among
/// everything.
///
/// No more than `registers` 32-bit registers are alive at once, or no more than before where it was more
/// already.
void schedule(const ir::Module& m, ir::Function& f, unsigned registers);

}  // namespace warpvp::ptx::machine
