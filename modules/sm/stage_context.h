#pragma once
// Where a stage of a sub-core stands: what it is built from.

#include <string>
#include <utility>

#include "base/cycle.h"
#include "base/fields.h"
#include "modules/sm/policies.h"
#include "modules/sm/sm_context.h"

namespace warpvp {

struct SmConfig;
struct SmCounters;
struct StageSignals;
class MemorySide;
class SharedFrontEnd;

/// The context of the stage itself, as a policy has it, and what stages share beside. All that is referred to
/// outlives the stage.
struct StageContext : SmContext {
  StageContext(SmContext stage, const SmContexts& contexts, const SmConfig& config, MemorySide& memory,
               SmCounters& counters, StageSignals& signals, SharedFrontEnd* shared = nullptr)
      : SmContext(std::move(stage)),
        config(config),
        memory(memory),
        counters(counters),
        signals(signals),
        shared(shared),
        contexts_(contexts) {}

  const SmConfig& config;
  MemorySide& memory;     ///< of the SM
  SmCounters& counters;   ///< of the SM
  StageSignals& signals;  ///< of the sub-core
  SharedFrontEnd* shared;  ///< of the SM's front ends, of the type that their type makes; nullptr: none

  /// Of a policy that the stage asks.
  SmContext of_policy(const char* policy_kind, const PolicyChoice& choice) const {
    return contexts_.of(policy_kind, choice.name, sub_core);
  }
  /// "SM 0, scheduler 1, SM cycle 20", for messages.
  std::string place_at(Cycle now) const;

  /// Ends the run unless the policy's answer is a warp of `allowed`, or none. `what` those warps are, for the
  /// message; `kind` and `name` are the policy's.
  void check_pick(const char* kind, const std::string& name, const char* what, unsigned picked,
                  WarpMask allowed, Cycle now) const {
    if (picked < 64 ? (allowed >> picked & 1) == 0 : picked != kNoWarp)
      broken_contract(kind, name, what, picked, allowed, now);
  }

 private:
  const SmContexts& contexts_;
  [[noreturn]] void broken_contract(const char* kind, const std::string& name, const char* what,
                                    unsigned picked, WarpMask allowed, Cycle now) const;
};

}  // namespace warpvp
