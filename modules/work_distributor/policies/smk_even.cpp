// Simultaneous multikernel with equal shares: on every SM the kernel with the fewest resident warps (or CTAs)
// is served next, and room is kept for it until its CTA fits, so that all kernels with CTAs left converge to
// equal numbers on each SM. This gives directly what QAWS (section V.A) arranges with persistent threads:
// every SM holds an equal number of warps from each kernel.
#include "modules/work_distributor/policy.h"

namespace warpvp {
namespace {

struct SmkEvenParams {
  std::string unit = "warps";
  void fields(FieldVisitor& v) {
    v.field("unit", unit, "What each kernel gets an equal number of on an SM.",
            Constraint::words({"warps", "ctas"}));
  }
};

class SmkEvenDispatch : public CtaDispatchPolicy {
 public:
  explicit SmkEvenDispatch(const SmkEvenParams& params) : by_warps_(params.unit == "warps") {}

  std::optional<Choice> pick(const DispatchState& state) override {
    unsigned chosen = 0;
    const auto sm = rotation_.next(0, state.sm_count(), [&](unsigned s) {
      const auto k = poorest(state, s);
      if (!k || !state.fits(*k, s)) return false;
      chosen = *k;
      return true;
    });
    if (!sm) return std::nullopt;
    return Choice{chosen, *sm};
  }

 private:
  // Of the kernels that have CTAs left, the one with the least on this SM; the most urgent of equals.
  std::optional<unsigned> poorest(const DispatchState& state, unsigned sm) const {
    std::optional<unsigned> best;
    std::uint64_t least = 0;
    for (unsigned k = 0; k < state.kernels().size(); ++k) {
      const ResidentKernel& kernel = state.kernels()[k];
      if (!kernel.waiting()) continue;
      const std::uint64_t share = std::uint64_t{kernel.running[sm]} * (by_warps_ ? kernel.needs.warps : 1);
      if (best && share >= least) continue;
      best = k;
      least = share;
    }
    return best;
  }

  bool by_warps_;
  SmRotation rotation_;
};

WARPVP_REGISTER_POLICY_WITH_PARAMS(CtaDispatchPolicy, SmkEvenDispatch, SmkEvenParams, "smk_even",
                                   "Kernels share SMs with equal warps (or CTAs) of each kernel on every SM");

}  // namespace
}  // namespace warpvp
