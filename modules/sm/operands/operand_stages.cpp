// The types of operand stage.

#include "base/registry.h"
#include "modules/sm/config.h"
#include "modules/sm/operands/operand_collectors.h"
#include "modules/sm/stage_context.h"

namespace warpvp {
namespace {

class Collectors : public OperandStageType {
 public:
  std::unique_ptr<OperandStage> build(const StageContext& context) const override {
    return std::make_unique<OperandCollectors>(context.config.operands, context.signals);
  }
};
WARPVP_REGISTER_POLICY(OperandStageType, Collectors, "collectors",
                       "Operand collectors over a banked register file; banks serve in order of issue.");

/// What the register file would give if it had a port for every operand.
class WithoutConflicts : public OperandStage {
 public:
  explicit WithoutConflicts(StageSignals& signals) : OperandStage(signals) {}
  Cycle collect(const ptx::Inst&, unsigned, unsigned, Cycle now, std::uint64_t&) override { return now + 1; }
  Cycle collect_renamed(const ptx::Inst&, const std::uint32_t*, Cycle now, std::uint64_t&) override {
    return now + 1;
  }
  void leave(Cycle) override {}
};
class IdealOperands : public OperandStageType {
 public:
  std::unique_ptr<OperandStage> build(const StageContext& context) const override {
    return std::make_unique<WithoutConflicts>(context.signals);
  }
};
WARPVP_REGISTER_POLICY(OperandStageType, IdealOperands, "ideal",
                       "Every instruction has its operands at the edge after its issue; for limit studies.");

}  // namespace
}  // namespace warpvp
