// Round robin: idle SMs go to the resident kernels in turn, in order of arrival. Nothing is preempted.
#include "modules/work_distributor/partition_policy.h"

namespace warpvp {
namespace {

class RoundRobin : public PartitionPolicy {
 public:
  void partition(const DispatchState& state, SmVerbs& sms) override {
    const std::vector<unsigned> order = by_arrival(state);
    hand_out_idle(state, sms, [&]() -> std::optional<unsigned> {
      std::optional<unsigned> first, next;
      for (unsigned k : order) {
        if (!state.wants_sm(k)) continue;
        if (!first) first = k;
        if (!next && state.kernels()[k].arrival >= turn_) next = k;
      }
      if (!next) next = first;
      if (next) turn_ = state.kernels()[*next].arrival + 1;
      return next;
    });
  }

 private:
  std::uint64_t turn_ = 0;  // arrival from which on a kernel is next
};

WARPVP_REGISTER_POLICY(CtaDispatchPolicy, RoundRobin, "round_robin",
                       "Idle SMs go to the resident kernels in turn, an SM for one kernel");

}  // namespace
}  // namespace warpvp
