// The types of execution units.

#include "base/registry.h"
#include "modules/sm/execute/pipelined_units.h"

namespace warpvp {
namespace {

class Pipelined : public ExecuteStageType {
 public:
  std::unique_ptr<ExecuteStage> build(const SmConfig& config, StageSignals& signals) const override {
    return std::make_unique<PipelinedUnits>(config, signals);
  }
};
WARPVP_REGISTER_POLICY(ExecuteStageType, Pipelined, "pipelined",
                       "One unit of each kind with an initiation interval, a queue and fixed latencies.");

}  // namespace
}  // namespace warpvp
