#pragma once
#include <cstdint>
#include <string>

#include "modules/command_processor/gdb/debug_target.h"

namespace warpvp::gdb {

/// Numbers of registers in g, p and P packets.
constexpr unsigned kPcRegister = 32;
constexpr unsigned kFirstCsrRegister = 65;  // as GDB counts them: behind x, pc and f registers

/// The core in GDB's XML for target descriptions: architecture, general registers, CSRs.
std::string describe_target(const DebugTarget& target);

}  // namespace warpvp::gdb
