#pragma once
// Microbenchmarks of what today's programs have beside the instructions of micro_code.h: matrices, half
// precision, exchange between the lanes of a warp.

#include <vector>

#include "sw/apps/micro_code.h"

namespace warpvp::apps {

/// Behind those of micro_code.cpp in micro_instructions().
std::vector<MicroInstruction> micro_matrix_instructions();

}  // namespace warpvp::apps
