#include "modules/sm/sub_core.h"

#include <fmt/format.h>

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

SmShared::SmShared(const SmConfig& c, unsigned id)
    : ctas(c.resources.ctas, c.schedulers), wheel(c.resources.warps), config(c), sm_id(id) {
  for (unsigned op = 0; op < static_cast<unsigned>(ptx::OpClass::kCount); ++op)
    latency[op] = c.latency.of(static_cast<ptx::OpClass>(op));
}

std::uint32_t SmShared::take_token(const AccessInFlight& access) {
  if (free_tokens.empty()) {
    in_flight.push_back(access);
    return static_cast<std::uint32_t>(in_flight.size() - 1);
  }
  const std::uint32_t token = free_tokens.back();
  free_tokens.pop_back();
  in_flight[token] = access;
  return token;
}

SubCore::SubCore(SmShared& sm, SubCoreOwner& owner, unsigned index)
    : sm_(sm),
      owner_(owner),
      index_(index),
      coordinated_(sm.config.frontend.coordinated()),
      frontend_(sm.config, *sm.memory, sm.counters),
      scheduler_(sm.config),
      warps_(sm.config.resources.warps / sm.config.schedulers) {
  // The "1 +" of the paper's excuses is the decode stage.
  if (sm.config.oracle) oracle_.emplace(Oracle{{}, ExcusedWarps(sm.config.frontend.depth() - 1)});
  for (unsigned warp = 0; warp < warps_.size(); ++warp) {
    warps_[warp].sub_core = static_cast<std::uint8_t>(index);
    warps_[warp].warp = static_cast<std::uint8_t>(warp);
  }
}

bool SubCore::full() const {
  const std::size_t warps = warps_.size();
  return scheduler_.resident() == (warps == 64 ? ~WarpMask{0} : (WarpMask{1} << warps) - 1);
}

WarpSlot& SubCore::start_warp(unsigned cta_slot, unsigned warp_of_cta, const WarpInfo& info) {
  CtaSlot& cta = sm_.ctas[cta_slot];
  const CtaLaunch& record = cta.record;
  ResidentLaunch& launch = *cta.launch;
  const ptx::Program& program = *launch.program;
  const unsigned warp = static_cast<unsigned>(__builtin_ctzll(~scheduler_.resident()));
  WarpSlot& slot = warps_[warp];
  slot.exec.launch(cta.exec, warp_of_cta);
  slot.scoreboard.reset(program.rows_reserved(), program.preds, sm_.now);
  slot.frames_grow = program.frames_grow();
  slot.launch = &launch;
  slot.owner = {record.launch_id, record.kernel_slot, record.context,
                static_cast<std::uint16_t>(warp * sm_.config.schedulers + index_)};
  slot.cta_slot = static_cast<std::uint16_t>(cta_slot);
  slot.in_flight = slot.async_in_flight = 0;
  slot.state = WarpState::kFetch;
  slot.since = sm_.now;
  launch.warps[index_] |= WarpMask{1} << warp;
  scheduler_.warp_started(warp, info);
  frontend_.warp_started(warp, info, program, slot.owner, launch.counters->fetch);
  if (coordinated_) update_head(slot, sm_.now);
  return slot;
}

void SubCore::free_warp(WarpSlot& slot) {
  set_state(slot, WarpState::kFree);
  scheduler_.warp_finished(slot.warp);
  slot.launch->warps[index_] &= ~(WarpMask{1} << slot.warp);
}

void SubCore::evaluate(Cycle now) {
  frontend_.deliver(now, [&](unsigned warp) {
    WarpSlot& slot = warps_[warp];
    if (slot.state == WarpState::kFetch) update_head(slot, now);
  });
  issue(now);
  if (const WarpMask allowed = frontend_.fetchable()) {
    const unsigned picked = frontend_.fetch(now);
    if (!allows(allowed, picked))
      broken_contract(FetchPolicy::kKind, sm_.config.frontend.fetch_scheduler, "fetchable", picked, allowed);
  }
}

// ---- issue

WarpMask SubCore::issuable_warps(Cycle now) {
  const WarpMask ready = scheduler_.ready();
  if (!ready) return 0;
  WarpMask issuable = scheduler_.issuable(now);
  if (issuable != ready) charge_blocked(ready & ~issuable, Stall::kUnitBusy);
  const WarpMask loads = issuable & scheduler_.ready_for(ptx::Unit::kLsu);
  if (loads) {
    WarpMask refused = 0;
    for (const auto& launch : sm_.ctas.launches())
      if ((launch->warps[index_] & loads) && !sm_.memory->can_accept(launch->record.kernel_slot))
        refused |= launch->warps[index_] & loads;
    if (refused) {
      charge_blocked(refused, Stall::kLsuFull);
      issuable &= ~refused;
    }
  }
  return issuable;
}

