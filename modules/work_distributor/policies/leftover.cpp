// Leftover, as current NVIDIA hardware does it (CUsched section II.B): a kernel gets what the ones before it
// leave, and only once all their CTAs have been issued.
#include "modules/work_distributor/policy.h"

namespace warpvp {
namespace {

class LeftoverDispatch : public CtaDispatchPolicy {
 public:
  std::optional<Choice> pick(const DispatchState& state) override {
    for (unsigned k = 0; k < state.kernels().size(); ++k) {
      if (!state.kernels()[k].waiting()) continue;
      const auto sm = rotation_.next(0, state.sm_count(), [&](unsigned s) { return state.fits(k, s); });
      if (!sm) return std::nullopt;  // those behind wait, even if they would fit
      return Choice{k, *sm};
    }
    return std::nullopt;
  }

 private:
  SmRotation rotation_;
};

WARPVP_REGISTER_POLICY(CtaDispatchPolicy, LeftoverDispatch, "leftover",
                       "CUDA-like: the next kernel starts once all CTAs of the earlier ones are issued");

}  // namespace
}  // namespace warpvp
