#pragma once
// Operand collectors over the banked register file of one sub-core, and the execution units they feed.
//
// An issued instruction takes a collector, reads one row per bank and edge (banks serve in order of issue),
// then starts on its unit as soon as that is free; until then it holds the collector. As every step is in
// order, all three times are known at issue and kept as "free from" edges instead of per-cycle state.

#include <algorithm>
#include <vector>

#include "base/cycle.h"
#include "modules/sm/config.h"
#include "ptx/program.h"

namespace warpvp {

class OperandStage {
 public:
  explicit OperandStage(const SmConfig& config)
      : bank_free_(config.operands.banks, 0), collector_free_(config.operands.collectors, 0) {
    for (unsigned u = 0; u < kUnits; ++u) {
      const UnitConfig& unit = config.unit(static_cast<ptx::Unit>(u));
      interval_[u] = unit.initiation_interval;
      backlog_[u] = unit.queue * unit.initiation_interval;
      unit_free_[u] = 0;
    }
  }

  /// A collector is free at edge `now`.
  bool collector_free(Cycle now) const { return earliest_collector_ <= now; }
  /// Unit `u` can be given one more instruction at edge `now`.
  bool unit_open(unsigned u, Cycle now) const { return unit_free_[u] <= now + backlog_[u]; }

  /// Passes `inst`, issued at `now`, through the stage. Returns the edge at which it starts on its unit, at
  /// least now + 1. `warp` spreads the rows of different warps over the banks.
  Cycle pass(const ptx::Inst& inst, unsigned warp, unsigned row_base, Cycle now,
             std::uint64_t& conflict_cycles) {
    Cycle collected = now + 1;
    const unsigned banks = static_cast<unsigned>(bank_free_.size());
    for (unsigned i = 0; i < inst.read_rows; ++i) {
      Cycle& bank = bank_free_[(row_base + inst.reads[i] + warp) % banks];
      bank = std::max(bank, now) + 1;
      collected = std::max(collected, bank);
    }
    conflict_cycles += collected - (now + 1);
    const unsigned u = static_cast<unsigned>(inst.unit);
    const Cycle start = std::max(collected, unit_free_[u]);
    unit_free_[u] = start + interval_[u];
    *std::min_element(collector_free_.begin(), collector_free_.end()) = start;
    earliest_collector_ = *std::min_element(collector_free_.begin(), collector_free_.end());
    return start;
  }

  static constexpr unsigned kUnits = static_cast<unsigned>(ptx::Unit::kCount);

 private:
  std::vector<Cycle> bank_free_, collector_free_;
  Cycle earliest_collector_ = 0;
  Cycle unit_free_[kUnits];
  Cycle interval_[kUnits], backlog_[kUnits];
};

}  // namespace warpvp
