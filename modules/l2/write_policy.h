#pragma once
// The interface of the L2's write policies (registry kind "l2_write_policy"): whether a write takes its line
// into the bank, and whether its data goes on to DRAM at once. When dirty lines are written back before they
// must is another policy's affair (write_back_policy.h).

#include "base/stats.h"
#include "base/tag_replacement.h"
#include "interconnect/policy_context.h"

namespace warpvp {

class L2WritePolicy {
 public:
  static constexpr const char* kKind = "l2_write_policy";
  using Context = PolicyContext;

  struct Write {
    bool present = false;  ///< the line is in the bank, or on its way
    bool whole = false;    ///< there are sectors that the write covers whole
    bool atomic = false;   ///< performed in the bank, which needs the line whatever the policy says
    CacheUser by;
  };
  struct Decision {
    /// An absent line is taken in. What is not taken in goes to DRAM at once.
    bool allocate = true;
    /// The data goes to DRAM at once, and what is here of it stays clean.
    bool through = false;
  };

  virtual ~L2WritePolicy() = default;
  /// Asked each time that a write is tried, which may be several times for one that has to wait.
  virtual Decision decide(const Write& write) = 0;
  /// Visits what the policy counts. Nothing by default.
  virtual void stats(StatVisitor&) const {}
};
inline constexpr const char kL2WritePolicySentence[] = "What the write policy counts.";

}  // namespace warpvp
