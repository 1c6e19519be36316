#pragma once
// The interface of the L2's write-back policies (registry kind "l2_write_back"): when a bank writes dirty
// lines to DRAM before their room is needed. They stay in the cache, clean. A dirty line that is evicted is
// written back in any case.

#include <cstdint>

#include "base/stats.h"
#include "interconnect/policy_context.h"

namespace warpvp {

class L2WriteBackPolicy {
 public:
  static constexpr const char* kKind = "l2_write_back";
  using Context = PolicyContext;

  struct State {
    std::uint64_t sectors = 0;  ///< of the bank
    std::uint64_t dirty = 0;    ///< of these, dirty
  };

  virtual ~L2WriteBackPolicy() = default;
  /// Whether the line that has been dirty for longest is to be written back now. Asked after each write, and
  /// again after each line, for at most two lines a write.
  virtual bool clean(const State& state) = 0;
  /// Visits what the policy counts. Nothing by default.
  virtual void stats(StatVisitor&) const {}
};
inline constexpr const char kL2WriteBackPolicySentence[] = "What the write-back policy counts.";

}  // namespace warpvp
