#include "modules/work_distributor/sm_partition.h"

#include <fmt/format.h>

#include <utility>

namespace warpvp {

namespace {
const char* name_of(SmState state) {
  return state == SmState::kIdle ? "idle" : state == SmState::kRunning ? "running" : "reserved";
}
}  // namespace

SmPartition::SmPartition(DispatchState& state, PartitionPolicy& policy, Preemption way,
                         std::function<void(const std::string&)> broken)
    : state_(state),
      policy_(policy),
      way_(way),
      broken_(std::move(broken)),
      reserved_at_(state.sm_count(), 0) {}

void SmPartition::update(Cycle now) {
  now_ = now;
  if (look_ || due_) settle();
  if (!due_) return;
  due_ = false;
  policy_.partition(state_, *this);
  settle();      // SMs that were reserved without having a CTA
  due_ = false;  // what that has changed the policy has seen
}

void SmPartition::settle() {
  look_ = false;
  for (unsigned sm = 0; sm < state_.sm_count(); ++sm) {
    const SmStatus& s = state_.sm(sm);
    if (s.state == SmState::kIdle || s.running_ctas != 0) continue;
    const bool reserved = s.state == SmState::kReserved;
    if (reserved)
      (s.preemption == Preemption::kDrain ? counters_.drain_cycles : counters_.preemption_cycles) +=
          now_ - reserved_at_[sm];
    const unsigned k = state_.index_of(reserved ? s.next : s.owner);
    if (k < state_.kernels().size() && state_.kernels()[k].waiting()) {
      if (reserved) begin_set_up(k, sm);
      continue;
    }
    state_.make_idle(sm);
    changed_.push_back(sm);
    due_ = true;
  }
}

void SmPartition::begin_set_up(unsigned k, unsigned sm) {
  state_.set_up(k, sm, now_);
  ++counters_.setups;
  set_up_.push_back(sm);
  changed_.push_back(sm);
}

void SmPartition::set_up(unsigned k, unsigned sm) {
  if (const std::string rule = broken_rule("set_up", k, sm, SmState::kIdle); !rule.empty()) broken_(rule);
  begin_set_up(k, sm);
}

void SmPartition::reserve(unsigned k, unsigned sm) {
  if (sm >= state_.sm_count() || state_.sm(sm).preemption == Preemption::kDrain)
    return take(k, sm, way_, "reserve");
  if (const std::string rule = broken_rule("reserve", k, sm, SmState::kReserved); !rule.empty())
    broken_(rule);
  state_.reserve(k, sm, state_.sm(sm).preemption);
  changed_.push_back(sm);
}

void SmPartition::preempt(unsigned k, unsigned sm, Preemption way) {
  if (sm < state_.sm_count() && state_.sm(sm).state == SmState::kReserved && way != Preemption::kDrain &&
      state_.sm(sm).preemption == Preemption::kDrain && k < state_.kernels().size()) {
    state_.release(sm);
    counters_.drain_cycles += now_ - reserved_at_[sm];
    --counters_.reservations;
  }
  take(k, sm, way, "preempt");
}

void SmPartition::take(unsigned k, unsigned sm, Preemption way, const char* verb) {
  std::string rule = broken_rule(verb, k, sm, SmState::kRunning);
  if (rule.empty() && state_.sm(sm).owner == state_.kernels()[k].slot)
    rule = fmt::format("{} of SM {} for kernel {}, which has it", verb, sm, k);
  if (!rule.empty()) broken_(rule);
  if (state_.sm(sm).running_ctas == 0) way = Preemption::kDrain;
  state_.reserve(k, sm, way);
  reserved_at_[sm] = now_;
  ++counters_.reservations;
  if (way != Preemption::kDrain) {
    ++counters_.preemptions;
    preempted_.push_back(sm);
  }
  changed_.push_back(sm);
}

void SmPartition::release(unsigned sm) {
  std::string rule = broken_rule("release", 0, sm, SmState::kReserved);
  if (rule.empty() && state_.sm(sm).preemption != Preemption::kDrain)
    rule = fmt::format("release of SM {}, whose CTAs are leaving", sm);
  if (!rule.empty()) broken_(rule);
  state_.release(sm);
  changed_.push_back(sm);
}

std::string SmPartition::broken_rule(const char* verb, unsigned k, unsigned sm, SmState state) const {
  if (k >= state_.kernels().size())
    return fmt::format("{} of kernel {}, but the number of resident kernels is {}", verb, k,
                       state_.kernels().size());
  if (sm >= state_.sm_count())
    return fmt::format("{} of SM {}, but the number of SMs is {}", verb, sm, state_.sm_count());
  if (state_.sm(sm).state != state)
    return fmt::format("{} of SM {}, which is {}; it must be {}", verb, sm, name_of(state_.sm(sm).state),
                       name_of(state));
  return {};
}

std::vector<unsigned> SmPartition::take_set_up() { return std::exchange(set_up_, {}); }
std::vector<unsigned> SmPartition::take_preempted() { return std::exchange(preempted_, {}); }
std::vector<unsigned> SmPartition::take_changed() { return std::exchange(changed_, {}); }

}  // namespace warpvp