void SubCore::issue(Cycle now) {
  const WarpMask issuable = issuable_warps(now);
  unsigned warp;
  if (!oracle_) {
    if (!issuable) return;
    warp = scheduler_.pick(now, issuable, frontend_.buffered());
  } else {
    warp = pick_observed(now, issuable);
  }
  if (warp == kNoWarp) return;
  if (!allows(issuable, warp))
    broken_contract(WarpSchedulerPolicy::kKind, sm_.config.warp_scheduler, "ready", warp, issuable);
  WarpSlot& slot = warps_[warp];
  if (coordinated_) {
    const bool nop = frontend_.nop_at_head(warp);
    frontend_.select(warp, now);
    if (nop) {
      issue_nop(slot, now);
      return;
    }
  }
  issue_warp(slot, now);
}

void SubCore::charge_blocked(WarpMask blocked, Stall reason) {
  // These warps are in state kReady, whose cycles land in kNotSelected: move this edge to the true reason.
  for (const auto& launch : sm_.ctas.launches()) {
    const unsigned n = static_cast<unsigned>(__builtin_popcountll(launch->warps[index_] & blocked));
    auto& stalls = launch->counters->stalls[index_];
    stalls[static_cast<unsigned>(reason)] += n;
    stalls[static_cast<unsigned>(Stall::kNotSelected)] -= n;
  }
}

void SubCore::issue_nop(WarpSlot& slot, Cycle now) {
  ++sm_.counters.fetch.nops;
  ++slot.launch->counters->fetch.nops;
  sm_.observed.tell(
      [now, &slot, pc = slot.exec.pc()](IssueObserver& o) { o.issued(now, slot, pc, nullptr); });
  update_head(slot, now + 1);
}

