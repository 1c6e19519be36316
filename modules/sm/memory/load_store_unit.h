#pragma once
// The load/store unit: takes warp instructions in order, splits them into transactions and serves these from
// the L1 data cache, shared memory and the constant cache. An instruction leaves when its last transaction
// has been taken; it is complete when the last part of its data is back.

#include <cstdint>
#include <vector>

#include "base/slot_pool.h"
#include "interconnect/policy_slot.h"
#include "interconnect/ring.h"
#include "modules/sm/memory/coalescer.h"
#include "modules/sm/memory/constant_cache.h"
#include "modules/sm/memory/l1_cache.h"
#include "modules/sm/memory/memory_admission.h"
#include "modules/sm/memory/memory_counters.h"
#include "modules/sm/memory/memory_port.h"
#include "modules/sm/memory/memory_request.h"
#include "modules/sm/memory/memory_side_config.h"
#include "modules/sm/memory/shared_memory.h"

namespace warpvp {

class LoadStoreUnit {
 public:
  LoadStoreUnit(const MemorySidePlace& place, L1Cache& l1, ConstantCache& constants, MemoryPort& port,
                LaunchCounters& counters);

  /// There is room, and the kernel may.
  bool can_accept(unsigned kernel_slot) const {
    return queued_ < queue_.size() && (!(limited_ | queue_limits_) || admits(kernel_slot));
  }
  /// Kernels may be refused though there is room.
  bool limits_kernels() const { return limited_ || queue_limits_; }
  void accept(const MemoryRequest& request, Cycle now);
  bool stores_outstanding(unsigned warp) const { return stores_[warp] != 0; }

  /// Completes what is due at edge `now`, then works on the queue.
  void evaluate(Cycle now);
  /// One of the responses an instruction waits for has come.
  void part_served(std::uint32_t id, Cycle now);
  /// Something a refused transaction may have waited for has changed: try it again at the next evaluate().
  void retry() { retry_ = constant_retry_ = bulk_retry_ = true; }
  Cycle next_work(Cycle now) const;
  bool idle() const { return instructions_.in_use() == 0; }
  /// Transactions, words and conflict cycles served, and parts that came back.
  std::uint64_t steps() const { return steps_; }
  /// Of its policy.
  void stats(StatVisitor& v) const;

 private:
  enum class Operation : std::uint8_t { kNone, kLoad, kLoadAround, kStore, kAtomic, kConstant, kParam };
  /// Which latency applies from the last transaction to the data.
  enum class Pipe : std::uint8_t { kNone, kL1, kShared, kConstant, kParam, kCount };

  /// An instruction that waits for the unit or is in it.
  struct Queued {
    WarpAccess info;
    Operation operation = Operation::kNone;
    Pipe pipe = Pipe::kNone;
    bool returns_value = false;
    unsigned shared_cycles = 0;
    unsigned count = 0, next = 0;
    LineAccess accesses[Coalescer::kMaxTransactions];  // of constants, `line` is the word's address
  };
  /// An instruction until its last part is served.
  struct InFlight {
    std::uint32_t token = 0;
    std::uint32_t parts = 0;  ///< responses to come, and one for the unit and its pipeline
    std::uint16_t warp = 0;
    bool store = false;  ///< counts among the warp's unacknowledged stores
    bool done_on_leaving = false;
    bool missed = false;
  };
  struct Due {
    Cycle cycle = 0;
    std::uint32_t id = 0;
  };
  /// A load from constant memory in a unit of its own.
  struct ConstantLoad {
    WarpAccess info;
    unsigned count = 0, next = 0;  // words; count 0: the unit is free
    std::uint64_t words[ptx::kWarpSize];
  };

  /// A bulk copy, in a unit of its own: a line after the other, past the L1.
  struct BulkCopy {
    WarpAccess info;
    Operation operation = Operation::kNone;
    ptx::LaneMask lanes = 0;  ///< spans not yet done
    ptx::BulkSpans spans;     ///< what is left of them
  };

  LoadStoreUnit(const MemorySidePlace& place, const MemorySideConfig& config, L1Cache& l1,
                ConstantCache& constants, MemoryPort& port, LaunchCounters& counters);
  bool admits(unsigned kernel_slot) const;
  void enqueue(const MemoryRequest& request, Queued& q, Cycle now);
  void work(Cycle now);
  L1Cache::Result serve(Queued& q, Cycle now);
  ConstantCache::Outcome look_up_constant(std::uint64_t address, const WarpAccess& info, Cycle now);
  void work_on_constant(Cycle now);
  void admit(const WarpAccess& info, unsigned transactions, Cycle now);
  void take_bulk(const MemoryRequest& request, Cycle now);
  void work_on_bulk(Cycle now);
  L1Cache::Result serve_bulk(BulkCopy& copy, const LineAccess& access, Cycle now);
  void part_missing(std::uint32_t id, unsigned parts);
  void leave(Queued& q, Cycle now);
  void next_in_queue();

  // What every edge looks at lies together.
  std::vector<Queued> queue_;  // a ring
  unsigned head_ = 0, queued_ = 0;
  std::uint64_t steps_ = 0;
  unsigned transactions_per_cycle_;
  unsigned sectors_per_cycle_;  // 0: no limit
  bool limited_ = false;        // by its policy
  bool queue_limits_ = false;   // the miss queue's
  // The head was refused: since when, why, and whether trying again can help.
  bool refused_ = false;
  bool retry_ = false;
  Reservation failure_ = Reservation::kWay;
  Cycle last_try_ = 0;
  GrowingRing<Due> due_[static_cast<unsigned>(Pipe::kCount)];
  SlotPool<InFlight> instructions_;       // in flight, by id
  std::vector<AdmittedAccess> admitted_;  // likewise, while kernels are limited
  std::vector<std::uint32_t> stores_;     // by warp
  Cycle latency_[static_cast<unsigned>(Pipe::kCount)];

  L1Cache& l1_;
  ConstantCache& constants_;
  MemoryPort& port_;
  LaunchCounters& counters_;
  MemoryClient& client_;
  const SmEvents& events_;
  Coalescer coalescer_;
  SharedMemoryBanks banks_;
  const PolicySlot<MemoryAdmission> admission_;
  bool cache_global_;

  unsigned cycles_per_word_;    // of constants
  unsigned word_cycles_ = 0;    // how long the present word of a constant load keeps its unit yet
  const bool constant_unit_;    // constants have a unit of their own
  bool constant_retry_ = true;  // its present word has not been refused, or trying again may help
  ConstantLoad constant_;       // in it

  GrowingRing<BulkCopy> bulk_;  // in turn
  bool bulk_retry_ = true;      // its present line has not been refused, or trying again may help
};

}  // namespace warpvp
