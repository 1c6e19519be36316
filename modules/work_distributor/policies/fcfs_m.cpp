// First come, first served, with several active contexts (CUsched section IV.A, FCFS-M): an idle SM goes to
// the kernel that came first of those that have more CTAs than room.
#include "modules/work_distributor/partition_policy.h"

namespace warpvp {
namespace {

class FcfsMultiple : public PartitionPolicy {
 public:
  void partition(const DispatchState& state, SmVerbs& sms) override {
    const std::vector<unsigned> order = by_arrival(state);
    hand_out_idle(state, sms, [&]() -> std::optional<unsigned> {
      for (unsigned k : order)
        if (state.wants_sm(k)) return k;
      return std::nullopt;
    });
  }
};

WARPVP_REGISTER_POLICY(CtaDispatchPolicy, FcfsMultiple, "fcfs_m",
                       "First come, first served, several contexts at once, an SM for one kernel (CUsched)");

}  // namespace
}  // namespace warpvp
