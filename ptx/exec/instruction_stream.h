#pragma once
// The instructions of one warp as a pipeline sees them: what comes next, what it needs, what it did. A warp
// that executes PTX is one (ptx/exec/warp.h); a recorded trace or code of another kind can be.

#include <cstdint>
#include <string>

#include "ptx/exec/cta.h"
#include "ptx/program.h"

namespace warpvp::ptx {

/// What one step did.
enum class StepKind : std::uint8_t {
  kNormal,
  kMemory,   ///< `access()` is valid
  kBarrier,  ///< the warp arrived at a barrier and blocks until it is said to be released; also of an exit or
             ///< ret that leaves only lanes waiting at a barrier.sync in divergent code
  kFence,
  kWaitAsync,
  kExited,  ///< no live lane is left
  kFault,   ///< the instruction did not take effect; the source of the stream says why
};

/// Fault information filled by execution; the caller adds where it ran.
struct ExecFault {
  const char* what = nullptr;  ///< static text; nullptr: no fault
  std::uint64_t address = 0;
  bool has_address = false;
  int lane = -1;
  unsigned bytes = 0;
  Pc pc = kNoPc;       ///< where, if not at the instruction whose step found it
  std::string detail;  ///< further lines: which lanes wait where
};

/// What run() has gone past.
struct InstructionTally {
  std::uint64_t warp_instructions = 0, thread_instructions = 0;
  std::uint64_t parts = 0;      ///< of the warp instructions (Inst::is_part)
  std::uint64_t flops[2] = {};  ///< in single and double precision
  /// Among them are atomics whose results are asked for or ordered loads, as of loops that wait for others.
  bool polls = false;
  /// The last run() stopped for being allowed to stop early.
  bool early = false;
  Pc last = kNoPc;  ///< the last one that was taken by itself, also if it was a fault; kNoPc: none was

  /// The number, loaded by itself: a load of two numbers that have just been stored one by one waits until
  /// both stores have reached the host's cache.
  static std::uint64_t alone(std::uint64_t number) {
    asm("" : "+r"(number));
    return number;
  }
  static unsigned lanes_in(LaneMask mask) {
    if (mask == ~LaneMask{0}) return kWarpSize;
    // Hosts of the least instruction set that is asked for do not count bits themselves.
    mask -= mask >> 1 & 0x5555'5555;
    mask = (mask & 0x3333'3333) + (mask >> 2 & 0x3333'3333);
    return ((mask + (mask >> 4)) & 0x0f0f'0f0f) * 0x0101'0101 >> 24;
  }
  /// `silent`: no atomic whose result somebody asks for.
  void add(const Inst& inst, LaneMask executed, bool silent = false) {
    const unsigned lanes = lanes_in(executed);
    ++warp_instructions;
    thread_instructions = alone(thread_instructions) + lanes;
    parts += inst.is_part;
    polls |= Stretches::polls(inst, silent);
    if (inst.flops != 0) flops[inst.flops / kDoubleFlops] += (inst.flops & ~kDoubleFlops) * lanes;
  }
  /// A stretch of `count` instructions that these lanes have executed.
  void add(const Stretches::Sums& stretch, std::uint64_t count, LaneMask executed) {
    const unsigned lanes = lanes_in(executed);
    warp_instructions += count;
    thread_instructions = alone(thread_instructions) + count * lanes;
    parts += stretch.parts;
    for (unsigned precision = 0; precision < 2; ++precision)
      flops[precision] += stretch.flops[precision] * lanes;
  }
  void add(const InstructionTally& later) {
    warp_instructions += alone(later.warp_instructions);
    thread_instructions += alone(later.thread_instructions);
    parts += alone(later.parts);
    for (unsigned precision = 0; precision < 2; ++precision) flops[precision] += alone(later.flops[precision]);
    polls |= later.polls;
    early = later.early;
    last = later.last;
  }
};

class InstructionStream {
 public:
  virtual ~InstructionStream();  // not inline: execution functions of other instruction sets include this
  InstructionStream(const InstructionStream&) = delete;
  InstructionStream& operator=(const InstructionStream&) = delete;

  /// Goes past the next instruction, with all that it does. Requires !exited().
  virtual StepKind step() = 0;
  /// Goes past the next instruction without executing it, for callers that know that it has no effect on this
  /// warp. Requires one of Effect::kNone or kMemory. A stream that cannot, executes it. kNormal or kFault.
  virtual StepKind skip();
  /// Steps on for callers that no single instruction concerns: past one to `most` instructions, and no
  /// further than one that is a fault, ends the warp, has it wait at a barrier or may have others go on,
  /// polls (InstructionTally), has put off an effect, or copies in bulk. Adds to `tally` those that were no
  /// fault. Returns what the last one did. `early`: it may stop, behind one at least, where to go as far as
  /// `most` is slow.
  virtual StepKind run(std::uint64_t most, InstructionTally& tally, bool early = false);
  /// The bulk copy whose access had this signal (BulkSpans) has been made.
  virtual void copy_done(std::uint32_t signal);
  /// The warp behind it if it executes PTX, for those who look at registers.
  virtual const Warp* as_ptx() const { return nullptr; }

  bool exited() const { return exited_; }
  /// Next instruction; valid while !exited().
  Pc pc() const { return pc_; }
  const Inst& next() const { return code_[pc_]; }
  /// Lanes that would execute the next instruction (before the guard predicate).
  LaneMask active() const { return active_; }
  /// Row and predicate base of the current frame; scoreboards add them to Inst::reads, writes and so on.
  unsigned row_base() const { return row_base_; }
  unsigned pred_base() const { return pred_base_; }
  /// Lanes that executed the last instruction (after its guard).
  LaneMask executed() const { return executed_; }
  /// Valid after a step that returned kMemory, until another warp of the same source steps (and, of PTX, for
  /// kBarrier with a reduction).
  const MemoryAccess& access() const { return *access_; }
  /// Of the warp within its CTA.
  unsigned index() const { return index_; }

  /// Brings the stream itself towards the processor's caches.
  void prefetch() const {
    const char* const p = reinterpret_cast<const char*>(this);
    for (unsigned line = 0; line < 3; ++line) __builtin_prefetch(p + 64 * line, 1);
  }
  /// Rows of 32 values of the warp's registers, 64-byte aligned, for those who prefetch them; nullptr: there
  /// are none.
  const std::uint32_t* registers() const { return regs_; }

 protected:
  InstructionStream() = default;

  const Inst* code_ = nullptr;
  std::uint32_t* regs_ = nullptr;
  Pc pc_ = 0;
  LaneMask active_ = 0, executed_ = 0;
  unsigned row_base_ = 0, pred_base_ = 0;
  bool exited_ = true;
  unsigned index_ = 0;
  MemoryAccess* access_ = nullptr;
};

}  // namespace warpvp::ptx
