#include "ptx/exec/warp_sync.h"

#include <fmt/format.h>

#include <cstring>

#include "ptx/exec/control_flow.h"

namespace warpvp::ptx {

namespace {

/// The member mask is the only operand of bar.warp.sync and the last of all others.
const Operand& mask_operand(const Inst& inst) {
  return inst.opcode == Opcode::bar ? inst.src[0] : inst.src[inst.src_count - 1];
}

bool same_operation(const Inst& a, const Inst& b) {
  return a.opcode == b.opcode && a.exec == b.exec && a.aux == b.aux;
}

bool is_wide(const Inst& inst, unsigned bit) { return (inst.wide >> bit) & 1; }

void copy_lanes(std::uint32_t* to, const std::uint32_t* from, LaneMask lanes, bool wide) {
  for (LaneMask m = lanes; m != 0; m &= m - 1) {
    const auto lane = static_cast<std::size_t>(__builtin_ctz(m));
    if (wide)
      std::memcpy(to + 2 * lane, from + 2 * lane, 8);
    else
      to[lane] = from[lane];
  }
}

void copy_lanes(LaneMask& to, LaneMask from, LaneMask lanes) { to = (to & ~lanes) | (from & lanes); }

}  // namespace

LaneMask WarpSync::arrived(const Warp& w, const Inst& inst, LaneMask members) {
  LaneMask lanes = 0;
  for (const Warp::Waiter& g : w.waiters_) {
    if (g.members == members && same_operation(*g.inst, inst)) lanes |= g.lanes;
  }
  return lanes;
}

/// Executes the instruction once for lanes that stand at different places: their operands come together in
/// rows of its own, the results go where each place wants them.
void WarpSync::exchange(Warp& w, const std::vector<Warp::Waiter>& groups) {
  constexpr unsigned kOperands = kMaxSrc + kMaxDst;
  alignas(64) std::uint32_t rows[kOperands * 2 * kWarpSize] = {};
  LaneMask preds[kOperands] = {};
  const auto row = [&](unsigned operand) { return rows + std::size_t{operand} * 2 * kWarpSize; };
  const auto place = [](Operand& o, const Operand& as, unsigned operand) {
    if (as.kind == OperandKind::kNone) return;
    const bool pred = as.kind == OperandKind::kPred;
    o = {pred ? OperandKind::kPred : OperandKind::kReg, false,
         static_cast<std::uint16_t>(pred ? operand : 2 * operand)};
  };
  Inst gathered = *groups.front().inst;
  LaneMask all = 0;
  for (const Warp::Waiter& g : groups) {
    all |= g.lanes;
    for (unsigned k = 0; k < gathered.src_count; ++k) {
      const Operand& o = g.inst->src[k];
      place(gathered.src[k], o, k);
      if (o.kind == OperandKind::kPred) {
        const LaneMask value = w.preds_[g.pred_base + o.index];
        copy_lanes(preds[k], o.negated ? ~value : value, g.lanes);
      } else if (o.kind != OperandKind::kNone) {
        const std::uint32_t* from = o.kind == OperandKind::kConst
                                        ? w.constants_ + o.index * std::size_t{kWarpSize}
                                        : w.regs_ + (g.row_base + o.index) * std::size_t{kWarpSize};
        copy_lanes(row(k), from, g.lanes, is_wide(*g.inst, kMaxDst + k));
      }
    }
    for (unsigned k = 0; k < kMaxDst; ++k) place(gathered.dst[k], g.inst->dst[k], kMaxSrc + k);
  }

  std::uint32_t* const regs = w.regs_;
  LaneMask* const all_preds = w.preds_;
  const unsigned row_base = w.row_base_, pred_base = w.pred_base_;
  w.regs_ = rows;
  w.preds_ = preds;
  w.row_base_ = w.pred_base_ = 0;
  gathered.exec(gathered, w, all);
  w.regs_ = regs;
  w.preds_ = all_preds;
  w.row_base_ = row_base;
  w.pred_base_ = pred_base;

  for (const Warp::Waiter& g : groups) {
    for (unsigned k = 0; k < kMaxDst; ++k) {
      const Operand& o = g.inst->dst[k];
      if (o.kind == OperandKind::kPred)
        copy_lanes(w.preds_[g.pred_base + o.index], preds[kMaxSrc + k], g.lanes);
      else if (o.kind == OperandKind::kReg)
        copy_lanes(w.regs_ + (g.row_base + o.index) * std::size_t{kWarpSize}, row(kMaxSrc + k), g.lanes,
                   is_wide(*g.inst, k));
    }
  }
}

/// All lanes of `members` have come to `inst`: those that waited go on, with the running group's `last` if
/// not null.
void WarpSync::complete(Warp& w, const Inst& inst, LaneMask members, const Warp::Waiter* last) {
  std::vector<Warp::Waiter> groups, others;
  LaneMask lanes = 0;
  for (const Warp::Waiter& g : w.waiters_) {
    const bool meets = g.members == members && same_operation(*g.inst, inst);
    (meets ? groups : others).push_back(g);
    if (meets) lanes |= g.lanes;
  }
  if (last != nullptr) groups.push_back(*last);
  exchange(w, groups);
  w.waiters_ = std::move(others);
  w.waiting_ &= ~lanes;
  ControlFlow::release(w, lanes);
}

bool WarpSync::arrive(Warp& w, const Inst& inst, LaneMask lanes) {
  const std::uint32_t* const masks = w.source(mask_operand(inst));
  const bool waits = w.cta_->env().divergence.independent_threads;
  LaneMask done = 0;
  Warp::Waiter waiting[kWarpSize], last[kWarpSize];
  unsigned waiting_count = 0, last_count = 0;
  for (LaneMask rest = lanes; rest != 0;) {
    const LaneMask members = masks[__builtin_ctz(rest)];
    LaneMask same = 0;
    for (LaneMask m = rest; m != 0; m &= m - 1) {
      const unsigned lane = static_cast<unsigned>(__builtin_ctz(m));
      if (masks[lane] == members) same |= 1u << lane;
    }
    rest &= ~same;
    LaneMask missing = members & w.live_ & ~same;
    if (missing == 0) {
      done |= same;
      continue;
    }
    if (!waits) {
      w.fault(inst.opcode == Opcode::bar
                  ? "bar.warp.sync whose mask names threads of the warp that are on another path"
                  : "instruction with a member mask that names threads of the warp that are on another path",
              __builtin_ctz(missing));
      return false;
    }
    // A lane outside its own mask is undefined in PTX: it waits for nobody.
    done |= same & ~members;
    same &= members;
    if (same == 0) continue;
    const Warp::Waiter group{&inst, w.pc_, same, members, w.row_base_, w.pred_base_};
    missing &= ~arrived(w, inst, members);
    (missing != 0 ? waiting[waiting_count++] : last[last_count++]) = group;
  }
  if (done != 0) inst.exec(inst, w, done);
  if (waiting_count == 0 && last_count == 0) return false;
  for (unsigned i = 0; i < last_count; ++i) complete(w, inst, last[i].members, &last[i]);
  for (unsigned i = 0; i < waiting_count; ++i) {
    w.waiters_.push_back(waiting[i]);
    w.waiting_ |= waiting[i].lanes;
    ControlFlow::set_aside(w, waiting[i].lanes);
  }
  ++w.pc_;
  if (w.active_ == 0) {
    ControlFlow::resume_other(w);
  } else if (w.pc_ == w.reconverge_) {
    ControlFlow::pop(w);
  } else {
    ControlFlow::join(w);
  }
  return true;
}

void WarpSync::lanes_exited(Warp& w) {
  for (std::size_t i = 0; i < w.waiters_.size();) {
    const Warp::Waiter g = w.waiters_[i];
    if ((g.members & w.live_ & ~arrived(w, *g.inst, g.members)) != 0) {
      ++i;
      continue;
    }
    complete(w, *g.inst, g.members, nullptr);
    i = 0;
  }
}

void WarpSync::report_deadlock(Warp& w) {
  const Warp::Waiter& first = w.waiters_.front();
  w.fault(first.inst->opcode == Opcode::bar
              ? "bar.warp.sync waits for threads of the warp that wait elsewhere"
              : "instruction with a member mask waits for threads of the warp that wait elsewhere",
          __builtin_ctz(first.lanes));
  ExecFault* f = w.cta_->env().fault;
  if (f == nullptr) return;
  f->pc = first.pc;
  const Program& program = w.cta_->program();
  for (const Warp::Waiter& g : w.waiters_) {
    f->detail += fmt::format("lanes {:#010x} of the warp wait for lanes {:#010x} at {}\n", g.lanes,
                             g.members & w.live_ & ~arrived(w, *g.inst, g.members), program.locate(g.pc));
  }
  if (w.parked_ != 0)
    f->detail +=
        fmt::format("lanes {:#010x} of the warp wait at barrier {} of the CTA\n", w.parked_, w.parked_id_);
}

}  // namespace warpvp::ptx
