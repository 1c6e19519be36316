// CTAs leave the SM before their ends, and go on here (context-switch preemption). From the write of PREEMPT
// on nothing issues; when nothing of a resident CTA is under way any more, each is taken out of the pipeline,
// and its state goes to device memory, one CTA after the other. A CTA that comes back has its state read
// first, and then a place as any other. What is modelled is the mechanism of Tanasic et al. (ISCA 2014,
// section III.B), with the pipeline drained as there. A context that is ended leaves in the same way, only
// that nothing of it is kept.
#include <algorithm>
#include <cstring>

#include "interconnect/kernel_descriptor.h"
#include "modules/sm/streaming_multiprocessor.h"

namespace warpvp {

void StreamingMultiprocessor::accept_preemption(std::uint32_t way) {
  refused_ = way < static_cast<std::uint32_t>(Preemption::kSwitch) ||
             way > static_cast<std::uint32_t>(Preemption::kKill);
  if (refused_) return;
  leaving_ = static_cast<Preemption>(way);
  leaving_since_ = acts_at();
  // Those that have not begun go back as they came.
  for (const PendingLaunch& launch : launches_)
    preempted_.push_back(preempted(launch.record, shared_.sm_id, launch.state));
  launches_.clear();
  // Sampled kernels are not preempted; their contexts may be ended.
  if (fast_forward_ && leaving_ == Preemption::kKill) fast_forward_->drop(preempted_);
  clock_.wake(clock_id_, leaving_since_);
}

void StreamingMultiprocessor::move_states(Cycle now) {
  moves_.update(
      now, shared_.counters.switches,
      [this](CtaPreempted& record, std::unique_ptr<SavedCta> state) {
        record.state = services_.saved->put(std::move(state));
        preempted_.push_back(record);
      },
      [this](const CtaLaunch& record, SavedCta& state) {
        start_cta(record, static_cast<SavedCycleCta*>(&state));
      });
}

void StreamingMultiprocessor::leave(Cycle now) {
  if (now < leaving_since_) return;
  const bool quiet = moves_.empty() && memory_->idle() && shared_.wheel.next(now) == kNever;
  if (!quiet) return;
  shared_.counters.switches.quiet_cycles += now - leaving_since_;
  for (unsigned cta = 0; cta < shared_.ctas.size(); ++cta) {
    if (!shared_.ctas[cta].used) continue;
    if (leaving_ == Preemption::kSwitch) {
      save_cta(cta);
    } else if (leaving_ == Preemption::kKill || !source_->acted_outside(cta)) {
      drop_cta(cta);
    }
  }
  leaving_ = Preemption::kDrain;
  if (shared_.ctas.resident() == 0) halted_ = false;
  move_states(now);
}

void StreamingMultiprocessor::save_cta(unsigned slot) {
  CtaSlot& cta = shared_.ctas[slot];
  const CtaLaunch record = cta.record;
  auto state = std::make_unique<SavedCycleCta>();
  state->at_barrier.resize(cta.warps.size());
  for (std::size_t w = 0; w < cta.warps.size(); ++w)
    state->at_barrier[w] =
        cta.warps[w] != CtaSlot::kNoWarp && slots_[cta.warps[w]]->state == WarpState::kBarrier;
  KernelDescriptor kernel;
  std::memcpy(&kernel, services_.memory.at(record.kernel_object), sizeof kernel);
  CtaNeeds needs = cta_needs(shared_.config.resources, record.block[0] * record.block[1] * record.block[2],
                             kernel.registers_per_thread, 0, kernel.barriers);
  needs.shared_bytes = cta.shared_bytes;
  state->bytes = shared_.config.context_switch.state_bytes(needs, cta.running);
  services_.saved->place(*state, shared_.local_memory_base);
  const AccessOwner owner{record.launch_id, record.kernel_slot, record.context, 0};
  state->instructions = source_->save_cta(slot);
  if (state->instructions == nullptr) {
    DeviceFault& fault = fault_.emplace();
    fault.what = "instruction source '" + shared_.config.instructions.name + "' cannot save a CTA";
    fault.sm = static_cast<int>(shared_.sm_id);
    stopped_ = true;
    return;
  }
  take_off(slot);
  moves_.save(preempted(record, shared_.sm_id), std::move(state), owner);
}

void StreamingMultiprocessor::drop_cta(unsigned slot) {
  preempted_.push_back(preempted(shared_.ctas[slot].record, shared_.sm_id));
  ++shared_.counters.switches.dropped;
  source_->save_cta(slot);  // and with it what it had computed
  take_off(slot);
}

void StreamingMultiprocessor::take_off(unsigned slot) {
  CtaSlot& cta = shared_.ctas[slot];
  for (std::uint16_t place : cta.warps) {
    if (place == CtaSlot::kNoWarp) continue;
    WarpSlot& warp = *slots_[place];
    sub_core_of(warp).take_off(warp);
    --resident_warps_;
  }
  shared_.observed.tell(
      [now = shared_.now, record = cta.record](IssueObserver& o) { o.cta_preempted(now, record); });
  cta.launch->counters->last_cycle = shared_.now;
  close_cta(slot, true);
}

}  // namespace warpvp
