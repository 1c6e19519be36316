#pragma once
// What the stages of a sub-core are built from.

#include <string>

#include "base/cycle.h"
#include "modules/sm/policies.h"

namespace warpvp {

struct SmConfig;
struct SmCounters;
struct StageSignals;
class MemorySide;

/// All that is referred to outlives the stage.
struct StageContext {
  const SmConfig& config;
  MemorySide& memory;     ///< of the SM
  SmCounters& counters;   ///< of the SM
  StageSignals& signals;  ///< of the sub-core
  unsigned sm = 0, sub_core = 0;

  unsigned warps() const;  ///< positions in the sub-core
  /// "SM 0, scheduler 1, SM cycle 20", for messages.
  std::string place(Cycle now) const;

  /// Ends the run unless the policy's answer is a warp of `allowed`, or none. `what` those warps are, for the
  /// message; `kind` and `name` are the policy's.
  void check_pick(const char* kind, const std::string& name, const char* what, unsigned picked,
                  WarpMask allowed, Cycle now) const {
    if (picked < 64 ? (allowed >> picked & 1) == 0 : picked != kNoWarp)
      broken_contract(kind, name, what, picked, allowed, now);
  }

 private:
  [[noreturn]] void broken_contract(const char* kind, const std::string& name, const char* what,
                                    unsigned picked, WarpMask allowed, Cycle now) const;
};

}  // namespace warpvp
