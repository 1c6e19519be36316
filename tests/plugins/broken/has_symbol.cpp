#include "base/registry.h"
#include "modules/dram/scheduler.h"

namespace elsewhere {
int nobody_has_this(int bank) { return bank; }  // but this plugin
}  // namespace elsewhere

namespace {

class Answering : public warpvp::DramScheduler {
 public:
  int pick(const std::vector<Candidate>&, warpvp::Cycle) override { return elsewhere::nobody_has_this(1); }
};

WARPVP_REGISTER_POLICY(warpvp::DramScheduler, Answering, "answering", "Has what another plugin lacks.");

}  // namespace
