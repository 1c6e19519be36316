#include "modules/sm/streaming_multiprocessor.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "base/part_mark.h"
#include "interconnect/policy_contract.h"

namespace warpvp {

using ptx::StepKind;

namespace {
/// The answer of a policy that chooses a warp of `set`, or none.
bool allows(WarpMask set, unsigned picked) {
  return picked < 64 ? (set >> picked & 1) != 0 : picked == kNoWarp;
}
}  // namespace

/// Device memory as execution sees it: values and the allocation map.
class StreamingMultiprocessor::Memory : public ptx::GlobalMemory {
 public:
  explicit Memory(DeviceMemory& device) : device_(device) {
    host = device.host_base();
    origin = device.base();
  }
  Range range_of(std::uint64_t address, unsigned context) const override {
    const auto range = device_.range_of(address);
    if (!range || range->context != context) return {};
    return {range->begin, range->end};
  }
  std::uint64_t generation() const override { return device_.generation(); }
  std::uint64_t heap_allocate(std::uint64_t bytes, unsigned context) override {
    return device_.heap_allocate(bytes, context);
  }
  bool heap_release(std::uint64_t address, unsigned context) override {
    return device_.heap_release(address, context);
  }

 private:
  DeviceMemory& device_;
};

StreamingMultiprocessor::StreamingMultiprocessor(sc_core::sc_module_name name, const SmConfig& config,
                                                 unsigned sm_id, ClockDomain& clock,
                                                 const SmServices& services)
    : Sm(name),
      control("control"),
      completion("completion"),
      sub_cores_(config.schedulers),
      coordinated_(config.frontend.coordinated()),
      slots_(config.resources.warps),
      config_(config),
      sm_id_(sm_id),
      clock_(clock),
      clock_id_(clock.join(*this)),
      services_(services),
      global_(std::make_unique<Memory>(services.memory)),
      ctas_(config.resources.ctas, config.schedulers),
      wheel_(config.resources.warps),
      registers_(make_sm_registers(register_hooks(), config.resources.shared_bytes)),
      shared_bytes_(config.resources.shared_bytes) {
  memory_ = make_memory_side("memory", config.memory, sm_id, config.resources.warps, *this, *this,
                             [this] { clock_.wake(clock_id_); });
  control.register_b_transport(this, &StreamingMultiprocessor::control_transport);
  control.register_transport_dbg(this, &StreamingMultiprocessor::control_debug);
  for (unsigned c = 0; c < static_cast<unsigned>(ptx::OpClass::kCount); ++c)
    latency_[c] = config.latency.of(static_cast<ptx::OpClass>(c));
  for (unsigned i = 0; i < config.resources.warps; ++i) {
    slots_[i].scheduler = static_cast<std::uint8_t>(i % config.schedulers);
    slots_[i].lane = static_cast<std::uint8_t>(i / config.schedulers);
  }
  frontends_.reserve(config.schedulers);
  schedulers_.reserve(config.schedulers);
  for (unsigned s = 0; s < config.schedulers; ++s) {
    frontends_.emplace_back(config_, *memory_, counters_);
    schedulers_.emplace_back(config_);
    // The "1 +" of the paper's excuses is the decode stage.
    if (config.oracle) oracles_.push_back({{}, ExcusedWarps(config.frontend.depth() - 1)});
  }
  env_.global = global_.get();
  env_.print = services.print;
  env_.fault = &exec_fault_;
  env_.sm_id = sm_id;
  env_.sm_count = services.sm_count;
  env_.divergence = {config.divergence.independent_threads, config.divergence.switch_after};
}

StreamingMultiprocessor::~StreamingMultiprocessor() = default;

// ---- launching

void StreamingMultiprocessor::start_cta(const CtaLaunch& record) {
  auto program = services_.kernels.find(record.kernel_object);
  const unsigned threads = record.block[0] * record.block[1] * record.block[2];
  const unsigned warps = (threads + ptx::kWarpSize - 1) / ptx::kWarpSize;
  const std::uint32_t shared = program ? shared_need(record, *program) : 0;
  const bool room =
      program && resident_warps_ + warps <= config_.resources.warps && shared_used_ + shared <= shared_bytes_;
  const int opened = room ? ctas_.open(record, program) : -1;
  if (opened < 0) {
    DeviceFault fault;
    fault.what =
        program ? "CTA launched on an SM without room for it" : "CTA launched for an unknown kernel object";
    fault.sm = static_cast<int>(sm_id_);
    services_.faults.raise(std::move(fault));
    stopped_ = true;
    return;
  }
  CtaSlot& cta = ctas_[static_cast<unsigned>(opened)];
  ResidentLaunch& launch = *cta.launch;
  launch.counters->first_cycle = std::min(launch.counters->first_cycle, now_);
  launch.counters->note_l1(memory_->l1_bytes());
  cta.shared_bytes = shared;
  shared_used_ += shared;
  cta.exec.start(*program, env_, {record.grid[0], record.grid[1], record.grid[2]},
                 {record.block[0], record.block[1], record.block[2]},
                 {record.cta[0], record.cta[1], record.cta[2]}, record.dynamic_shared_bytes, record.context,
                 record.launch_id,
                 reinterpret_cast<const std::uint8_t*>(services_.memory.at(record.kernarg_address)));
  cta.running = warps;
  const unsigned lanes = config_.resources.warps / config_.schedulers;
  for (unsigned w = 0; w < warps; ++w) {
    // Warps are dealt to the sub-cores round-robin; a full sub-core is passed over.
    const WarpMask full = lanes == 64 ? ~WarpMask{0} : (WarpMask{1} << lanes) - 1;
    while (schedulers_[next_scheduler_].resident() == full)
      next_scheduler_ = (next_scheduler_ + 1) % config_.schedulers;
    const unsigned s = next_scheduler_;
    next_scheduler_ = (next_scheduler_ + 1) % config_.schedulers;
    const unsigned lane = static_cast<unsigned>(__builtin_ctzll(~schedulers_[s].resident()));
    const unsigned index = lane * config_.schedulers + s;
    WarpSlot& slot = slots_[index];
    cta.warps.push_back(static_cast<std::uint16_t>(index));
    slot.exec.launch(cta.exec, w);
    slot.scoreboard.reset(program->rows_reserved(), program->preds, now_);
    slot.frames_grow = program->frames_grow();
    slot.launch = &launch;
    slot.owner = {record.launch_id, record.kernel_slot, record.context, static_cast<std::uint16_t>(index)};
    slot.cta_slot = static_cast<std::uint16_t>(opened);
    slot.in_flight = slot.async_in_flight = 0;
    slot.state = WarpState::kFetch;
    slot.since = now_;
    launch.warps[s] |= WarpMask{1} << lane;
    const WarpInfo info{next_age_++, record.launch_id, static_cast<std::uint32_t>(opened), record.budget,
                        record.priority};
    schedulers_[s].warp_started(lane, info);
    frontends_[s].warp_started(lane, info, *program, slot.owner, launch.counters->fetch);
    ++resident_warps_;
    if (coordinated_) update_head(slot, now_);
  }
  if (issue_observer_) issue_observer_->cta_started(now_, record, *program, cta.warps);
}

// ---- one edge

void StreamingMultiprocessor::evaluate(Cycle now) {
  now_ = now;
  if (stopped_) return;
  const PartMark mark("SM: fetch, issue, scoreboard");
  env_.cycle = now;
  if (!oracles_.empty()) observe_skipped_edges(now);
  if (resident_warps_) ++counters_.active_cycles;
  if (!setups_.empty()) set_up(now);
  while (!launches_.empty() && launches_.front().first <= now && !stopped_) {
    const CtaLaunch record = launches_.front().second;
    launches_.erase(launches_.begin());
    start_cta(record);
  }
  {
    const PartMark memory("SM: load/store unit and caches");
    memory_->evaluate(now);
  }
  wheel_.fire(now, [&](unsigned index) { update_head(slots_[index], now); });
  // What is known to happen soon can be on its way from the host's memory until then.
  wheel_.peek(now + 1, [&](unsigned index) { slots_[index].prefetch_operands(); });
  wheel_.peek(now + 2, [&](unsigned index) { slots_[index].prefetch(); });
  // The sub-cores take turns at being first, since they share the load/store unit.
  unsigned s = static_cast<unsigned>(now % sub_cores_);
  for (unsigned i = 0; i < sub_cores_; ++i, s = s + 1 == sub_cores_ ? 0 : s + 1) {
    frontends_[s].deliver(now, [&](unsigned lane) {
      WarpSlot& slot = slots_[lane * sub_cores_ + s];
      if (slot.state == WarpState::kFetch) update_head(slot, now);
    });
    issue(s, now);
    if (const WarpMask allowed = frontends_[s].fetchable()) {
      const unsigned picked = frontends_[s].fetch(now);
      if (!allows(allowed, picked))
        broken_contract(FetchPolicy::kKind, config_.frontend.fetch_scheduler, "fetchable", s, picked,
                        allowed);
    }
  }
}

Cycle StreamingMultiprocessor::commit(Cycle now) {
  const PartMark mark("SM: fetch, issue, scoreboard");
  {
    const PartMark memory("SM: load/store unit and caches");
    memory_->commit(now);
  }
  for (CtaDone& done : done_) complete(done);
  done_.clear();
  if (stopped_) return kNever;
  Cycle next = std::min(memory_->next_work(now), wheel_.next(now));
  if (!launches_.empty()) next = std::min(next, launches_.front().first);
  if (!setups_.empty()) next = std::min(next, setups_.front().due);
  for (unsigned s = 0; s < sub_cores_; ++s) {
    if (schedulers_[s].ready()) return now + 1;
    next = std::min(next, frontends_[s].next_work(now));
  }
  return next;
}

WarpMask StreamingMultiprocessor::issuable_warps(unsigned s, Cycle now) {
  const IssueScheduler& scheduler = schedulers_[s];
  const WarpMask ready = scheduler.ready();
  if (!ready) return 0;
  WarpMask issuable = scheduler.issuable(now);
  if (issuable != ready) charge_blocked(s, ready & ~issuable, Stall::kUnitBusy);
  const WarpMask loads = issuable & scheduler.ready_for(ptx::Unit::kLsu);
  if (loads) {
    WarpMask refused = 0;
    for (const auto& launch : ctas_.launches())
      if ((launch->warps[s] & loads) && !memory_->can_accept(launch->record.kernel_slot))
        refused |= launch->warps[s] & loads;
    if (refused) {
      charge_blocked(s, refused, Stall::kLsuFull);
      issuable &= ~refused;
    }
  }
  return issuable;
}

void StreamingMultiprocessor::issue(unsigned s, Cycle now) {
  const WarpMask issuable = issuable_warps(s, now);
  unsigned lane;
  if (oracles_.empty()) {
    if (!issuable) return;
    lane = schedulers_[s].pick(now, issuable, frontends_[s].buffered());
  } else {
    lane = pick_observed(s, now, issuable);
  }
  if (lane == kNoWarp) return;
  if (!allows(issuable, lane))
    broken_contract(WarpSchedulerPolicy::kKind, config_.warp_scheduler, "ready", s, lane, issuable);
  WarpSlot& slot = slots_[lane * sub_cores_ + s];
  if (coordinated_) {
    const bool nop = frontends_[s].nop_at_head(lane);
    frontends_[s].select(lane, now);
    if (nop) {
      issue_nop(slot, now);
      return;
    }
  }
  issue_warp(slot, now);
}

void StreamingMultiprocessor::charge_blocked(unsigned s, WarpMask blocked, Stall reason) {
  // These warps are in state kReady, whose cycles land in kNotSelected: move this edge to the true reason.
  for (const auto& launch : ctas_.launches()) {
    const unsigned n = static_cast<unsigned>(__builtin_popcountll(launch->warps[s] & blocked));
    auto& stalls = launch->counters->stalls[s];
    stalls[static_cast<unsigned>(reason)] += n;
    stalls[static_cast<unsigned>(Stall::kNotSelected)] -= n;
  }
}

void StreamingMultiprocessor::issue_nop(WarpSlot& slot, Cycle now) {
  ++counters_.fetch.nops;
  ++slot.launch->counters->fetch.nops;
  if (issue_observer_) issue_observer_->issued(now, slot, slot.exec.pc(), nullptr);
  update_head(slot, now + 1);
}

void StreamingMultiprocessor::issue_warp(WarpSlot& slot, Cycle now) {
  ptx::Warp& warp = slot.exec;
  const ptx::Inst& inst = warp.next();
  const ptx::Pc pc = warp.pc();
  const unsigned row_base = warp.row_base(), pred_base = warp.pred_base();
  IssueScheduler& scheduler = schedulers_[slot.scheduler];
  Frontend& frontend = frontends_[slot.scheduler];

  StepKind kind;
  {
    const PartMark execution("PTX execution");
    kind = warp.step();
  }
  if (kind == StepKind::kFault) {
    raise_fault(slot, pc);
    return;
  }
  SmLaunchCounters& counters = *slot.launch->counters;
  ++counters_.issued;
  ++counters.warp_instructions;
  counters.thread_instructions += static_cast<unsigned>(__builtin_popcount(warp.executed()));
  if (issue_observer_) issue_observer_->issued(now, slot, pc, &inst);

  const Cycle start =
      scheduler.operands().pass(inst, slot.lane, row_base, now, counters_.bank_conflict_cycles);
  if (slot.frames_grow)
    slot.scoreboard.ensure(warp.cta().program().rows_needed(warp.row_base()),
                           warp.cta().program().preds_needed(warp.pred_base()));

  const ptx::MemoryAccess& access = warp.access();
  if (kind == StepKind::kMemory && (access.lanes | access.shared_lanes)) {
    std::uint32_t token;
    if (free_tokens_.empty()) {
      token = static_cast<std::uint32_t>(in_flight_.size());
      in_flight_.emplace_back();
    } else {
      token = free_tokens_.back();
      free_tokens_.pop_back();
    }
    in_flight_[token] = {&inst, static_cast<std::uint16_t>(slot_index(slot)), row_base, pred_base,
                         access.async};
    ++slot.in_flight;
    slot.async_in_flight += access.async;
    slot.scoreboard.set(inst, row_base, pred_base, Scoreboard::kPendingHit);
    MemoryRequest request;
    request.access = access;
    if (inst.is_volatile) request.access.cache_op = static_cast<std::uint8_t>(ptx::CacheOp::cv);
    request.owner = slot.owner;
    request.token = token;
    const std::uint64_t depot = std::uint64_t{slot.launch->program->depot_bytes} * ptx::kWarpSize;
    if (depot)
      request.local_base =
          services_.local_memory_base + (std::uint64_t{sm_id_} * config_.resources.warps + slot_index(slot)) *
                                            depot % services_.local_memory_bytes;
    if (issue_observer_) issue_observer_->memory_issued(slot, access, token);
    memory_->accept(request, now);
  } else {
    slot.scoreboard.set(inst, row_base, pred_base,
                        start - 1 + latency_[static_cast<unsigned>(inst.op_class)]);
  }

  if (warp.exited()) {
    warp_exited(slot);
    return;
  }
  if (warp.pc() != pc + 1) {
    frontend.redirect(slot.lane, warp.pc());
    if (!oracles_.empty()) oracles_[slot.scheduler].excused.excuse(slot.lane, now);
  } else if (!coordinated_) {
    frontend.consumed(slot.lane);
  }
  switch (kind) {
    case StepKind::kBarrier:
      set_state(slot, WarpState::kBarrier);
      release_barriers(ctas_[slot.cta_slot]);
      return;
    case StepKind::kFence:
      if (memory_->stores_outstanding(slot.owner.warp)) {
        set_state(slot, WarpState::kFence);
        return;
      }
      break;
    case StepKind::kWaitAsync:
      if (slot.async_in_flight) {
        set_state(slot, WarpState::kFence);
        return;
      }
      break;
    default:
      // bar.arrive, or an exit of some lanes that leaves only lanes that wait at a barrier.
      if (inst.effect == ptx::Effect::kBarrier || inst.effect == ptx::Effect::kExit)
        release_barriers(ctas_[slot.cta_slot]);
      break;
  }
  update_head(slot, now + 1);
}

// ---- warp states

void StreamingMultiprocessor::update_head(WarpSlot& slot, Cycle earliest) {
  const Frontend& frontend = frontends_[slot.scheduler];
  if (!frontend.has_head(slot.lane)) {
    set_state(slot, WarpState::kFetch);
    return;
  }
  if (frontend.nop_at_head(slot.lane)) {
    set_state(slot, WarpState::kReady);
    return;
  }
  const ptx::Inst& inst = slot.exec.next();
  const Cycle clear = slot.scoreboard.clear_at(inst, slot.exec.row_base(), slot.exec.pred_base());
  if (clear <= earliest) {
    slot.exec.prefetch_registers(inst);
    set_state(slot, WarpState::kReady);
  } else if (clear < Scoreboard::kPendingHit) {
    set_state(slot, WarpState::kRawShort);
    wheel_.arm(slot_index(slot), clear);
  } else {
    set_state(slot, clear == Scoreboard::kPendingMiss ? WarpState::kRawLong : WarpState::kRawHit);
  }
}

void StreamingMultiprocessor::charge(WarpSlot& slot) {
  static constexpr Stall kReason[] = {Stall::kCount,    Stall::kNotSelected, Stall::kFetch,
                                      Stall::kRawShort, Stall::kRawShort,    Stall::kRawLong,
                                      Stall::kBarrier,  Stall::kFence,       Stall::kDrain};
  if (slot.state == WarpState::kFree || now_ <= slot.since) return;
  const unsigned reason = static_cast<unsigned>(kReason[static_cast<unsigned>(slot.state)]);
  slot.launch->counters->stalls[slot.scheduler][reason] += now_ - slot.since;
  slot.since = now_;
}

void StreamingMultiprocessor::set_state(WarpSlot& slot, WarpState state) {
  IssueScheduler& scheduler = schedulers_[slot.scheduler];
  charge(slot);
  if (slot.state == WarpState::kReady) {
    scheduler.clear_ready(slot.lane, slot.head_unit);
    slot.since = now_ + 1;  // the edge at which it issues is no stall
  }
  if (slot.state == WarpState::kRawLong) scheduler.set_long_stalled(slot.lane, false);
  if (state == WarpState::kReady) {
    slot.head_unit =
        frontends_[slot.scheduler].nop_at_head(slot.lane) ? IssueScheduler::kNoUnit : slot.exec.next().unit;
    scheduler.set_ready(slot.lane, slot.head_unit);
  }
  if (state == WarpState::kRawLong) scheduler.set_long_stalled(slot.lane, true);
  if (is_held(slot.state) != is_held(state)) scheduler.set_held(slot.lane, is_held(state));
  slot.state = state;
}

void StreamingMultiprocessor::release_barriers(CtaSlot& cta) {
  for (std::uint64_t released = cta.exec.take_released(); released; released &= released - 1) {
    WarpSlot& slot = slots_[cta.warps[static_cast<unsigned>(__builtin_ctzll(released))]];
    if (slot.state == WarpState::kBarrier)
      wheel_.arm(slot_index(slot), now_ + latency_[static_cast<unsigned>(ptx::OpClass::kBarrier)]);
  }
}

void StreamingMultiprocessor::warp_exited(WarpSlot& slot) {
  frontends_[slot.scheduler].warp_finished(slot.lane);
  if (!oracles_.empty()) oracles_[slot.scheduler].excused.finished(slot.lane);
  set_state(slot, WarpState::kDrain);
  release_barriers(ctas_[slot.cta_slot]);
  if (slot.in_flight == 0) finish_warp(slot);
}

void StreamingMultiprocessor::finish_warp(WarpSlot& slot) {
  set_state(slot, WarpState::kFree);
  schedulers_[slot.scheduler].warp_finished(slot.lane);
  slot.launch->warps[slot.scheduler] &= ~(WarpMask{1} << slot.lane);
  --resident_warps_;
  CtaSlot& cta = ctas_[slot.cta_slot];
  if (--cta.running == 0) {
    ++counters_.ctas;
    ++cta.launch->counters->ctas;
    cta.launch->counters->last_cycle = now_;
    if (issue_observer_) issue_observer_->cta_finished(now_, cta.record);
    done_.push_back({cta.record.launch_id,
                     cta.record.kernel_slot,
                     static_cast<std::uint16_t>(sm_id_),
                     {cta.record.cta[0], cta.record.cta[1], cta.record.cta[2]}});
    shared_used_ -= cta.shared_bytes;
    ctas_.close(slot.cta_slot);
  }
}

// ---- memory side's answers

void StreamingMultiprocessor::memory_missed(std::uint32_t token) {
  const InFlight& access = in_flight_[token];
  WarpSlot& slot = slots_[access.slot];
  slot.scoreboard.set(*access.inst, access.row_base, access.pred_base, Scoreboard::kPendingMiss);
  if (slot.state == WarpState::kRawHit) update_head(slot, now_);
}

void StreamingMultiprocessor::memory_done(std::uint32_t token) {
  const InFlight access = in_flight_[token];
  free_tokens_.push_back(token);
  if (issue_observer_) issue_observer_->memory_done(now_, token);
  WarpSlot& slot = slots_[access.slot];
  slot.scoreboard.set(*access.inst, access.row_base, access.pred_base, now_);
  --slot.in_flight;
  slot.async_in_flight -= access.async;
  switch (slot.state) {
    case WarpState::kRawHit:
    case WarpState::kRawLong:
      update_head(slot, now_);
      break;
    case WarpState::kFence:
      // Only a wait for asynchronous copies ends here; a fence ends with stores_drained.
      if (access.async && slot.async_in_flight == 0 && !memory_->stores_outstanding(slot.owner.warp))
        update_head(slot, now_);
      break;
    case WarpState::kDrain:
      if (slot.in_flight == 0) finish_warp(slot);
      break;
    default:
      break;
  }
}

void StreamingMultiprocessor::stores_drained(unsigned warp) {
  WarpSlot& slot = slots_[warp];
  if (slot.state == WarpState::kFence && slot.async_in_flight == 0) update_head(slot, now_);
}

void StreamingMultiprocessor::instruction_line_filled(std::uint64_t line_address) {
  for (unsigned s = 0; s < sub_cores_; ++s)
    for (WarpMask resumed = frontends_[s].line_filled(line_address); resumed; resumed &= resumed - 1) {
      const unsigned lane = static_cast<unsigned>(__builtin_ctzll(resumed));
      WarpSlot& slot = slots_[lane * sub_cores_ + s];
      if (slot.state == WarpState::kFetch) update_head(slot, now_);
      if (!oracles_.empty()) oracles_[s].excused.excuse(lane, now_);
    }
}

// ---- reports

void StreamingMultiprocessor::broken_contract(const char* kind, const PolicyChoice& policy, const char* what,
                                              unsigned s, unsigned picked, WarpMask allowed) const {
  report_broken_contract(
      kind, policy.name,
      fmt::format("it picked warp {}, which is not {}; allowed: a warp of the set {:#x}, or none", picked,
                  what, allowed),
      fmt::format("SM {}, scheduler {}, SM cycle {}", sm_id_, s, now_));
}

void StreamingMultiprocessor::raise_fault(WarpSlot& slot, ptx::Pc pc) {
  const CtaSlot& cta = ctas_[slot.cta_slot];
  DeviceFault fault;
  fault.what = exec_fault_.what ? exec_fault_.what : "fault";
  if (exec_fault_.bytes) fault.what += fmt::format(" of {} bytes", exec_fault_.bytes);
  if (exec_fault_.has_address) fault.address = exec_fault_.address;
  fault.kernel = slot.launch->program->name;
  fault.ptx_location = slot.launch->program->locate(exec_fault_.pc == ptx::kNoPc ? pc : exec_fault_.pc);
  fault.detail = exec_fault_.detail;
  for (int i = 0; i < 3; ++i) fault.cta[i] = cta.record.cta[i];
  fault.sm = static_cast<int>(sm_id_);
  fault.warp = static_cast<int>(slot.exec.index());
  fault.lane = exec_fault_.lane;
  services_.faults.raise(std::move(fault));
  stopped_ = true;
}

void StreamingMultiprocessor::settle(Cycle now) {
  now_ = now;
  if (!oracles_.empty()) observe_skipped_edges(now);
  for (WarpSlot& slot : slots_) charge(slot);
  counters_.path_switches = env_.group_switches;
}

std::string StreamingMultiprocessor::describe_waiting(unsigned at_most) const {
  static constexpr const char* kWhat[] = {"",
                                          "is ready",
                                          "waits for instructions",
                                          "waits for a result",
                                          "waits for memory",
                                          "waits for memory",
                                          "waits at a barrier",
                                          "waits at a fence",
                                          "has exited and drains"};
  std::string text;
  unsigned lines = 0;
  for (const WarpSlot& slot : slots_) {
    if (slot.state == WarpState::kFree || lines == at_most) continue;
    ++lines;
    const CtaSlot& cta = const_cast<CtaTable&>(ctas_)[slot.cta_slot];
    // A warp at a barrier has moved past it already.
    const ptx::Pc pc = slot.exec.pc() - (slot.state == WarpState::kBarrier && slot.exec.pc() > 0 ? 1 : 0);
    text +=
        fmt::format("  SM {} kernel {} CTA ({},{},{}) warp {}: {}, {}\n", sm_id_, slot.launch->program->name,
                    cta.record.cta[0], cta.record.cta[1], cta.record.cta[2], slot.exec.index(),
                    kWhat[static_cast<unsigned>(slot.state)], slot.launch->program->locate(pc));
  }
  return text;
}

}  // namespace warpvp
