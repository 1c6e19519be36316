#pragma once
// Pass: parts of expansions that two instructions have in common.

#include "ptx/ir.h"

namespace warpvp::ptx::machine {

/// Marks instructions (ir::Instruction::shared) whose expansion begins as that of an earlier instruction of
/// the same block does, which the assembler computes once: divisions and remainders by one divisor, the
/// remainder of numbers that are divided too, sine and cosine of one angle. The last pass: the one of two
/// that stands first has all the work.
void share_expansions(ir::Function& f);

}  // namespace warpvp::ptx::machine
