#pragma once
// Zeroes device memory from outside the simulated machine.

#include <cstdint>

#include "interconnect/device_memory.h"

namespace warpvp {

/// Makes [address, address + bytes) zero. Whole pages of the host are given back to it, so that much memory
/// that was never touched costs nothing.
void clear_memory(DeviceMemory& memory, std::uint64_t address, std::uint64_t bytes);

}  // namespace warpvp