void SubCore::issue_warp(WarpSlot& slot, Cycle now) {
  ptx::Warp& warp = slot.exec;
  const ptx::Inst& inst = warp.next();
  const ptx::Pc pc = warp.pc();
  const unsigned row_base = warp.row_base(), pred_base = warp.pred_base();

  StepKind kind;
  {
    const PartMark execution("PTX execution");
    kind = warp.step();
  }
  if (kind == StepKind::kFault) {
    owner_.faulted(slot, pc);
    return;
  }
  SmLaunchCounters& counters = *slot.launch->counters;
  ++sm_.counters.issued;
  ++counters.warp_instructions;
  counters.thread_instructions += static_cast<unsigned>(__builtin_popcount(warp.executed()));
  sm_.observed.tell([now, &slot, pc, &inst](IssueObserver& o) { o.issued(now, slot, pc, &inst); });

  const Cycle start =
      scheduler_.operands().pass(inst, slot.warp, row_base, now, sm_.counters.bank_conflict_cycles);
  if (slot.frames_grow)
    slot.scoreboard.ensure(warp.cta().program().rows_needed(warp.row_base()),
                           warp.cta().program().preds_needed(warp.pred_base()));

  const ptx::MemoryAccess& access = warp.access();
  if (kind == StepKind::kMemory && (access.lanes | access.shared_lanes))
    send_to_memory(slot, inst, row_base, pred_base);
  else
    slot.scoreboard.set(inst, row_base, pred_base,
                        start - 1 + sm_.latency[static_cast<unsigned>(inst.op_class)]);

  if (warp.exited()) {
    warp_exited(slot);
    return;
  }
  if (warp.pc() != pc + 1) {
    frontend_.redirect(slot.warp, warp.pc());
    if (oracle_) oracle_->excused.excuse(slot.warp, now);
  } else if (!coordinated_) {
    frontend_.consumed(slot.warp);
  }
  switch (kind) {
    case StepKind::kBarrier:
      set_state(slot, WarpState::kBarrier);
      owner_.release_barriers(sm_.ctas[slot.cta_slot]);
      return;
    case StepKind::kFence:
      if (sm_.memory->stores_outstanding(slot.owner.warp)) {
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
        owner_.release_barriers(sm_.ctas[slot.cta_slot]);
      break;
  }
  update_head(slot, now + 1);
}

void SubCore::send_to_memory(WarpSlot& slot, const ptx::Inst& inst, std::uint32_t row_base,
                             std::uint32_t pred_base) {
  const ptx::MemoryAccess& access = slot.exec.access();
  const std::uint32_t token = sm_.take_token({&inst, &slot, row_base, pred_base, access.async});
  ++slot.in_flight;
  slot.async_in_flight += access.async;
  slot.scoreboard.set(inst, row_base, pred_base, Scoreboard::kPendingHit);
  MemoryRequest request;
  request.access = access;
  if (inst.is_volatile) request.access.cache_op = static_cast<std::uint8_t>(ptx::CacheOp::cv);
  request.owner = slot.owner;
  request.token = token;
  const std::uint64_t depot = std::uint64_t{slot.launch->program->depot_bytes} * ptx::kWarpSize;
  if (depot) {
    const std::uint64_t warp_on_device =
        std::uint64_t{sm_.sm_id} * sm_.config.resources.warps + slot.owner.warp;
    request.local_base = sm_.local_memory_base + warp_on_device * depot % sm_.local_memory_bytes;
  }
  if (sm_.observed.observer)  // the access is worth no copy for nobody
    sm_.observed.tell([&slot, access, token](IssueObserver& o) { o.memory_issued(slot, access, token); });
  sm_.memory->accept(request, sm_.now);
}

// ---- warp states

void SubCore::update_head(WarpSlot& slot, Cycle earliest) {
  if (!frontend_.has_head(slot.warp)) {
    set_state(slot, WarpState::kFetch);
    return;
  }
  if (frontend_.nop_at_head(slot.warp)) {
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
    sm_.wheel.arm(slot.owner.warp, clear);
  } else {
    set_state(slot, clear == Scoreboard::kPendingMiss ? WarpState::kRawLong : WarpState::kRawHit);
  }
}

void SubCore::charge(WarpSlot& slot) {
  static constexpr Stall kReason[] = {Stall::kCount,    Stall::kNotSelected, Stall::kFetch,
                                      Stall::kRawShort, Stall::kRawShort,    Stall::kRawLong,
                                      Stall::kBarrier,  Stall::kFence,       Stall::kDrain};
  if (slot.state == WarpState::kFree || sm_.now <= slot.since) return;
  const unsigned reason = static_cast<unsigned>(kReason[static_cast<unsigned>(slot.state)]);
  slot.launch->counters->stalls[index_][reason] += sm_.now - slot.since;
  slot.since = sm_.now;
}

void SubCore::set_state(WarpSlot& slot, WarpState state) {
  charge(slot);
  if (slot.state == WarpState::kReady) {
    scheduler_.clear_ready(slot.warp, slot.head_unit);
    slot.since = sm_.now + 1;  // the edge at which it issues is no stall
  }
  if (slot.state == WarpState::kRawLong) scheduler_.set_long_stalled(slot.warp, false);
  if (state == WarpState::kReady) {
    slot.head_unit = frontend_.nop_at_head(slot.warp) ? IssueScheduler::kNoUnit : slot.exec.next().unit;
    scheduler_.set_ready(slot.warp, slot.head_unit);
  }
  if (state == WarpState::kRawLong) scheduler_.set_long_stalled(slot.warp, true);
  if (is_held(slot.state) != is_held(state)) scheduler_.set_held(slot.warp, is_held(state));
  slot.state = state;
}

void SubCore::warp_exited(WarpSlot& slot) {
  frontend_.warp_finished(slot.warp);
  if (oracle_) oracle_->excused.finished(slot.warp);
  set_state(slot, WarpState::kDrain);
  owner_.release_barriers(sm_.ctas[slot.cta_slot]);
  if (slot.in_flight == 0) owner_.warp_drained(slot);
}

// ---- the memory side's answers

void SubCore::access_missed(const AccessInFlight& access) {
  WarpSlot& slot = *access.slot;
  slot.scoreboard.set(*access.inst, access.row_base, access.pred_base, Scoreboard::kPendingMiss);
  if (slot.state == WarpState::kRawHit) update_head(slot, sm_.now);
}

void SubCore::access_done(const AccessInFlight& access) {
  WarpSlot& slot = *access.slot;
  slot.scoreboard.set(*access.inst, access.row_base, access.pred_base, sm_.now);
  --slot.in_flight;
  slot.async_in_flight -= access.async;
  switch (slot.state) {
    case WarpState::kRawHit:
    case WarpState::kRawLong:
      update_head(slot, sm_.now);
      break;
    case WarpState::kFence:
      // Only a wait for asynchronous copies ends here; a fence ends with stores_drained.
      if (access.async && slot.async_in_flight == 0 && !sm_.memory->stores_outstanding(slot.owner.warp))
        update_head(slot, sm_.now);
      break;
    case WarpState::kDrain:
      if (slot.in_flight == 0) owner_.warp_drained(slot);
      break;
    default:
      break;
  }
}

void SubCore::stores_drained(WarpSlot& slot) {
  if (slot.state == WarpState::kFence && slot.async_in_flight == 0) update_head(slot, sm_.now);
}

void SubCore::line_filled(std::uint64_t line_address) {
  for (WarpMask resumed = frontend_.line_filled(line_address); resumed; resumed &= resumed - 1) {
    const unsigned warp = static_cast<unsigned>(__builtin_ctzll(resumed));
    WarpSlot& slot = warps_[warp];
    if (slot.state == WarpState::kFetch) update_head(slot, sm_.now);
    if (oracle_) oracle_->excused.excuse(warp, sm_.now);
  }
}

void SubCore::settle() {
  for (WarpSlot& slot : warps_) charge(slot);
}

void SubCore::broken_contract(const char* kind, const PolicyChoice& policy, const char* what, unsigned picked,
                              WarpMask allowed) const {
  report_broken_contract(
      kind, policy.name,
      fmt::format("it picked warp {}, which is not {}; allowed: a warp of the set {:#x}, or none", picked,
                  what, allowed),
      fmt::format("SM {}, scheduler {}, SM cycle {}", sm_.sm_id, index_, sm_.now));
}

}  // namespace warpvp
