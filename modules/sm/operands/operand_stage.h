#pragma once
// Operand collectors over the banked register file of one sub-core, and the execution units they feed.
//
// An issued instruction takes a collector, reads one row per bank and edge (banks serve in order of issue),
// then starts on its unit as soon as that is free; until then it holds the collector. As every step is in
// order, all three times are known at issue and kept as "free from" edges instead of per-cycle state.

#include <algorithm>

#include "base/cycle.h"
#include "modules/sm/config.h"
#include "ptx/program.h"

namespace warpvp {

// Issue asks it at every edge with a ready warp, so the answers lie in one line of the host's cache.

class alignas(64) OperandStage {
 public:
  explicit OperandStage(const SmConfig& config)
      : banks_(config.operands.banks), collectors_(config.operands.collectors) {
    for (unsigned u = 0; u < kUnits; ++u) {
      const UnitConfig& unit = config.unit(static_cast<ptx::Unit>(u));
      interval_[u] = unit.initiation_interval;
      // Without a queue, an instruction is taken if it starts as soon as it can: at the edge after its issue.
      backlog_[u] = unit.queue ? unit.queue * unit.initiation_interval : 1;
      open_from_[u] = 0;
    }
  }

  /// A collector is free at edge `now`.
  bool collector_free(Cycle now) const { return earliest_collector_ <= now; }
  /// Unit `u` can be given one more instruction at edge `now`.
  bool unit_open(unsigned u, Cycle now) const { return open_from_[u] <= now; }

  /// Passes `inst`, issued at `now`, through the stage. Returns the edge at which it starts on its unit, at
  /// least now + 1. `warp` spreads the rows of different warps over the banks.
  Cycle pass(const ptx::Inst& inst, unsigned warp, unsigned row_base, Cycle now,
             std::uint64_t& conflict_cycles) {
    Cycle collected = now + 1;
    for (unsigned i = 0; i < inst.read_rows; ++i) {
      Cycle& bank = bank_free_[bank_of(row_base + inst.reads[i] + warp)];
      bank = std::max(bank, now) + 1;
      collected = std::max(collected, bank);
    }
    conflict_cycles += collected - (now + 1);
    const unsigned u = static_cast<unsigned>(inst.unit);
    const Cycle start = std::max(collected, unit_free_[u]);
    unit_free_[u] = start + interval_[u];
    open_from_[u] = unit_free_[u] > backlog_[u] ? unit_free_[u] - backlog_[u] : 0;
    hold_collector(start);
    return start;
  }

  static constexpr unsigned kUnits = static_cast<unsigned>(ptx::Unit::kCount);
  static constexpr unsigned kMaxBanks = 64, kMaxCollectors = 32;  ///< as OperandConfig allows

 private:
  unsigned bank_of(unsigned row) const { return banks_ & (banks_ - 1) ? row % banks_ : row & (banks_ - 1); }

  /// The collector that was free first is taken until `start`.
  void hold_collector(Cycle start) {
    unsigned taken = 0;
    Cycle second = kNever;
    for (unsigned c = 1; c < collectors_; ++c) {
      if (collector_free_[c] < collector_free_[taken]) {
        second = collector_free_[taken];
        taken = c;
      } else {
        second = std::min(second, collector_free_[c]);
      }
    }
    collector_free_[taken] = start;
    earliest_collector_ = std::min(second, start);
  }

  Cycle earliest_collector_ = 0;
  Cycle open_from_[kUnits];  // edge from which the unit's queue has room
  unsigned banks_, collectors_;
  Cycle unit_free_[kUnits] = {};
  Cycle interval_[kUnits], backlog_[kUnits];
  Cycle collector_free_[kMaxCollectors] = {};
  Cycle bank_free_[kMaxBanks] = {};
};

}  // namespace warpvp
