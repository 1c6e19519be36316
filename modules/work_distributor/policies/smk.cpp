// Simultaneous multikernel: kernels share SMs freely. The most urgent kernel that fits anywhere goes first,
// SM by SM in rotation; a less urgent one takes the room that is left, also while more urgent CTAs wait for
// room.
#include "modules/work_distributor/policy.h"

namespace warpvp {
namespace {

class SmkDispatch : public CtaDispatchPolicy {
 public:
  std::optional<Choice> pick(const DispatchState& state) override {
    for (unsigned k = 0; k < state.kernels().size(); ++k) {
      if (!state.kernels()[k].waiting()) continue;
      const auto sm = rotation_.next(0, state.sm_count(), [&](unsigned s) { return state.fits(k, s); });
      if (sm) return Choice{k, *sm};
    }
    return std::nullopt;
  }

 private:
  SmRotation rotation_;
};

WARPVP_REGISTER_POLICY(CtaDispatchPolicy, SmkDispatch, "smk",
                       "Kernels share SMs: by priority, then arrival, breadth-first over the SMs");

}  // namespace
}  // namespace warpvp
