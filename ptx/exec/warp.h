#pragma once
// Functional execution of one warp: registers, SIMT stack, memory effects. No notion of time: the SM (or the
// functional runner) calls `step` when it decides that the next instruction issues, and gets told what
// happened.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "ptx/exec/instruction_stream.h"

namespace warpvp::ptx {

class alignas(64) Warp final : public InstructionStream {
 public:
  /// Starts warp `index` of the CTA at the program's entry. Storage is reused between launches (no allocation
  /// when the program needs no more rows than before). Registers that may be read before they are written
  /// start as zeros (Program::zero_rows).
  void launch(Cta& cta, unsigned index);
  /// For tests: what an earlier warp might have left in so many rows.
  void leave_in_registers(std::uint32_t rows, std::uint32_t value);

  /// Executes the next instruction completely and moves the program counter. After kFault `Cta::env().fault`
  /// says why.
  StepKind step() override;
  StepKind skip() override;
  StepKind run(std::uint64_t most, InstructionTally& tally, bool early = false) override;
  void copy_done(std::uint32_t signal) override { cta_->deliver_signal(signal); }
  const Warp* as_ptx() const override { return this; }

  /// Does what a step put off (ExecEnv::defer_effects), before the warp's next step. False after a fault,
  /// with `Cta::env().fault` filled: the instruction had no effect.
  static bool apply(const PendingEffect& effect);

  /// Its CTA has moved to another environment.
  void follow_cta() { access_ = &cta_->env().access; }

  Cta& cta() { return *cta_; }
  const Cta& cta() const { return *cta_; }
  LaneMask live() const { return live_; }
  /// Lanes for which predicate `p` holds, counted from the first frame.
  LaneMask pred_lanes(unsigned p) const { return preds_[p]; }
  /// Its latest arrival at a barrier.
  const BarrierArrival& last_arrival() const { return last_arrival_; }

  // ---- for the execution functions (ptx/exec/ops_*.cpp) only

  std::uint32_t* row(unsigned r) { return regs_ + (row_base_ + r) * kWarpSize; }
  const std::uint32_t* source(const Operand& o) const {
    return o.kind == OperandKind::kConst ? constants_ + o.index * kWarpSize
                                         : regs_ + (row_base_ + o.index) * kWarpSize;
  }
  LaneMask& pred(unsigned p) { return preds_[pred_base_ + p]; }
  LaneMask pred_value(const Operand& o) const {
    const LaneMask m = preds_[pred_base_ + o.index];
    return o.negated ? ~m : m;
  }
  std::byte* depot(unsigned lane) { return depot_ + lane * std::size_t{depot_stride_} + depot_base_; }
  MemoryAccess& access_for_exec() { return *access_; }
  /// For an instruction that acts on what SMs share, once it is known not to fault: true if it is put off,
  /// and has to leave everything as it is.
  bool put_off(const Inst& inst, LaneMask lanes) {
    note_outside();
    if (!cta_->env().defer_effects) return false;
    note_pending(inst, lanes);
    return true;
  }
  /// It has acted on what SMs share.
  void note_outside() { cta_->note_outside(); }
  /// Bytes that each lane has allocated with alloca, from the start of its depot.
  std::uint32_t* stack_top() {
    stack_used_ = true;
    return stack_top_;
  }
  LaneMask& carry() { return carry_; }  ///< CC.CF of the 32 lanes
  /// Reports that the current instruction cannot take effect; the step returns kFault.
  void fault(const char* what, int lane);
  void fault(const char* what, int lane, std::uint64_t address, unsigned bytes);
  /// Start of lane 0's depot and the distance between lanes: .local memory and function .param space. Local
  /// addresses count from here (not from the current frame's `depot_base()`).
  std::byte* depot_data() { return depot_; }
  unsigned depot_stride() const { return depot_stride_; }
  unsigned depot_base() const { return depot_base_; }
  const std::uint32_t* constants() const { return constants_; }
  /// This warp's lanes within the CTA: all but the last warp have 32.
  LaneMask launched() const { return launched_; }

  /// Deepest chain of calls; one more is a fault ("call stack overflow").
  static constexpr unsigned kMaxCallDepth = 1024;

