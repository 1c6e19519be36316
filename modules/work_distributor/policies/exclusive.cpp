// One kernel at a time: the next one starts when the last CTA of the running one is done.
#include "modules/work_distributor/policy.h"

namespace warpvp {
namespace {

class ExclusiveDispatch : public CtaDispatchPolicy {
 public:
  std::optional<Choice> pick(const DispatchState& state) override {
    if (state.kernels().empty()) return std::nullopt;
    unsigned k = 0;  // the most urgent, unless one has begun
    for (unsigned i = 0; i < state.kernels().size(); ++i)
      if (state.kernels()[i].issued > 0) k = i;
    if (!state.kernels()[k].waiting()) return std::nullopt;
    const auto sm = rotation_.next(0, state.sm_count(), [&](unsigned s) { return state.fits(k, s); });
    if (!sm) return std::nullopt;
    return Choice{k, *sm};
  }

 private:
  SmRotation rotation_;
};

WARPVP_REGISTER_POLICY(CtaDispatchPolicy, ExclusiveDispatch, "exclusive",
                       "One kernel at a time has the whole GPU: by priority, then arrival");

}  // namespace
}  // namespace warpvp
