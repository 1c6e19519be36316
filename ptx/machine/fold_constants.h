#pragma once
// Arithmetic on constants is done before the code runs, as the assembler does it.

#include "ptx/ir.h"

namespace warpvp::ptx::machine {

/// An unguarded instruction on integers of 32 or 64 bits (sums, products, shifts, logic), or a conversion of
/// a single-precision number to an integer that can hold it, whose operands are all constants, written or
/// moved, becomes a `mov` of its result. Only registers that have one value wherever they are read (Values).
void fold_constants(ir::Function& f);

}  // namespace warpvp::ptx::machine
