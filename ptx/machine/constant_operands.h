#pragma once
// Pass: kernel parameters and launch dimensions as operands from the constant bank.

#include "ptx/legalise.h"

namespace warpvp::ptx::machine {

/// The chip has a kernel's parameters and its launch dimensions in a constant bank that arithmetic reads
/// directly, one such operand, or one immediate, an instruction. Reads of a register that only holds such a
/// value become reads of a register of the bank (ir::Register::constant, LegalFunction::constants), which
/// costs no instruction and none of the thread's registers. Other reads, of memory instructions above all,
/// get it from a move in place of the load. Kernels only: functions have their parameters in frames.
void use_constant_operands(LegalFunction& legal);

}  // namespace warpvp::ptx::machine
