#pragma once
// Bank conflicts of shared memory. Each bank delivers one word per cycle, to as many lanes as ask for that
// word.

#include <cstdint>

#include "ptx/program.h"

namespace warpvp {

class SharedMemoryBanks {
 public:
  /// Powers of two; `banks` at most 64.
  SharedMemoryBanks(unsigned banks, unsigned bank_bytes);

  /// Cycles the access of `bytes` (1..16) a lane at byte offsets offset[lane] keeps the banks busy; at
  /// least 1. Lanes that together ask for more than one word of every bank are served in phases (half warps
  /// for 8 bytes on 4-byte banks, quarters for 16). Atomics on one word are done one lane at a time: nothing
  /// is broadcast.
  unsigned cycles(const std::uint64_t* offset, ptx::LaneMask lanes, unsigned bytes, bool atomic) const;

 private:
  unsigned phase_cycles(const std::uint64_t* offset, ptx::LaneMask lanes, unsigned bytes) const;
  unsigned atomic_cycles(const std::uint64_t* offset, ptx::LaneMask lanes) const;

  unsigned banks_;
  unsigned bank_bytes_;
  unsigned word_shift_ = 0;
};

}  // namespace warpvp
