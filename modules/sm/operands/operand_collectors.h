#pragma once
// `sm.operands.type: collectors`: operand collectors over the banked register file of a sub-core.
//
// An issued instruction takes a collector, reads one row per bank and edge (banks serve in order of issue),
// and holds the collector until it starts on its unit. As every step is in order, all times are known at
// issue and kept as "free from" edges instead of per-cycle state.

#include <algorithm>

#include "modules/sm/config.h"
#include "modules/sm/operands/operand_stage.h"

namespace warpvp {

class alignas(64) OperandCollectors final : public OperandStage {
 public:
  OperandCollectors(const OperandConfig& config, StageSignals& signals)
      : OperandStage(signals), banks_(config.banks), collectors_(config.collectors) {}

  Cycle collect(const ptx::Inst& inst, unsigned warp, unsigned row_base, Cycle now,
                std::uint64_t& conflict_cycles) override {
    Cycle collected = now + 1;
    // The warp's number spreads the rows of different warps over the banks.
    for (unsigned i = 0; i < inst.read_rows; ++i) {
      Cycle& bank = bank_free_[bank_of(row_base + inst.reads[i] + warp)];
      bank = std::max(bank, now) + 1;
      collected = std::max(collected, bank);
    }
    conflict_cycles += collected - (now + 1);
    return collected;
  }

  /// The collector that was free first is taken until `start`.
  void leave(Cycle start) override {
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
    signals_.operands_free_from = std::min(second, start);
  }

  static constexpr unsigned kMaxBanks = 64, kMaxCollectors = 32;  ///< as OperandConfig allows

 private:
  unsigned bank_of(unsigned row) const { return banks_ & (banks_ - 1) ? row % banks_ : row & (banks_ - 1); }

  unsigned banks_, collectors_;
  Cycle collector_free_[kMaxCollectors] = {};
  Cycle bank_free_[kMaxBanks] = {};
};

}  // namespace warpvp
