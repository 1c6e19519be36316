#pragma once
// Where the chip's assembler puts the instructions by which the paths of a warp meet again.

#include "ptx/code_options.h"
#include "ptx/ir.h"

namespace warpvp::ptx::machine {

/// Counts in ir::Instruction::control what stands before each instruction: BMOV and BSSY at the end of the
/// last block that all threads of a divergent region pass before it, BSYNC where its paths meet, and NOP
/// before barriers of targets that need it. One region ends at one place, however many branches lead there,
/// and begins outside of the loops that it lasts longer than. After ptxas 11.8 for sm_70.
void place_control(ir::Function& f, const CodeOptions& options);

}  // namespace warpvp::ptx::machine
