#pragma once
// Passes over values: what is computed twice, not at all, or in more steps than the machine needs.

#include "ptx/ir.h"

namespace warpvp::ptx::machine {

/// Reads of a copy become reads of the original: `mov` between registers of one width, `cvta` of global
/// addresses (which are generic ones already), zeros (the machine has a zero register), constants that are
/// only moved on, and constants in arithmetic that has no other constant operand: the machine's instructions
/// hold one. Only for registers that have one value wherever they are read (Values).
void propagate_copies(ir::Function& f);

/// [r + n] with r = s + m becomes [s + (n + m)] where the machine's 24-bit offset can hold it.
void fold_addresses(ir::Function& f);

/// Two instructions that the machine has as one, where the first has no other reader and stands in the same
/// block: 32-bit shl or mul.lo and add to mad.lo, mul.wide and 64-bit add to mad.wide, setp and a logical
/// operation on its predicate to setp.cmp.op; a 32-bit product with a constant, subtracted, to mad.lo.
/// Integers only: bits stay the same. Carries and saturation are left alone.
void fuse_pairs(ir::Function& f);

/// A value that an instruction computed on every way here (or earlier in the block) is not computed again.
void share_values(const ir::Module& m, ir::Function& f);

/// Takes out instructions without effect whose results nobody reads. Loads stay, since they may fault, except
/// those of kernel parameters.
void remove_dead_code(ir::Function& f);

}  // namespace warpvp::ptx::machine
