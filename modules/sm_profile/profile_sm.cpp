#include "modules/sm_profile/profile_sm.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>

#include "base/part_mark.h"
#include "base/random_factor.h"
#include "interconnect/kernel_descriptor.h"

namespace warpvp {

namespace {
constexpr const char kPart[] = "SM: profiles";
}  // namespace

ProfileSm::ProfileSm(sc_core::sc_module_name name, const SmPlace& place,
                     std::shared_ptr<const ProfileSmConfig> config, std::shared_ptr<MemoryPool> pool,
                     double state_bytes_per_cycle)
    : Sm(name),
      control_("control"),
      completion_("completion"),
      memory_("memory", *this),
      config_(std::move(config)),
      pool_(std::move(pool)),
      id_(place.id),
      clock_(place.clock),
      clock_id_(place.clock.join(*this)),
      claim_(pool_->add(*this)),
      resources_(place.resources),
      services_(place.services),
      registers_(make_sm_registers(register_hooks(), place.resources.shared_bytes)),
      state_bytes_per_cycle_(state_bytes_per_cycle) {
  control_.register_b_transport(this, &ProfileSm::control);
  control_.register_transport_dbg(this, &ProfileSm::control_debug);
}

// ---- registers

SmRegisterHooks ProfileSm::register_hooks() {
  SmRegisterHooks hooks;
  hooks.launch = [this](const CtaLaunch& record) { accept_launch(record); };
  hooks.set_context = [this](std::uint32_t context) { context_ = context; };
  hooks.context = [this] { return context_; };
  hooks.preempt = [this](std::uint32_t way) { accept_preemption(way); };
  hooks.resume = [this](std::uint32_t state) { resume_ = state; };
  hooks.resident_ctas = [this] { return used_.ctas; };
  hooks.resident_warps = [this] { return used_.warps; };
  hooks.waiting_ctas = [this] { return static_cast<std::uint32_t>(waiting_.size()); };
  return hooks;
}

void ProfileSm::control(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
  access_delay_ = delay;
  refused_ = false;
  registers_.transport(payload);
  if (refused_) payload.set_response_status(tlm::TLM_GENERIC_ERROR_RESPONSE);
}

void ProfileSm::accept_launch(const CtaLaunch& record) {
  const Cycle due = clock_.edge_after(access_delay_) - 1 + config_->cta_launch_latency;
  if (record.context != context_) {
    clock_.wake(clock_id_, due);
    return fault(record, "", wrong_context(record.context, context_));
  }
  const auto later =
      std::find_if(waiting_.begin(), waiting_.end(), [&](const auto& w) { return w.due > due; });
  waiting_.insert(later, {due, record, std::exchange(resume_, 0)});
  clock_.wake(clock_id_, due);
}

// ---- CTAs

/// nullptr after a fault.
ProfileSm::Launch* ProfileSm::launch_of(const CtaLaunch& record) {
  if (record.launch_id >= launches_.size()) launches_.resize(record.launch_id + 1);
  std::unique_ptr<Launch>& place = launches_[record.launch_id];
  if (place) return place.get();
  const Shape* const shape = shape_of(record);
  if (shape == nullptr) return nullptr;
  place = std::make_unique<Launch>();
  place->shape = shape;
  return place.get();
}

/// nullptr after a fault.
const ProfileSm::Shape* ProfileSm::shape_of(const CtaLaunch& record) {
  const std::uint32_t threads = record.block[0] * record.block[1] * record.block[2];
  const std::uint64_t ctas = std::uint64_t{record.grid[0]} * record.grid[1] * record.grid[2];
  const ShapeKey key{record.kernel_object, ctas, threads, record.dynamic_shared_bytes, record.context};
  if (const auto known = shapes_.find(key); known != shapes_.end()) return &known->second;
  const auto [program, problem] = services_.kernels.find(record.kernel_object, record.launch_id);
  if (!program) {
    fault(record, "", problem);
    return nullptr;
  }
  if (const auto owner = services_.memory.range_of(record.kernel_object);
      owner && owner->context != record.context) {
    fault(record, program->name,
          fmt::format("context {} launched a kernel of context {}", record.context, owner->context));
    fault_->address = record.kernel_object;
    return nullptr;
  }
  const KernelProfile* const profile = config_->profiles.find(program->name, ctas, threads);
  if (profile == nullptr) {
    fault(record, program->name, fmt::format("kernel '{}' has no profile", program->name),
          fmt::format(
              "None of platform.sm.profiles has '{0}' or '{0}@{1}x{2}'. `warpvp profile` records profiles "
              "from runs at cycle grain; platform.sm=cycle runs the kernel as it is.\n",
              program->name, ctas, threads));
    return nullptr;
  }
  if (profile->threads != threads) {
    fault(record, program->name,
          fmt::format("the profile of kernel '{}' is of CTAs of {} threads, and these have {}", program->name,
                      profile->threads, threads),
          fmt::format("It stands at {}. A profile '{}@{}x{}' is for launches of this shape alone.\n",
                      profile->place, program->name, ctas, threads));
    return nullptr;
  }
  KernelDescriptor kernel;
  std::memcpy(&kernel, services_.memory.at(record.kernel_object), sizeof kernel);
  Shape shape;
  shape.kernel = program->name;
  shape.profile = profile;
  shape.cold = static_cast<Cycle>(std::llround(profile->cold_cycles));
  shape.work = {profile->cycles(clock_.mhz()),
                std::max(profile->sm_cycles, profile->instructions / config_->issue()),
                profile->memory_bytes};
  shape.needs = cta_needs(resources_, threads, kernel.registers_per_thread,
                          kernel.static_shared_bytes + record.dynamic_shared_bytes, kernel.barriers);
  shape.saved =
      cta_needs(resources_, threads, std::max(kernel.registers_per_thread, profile->registers),
                std::max(kernel.static_shared_bytes + record.dynamic_shared_bytes, profile->shared_bytes),
                kernel.barriers);
  return &shapes_.emplace(key, std::move(shape)).first->second;
}

void ProfileSm::start(const Pending& pending) {
  const CtaLaunch& record = pending.record;
  Launch* const launch = launch_of(record);
  if (launch == nullptr) return;
  if (!used_.has_room(resources_, launch->shape->needs))
    return fault(record, launch->shape->kernel, "CTA launched on an SM without room for it");
  used_.take(launch->shape->needs);
  if (free_slots_.empty()) {
    free_slots_.push_back(static_cast<std::uint32_t>(slots_.size()));
    slots_.emplace_back();
  }
  const std::uint32_t slot = free_slots_.back();
  free_slots_.pop_back();
  slots_[slot] = {record, launch, 0};
  // The first one waits for cold caches; those that come with it or soon after wait for the same fills.
  launch->first_cycle = std::min(launch->first_cycle, last_);
  Cycle warm = launch->first_cycle + launch->shape->cold;
  if (pending.state != 0) {
    const auto state = services_.saved->take(pending.state);
    if (state == nullptr)
      return fault(record, launch->shape->kernel,
                   fmt::format("CTA launched from saved state {}, which there is not", pending.state));
    slots_[slot].left = static_cast<const SavedProfileCta&>(*state).left;
    warm = state_moved(state->bytes, last_, counters_.switches.restore_cycles);
    ++counters_.switches.restored;
    counters_.switches.restored_bytes += state->bytes;
  }
  if (warm <= last_) return begin_work(slot);
  const auto later = std::find_if(cold_.begin(), cold_.end(), [&](const auto& c) { return c.first > warm; });
  cold_.insert(later, {warm, slot});
}

void ProfileSm::begin_work(std::uint32_t slot) {
  const CtaLaunch& record = slots_[slot].record;
  Launch& launch = *slots_[slot].launch;
  if (launch.group == kNoGroup) launch.group = groups_.open_group();
  CtaWork work = launch.shape->work;
  if (launch.shape->profile->variation > 0) {
    const std::uint64_t number =
        record.cta[0] +
        std::uint64_t{record.grid[0]} * (record.cta[1] + std::uint64_t{record.grid[1]} * record.cta[2]);
    work.cycles *=
        log_normal_factor(launch.shape->profile->variation, services_.seed, record.launch_id, number);
  }
  if (slots_[slot].left > 0) {
    const double share = slots_[slot].left / work.cycles;
    work = {slots_[slot].left, work.sm_cycles * share, work.memory_bytes * share};
  }
  groups_.start(launch.group, slot, work);
}

void ProfileSm::end(std::uint32_t slot, Cycle now) {
  const Resident cta = slots_[slot];
  Launch& launch = *cta.launch;
  free_slot(slot);
  ++counters_.ctas;
  counters_.issued -= launch.instructions();
  ++launch.ctas;
  counters_.issued += launch.instructions();
  launch.last_cycle = now;
  const CtaLaunch& record = cta.record;
  done_.push_back({record.launch_id,
                   record.kernel_slot,
                   static_cast<std::uint16_t>(id_),
                   {record.cta[0], record.cta[1], record.cta[2]}});
}

void ProfileSm::free_slot(std::uint32_t slot) {
  used_.give_back(slots_[slot].launch->shape->needs);
  slots_[slot].launch = nullptr;
  free_slots_.push_back(slot);
}

// ---- edges

void ProfileSm::evaluate(Cycle now) {
  if (stopped_) return;
  const PartMark mark(kPart);
  count_active(now);
  last_ = now;
  if (level_) {
    groups_.advance(level_->from);
    groups_.set_memory_level(level_->level);
    groups_.settle();
    level_in_force_ = level_->level;
    level_.reset();
  }
  groups_.advance(now);
  groups_.take_ended([&](unsigned group, std::uint32_t slot) {
    if (groups_.running(group) == 0) slots_[slot].launch->group = kNoGroup;
    end(slot, now);
  });
  std::size_t started = 0;
  for (; started < waiting_.size() && waiting_[started].due <= now && !stopped_; ++started)
    start(waiting_[started]);
  waiting_.erase(waiting_.begin(), waiting_.begin() + static_cast<long>(started));
  std::size_t warm = 0;
  for (; warm < cold_.size() && cold_[warm].first <= now; ++warm) begin_work(cold_[warm].second);
  cold_.erase(cold_.begin(), cold_.begin() + static_cast<long>(warm));
  if (leaving_ != Preemption::kDrain && now >= leaving_since_) leave(now);
  groups_.settle();
  std::size_t saved = 0;
  for (; saved < saving_.size() && saving_[saved].due <= now; ++saved) {
    saving_[saved].report.state = services_.saved->put(std::move(saving_[saved].state));
    preempted_.push_back(saving_[saved].report);
  }
  saving_.erase(saving_.begin(), saving_.begin() + static_cast<long>(saved));
  if (!done_.empty() || !preempted_.empty()) clock_.commit_by_thread();  // complete() calls b_transport
}

Cycle ProfileSm::commit(Cycle now) {
  const PartMark mark(kPart);
  if (fault_) {
    services_.faults.raise(std::move(*fault_));
    fault_.reset();
  }
  for (const CtaDone& done : done_)
    stopped_ |= !post(services_, id_, services_.completion_address, done, "completion");
  done_.clear();
  for (const CtaPreempted& cta : preempted_)
    stopped_ |= !post(services_, id_, services_.preempted_address, cta, "preemption");
  preempted_.clear();
  if (stopped_) return kNever;
  pool_->ask(claim_, groups_.memory_demand(), now);
  Cycle next = groups_.next_end();
  if (!waiting_.empty()) next = std::min(next, waiting_.front().due);
  if (!saving_.empty()) next = std::min(next, saving_.front().due);
  if (!cold_.empty()) next = std::min(next, cold_.front().first);
  // The level may have changed at this very edge, for the demand that was before.
  if (level_binds()) next = std::min(next, now + 1);
  return next;
}

bool ProfileSm::level_binds() const {
  return level_ && groups_.memory_demand() > std::min(level_->level, level_in_force_);
}

void ProfileSm::memory_level(Cycle from, double level, bool binds) {
  // A level that was told before and looked at by nobody has bound nobody.
  level_ = Level{from, level};
  if (binds || level_binds()) clock_.wake(clock_id_, from + 1);
}

// ---- what others see

void ProfileSm::count_active(Cycle now) {
  if (used_.ctas != 0) counters_.active_cycles += now - counted_;
  counted_ = now;
}

const SmLaunchCounters* ProfileSm::launch_counters(std::uint32_t launch) const {
  if (launch >= launches_.size() || !launches_[launch]) return nullptr;
  const Launch& of = *launches_[launch];
  shown_ = {};
  shown_.ctas = of.ctas;
  shown_.warp_instructions = of.instructions();
  shown_.first_cycle = of.first_cycle;
  shown_.last_cycle = of.last_cycle;
  return &shown_;
}

const SmMemoryCounters* ProfileSm::memory_counters(std::uint32_t launch) const {
  if (launch >= launches_.size() || !launches_[launch]) return nullptr;
  shown_memory_ = {};
  shown_memory_.read_bytes = launches_[launch]->read_bytes();
  return &shown_memory_;
}

void ProfileSm::memory_stats(StatVisitor& v) const {
  SmMemoryCounters total;
  for (const auto& launch : launches_)
    if (launch) total.read_bytes += launch->read_bytes();
  total.stats(v);
}

void ProfileSm::fault(const CtaLaunch& record, const std::string& kernel, std::string what,
                      std::string detail) {
  stopped_ = true;
  if (fault_) return;
  DeviceFault& fault = fault_.emplace();
  fault.what = std::move(what);
  fault.kernel = kernel;
  fault.detail = std::move(detail);
  for (int i = 0; i < 3; ++i) fault.cta[i] = record.cta[i];
  fault.sm = static_cast<int>(id_);
}

std::string ProfileSm::describe_waiting(unsigned at_most) const {
  std::string text;
  unsigned lines = 0;
  for (std::size_t id = 0; id < launches_.size() && lines < at_most; ++id) {
    if (!launches_[id] || launches_[id]->group == kNoGroup) continue;
    const Launch& launch = *launches_[id];
    ++lines;
    text +=
        fmt::format("  SM {} kernel {} (launch {}): {} CTAs run at {:.3f} of the pace of a lone one\n", id_,
                    launch.shape->kernel, id, groups_.running(launch.group), groups_.rate(launch.group));
  }
  if (!cold_.empty() && lines++ < at_most)
    text += fmt::format("  SM {}: {} CTAs wait for cold caches\n", id_, cold_.size());
  if (!waiting_.empty() && lines < at_most)
    text += fmt::format("  SM {}: {} CTAs are to start\n", id_, waiting_.size());
  return text;
}

}  // namespace warpvp
