#pragma once
// Which code lowering makes of PTX.

#include <cstdint>

#include "base/sm_resources.h"

namespace warpvp::ptx {

enum class Code : std::uint8_t {
  kPtx,      ///< an instruction for each of the PTX text, in its order
  kMachine,  ///< what the chip's assembler would make of it: docs/ptx.md, section "Machine code"
};

/// What lowering must know of the machine that the code is for.
struct CodeOptions {
  Code code = Code::kPtx;
  /// Machine code: BSSY and BSYNC where the paths of a warp part and meet, as from compute capability 7.0 on.
  bool convergence_barriers = false;
  /// Machine code: a NOP before each barrier, as for compute capability 7.0.
  bool nop_before_barriers = false;
  /// Registers a thread takes at least, whatever the code needs.
  std::uint32_t least_registers = 0;
  /// What CTAs share on an SM: registers a thread at most, and what occupancy is computed from.
  SmResources sm;
};

}  // namespace warpvp::ptx
