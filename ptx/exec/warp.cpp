// The life of a warp and the per-instruction step. Control flow is in simt_stack.cpp.

#include "ptx/exec/warp.h"

#include <algorithm>
#include <cstring>

#include "ptx/exec/control_flow.h"
#include "ptx/exec/warp_sync.h"

namespace warpvp::ptx {

namespace {

constexpr std::size_t kRowAlignment = 64;  // bytes: one AVX-512 vector, one cache line

std::uint32_t* aligned(std::uint32_t* p) {
  const auto address = reinterpret_cast<std::uintptr_t>(p);
  return p + ((kRowAlignment - address % kRowAlignment) % kRowAlignment) / sizeof(std::uint32_t);
}

/// The same value in each lane of a row, or of two.
void fill(std::uint32_t* words, std::uint64_t value, bool wide) {
  // Two lanes of a row, or one of two, twice: what every host stores at once.
  const std::uint64_t pair = wide ? value : (value & 0xffff'ffff) * 0x1'0000'0001;
  using Stored = std::uint64_t __attribute__((vector_size(16), may_alias));
  constexpr unsigned kInRow = kWarpSize * sizeof(std::uint32_t) / sizeof(Stored);
  auto* const at = reinterpret_cast<Stored*>(words);
  const Stored stored = {pair, pair};
#pragma GCC unroll 8
  for (unsigned n = 0; n < kInRow; ++n) at[n] = stored;
  if (!wide) return;
#pragma GCC unroll 8
  for (unsigned n = kInRow; n < 2 * kInRow; ++n) at[n] = stored;
}

}  // namespace

void Warp::leave_in_registers(std::uint32_t rows, std::uint32_t value) {
  reg_storage_.assign(std::size_t{rows} * kWarpSize + kRowAlignment / sizeof(std::uint32_t), value);
}

void Warp::launch(Cta& cta, unsigned index) {
  const Program& program = cta.program();
  cta_ = &cta;
  access_ = &cta.env().access;
  index_ = index;
  code_ = program.code.data();
  constants_ = program.constants.data();

  row_capacity_ = program.rows_reserved();
  const std::size_t words = row_capacity_ * kWarpSize;
  if (reg_storage_.size() < words + kRowAlignment / sizeof(std::uint32_t)) {
    reg_storage_.resize(words + kRowAlignment / sizeof(std::uint32_t));
  }
  regs_ = aligned(reg_storage_.data());
  const auto clear = [this](std::uint32_t first, std::size_t rows) {
    std::memset(regs_ + std::size_t{first} * kWarpSize, 0, rows * kWarpSize * sizeof(std::uint32_t));
  };
  if (program.zero_rows)
    for (const RowRange& range : *program.zero_rows) clear(range.first, range.count);
  else
    clear(0, row_capacity_);
  for (std::size_t k = 0; k < program.presets.size(); ++k)
    fill(regs_ + std::size_t{program.presets[k].row} * kWarpSize, cta.presets_[k], program.presets[k].wide);

  pred_capacity_ = program.preds;
  pred_storage_.assign(pred_capacity_ + 1, 0);
  preds_ = pred_storage_.data();

  depot_stride_ = (program.depot_bytes + 15u) & ~15u;
  depot_storage_.assign(std::size_t{depot_stride_} * kWarpSize, std::byte{0});
  depot_ = depot_storage_.data();

  const unsigned first = index * kWarpSize;
  const unsigned lanes = cta.threads() - first < kWarpSize ? cta.threads() - first : kWarpSize;
  launched_ = lanes == kWarpSize ? ~0u : (1u << lanes) - 1;
  live_ = active_ = launched_;
  executed_ = carry_ = 0;
  pc_ = 0;
  reconverge_ = kNoPc;
  row_base_ = pred_base_ = 0;
  depot_base_ = program.stack_bytes;
  if (stack_used_) std::fill_n(stack_top_, kWarpSize, 0);
  stack_used_ = false;
  call_depth_ = 0;
  stack_.clear();
  exited_ = faulted_ = blocked_ = false;
  reductions_.clear();
  partial_arrivals_.clear();
  waiters_.clear();
  parked_ = waiting_ = 0;
  last_arrival_ = {};
  loop_units_ = 0;
  look_at_ = cta.env().divergence.independent_threads ? 0 : ~std::uint64_t{0};
  access_->space = Space::kNone;
  cta.warps_[index] = this;
}

void Warp::fault(const char* what, int lane) {
  faulted_ = true;
  ExecFault* f = cta_->env().fault;
  if (f == nullptr) return;
  *f = ExecFault{};
  f->what = what;
  f->lane = lane;
}

void Warp::fault(const char* what, int lane, std::uint64_t address, unsigned bytes) {
  fault(what, lane);
  ExecFault* f = cta_->env().fault;
  if (f == nullptr) return;
  f->address = address;
  f->has_address = true;
  f->bytes = bytes;
}

void Warp::note_pending(const Inst& inst, LaneMask lanes) {
  ExecEnv& env = cta_->env();
  const std::uint64_t after = env.stores != nullptr ? env.stores->added() : 0;
  env.pending.push_back({&inst, this, pc_, lanes, row_base_, pred_base_, depot_base_, env.cycle, after});
}

bool Warp::apply(const PendingEffect& effect) {
  Warp& w = *effect.warp;
  ExecEnv& env = w.cta_->env();
  // The step may have returned from the frame, or changed to another path's.
  const unsigned row_base = w.row_base_, pred_base = w.pred_base_, depot_base = w.depot_base_;
  w.row_base_ = effect.row_base;
  w.pred_base_ = effect.pred_base;
  w.depot_base_ = effect.depot_base;
  env.defer_effects = false;
  effect.inst->exec(*effect.inst, w, effect.lanes);
  env.defer_effects = true;
  w.row_base_ = row_base;
  w.pred_base_ = pred_base;
  w.depot_base_ = depot_base;
  const bool done = !w.faulted_;
  w.faulted_ = false;
  return done;
}

StepKind Warp::step_faulted() {
  faulted_ = false;
  return StepKind::kFault;
}

__attribute__((always_inline)) inline StepKind Warp::execute(const Inst& inst) {
  LaneMask lanes = active_;
  if (inst.guard.kind == OperandKind::kPred) lanes &= pred_value(inst.guard);
  executed_ = lanes;

  if (inst.effect == Effect::kNone) {
    if (lanes != 0) inst.exec(inst, *this, lanes);
    if (faulted_) return step_faulted();  // vprintf
    if (++pc_ == reconverge_) return step_reconverge(StepKind::kNormal);
    return StepKind::kNormal;
  }
  if (inst.effect == Effect::kMemory) {
    if (lanes == 0) {
      if (++pc_ == reconverge_) return step_reconverge(StepKind::kNormal);
      return StepKind::kNormal;
    }
    inst.exec(inst, *this, lanes);
    if (faulted_) return step_faulted();
    if (++pc_ == reconverge_) return step_reconverge(StepKind::kMemory);
    return StepKind::kMemory;
  }
  return step_control(inst, lanes);
}

StepKind Warp::step() { return execute(next()); }

StepKind Warp::run(std::uint64_t most, InstructionTally& tally, bool early) {
  const ExecEnv& env = cta_->env();
  const std::vector<PendingEffect>& put_off = env.pending;
  // Stores that are put off have it stop.
  const bool goes_on = !env.defer_effects || env.stores != nullptr;
  const std::size_t others = put_off.size();
  const Stretches& stretches = cta_->stretches();
  const NativeCode* const native = stretches.native();
  InstructionTally its;
  StepKind kind = StepKind::kNormal;
  bool stops = false;
  while (most != 0 && !stops) {
    if (early && its.warp_instructions != 0 && stretches.block(pc_, active_) >= most) {
      its.early = true;
      break;
    }
    // The last instruction is always one by itself.
    if (most > 1 && active_ != 0 && goes_on) {
      const void* const code = native != nullptr ? native->at(pc_, active_) : nullptr;
      if (code != nullptr) {
        const std::uint64_t done = run_native(*native, code, most - 1, its);
        most -= done;
        if (faulted_) {
          its.last = pc_;
          kind = step_faulted();
          break;
        }
        if (pc_ == reconverge_) {
          its.last = pc_;
          kind = step_reconverge(StepKind::kNormal);
          stops = kind == StepKind::kFault || exited_;
          continue;
        }
        if (done != 0) continue;
      }
      // As far as no other path of the warp is met, which execute() sees to, and to the next block.
      std::uint64_t straight = std::min<std::uint64_t>(stretches.length(pc_), most - 1);
      straight = std::min<std::uint64_t>(straight, stretches.to_block(pc_, active_));
      if (reconverge_ > pc_) straight = std::min<std::uint64_t>(straight, reconverge_ - pc_ - 1);
      if (straight != 0) {
        const std::uint32_t done = run_straight(static_cast<std::uint32_t>(straight));
        its.add(stretches.sums(pc_ - done, done), done, active_);
        most -= done;
        if (faulted_) {
          its.last = pc_;
          kind = step_faulted();
          break;
        }
        if (stretches.block(pc_, active_) != 0) continue;
      }
    }
    const Inst& inst = next();
    its.last = pc_;
    kind = execute(inst);
    if (kind == StepKind::kFault) break;
    its.add(inst, executed_, stretches.is_silent(its.last));
    --most;
    stops = its.polls || put_off.size() != others;
    if (inst.effect == Effect::kMemory) {
      stops |= kind == StepKind::kMemory && access_->is_bulk();
    } else if (inst.effect != Effect::kNone) {
      stops |= inst.effect == Effect::kBarrier || inst.effect == Effect::kYield;
    }
    stops |= kind == StepKind::kBarrier || exited_;
  }
  tally.add(its);
  return kind;
}

std::uint64_t Warp::run_native(const NativeCode& native, const void* code, std::uint64_t most,
                               InstructionTally& tally) {
  ExecEnv& env = cta_->env();
  executed_ = active_;
  NativeFrame frame;
  frame.warp = this;
  frame.rows = row(0);
  frame.constants = constants_;
  frame.preds = preds_ + pred_base_;
  frame.pc = &pc_;
  frame.faulted = &faulted_;
  frame.active = active_;
  frame.reconverge = reconverge_;
  frame.sizes = cta_->sizes();
  frame.arguments = cta_->param_data();
  frame.first_thread = index_ * kWarpSize;
  frame.depot = depot_;
  frame.depot_stride = depot_stride_;
  frame.depot_base = depot_base_;
  frame.global =
      reinterpret_cast<std::uintptr_t>(env.global->host) - static_cast<std::uintptr_t>(env.global->origin);
  env.renew_ranges(cta_->context());
  frame.ranges = env.native_ranges;
  frame.stored_outside = &cta_->acted_outside_;
  if (env.defer_effects) {
    frame.latest = &env.granted;
    frame.journal = &env.stores->journal();
  } else {
    frame.latest = &env.range;
    frame.journal = nullptr;
  }
  frame.shared = reinterpret_cast<std::uintptr_t>(cta_->shared_data());
  frame.shared_bytes = cta_->shared_bytes();
  if (!stack_.empty()) {
    frame.loop_units = loop_units_;
    frame.look_at = look_at_;
  }
  frame.left = most;
  native.run(code, frame);
  if (!stack_.empty()) loop_units_ = frame.loop_units;
  pc_ = frame.next;
  const std::uint64_t done = most - frame.left;
  tally.add({frame.parts, {frame.flops[0], frame.flops[1]}}, done - frame.guarded, active_);
  tally.warp_instructions += frame.guarded;
  tally.thread_instructions += frame.guarded_lanes;
  for (unsigned precision = 0; precision < 2; ++precision)
    tally.flops[precision] += frame.guarded_flops[precision];
  return done;
}

std::uint32_t Warp::run_straight(std::uint32_t count) {
  const LaneMask lanes = executed_ = active_;
  const Pc begin = pc_, end = begin + count;
  while (pc_ != end) {
    const Inst& inst = code_[pc_];
    inst.exec(inst, *this, lanes);
    if (faulted_) break;
    ++pc_;
  }
  return pc_ - begin;
}

StepKind Warp::skip() {
  executed_ = 0;
  return ++pc_ == reconverge_ ? step_reconverge(StepKind::kNormal) : StepKind::kNormal;
}

StepKind Warp::step_control(const Inst& inst, LaneMask lanes) {
  StepKind kind = StepKind::kNormal;
  switch (inst.effect) {
    case Effect::kBranch:
      ControlFlow::branch(*this, inst, lanes);
      return step_redirected();
    case Effect::kExit:
      ControlFlow::exit(*this, lanes);
      return step_redirected();
    case Effect::kBarrier:
      if (lanes != 0) {
        inst.exec(inst, *this, lanes);
        if (faulted_) return step_faulted();
        if ((parked_ & lanes) != 0) {
          ControlFlow::park(*this, lanes);
          return step_redirected();
        }
        if (blocked_) {
          blocked_ = false;
          kind = StepKind::kBarrier;
        }
      }
      break;
    case Effect::kFence:
      if (lanes != 0) kind = StepKind::kFence;
      break;
    case Effect::kWaitAsync:
      if (lanes != 0) kind = StepKind::kWaitAsync;
      break;
    case Effect::kTrap:
      if (lanes != 0) {
        inst.exec(inst, *this, lanes);
        if (faulted_) return step_faulted();
      }
      break;
    case Effect::kWarpSync:
      if (lanes == live_) {
        inst.exec(inst, *this, lanes);
      } else if (lanes != 0 && WarpSync::arrive(*this, inst, lanes)) {
        return step_redirected();
      }
      if (faulted_) return step_faulted();
      break;
    case Effect::kYield:
      if (++pc_ == reconverge_) return step_reconverge(kind);
      if (lanes != 0) ControlFlow::yield(*this);
      return step_redirected();
    case Effect::kNone:
    case Effect::kMemory:
      break;
  }
  if (++pc_ == reconverge_) return step_reconverge(kind);
  return kind;
}

StepKind Warp::step_reconverge(StepKind kind) {
  ControlFlow::pop(*this);
  return faulted_ ? step_faulted() : kind;
}

StepKind Warp::step_redirected() {
  if (faulted_) return step_faulted();
  if (exited_) return StepKind::kExited;
  const bool blocked = blocked_;
  blocked_ = false;
  return blocked ? StepKind::kBarrier : StepKind::kNormal;
}

}  // namespace warpvp::ptx
