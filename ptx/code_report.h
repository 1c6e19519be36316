#pragma once
// What `warpvp ptx` says about machine code: PTX's own order and the machine's beside each other.

#include <string>

#include "ptx/program.h"

namespace warpvp::ptx {

/// A table of instructions by class and of registers, of one kernel before and after.
std::string compare_code(const Program& before, const Program& after);

/// All instructions of a kernel with the lines of PTX they came from.
std::string list_code(const Program& program);

}  // namespace warpvp::ptx
