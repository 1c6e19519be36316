#include "base/registry.h"
#include "modules/dram/scheduler.h"

int part_has_now();

namespace {

class Dated : public warpvp::DramScheduler {
 public:
  int pick(const std::vector<Candidate>&, warpvp::Cycle) override { return part_has_now(); }
};

WARPVP_REGISTER_POLICY(warpvp::DramScheduler, Dated, "dated", "Asks a library that is too old.");

}  // namespace
