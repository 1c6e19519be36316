#include <algorithm>
#include <cstring>

#include "ptx/exec/barrier_ops.h"
#include "ptx/exec/control_flow.h"

namespace warpvp::ptx {

void ControlFlow::push_running(Warp& w) {
  w.stack_.push_back(
      {w.pc_, w.reconverge_, w.active_, w.row_base_, w.pred_base_, w.depot_base_, w.call_depth_});
}

void ControlFlow::resume(Warp& w, std::size_t entry) {
  const Warp::Entry& e = w.stack_[entry];
  w.pc_ = e.pc;
  w.reconverge_ = e.reconverge;
  w.active_ = e.mask;
  w.row_base_ = e.row_base;
  w.pred_base_ = e.pred_base;
  w.depot_base_ = e.depot_base;
  w.call_depth_ = e.call_depth;
  w.stack_.erase(w.stack_.begin() + static_cast<std::ptrdiff_t>(entry));
}

void ControlFlow::park(Warp& w) {
  ++w.pc_;
  push_running(w);
  pop(w);
}

void ControlFlow::check_parked(Warp& w) {
  if ((w.parked_ & w.active_) == 0) return;
  if ((w.live_ & ~w.parked_) == 0) return BarrierOps::arrive_parked(w);
  // A group none of whose lanes has arrived yet runs first; continuations always hold lanes that have.
  for (std::size_t i = w.stack_.size(); i-- > 0;) {
    if (w.stack_[i].mask == 0 || (w.stack_[i].mask & w.parked_) != 0 ||
        w.stack_[i].pc == w.stack_[i].reconverge)
      continue;
    const Warp::Entry next = w.stack_[i];
    w.stack_.erase(w.stack_.begin() + static_cast<std::ptrdiff_t>(i));
    push_running(w);
    w.stack_.push_back(next);
    return resume(w, w.stack_.size() - 1);
  }
  w.fault("barrier in divergent code that some threads of the warp do not reach",
          __builtin_ctz(w.live_ & ~w.parked_));
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
  if (w.parked_ != 0) check_parked(w);
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
      if (lanes == w.active_) return jump(w, inst.target);
      if (lanes == 0) return jump(w, w.pc_ + 1);
      const Pc targets[2] = {w.pc_ + 1, inst.target};
      const LaneMask masks[2] = {w.active_ & ~lanes, lanes};
      return split(w, targets, masks, 2, inst.reconverge);
    }
    case Opcode::brx:
      return indexed_branch(w, inst, lanes);
    case Opcode::call:
      return call(w, inst, lanes);
    default:
      return w.call_depth_ == 0 ? exit(w, lanes) : ret(w, lanes);
  }
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

void ControlFlow::grow(Warp& w) {
  const Program& program = w.cta_->program();
  const std::size_t rows = w.row_base_ + std::size_t{program.rows};
  if (rows > w.row_capacity_) {
    const std::size_t capacity = rows * 2;
    const std::size_t slack = 16;
    std::vector<std::uint32_t> storage(capacity * kWarpSize + slack);
    auto address = reinterpret_cast<std::uintptr_t>(storage.data());
    std::uint32_t* base = storage.data() + ((64 - address % 64) % 64) / sizeof(std::uint32_t);
    std::memcpy(base, w.regs_, w.row_capacity_ * kWarpSize * sizeof(std::uint32_t));
    w.reg_storage_.swap(storage);
    w.regs_ = base;
    w.row_capacity_ = capacity;
  }
  // Predicates and depots are of lanes: frames of different lanes may lie at the same place.
  if (!program.recursive) return;
  const std::size_t preds = w.pred_base_ + std::size_t{program.preds};
  if (preds > w.pred_capacity_) {
    w.pred_capacity_ = preds * 2;
    w.pred_storage_.resize(w.pred_capacity_ + 1);
    w.preds_ = w.pred_storage_.data();
  }
  // Twice: the parameters of the next recursive call lie behind this frame.
  const std::size_t depot = w.depot_base_ + std::size_t{2} * program.depot_bytes;
  if (depot > w.depot_stride_) {
    const std::size_t stride = (depot * 2 + 15) & ~std::size_t{15};
    std::vector<std::byte> storage(stride * kWarpSize);
    for (unsigned lane = 0; lane < kWarpSize; ++lane) {
      if (w.depot_stride_ == 0) break;
      std::memcpy(storage.data() + lane * stride, w.depot_ + lane * std::size_t{w.depot_stride_},
                  w.depot_stride_);
    }
    w.depot_storage_.swap(storage);
    w.depot_ = w.depot_storage_.data();
    w.depot_stride_ = static_cast<unsigned>(stride);
  }
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
  // Callees of one call, and of calls from both sides of a branch, share rows: each lane has a column of its
  // own, and a callee runs to its end before the next begins, so what a 64-bit register of one spills into
  // the columns of lanes of the other (see Row in ptx/regalloc.cpp) is dead. Not so when lanes wait at a
  // barrier inside a callee while others run: then every frame gets rows that no other group has.
  const Program& program = w.cta_->program();
  std::uint32_t row_base = w.row_base_ + inst.frame_rows, distance = 0;
  if (program.parks_lanes) {
    std::uint32_t highest = w.row_base_;
    for (const Warp::Entry& e : w.stack_) {
      if (e.mask != 0) highest = std::max(highest, e.row_base);
    }
    row_base = highest + program.frame_rows;
    distance = program.frame_rows;
  }
  w.pred_base_ += inst.frame_preds;
  w.depot_base_ += inst.frame_param_bytes;
  ++w.call_depth_;
  w.reconverge_ = kNoPc;
  w.row_base_ = row_base + (count - 1) * distance;
  if (program.frames_grow()) grow(w);
  for (unsigned i = 0; i < count; ++i) {
    w.row_base_ = row_base + i * distance;
    w.pc_ = targets[i];
    w.active_ = masks[i];
    push_running(w);
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
  if (w.active_ == 0 || w.pc_ == w.reconverge_) pop(w);
}

}  // namespace warpvp::ptx
