#pragma once
// Loops of which it is known before the code runs how often they go round, and that are short enough.

#include "ptx/ir.h"

namespace warpvp::ptx::machine {

/// Replaces each innermost loop by as many copies of its body as it has iterations, where the integers that
/// end it are known and the copies are not too many instructions; then the loop around it, if that has become
/// innermost. The loop must be entered at its head alone and left at its end alone, without calls. Loops
/// under `.pragma "nounroll"` stay. Values that a copy gives to its own later instructions and to the next
/// copies have registers of their own.
void unroll_loops(ir::Function& f);

}  // namespace warpvp::ptx::machine
