// Simultaneous multikernel with the partition of its paper (SMK: Wang et al., HPCA 2016): how many CTAs each
// kernel has on an SM follows from dominant resource fairness over registers, shared memory, threads and CTA
// slots (dominant_share.h), alike for all SMs. A kernel sends no CTA to an SM that has its number of them,
// and room is kept for the others; of those below their numbers the one with the smallest dominant share on
// the SM is served first.
//
// The combination is worked out anew when the kernels that have CTAs to send are not the same any more: one
// that has sent its last CTA leaves its part to the others, which is ours. So is that kernels of different
// contexts, which never share an SM, are divided apart. What is resident too much ends by itself: the
// paper's partial context switching is not here. Its quotas of warp instructions are the warp scheduler
// `kernel_quota`.
#include "base/dominant_share.h"
#include "modules/work_distributor/policy.h"

namespace warpvp {
namespace {

class DrfDispatch : public CtaDispatchPolicy {
 public:
  std::optional<Choice> pick(const DispatchState& state) override {
    divide_if_others(state);
    unsigned chosen = 0;
    const auto sm = rotation_.next(0, state.sm_count(), [&](unsigned s) {
      const auto k = poorest(state, s);
      if (k) chosen = *k;
      return k.has_value();
    });
    if (!sm) return std::nullopt;
    return Choice{chosen, *sm};
  }
  void stats(StatVisitor& v) const override {
    v.value("divisions", divisions_, "times", "Times that the kernels' numbers of CTAs were worked out.");
  }

 private:
  struct Share {
    std::uint32_t launch = 0;
    std::uint32_t ctas = 0;  // of an SM
  };

  // Of the kernels below their numbers whose CTA fits, the one with the smallest share of the SM.
  std::optional<unsigned> poorest(const DispatchState& state, unsigned sm) const {
    std::optional<unsigned> best;
    DominantShare least;
    unsigned waiting = 0;
    for (unsigned k = 0; k < state.kernels().size(); ++k) {
      const ResidentKernel& kernel = state.kernels()[k];
      if (!kernel.waiting()) continue;
      const Share& mine = shares_[waiting++];
      if (kernel.running[sm] >= mine.ctas || !state.fits(k, sm)) continue;
      const DominantShare share(state.resources(), kernel.needs, kernel.running[sm]);
      if (best && !(share < least)) continue;
      best = k;
      least = share;
    }
    return best;
  }

  void divide_if_others(const DispatchState& state) {
    std::size_t waiting = 0;
    bool same = true;
    for (const ResidentKernel& kernel : state.kernels()) {
      if (!kernel.waiting()) continue;
      same = same && waiting < shares_.size() && shares_[waiting].launch == kernel.launch_id;
      ++waiting;
    }
    if (same && waiting == shares_.size()) return;
    shares_.clear();
    for (const ResidentKernel& kernel : state.kernels())
      if (kernel.waiting()) shares_.push_back({kernel.launch_id, 0});
    for (const ResidentKernel& kernel : state.kernels())
      if (kernel.waiting()) divide_context(state, kernel.context);
    ++divisions_;
  }
  void divide_context(const DispatchState& state, std::uint32_t context) {
    std::vector<CtaNeeds> needs;
    for (const ResidentKernel& kernel : state.kernels())
      if (kernel.waiting() && kernel.context == context) needs.push_back(kernel.needs);
    const std::vector<std::uint32_t> ctas = fair_cta_combination(state.resources(), needs);
    std::size_t waiting = 0, next = 0;
    for (const ResidentKernel& kernel : state.kernels()) {
      if (!kernel.waiting()) continue;
      if (kernel.context == context) shares_[waiting].ctas = ctas[next++];
      ++waiting;
    }
  }

  std::vector<Share> shares_;  // of the kernels that have CTAs to send, most urgent first
  SmRotation rotation_;
  std::uint64_t divisions_ = 0;
};

WARPVP_REGISTER_POLICY(CtaDispatchPolicy, DrfDispatch, "drf",
                       "Kernels share SMs by dominant resource fairness, all SMs alike (SMK's partition)");

}  // namespace
}  // namespace warpvp
