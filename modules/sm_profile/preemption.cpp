// CTAs that leave the SM before their ends, and their states: what moves takes its bytes over the SM's share
// of the memory bandwidth, one state after the other (docs/profile-grain.md).
#include <algorithm>
#include <cmath>

#include "modules/sm_profile/profile_sm.h"

namespace warpvp {

void ProfileSm::accept_preemption(std::uint32_t way) {
  refused_ = way < static_cast<std::uint32_t>(Preemption::kSwitch) ||
             way > static_cast<std::uint32_t>(Preemption::kKill);
  if (refused_) return;
  leaving_ = static_cast<Preemption>(way);
  leaving_since_ = clock_.edge_after(access_delay_);
  // Those that have not begun go back as they came.
  for (const Pending& launch : waiting_) preempted_.push_back(preempted(launch.record, id_, launch.state));
  waiting_.clear();
  clock_.wake(clock_id_, leaving_since_);
}

void ProfileSm::leave(Cycle now) {
  for (std::uint32_t slot = 0; slot < slots_.size(); ++slot) {
    if (slots_[slot].launch == nullptr) continue;
    if (leaving_ == Preemption::kFlush && !slots_[slot].launch->shape->profile->idempotent) continue;
    save(slot, now);
  }
  leaving_ = Preemption::kDrain;
}

void ProfileSm::save(std::uint32_t slot, Cycle now) {
  const Resident cta = slots_[slot];
  Launch& launch = *cta.launch;
  const auto cold = std::find_if(cold_.begin(), cold_.end(), [&](const auto& c) { return c.second == slot; });
  auto state = std::make_unique<SavedProfileCta>();
  if (cold != cold_.end()) {
    state->left = cta.left;
    cold_.erase(cold);
  } else {
    state->left = std::max(groups_.take_away(launch.group, slot), 1e-3);
    if (groups_.running(launch.group) == 0) launch.group = kNoGroup;
  }
  free_slot(slot);
  launch.last_cycle = now;
  const CtaPreempted report = preempted(cta.record, id_);
  // It has not begun, may begin again, or never will.
  if (leaving_ != Preemption::kSwitch || state->left == 0) {
    ++counters_.switches.dropped;
    preempted_.push_back(report);
    return;
  }
  state->bytes = config_->context_switch.state_bytes(launch.shape->saved, launch.shape->saved.warps);
  ++counters_.switches.saved;
  counters_.switches.saved_bytes += state->bytes;
  const Cycle moved = state_moved(state->bytes, now, counters_.switches.save_cycles);
  saving_.push_back({moved, report, std::move(state)});
}

Cycle ProfileSm::state_moved(std::uint64_t bytes, Cycle now, std::uint64_t& counter) {
  const auto cycles = static_cast<Cycle>(std::ceil(static_cast<double>(bytes) / state_bytes_per_cycle_));
  counter += cycles;
  states_moved_ = std::max(states_moved_, now) + cycles;
  return states_moved_;
}

}  // namespace warpvp