 private:
  friend struct ControlFlow;  // ptx/exec/simt_stack.cpp: branches, calls, exits
  friend struct CallFrames;   // ptx/exec/call_frames.cpp: where the registers of callees lie
  friend struct BarrierOps;   // ptx/exec/barrier_ops.cpp
  friend struct WarpSync;     // ptx/exec/warp_sync.cpp
  friend class Cta;

  StepKind execute(const Inst& inst);  // the next one
  /// Past `count` instructions of a stretch (stretches.h), as far as none is a fault: past how many.
  std::uint32_t run_straight(std::uint32_t count);
  /// Past at most `most` instructions, from `code` of the present frame on: past how many.
  std::uint64_t run_native(const NativeCode& native, const void* code, std::uint64_t most,
                           InstructionTally& tally);
  void note_pending(const Inst& inst, LaneMask lanes);
  StepKind step_control(const Inst& inst, LaneMask executed);
  StepKind step_faulted();
  /// The running group is at its reconvergence point: `kind` unless resuming another one fails.
  StepKind step_reconverge(StepKind kind);
  /// What a step amounts to that may have changed the running group.
  StepKind step_redirected();

  /// One entry of the SIMT stack: lanes `mask` run from `pc` until `reconverge`. The entry that runs now is
  /// held in pc_, active_, reconverge_ and the base members; `stack_` holds those beneath it.
  struct Entry {
    Pc pc, reconverge;
    LaneMask mask;
    std::uint32_t row_base, pred_base, depot_base;
    std::uint32_t call_depth;
    bool fresh;           ///< a callee that has not begun: its frame may still move
    std::uint64_t since;  ///< `loop_units_` when it began to wait
  };

  const std::uint32_t* constants_ = nullptr;
  LaneMask* preds_ = nullptr;
  Pc reconverge_ = kNoPc;
  LaneMask live_ = 0, carry_ = 0;
  unsigned depot_base_ = 0, depot_stride_ = 0;
  bool faulted_ = false, blocked_ = false;
  std::uint32_t call_depth_ = 0;
  LaneMask launched_ = 0;
  Cta* cta_ = nullptr;
  std::vector<Entry> stack_;
  std::vector<std::uint32_t> reg_storage_;
  std::vector<LaneMask> pred_storage_;
  std::vector<std::byte> depot_storage_;
  std::byte* depot_ = nullptr;
  // Room behind regs_, preds_ and depot_: what the program (or a recursion so far) needs.
  std::size_t row_capacity_ = 0, pred_capacity_ = 0;
  /// Barrier reductions this warp waits for: one, or one for each group of lanes that arrived on its own.
  struct Reduction {
    const Inst* inst;
    LaneMask lanes;
    std::uint32_t row_base, pred_base;
  };
  std::vector<Reduction> reductions_;
  /// Lanes that arrived at barrier `parked_id_` in divergent code and wait for the rest of the warp to arrive
  /// too.
  LaneMask parked_ = 0;
  unsigned parked_id_ = 0, parked_threads_ = 0;
  /// Arrivals at barriers without waiting (bar.arrive) of which the rest of the warp is still missing.
  struct PartialArrival {
    unsigned id, threads;
    LaneMask lanes;
  };
  std::vector<PartialArrival> partial_arrivals_;
  /// Groups that wait for other lanes of their warp at an instruction with a member mask; `waiting_`: their
  /// lanes. Each is an entry of the stack that stands at the instruction.
  struct Waiter {
    const Inst* inst;
    Pc pc;
    LaneMask lanes, members;
    std::uint32_t row_base, pred_base;
  };
  std::vector<Waiter> waiters_;
  LaneMask waiting_ = 0;
  /// Iterations of loops in divergent code, weighted by Inst::loop_units, and the count at which to look next
  /// for a group whose turn it is.
  std::uint64_t loop_units_ = 0, look_at_ = 0;
  BarrierArrival last_arrival_;
  // Last: few programs use it.
  bool stack_used_ = false;
  std::uint32_t stack_top_[kWarpSize] = {};  // zeros until then
};

}  // namespace warpvp::ptx
