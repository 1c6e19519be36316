#pragma once
// How long the scheduler expects results to take.

#include "ptx/ir.h"

namespace warpvp::ptx::machine {

/// Cycles from the issue of `i` until an instruction that needs its result can issue.
unsigned expected_latency(const ir::Instruction& i);

}  // namespace warpvp::ptx::machine
