#pragma once
// Passes over control flow.

#include "ptx/ir.h"

namespace warpvp::ptx::machine {

/// `@p bra A; bra B; A:` becomes `@!p bra B; A:`, a branch to what follows disappears, and one to the end of
/// a kernel becomes the end itself. Where threads part and meet stays the same.
void straighten_branches(ir::Function& f);

/// `@p bra A; few instructions; A:` becomes the instructions under @!p, and `@p bra A; few; bra B; A: few;
/// B:` both sides under their guards. Kept as they are: sides that others jump into, that have more
/// instructions than the chip's assembler predicates, that change p, or that hold guarded instructions,
/// branches, calls, barriers, fences, shuffles, votes or anything else whose meaning depends on the threads
/// that come to it.
void predicate_branches(ir::Function& f);

}  // namespace warpvp::ptx::machine
