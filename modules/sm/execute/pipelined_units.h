#pragma once
// `sm.execute: pipelined`: one unit of each kind, fed in order, with an initiation interval, a queue and the
// fixed latency of each class of operation. Operations that two units can execute go to the one that is free
// first.

#include <algorithm>

#include "modules/sm/config.h"
#include "modules/sm/execute/execute_stage.h"
#include "modules/sm/execute/issue_ports.h"

namespace warpvp {

class alignas(64) PipelinedUnits final : public ExecuteStage {
 public:
  PipelinedUnits(const SmConfig& config, StageSignals& signals)
      : ExecuteStage(signals), ports_(config.pipes), tensor_(config.tensor_unit) {
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
  /// A matrix product that occupies the tensor unit for `interval` cycles.
  Cycle start_tensor(Cycle interval, Cycle collected) {
    const Cycle start = std::max(collected, unit_free_[kTensor]);
    signals_.started_on = static_cast<std::uint8_t>(kTensor);
    unit_free_[kTensor] = start + interval;
    const Cycle backlog = tensor_.queue ? tensor_.queue * interval : 1;
    signals_.unit_open_from[kTensor] = unit_free_[kTensor] > backlog ? unit_free_[kTensor] - backlog : 0;
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
    return start_tensor(tensor_.cycles(inst), collected);
  }
  __attribute__((noinline)) Cycle product_result_at(const ptx::Inst& inst, Cycle start) const {
    return start - 1 + latency_[static_cast<unsigned>(inst.op_class)] + tensor_.cycles(inst);
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
  const TensorConfig tensor_;
};

}  // namespace warpvp
