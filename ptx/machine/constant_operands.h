#pragma once
// Pass: kernel parameters, launch dimensions and constant memory as operands from the constant banks.

#include "ptx/legalise.h"

namespace warpvp::ptx::machine {

/// The chip has a kernel's parameters, its launch dimensions, its module's constant memory and the addresses
/// of variables in constant banks that arithmetic reads directly, one such operand, or one immediate, an
/// instruction. Reads of a register that only holds such a value become reads of a register of the bank
/// (ir::Register::constant, LegalFunction::constants), which costs no instruction and none of the thread's
/// registers. Other reads, of memory instructions above all, get it from a move in place of the load. Kernels
/// only: functions have their parameters in frames. Of constant memory what lies inside a variable at an
/// offset that is known here, with the addresses at most kMostConstantWords of a kernel, the first of its
/// text.
void use_constant_operands(const ir::Module& m, LegalFunction& legal);

/// A warp gets its copies of them when it starts.
inline constexpr unsigned kMostConstantWords = 64;

}  // namespace warpvp::ptx::machine
