#include "ptx/exec/barrier_ops.h"

#include <algorithm>

#include "ptx/exec/control_flow.h"

namespace warpvp::ptx {

namespace {

/// Value of an operand of the first executing lane; barrier numbers and counts are the same in the whole
/// warp.
std::uint32_t uniform(const Warp& w, const Operand& o, LaneMask lanes) {
  return w.source(o)[__builtin_ctz(lanes)];
}

}  // namespace

bool BarrierOps::operands(const Inst& inst, Warp& w, LaneMask lanes, unsigned& id, unsigned& threads) {
  const int lane = __builtin_ctz(lanes);
  const bool of_cluster = static_cast<BarOp>(inst.aux) == BarOp::cluster;
  id = of_cluster ? Cta::kClusterBarrier : uniform(w, inst.src[0], lanes);
  if (!of_cluster && id >= Cta::kClusterBarrier) {
    w.fault("barrier number above 15", lane);
    return false;
  }
  threads = 0;
  if (inst.src[1].kind != OperandKind::kNone) {
    threads = uniform(w, inst.src[1], lanes);
    if (threads == 0 || threads % kWarpSize != 0) {
      w.fault("barrier thread count is not a positive multiple of the warp size", lane);
      return false;
    }
  }
  const BarrierState& b = w.cta_->barrier(id);
  if (b.arrived != 0 && (b.whole_cta ? threads != 0 : threads != b.expected)) {
    w.fault("warps arrive at one barrier with different thread counts", lane);
    return false;
  }
  if ((b.waiting >> w.index()) & 1) {
    w.fault("warp arrives at a barrier it already waits at", lane);
    return false;
  }
  return true;
}

void BarrierOps::arrive(const Inst& inst, Warp& w, LaneMask lanes) {
  unsigned id, threads;
  if (!operands(inst, w, lanes, id, threads)) return;
  if (!counts_threads(inst, w) || (lanes == w.live_ && w.partial_arrivals_.empty())) {
    w.cta_->barrier_arrive(id, w, threads, false);
    return;
  }
  const auto mine = std::find_if(w.partial_arrivals_.begin(), w.partial_arrivals_.end(),
                                 [&](const Warp::PartialArrival& p) { return p.id == id; });
  if (mine == w.partial_arrivals_.end()) {
    w.partial_arrivals_.push_back({id, threads, lanes});
  } else {
    if ((mine->lanes & lanes) != 0 || mine->threads != threads) {
      w.fault(
          "threads arrive at a barrier again before the others of their warp, or with other thread counts",
          __builtin_ctz(lanes));
      return;
    }
    mine->lanes |= lanes;
  }
  lanes_exited(w);
}

void BarrierOps::lanes_exited(Warp& w) {
  for (std::size_t i = 0; i < w.partial_arrivals_.size();) {
    const Warp::PartialArrival p = w.partial_arrivals_[i];
    if (w.live_ == 0 || (w.live_ & ~p.lanes) != 0) {
      ++i;
      continue;
    }
    w.partial_arrivals_.erase(w.partial_arrivals_.begin() + static_cast<std::ptrdiff_t>(i));
    w.cta_->barrier_arrive(p.id, w, p.threads, false);
  }
}

bool BarrierOps::counts_threads(const Inst& inst, const Warp& w) {
  return inst.opcode == Opcode::barrier || w.cta_->env().divergence.independent_threads;
}

void BarrierOps::wait(const Inst& inst, Warp& w, LaneMask lanes, unsigned id, unsigned threads) {
  // Where threads are counted, lanes that diverged have to arrive too before the warp does; otherwise a group
  // that executes bar stands for its whole warp.
  const bool alone = counts_threads(inst, w) && lanes != w.live_;
  if (!alone && w.parked_ == 0) {
    if (w.cta_->barrier_arrive(id, w, threads, true)) w.blocked_ = true;
    return;
  }
  if (w.parked_ != 0 && (id != w.parked_id_ || threads != w.parked_threads_)) {
    w.fault("threads of one warp wait at different barriers", __builtin_ctz(lanes));
    return;
  }
  w.parked_ |= lanes;
  w.parked_id_ = id;
  w.parked_threads_ = threads;
}

void BarrierOps::arrive_parked(Warp& w) {
  ControlFlow::release(w, w.parked_);
  w.parked_ = 0;
  if (w.cta_->barrier_arrive(w.parked_id_, w, w.parked_threads_, true)) w.blocked_ = true;
}

void BarrierOps::sync(const Inst& inst, Warp& w, LaneMask lanes) {
  unsigned id, threads;
  if (operands(inst, w, lanes, id, threads)) wait(inst, w, lanes, id, threads);
}

void BarrierOps::reduce(const Inst& inst, Warp& w, LaneMask lanes) {
  unsigned id, threads;
  if (!operands(inst, w, lanes, id, threads)) return;
  BarrierState& b = w.cta_->barriers_[id];
  w.cta_->barriers_touched_ = true;
  const LaneMask value = w.pred_value(inst.src[2]) & lanes;
  b.reduction = true;
  b.popc += static_cast<std::uint32_t>(__builtin_popcount(value));
  b.all = b.all && value == lanes;
  b.any = b.any || value != 0;
  w.reductions_.push_back({&inst, lanes, w.row_base_, w.pred_base_});
  wait(inst, w, lanes, id, threads);
}

void BarrierOps::warp_sync(const Inst&, Warp&, LaneMask) {
  // Lanes that execute it together have nothing to wait for; those on different paths: warp_sync.h.
}

void BarrierOps::deliver(Warp& w, const BarrierState& b) {
  for (const Warp::Reduction& r : w.reductions_) {
    const Operand& dst = r.inst->dst[0];
    if (dst.kind == OperandKind::kReg) {
      std::uint32_t* d = w.regs_ + (r.row_base + dst.index) * std::size_t{kWarpSize};
      for (unsigned i = 0; i < kWarpSize; ++i) {
        if ((r.lanes >> i) & 1) d[i] = b.popc;
      }
    } else if (dst.kind == OperandKind::kPred) {
      const bool value = static_cast<BarOp>(r.inst->aux) == BarOp::red_and ? b.all : b.any;
      LaneMask& p = w.preds_[r.pred_base + dst.index];
      p = value ? p | r.lanes : p & ~r.lanes;
    }
  }
  w.reductions_.clear();
}

ExecFn BarrierOps::select(Inst& inst, const Modifiers& m) {
  inst.aux = static_cast<std::uint64_t>(m.bar);
  switch (m.bar) {
    case BarOp::sync:
    case BarOp::cluster:
      return &BarrierOps::sync;
    case BarOp::arrive:
      return inst.src[1].kind == OperandKind::kNone ? nullptr : &BarrierOps::arrive;
    case BarOp::red_popc:
      if (inst.dst[0].kind == OperandKind::kPred || inst.src[2].kind != OperandKind::kPred) return nullptr;
      return &BarrierOps::reduce;
    case BarOp::red_and:
    case BarOp::red_or:
      if (inst.dst[0].kind == OperandKind::kReg || inst.src[2].kind != OperandKind::kPred) return nullptr;
      return &BarrierOps::reduce;
    case BarOp::warp_sync:
      return &BarrierOps::warp_sync;
    case BarOp::kNone:
      break;
  }
  return nullptr;
}

}  // namespace warpvp::ptx
