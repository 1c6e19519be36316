#pragma once
// The face of a sub-core's execution units (`sm.execute`): when an instruction starts, and when what it
// computes can be used. What it computes was settled at issue.

#include <memory>

#include "base/cycle.h"
#include "base/stats.h"
#include "modules/sm/stage_signals.h"
#include "ptx/program.h"

namespace warpvp {

struct StageContext;

class ExecuteStage {
 public:
  virtual ~ExecuteStage() = default;

  /// Takes `inst`, which issued when StageSignals::unit_open_from allowed and has its operands at edge
  /// `collected`. Returns the edge at which it starts on its unit, which it notes in
  /// StageSignals::started_on.
  virtual Cycle start(const ptx::Inst& inst, Cycle collected) = 0;
  /// The edge from which dependants of an instruction that started at `start` may issue. Instructions that
  /// the memory side times are not asked for.
  virtual Cycle result_at(const ptx::Inst& inst, Cycle start) const = 0;

  /// What it counts; shown summed over the sub-cores of an SM.
  virtual void stats(StatVisitor&) const {}

 protected:
  explicit ExecuteStage(StageSignals& signals) : signals_(signals) {}
  StageSignals& signals_;  ///< the implementation keeps unit_open_from, by port (issue_ports.h)
};

/// A registered type of execution units.
class ExecuteStageType {
 public:
  static constexpr const char* kKind = "execute_stage";
  virtual ~ExecuteStageType() = default;
  virtual std::unique_ptr<ExecuteStage> build(const StageContext& context) const = 0;
};

}  // namespace warpvp
