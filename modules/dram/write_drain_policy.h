#pragma once
// The interface of write drain policies (registry kind "dram_write_drain"): when queued writes go before
// waiting reads. When no read waits, writes go without asking.

#include <cstdint>

#include "base/stats.h"
#include "interconnect/policy_context.h"

namespace warpvp {

class DramWriteDrainPolicy {
 public:
  static constexpr const char* kKind = "dram_write_drain";
  using Context = PolicyContext;

  /// The configured write queue, in requests.
  struct Queue {
    std::uint32_t capacity = 0;
    std::uint32_t high = 0, low = 0;  ///< `write_high` and `write_low` of the controller
  };
  struct View {
    unsigned reads = 0;     ///< column accesses of reads that wait
    unsigned writes = 0;    ///< write requests that wait, at least 1
    bool draining = false;  ///< a drain is under way
    unsigned drained = 0;   ///< write requests sent since it began
  };

  virtual ~DramWriteDrainPolicy() = default;
  /// What the policy counts; shown summed over the channels.
  virtual void stats(StatVisitor&) const {}
  /// Called once, before all else. Throws InputError when the parameters do not fit the queue.
  virtual void configure(const Queue&) {}
  /// Whether a drain begins, or goes on. The answer depends on the view alone: it is asked for as often as
  /// the controller needs it, for what it does at this cycle and to know when to wake.
  virtual bool drain(const View& view) const = 0;
};

/// Of the group of its statistics.
inline constexpr const char kDramWriteDrainSentence[] = "What the write drain policy counts.";

}  // namespace warpvp
