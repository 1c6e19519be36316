#pragma once
// What firmware may want to know of the device's SMs and of its memory system, beyond its own machine.

#include <cstdint>

namespace warpvp {

struct DeviceFacts {
  std::uint32_t sm_clock_khz = 0;
  std::uint32_t credit_cycles = 0;       ///< interval of the credits of SMs' miss queues; 0: they give none
  std::uint32_t line_bytes = 0;          ///< of the L2
  std::uint32_t reply_header_bytes = 0;  ///< of a reply on the network
  /// That network and DRAM can sustain, in bytes a second; 0: not limited.
  std::uint64_t network_rate = 0, dram_rate = 0;
};

}  // namespace warpvp
