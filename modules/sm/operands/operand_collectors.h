#pragma once
// `sm.operands.type: collectors`: operand collectors over the banked register file of a sub-core.
//
// An issued instruction takes a collector, reads one row per bank and edge (banks serve in order of issue),
// and holds the collector until it starts on its unit. As every step is in order, all times are known at
// issue and kept as "free from" edges instead of per-cycle state. A read window of several cycles lies in the
// latencies of units, as chips have it for instructions of fixed latency (Huerta et al., MICRO 2025,
// section 5.3): only rows that are read after it delay a start.

#include <algorithm>

#include "modules/sm/config.h"
#include "modules/sm/operands/operand_stage.h"

namespace warpvp {

class alignas(64) OperandCollectors final : public OperandStage {
 public:
  OperandCollectors(const OperandConfig& config, StageSignals& signals)
      : OperandStage(signals),
        banks_(config.banks),
        collectors_(config.collectors),
        in_window_(config.read_window - 1) {}

  Cycle collect(const ptx::Inst& inst, unsigned warp, unsigned row_base, Cycle now,
                std::uint64_t& conflict_cycles) override {
    // The warp's number spreads the rows of different warps over the banks.
    return read(
        inst.read_rows, [&](unsigned i) { return row_base + inst.reads[i] + warp; }, now, conflict_cycles);
  }
  Cycle collect_renamed(const ptx::Inst& inst, const std::uint32_t* rows, Cycle now,
                        std::uint64_t& conflict_cycles) override {
    return read(
        inst.read_rows, [&](unsigned i) { return rows[i]; }, now, conflict_cycles);
  }

  /// The collector that was free first is taken until `start`.
  void leave(Cycle start) override {
    // The edges from which collectors are free, in ascending order from `first_` on: the first goes, the new
    // one is mostly the last.
    unsigned at = first_ + collectors_;
    first_ = (first_ + 1) % kMaxCollectors;
    for (; at % kMaxCollectors != first_ && free_at(at - 1) > start; --at) free_at(at) = free_at(at - 1);
    free_at(at) = start;
    signals_.operands_free_from = free_at(first_);
  }

  static constexpr unsigned kMaxBanks = 64, kMaxCollectors = 32;  ///< as OperandConfig allows

 private:
  /// Reads `count` rows, the i-th of which is row_of(i).
  template <class RowOf>
  Cycle read(unsigned count, RowOf&& row_of, Cycle now, std::uint64_t& conflict_cycles) {
    Cycle last = now + 1;
    for (unsigned i = 0; i < count; ++i) {
      Cycle& bank = bank_free_[bank_of(row_of(i))];
      bank = std::max(bank, now) + 1;
      last = std::max(last, bank);
    }
    const Cycle collected = std::max(now + 1, last - in_window_);
    conflict_cycles += collected - (now + 1);
    return collected;
  }
  unsigned bank_of(unsigned row) const { return banks_ & (banks_ - 1) ? row % banks_ : row & (banks_ - 1); }

  unsigned banks_, collectors_;
  Cycle in_window_;
  Cycle& free_at(unsigned i) { return collector_free_[i % kMaxCollectors]; }

  unsigned first_ = 0;
  Cycle collector_free_[kMaxCollectors] = {};  // a ring
  Cycle bank_free_[kMaxBanks] = {};
};

}  // namespace warpvp
