#include "base/registry.h"
#include "modules/dram/scheduler.h"

namespace {

class Fcfs : public warpvp::DramScheduler {
 public:
  int pick(const std::vector<Candidate>&, warpvp::Cycle) override { return -1; }
};

WARPVP_REGISTER_POLICY(warpvp::DramScheduler, Fcfs, "fcfs", "Has the name of another.");

}  // namespace
