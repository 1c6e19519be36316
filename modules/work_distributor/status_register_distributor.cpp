#include "modules/work_distributor/status_register_distributor.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>

#include "base/part_mark.h"
#include "interconnect/policy_contract.h"
#include "interconnect/policy_reference.h"
#include "interconnect/sim_time.h"

namespace warpvp {

namespace wd = regmap::wd;

StatusRegisterDistributor::StatusRegisterDistributor(
    sc_core::sc_module_name name, const WorkDistributorConfig& config, const SmResources& resources,
    unsigned sm_count, ClockDomain& domain, FaultSink& faults, std::uint64_t page_table, std::uint64_t seed,
    const SamplingConfig& sampling, SampledDevice* sampled, std::uint32_t most_followers)
    : WorkDistributor(name),
      registers("registers"),
      bus("bus"),
      config_(config),
      resources_(resources),
      domain_(domain),
      clock_id_(domain.join(*this)),
      faults_(faults),
      block_(
          "Work distributor", wd::kBytes,
          "Kernel status registers (KSR) describe the running kernels, SM status registers (SMSR) what is "
          "free on each SM. To run a kernel, write a free KSR from KERNEL_OBJECT to DEADLINE in one burst, "
          "then 1 to START. Of a kernel that runs, PRIORITY, BUDGET, HOLD and CTA_LIMIT may be written; "
          "writes "
          "to the rest are refused (generic error) until it has ended."),
      policy_(config.policy, policy_context(config.slots, seed)),
      state_(resources, sm_count, config.setup_cycles,
             policy_.call([](CtaDispatchPolicy& policy) { return policy.partitioner() != nullptr; })),
      told_(sm_count),
      slots_(config.slots),
      sampling_(sampling),
      sampled_(sampled),
      most_followers_(most_followers),
      busy_since_(sm_count, 0) {
  if (PartitionPolicy* policy =
          policy_.call([](CtaDispatchPolicy& chosen) { return chosen.partitioner(); })) {
    const Preemption way = config.preemption == "switch"  ? Preemption::kSwitch
                           : config.preemption == "flush" ? Preemption::kFlush
                                                          : Preemption::kDrain;
    partition_ = std::make_unique<SmPartition>(state_, *policy, way, [this](const std::string& rule) {
      report_broken_contract(CtaDispatchPolicy::kKind, config_.policy.name, rule,
                             fmt::format("work distributor, SM cycle {}", domain_.now()));
    });
  }
  registers.register_b_transport(this, &StatusRegisterDistributor::b_transport);
  registers.register_transport_dbg(this, &StatusRegisterDistributor::transport_dbg);
  declare_registers();
  block_.set(page_tables_, page_table);
}

void StatusRegisterDistributor::kernels_changed() {
  policy_.call([&](CtaDispatchPolicy& policy) { policy.kernels_changed(state_); });
  if (partition_) partition_->kernels_changed();
}

bool StatusRegisterDistributor::known(std::uint32_t launch, unsigned slot, unsigned sm,
                                      const std::uint32_t (&cta)[3]) const {
  return slot < slots_.size() && slots_[slot].busy && sm < state_.sm_count() &&
         records_[slots_[slot].record].launch_id == launch && state_.find(slot) != nullptr &&
         (state_.find(slot)->running[sm] > 0 || skipped(slot, cta));
}

void StatusRegisterDistributor::left(unsigned sm, Cycle now) {
  if (state_.sm(sm).running_ctas != 0) return;
  stats_.busy_sm_cycles += now - busy_since_[sm];
  if (partition_) partition_->emptied();
}

void StatusRegisterDistributor::take_completions(Cycle now) {
  completions_.take(now, [&](const CtaDone& done) {
    if (!known(done.launch_id, done.kernel_slot, done.sm, done.cta)) {
      if (fault_) return;
      fault_.emplace().what = fmt::format("completion of a CTA that was not launched (launch {}, slot {})",
                                          done.launch_id, done.kernel_slot);
      fault_->sm = done.sm;
      return;
    }
    Slot& slot = slots_[done.kernel_slot];
    const bool skipped_one = skipped(done.kernel_slot, done.cta);
    const ResidentKernel& kernel = skipped_one ? state_.complete_skipped(done.kernel_slot)
                                               : state_.complete(done.kernel_slot, done.sm, done.before);
    slot.done = kernel.done;
    stats_.ctas_done += 1 + done.before;
    KernelRecord& record = records_[slot.record];
    record.ctas_done = kernel.done;
    if (!skipped_one) {
      left(done.sm, now);
      if (observer_) observer_->cta_end(done);
    }
    end_if_over(done.kernel_slot, now);
  });
}

void StatusRegisterDistributor::end_if_over(unsigned slot, Cycle now) {
  if (!state_.find(slot)->over()) return;
  if (!ends_later(slot)) end(slot, now);
}

void StatusRegisterDistributor::end(unsigned slot, Cycle now) {
  const ResidentKernel& kernel = *state_.find(slot);
  KernelRecord& record = records_[slots_[slot].record];
  record.killed = kernel.done < kernel.ctas;
  if (slots_[slot].sampler) record.sampled = slots_[slot].sampler->result();
  record.ended = now;
  record.ended_at = domain_.time_of(now);
  ++stats_.kernels;
  if (observer_) observer_->kernel_end(record);
  draining_.put(now + config_.drain_cycles, slot);
}

void StatusRegisterDistributor::take_preempted(Cycle now) {
  preempted_.take(now, [&](const CtaPreempted& cta) {
    if (!known(cta.launch_id, cta.kernel_slot, cta.sm, cta.cta)) {
      if (fault_) return;
      fault_.emplace().what = fmt::format("preemption of a CTA that was not launched (launch {}, slot {})",
                                          cta.launch_id, cta.kernel_slot);
      fault_->sm = cta.sm;
      return;
    }
    const std::uint64_t number = number_of(cta.kernel_slot, cta.cta);
    if (cta.declined != 0) return take_declined(cta, number, now);
    const bool skipped_one = skipped(cta.kernel_slot, cta.cta);
    const ResidentKernel& kernel =
        skipped_one ? state_.drop_skipped(cta.kernel_slot, number)
                    : state_.set_aside(cta.kernel_slot, cta.sm, {number, cta.state}, cta.before);
    const bool killed = kernel.killed;
    ++(killed ? stats_.ctas_killed : cta.state != 0 ? stats_.ctas_saved : stats_.ctas_dropped);
    if (cta.before != 0 || cta.followers != 0) {
      slots_[cta.kernel_slot].done = records_[slots_[cta.kernel_slot].record].ctas_done = kernel.done;
      stats_.ctas_done += cta.before;
      (killed ? stats_.ctas_killed : stats_.ctas_dropped) += cta.followers;
      state_.take_back(cta.kernel_slot, number + 1, cta.followers);
    }
    if (!skipped_one) {
      left(cta.sm, now);
      if (observer_) observer_->cta_preempted(cta);
    }
    if (partition_) partition_->kernels_changed();  // its kernel has CTAs to issue again
    if (killed) end_if_over(cta.kernel_slot, now);
  });
}

void StatusRegisterDistributor::finish_drained(Cycle now) {
  draining_.take(now, [&](unsigned index) {
    Slot& slot = slots_[index];
    KernelRecord& record = records_[slot.record];
    record.reported = now;
    slot.sampler.reset();
    finished_.push_back({index, record.launch_id});
    notify(index, record.launch_id, true);
    lift_limits(index);
    state_.remove(index);
    slot.busy = slot.held = false;
    slot.status = wd::SlotStatus::kFree;
    kernels_changed();
  });
}

void StatusRegisterDistributor::take_arrivals(Cycle now) {
  arrivals_.take(now, [&](unsigned slot) {
    const KernelRecord& record = records_[slots_[slot].record];
    ResidentKernel kernel;
    kernel.slot = slot;
    kernel.launch_id = record.launch_id;
    kernel.context = record.context;
    kernel.priority = slots_[slot].image.priority;
    slots_[slot].one_by_one = false;
    if (block_.get(watcher_) != 0) slots_[slot].held = true;
    notify(slot, record.launch_id, false);
    kernel.held = slots_[slot].held;
    kernel.arrival = next_arrival_++;
    kernel.ctas = record.ctas;
    kernel.needs = record.needs;
    state_.add(std::move(kernel));
    if (sampling_.on()) begin_sampling(slot);
    stats_.most_resident = std::max<std::uint64_t>(stats_.most_resident, state_.kernels().size());
    if (observer_) observer_->kernel_begin(record);
    if (std::find(dead_.begin(), dead_.end(), record.context) != dead_.end()) {
      kill(slot);
      end_if_over(slot, now);
    }
    kernels_changed();
  });
}

// Of its kernels those that run end when the last of their CTAs has left its SM, and those that come end as
// they come. An SM has CTAs of one context.
void StatusRegisterDistributor::take_kills(Cycle now) {
  kills_.take(now, [&](std::uint32_t context) {
    if ((context & wd::kBeginContext) != 0) {
      dead_.erase(std::remove(dead_.begin(), dead_.end(), context & ~wd::kBeginContext), dead_.end());
      return;
    }
    if (std::find(dead_.begin(), dead_.end(), context) != dead_.end()) return;
    dead_.push_back(context);
    std::vector<unsigned> slots;
    for (const ResidentKernel& kernel : state_.kernels())
      if (kernel.context == context && !kernel.over()) slots.push_back(kernel.slot);
    for (unsigned slot : slots) {
      kill(slot);
      end_if_over(slot, now);
    }
    kernels_changed();
  });
}

void StatusRegisterDistributor::kill(unsigned slot) {
  state_.kill(slot);
  const ResidentKernel& kernel = *state_.find(slot);
  for (unsigned sm = 0; sm < state_.sm_count(); ++sm)
    if ((kernel.running[sm] != 0 || (kernel.started[sm] && slots_[slot].sampler)) &&
        std::find(killed_.begin(), killed_.end(), sm) == killed_.end())
      killed_.push_back(sm);
}

void StatusRegisterDistributor::take_changes(Cycle now) {
  changes_.take(now, [&](const Change& change) {
    Slot& slot = slots_[change.slot];
    if (change.running && (!slot.busy || slot.record != change.record)) return;  // it has ended meanwhile
    switch (change.kind) {
      case Change::kHold:
        slot.held = change.value != 0;
        state_.set_held(change.slot, slot.held);
        break;
      case Change::kPriority:
        slot.image.priority = static_cast<std::int32_t>(change.value);
        state_.set_priority(change.slot, slot.image.priority);
        break;
      case Change::kBudget:
        slot.image.budget = change.value;
        break;
      case Change::kLimit:
        if (change.sm < state_.sm_count()) {
          set_limit(change.slot, change.sm, change.value, change.drains);
        } else {
          for (unsigned sm = 0; sm < state_.sm_count(); ++sm)
            set_limit(change.slot, sm, change.value, change.drains);
        }
        break;
    }
    kernels_changed();
  });
  writes_.take(now, [&](const PolicyWrite& write) {
    policy_.call([&](CtaDispatchPolicy&) { policy_writes_[write.which](write.index, write.value); });
    kernels_changed();
  });
}

void StatusRegisterDistributor::set_limit(unsigned slot, unsigned sm, std::uint32_t ctas, bool drains) {
  const ResidentKernel* kernel = state_.find(slot);
  if (kernel == nullptr || kernel->cta_limit(sm) == ctas) return;
  state_.set_limit(slot, sm, ctas);
  limit_writes_.push_back({sm, slot, drains ? ResidentKernel::kNoLimit : ctas});
}

void StatusRegisterDistributor::notify(unsigned slot, std::uint32_t launch_id, bool ended) {
  if (block_.get(watcher_) != 0) notices_.push_back({slot, launch_id, ended, 0});
}

// The kernel ends: the next one in its slot begins without limits.
void StatusRegisterDistributor::lift_limits(unsigned slot) {
  const ResidentKernel* kernel = state_.find(slot);
  if (kernel == nullptr || kernel->limits.empty()) return;
  for (unsigned sm = 0; sm < state_.sm_count(); ++sm) set_limit(slot, sm, ResidentKernel::kNoLimit, false);
}

PolicyContext StatusRegisterDistributor::policy_context(unsigned slots, std::uint64_t seed) {
  PolicyContext context;
  context.place = "work distributor";
  context.kernel_slots = slots;
  context.seed = seed;
  context.period_fs = to_sim_time(domain_.period()).fs();
  context.cycle = [this] { return domain_.now(); };
  context.registers = {wd::kPolicyBytes, [this](RegisterSpec spec) { add_policy_register(std::move(spec)); }};
  return context;
}

void StatusRegisterDistributor::policy_stats(StatVisitor& v) const { policy_.stats(v, kDispatchSentence); }

CtaLaunch StatusRegisterDistributor::make_launch(unsigned slot, std::uint64_t index) const {
  const wd::KernelSlotImage& k = slots_[slot].image;
  CtaLaunch launch;
  launch.kernel_object = k.kernel_object;
  launch.kernarg_address = k.kernarg_address;
  launch.launch_id = k.launch_id;
  launch.kernel_slot = static_cast<std::uint16_t>(slot);
  launch.context = static_cast<std::uint16_t>(k.context);
  launch.stream = static_cast<std::uint16_t>(k.stream);
  launch.priority = static_cast<std::int16_t>(std::clamp(k.priority, -32768, 32767));
  launch.budget = std::max(k.budget, 1u);
  std::copy(k.grid, k.grid + 3, launch.grid);
  std::copy(k.block, k.block + 3, launch.block);
  launch.cta[0] = static_cast<std::uint32_t>(index % k.grid[0]);
  launch.cta[1] = static_cast<std::uint32_t>(index / k.grid[0] % k.grid[1]);
  launch.cta[2] = static_cast<std::uint32_t>(index / k.grid[0] / k.grid[1]);
  launch.dynamic_shared_bytes = k.dynamic_shared_bytes;
  return launch;
}

std::string StatusRegisterDistributor::broken_rule(const CtaDispatchPolicy::Choice& choice) const {
  const std::size_t kernels = state_.kernels().size();
  if (choice.kernel < kernels && choice.sm < state_.sm_count() && state_.fits(choice.kernel, choice.sm))
    return {};
  const std::string what = fmt::format("it sent a CTA of kernel {} to SM {}, but ", choice.kernel, choice.sm);
  if (choice.kernel >= kernels) return what + fmt::format("the number of resident kernels is {}", kernels);
  if (choice.sm >= state_.sm_count()) return what + fmt::format("the number of SMs is {}", state_.sm_count());
  if (!state_.kernels()[choice.kernel].waiting())
    return what + "all CTAs of the kernel have been issued, or it is held";
  if (state_.partitioned() && (state_.sm(choice.sm).state != SmState::kRunning ||
                               state_.sm(choice.sm).owner != state_.kernels()[choice.kernel].slot))
    return what + "the SM is not the kernel's";
  if (state_.sm(choice.sm).ready_at > domain_.now()) return what + "the SM is being set up";
  if (state_.sm(choice.sm).running_ctas != 0 &&
      state_.sm(choice.sm).context != state_.kernels()[choice.kernel].context)
    return what + "the SM has CTAs of another context";
  if (state_.sm(choice.sm).given_this_cycle) return what + "the SM has been given a CTA in this cycle";
  return what + "the SM has no room for it";
}

void StatusRegisterDistributor::partition(Cycle now) {
  if (!partition_) return;
  policy_.call([&](CtaDispatchPolicy&) { partition_->update(now); });
  set_up_ = partition_->take_set_up();
  leaving_ = partition_->take_preempted();
  for (unsigned sm : partition_->take_changed())
    if (observer_) observer_->sm_changed(handover(sm));
}

SmHandover StatusRegisterDistributor::handover(unsigned sm) const {
  const SmStatus& s = state_.sm(sm);
  SmHandover h;
  h.sm = sm;
  h.state = s.state;
  h.context = s.context;
  h.preemption = s.preemption;
  // The owner of a reserved SM may have ended, with all of its CTAs.
  if (s.owner != SmStatus::kNobody) h.launch = records_[slots_[s.owner].record].launch_id;
  if (s.next != SmStatus::kNobody) h.next_launch = records_[slots_[s.next].record].launch_id;
  h.ready_at = domain_.time_of(s.ready_at);
  return h;
}

void StatusRegisterDistributor::dispatch(Cycle now) {
  if (now < next_launch_) {
    // What has changed meanwhile is looked at then.
    more_ = true;
    return;
  }
  unsigned given = 0;
  while (given < config_.ctas_per_cycle) {
    const auto choice = policy_.call([&](CtaDispatchPolicy& policy) { return policy.pick(state_); });
    if (!choice) break;
    if (const std::string rule = broken_rule(*choice); !rule.empty())
      report_broken_contract(CtaDispatchPolicy::kKind, config_.policy.name, rule,
                             fmt::format("work distributor, SM cycle {}", now));
    const ResidentKernel& kernel = state_.kernels()[choice->kernel];
    if (state_.needs_setup(choice->kernel, choice->sm)) {
      state_.set_up(choice->kernel, choice->sm, now);
      ++stats_.setups;
      set_up_.push_back(choice->sm);
      continue;
    }
    if (sampling_.on() && !skip_ctas(choice->kernel, now)) break;
    if (state_.sm(choice->sm).running_ctas == 0) busy_since_[choice->sm] = now;
    KernelRecord& record = records_[slots_[kernel.slot].record];
    if (record.first_cta == kNever) {
      record.first_cta = now;
      record.first_cta_at = domain_.time_of(now);
    }
    const SmSetup setup = state_.issue(choice->kernel, choice->sm);
    CtaLaunch launch = make_launch(kernel.slot, setup.cta);
    launch.followers = followers_of(kernel, setup);
    state_.issue_followers(choice->kernel, launch.followers);
    stats_.ctas_issued += launch.followers;
    launches_.push_back({choice->sm, launch, setup});
    slots_[kernel.slot].issued = kernel.issued;
    if (partition_ && !kernel.waiting()) partition_->kernels_changed();
    ++given;
  }
  stats_.ctas_issued += given;
  // Declining is final until something changes, unless an SM was only busy taking this cycle's CTA.
  more_ = given > 0;
  if (more_) next_launch_ = now + config_.launch_interval;
}

void StatusRegisterDistributor::evaluate(Cycle now) {
  const PartMark mark("work distributor");
  state_.begin_cycle(now);
  take_completions(now);
  take_preempted(now);
  finish_skipped(now);
  finish_drained(now);
  take_arrivals(now);
  take_changes(now);
  take_kills(now);
  partition(now);
  dispatch(now);
  if (!launches_.empty() || !finished_.empty() || !set_up_.empty() || !leaving_.empty() || !killed_.empty() ||
      !limit_writes_.empty() || !notices_.empty())
    domain_.commit_by_thread();  // send() calls b_transport
}

bool StatusRegisterDistributor::send(std::uint64_t address, void* record, unsigned bytes) {
  tlm::tlm_generic_payload& payload = payload_;
  payload.set_command(tlm::TLM_WRITE_COMMAND);
  payload.set_address(address);
  payload.set_data_ptr(static_cast<unsigned char*>(record));
  payload.set_data_length(bytes);
  payload.set_streaming_width(bytes);
  payload.set_dmi_allowed(false);
  payload.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
  sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
  // A posted write: the distributor goes on, and the target reckons with the delay.
  bus->b_transport(payload, delay);
  if (payload.is_response_ok()) return true;
  DeviceFault fault;
  fault.what = fmt::format("{}: write of {} bytes answered {}", name(), bytes, payload.get_response_string());
  fault.address = address;
  faults_.raise(fault);
  return false;
}

StatusRegisterDistributor::Told StatusRegisterDistributor::row_of(std::uint32_t context) const {
  if (context >= wd::kMaxContexts) return {};
  return {{block_.get(page_tables_, context), block_.get(texture_tables_, context)},
          block_.get(local_memories_, context)};
}

// Context, page tables and texture table together (CUsched, section III.B).
void StatusRegisterDistributor::set_context(unsigned sm) {
  const std::uint64_t window = regmap::sm::window(sm);
  std::uint32_t context = state_.sm(sm).context;
  send(window + regmap::sm::kContext, &context, sizeof context);
  Told told = row_of(context);
  if (told == told_[sm]) return;
  wd::ContextRow& row = told.row;
  const bool local = told.local_memory != told_[sm].local_memory;
  const bool tables = !(row == told_[sm].row);
  told_[sm] = told;
  if (local) send(window + regmap::sm::kLocalMemory, &told.local_memory, sizeof told.local_memory);
  if (!tables) return;
  send(window + regmap::sm::kPageTable, &row.page_table, sizeof row.page_table);
  send(window + regmap::sm::kTextures, &row.texture_table, sizeof row.texture_table);
}

void StatusRegisterDistributor::preempt(unsigned sm, Preemption how) {
  auto way = static_cast<std::uint32_t>(how);
  send(regmap::sm::window(sm) + regmap::sm::kPreempt, &way, sizeof way);
}

// Before the CTA itself, over the same bus, so that it gets there first.
void StatusRegisterDistributor::set_up(const Launch& launch) {
  const std::uint64_t window = regmap::sm::window(launch.sm);
  std::uint32_t shared = launch.setup.shared_bytes, launch_id = launch.record.launch_id;
  // Also when the table has changed since.
  if (launch.setup.context || !(row_of(launch.record.context) == told_[launch.sm])) set_context(launch.sm);
  if (launch.setup.divide) send(window + regmap::sm::kSharedBytes, &shared, sizeof shared);
  if (launch.setup.kernel_start) send(window + regmap::sm::kKernelStart, &launch_id, sizeof launch_id);
  std::uint32_t state = launch.setup.state;
  if (state != 0) send(window + regmap::sm::kResume, &state, sizeof state);
  std::uint32_t functional = 1;
  if (launch.functional) send(window + regmap::sm::kFunctional, &functional, sizeof functional);
}

Cycle StatusRegisterDistributor::commit(Cycle now) {
  const PartMark mark("work distributor");
  if (fault_) {
    faults_.raise(std::move(*fault_));
    fault_.reset();
  }
  for (unsigned sm : leaving_) preempt(sm, state_.sm(sm).preemption);
  leaving_.clear();
  for (unsigned sm : killed_) preempt(sm, Preemption::kKill);
  killed_.clear();
  for (LimitWrite& write : limit_writes_)
    send(regmap::sm::window(write.sm) + regmap::sm::kCtaLimits + 4 * write.slot, &write.ctas,
         sizeof write.ctas);
  limit_writes_.clear();
  for (unsigned sm : set_up_) set_context(sm);
  set_up_.clear();
  for (Launch& launch : launches_) {
    if (observer_ && !launch.functional) observer_->cta_begin(launch.record, launch.sm);
    set_up(launch);
    send(regmap::sm::window(launch.sm) + regmap::sm::kLaunch, &launch.record, sizeof(CtaLaunch));
  }
  launches_.clear();
  if (sampling_.on()) read_samples(now);
  for (regmap::cp::KernelDone& done : finished_) {
    send(regmap::cp::kBase + regmap::cp::kKernelDone, &done, sizeof done);
  }
  finished_.clear();
  for (wd::KernelNotice& notice : notices_) send(block_.get(watcher_), &notice, sizeof notice);
  notices_.clear();
  return next_work();
}

Outlook StatusRegisterDistributor::outlook() const {
  if (next_work() != kNever) return Outlook::kActs;
  for (unsigned i = 0; i < state_.sm_count(); ++i) {
    const SmStatus& sm = state_.sm(i);
    if (sm.state == SmState::kReserved && sm.preemption != Preemption::kDrain && sm.running_ctas != 0)
      return Outlook::kActs;
  }
  return Outlook::kRests;
}

Cycle StatusRegisterDistributor::next_work() const {
  return std::min({more_ ? next_launch_ : kNever, completions_.next(), preempted_.next(), draining_.next(),
                   skipping_.next(), arrivals_.next(), changes_.next(), writes_.next(), kills_.next(),
                   state_.next_ready()});
}

WorkDistributorStats StatusRegisterDistributor::statistics() const {
  WorkDistributorStats stats = stats_;
  for (unsigned sm = 0; sm < state_.sm_count(); ++sm)
    if (state_.sm(sm).running_ctas != 0 && domain_.now() > busy_since_[sm])
      stats.busy_sm_cycles += domain_.now() - busy_since_[sm];
  if (partition_) {
    stats.setups = partition_->counters().setups;
    stats.reservations = partition_->counters().reservations;
    stats.drain_cycles = partition_->counters().drain_cycles;
    stats.preemptions = partition_->counters().preemptions;
    stats.preemption_cycles = partition_->counters().preemption_cycles;
  }
  return stats;
}

std::string StatusRegisterDistributor::describe() const {
  std::string out;
  for (const ResidentKernel& k : state_.kernels()) {
    out += fmt::format("launch {} in slot {}: {} of {} CTAs issued, {} done", k.launch_id, k.slot, k.issued,
                       k.ctas, k.done);
    out += k.set_aside.empty() ? "\n" : fmt::format(", {} taken off their SMs\n", k.set_aside.size());
  }
  return out;
}

namespace {

class StatusRegisterType : public WorkDistributorType {
 public:
  explicit StatusRegisterType(const WorkDistributorConfig& config) : config_(config) {}
  void check(unsigned sm_count, const RequireField& require) const override {
    const PolicySlot<CtaDispatchPolicy> policy(config_.policy);
    const std::string wrong = policy.call([&](CtaDispatchPolicy& chosen) { return chosen.check(sm_count); });
    require(wrong.empty(), "policy", wrong);
  }
  std::unique_ptr<WorkDistributor> build(const char* name, const WorkDistributorPlace& place) const override {
    WorkDistributorConfig config = config_;
    config.slots = place.slots;
    return std::make_unique<StatusRegisterDistributor>(
        name, config, place.resources, place.sm_count, place.clock, place.faults, place.page_table,
        place.seed, place.sampling, place.sampled, place.most_followers);
  }
  std::optional<std::pair<std::string, std::string>> not_sampled() const override {
    if (config_.preemption == "drain") return std::nullopt;
    return std::pair<std::string, std::string>{"preemption", "takes CTAs off their SMs; allowed: drain"};
  }
  void visit_policy_stats(StatVisitor& v) const override {
    warpvp::visit_policy_stats<CtaDispatchPolicy>(v, kDispatchSentence, [](const std::string& name) {
      return "with `platform.work_distributor.policy: " + name + "`";
    });
  }
  void visit_policy_registers(const ShowPolicyRegisters& show) const override {
    const auto context = [](const std::string&, const PolicyRegisters::Take& take) {
      PolicyContext context;
      context.kernel_slots = wd::kMaxSlots;
      context.registers = {wd::kPolicyBytes,
                           [take](RegisterSpec spec) { take(in_policy_window(std::move(spec))); }};
      return context;
    };
    warpvp::visit_policy_registers<CtaDispatchPolicy>(show, wd::kBytes, context);
  }

 private:
  WorkDistributorConfig config_;
};

WARPVP_REGISTER_BLOCK(WorkDistributorType, StatusRegisterType, WorkDistributorConfig, "status_registers",
                      "Kernel and SM status registers (CUsched, sections II.B and III.C), and a policy.");

}  // namespace
}  // namespace warpvp
