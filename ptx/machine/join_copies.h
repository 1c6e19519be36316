#pragma once
// Pass: copies between registers that can be one register.

#include "ptx/ir.h"

namespace warpvp::ptx::machine {

/// Takes out `mov a, b` where a and b are of one width and never alive at once, by making them one register:
/// the moves that carry values around loops and to where ways meet.
void join_copies(ir::Function& f);

}  // namespace warpvp::ptx::machine
