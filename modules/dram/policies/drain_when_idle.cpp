// When idle: reads always go first, as in the read-priority controllers that Lee et al., "DRAM-aware
// last-level cache writeback", HPS technical report 2010-002, start from. Only a queue that is full lets a
// write go before them, or no more writes could come.

#include "base/registry.h"
#include "modules/dram/write_drain_policy.h"

namespace warpvp {
namespace {

class WhenIdle : public DramWriteDrainPolicy {
 public:
  void configure(const Queue& queue) override { capacity_ = queue.capacity; }
  bool drain(const View& view) const override { return view.writes >= capacity_; }

 private:
  unsigned capacity_ = 0;
};

WARPVP_REGISTER_POLICY(DramWriteDrainPolicy, WhenIdle, "when_idle",
                       "Writes go when no read waits, or one by one while their queue is full.");

}  // namespace
}  // namespace warpvp
