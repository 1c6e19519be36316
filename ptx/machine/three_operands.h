#pragma once
// Pass: instructions of three operands that the chip has and PTX has not.

#include "ptx/ir.h"

namespace warpvp::ptx::machine {

/// Of two dependent instructions of one block, the first of which nobody else reads, one, as ptxas writes:
/// sums and differences of three (IADD3), any logic of three (LOP3), both of 32 and 64 bits; logic of three
/// whose comparison with zero is all that is wanted (LOP3 with a predicate); a 64-bit sum with an operand
/// that is shifted, extended by zeros, or both (LEA); the two shifts of a rotation or funnel shift (SHF). At
/// most one operand is a constant or from a constant bank. Carries and saturation are left alone.
void fuse_three(ir::Function& f);

}  // namespace warpvp::ptx::machine
