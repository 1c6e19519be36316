#include "modules/work_distributor/dispatch_state.h"

#include <algorithm>
#include <cassert>

namespace warpvp {

DispatchState::DispatchState(const SmResources& r, unsigned sm_count, Cycle setup_cycles, bool partitioned)
    : resources_(r), setup_cycles_(setup_cycles), partitioned_(partitioned), shared_used_(sm_count, 0) {
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
  if (partitioned_ ? s.state != SmState::kRunning || s.owner != kernel.slot
                   : s.running_ctas != 0 && s.context != kernel.context)
    return false;
  // most_ctas adds what sums cannot say: a warp's registers lie in one part of the register file.
  return kernel.waiting() && !s.given_this_cycle && s.ready_at <= now_ && s.free_ctas > 0 &&
         n.warps <= s.free_warps && n.threads <= s.free_threads && n.registers <= s.free_registers &&
         n.shared_bytes <= s.free_shared_bytes && n.barriers <= s.free_barriers &&
         kernel.running[sm] < n.most_ctas && kernel.under_limit(sm);
}

// CTAs that the SM could take more of the kernel, as far as its size and its limit go.
std::uint64_t DispatchState::room_on(const ResidentKernel& kernel, unsigned sm, bool has_it) {
  const std::uint64_t most = std::min<std::uint64_t>(kernel.needs.most_ctas, kernel.cta_limit(sm));
  const std::uint64_t running = has_it ? kernel.running[sm] : 0;
  return most > running ? most - running : 0;
}

bool DispatchState::wants_sm(unsigned k) const {
  const ResidentKernel& kernel = kernels_[k];
  std::uint64_t room = 0;
  const std::uint64_t waiting = kernel.held || kernel.killed ? 0 : kernel.to_issue();
  for (std::size_t sm = 0; sm < sms_.size() && room < waiting; ++sm) {
    const SmStatus& s = sms_[sm];
    if (s.state == SmState::kReserved ? s.next == kernel.slot : s.owner == kernel.slot)
      room += room_on(kernel, static_cast<unsigned>(sm), s.owner == kernel.slot);
  }
  return room < waiting;
}

unsigned DispatchState::sms_of(unsigned slot) const {
  return static_cast<unsigned>(std::count_if(sms_.begin(), sms_.end(), [&](const SmStatus& s) {
    return (s.state == SmState::kReserved ? s.next : s.owner) == slot;
  }));
}

void DispatchState::number_kernels() {
  const auto count = static_cast<unsigned>(kernels_.size());
  index_.assign(index_.size(), count);
  for (unsigned k = 0; k < count; ++k) {
    const unsigned slot = kernels_[k].slot;
    if (slot >= index_.size()) index_.resize(slot + 1, count);
    index_[slot] = k;
  }
}

void DispatchState::begin_cycle(Cycle now) {
  now_ = now;
  for (unsigned sm : given_) sms_[sm].given_this_cycle = false;
  given_.clear();
  in_setup_.erase(std::remove_if(in_setup_.begin(), in_setup_.end(),
                                 [&](unsigned sm) { return sms_[sm].ready_at <= now; }),
                  in_setup_.end());
}

void DispatchState::set_up(unsigned k, unsigned sm, Cycle now) {
  assert(sms_[sm].running_ctas == 0);
  sms_[sm].context = kernels_[k].context;
  sms_[sm].ready_at = now + setup_cycles_;
  if (partitioned_) change(sm, SmState::kRunning, kernels_[k].slot, SmStatus::kNobody);
  if (setup_cycles_ > 0 && std::find(in_setup_.begin(), in_setup_.end(), sm) == in_setup_.end())
    in_setup_.push_back(sm);
}

Cycle DispatchState::next_ready() const {
  Cycle next = kNever;
  for (unsigned sm : in_setup_) next = std::min(next, sms_[sm].ready_at);
  return next;
}

void DispatchState::add(ResidentKernel kernel) {
  kernel.running.assign(sms_.size(), 0);
  kernel.started.assign(sms_.size(), false);
  insert(std::move(kernel));
}

void DispatchState::insert(ResidentKernel kernel) {
  const auto at = std::upper_bound(
      kernels_.begin(), kernels_.end(), kernel, [](const ResidentKernel& a, const ResidentKernel& b) {
        return a.priority != b.priority ? a.priority > b.priority : a.arrival < b.arrival;
      });
  kernels_.insert(at, std::move(kernel));
  number_kernels();
}

void DispatchState::set_priority(unsigned slot, std::int32_t priority) {
  const unsigned k = index_of(slot);
  if (k == kernels_.size() || kernels_[k].priority == priority) return;
  ResidentKernel kernel = std::move(kernels_[k]);
  kernels_.erase(kernels_.begin() + k);
  kernel.priority = priority;
  insert(std::move(kernel));
}

void DispatchState::set_limit(unsigned slot, unsigned sm, std::uint32_t ctas) {
  const unsigned k = index_of(slot);
  if (k == kernels_.size()) return;
  std::vector<std::uint32_t>& limits = kernels_[k].limits;
  if (limits.empty()) limits.assign(sms_.size(), ResidentKernel::kNoLimit);
  limits[sm] = ctas;
}

void DispatchState::set_held(unsigned slot, bool held) {
  const unsigned k = index_of(slot);
  if (k < kernels_.size()) kernels_[k].held = held;
}

void DispatchState::kill(unsigned slot) {
  const unsigned k = index_of(slot);
  if (k < kernels_.size()) kernels_[k].killed = true;
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
  setup.context = s.context != kernel.context;
  s.context = kernel.context;
  if (!partitioned_) s.state = SmState::kRunning;
  setup.kernel_start = !kernel.started[sm];
  setup.shared_bytes = division(kernel, sm);
  setup.divide = setup.shared_bytes != s.shared_bytes;
  kernel.started[sm] = true;
  s.shared_bytes = setup.shared_bytes;
  if (kernel.set_aside.empty()) {
    setup.cta = kernel.issued++;
  } else {
    setup.cta = kernel.set_aside.front().cta;
    setup.state = kernel.set_aside.front().state;
    kernel.set_aside.erase(kernel.set_aside.begin());
  }
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
  const unsigned k = index_of(slot);
  return k < kernels_.size() ? &kernels_[k] : nullptr;
}

const ResidentKernel& DispatchState::complete(unsigned slot, unsigned sm, std::uint32_t before) {
  ResidentKernel& kernel = gone(slot, sm);
  kernel.done += 1 + before;
  return kernel;
}

const ResidentKernel& DispatchState::take_back(unsigned slot, std::uint64_t first, std::uint32_t ctas) {
  ResidentKernel& kernel = kernels_[index_of(slot)];
  for (std::uint32_t i = 0; i < ctas; ++i) kernel.set_aside.push_back({first + i, 0});
  return kernel;
}

const ResidentKernel& DispatchState::complete_skipped(unsigned slot) {
  ResidentKernel& kernel = kernels_[index_of(slot)];
  ++kernel.done;
  return kernel;
}

const ResidentKernel& DispatchState::drop_skipped(unsigned slot, std::uint64_t cta) {
  ResidentKernel& kernel = kernels_[index_of(slot)];
  kernel.set_aside.push_back({cta, 0});
  return kernel;
}

const ResidentKernel& DispatchState::set_aside(unsigned slot, unsigned sm,
                                               const ResidentKernel::SetAside& cta, std::uint32_t before) {
  ResidentKernel& kernel = gone(slot, sm);
  kernel.done += before;
  kernel.set_aside.push_back(cta);
  return kernel;
}

ResidentKernel& DispatchState::gone(unsigned slot, unsigned sm) {
  auto& kernel = const_cast<ResidentKernel&>(*find(slot));
  assert(kernel.running[sm] > 0);
  --kernel.running[sm];
  SmStatus& s = sms_[sm];
  ++s.free_ctas;
  s.free_warps += kernel.needs.warps;
  s.free_threads += kernel.needs.threads;
  s.free_registers += kernel.needs.registers;
  s.free_barriers += kernel.needs.barriers;
  --s.running_ctas;
  if (!partitioned_ && s.running_ctas == 0) s.state = SmState::kIdle;
  shared_used_[sm] -= kernel.needs.shared_bytes;
  update_free_shared(sm);
  return kernel;
}

void DispatchState::remove(unsigned slot) {
  kernels_.erase(std::remove_if(kernels_.begin(), kernels_.end(),
                                [&](const ResidentKernel& k) { return k.slot == slot; }),
                 kernels_.end());
  number_kernels();
}

}  // namespace warpvp
