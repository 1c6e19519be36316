#pragma once
// One resident warp as the pipeline sees it.

#include <cstdint>

#include "base/cycle.h"
#include "modules/sm/issue/scoreboard.h"
#include "modules/sm/memory/memory_request.h"
#include "modules/sm/sm_events.h"
#include "modules/sm/statistics.h"
#include "ptx/exec/instruction_stream.h"

namespace warpvp {

struct ResidentLaunch;

/// What a resident warp is doing; every state but kReady and kFree is a stall reason.
enum class WarpState : std::uint8_t {
  kFree,   ///< no warp in the slot
  kReady,  ///< its bit stands in the scheduler's ready masks
  kFetch,
  kRawShort,
  kRawHit,  ///< a load's data, not known to have missed
  kRawLong,
  kThrottled,  ///< its CTA may not issue (regmap::sm::kCtaLimits)
  kBarrier,
  kFence,
  kDrain,
};
/// Whatever is fetched or computed, a warp stays in this state: it waits for others, its stores or its end.
constexpr bool is_held(WarpState state) { return state >= WarpState::kBarrier; }

/// Small fields first: what every event of the warp looks at lies in the first lines of the processor's
/// cache. All warps of all SMs together are larger than that cache.
struct alignas(64) WarpSlot {
  // The first line: the stream's own lines need not be there to find out what its next instruction waits for.
  ptx::InstructionStream* stream = nullptr;  ///< of the SM's instruction source
  ResidentLaunch* launch = nullptr;
  const ptx::Inst* code = nullptr;  ///< of its program
  AccessOwner owner;
  std::uint16_t cta_slot = 0;
  std::uint8_t sub_core = 0;
  std::uint8_t warp = 0;  ///< position within the sub-core: its bit in masks
  WarpState state = WarpState::kFree;
  std::uint8_t head_port = 0;            ///< while kReady: the mask its bit stands in
  std::uint16_t in_flight = 0;           ///< memory instructions not done
  std::uint16_t async_in_flight = 0;     ///< of these, cp.async, and bulk copies out of shared memory
  bool awaits_reads = false;             ///< in kFence: for these alone, whatever stores are under way
  std::uint16_t copies_in_flight = 0;    ///< bulk copies that an mbarrier has not heard of yet
  unsigned row_base = 0, pred_base = 0;  ///< frame of the next instruction
  Cycle since = 0;                       ///< edge at which the state began, for stall accounting
  Cycle copied = 0;                      ///< edge at which the last of copies_in_flight issued
  Cycle not_before = 0;  ///< its next instruction issues at this edge at the earliest, after a branch
  Scoreboard scoreboard;
  Cycle issued = kNever;                     ///< edge of its last issue
  const std::uint32_t* registers = nullptr;  ///< InstructionStream::registers()
  bool frames_grow = false;                  ///< as the program says
  ptx::Pc last_issued = 0;  ///< kept, like the next one, only while instructions are profiled
  ptx::Pc stalled_at = 0;   ///< the instruction that the present state is charged to

  WarpHere here() const { return {owner.warp, cta_slot, stream->index()}; }

  /// Where the stream stands, noted here after each step.
  void follow_stream() {
    row_base = stream->row_base();
    pred_base = stream->pred_base();
    registers = stream->registers();
  }
  /// Brings what `inst` and its issue will look at towards the processor's caches, for callers that know that
  /// it will issue soon: with thousands of warps resident, their registers are far larger than any cache.
  void prefetch_issue(const ptx::Inst& inst) const {
    if (registers == nullptr) return;
    for (unsigned i = 0; i < inst.read_rows; ++i) prefetch_row(inst.reads[i]);
    for (unsigned i = 0; i < inst.written_rows; ++i) prefetch_row(inst.writes[i]);
  }

  /// Bring what the warp's next event will look at towards the processor's caches: first the slot itself,
  /// then, once it is there, what it points to.
  void prefetch() const {
    const char* const p = reinterpret_cast<const char*>(this);
    for (unsigned line = 0; line < 2; ++line) __builtin_prefetch(p + 64 * line, 1);
  }
  void prefetch_operands() const {
    scoreboard.prefetch(row_base);
    prefetch_issue(stream->next());
  }

 private:
  void prefetch_row(unsigned r) const {
    const std::uint32_t* row = registers + (row_base + r) * ptx::kWarpSize;
    __builtin_prefetch(row, 1);
    __builtin_prefetch(row + ptx::kWarpSize / 2, 1);
  }
};

}  // namespace warpvp
