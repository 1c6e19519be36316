#include "modules/sm_functional/functional_sm.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>

#include "base/part_mark.h"
#include "interconnect/kernel_descriptor.h"

namespace warpvp {

namespace {
constexpr const char kPart[] = "SM: functional";
/// So many instructions that a warp's registers come to the host's near caches for something.
constexpr std::uint64_t kShortestTurn = 512;
/// With exchange `auto`: instructions of slices for each that is hindered, at least; fewer are sooner done at
/// once, though by one thread. How many have to be hindered for that to count; and of how many instructions
/// the last weigh as much as all before them.
constexpr std::uint64_t kLeastUnhindered = 64, kFewHindered = 8, kLongMemory = 1 << 16;
/// For so many launches a kernel that was hindered is not tried again.
constexpr unsigned kLaunchesAtOnce = 63;
}  // namespace

FunctionalSm::FunctionalSm(sc_core::sc_module_name name, const SmPlace& place,
                           const FunctionalSmConfig& config, std::unique_ptr<InstructionSource> source)
    : Sm(name),
      control_("control"),
      completion_("completion"),
      memory_("memory", *this),
      config_(config),
      at_once_(config.exchange == "at_once"),
      id_(place.id),
      clock_(place.clock),
      clock_id_(place.clock.join(*this)),
      resources_(place.resources),
      services_(place.services),
      ctas_(std::move(source), place.resources,
            at_once_ ? FunctionalCtas::Exchange::kAtOnce : FunctionalCtas::Exchange::kLater, *this),
      registers_(make_sm_registers(register_hooks(), place.resources.shared_bytes)),
      needs_(place.resources.ctas) {
  control_.register_b_transport(this, &FunctionalSm::control);
  control_.register_transport_dbg(this, &FunctionalSm::control_debug);
}

// ---- registers

SmRegisterHooks FunctionalSm::register_hooks() {
  SmRegisterHooks hooks;
  hooks.launch = [this](const CtaLaunch& record) { accept_launch(record); };
  hooks.set_context = [this](std::uint32_t context) { context_ = context; };
  hooks.context = [this] { return context_; };
  hooks.set_page_table = [this](std::uint64_t base) {
    page_table_ = base;
    set_address_space();
  };
  hooks.set_texture_table = [this](std::uint64_t base) {
    texture_table_ = base;
    set_address_space();
  };
  hooks.preempt = [this](std::uint32_t way) { accept_preemption(way); };
  hooks.resume = [this](std::uint32_t state) { resume_ = state; };
  hooks.resident_ctas = [this] { return used_.ctas; };
  hooks.resident_warps = [this] { return used_.warps; };
  hooks.waiting_ctas = [this] { return static_cast<std::uint32_t>(waiting_.size()); };
  return hooks;
}

void FunctionalSm::control(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
  access_delay_ = delay;
  refused_ = false;
  registers_.transport(payload);
  if (refused_) payload.set_response_status(tlm::TLM_GENERIC_ERROR_RESPONSE);
}

void FunctionalSm::accept_launch(const CtaLaunch& record) {
  const Cycle due = clock_.edge_after(access_delay_) - 1 + config_.cta_launch_latency;
  if (record.context != context_) {
    new_fault(record, wrong_context(record.context, context_)).context = 0;
    return clock_.wake(clock_id_, due);
  }
  const auto later =
      std::find_if(waiting_.begin(), waiting_.end(), [&](const auto& w) { return w.due > due; });
  waiting_.insert(later, {due, record, std::exchange(resume_, 0)});
  clock_.wake(clock_id_, due);
}

void FunctionalSm::accept_preemption(std::uint32_t way) {
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

// ---- CTAs

void FunctionalSm::start(const Pending& pending) {
  const CtaLaunch& record = pending.record;
  const auto [program, problem] = services_.kernels.find(record.kernel_object, record.launch_id);
  if (!program) {
    new_fault(record, problem).context = 0;
    return;
  }
  const auto owner = services_.memory.range_of(record.kernel_object);
  const bool foreign =
      owner && (services_.spaces ? !services_.spaces->translate(page_table_, record.kernel_object)
                                 : owner->context != record.context);
  if (foreign) {
    DeviceFault& fault = new_fault(record, fmt::format("context {} launched a kernel of {}", record.context,
                                                       DeviceMemory::owner_name(owner->context)));
    fault.address = record.kernel_object;
    waiting_.insert(waiting_.begin(), {kNever, record, 0});  // goes back with those that leave
    return;
  }
  KernelDescriptor kernel;
  std::memcpy(&kernel, services_.memory.at(record.kernel_object), sizeof kernel);
  const std::uint32_t threads = record.block[0] * record.block[1] * record.block[2];
  const CtaNeeds needs = cta_needs(resources_, threads, kernel.registers_per_thread,
                                   kernel.static_shared_bytes + record.dynamic_shared_bytes, kernel.barriers);
  if (!used_.has_room(resources_, needs)) {
    new_fault(record, "CTA launched on an SM without room for it").context = 0;
    return;
  }
  std::unique_ptr<SavedCta> state;
  if (pending.state != 0) {
    state = services_.saved->take(pending.state);
    if (state == nullptr) {
      new_fault(record, fmt::format("CTA launched from saved state {}, which there is not", pending.state))
          .context = 0;
      return;
    }
    ++counters_.switches.restored;
  }
  CtaLaunch begun = record;
  if (record.followers != 0 && ctas_.source().looks_for_others(*program)) {
    // It may wait for a CTA that would not begin before it has ended.
    begun.followers = 0;
    CtaPreempted declined = preempted(record, id_);
    go_to_next_cta(declined.cta, record.grid);
    --declined.followers;
    declined.declined = 1;
    preempted_.push_back(declined);
  }
  choose_exchange(record, *program);
  used_.take(needs);
  SmLaunchCounters& counters = launches_[record.launch_id];
  counters.first_cycle = std::min(counters.first_cycle, clock_.now());
  needs_[ctas_.start(begun, program, needs.warps, counters,
                     static_cast<FunctionalCtas::Saved*>(state.get()))] = needs;
}

void FunctionalSm::choose_exchange(const CtaLaunch& record, const ptx::Program& program) {
  const bool same = record.launch_id == launch_;
  if (used_.ctas != 0) {
    mixed_ |= !same;
    if (mixed_) undisturbed_ = config_.slice_cycles;
  } else {
    launch_ = record.launch_id;
    mixed_ = false;
    undisturbed_ = config_.slice_cycles;
  }
  if (config_.exchange == "at_once") return;
  // Who waits for others' stores would wait for ends of slices.
  if (config_.exchange == "auto" && ctas_.source().looks_for_others(program)) return exchange_at_once();
  if (mixed_ || (same && hindrance_ != nullptr)) return;
  hindrance_ = &hindrances_[record.kernel_object];
  if (hindrance_->at_once != 0) {
    --hindrance_->at_once;
    return exchange_at_once();
  }
  if (at_once_) {
    at_once_ = false;
    ctas_.exchange_from_now(FunctionalCtas::Exchange::kLater);
  } else {
    ctas_.source().forget_stores();
  }
}

void FunctionalSm::look_at_hindrance() {
  Hindrance& of = *hindrance_;
  if (of.hindered > kFewHindered && of.hindered * kLeastUnhindered > of.in_slices) {
    of = {0, 0, kLaunchesAtOnce};
    exchange_at_once();
  } else if (of.in_slices > kLongMemory) {
    of.in_slices /= 2, of.hindered /= 2;
  }
}

void FunctionalSm::exchange_at_once() {
  if (at_once_) return;
  at_once_ = true;
  ctas_.exchange_from_now(FunctionalCtas::Exchange::kAtOnce);
}

void FunctionalSm::count_ended(unsigned slot, std::uint32_t ctas) {
  counters_.ctas += ctas;
  launches_[ctas_.ctas()[slot].record.launch_id].ctas += ctas;
}

void FunctionalSm::gone(unsigned slot) {
  used_.give_back(needs_[slot]);
  launches_[ctas_.ctas()[slot].record.launch_id].last_cycle = clock_.now();
}

std::uint64_t FunctionalSm::cta_ended(unsigned slot, std::uint64_t executed) {
  const CtaLaunch& record = ctas_.ctas()[slot].record;
  const std::uint32_t before = ctas_.ctas()[slot].before;
  ending_.push_back({record.launch_id,
                     record.kernel_slot,
                     static_cast<std::uint16_t>(id_),
                     {record.cta[0], record.cta[1], record.cta[2]},
                     before});
  count_ended(slot, 1 + before);
  gone(slot);
  return at_once_ ? executed : instructions_of(end_of(clock_.now(), executed) - clock_.now());
}

// ---- execution

void FunctionalSm::run_slice(Cycle now) {
  if (!begins_slice(now)) return;
  const PartMark execution("PTX execution");
  // Slices that SMs compute together end together, however late one has begun.
  const Cycle cycles = at_once_ ? undisturbed_ : undisturbed_ - now % undisturbed_;
  const std::uint64_t executed =
      ctas_.run(now, instructions_of(cycles), std::max(kShortestTurn, instructions_of(undisturbed_)));
  counters_.issued += executed;
  if (!at_once_) {
    if (hindrance_ != nullptr) {
      hindrance_->in_slices += executed;
      hindrance_->hindered += ctas_.source().hindered();
    }
  }
  if (ctas_.polled() || (!ending_.empty() && mixed()))
    undisturbed_ = config_.slice_cycles;
  else if (ending_.empty() && 2 * undisturbed_ <= config_.longest_slice_cycles)
    undisturbed_ *= 2;
  slice_end_ = fault_ ? now + 1 : end_of(now, executed);
}

Cycle FunctionalSm::end_of(Cycle now, std::uint64_t executed) const {
  const Cycle end =
      now + static_cast<Cycle>(std::ceil(static_cast<double>(executed) / config_.instructions_per_cycle));
  if (at_once_ || executed == 0) return end;
  return (end + config_.slice_cycles - 1) / config_.slice_cycles * config_.slice_cycles;
}

bool FunctionalSm::mixed() {
  if (!mixed_) return false;
  const FunctionalCtas::Cta* one = nullptr;
  for (const FunctionalCtas::Cta& cta : ctas_.ctas()) {
    if (!cta.program) continue;
    if (one != nullptr && cta.record.launch_id != one->record.launch_id) return true;
    one = &cta;
  }
  if (one != nullptr) launch_ = one->record.launch_id;
  return mixed_ = false;
}

std::uint64_t FunctionalSm::instructions_of(Cycle cycles) const {
  return static_cast<std::uint64_t>(
      std::max(1.0, std::floor(static_cast<double>(cycles) * config_.instructions_per_cycle)));
}

void FunctionalSm::evaluate(Cycle now) {
  if (stopped_) return;
  const PartMark mark(kPart);
  count_active(now);
  if (now >= slice_end_) done_.swap(ending_);  // done_ is empty: each commit sends all
  if (!at_once_ && !leaving(now)) run_slice(now);
  // Reports go out, and what is executed changes memory: one SM after the other.
  clock_.commit_by_thread();
}

Cycle FunctionalSm::commit(Cycle now) {
  const PartMark mark(kPart);
  std::size_t started = 0;
  if (!stopped_) {
    if (!at_once_) ctas_.exchange();
    if (config_.exchange == "auto" && hindrance_ != nullptr) look_at_hindrance();
    for (; started < waiting_.size() && waiting_[started].due <= now && !fault_; ++started)
      start(Pending(waiting_[started]));
    waiting_.erase(waiting_.begin(), waiting_.begin() + static_cast<std::ptrdiff_t>(started));
    if (leaving(now) && now >= slice_end_) leave();
    if (at_once_) run_slice(now);
  }
  if (fault_) {
    // Nothing more executes until the distributor has the CTAs leave, or for ever.
    stopped_ = true;
    if (services_.faults.raise(std::move(*fault_))) {
      halted_ = true;
      stopped_ = false;
    }
    fault_.reset();
  }
  for (const CtaDone& done : done_)
    stopped_ |= !post(services_, id_, services_.completion_address, done, "completion");
  done_.clear();
  for (const CtaPreempted& cta : preempted_)
    stopped_ |= !post(services_, id_, services_.preempted_address, cta, "preemption");
  preempted_.clear();
  if (stopped_) return kNever;
  Cycle next = kNever;
  if (slice_end_ > now) next = slice_end_;
  if (!at_once_ && started != 0) next = std::min(next, std::max(slice_end_, now + 1));
  if (!waiting_.empty()) next = std::min(next, std::max(waiting_.front().due, now + 1));
  if (leaving_ != Preemption::kDrain) next = std::min(next, std::max({leaving_since_, slice_end_, now + 1}));
  return next;
}

// ---- leaving

void FunctionalSm::leave() {
  for (unsigned slot = 0; slot < ctas_.ctas().size(); ++slot) {
    if (!ctas_.ctas()[slot].program) continue;
    if (leaving_ == Preemption::kFlush && ctas_.acted_outside(slot)) continue;
    save(slot);
  }
  leaving_ = Preemption::kDrain;
  if (used_.ctas == 0) halted_ = false;
}

void FunctionalSm::save(unsigned slot) {
  CtaPreempted report = preempted(ctas_.ctas()[slot].record, id_);
  report.before = static_cast<std::uint16_t>(ctas_.ctas()[slot].before);
  count_ended(slot, report.before);
  gone(slot);
  std::unique_ptr<SavedCta> state = ctas_.take(slot);
  if (leaving_ == Preemption::kSwitch) {
    ++counters_.switches.saved;
    report.state = services_.saved->put(std::move(state));
  } else {
    ++counters_.switches.dropped;
  }
  preempted_.push_back(report);
}

// ---- faults, and what others see

DeviceFault& FunctionalSm::new_fault(const CtaLaunch& record, std::string what) {
  if (!fault_) fault_.emplace().what = std::move(what);
  fault_->context = record.context;
  for (int i = 0; i < 3; ++i) fault_->cta[i] = record.cta[i];
  fault_->sm = static_cast<int>(id_);
  return *fault_;
}

void FunctionalSm::cta_failed(unsigned, DeviceFault fault) {
  if (fault_) return;
  fault.sm = static_cast<int>(id_);
  fault_ = std::move(fault);
}

void FunctionalSm::count_active(Cycle now) {
  if (used_.ctas != 0) counters_.active_cycles += now - counted_;
  counted_ = now;
}

const SmLaunchCounters* FunctionalSm::launch_counters(std::uint32_t launch) const {
  const auto found = launches_.find(launch);
  return found != launches_.end() ? &found->second : nullptr;
}

std::string FunctionalSm::describe_waiting(unsigned at_most) const {
  return ctas_.describe_waiting(id_, at_most);
}

}  // namespace warpvp
