// First come, first served, with one active context, as GPUs without the extensions of CUsched do it (section
// IV.A, FCFS-S; with priorities section IV.D, FCFS-PQ): the kernels of one context have the SMs, and another
// context gets its turn when none of them is left. Nothing is preempted.
#include <algorithm>

#include "modules/work_distributor/partition_policy.h"

namespace warpvp {
namespace {

template <bool kByPriority>
class OneContext : public PartitionPolicy {
 public:
  void partition(const DispatchState& state, SmVerbs& sms) override {
    // kernels() is in order of priority already.
    std::vector<unsigned> order = by_arrival(state);
    if (kByPriority)
      for (unsigned k = 0; k < order.size(); ++k) order[k] = k;
    const auto active = [&](unsigned k) { return state.kernels()[k].context == context_; };
    if (std::none_of(order.begin(), order.end(), active)) {
      if (order.empty()) return;
      context_ = state.kernels()[order.front()].context;
    }
    hand_out_idle(state, sms, [&]() -> std::optional<unsigned> {
      for (unsigned k : order)
        if (active(k) && state.wants_sm(k)) return k;
      return std::nullopt;
    });
  }

 private:
  std::uint32_t context_ = 0;
};

using FcfsSingle = OneContext<false>;
using FcfsPriorityQueues = OneContext<true>;

WARPVP_REGISTER_POLICY(CtaDispatchPolicy, FcfsSingle, "fcfs_s",
                       "First come, first served, one context at a time, an SM for one kernel (CUsched)");
WARPVP_REGISTER_POLICY(CtaDispatchPolicy, FcfsPriorityQueues, "fcfs_pq",
                       "As fcfs_s, but the next context is the one with the most urgent kernel (CUsched)");

}  // namespace
}  // namespace warpvp
