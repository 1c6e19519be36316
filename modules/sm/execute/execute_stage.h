#pragma once
// The face of a sub-core's execution units (`sm.execute`): when an instruction starts, and when what it
// computes can be used. What it computes was settled at issue.

#include <memory>

#include "base/cycle.h"
#include "ptx/program.h"

namespace warpvp {

struct SmConfig;

class ExecuteStage {
 public:
  static constexpr unsigned kUnits = static_cast<unsigned>(ptx::Unit::kCount);
  virtual ~ExecuteStage() = default;

  /// Unit `u` can be given one more instruction at edge `now`.
  bool open(unsigned u, Cycle now) const { return open_from_[u] <= now; }

  /// Takes `inst`, which has its operands at edge `collected`. Returns the edge at which it starts on its
  /// unit.
  virtual Cycle start(const ptx::Inst& inst, Cycle collected) = 0;
  /// The edge from which dependants of an instruction that started at `start` may issue. Instructions that
  /// the memory side times are not asked for.
  virtual Cycle result_at(const ptx::Inst& inst, Cycle start) const = 0;

 protected:
  Cycle open_from_[kUnits] = {};  ///< kept by the implementation
};

/// A registered type of execution units.
class ExecuteStageType {
 public:
  static constexpr const char* kKind = "execute_stage";
  virtual ~ExecuteStageType() = default;
  virtual std::unique_ptr<ExecuteStage> build(const SmConfig& config) const = 0;
};

}  // namespace warpvp
