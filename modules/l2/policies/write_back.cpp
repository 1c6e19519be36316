// When dirty lines of the L2 are written back.

#include "base/registry.h"
#include "modules/l2/write_back_policy.h"

namespace warpvp {
namespace {

class OnEviction : public L2WriteBackPolicy {
 public:
  bool clean(const State&) override { return false; }
};

WARPVP_REGISTER_POLICY(L2WriteBackPolicy, OnEviction, "on_eviction", "When their room is needed.");

struct DirtyShareParams {
  std::uint32_t percent = 50;

  void fields(FieldVisitor& v) {
    v.field("percent", percent, "%", "Greatest share of a bank's sectors that stay dirty.",
            Constraint::range(0, 100));
  }
};

// Counters of a GV100 after kernels that write much more than its L2 holds: 3 MiB of what was written has not
// reached DRAM, which is half of its 6 MiB, whatever the kernel.
class DirtyShare : public L2WriteBackPolicy {
 public:
  explicit DirtyShare(const DirtyShareParams& params) : percent_(params.percent) {}
  bool clean(const State& s) override { return s.dirty * 100 > s.sectors * percent_; }

 private:
  const std::uint64_t percent_;
};

WARPVP_REGISTER_POLICY_WITH_PARAMS(
    L2WriteBackPolicy, DirtyShare, DirtyShareParams, "dirty_share",
    "Also as soon as more than a share of the bank is dirty, the longest dirty first.");

}  // namespace
}  // namespace warpvp
