#include "modules/sm/streaming_multiprocessor.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/part_mark.h"
#include "base/registry.h"
#include "base/summed_stats.h"
#include "interconnect/launch_counters.h"
#include "interconnect/register_map.h"
#include "interconnect/sim_time.h"
#include "interconnect/transaction.h"

namespace warpvp {

namespace {

SmContext context_of(unsigned sm, ClockDomain& clock, const SmServices& services) {
  SmContext context;
  context.index = sm;
  context.kernel_slots = services.kernel_slots;
  context.seed = services.seed;
  context.period_fs = to_sim_time(clock.period()).fs();
  return context;
}

}  // namespace

StreamingMultiprocessor::StreamingMultiprocessor(sc_core::sc_module_name name, const SmConfig& config,
                                                 unsigned sm_id, ClockDomain& clock,
                                                 const SmServices& services)
    : Sm(name),
      control("control"),
      completion("completion"),
      registers_(make_sm_registers(register_hooks(), config.resources.shared_bytes)),
      clock_(clock),
      shared_(config, context_of(sm_id, clock, services),
              [this](RegisterSpec spec) { add_policy_register(std::move(spec)); }),
      memory_(Registry<MemorySideType>::instance()
                  .make(config.memory.model)
                  ->build({"memory", config.memory, sm_id, config.schedulers, config.resources.warps, *this,
                           *this, [this] { clock_.wake(clock_id_); }, shared_.contexts, shared_.events,
                           services.backing})),
      streams_(config.resources.warps),
      moves_(shared_.config.context_switch, *memory_),
      clock_id_(clock.join(*this)),
      services_(services),
      source_(Registry<InstructionSourceType>::instance()
                  .make(config.instructions)
                  ->build(config, services,
                          shared_.contexts.of(InstructionSourceType::kKind, config.instructions.name))),
      cta_limits_(regmap::wd::kMaxSlots, regmap::sm::kNoCtaLimit),
      launch_of_slot_(regmap::wd::kMaxSlots, kNoLaunch),
      instructions_before_(regmap::wd::kMaxSlots, 0),
      shared_bytes_(config.resources.shared_bytes) {
  memory_->on_page_fault = [this](const tlm::tlm_generic_payload& request) { page_fault(request); };
  control.register_b_transport(this, &StreamingMultiprocessor::control_transport);
  control.register_transport_dbg(this, &StreamingMultiprocessor::control_debug);
  shared_.memory = memory_.get();
  shared_.source = source_.get();
  shared_.local_memory_base = services.local_memory_base;
  shared_.local_memory_bytes = services.local_memory_bytes;
  shared_.period_fs = to_sim_time(clock.period()).fs();
  build_shared_front_end();
  SubCoreOwner& owner = *this;
  for (unsigned s = 0; s < config.schedulers; ++s)
    sub_cores_.push_back(std::make_unique<SubCore>(shared_, owner, s));
  for (unsigned i = 0; i < config.resources.warps; ++i)
    slots_.push_back(&sub_cores_[i % config.schedulers]->warps()[i / config.schedulers]);
  if (services_.window > 1) step_ahead();
}

StreamingMultiprocessor::~StreamingMultiprocessor() = default;

void StreamingMultiprocessor::build_shared_front_end() {
  const PolicyChoice& mode = shared_.config.frontend.mode;
  shared_.front_end = Registry<FrontEndType>::instance().make(mode)->build_shared(
      shared_.contexts.of(FrontEndType::kKind, mode.name), shared_.config);
  SharedRows* const rows = shared_.front_end ? shared_.front_end->rows() : nullptr;
  if (rows == nullptr) return;
  rows->changed = [this](unsigned row, Cycle at, bool at_once) { shared_row_changed(row, at, at_once); };
}

void StreamingMultiprocessor::shared_row_changed(unsigned row, Cycle at, bool at_once) {
  shared_.front_end->rows()->release(
      row, [&](unsigned slot) { sub_core_of(*slots_[slot]).shared_row_changed(*slots_[slot], at_once); });
  if (at < Scoreboard::kPendingHit) shared_.front_end->row_written(row, at);
}

// ---- launching

void StreamingMultiprocessor::begin(const PendingLaunch& launch) {
  if (launch.state == 0) return start_cta(launch.record);
  if (auto state = services_.saved->take(launch.state))
    return moves_.restore(launch.record, std::move(state));
  DeviceFault& fault = fault_.emplace();
  fault.what = fmt::format("CTA launched from saved state {}, which there is not", launch.state);
  fault.sm = static_cast<int>(shared_.sm_id);
  stopped_ = true;
}

std::uint64_t StreamingMultiprocessor::instructions_of_last(unsigned kernel_slot) const {
  const std::uint32_t launch = launch_of_slot_[kernel_slot];
  const SmLaunchCounters* counters = launch == kNoLaunch ? nullptr : shared_.ctas.counters(launch);
  return counters ? counters->warp_instructions : 0;
}

void StreamingMultiprocessor::start_cta(const CtaLaunch& record, SavedCycleCta* from) {
  const KernelImages::Found kernel = services_.kernels.find(record.kernel_object, record.launch_id);
  const auto& program = kernel.program;
  const unsigned threads = record.block[0] * record.block[1] * record.block[2];
  const unsigned warps = (threads + ptx::kWarpSize - 1) / ptx::kWarpSize;
  const std::uint32_t shared = program ? shared_need(record, *program) : 0;
  const auto owner = services_.memory.range_of(record.kernel_object);
  const bool foreign =
      owner && (services_.spaces ? !services_.spaces->translate(page_table_, record.kernel_object)
                                 : owner->context != record.context);
  const bool room = program && !foreign && resident_warps_ + warps <= shared_.config.resources.warps &&
                    shared_used_ + shared <= shared_bytes_;
  const int opened = room ? shared_.ctas.open(record, program) : -1;
  if (opened < 0) {
    DeviceFault fault;
    fault.what = !program  ? kernel.problem
                 : foreign ? fmt::format("context {} launched a kernel of {}", record.context,
                                         DeviceMemory::owner_name(owner->context))
                           : "CTA launched on an SM without room for it";
    if (foreign) {
      fault.address = record.kernel_object;
      fault.context = record.context;
      launches_.insert(launches_.begin(), {kNever, record, 0});  // goes back with those that leave
    }
    fault.sm = static_cast<int>(shared_.sm_id);
    fault_ = std::move(fault);
    stopped_ = true;
    return;
  }
  CtaSlot& cta = shared_.ctas[static_cast<unsigned>(opened)];
  ResidentLaunch& launch = *cta.launch;
  if (launch.ctas == 1) shared_.events.kernel_started(launch.here(), shared_.now);
  if (launch_of_slot_[record.kernel_slot] != record.launch_id) {
    instructions_before_[record.kernel_slot] += instructions_of_last(record.kernel_slot);
    launch_of_slot_[record.kernel_slot] = record.launch_id;
  }
  launch.counters->first_cycle = std::min(launch.counters->first_cycle, shared_.now);
  launch.counters->note_l1(memory_->l1_bytes());
  cta.shared_bytes = shared;
  shared_used_ += shared;
  const auto number = static_cast<unsigned>(opened);
  if (from) {
    source_->restore_cta(number, *from->instructions);
  } else {
    source_->start_cta(number, *program, record);
  }
  if (shared_.config.warp_placement == "rotate") {
    next_sub_core_ = first_sub_core_;
    first_sub_core_ = (first_sub_core_ + 1) % static_cast<unsigned>(sub_cores_.size());
  }
  const std::uint32_t most_ctas =
      cta_needs(shared_.config.resources, threads, program->registers_per_thread, shared, program->barriers)
          .most_ctas;
  for (unsigned w = 0; w < warps; ++w) {
    // Warps are dealt to the sub-cores in turn; a full sub-core is passed over.
    const auto next = [this] {
      const unsigned s = next_sub_core_;
      next_sub_core_ = s + 1 == sub_cores_.size() ? 0 : s + 1;
      return s;
    };
    unsigned s = next();
    while (sub_cores_[s]->full()) s = next();
    const unsigned place = sub_cores_[s]->next_position() * static_cast<unsigned>(sub_cores_.size()) + s;
    ptx::InstructionStream* const stream =
        from ? source_->restore_warp(number, w, place) : &source_->start_warp(number, w, place);
    if (stream == nullptr) {  // it had exited
      cta.warps.push_back(CtaSlot::kNoWarp);
      continue;
    }
    const WarpInfo info{
        next_age_++,   record.launch_id,   number,
        record.budget, record.priority,    w,
        warps,         record.kernel_slot, {record.block[0], record.block[1], record.block[2]},
        most_ctas};
    WarpSlot& slot = sub_cores_[s]->start_warp(number, *stream, info);
    if (from) sub_cores_[s]->resume(slot, from->at_barrier[w]);
    cta.warps.push_back(slot.owner.warp);
    streams_[slot.owner.warp] = slot.stream;
    ++cta.running;
    ++resident_warps_;
  }
  shared_.events.cta_started({launch.here(), number, cta.running, false}, shared_.now);
  if (limited_) apply_limit(record.kernel_slot);
  shared_.observed.tell([now = shared_.now, record, program, warps = cta.warps](IssueObserver& o) {
    o.cta_started(now, record, *program, warps);
  });
}

// ---- one edge

void StreamingMultiprocessor::evaluate(Cycle now) {
  if (ahead_) {
    evaluate_window(now);
  } else {
    evaluate_edge(now);
    if (!preempted_.empty() || !done_.empty()) clock_.commit_by_thread();  // post_records() calls b_transport
  }
  if (fast_forward_ && fast_forward_->next() <= now) clock_.commit_by_thread();  // so does run_functional()
}

std::uint64_t StreamingMultiprocessor::progress() const {
  const SmCounters& c = shared_.counters;
  return c.issued + c.fetch.fetches + c.fetch.redirects + c.fetch.skipped + c.ctas + memory_->progress();
}

Cycle StreamingMultiprocessor::commit(Cycle now) {
  const Cycle next = ahead_ ? commit_window(now) : commit_edge(now);
  return fast_forward_ ? std::min(next, run_functional(now)) : next;
}

void StreamingMultiprocessor::charge_refused(Cycle until) {
  if (!shared_.refused || stopped_ || until <= charged_) return;
  const Cycle edges = until - charged_;
  charged_ = until;
  shared_.counters.active_cycles += edges;
  for (const auto& sub_core : sub_cores_) sub_core->charge_refused(edges);
}

void StreamingMultiprocessor::evaluate_edge(Cycle now) {
  if (shared_.refused) {
    charge_refused(now - 1);
    shared_.refused = false;
  }
  charged_ = now;
  shared_.now = now;
  if (stopped_) return;
  const PartMark mark("SM: fetch, issue, scoreboard");
  if (shared_.config.oracle) observe_skipped_edges(now);
  if (resident_warps_) ++shared_.counters.active_cycles;
  if (!setups_.empty()) set_up(now);
  while (!launches_.empty() && launches_.front().due <= now && !stopped_) {
    const PendingLaunch launch = launches_.front();
    launches_.erase(launches_.begin());
    begin(launch);
  }
  {
    const PartMark memory("SM: load/store unit and caches");
    memory_->evaluate(now);
  }
  WakeWheel& wheel = shared_.wheel;
  wheel.fire(now, [&](unsigned i) { sub_core_of(*slots_[i]).update_head(*slots_[i], now); });
  // What is known to happen soon can be on its way from the host's memory until then.
  wheel.peek(now + 1, [&](unsigned i) { slots_[i]->prefetch_operands(); });
  wheel.peek(now + 2, [&](unsigned i) {
    slots_[i]->prefetch();
    streams_[i]->prefetch();
  });
  shared_.next_work = kNever;
  if (!moves_.empty()) move_states(now);
  if (leaving_ != Preemption::kDrain) leave(now);
  if (halted_ || (leaving_ != Preemption::kDrain && now >= leaving_since_)) return;
  // The sub-cores take turns at being first, since they share the load/store unit.
  const std::size_t count = sub_cores_.size();
  std::size_t s = now % count;
  for (std::size_t i = 0; i < count; ++i, s = s + 1 == count ? 0 : s + 1) sub_cores_[s]->evaluate(now);
  // One may have given another something to do that had been evaluated before it.
  if (shared_.front_end)
    for (const auto& sub_core : sub_cores_)
      shared_.next_work = std::min(shared_.next_work, sub_core->next_work(now));
}

Cycle StreamingMultiprocessor::commit_edge(Cycle now) {
  const PartMark mark("SM: fetch, issue, scoreboard");
  if (shared_.stepped) source_->apply_effects(*this);
  shared_.stepped = false;
  shared_.observed.deliver();
  if (fault_) raise_fault();
  {
    const PartMark memory("SM: load/store unit and caches");
    memory_->commit(now);
  }
  post_records();
  return stopped_ ? kNever : next_edge(now);
}

void StreamingMultiprocessor::raise_fault() {
  // What is under way ends, and nothing more issues until the distributor has the CTAs leave.
  if (services_.faults.raise(std::move(*fault_))) {
    halted_ = true;
    stopped_ = false;
  }
  fault_.reset();
}

void StreamingMultiprocessor::post_records() {
  for (const CtaDone& done : done_) complete(done);
  done_.clear();
  for (const CtaPreempted& record : preempted_) report(record);
  preempted_.clear();
}

Cycle StreamingMultiprocessor::next_edge(Cycle now) const {
  Cycle next = std::min(memory_->next_work(now), shared_.wheel.next(now));
  if (!launches_.empty()) next = std::min(next, launches_.front().due);
  if (!setups_.empty()) next = std::min(next, setups_.front().due);
  if (leaving_ != Preemption::kDrain && leaving_since_ > now) next = std::min(next, leaving_since_);
  return std::min(next, shared_.next_work);
}

void StreamingMultiprocessor::effect_failed(const ptx::InstructionStream& stream, ptx::Pc pc) {
  faulted(
      **std::find_if(slots_.begin(), slots_.end(), [&](const WarpSlot* s) { return s->stream == &stream; }),
      pc);
}

// ---- warp states

Cycle StreamingMultiprocessor::arrived_at_barrier(unsigned cta_slot) {
  barriers_seen_ = std::max(barriers_seen_, shared_.now) + shared_.config.barrier_interval;
  release_barriers(cta_slot);
  return barrier_release();
}

// The first cycle of an arrival's turn is a part of the latency.
Cycle StreamingMultiprocessor::barrier_release() const {
  return std::max(barriers_seen_, shared_.now + 1) - 1 + shared_.config.latency.barrier;
}

void StreamingMultiprocessor::release_barriers(unsigned cta_slot) {
  const CtaSlot& cta = shared_.ctas[cta_slot];
  for (std::uint64_t released = source_->take_released(cta_slot); released; released &= released - 1) {
    const unsigned slot = cta.warps[static_cast<unsigned>(__builtin_ctzll(released))];
    if (slots_[slot]->state != WarpState::kBarrier) continue;
    shared_.wheel.arm(slot, barrier_release());
    if (shared_.events.wanted(SmEvent::kBarriers))
      shared_.events.barrier_released(slots_[slot]->here(), barrier_release());
  }
}

void StreamingMultiprocessor::warp_drained(WarpSlot& slot) {
  sub_core_of(slot).free_warp(slot);
  --resident_warps_;
  CtaSlot& cta = shared_.ctas[slot.cta_slot];
  cta.warps[slot.stream->index()] = CtaSlot::kNoWarp;
  if (--cta.running == 0) {
    ++shared_.counters.ctas;
    ++cta.launch->counters->ctas;
    cta.launch->counters->last_cycle = shared_.now;
    shared_.observed.tell(
        [now = shared_.now, record = cta.record](IssueObserver& o) { o.cta_finished(now, record); });
    done_.push_back({cta.record.launch_id,
                     cta.record.kernel_slot,
                     static_cast<std::uint16_t>(shared_.sm_id),
                     {cta.record.cta[0], cta.record.cta[1], cta.record.cta[2]}});
    close_cta(slot.cta_slot, false);
  }
}

void StreamingMultiprocessor::close_cta(unsigned slot, bool preempted) {
  CtaSlot& cta = shared_.ctas[slot];
  const KernelHere kernel = cta.launch->here();
  const bool last = cta.launch->ctas == 1;
  const auto warps = static_cast<unsigned>(cta.warps.size());
  shared_used_ -= cta.shared_bytes;
  shared_.ctas.close(slot);
  shared_.events.cta_ended({kernel, slot, warps, preempted}, shared_.now);
  if (last) shared_.events.kernel_ended(kernel, shared_.now);
  if (limited_) apply_limit(kernel.kernel_slot);
}

void StreamingMultiprocessor::apply_limit(unsigned kernel_slot) {
  std::vector<CtaSlot*> ctas;
  for (unsigned i = 0; i < shared_.ctas.size(); ++i)
    if (shared_.ctas[i].used && shared_.ctas[i].record.kernel_slot == kernel_slot)
      ctas.push_back(&shared_.ctas[i]);
  std::sort(ctas.begin(), ctas.end(),
            [](const CtaSlot* a, const CtaSlot* b) { return a->number < b->number; });
  for (std::size_t i = 0; i < ctas.size(); ++i) {
    const bool throttled = i >= cta_limits_[kernel_slot];
    if (ctas[i]->throttled == throttled) continue;
    ctas[i]->throttled = throttled;
    for (const std::uint16_t place : ctas[i]->warps)
      if (place != CtaSlot::kNoWarp) sub_core_of(*slots_[place]).throttle(*slots_[place], throttled);
  }
}

// ---- memory side's answers

void StreamingMultiprocessor::memory_missed(std::uint32_t token) {
  const AccessInFlight& access = shared_.in_flight[token];
  sub_core_of(*access.slot).access_missed(access);
}

void StreamingMultiprocessor::memory_done(std::uint32_t token) {
  const AccessInFlight access = shared_.in_flight[token];
  shared_.in_flight.give_back(token);
  shared_.observed.tell([now = shared_.now, token](IssueObserver& o) { o.memory_done(now, token); });
  sub_core_of(*access.slot).access_done(access);
}

void StreamingMultiprocessor::stores_drained(unsigned warp) {
  sub_core_of(*slots_[warp]).stores_drained(*slots_[warp]);
}

void StreamingMultiprocessor::instruction_line_filled(std::uint64_t line_address, unsigned sub_core) {
  if (sub_core != kAllSubCores) {
    sub_cores_[sub_core]->line_filled(line_address);
    return;
  }
  for (const auto& each : sub_cores_) each->line_filled(line_address);
}

// ---- reports

void StreamingMultiprocessor::faulted(WarpSlot& slot, ptx::Pc pc) {
  stopped_ = true;
  if (fault_) return;
  const CtaSlot& cta = shared_.ctas[slot.cta_slot];
  const ptx::ExecFault& found = source_->fault();
  DeviceFault& fault = fault_.emplace();
  fault.what = found.what ? found.what : "fault";
  if (found.bytes) fault.what += fmt::format(" of {} bytes", found.bytes);
  if (found.has_address) {
    fault.address = found.address;
    const auto range = services_.memory.range_of(found.address);
    if (range && range->context != cta.record.context)
      fault.what += fmt::format(" by context {} in memory of {}", cta.record.context,
                                DeviceMemory::owner_name(range->context));
  }
  fault.detail = found.detail;
  fault.lane = found.lane;
  locate(fault, slot, found.pc == ptx::kNoPc ? pc : found.pc);
}

void StreamingMultiprocessor::skipped_wrongly(WarpSlot& slot, ptx::Pc pc, std::string what) {
  stopped_ = true;
  if (fault_) return;
  DeviceFault& fault = fault_.emplace();
  fault.what = std::move(what);
  locate(fault, slot, pc);
}

void StreamingMultiprocessor::locate(DeviceFault& fault, const WarpSlot& slot, ptx::Pc pc) {
  const CtaSlot& cta = shared_.ctas[slot.cta_slot];
  fault.context = cta.record.context;
  fault.kernel = slot.launch->program->name;
  fault.ptx_location = slot.launch->program->locate(pc);
  for (int i = 0; i < 3; ++i) fault.cta[i] = cta.record.cta[i];
  fault.sm = static_cast<int>(shared_.sm_id);
  fault.warp = static_cast<int>(slot.stream->index());
}

// Found by a walk through page tables, after the instruction: what it has touched, not which lane.
void StreamingMultiprocessor::page_fault(const tlm::tlm_generic_payload& request) {
  stopped_ = true;
  if (fault_) return;
  const MemExtension& ext = *MemExtension::find(request);
  DeviceFault& fault = fault_.emplace();
  fault.context = ext.context;
  fault.what = fmt::format("{} of {} bytes by context {} in ", request.is_write() ? "write" : "read",
                           request.get_data_length(), ext.context);
  const auto range = services_.memory.range_of(request.get_address());
  fault.what += range && range->context != ext.context
                    ? "memory of " + DeviceMemory::owner_name(range->context)
                    : "a page that is not mapped";
  fault.address = request.get_address();
  for (const auto& launch : shared_.ctas.launches())
    if (launch->record.launch_id == ext.launch) fault.kernel = launch->program->name;
  fault.sm = static_cast<int>(shared_.sm_id);
}

void StreamingMultiprocessor::policy_stats(StatVisitor& v) const {
  group_if_any(v, InstructionSourceType::kKind, *source_, kInstructionSourceSentence);
  SummedStats sum;
  for (const auto& sub_core : sub_cores_) sub_core->stats(sum);
  sum.stats(v);
}

void StreamingMultiprocessor::settle(Cycle now) {
  if (shared_.config.oracle) {
    shared_.now = now;
    observe_skipped_edges(now);
  }
  charge_refused(now);
  charge_stalls(now);
}

void StreamingMultiprocessor::charge_stalls(Cycle now) {
  const Cycle last = shared_.now;
  charge_refused(now - 1);
  shared_.now = now;
  if (resident_warps_)
    for (const auto& sub_core : sub_cores_) sub_core->settle();
  shared_.counters.path_switches = source_->path_switches();
  shared_.observed.deliver();
  shared_.now = last;
}

/// Nobody was ready at the edges the SM slept through, and nothing changed: the oracles look at them
/// afterwards.
void StreamingMultiprocessor::observe_skipped_edges(Cycle now) {
  if (resident_warps_)
    for (Cycle edge = observed_ + 1; edge < now; ++edge)
      for (const auto& sub_core : sub_cores_) sub_core->observe_idle_edge(edge);
  observed_ = now;
}

std::string StreamingMultiprocessor::describe_waiting(unsigned at_most) const {
  static constexpr const char* kWhat[] = {"",
                                          "is ready",
                                          "",
                                          "waits for a result",
                                          "waits for memory",
                                          "waits for memory",
                                          "is held back by a limit of CTAs",
                                          "waits at a barrier",
                                          "waits at a fence",
                                          "has exited and drains"};
  std::string text;
  unsigned lines = 0;
  for (const WarpSlot* warp : slots_) {
    const WarpSlot& slot = *warp;
    if (slot.state == WarpState::kFree || lines == at_most) continue;
    ++lines;
    const CtaSlot& cta = const_cast<CtaTable&>(shared_.ctas)[slot.cta_slot];
    // A warp at a barrier has moved past it already.
    const ptx::Pc next = slot.stream->pc();
    const ptx::Pc pc = next - (slot.state == WarpState::kBarrier && next > 0 ? 1 : 0);
    text += fmt::format("  SM {} kernel {} CTA ({},{},{}) warp {}: {}, {}\n", shared_.sm_id,
                        slot.launch->program->name, cta.record.cta[0], cta.record.cta[1], cta.record.cta[2],
                        slot.stream->index(),
                        slot.state == WarpState::kFetch ? sub_cores_[slot.sub_core]->describe_fetch(slot)
                                                        : kWhat[static_cast<unsigned>(slot.state)],
                        slot.launch->program->locate(pc));
  }
  unsigned left = at_most - lines;
  return fast_forward_ ? text + fast_forward_->describe_waiting(left) : text;
}

}  // namespace warpvp
