#include "platform/guard/spin_probe.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "modules/sm/cta_table.h"
#include "ptx/exec/warp.h"

namespace warpvp {

namespace {

using ptx::Inst;
using ptx::kWarpSize;
using ptx::OperandKind;

/// The low bits of an operand in a lane.
std::uint64_t value_of(const ptx::Warp& warp, const ptx::Operand& operand, bool wide, unsigned lane) {
  const std::uint32_t* const row = warp.source(operand);
  if (!wide) return row[lane];
  std::uint64_t value;
  std::memcpy(&value, reinterpret_cast<const char*>(row) + lane * sizeof value, sizeof value);
  return value;
}

/// Waits for an answer of the memory side.
bool awaits_memory(WarpState state) {
  return state == WarpState::kFetch || state == WarpState::kRawHit || state == WarpState::kRawLong ||
         state == WarpState::kFence || state == WarpState::kDrain;
}

bool is_reduction(const Inst& inst) {
  const auto op = static_cast<ptx::BarOp>(inst.aux);
  return inst.effect == ptx::Effect::kBarrier &&
         (op == ptx::BarOp::red_popc || op == ptx::BarOp::red_and || op == ptx::BarOp::red_or);
}

/// Rows, or predicates, that a frame has at most.
unsigned frame_rows(const ptx::Program& program) {
  return program.has_calls ? program.frame_rows : program.rows;
}

}  // namespace

/// One SM's issues, passed on to the probe and to the observer that was there before.
class SpinProbe::Watch : public PassingObserver {
 public:
  Watch(SpinProbe& probe, WarpView& sm, unsigned index)
      : PassingObserver(sm.issue_observer()), probe_(probe), sm_(sm), index_(index) {
    sm_.observe_issue(this);
  }
  ~Watch() override { sm_.observe_issue(next()); }

  void issued(Cycle now, const WarpSlot& slot, ptx::Pc pc, const Inst* inst) override {
    PassingObserver::issued(now, slot, pc, inst);
    if (inst) probe_.issued(now, index_, slot, pc, *inst);
  }
  void skipped(Cycle now, const WarpSlot& slot, ptx::Pc pc, const Inst& inst) override {
    PassingObserver::skipped(now, slot, pc, inst);
    probe_.skipped(index_, slot, pc, inst);
  }
  void cta_started(Cycle now, const CtaLaunch& cta, const ptx::Program& program,
                   const std::vector<std::uint16_t>& slots) override {
    PassingObserver::cta_started(now, cta, program, slots);
    probe_.moved_ = true;
  }
  void memory_issued(const WarpSlot& slot, const ptx::MemoryAccess& access, std::uint32_t token) override {
    PassingObserver::memory_issued(slot, access, token);
    probe_.memory_issued(index_, slot, access);
  }
  void cta_finished(Cycle now, const CtaLaunch& cta) override {
    PassingObserver::cta_finished(now, cta);
    probe_.moved_ = true;
  }
  void cta_preempted(Cycle now, const CtaLaunch& cta) override {
    PassingObserver::cta_preempted(now, cta);
    probe_.moved_ = true;
  }

