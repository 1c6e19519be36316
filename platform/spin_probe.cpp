#include "platform/spin_probe.h"

#include <algorithm>
#include <cstring>

#include "ptx/exec/warp.h"

namespace warpvp {

namespace {
/// Whoever writes to more places than this does not wait for a lock.
constexpr std::size_t kMostPlaces = 1 << 18;
}  // namespace

/// One SM's issues, passed on to the probe and to the observer that was there before.
class SpinProbe::Watch : public PassingObserver {
 public:
  Watch(SpinProbe& probe, WarpView& sm, unsigned index)
      : PassingObserver(sm.issue_observer()), probe_(probe), sm_(sm), index_(index) {
    sm_.observe_issue(this);
  }
  ~Watch() override { sm_.observe_issue(next()); }

  void issued(Cycle now, const WarpSlot& slot, ptx::Pc pc, const ptx::Inst* inst) override {
    PassingObserver::issued(now, slot, pc, inst);
    if (inst) probe_.issued(index_, slot, pc, *inst);
  }
  void cta_started(Cycle now, const CtaLaunch& cta, const ptx::Program& program,
                   const std::vector<std::uint16_t>& slots) override {
    PassingObserver::cta_started(now, cta, program, slots);
    probe_.moved_ = true;
  }
  void memory_issued(const WarpSlot& slot, const ptx::MemoryAccess& access, std::uint32_t token) override {
    PassingObserver::memory_issued(slot, access, token);
    probe_.memory_issued(slot, access);
  }
  void cta_finished(Cycle now, const CtaLaunch& cta) override {
    PassingObserver::cta_finished(now, cta);
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

SpinProbe::Finding SpinProbe::finding(bool patient) const {
  if (moved_) return Finding::kMoves;
  if (gave_up_) return Finding::kGaveUp;
  bool any = false;
  for (std::size_t sm = 0; sm < sms_.size(); ++sm) {
    const std::vector<WarpSlot*>& slots = sms_[sm]->warps()->slots();
    for (std::size_t i = 0; i < slots.size(); ++i) {
      if (slots[i]->state == WarpState::kFree) continue;
      const Tracked& tracked = warps_[sm][i];
      any = true;
      if (tracked.steps == 0 && (patient || slots[i]->state == WarpState::kBarrier)) continue;
      if (!tracked.spins || tracked.epoch != epoch_) return Finding::kLooking;
    }
  }
  return any ? Finding::kSpins : Finding::kLooking;
}

void SpinProbe::issued(unsigned sm, const WarpSlot& slot, ptx::Pc pc, const ptx::Inst& inst) {
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
  if (tracked.epoch != epoch_) {
    const std::uint64_t steps = tracked.steps;
    tracked = Tracked{};
    tracked.epoch = epoch_;
    tracked.steps = steps;
    tracked.next_reference = steps + 1;
  }
  const ptx::Program& program = warp.cta().program();
  if (program.frames_grow()) {  // registers in frames that come and go
    gave_up_ = true;
    return;
  }
  ++tracked.steps;
  if (tracked.spins) return;
  if (!tracked.executed.empty() && !tracked.executed[pc]) {
    tracked.executed[pc] = true;
    tracked.sliced = false;
  }
  if (!tracked.executed.empty() && warp.pc() == tracked.pc && warp.active() == tracked.active &&
      warp.row_base() == tracked.row_base && warp.pred_base() == tracked.pred_base &&
      same_state(tracked, warp)) {
    ++tracked.repeats;
    tracked.spins = warp.active() == warp.live() || tracked.repeats > sms_[sm]->warps()->switch_after();
    if (tracked.spins) return;
  }
  if (tracked.steps >= tracked.next_reference) {
    tracked.next_reference = 2 * tracked.steps;
    tracked.repeats = 0;
    tracked.executed.assign(program.code.size(), false);
    tracked.sliced = false;
    take_reference(tracked, warp);
  }
  if (tracked.steps > budget_) gave_up_ = true;
}

void SpinProbe::take_reference(Tracked& tracked, ptx::Warp& warp) {
  const ptx::Program& program = warp.cta().program();
  tracked.pc = warp.pc();
  tracked.active = warp.active();
  tracked.row_base = warp.row_base();
  tracked.pred_base = warp.pred_base();
  const unsigned rows = program.rows - tracked.row_base, preds = program.preds - tracked.pred_base;
  tracked.rows.assign(warp.row(0), warp.row(0) + std::size_t{rows} * ptx::kWarpSize);
  tracked.preds.clear();
  for (unsigned p = 0; p < preds; ++p) tracked.preds.push_back(warp.pred(p));
}

bool SpinProbe::same_state(Tracked& tracked, ptx::Warp& warp) {
  const LoopSlice& slice = tracked.slice;
  if (!tracked.sliced) tracked.slice = loop_slice(warp.cta().program(), tracked.executed);
  tracked.sliced = true;
  if (slice.opaque) return false;
  for (std::size_t row = 0; row * ptx::kWarpSize < tracked.rows.size(); ++row)
    if (slice.rows[row] && std::memcmp(warp.row(static_cast<unsigned>(row)),
                                       tracked.rows.data() + row * ptx::kWarpSize, ptx::kWarpSize * 4) != 0)
      return false;
  for (std::size_t p = 0; p < tracked.preds.size(); ++p)
    if (slice.preds[p] && warp.pred(static_cast<unsigned>(p)) != tracked.preds[p]) return false;
  return true;
}

void SpinProbe::memory_issued(const WarpSlot& slot, const ptx::MemoryAccess& access) {
  if (moved_ || gave_up_ || !(access.store || access.atomic || access.async)) return;
  if (!slot.stream->as_ptx()) return;
  ptx::Warp& warp = const_cast<ptx::Warp&>(*slot.stream->as_ptx());
  if (access.async) {
    moved_ = true;  // not looked into; said to be of use
    return;
  }
  if (access.space == ptx::Space::kParam)
    return;  // for a function that is called: the loop's slice is opaque
  for (unsigned lane = 0; lane < ptx::kWarpSize; ++lane) {
    const std::uint64_t address = access.address[lane];
    if (access.shared_lanes >> lane & 1 ||
        (access.lanes >> lane & 1 && access.space == ptx::Space::kShared)) {
      note_write(warp.cta().shared_data() + address, access.bytes);
    } else if (!(access.lanes >> lane & 1)) {
      continue;
    } else if (access.space == ptx::Space::kLocal) {
      note_write(warp.depot_data() + lane * std::size_t{warp.depot_stride()} + address, access.bytes, true);
    } else {
      note_write(memory_.at(address), access.bytes);
    }
  }
}

void SpinProbe::note_write(const void* place, unsigned bytes, bool own) {
  const auto* from = static_cast<const unsigned char*>(place);
  for (unsigned done = 0; done < bytes; done += 8) {
    std::uint64_t value = 0;
    std::memcpy(&value, from + done, bytes - done < 8 ? bytes - done : 8);
    const auto [entry, fresh] = written_.emplace(from + done, value);
    if (fresh) {
      ++epoch_;
      gave_up_ = gave_up_ || written_.size() > kMostPlaces;
    } else if (entry->second != value) {
      // What a thread notes for itself is no effect, but no state that comes again either.
      (own ? gave_up_ : moved_) = true;
    }
  }
}

}  // namespace warpvp
