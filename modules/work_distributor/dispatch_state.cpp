#include "modules/work_distributor/dispatch_state.h"

#include <algorithm>
#include <cassert>

namespace warpvp {

DispatchState::DispatchState(const SmResources& r, unsigned sm_count) {
  SmStatus empty;
  empty.free_ctas = r.ctas;
  empty.free_warps = r.warps;
  empty.free_threads = r.threads;
  empty.free_registers = r.registers;
  empty.free_shared_bytes = r.shared_bytes;
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
  const auto at = std::upper_bound(
      kernels_.begin(), kernels_.end(), kernel, [](const ResidentKernel& a, const ResidentKernel& b) {
        return a.priority != b.priority ? a.priority > b.priority : a.arrival < b.arrival;
      });
  kernels_.insert(at, std::move(kernel));
}

void DispatchState::issue(unsigned k, unsigned sm) {
  assert(fits(k, sm));
  ResidentKernel& kernel = kernels_[k];
  SmStatus& s = sms_[sm];
  ++kernel.issued;
  ++kernel.running[sm];
  --s.free_ctas;
  s.free_warps -= kernel.needs.warps;
  s.free_threads -= kernel.needs.threads;
  s.free_registers -= kernel.needs.registers;
  s.free_shared_bytes -= kernel.needs.shared_bytes;
  s.free_barriers -= kernel.needs.barriers;
  ++s.running_ctas;
  s.given_this_cycle = true;
  given_.push_back(sm);
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
  s.free_shared_bytes += kernel.needs.shared_bytes;
  s.free_barriers += kernel.needs.barriers;
  --s.running_ctas;
  return kernel;
}

void DispatchState::remove(unsigned slot) {
  kernels_.erase(std::remove_if(kernels_.begin(), kernels_.end(),
                                [&](const ResidentKernel& k) { return k.slot == slot; }),
                 kernels_.end());
}

}  // namespace warpvp
