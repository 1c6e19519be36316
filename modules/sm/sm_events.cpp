#include "modules/sm/sm_events.h"

#include "interconnect/policy_contract.h"

namespace warpvp {

void SmEvents::listen(SmListener& listener, std::initializer_list<SmEvent> events, const std::string& kind,
                      const std::string& name) {
  for (const SmEvent event : events) {
    wanted_ |= std::uint32_t{1} << static_cast<unsigned>(event);
    told_[static_cast<unsigned>(event)].push_back({&listener, kind, name});
  }
}

template <class Tell>
void SmEvents::tell(SmEvent event, const Tell& tell) const {
  for (const Told& told : told_[static_cast<unsigned>(event)]) {
    try {
      tell(*told.listener);
    } catch (...) {
      report_thrown(told.kind.c_str(), told.name);
    }
  }
}

void SmEvents::kernel_started(const KernelHere& kernel, Cycle now) const {
  tell(SmEvent::kKernels, [&](SmListener& l) { l.kernel_started(kernel, now); });
}
void SmEvents::kernel_ended(const KernelHere& kernel, Cycle now) const {
  tell(SmEvent::kKernels, [&](SmListener& l) { l.kernel_ended(kernel, now); });
}
void SmEvents::cta_started(const CtaHere& cta, Cycle now) const {
  tell(SmEvent::kCtas, [&](SmListener& l) { l.cta_started(cta, now); });
}
void SmEvents::cta_ended(const CtaHere& cta, Cycle now) const {
  tell(SmEvent::kCtas, [&](SmListener& l) { l.cta_ended(cta, now); });
}
void SmEvents::barrier_arrived(const BarrierArrived& arrival, Cycle now) const {
  tell(SmEvent::kBarriers, [&](SmListener& l) { l.barrier_arrived(arrival, now); });
}
void SmEvents::barrier_released(const WarpHere& warp, Cycle from) const {
  tell(SmEvent::kBarriers, [&](SmListener& l) { l.barrier_released(warp, from); });
}
void SmEvents::branched(const WarpBranched& branch, Cycle now) const {
  tell(SmEvent::kBranches, [&](SmListener& l) { l.branched(branch, now); });
}
void SmEvents::l1_accessed(const L1Access& access, Cycle now) const {
  tell(SmEvent::kL1Accesses, [&](SmListener& l) { l.l1_accessed(access, now); });
}
void SmEvents::l1_refused(const L1Refusal& refusal, Cycle now) const {
  tell(SmEvent::kL1Refusals, [&](SmListener& l) { l.l1_refused(refusal, now); });
}
void SmEvents::l1_evicted(const L1Eviction& eviction, Cycle now) const {
  tell(SmEvent::kL1Evictions, [&](SmListener& l) { l.l1_evicted(eviction, now); });
}

}  // namespace warpvp
