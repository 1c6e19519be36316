#pragma once
// What passes between the issue side of an SM and its memory side.

#include <cstdint>

#include "base/cycle.h"
#include "modules/sm/memory/access_owner.h"
#include "ptx/exec/warp.h"

namespace warpvp {

/// One warp instruction for the load/store unit. Values have been moved already; this is about time only.
struct MemoryRequest {
  ptx::MemoryAccess access;
  AccessOwner owner;
  std::uint32_t token = 0;  ///< handed back when the instruction is complete
  std::uint32_t pc = 0;     ///< of its instruction
  std::uint64_t local_base =
      0;  ///< device address at which the warp's local memory is timed (interleaved by lane)
};

/// Who is told what becomes of memory instructions: the issue side of the SM.
class MemoryClient {
 public:
  virtual ~MemoryClient() = default;
  /// Some part of the access missed the first-level cache: dependants now wait for the long way (RAW_long).
  virtual void memory_missed(std::uint32_t token) = 0;
  /// All data is back (loads, atomics with a result), or the access left the load/store unit (stores).
  virtual void memory_done(std::uint32_t token) = 0;
  /// Every store and reduction the warp had issued before has been acknowledged; releases fences.
  virtual void stores_drained(unsigned warp) = 0;
};

}  // namespace warpvp
