// CTAs that follow one another on an SM (CtaLaunch::followers): how many are handed over, and those that come
// back.

#include <algorithm>

#include "modules/work_distributor/status_register_distributor.h"

namespace warpvp {

std::uint32_t StatusRegisterDistributor::followers_of(const ResidentKernel& kernel,
                                                      const SmSetup& setup) const {
  // Whoever decides on single CTAs, or looks at them, has them one by one: other kernels, policies that hand
  // over SMs, limits, samples, timelines.
  if (most_followers_ == 0 || slots_[kernel.slot].one_by_one || state_.kernels().size() != 1 || partition_ ||
      observer_ != nullptr || sampling_.on() || !kernel.limits.empty() || !kernel.set_aside.empty() ||
      setup.cta + 1 != kernel.issued)
    return 0;
  const std::uint64_t places = std::uint64_t{kernel.needs.most_ctas} * state_.sm_count();
  const std::uint64_t each = (kernel.ctas - kernel.issued) / std::max<std::uint64_t>(places, 1);
  return static_cast<std::uint32_t>(std::min<std::uint64_t>(each, most_followers_));
}

void StatusRegisterDistributor::take_declined(const CtaPreempted& first, std::uint64_t number, Cycle now) {
  slots_[first.kernel_slot].one_by_one = true;
  const bool killed = state_.take_back(first.kernel_slot, number, 1 + first.followers).killed;
  stats_.ctas_issued -= 1 + first.followers;
  if (killed) end_if_over(first.kernel_slot, now);
}

}  // namespace warpvp
