#pragma once
// The one door between lowering and execution.

#include "ptx/program.h"

namespace warpvp::ptx {

/// The function that executes `inst` with modifiers `m`, or nullptr when that combination is not legal PTX or
/// not supported: lowering then refuses the module, naming the instruction. May rewrite `inst.aux`, and may
/// depend on inst.opcode, unit-independent operand counts and memory fields, which are filled before the call.
/// Control flow (bra, brx, call, ret, exit) returns a valid function too; `Warp::step` gives Inst::effect precedence.
///
/// Source operands of one instruction all have the width of its type, except where the PTX ISA says otherwise
/// (shift amounts, bit positions and masks are 32-bit). Immediates come as constant rows of that width, already
/// converted. Predicate operands come as kPred; a constant predicate does not exist.
ExecFn select_exec(Inst& inst, const Modifiers& m);

}  // namespace warpvp::ptx
