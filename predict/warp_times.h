#pragma once
// When a warp's next instruction may issue, as far as the warp itself decides: operands, fences, copies.

#include <algorithm>
#include <cstdint>
#include <vector>

#include "modules/sm/config.h"
#include "modules/sm/stage_signals.h"
#include "predict/trace.h"

namespace warpvp::predict {

/// Since all latencies are given, every row has an edge from which it may be used; nothing is ever "pending".
class WarpTimes {
 public:
  WarpTimes(const LatencyConfig& latency = {}) : latency_(latency) {}

  struct Clear {
    Cycle operands = 0;    ///< first edge without a hazard
    Cycle waits_long = 0;  ///< until here for a load from device memory
  };

  Clear clear(const Instruction& inst, const WarpTrace::Frame& frame) {
    Clear clear;
    const auto look = [&](std::vector<Entry>& entries, std::size_t base,
                          const std::vector<std::uint16_t>& list) {
      for (std::uint16_t i : list) {
        const Entry& e = at(entries, base + i);
        clear.operands = std::max(clear.operands, e.from);
        if (e.is_long) clear.waits_long = std::max(clear.waits_long, e.from);
      }
    };
    look(rows_, frame.row_base, inst.reads);
    look(rows_, frame.row_base, inst.writes);
    for (const auto* const list : {&inst.reads, &inst.writes})
      for (const std::uint16_t i : *list) {
        const Entry& e = at(rows_, frame.row_base + i);
        if (e.from != 0) clear.operands = std::max(clear.operands, e.from + later(inst, e.unit));
      }
    look(preds_, frame.pred_base, inst.pred_reads);
    look(preds_, frame.pred_base, inst.pred_writes);
    if (inst.address) {
      for (const std::uint16_t i : inst.reads) {
        const Entry& e = at(rows_, frame.row_base + i);
        if (e.from != 0 && !e.of_memory) clear.operands = std::max(clear.operands, e.from + latency_.address);
      }
    }
    if (inst.guard != Instruction::kNoGuard) {
      const Cycle from = at(preds_, frame.pred_base + inst.guard).from;
      if (from != 0) clear.operands = std::max(clear.operands, from + latency_.guard);
    }
    return clear;
  }

  /// What the instruction, which ran on `unit`, writes may be used from `from` on. `step`: of it.
  void written(const Instruction& inst, const WarpTrace::Frame& frame, Cycle from, const Step& step,
               unsigned unit) {
    const Entry entry{from, step.is(Step::kMemory) && step.is(Step::kLong), step.is(Step::kMemory),
                      static_cast<std::uint8_t>(unit)};
    for (std::uint16_t i : inst.writes) at(rows_, frame.row_base + i) = entry;
    for (std::uint16_t i : inst.pred_writes) at(preds_, frame.pred_base + i) = entry;
  }
  /// A memory access is under way until `done`.
  void access(const Step& step, Cycle done) {
    all_done_ = std::max(all_done_, done);
    if (step.is(Step::kStore)) stores_done_ = std::max(stores_done_, done);
    if (step.is(Step::kCopy)) copies_done_ = std::max(copies_done_, done);
  }

  /// First edge after which a fence or a wait for copies at `now` lets the warp go on; `now` if it does not
  /// hold it. What holds a warp at all holds it until both stores and copies are complete.
  Cycle held_until(const Step& step, Cycle now) const {
    const bool holds =
        (step.is(Step::kFence) && stores_done_ > now) || (step.is(Step::kCopies) && copies_done_ > now);
    return holds ? std::max(stores_done_, copies_done_) : now;
  }
  Cycle all_done() const { return all_done_; }

 private:
  struct Entry {
    Cycle from = 0;
    bool is_long = false, of_memory = false;
    std::uint8_t unit = StageSignals::kUnits;
  };
  static constexpr unsigned kInt = static_cast<unsigned>(ptx::Unit::kInt),
                            kFp32 = static_cast<unsigned>(ptx::Unit::kFp32);
  /// How much later than its own unit `inst` has what `unit` yields.
  std::uint32_t later(const Instruction& inst, unsigned unit) const {
    if (unit != kInt && unit != kFp32) return 0;
    if (inst.special) return latency_.special_operand;
    return inst.unit == (unit == kInt ? kFp32 : kInt) ? latency_.other_pipe : 0;
  }
  static Entry& at(std::vector<Entry>& entries, std::size_t i) {
    if (i >= entries.size()) entries.resize(2 * i + 1);
    return entries[i];
  }

  LatencyConfig latency_;
  std::vector<Entry> rows_, preds_;
  Cycle all_done_ = 0, stores_done_ = 0, copies_done_ = 0;
};

}  // namespace warpvp::predict