 private:
  SpinProbe& probe_;
  WarpView& sm_;
  const unsigned index_;
};

bool SpinProbe::can_watch(const std::vector<std::unique_ptr<Sm>>& sms) {
  return std::all_of(sms.begin(), sms.end(), [](const auto& sm) { return sm->warps() != nullptr; });
}

SpinProbe::SpinProbe(const std::vector<std::unique_ptr<Sm>>& sms, DeviceMemory& memory, std::uint64_t budget)
    : sms_(sms), memory_(memory), budget_(budget) {
  for (unsigned i = 0; i < sms.size(); ++i) {
    watches_.push_back(std::make_unique<Watch>(*this, *sms[i]->warps(), i));
    warps_.emplace_back(sms[i]->warps()->slots().size());
  }
}

SpinProbe::~SpinProbe() = default;

// ---- What the warps do

void SpinProbe::issued(Cycle now, unsigned sm, const WarpSlot& slot, ptx::Pc pc, const Inst& inst) {
  if (moved_ || gave_up_) return;
  if (!slot.stream->as_ptx()) {  // there are no registers to look at
    gave_up_ = true;
    return;
  }
  ptx::Warp& warp = const_cast<ptx::Warp&>(*slot.stream->as_ptx());  // reading registers is not const
  if (warp.exited()) {
    moved_ = true;
    return;
  }
  Tracked& tracked = warps_[sm][slot.owner.warp];
  ++tracked.steps;
  tracked.issued = ++time_;
  tracked.issued_at = now;
  tracked.inst = &inst;
  tracked.pc = pc;
  note_barrier(tracked, inst, warp);
  if (!tracked.executed.empty() && !tracked.executed[pc]) {
    tracked.executed[pc] = true;
    tracked.sliced = false;
  }
  if (tracked.taken != 0) {
    const ptx::WarpPosition::Path& reference = tracked.position.paths.back();
    if (warp.pc() == reference.pc && warp.active() == reference.lanes) compare(now, tracked, warp);
  }
  if (goes_round(tracked)) return;
  if (tracked.steps >= tracked.next_reference) {
    tracked.next_reference = 2 * tracked.steps;
    tracked.executed.assign(warp.cta().program().code.size(), false);
    tracked.slice = {};
    tracked.sliced = false;
    take_reference(now, tracked, warp);
  }
  if (tracked.steps > budget_) gave_up_ = true;
}

// An instruction of the round like others, but that nobody saw what a load looked at.
void SpinProbe::skipped(unsigned sm, const WarpSlot& slot, ptx::Pc pc, const Inst& inst) {
  Tracked& tracked = warps_[sm][slot.owner.warp];
  ++tracked.steps;
  if (inst.effect == ptx::Effect::kMemory) gave_up_ = true;
  if (tracked.executed.empty() || tracked.executed[pc]) return;
  tracked.executed[pc] = true;
  tracked.sliced = false;
}

void SpinProbe::note_barrier(Tracked& tracked, const Inst& inst, ptx::Warp& warp) {
  const ptx::BarrierArrival& arrival = warp.last_arrival();
  if (arrival.number != tracked.arrival) {
    tracked.arrival = arrival.number;
    const auto at = std::find_if(arrivals_.begin(), arrivals_.end(), [&](const Arrival& a) {
      return a.cta == &warp.cta() && a.barrier == arrival.id;
    });
    if (at != arrivals_.end())
      at->when = time_;
    else
      arrivals_.push_back({&warp.cta(), arrival.id, time_});
  }
  // What others get depends on whose arrivals meet, unless a warp always brings the same.
  const Inst& next = warp.next();
  if (!is_reduction(next)) return;
  if (is_reduction(inst)) {  // whose result may come yet
    gave_up_ = true;
    return;
  }
  ptx::LaneMask lanes = warp.active();
  if (next.guard.kind == OperandKind::kPred) lanes &= warp.pred_value(next.guard);
  const std::uint64_t vote = std::uint64_t{lanes} << 32 | (warp.pred_value(next.src[2]) & lanes);
  if (tracked.vote == vote) return;
  if (tracked.vote != kNoVote) gave_up_ = true;
  tracked.vote = vote;
  void_before_ = time_;
}

void SpinProbe::take_reference(Cycle now, Tracked& tracked, ptx::Warp& warp) {
  tracked.taken = time_;
  tracked.taken_at = now;
  tracked.taken_at_step = tracked.steps;
  tracked.round_began = 0;
  ptx::take_position(warp, tracked.position);
  const ptx::Program& program = warp.cta().program();
  unsigned rows = 0, preds = 0;
  for (const ptx::WarpPosition::Path& path : tracked.position.paths) {
    if (path.fresh) continue;  // its frame has no place yet
    rows = std::max(rows, path.row_base + frame_rows(program));
    preds = std::max(preds, program.preds_needed(path.pred_base));
  }
  tracked.rows.assign(warp.registers(), warp.registers() + std::size_t{rows} * kWarpSize);
  tracked.preds.assign(preds, 0);
  // Predicates are reached from the frame that runs.
  for (unsigned p = 0; p < preds; ++p) tracked.preds[p] = warp.pred(p - warp.pred_base());
  tracked.carry = ptx::carry_of(warp);
}

void SpinProbe::compare(Cycle now, Tracked& tracked, ptx::Warp& warp) {
  ptx::take_position(warp, position_);
  if (!position_.same(tracked.position)) return;
  if (!tracked.sliced || tracked.version != version_) {
    LoopSlice slice = loop_slice(warp.cta().program(), tracked.executed, telling_);
    tracked.sliced = true;
    tracked.version = version_;
    if (!(slice == tracked.slice)) {
      // What the loop looks at is noted from now on.
      tracked.slice = std::move(slice);
      take_reference(now, tracked, warp);
      return;
    }
  }
  if (tracked.slice.opaque || !same_registers(tracked, warp)) return;
  tracked.round_began = tracked.taken;
  tracked.round_began_at = tracked.taken_at;
  tracked.round_steps = tracked.steps - tracked.taken_at_step;
  // The state is the reference's, and the next round is compared with it.
  tracked.taken = time_;
  tracked.taken_at = now;
  tracked.taken_at_step = tracked.steps;
  tracked.position = position_;
}

bool SpinProbe::same_registers(const Tracked& tracked, ptx::Warp& warp) {
  const LoopSlice& slice = tracked.slice;
  const auto rows = static_cast<unsigned>(tracked.rows.size() / kWarpSize);
  const auto preds = static_cast<unsigned>(tracked.preds.size());
  if (slice.carry && ptx::carry_of(warp) != tracked.carry) return false;
  for (const ptx::WarpPosition::Path& path : tracked.position.paths) {
    if (path.fresh) continue;
    const unsigned function = slice.function_of(path.pc);
    for (unsigned row = path.row_base; row < rows; ++row) {
      const std::size_t at = std::size_t{row} * kWarpSize;
      if (slice.row(function, row - path.row_base) &&
          std::memcmp(warp.registers() + at, tracked.rows.data() + at, kWarpSize * sizeof(std::uint32_t)) !=
              0)
        return false;
    }
    for (unsigned p = path.pred_base; p < preds; ++p)
      if (slice.pred(function, p - path.pred_base) && warp.pred(p - warp.pred_base()) != tracked.preds[p])
        return false;
  }
  return true;
}

// ---- What they look at and change

void SpinProbe::memory_issued(unsigned sm, const WarpSlot& slot, const ptx::MemoryAccess& access) {
  if (moved_ || gave_up_ || !slot.stream->as_ptx()) return;
  Tracked& tracked = warps_[sm][slot.owner.warp];
  if (tracked.inst == nullptr) return;
  const Inst& inst = *tracked.inst;
  if (access.async || access.is_bulk() || inst.opcode == ptx::Opcode::sust) {
    gave_up_ = true;  // where the bytes go is not looked into
    return;
  }
  if (access.space == ptx::Space::kParam && !inst.depot) return;  // the arguments, which nobody changes
  ptx::Warp& warp = const_cast<ptx::Warp&>(*slot.stream->as_ptx());
  if (!tracked.slice.looks.empty() && tracked.slice.looks[tracked.pc]) note_read(tracked, warp, access);
  if (access.store || access.atomic) note_write(tracked, warp, access);
}

const unsigned char* SpinProbe::place(ptx::Warp& warp, const ptx::MemoryAccess& access, unsigned lane) const {
  const std::uint64_t address = access.address[lane];
  const std::byte* at = nullptr;
  if (access.shared_lanes >> lane & 1 || (access.lanes >> lane & 1 && access.space == ptx::Space::kShared)) {
    at = warp.cta().shared_data() + address;
  } else if (!(access.lanes >> lane & 1)) {
    return nullptr;
  } else if (access.space == ptx::Space::kLocal || access.space == ptx::Space::kParam) {
    at = warp.depot_data() + lane * std::size_t{warp.depot_stride()} + address;
  } else {
    at = memory_.at(address);
  }
  return reinterpret_cast<const unsigned char*>(at);
}

void SpinProbe::note_read(Tracked& tracked, ptx::Warp& warp, const ptx::MemoryAccess& access) {
  const Inst& inst = *tracked.inst;
  const unsigned elements = std::max<unsigned>(inst.vector, 1), bytes = access.bytes / elements;
  bool first = true;
  for (unsigned lane = 0; lane < kWarpSize; ++lane) {
    const unsigned char* const at = place(warp, access, lane);
    if (at == nullptr) continue;
    for (unsigned k = 0; k < elements; ++k) {
      if (inst.dst[k].kind != OperandKind::kReg) continue;
      // Not memory as it is now: others may have written at this very edge, after the load.
      const std::uint64_t seen = value_of(warp, inst.dst[k], inst.wide >> k & 1, lane);
      switch (looked_at_.see(at + std::size_t{k} * bytes, bytes, seen)) {
        case LookedAt::Sight::kKnown:
          break;
        case LookedAt::Sight::kNew:
          void_before_ = time_;
          break;
        case LookedAt::Sight::kOther:
          moved_ = true;
          return;
      }
      if (!first) continue;
      first = false;
      const std::uint64_t mask = bytes < 8 ? (std::uint64_t{1} << 8 * bytes) - 1 : ~std::uint64_t{0};
      const bool shared = access.shared_lanes >> lane & 1;
      tracked.look = {
          &inst,       tracked.pc, shared ? ptx::Space::kShared : access.space, access.address[lane],
          seen & mask, bytes};
    }
  }
  if (looked_at_.words() > LookedAt::kMostWords) gave_up_ = true;
}

void SpinProbe::note_write(const Tracked& tracked, ptx::Warp& warp, const ptx::MemoryAccess& access) {
  const Inst& inst = *tracked.inst;
  const unsigned elements = std::max<unsigned>(inst.vector, 1), bytes = access.bytes / elements;
  const auto disagree = [&](const unsigned char* at, std::uint64_t value) {
    if (!looked_at_.agrees(at, bytes, value)) moved_ = true;
  };
  for (unsigned lane = 0; lane < kWarpSize; ++lane) {
    const unsigned char* at = place(warp, access, lane);
    if (at == nullptr) continue;
    for (unsigned k = 0; k < elements; ++k, at += bytes) {
      if (!looked_at_.covers(at, bytes)) continue;
      for (unsigned i = 1; i < inst.src_count; ++i)
        if ((inst.is_atomic || i == k + 1) && telling_.insert(&inst.source(i)).second) {
          ++version_;
          void_before_ = time_;
        }
      std::uint64_t after = 0;
      std::memcpy(&after, at, bytes);
      disagree(at, after);
      // What was written and overwritten at the same edge, some of these warps may see another time.
      const bool has_old = inst.is_atomic && k < inst.dst_count && inst.dst[k].kind == OperandKind::kReg;
      if (!inst.is_atomic) {
        const ptx::Operand& from = inst.source(1 + k);
        disagree(at, value_of(warp, from, inst.wide >> (ptx::kMaxDst + 1 + k) & 1, lane));
      } else if (has_old) {
        disagree(at, value_of(warp, inst.dst[k], inst.wide >> k & 1, lane));
      } else {
        auto& [edge, who] = reduced_[at];
        if (who != nullptr && who != &warp && edge == tracked.issued_at) moved_ = true;
        edge = tracked.issued_at;
        who = &warp;
      }
    }
  }
}

// ---- What follows

bool SpinProbe::waits_at_barrier(const WarpSlot& slot, const Tracked& tracked, std::uint64_t since) const {
  if (slot.state != WarpState::kBarrier || tracked.issued >= since || !slot.stream->as_ptx()) return false;
  ptx::Warp& warp = const_cast<ptx::Warp&>(*slot.stream->as_ptx());
  const unsigned barrier = warp.last_arrival().id;
  if (!(warp.cta().barrier(barrier).waiting >> warp.index() & 1)) return false;  // let go
  return std::none_of(arrivals_.begin(), arrivals_.end(), [&](const Arrival& a) {
    return a.cta == &warp.cta() && a.barrier == barrier && a.when >= since;
  });
}

SpinProbe::Finding SpinProbe::finding(Cycle patient_since) {
  if (moved_) return Finding::kMoves;
  if (gave_up_) return Finding::kGaveUp;
  std::uint64_t since = ~std::uint64_t{0};  // all rounds lie within the time from here on
  for (const auto& sm : warps_)
    for (const Tracked& tracked : sm)
      if (goes_round(tracked)) since = std::min(since, tracked.round_began);
  if (~since == 0) return Finding::kLooking;
  for (std::size_t sm = 0; sm < sms_.size(); ++sm) {
    const std::vector<WarpSlot*>& slots = sms_[sm]->warps()->slots();
    for (std::size_t i = 0; i < slots.size(); ++i) {
      const Tracked& tracked = warps_[sm][i];
      if (slots[i]->copies_in_flight != 0 && slots[i]->copied >= patient_since) return Finding::kLooking;
      if (slots[i]->state == WarpState::kFree || goes_round(tracked)) continue;
      if (waits_at_barrier(*slots[i], tracked, since)) continue;
      if (tracked.issued_at < patient_since && awaits_memory(slots[i]->state)) continue;
      return Finding::kLooking;
    }
  }
  if (!looked_at_.stands()) {  // somebody else has written there
    moved_ = true;
    return Finding::kMoves;
  }
  return Finding::kSpins;
}

std::string SpinProbe::describe_round(unsigned sm, const WarpSlot& slot, const Tracked& tracked) const {
  const ptx::Warp& warp = *slot.stream->as_ptx();
  const ptx::Program& program = warp.cta().program();
  const ptx::Dim3 cta = warp.cta().id();
  std::string text =
      fmt::format("  SM {} kernel {} CTA ({},{},{}) warp {}: since cycle {} it repeats {} instruction{}", sm,
                  program.name, cta.x, cta.y, cta.z, warp.index(), tracked.round_began_at,
                  tracked.round_steps, tracked.round_steps == 1 ? "" : "s");
  const Look& look = tracked.look;
  if (look.inst == nullptr) return text + ", at " + program.locate(warp.pc()) + "\n";
  const char* const where = look.space == ptx::Space::kShared  ? "shared memory "
                            : look.space == ptx::Space::kLocal ? "local memory "
                            : look.space == ptx::Space::kParam ? "parameters "
                                                               : "";
  return text + fmt::format(" and sees {:#x} at {}{:#x}, {}\n", look.value, where, look.address,
                            program.locate(look.pc));
}

std::string SpinProbe::proof(unsigned at_most) const {
  std::string rounds, waits;
  unsigned going = 0, at_barriers = 0, for_memory = 0;
  for (std::size_t sm = 0; sm < sms_.size(); ++sm) {
    const std::vector<WarpSlot*>& slots = sms_[sm]->warps()->slots();
    for (std::size_t i = 0; i < slots.size(); ++i) {
      const WarpSlot& slot = *slots[i];
      if (slot.state == WarpState::kFree) continue;
      const Tracked& tracked = warps_[sm][i];
      if (goes_round(tracked)) {
        if (++going <= at_most) rounds += describe_round(static_cast<unsigned>(sm), slot, tracked);
      } else if (slot.state != WarpState::kBarrier) {
        ++for_memory;
      } else if (++at_barriers <= at_most) {
        const ptx::Warp& warp = *slot.stream->as_ptx();
        const ptx::Dim3 cta = warp.cta().id();
        const unsigned number = warp.last_arrival().id;
        const ptx::BarrierState& barrier = warp.cta().barrier(number);
        waits += fmt::format("  SM {} kernel {} CTA ({},{},{}) warp {}: barrier {} has {} of {} threads\n",
                             sm, warp.cta().program().name, cta.x, cta.y, cta.z, warp.index(), number,
                             barrier.arrived, barrier.expected);
      }
    }
  }
  std::string text = fmt::format("{} warp{} go{} round, {} wait at barriers", going, going == 1 ? "" : "s",
                                 going == 1 ? "es" : "", at_barriers);
  if (for_memory != 0) text += fmt::format(", {} wait for memory that does not answer", for_memory);
  text += fmt::format("; they look at {} word{} of memory, which nobody changes:\n", looked_at_.words(),
                      looked_at_.words() == 1 ? "" : "s");
  text += rounds;
  if (going > at_most) text += fmt::format("  ... and {} further warps that go round\n", going - at_most);
  text += waits;
  if (at_barriers > at_most)
    text += fmt::format("  ... and {} further warps at barriers\n", at_barriers - at_most);
  return text;
}

}  // namespace warpvp
