#pragma once
// The interface of refresh policies (registry kind "dram_refresh"): which banks are refreshed when.

#include <cstdint>

#include "base/cycle.h"
#include "base/stats.h"
#include "interconnect/policy_context.h"
#include "modules/dram/timing.h"

namespace warpvp {

class DramRefreshPolicy {
 public:
  static constexpr const char* kKind = "dram_refresh";
  using Context = PolicyContext;

  /// A refresh command. Its banks are precharged first, and not activated until it is over.
  struct Refresh {
    Cycle due = 0;             ///< when it is to begin; it begins later where a bank cannot be precharged yet
    std::uint64_t banks = 0;   ///< a bit for each; bank = group * banks_per_group + bank in group
    std::uint32_t cycles = 0;  ///< how long its banks are busy
    std::uint64_t count =
        1;  ///< commands that this one stands for: those before it that no access can notice
  };

  virtual ~DramRefreshPolicy() = default;
  /// What the policy counts; shown summed over the channels.
  virtual void stats(StatVisitor&) const {}
  /// Called once, before all else. Throws InputError when the parameters do not fit the device.
  virtual void configure(const DramTiming& timing) = 0;
  /// When the next refresh is due; kNever: never. Changes in take() only.
  virtual Cycle next() const = 0;
  /// A refresh that is due: not before next() and not after `now`. Afterwards next() is later than its `due`.
  /// While the channel has nothing to do nobody asks; what fell into such a time is asked for when a request
  /// comes, and the policy may sum up what lies so far back that it cannot matter any more (Refresh::count).
  /// `waiting`: the banks for which accesses wait, a bit for each.
  virtual Refresh take(Cycle now, std::uint64_t waiting) = 0;
};

/// Of the group of its statistics.
inline constexpr const char kDramRefreshSentence[] = "What the refresh policy counts.";

}  // namespace warpvp
