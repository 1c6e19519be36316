#pragma once
// `sm.execute: pipelined`: one unit of each kind, fed in order, with an initiation interval, a queue and the
// fixed latency of each class of operation. Operations that two units can execute go to the one that is free
// first.

#include <algorithm>
#include <memory>

#include "modules/sm/config.h"
#include "modules/sm/execute/execute_stage.h"
#include "modules/sm/execute/issue_ports.h"
#include "modules/sm/execute/product_times.h"

namespace warpvp {

class alignas(64) PipelinedUnits final : public ExecuteStage {
 public:
  PipelinedUnits(const SmConfig& config, StageSignals& signals)
      : ExecuteStage(signals),
        ports_(config.pipes),
        config_(config),
        tensor_queue_(config.tensor_unit.queue) {
    for (unsigned u = 0; u < kUnits; ++u) {
      const UnitConfig& unit = config.unit(static_cast<ptx::Unit>(u));
      interval_[u] = unit.initiation_interval;
      // Without a queue, an instruction is taken if it starts as soon as it can: at the edge after its issue.
      backlog_[u] = unit.queue ? unit.queue * unit.initiation_interval : 1;
    }
    for (unsigned c = 0; c < kClasses; ++c)
      latency_[c] = static_cast<std::uint16_t>(config.latency.of(static_cast<ptx::OpClass>(c)));
  }

  Cycle start(const ptx::Inst& inst, Cycle collected) override {
    if (is_product(inst)) return start_product(inst, collected);
    return start_at(ports_.of(inst), collected);
  }
  /// The same for an instruction of which only the port is known.
  Cycle start_at(unsigned port, Cycle collected) {
    const unsigned u = port != StageSignals::kEitherPort      ? port
                       : unit_free_[kFp32] < unit_free_[kInt] ? kFp32
                                                              : kInt;
    const Cycle start = std::max(collected, unit_free_[u]);
    signals_.started_on = static_cast<std::uint8_t>(u);
    unit_free_[u] = start + interval_[u];
    signals_.unit_open_from[u] = unit_free_[u] > backlog_[u] ? unit_free_[u] - backlog_[u] : 0;
    signals_.unit_open_from[StageSignals::kEitherPort] =
        std::min(signals_.unit_open_from[kInt], signals_.unit_open_from[kFp32]);
    return start;
  }
  /// A matrix product that occupies the tensor unit for `interval` of ProductTimes.
  Cycle start_tensor(std::uint32_t interval, Cycle collected) {
    constexpr Cycle kParts = ProductTimes::kParts;
    const Cycle start = std::max(collected, (tensor_free_ + kParts - 1) / kParts);
    signals_.started_on = static_cast<std::uint8_t>(kTensor);
    // Fractions add up as long as one product waits for the one before.
    const bool waited = tensor_free_ > (start - 1) * kParts;
    tensor_free_ = (waited ? tensor_free_ : start * kParts) + interval;
    const Cycle backlog = tensor_queue_ ? Cycle{tensor_queue_} * interval : kParts;
    signals_.unit_open_from[kTensor] =
        tensor_free_ > backlog ? (tensor_free_ - backlog + kParts - 1) / kParts : 0;
    return start;
  }
  Cycle result_at(const ptx::Inst& inst, Cycle start) const override {
    if (is_product(inst)) return product_result_at(inst, start);
    return start - 1 + latency_[static_cast<unsigned>(inst.op_class)];
  }

 private:
  // Rare, and away from the path of all others.
  static bool is_product(const ptx::Inst& inst) {
    return __builtin_expect(inst.unit == ptx::Unit::kTensor, 0);
  }
  __attribute__((noinline)) Cycle start_product(const ptx::Inst& inst, Cycle collected) {
    return start_tensor(products().of(inst).interval, collected);
  }
  __attribute__((noinline)) Cycle product_result_at(const ptx::Inst& inst, Cycle start) const {
    return start - 1 + products().of(inst).latency;
  }
  /// Made when there is a product: most kernels have none.
  const ProductTimes& products() const {
    if (!products_) products_ = std::make_unique<ProductTimes>(config_.tensor_unit, config_.latency.tensor);
    return *products_;
  }

  static constexpr unsigned kTensor = static_cast<unsigned>(ptx::Unit::kTensor);
  static constexpr unsigned kUnits = StageSignals::kUnits;
  static constexpr unsigned kInt = static_cast<unsigned>(ptx::Unit::kInt),
                            kFp32 = static_cast<unsigned>(ptx::Unit::kFp32);
  static constexpr unsigned kClasses = static_cast<unsigned>(ptx::OpClass::kCount);
  Cycle unit_free_[kUnits] = {};
  std::uint32_t interval_[kUnits], backlog_[kUnits];
  const IssuePorts ports_;
  std::uint16_t latency_[kClasses];  // at most 900, as LatencyConfig allows
  const SmConfig& config_;
  mutable std::unique_ptr<const ProductTimes> products_;
  const std::uint32_t tensor_queue_;
  Cycle tensor_free_ = 0;  // in parts of cycles
};

}  // namespace warpvp
