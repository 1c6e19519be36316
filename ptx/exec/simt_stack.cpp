#include <cstring>

#include "ptx/exec/barrier_ops.h"
#include "ptx/exec/call_frames.h"
#include "ptx/exec/control_flow.h"
#include "ptx/exec/warp_sync.h"
#include "ptx/loops.h"

namespace warpvp::ptx {

void ControlFlow::push_running(Warp& w) {
  w.stack_.push_back({w.pc_, w.reconverge_, w.active_, w.row_base_, w.pred_base_, w.depot_base_,
                      w.call_depth_, false, w.loop_units_});
}

void ControlFlow::load(Warp& w, const Warp::Entry& e) {
  w.pc_ = e.pc;
  w.reconverge_ = e.reconverge;
  w.active_ = e.mask;
  w.row_base_ = e.row_base;
  w.pred_base_ = e.pred_base;
  w.depot_base_ = e.depot_base;
  w.call_depth_ = e.call_depth;
}

void ControlFlow::resume(Warp& w, std::size_t entry) {
  const Warp::Entry e = w.stack_[entry];
  load(w, e);
  w.stack_.erase(w.stack_.begin() + static_cast<std::ptrdiff_t>(entry));
  if (!e.fresh) return;
  w.row_base_ = CallFrames::place(w, e.row_base);
  CallFrames::grow(w);
}

void ControlFlow::take(Warp& w, std::size_t entry, LaneMask lanes) {
  Warp::Entry& e = w.stack_[entry];
  if (lanes == e.mask) return resume(w, entry);
  load(w, e);
  w.active_ = lanes;
  e.mask &= ~lanes;
  e.since = w.loop_units_;
}

void ControlFlow::join(Warp& w) {
  LaneMask covered = w.active_;
  for (std::size_t i = w.stack_.size(); i-- > 0;) {
    const Warp::Entry& e = w.stack_[i];
    if (e.pc == e.reconverge) continue;
    const bool whole = (e.mask & covered) == 0 && (e.mask & (w.waiting_ | w.parked_)) == 0;
    covered |= e.mask;
    if (!whole || e.fresh || e.pc != w.pc_ || e.reconverge != w.reconverge_ || e.row_base != w.row_base_ ||
        e.pred_base != w.pred_base_ || e.depot_base != w.depot_base_ || e.call_depth != w.call_depth_)
      continue;
    w.active_ |= e.mask;
    w.stack_.erase(w.stack_.begin() + static_cast<std::ptrdiff_t>(i));
  }
}

template <class Body>
void ControlFlow::each_waiting(Warp& w, Body body) {
  LaneMask covered = w.active_;
  for (std::size_t i = w.stack_.size(); i-- > 0;) {
    const Warp::Entry& e = w.stack_[i];
    // Lanes at their reconvergence point are where the entry below has them.
    if (e.pc == e.reconverge) continue;
    const LaneMask here = e.mask & ~covered;
    covered |= e.mask;
    if (here != 0 && body(i, here)) return;
  }
}

void ControlFlow::release(Warp& w, LaneMask lanes) {
  each_waiting(w, [&](std::size_t i, LaneMask here) {
    if ((here & lanes) != 0) {
      ++w.stack_[i].pc;
      w.stack_[i].since = w.loop_units_;
    }
    return false;
  });
}

bool ControlFlow::resume_ready(Warp& w) {
  const bool splits = w.cta_->env().divergence.independent_threads;
  const LaneMask blocked = w.waiting_ | w.parked_;
  bool found = false;
  each_waiting(w, [&](std::size_t i, LaneMask here) {
    if ((here & blocked) != 0 || (!splits && here != w.stack_[i].mask)) return false;
    take(w, i, here);
    return found = true;
  });
  return found;
}

void ControlFlow::resume_other(Warp& w) {
  w.active_ = 0;
  if (resume_ready(w)) return;
  if (w.parked_ != 0 && w.parked_ == w.live_) {
    BarrierOps::arrive_parked(w);
    pop(w);
    if (w.cta_->env().divergence.independent_threads && !w.exited_) join(w);
    return;
  }
  if (w.waiting_ != 0) return WarpSync::report_deadlock(w);
  w.fault("barrier in divergent code that some threads of the warp do not reach",
          __builtin_ctz(w.live_ & ~w.parked_));
}

void ControlFlow::set_aside(Warp& w, LaneMask lanes) {
  const LaneMask rest = w.active_ & ~lanes;
  w.active_ = lanes;
  push_running(w);
  w.active_ = rest;
}

void ControlFlow::park(Warp& w, LaneMask lanes) {
  set_aside(w, lanes);
  ++w.pc_;
  if (w.active_ == 0) return resume_other(w);
  if (w.pc_ == w.reconverge_) pop(w);
}

void ControlFlow::pop(Warp& w) {
  do {
    if (w.stack_.empty()) {
      // The bottom group has no reconvergence point, so it can only be here because no lane is left.
      w.active_ = 0;
      w.exited_ = true;
      w.cta_->warp_exited(w);
      return;
    }
    resume(w, w.stack_.size() - 1);
  } while (w.active_ == 0 || w.pc_ == w.reconverge_);
  if ((w.active_ & (w.waiting_ | w.parked_)) == 0) return;
  push_running(w);
  resume_other(w);
}

void ControlFlow::count(Warp& w, std::uint64_t units) {
  w.loop_units_ += units;
  if (w.loop_units_ < w.look_at_) return;
  const std::uint64_t limit = std::uint64_t{w.cta_->env().divergence.switch_after} * kWaitingUnits;
  const LaneMask blocked = w.waiting_ | w.parked_;
  std::size_t oldest = w.stack_.size();
  LaneMask lanes = 0;
  each_waiting(w, [&](std::size_t i, LaneMask here) {
    if ((here & blocked) == 0 && (lanes == 0 || w.stack_[i].since < w.stack_[oldest].since)) {
      oldest = i;
      lanes = here;
    }
    return false;
  });
  // Who begins to wait later has its turn later.
  w.look_at_ = (lanes == 0 ? w.loop_units_ : w.stack_[oldest].since) + limit;
  if (w.loop_units_ < w.look_at_) return;
  push_running(w);
  take(w, oldest, lanes);
  join(w);
  ++w.cta_->env().group_switches;
}

void ControlFlow::yield(Warp& w) {
  if (w.stack_.empty()) return;
  count(w, std::uint64_t{w.cta_->env().divergence.switch_after} * kWaitingUnits);
}

void ControlFlow::split(Warp& w, const Pc* targets, const LaneMask* masks, unsigned count, Pc reconverge) {
  // Without a common post-dominator (some path ends in exit or ret) there is nothing to wait for; and when
  // the group already reconverges there, the waiting group below is the continuation.
  if (reconverge != kNoPc && reconverge != w.reconverge_) {
    w.pc_ = reconverge;
    push_running(w);
  }
  if (reconverge == kNoPc) reconverge = w.reconverge_;
  w.reconverge_ = reconverge;
  for (unsigned i = 0; i < count; ++i) {
    if (targets[i] == reconverge) continue;
    w.pc_ = targets[i];
    w.active_ = masks[i];
    push_running(w);
  }
  pop(w);
}

void ControlFlow::branch(Warp& w, const Inst& inst, LaneMask lanes) {
  switch (inst.opcode) {
    case Opcode::bra: {
      if (lanes == 0) return jump(w, w.pc_ + 1);
      if (lanes == w.active_) {
        jump(w, inst.target);
      } else {
        const Pc targets[2] = {w.pc_ + 1, inst.target};
        const LaneMask masks[2] = {w.active_ & ~lanes, lanes};
        split(w, targets, masks, 2, inst.reconverge);
      }
      break;
    }
    case Opcode::brx:
      indexed_branch(w, inst, lanes);
      break;
    case Opcode::call:
      return call(w, inst, lanes);
    default:
      return w.call_depth_ == 0 ? exit(w, lanes) : ret(w, lanes);
  }
  if (inst.loop_units != 0 && !w.stack_.empty() && !w.faulted_) count(w, inst.loop_units);
}

void ControlFlow::indexed_branch(Warp& w, const Inst& inst, LaneMask lanes) {
  const std::vector<Pc>& table = w.cta_->program().branch_tables[inst.table];
  const std::uint32_t* index = w.source(inst.src[0]);
  Pc targets[kWarpSize + 1];
  LaneMask masks[kWarpSize + 1];
  unsigned count = 0;
  if (lanes != w.active_) {
    targets[count] = w.pc_ + 1;
    masks[count++] = w.active_ & ~lanes;
  }
  for (LaneMask rest = lanes; rest != 0;) {
    const unsigned lane = static_cast<unsigned>(__builtin_ctz(rest));
    if (index[lane] >= table.size()) {
      return w.fault("brx.idx with an index beyond its table of targets", static_cast<int>(lane));
    }
    const Pc target = table[index[lane]];
    LaneMask same = 0;
    for (LaneMask m = rest; m != 0; m &= m - 1) {
      const unsigned other = static_cast<unsigned>(__builtin_ctz(m));
      if (index[other] < table.size() && table[index[other]] == target) same |= 1u << other;
    }
    targets[count] = target;
    masks[count++] = same;
    rest &= ~same;
  }
  if (count == 1) return jump(w, targets[0]);
  split(w, targets, masks, count, inst.reconverge);
}

void ControlFlow::call(Warp& w, const Inst& inst, LaneMask lanes) {
  if (lanes == 0) return jump(w, w.pc_ + 1);
  Pc targets[kWarpSize];
  LaneMask masks[kWarpSize];
  unsigned count = 0;
  if (inst.src[0].kind == OperandKind::kNone) {
    targets[count] = inst.target;
    masks[count++] = lanes;
  } else {
    const std::vector<Pc>& functions = w.cta_->program().functions;
    const std::uint32_t* row = w.source(inst.src[0]);
    const bool wide = (inst.wide >> kMaxDst) & 1;
    for (LaneMask m = lanes; m != 0; m &= m - 1) {
      const unsigned lane = static_cast<unsigned>(__builtin_ctz(m));
      std::uint64_t address = row[lane];
      if (wide) std::memcpy(&address, reinterpret_cast<const char*>(row) + lane * 8, 8);
      const std::uint64_t number = (address - kFunctionWindow) / 16;
      if (address < kFunctionWindow || address % 16 != 0 || number >= functions.size() ||
          functions[number] == kNoPc) {
        return w.fault("indirect call of an address that is no function of this kernel",
                       static_cast<int>(lane), address, 0);
      }
      const Pc target = functions[number];
      unsigned i = 0;
      while (i < count && targets[i] != target) ++i;
      if (i == count) {
        targets[count] = target;
        masks[count++] = 0;
      }
      masks[i] |= 1u << lane;
    }
  }
  if (w.call_depth_ >= Warp::kMaxCallDepth) {
    return w.fault("call stack overflow: recursion deeper than 1024 calls", __builtin_ctz(lanes));
  }
  // The caller's group waits behind the call, with the lanes the guard kept from calling.
  ++w.pc_;
  push_running(w);
  w.pred_base_ += inst.frame_preds;
  w.depot_base_ += inst.frame_param_bytes;
  ++w.call_depth_;
  w.reconverge_ = kNoPc;
  w.row_base_ = CallFrames::place(w, w.row_base_ + inst.frame_rows);
  CallFrames::grow(w);
  for (unsigned i = 0; i < count; ++i) {
    w.pc_ = targets[i];
    w.active_ = masks[i];
    push_running(w);
    w.stack_.back().fresh = i + 1 < count;
  }
  pop(w);
}

void ControlFlow::ret(Warp& w, LaneMask lanes) {
  ++w.pc_;
  // A lane is in one frame of each depth, so this takes it out of the frame it returns from.
  for (Warp::Entry& e : w.stack_) {
    if (e.call_depth == w.call_depth_) e.mask &= ~lanes;
  }
  w.active_ &= ~lanes;
  if (w.active_ == 0 || w.pc_ == w.reconverge_) pop(w);
}

void ControlFlow::exit(Warp& w, LaneMask lanes) {
  w.live_ &= ~lanes;
  for (Warp::Entry& e : w.stack_) e.mask &= ~lanes;
  w.active_ &= ~lanes;
  ++w.pc_;
  if (w.waiting_ != 0) WarpSync::lanes_exited(w);
  if (!w.partial_arrivals_.empty()) BarrierOps::lanes_exited(w);
  if (w.active_ == 0 || w.pc_ == w.reconverge_) pop(w);
}

}  // namespace warpvp::ptx
