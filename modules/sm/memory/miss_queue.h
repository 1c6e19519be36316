#pragma once
// Requests of the L1 data cache that wait to leave the SM, and the policy that orders them. This is where an
// issue-rate controller sits (CCBP sections 5 and 6): requests are queued by kernel slot, taken under
// arbitration, at most one per cycle, and responses are observed with the DRAM accesses they caused.

#include <memory>

#include "base/cycle.h"
#include "base/registry.h"
#include "base/stats.h"
#include "modules/sm/sm_context.h"

namespace warpvp {

class Transaction;  // what they hold: interconnect/transaction.h, which brings TLM
struct MemExtension;

class MissQueue {
 public:
  static constexpr const char* kKind = "miss_queue";
  using Context = SmContext;
  virtual ~MissQueue() = default;

  /// Called once before use: room for `entries` requests in all.
  virtual void configure(unsigned entries) = 0;
  /// Room for `count` more requests of this kernel slot; MemExtension::kNone: write-backs that belong to
  /// none.
  virtual bool can_push(unsigned kernel_slot, unsigned count) const = 0;
  /// True: admits() is to be asked.
  virtual bool limits_instructions() const { return false; }
  /// Whether the load/store unit may take another memory instruction of the kernel: one that it takes and
  /// this queue has no room for keeps all behind it waiting, whosever they are.
  virtual bool admits(unsigned /*kernel_slot*/) const { return true; }
  /// Queues a request at edge `now`; requires can_push(). The kernel slot is in its extension.
  virtual void push(Transaction& request, Cycle now) = 0;
  /// The request that leaves at edge `now`, taken out; nullptr when none may (empty, or no credit).
  virtual Transaction* pop(Cycle now) = 0;
  virtual bool empty() const = 0;
  /// First edge after `now` at which pop() may give something without further push(); kNever when empty.
  virtual Cycle next_issue(Cycle now) const = 0;
  /// A response arrived for a request of this queue (read or write, DRAM accesses it caused).
  virtual void response(const MemExtension& request, bool read, Cycle now) = 0;
  /// Edges after which kernels' credits are renewed; 0: it gives none, and has no registers of
  /// regmap::sm::miss_queue.
  virtual Cycle credit_interval() const { return 0; }
  /// What the policy counts. Also called without configure(), for the reference of all statistics.
  virtual void stats(StatVisitor& v) const = 0;
};
/// Of the group of a miss queue's statistics.
inline constexpr const char kMissQueueSentence[] = "What the policy of the L1's miss queue counts.";

}  // namespace warpvp
