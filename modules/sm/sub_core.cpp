#include "modules/sm/sub_core.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>

#include "base/part_mark.h"
#include "base/registry.h"
#include "interconnect/policy_contract.h"
#include "ptx/exec/warp.h"

namespace warpvp {

using ptx::StepKind;

namespace {
// How many there are. Without a flag for newer processors the compiler's own is a call, dear at every edge.
unsigned count_of(WarpMask warps) {
  warps -= warps >> 1 & 0x5555555555555555u;
  warps = (warps & 0x3333333333333333u) + (warps >> 2 & 0x3333333333333333u);
  warps = (warps + (warps >> 4)) & 0x0f0f0f0f0f0f0f0fu;
  return static_cast<unsigned>(warps * 0x0101010101010101u >> 56);
}
}  // namespace

SmShared::SmShared(const SmConfig& c, SmContext place, PolicyRegisters::Take take)
    : ctas(c.resources.ctas, c.schedulers),
      wheel(c.resources.warps),
      config(c),
      sm_id(place.index),
      contexts(
          [&] {
            place.cycle = [this] { return now; };
            place.events = &events;
            place.sub_cores = c.schedulers;
            place.warps = c.resources.warps / c.schedulers;
            return std::move(place);
          }(),
          std::move(take)) {}

template <class Type>
auto SubCore::build_stage(const PolicyChoice& choice) {
  const auto type = Registry<Type>::instance().make(choice);
  if constexpr (std::is_same_v<Type, IssueStageType>) {
    return type->build(context(Type::kKind, choice), *front_end_);
  } else {
    return type->build(context(Type::kKind, choice));
  }
}

SubCore::SubCore(SmShared& sm, SubCoreOwner& owner, unsigned index)
    : ports_(sm.config.pipes),
      sm_(sm),
      owner_(owner),
      guard_latency_(sm.config.latency.guard),
      address_latency_(sm.config.latency.address),
      operand_latencies_(OperandLatencies::any(sm.config.latency)
                             ? std::make_unique<OperandLatencies>(
                                   sm.config.latency, sm.config.resources.warps / sm.config.schedulers)
                             : nullptr),
      exit_awaits_stores_(sm.config.warp_exit == "stores_acknowledged"),
      index_(index),
      front_end_(build_stage<FrontEndType>(sm.config.frontend.mode)),
      operands_(build_stage<OperandStageType>(sm.config.operands.type)),
      units_(build_stage<ExecuteStageType>(sm.config.execute)),
      issue_(build_stage<IssueStageType>(sm.config.issue)),
      entry_(make_entry()),
      observed_(issue_->observed()),
      warps_(sm.config.resources.warps / sm.config.schedulers) {
  for (unsigned warp = 0; warp < warps_.size(); ++warp) {
    warps_[warp].sub_core = static_cast<std::uint8_t>(index);
    warps_[warp].warp = static_cast<std::uint8_t>(warp);
  }
}

StageContext SubCore::context(const char* kind, const PolicyChoice& choice) {
  return {sm_.contexts.of(kind, choice.name, index_),
          sm_.contexts,
          sm_.config,
          *sm_.memory,
          sm_.counters,
          signals_,
          sm_.front_end.get()};
}

bool SubCore::full() const {
  const std::size_t warps = warps_.size();
  return signals_.resident == (warps == 64 ? ~WarpMask{0} : (WarpMask{1} << warps) - 1);
}

WarpSlot& SubCore::start_warp(unsigned cta_slot, ptx::InstructionStream& stream, const WarpInfo& info) {
  CtaSlot& cta = sm_.ctas[cta_slot];
  const CtaLaunch& record = cta.record;
  ResidentLaunch& launch = *cta.launch;
  const ptx::Program& program = *launch.program;
  const unsigned warp = next_position();
  WarpSlot& slot = warps_[warp];
  slot.stream = &stream;
  slot.code = program.code.data();
  slot.follow_stream();
  slot.scoreboard.reset(program.rows_reserved(), program.preds, sm_.now);
  if (operand_latencies_) operand_latencies_->reset(warp);
  slot.frames_grow = program.frames_grow();
  slot.launch = &launch;
  slot.owner = {record.launch_id, record.kernel_slot, record.context,
                static_cast<std::uint16_t>(warp * sm_.config.schedulers + index_)};
  slot.cta_slot = static_cast<std::uint16_t>(cta_slot);
  slot.in_flight = slot.async_in_flight = slot.copies_in_flight = 0;
  slot.state = WarpState::kFetch;
  slot.since = sm_.now;
  slot.not_before = 0;
  launch.warps[index_] |= WarpMask{1} << warp;
  signals_.resident |= WarpMask{1} << warp;
  issue_->warp_started(warp, info);
  front_end_->warp_started(warp, info, program, slot.owner, launch.counters->fetch);
  forget_head(slot);
  update_head(slot, sm_.now);
  return slot;
}

void SubCore::resume(WarpSlot& slot, bool at_barrier) {
  front_end_->redirect(slot.warp, slot.stream->pc());
  if (slot.frames_grow)
    slot.scoreboard.ensure(slot.launch->program->rows_needed(slot.row_base),
                           slot.launch->program->preds_needed(slot.pred_base));
  if (at_barrier) {
    set_state(slot, WarpState::kBarrier);
  } else {
    update_head(slot, sm_.now);
  }
}

void SubCore::take_off(WarpSlot& slot) {
  front_end_->warp_finished(slot.warp);
  free_warp(slot);
  slot.stream = nullptr;
}

void SubCore::free_warp(WarpSlot& slot) {
  set_state(slot, WarpState::kFree);
  throttled_ &= ~(WarpMask{1} << slot.warp);
  signals_.resident &= ~(WarpMask{1} << slot.warp);
  issue_->warp_finished(slot.warp);
  slot.launch->warps[index_] &= ~(WarpMask{1} << slot.warp);
}

void SubCore::work(Cycle now) {
  if (signals_.arrival <= now) {
    for (WarpMask got = front_end_->deliver(now); got; got &= got - 1) {
      WarpSlot& slot = warps_[static_cast<unsigned>(__builtin_ctzll(got))];
      if (slot.state == WarpState::kFetch) update_head(slot, now);
    }
  }
  if (signals_.ready || observed_) {
    issue_->issue(now, *this);
    if (signals_.refused_until != 0) note_refusal();
  }
  if (signals_.fetchable) front_end_->fetch(now);
  sm_.next_work = std::min(sm_.next_work, next_work(now));
}

// ---- issue

// Whoever looks at each warp's waits edge by edge is not to miss one.
void SubCore::note_refusal() {
  if (observed_ || sm_.observed.stalls || (signals_.refused_full && !sm_.memory->refuses_until_it_works()))
    signals_.refused_until = 0;
  else
    sm_.refused = true;
}

void SubCore::charge_refused(Cycle edges) {
  if (signals_.refused_until == 0) return;
  if (signals_.refused_busy) charge_blocked(signals_.refused_busy, Stall::kUnitBusy, edges);
  if (signals_.refused_full) charge_blocked(signals_.refused_full, Stall::kLsuFull, edges);
}

void SubCore::issue(unsigned warp, Cycle now) {
  WarpSlot& slot = warps_[warp];
  if (slot.state != WarpState::kReady || slot.issued == now)
    report_broken_contract(IssueStageType::kKind, sm_.config.issue.name,
                           "it issued a warp that is not ready, or for the second time at an edge",
                           context(IssueStageType::kKind, sm_.config.issue).place_at(now));
  slot.issued = now;
  const ptx::Pc pc = front_end_->head(warp);
  if (entry_ && pc != IBuffers::kNop) note_entry(slot, pc);
  front_end_->selected(warp, now);
  if (pc == IBuffers::kNop)
    issue_nop(slot, now);
  else
    issue_instruction(slot, pc, now);
}

WarpMask SubCore::refused_by_memory(WarpMask loads) const {
  WarpMask refused = 0;
  for (const auto& launch : sm_.ctas.launches()) {
    const WarpMask of_launch = launch->warps[index_] & loads;
    if (of_launch && !sm_.memory->can_accept(launch->record.kernel_slot)) refused |= of_launch;
  }
  return refused;
}

// These warps are in state kReady, whose cycles land in kNotSelected: moves edges to the true reason. Who is
// told of each edge has none charged later (note_refusal).
void SubCore::charge_blocked(WarpMask blocked, Stall reason, Cycle edges) {
  if (sm_.observed.stalls)
    sm_.observed.tell([now = sm_.now, index = index_, blocked, reason](IssueObserver& o) {
      o.blocked(now, index, blocked, reason);
    });
  for (const auto& launch : sm_.ctas.launches()) {
    const WarpMask of_launch = launch->warps[index_] & blocked;
    if (!of_launch) continue;
    const Cycle n = count_of(of_launch) * edges;
    auto& stalls = launch->counters->stalls[index_];
    stalls[static_cast<unsigned>(reason)] += n;
    stalls[static_cast<unsigned>(Stall::kNotSelected)] -= n;
    if (launch->profile) profile_blocked(*launch, of_launch, reason, edges);
  }
}

void SubCore::profile_blocked(const ResidentLaunch& launch, WarpMask blocked, Stall reason, Cycle edges) {
  for (; blocked; blocked &= blocked - 1) {
    const WarpSlot& slot = warps_[static_cast<unsigned>(__builtin_ctzll(blocked))];
    StallCycles& stalls = launch.profile[slot.stalled_at].stalls;
    stalls[static_cast<unsigned>(reason)] += edges;
    stalls[static_cast<unsigned>(Stall::kNotSelected)] -= edges;
  }
}

void SubCore::issue_nop(WarpSlot& slot, Cycle now) {
  ++sm_.counters.fetch.nops;
  ++slot.launch->counters->fetch.nops;
  sm_.observed.tell(
      [now, &slot, pc = slot.stream->pc()](IssueObserver& o) { o.issued(now, slot, pc, nullptr); });
  update_head(slot, now + 1);
}

void SubCore::issue_instruction(WarpSlot& slot, ptx::Pc pc, Cycle now) {
  ptx::InstructionStream& stream = *slot.stream;
  const ptx::Inst& inst = slot.code[pc];
  if (stream.pc() != pc && !pass_over(slot, pc, now)) return;
  assert(stream.pc() == pc && stream.row_base() == slot.row_base && stream.pred_base() == slot.pred_base);
  const unsigned row_base = slot.row_base, pred_base = slot.pred_base;

  if (!sm_.stepped) sm_.source->begin_edge(now);
  sm_.stepped = true;
  StepKind kind;
  const ptx::LaneMask active = stream.active();
  {
    const PartMark execution("PTX execution");
    kind = stream.step();
  }
  slot.follow_stream();
  if (kind == StepKind::kFault) {
    owner_.faulted(slot, pc);
    return;
  }
  SmLaunchCounters& counters = *slot.launch->counters;
  ++sm_.counters.issued;
  ++counters.warp_instructions;
  counters.expansion_instructions += inst.is_part;
  const ptx::LaneMask executed = stream.executed();
  const unsigned lanes =
      executed == ~ptx::LaneMask{0} ? ptx::kWarpSize : static_cast<unsigned>(__builtin_popcount(executed));
  counters.thread_instructions += lanes;
  counters.flops[inst.flops / ptx::kDoubleFlops] += (inst.flops & ~ptx::kDoubleFlops) * lanes;
  if (slot.launch->counted) count_issue(slot, inst, pc, active);
  sm_.observed.tell([now, &slot, pc, active, &inst](IssueObserver& o) {
    o.executed(slot, pc, active);
    o.issued(now, slot, pc, &inst);
  });

  const Cycle collected =
      entry_ && entry_->names.any()
          ? collect_renamed(slot, inst, now)
          : operands_->collect(inst, slot.warp, row_base, now, sm_.counters.bank_conflict_cycles);
  const Cycle start = units_->start(inst, collected);
  operands_->leave(start);
  if (slot.frames_grow)
    slot.scoreboard.ensure(slot.launch->program->rows_needed(slot.row_base),
                           slot.launch->program->preds_needed(slot.pred_base));

  const ptx::MemoryAccess& access = stream.access();
  const bool by_memory = kind == StepKind::kMemory && (access.lanes | access.shared_lanes);
  if (entry_) {
    settle_entry(slot, inst, pc, active, row_base, pred_base,
                 by_memory ? Scoreboard::kPendingHit : units_->result_at(inst, start));
  } else {
    if (by_memory)
      send_to_memory(slot, pc, inst, row_base, pred_base);
    else
      slot.scoreboard.set(inst, row_base, pred_base, units_->result_at(inst, start));
    if (operand_latencies_) operand_latencies_->written(slot.warp, inst, row_base, signals_.started_on);
  }

  if (stream.exited()) {
    warp_exited(slot);
    return;
  }
  if (inst.holds_warp()) {
    slot.not_before = now + sm_.config.latency.control;
    if (inst.effect == ptx::Effect::kBranch && sm_.events.wanted(SmEvent::kBranches))
      sm_.events.branched({slot.here(), pc, stream.pc(), active, stream.active()}, now);
  }
  // A nanosleep after which another path of the warp goes on was that path's turn.
  if (inst.effect == ptx::Effect::kYield && stream.pc() == pc + 1)
    slot.not_before = std::max(slot.not_before, now + sleep_cycles(slot, inst, row_base));
  if (stream.pc() != pc + 1) {
    front_end_->redirect(slot.warp, stream.pc());
    if (observed_) issue_->excuse(slot.warp, now);
  }
  switch (kind) {
    case StepKind::kBarrier:
      set_state(slot, WarpState::kBarrier);
      if (sm_.events.wanted(SmEvent::kBarriers)) sm_.events.barrier_arrived({slot.here(), true}, now);
      owner_.arrived_at_barrier(slot.cta_slot);
      return;
    case StepKind::kFence:
      if (sm_.memory->stores_outstanding(slot.owner.warp)) {
        slot.awaits_reads = false;
        set_state(slot, WarpState::kFence);
        return;
      }
      break;
    case StepKind::kWaitAsync:
      if (slot.async_in_flight) {
        slot.awaits_reads = (inst.aux & ptx::kReadsAlone) != 0;
        set_state(slot, WarpState::kFence);
        return;
      }
      break;
    default:
      // bar.arrive, or an exit of some lanes that leaves only lanes that wait at a barrier.
      if (inst.effect == ptx::Effect::kBarrier) {
        if (stream.executed() != 0 && sm_.events.wanted(SmEvent::kBarriers))
          sm_.events.barrier_arrived({slot.here(), false}, now);
        const Cycle release = owner_.arrived_at_barrier(slot.cta_slot);
        const bool waits = inst.aux != static_cast<std::uint64_t>(ptx::BarOp::arrive);
        if (waits && sm_.config.barrier_interval != 0) slot.not_before = std::max(slot.not_before, release);
      }
      if (inst.effect == ptx::Effect::kExit) owner_.release_barriers(slot.cta_slot);
      break;
  }
  update_head(slot, now + 1);
}

/// How long the warp sleeps: the longest of its lanes' times, at most a millisecond (PTX ISA, nanosleep).
Cycle SubCore::sleep_cycles(const WarpSlot& slot, const ptx::Inst& inst, std::uint32_t row_base) const {
  constexpr std::uint32_t kLongestNs = 1'000'000;
  const ptx::Operand& time = inst.src[0];
  std::uint32_t ns = 0;
  if (slot.stream->executed() == 0) return 0;
  if (time.kind == ptx::OperandKind::kConst) {
    ns = slot.launch->program->constants[ptx::kWarpSize * std::size_t{time.index}];
  } else if (const std::uint32_t* rows = slot.stream->registers()) {
    for (unsigned lane = 0; lane < ptx::kWarpSize; ++lane)
      if (slot.stream->executed() >> lane & 1)
        ns = std::max(ns, rows[ptx::kWarpSize * (std::size_t{row_base} + time.index) + lane]);
  }
  const std::uint64_t fs = std::uint64_t{std::min(ns, kLongestNs)} * 1'000'000;
  return (fs + sm_.period_fs - 1) / sm_.period_fs;
}

void SubCore::count_issue(WarpSlot& slot, const ptx::Inst& inst, ptx::Pc pc, ptx::LaneMask active) {
  const auto lanes = static_cast<unsigned>(__builtin_popcount(slot.stream->executed()));
  if (ExecutedCounters& executed = slot.launch->counters->executed; executed.any()) {
    ExecutedCounters::OfClass& of_class = executed.classes[static_cast<unsigned>(inst.op_class)];
    ++of_class.issued;
    of_class.lanes += lanes;
    executed.rows_read += inst.read_rows;
    executed.rows_written += inst.written_rows;
  }
  if (!slot.launch->profile) return;
  ExecutionCounts& counters = slot.launch->profile[pc];
  ++counters.issued;
  counters.threads += lanes;
  // Lanes that this very instruction ended were alive before it.
  const ptx::Warp* const warp = slot.stream->as_ptx();
  counters.divergent += warp != nullptr && (warp->live() & ~active) != 0;
  slot.last_issued = pc;
}

void SubCore::send_to_memory(WarpSlot& slot, ptx::Pc pc, const ptx::Inst& inst, std::uint32_t row_base,
                             std::uint32_t pred_base) {
  const ptx::MemoryAccess& access = slot.stream->access();
  const std::uint32_t names = entry_ && entry_->names.any() ? names_to_write() : kNoNames;
  const bool bulk = access.is_bulk();
  const bool async = access.async || (bulk && (access.store || access.atomic));
  const std::uint32_t signal = bulk ? access.bulk->signal : ptx::BulkSpans::kNoSignal;
  const std::uint32_t token = sm_.in_flight.take({&inst, &slot, row_base, pred_base, async, signal, names});
  ++slot.in_flight;
  if (async) ++slot.async_in_flight;
  if (signal != ptx::BulkSpans::kNoSignal) {
    ++slot.copies_in_flight;
    slot.copied = sm_.now;
  }
  if (names == kNoNames) slot.scoreboard.set(inst, row_base, pred_base, Scoreboard::kPendingHit);
  MemoryRequest request;
  request.access = access;
  if (inst.is_volatile) request.access.cache_op = static_cast<std::uint8_t>(ptx::CacheOp::cv);
  request.owner = slot.owner;
  request.token = token;
  request.pc = pc;
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

Cycle SubCore::clear_at(const WarpSlot& slot, const ptx::Inst& inst) const {
  Cycle clear = std::max(slot.scoreboard.clear_at(inst, slot.row_base, slot.pred_base), slot.not_before);
  if (address_latency_ != 0 && clear < Scoreboard::kPendingHit && inst.accesses_data()) {
    const Cycle operands = slot.scoreboard.operands_at(inst, slot.row_base);
    if (operands) clear = std::max(clear, operands + address_latency_);
  }
  if (operand_latencies_ && clear < Scoreboard::kPendingHit &&
      clear + operand_latencies_->longest() > sm_.now)
    clear = std::max(clear, operand_latencies_->clear_at(slot.warp, inst, slot.row_base, ports_.of(inst),
                                                         slot.scoreboard));
  if (guard_latency_ == 0 || clear >= Scoreboard::kPendingHit) return clear;
  const Cycle guard = slot.scoreboard.guard_at(inst, slot.pred_base);
  return guard ? std::max(clear, guard + guard_latency_) : clear;
}

void SubCore::update_head(WarpSlot& slot, Cycle earliest) {
  if (!(signals_.heads >> slot.warp & 1)) {
    set_state(slot, WarpState::kFetch);
    return;
  }
  if (throttled_ >> slot.warp & 1) {
    set_state(slot, WarpState::kThrottled);
    return;
  }
  const ptx::Pc head = front_end_->head(slot.warp);
  if (head == IBuffers::kNop) {
    set_state(slot, WarpState::kReady);
    return;
  }
  const ptx::Inst& inst = slot.code[head];
  const OtherNames* const names = entry_ && entry_->map ? &named_head(slot, inst) : nullptr;
  const Cycle clear = names && names->any() ? renamed_clear_at(slot, inst, *names) : clear_at(slot, inst);
  if (clear <= earliest) {
    slot.prefetch_issue(inst);
    set_state(slot, WarpState::kReady, ports_.of(inst));
  } else if (clear < Scoreboard::kPendingHit) {
    set_state(slot, WarpState::kRawShort);
    sm_.wheel.arm(slot.owner.warp, std::min(clear, sm_.now + WakeWheel::kSlots - 1));  // and then again
  } else {
    set_state(slot, clear == Scoreboard::kPendingMiss ? WarpState::kRawLong : WarpState::kRawHit);
  }
}

void SubCore::charge(WarpSlot& slot) {
  static constexpr Stall kReason[] = {
      Stall::kCount,   Stall::kNotSelected, Stall::kFetch,   Stall::kRawShort, Stall::kRawShort,
      Stall::kRawLong, Stall::kNotSelected, Stall::kBarrier, Stall::kFence,    Stall::kDrain};
  if (slot.state == WarpState::kFree || sm_.now <= slot.since) return;
  const unsigned reason = static_cast<unsigned>(kReason[static_cast<unsigned>(slot.state)]);
  slot.launch->counters->stalls[index_][reason] += sm_.now - slot.since;
  if (sm_.observed.stalls)
    sm_.observed.tell([slot = slot.owner.warp, reason, from = slot.since, to = sm_.now](IssueObserver& o) {
      o.stalled(slot, static_cast<Stall>(reason), from, to);
    });
  if (slot.launch->profile) slot.launch->profile[slot.stalled_at].stalls[reason] += sm_.now - slot.since;
  slot.since = sm_.now;
}

void SubCore::set_state(WarpSlot& slot, WarpState state, unsigned head_port) {
  charge(slot);
  const WarpMask bit = WarpMask{1} << slot.warp;
  if (slot.state == WarpState::kReady) {
    signals_.ready &= ~bit;
    if ((signals_.ready_for[slot.head_port] &= ~bit) == 0)
      signals_.ready_ports &= ~(std::uint32_t{1} << slot.head_port);
    slot.since = sm_.now + 1;  // the edge at which it issues is no stall
  }
  if (slot.state == WarpState::kRawLong) signals_.long_stalled &= ~bit;
  if (slot.state >= WarpState::kThrottled) signals_.held &= ~bit;
  if (state == WarpState::kReady) {
    slot.head_port = static_cast<std::uint8_t>(head_port);
    signals_.ready |= bit;
    signals_.ready_for[head_port] |= bit;
    signals_.ready_ports |= std::uint32_t{1} << head_port;
  }
  if (state == WarpState::kRawLong) signals_.long_stalled |= bit;
  if (state >= WarpState::kThrottled) signals_.held |= bit;
  slot.state = state;
  // What the warp waits at is settled when the wait begins: by its end the warp may have gone past it.
  if (slot.launch->profile && state != WarpState::kFree)
    slot.stalled_at = is_held(state) ? slot.last_issued : next_pc(slot);
}

ptx::Pc SubCore::next_pc(const WarpSlot& slot) const {
  if (!(signals_.heads >> slot.warp & 1)) return slot.stream->pc();
  const ptx::Pc head = front_end_->head(slot.warp);
  return head == IBuffers::kNop ? slot.stream->pc() : head;
}

void SubCore::warp_exited(WarpSlot& slot) {
  front_end_->warp_finished(slot.warp);
  set_state(slot, WarpState::kDrain);
  owner_.release_barriers(slot.cta_slot);
  if (drained(slot)) owner_.warp_drained(slot);
}

bool SubCore::drained(const WarpSlot& slot) const {
  return slot.in_flight == 0 && !(exit_awaits_stores_ && sm_.memory->stores_outstanding(slot.owner.warp));
}

void SubCore::throttle(WarpSlot& slot, bool throttled) {
  const WarpMask bit = WarpMask{1} << slot.warp;
  if (throttled) {
    throttled_ |= bit;
    if (slot.state == WarpState::kReady) update_head(slot, sm_.now);
  } else {
    throttled_ &= ~bit;
    if (slot.state != WarpState::kThrottled) return;
    // Looked at again at the next edge, as this one may have passed its sub-core already.
    set_state(slot, WarpState::kRawShort);
    sm_.wheel.arm(slot.owner.warp, sm_.now + 1);
  }
}

void SubCore::stats(StatVisitor& v) const {
  front_end_->stats(v);
  issue_->stats(v);
  operands_->stats(v);
  units_->stats(v);
}

void SubCore::settle() {
  for (WarpSlot& slot : warps_) charge(slot);
}

// ---- for the issue stage's oracle

WarpMask SubCore::starved(Cycle now) const {
  WarpMask without_head = 0, could_issue = 0;
  for (WarpMask rest = signals_.resident; rest; rest &= rest - 1) {
    const unsigned warp = static_cast<unsigned>(__builtin_ctzll(rest));
    const WarpSlot& slot = warps_[warp];
    if (slot.state != WarpState::kFetch) continue;
    without_head |= WarpMask{1} << warp;
    const ptx::Inst& inst = slot.stream->next();
    if (clear_at(slot, inst) > now) continue;
    if (signals_.operands_free_from > now) continue;
    const unsigned port = ports_.of(inst);
    if (signals_.unit_open_from[port] > now) continue;
    if (port == static_cast<unsigned>(ptx::Unit::kLsu) && !sm_.memory->can_accept(slot.owner.kernel_slot))
      continue;
    could_issue |= WarpMask{1} << warp;
  }
  return front_end_->starved(without_head, could_issue);
}

void SubCore::count_verdict(bool discrepancy, bool error) {
  sm_.counters.scheduling.count(discrepancy, error);
  for (const auto& launch : sm_.ctas.launches())
    if (launch->warps[index_]) launch->counters->scheduling.count(discrepancy, error);
}

}  // namespace warpvp
