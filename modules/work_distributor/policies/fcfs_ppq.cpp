// Preemptive priority queues (CUsched section IV.D, FCFS-PPQ): idle SMs go to the most urgent kernel that
// wants one; what it still lacks is taken from less urgent kernels, whose SMs drain. Within a priority first
// come, first served.
#include "modules/work_distributor/partition_policy.h"

namespace warpvp {
namespace {

class PreemptivePriorities : public PartitionPolicy {
 public:
  void partition(const DispatchState& state, SmVerbs& sms) override {
    const auto count = static_cast<unsigned>(state.kernels().size());
    hand_out_idle(state, sms, [&]() -> std::optional<unsigned> {
      for (unsigned k = 0; k < count; ++k)
        if (state.wants_sm(k)) return k;
      return std::nullopt;
    });
    for (unsigned k = 0; k < count; ++k) {
      const std::int32_t priority = state.kernels()[k].priority;
      while (state.wants_sm(k)) {
        const std::optional<unsigned> sm = taken_from(state, priority);
        if (!sm) break;
        hand_over(state, sms, k, *sm);
      }
    }
  }

 private:
  /// An SM that a kernel less urgent than `priority` has or is to get: of the least urgent, the one that came
  /// last.
  static std::optional<unsigned> taken_from(const DispatchState& state, std::int32_t priority) {
    for (std::size_t v = state.kernels().size(); v-- > 0;) {
      const ResidentKernel& victim = state.kernels()[v];
      if (victim.priority >= priority) return std::nullopt;
      if (const auto sm = first_to_give(state, victim.slot)) return sm;
    }
    return std::nullopt;
  }
};

WARPVP_REGISTER_POLICY(
    CtaDispatchPolicy, PreemptivePriorities, "fcfs_ppq",
    "Priorities with several contexts at once: SMs of less urgent kernels drain (CUsched)");

}  // namespace
}  // namespace warpvp
