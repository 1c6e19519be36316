// Spatial multitasking: the SMs are divided evenly among the resident kernels, in order of arrival, anew
// whenever one comes or goes. An SM that changes hands is drained first: it gets no CTA while those of
// another kernel run (CUsched section III.A: preemption at thread-block boundaries).
#include <algorithm>

#include "base/sm_part.h"
#include "modules/work_distributor/policy.h"

namespace warpvp {
namespace {

class SpatialDispatch : public CtaDispatchPolicy {
 public:
  std::optional<Choice> pick(const DispatchState& state) override {
    for (unsigned k = 0; k < state.kernels().size(); ++k) {
      const ResidentKernel& kernel = state.kernels()[k];
      if (!kernel.waiting()) continue;
      const SmPart part = sms_of(state, kernel.arrival);
      std::optional<unsigned> emptiest;
      for (unsigned s = part.begin; s < part.end; ++s) {
        if (!state.fits(k, s) || state.sm(s).running_ctas != kernel.running[s]) continue;
        if (!emptiest || kernel.running[s] < kernel.running[*emptiest]) emptiest = s;
      }
      if (emptiest) return Choice{k, *emptiest};
    }
    return std::nullopt;
  }

  void kernels_changed(const DispatchState& state) override {
    arrivals_.clear();
    for (const ResidentKernel& kernel : state.kernels()) arrivals_.push_back(kernel.arrival);
    std::sort(arrivals_.begin(), arrivals_.end());
  }

 private:
  // With more kernels than SMs several take turns on one.
  SmPart sms_of(const DispatchState& state, std::uint64_t arrival) const {
    const auto rank = std::lower_bound(arrivals_.begin(), arrivals_.end(), arrival) - arrivals_.begin();
    return part_of(state.sm_count(), static_cast<unsigned>(rank), static_cast<unsigned>(arrivals_.size()));
  }

  std::vector<std::uint64_t> arrivals_;
};

WARPVP_REGISTER_POLICY(CtaDispatchPolicy, SpatialDispatch, "spatial",
                       "SMs are divided evenly among the resident kernels; an SM runs one kernel at a time");

}  // namespace
}  // namespace warpvp
