#pragma once
// The face of the operand stage of a sub-core (`sm.operands.type`): between issue and the execution units an
// instruction collects its operands from the register file.

#include <cstdint>
#include <memory>

#include "base/cycle.h"
#include "base/stats.h"
#include "modules/sm/stage_signals.h"
#include "ptx/program.h"

namespace warpvp {

struct StageContext;

class OperandStage {
 public:
  virtual ~OperandStage() = default;

  /// Takes `inst`, issued at `now`, where StageSignals::operands_free_from allows. `row_base` is the warp's
  /// frame, `warp` its position in the sub-core. Returns the edge at which it has its operands, at least now
  /// + 1, and adds the cycles lost to conflicts. leave() follows before anything else.
  virtual Cycle collect(const ptx::Inst& inst, unsigned warp, unsigned row_base, Cycle now,
                        std::uint64_t& conflict_cycles) = 0;
  /// The same of an instruction whose rows have other names (issue/row_map.h): row `rows[i]` for the i-th of
  /// `inst.read_rows`, as banks count them: of a warp's own rows, the row and the warp's position are added.
  virtual Cycle collect_renamed(const ptx::Inst& inst, const std::uint32_t* rows, Cycle now,
                                std::uint64_t& conflict_cycles) = 0;
  /// The instruction just taken starts on its unit at `start` and gives its place back.
  virtual void leave(Cycle start) = 0;

  /// What it counts; shown summed over the sub-cores of an SM.
  virtual void stats(StatVisitor&) const {}

 protected:
  explicit OperandStage(StageSignals& signals) : signals_(signals) {}
  StageSignals& signals_;  ///< the implementation keeps operands_free_from
};

/// A registered type of operand stage.
class OperandStageType {
 public:
  static constexpr const char* kKind = "operand_stage";
  virtual ~OperandStageType() = default;
  virtual std::unique_ptr<OperandStage> build(const StageContext& context) const = 0;
};

}  // namespace warpvp
