#include "modules/work_distributor/partition_policy.h"

#include <algorithm>
#include <numeric>

namespace warpvp {

std::optional<CtaDispatchPolicy::Choice> PartitionPolicy::pick(const DispatchState& state) {
  unsigned k = 0;
  const auto sm = rotation_.next(0, state.sm_count(), [&](unsigned s) {
    if (state.sm(s).state != SmState::kRunning) return false;
    k = state.index_of(state.sm(s).owner);
    if (k == state.kernels().size()) return false;
    // Nearly always it is full; fits() has all the conditions.
    const ResidentKernel& kernel = state.kernels()[k];
    return kernel.running[s] < kernel.needs.most_ctas && state.fits(k, s);
  });
  if (!sm) return std::nullopt;
  return Choice{k, *sm};
}

std::vector<unsigned> by_arrival(const DispatchState& state) {
  std::vector<unsigned> order(state.kernels().size());
  std::iota(order.begin(), order.end(), 0u);
  std::sort(order.begin(), order.end(),
            [&](unsigned a, unsigned b) { return state.kernels()[a].arrival < state.kernels()[b].arrival; });
  return order;
}

std::optional<unsigned> first_to_give(const DispatchState& state, unsigned slot) {
  std::optional<unsigned> best;
  for (unsigned sm = 0; sm < state.sm_count(); ++sm) {
    const SmStatus& s = state.sm(sm);
    if (s.state == SmState::kReserved && s.next == slot) return sm;
    if (s.state != SmState::kRunning || s.owner != slot) continue;
    if (!best || s.running_ctas < state.sm(*best).running_ctas) best = sm;
  }
  return best;
}

void hand_over(const DispatchState& state, SmVerbs& sms, unsigned k, unsigned sm) {
  const SmStatus& s = state.sm(sm);
  if (s.state == SmState::kReserved && s.preemption != Preemption::kDrain) return sms.reserve(k, sm);
  if (s.state == SmState::kReserved) sms.release(sm);
  if (s.owner != state.kernels()[k].slot) sms.reserve(k, sm);
}

}  // namespace warpvp
