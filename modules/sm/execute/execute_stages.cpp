// The types of execution units.

#include "base/registry.h"
#include "modules/sm/execute/pipelined_units.h"
#include "modules/sm/stage_context.h"

namespace warpvp {
namespace {

class Pipelined : public ExecuteStageType {
 public:
  std::unique_ptr<ExecuteStage> build(const StageContext& context) const override {
    return std::make_unique<PipelinedUnits>(context.config, context.signals);
  }
};
WARPVP_REGISTER_POLICY(ExecuteStageType, Pipelined, "pipelined",
                       "One unit of each kind with an initiation interval, a queue and fixed latencies.");

}  // namespace
}  // namespace warpvp
