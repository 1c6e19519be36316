#pragma once
// What the stages of a sub-core show each other: who is ready for what, who has room from when. Each field is
// kept by one stage and read by the others. They lie together because every edge looks at them, and the state
// of all SMs is larger than the host's caches.

#include "base/cycle.h"
#include "modules/sm/policies.h"
#include "ptx/program.h"

namespace warpvp {

struct alignas(64) StageSignals {
  static constexpr unsigned kUnits = static_cast<unsigned>(ptx::Unit::kCount);
  /// Where an instruction may be let in (execute/issue_ports.h): a unit, or the integer and the
  /// single-precision unit, whichever is free.
  static constexpr unsigned kEitherPort = kUnits, kPorts = kUnits + 1;
  static constexpr unsigned kNoPort = kPorts;  ///< what a NOP needs

  // Kept by the sub-core, for the issue stage: warps whose head has its operands, all of them and by the
  // port it needs. The last of `ready_for` is of NOPs, which need none.
  WarpMask ready = 0;
  WarpMask ready_for[kPorts + 1] = {};
  std::uint32_t ready_ports = 0;  ///< which of `ready_for` have any

  // Of the execution units: on which one the last instruction started; kUnits where they do not say.
  std::uint8_t started_on = kUnits;

  // Of the issue stage, which sets it at edges at which all ready warps are refused; the sub-core clears it
  // before each: the edge from which a unit or the operand stage may take one, if nothing about the warps
  // changes; kNever: these keep none back. Then sub-cores need not be looked at, unless the load/store unit
  // has worked. And which warps are refused, to be charged at each edge as kUnitBusy, and as kLsuFull.
  Cycle refused_until = 0;
  WarpMask refused_busy = 0, refused_full = 0;

  // Of the operand stage and of the execution units: the edge from which there is room for an instruction.
  Cycle operands_free_from = 0;
  Cycle unit_open_from[kPorts] = {};  ///< of kEitherPort: the earlier of the two

  // Of the front end.
  Cycle arrival = kNever;  ///< the next edge at which something is delivered
  WarpMask fetchable = 0;  ///< warps that a fetch may be for
  WarpMask heads = 0;      ///< warps that have something to issue in their I-buffer

  // Kept by the sub-core, for policies.
  WarpMask resident = 0;
  WarpMask long_stalled = 0;  ///< wait for data of a load that missed the L1
  WarpMask held = 0;          ///< at a barrier or fence, or exited, or their CTA may not issue
};

}  // namespace warpvp
