#include "base/registry.h"
#include "modules/dram/scheduler.h"

namespace elsewhere {
int nobody_has_this(int bank);
}

namespace {

class Asking : public warpvp::DramScheduler {
 public:
  int pick(const std::vector<Candidate>&, warpvp::Cycle) override { return elsewhere::nobody_has_this(1); }
};

WARPVP_REGISTER_POLICY(warpvp::DramScheduler, Asking, "asking", "Asks somebody else.");

}  // namespace
