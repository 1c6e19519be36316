#include "modules/work_distributor/dispatch_state.h"

#include <algorithm>
#include <cassert>

namespace warpvp {

DispatchState::DispatchState(const SmResources& r, unsigned sm_count)
    : resources_(r), shared_used_(sm_count, 0) {
  SmStatus empty;
  empty.free_ctas = r.ctas;
  empty.free_warps = r.warps;
  empty.free_threads = r.threads;
  empty.free_registers = r.registers;
  empty.free_shared_bytes = empty.shared_bytes = r.shared_bytes;
  empty.free_barriers = r.barriers;
  sms_.assign(sm_count, empty);
}

bool DispatchState::fits(unsigned k, unsigned sm) const {
  const ResidentKernel& kernel = kernels_[k];
  const SmStatus& s = sms_[sm];
  const CtaNeeds& n = kernel.needs;
  // most_ctas adds what sums cannot say: a warp's registers lie in one part of the register file.
  return kernel.waiting() && !s.given_this_cycle && s.free_ctas > 0 && n.warps <= s.free_warps &&
         n.threads <= s.free_threads && n.registers <= s.free_registers &&
         n.shared_bytes <= s.free_shared_bytes && n.barriers <= s.free_barriers &&
         kernel.running[sm] < n.most_ctas;
}

void DispatchState::begin_cycle() {
  for (unsigned sm : given_) sms_[sm].given_this_cycle = false;
  given_.clear();
}

void DispatchState::add(ResidentKernel kernel) {
  kernel.running.assign(sms_.size(), 0);
  kernel.started.assign(sms_.size(), false);
  const auto at = std::upper_bound(
      kernels_.begin(), kernels_.end(), kernel, [](const ResidentKernel& a, const ResidentKernel& b) {
        return a.priority != b.priority ? a.priority > b.priority : a.arrival < b.arrival;
      });
  kernels_.insert(at, std::move(kernel));
}

// The division that an SM has when a CTA of `next` comes. It stays as long as it will do and CTAs are there,
// since a change empties the L1. Otherwise each running kernel gets what it needs for as many CTAs as it
// could have alone, as the driver of the chip chooses it (CUDA C++ Programming Guide, compute capability 7.x,
// shared memory).
std::uint32_t DispatchState::division(const ResidentKernel& next, unsigned sm) const {
  const SmStatus& s = sms_[sm];
  std::uint64_t wanted = std::uint64_t{shared_used_[sm]} + next.needs.shared_bytes;
  if (!resources_.adaptive() || (s.running_ctas != 0 && wanted <= s.shared_bytes)) return s.shared_bytes;
  for (const ResidentKernel& kernel : kernels_)
    wanted = std::max(wanted, std::uint64_t{kernel.needs.most_ctas} * kernel.needs.shared_bytes);
  return resources_.division_for(wanted);
}

void DispatchState::update_free_shared(unsigned sm) {
  SmStatus& s = sms_[sm];
  const bool may_change = resources_.adaptive() && (s.running_ctas == 0 || resources_.grows_anytime());
  s.free_shared_bytes = (may_change ? resources_.shared_bytes : s.shared_bytes) - shared_used_[sm];
}

SmSetup DispatchState::issue(unsigned k, unsigned sm) {
  assert(fits(k, sm));
  ResidentKernel& kernel = kernels_[k];
  SmStatus& s = sms_[sm];
  SmSetup setup;
  setup.kernel_start = !kernel.started[sm];
  setup.shared_bytes = division(kernel, sm);
  setup.divide = setup.shared_bytes != s.shared_bytes;
  kernel.started[sm] = true;
  s.shared_bytes = setup.shared_bytes;
  ++kernel.issued;
  ++kernel.running[sm];
  --s.free_ctas;
  s.free_warps -= kernel.needs.warps;
  s.free_threads -= kernel.needs.threads;
  s.free_registers -= kernel.needs.registers;
  s.free_barriers -= kernel.needs.barriers;
  ++s.running_ctas;
  shared_used_[sm] += kernel.needs.shared_bytes;
  update_free_shared(sm);
  s.given_this_cycle = true;
  given_.push_back(sm);
  return setup;
}

const ResidentKernel* DispatchState::find(unsigned slot) const {
  for (const ResidentKernel& kernel : kernels_)
    if (kernel.slot == slot) return &kernel;
  return nullptr;
}

const ResidentKernel& DispatchState::complete(unsigned slot, unsigned sm) {
  auto& kernel = const_cast<ResidentKernel&>(*find(slot));
  assert(kernel.running[sm] > 0);
  ++kernel.done;
  --kernel.running[sm];
  SmStatus& s = sms_[sm];
  ++s.free_ctas;
  s.free_warps += kernel.needs.warps;
  s.free_threads += kernel.needs.threads;
  s.free_registers += kernel.needs.registers;
  s.free_barriers += kernel.needs.barriers;
  --s.running_ctas;
  shared_used_[sm] -= kernel.needs.shared_bytes;
  update_free_shared(sm);
  return kernel;
}

void DispatchState::remove(unsigned slot) {
  kernels_.erase(std::remove_if(kernels_.begin(), kernels_.end(),
                                [&](const ResidentKernel& k) { return k.slot == slot; }),
                 kernels_.end());
}

}  // namespace warpvp
