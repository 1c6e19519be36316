#pragma once
// The face of the front end of a sub-core (`sm.frontend.mode`): it brings the instructions of each warp, from
// the instruction cache to the warp's I-buffer. Issue looks at the heads of the I-buffers and takes them
// away.
//
// Within an edge: deliver() first, then issue, which calls selected() and redirect(), then fetch().

#include <memory>
#include <optional>

#include "base/cycle.h"
#include "modules/sm/frontend/ibuffers.h"
#include "modules/sm/memory/memory_request.h"
#include "modules/sm/policies.h"
#include "modules/sm/stage_signals.h"
#include "modules/sm/statistics.h"
#include "ptx/program.h"

namespace warpvp {

struct StageContext;

class FrontEnd {
 public:
  virtual ~FrontEnd() = default;

  /// Warp `warp` of this sub-core starts `program` at its first instruction. `counters` are those of its
  /// launch.
  virtual void warp_started(unsigned warp, const WarpInfo& info, const ptx::Program& program,
                            const AccessOwner& owner, FetchCounters& counters) = 0;
  virtual void warp_finished(unsigned warp) = 0;
  /// Issue takes the head of the warp at edge `now`; requires it to have one.
  virtual void selected(unsigned warp, Cycle now) = 0;
  /// The instruction taken is not followed by the next one in the program: what is behind it is of no use,
  /// the warp goes on at `pc`.
  virtual void redirect(unsigned warp, ptx::Pc pc) = 0;
  /// A line arrived from the instruction cache. Returns the warps that waited for it.
  virtual WarpMask line_filled(std::uint64_t line_address) = 0;
  /// Takes in what was fetched for `now`; requires StageSignals::arrival <= now. Returns the warps whose
  /// I-buffer was empty.
  virtual WarpMask deliver(Cycle now) = 0;
  /// The fetch of an edge; requires a warp in StageSignals::fetchable.
  virtual void fetch(Cycle now) = 0;
  /// Warps whose fetch missed the instruction cache and whose line is not there.
  virtual WarpMask missing() const = 0;
  /// The line that a warp of missing() waits for, where it is known; for messages.
  virtual std::optional<std::uint64_t> missing_line(unsigned) const { return std::nullopt; }
  /// Of warps without a head, those that lack nothing but an instruction (the oracle's question, SWaS paper,
  /// section VI-A4), and, as far as a head is known, only when it could issue: `could_issue` has them.
  virtual WarpMask starved(WarpMask without_head, WarpMask could_issue) const = 0;
  /// What it and its policies count, each in a group; shown summed over the sub-cores of an SM.
  virtual void stats(StatVisitor&) const {}

  /// What stands at the head of the warp's I-buffer: an instruction, or IBuffers::kNop in its place. Requires
  /// the warp to be one of StageSignals::heads.
  ptx::Pc head(unsigned warp) const { return ibuffers_.head(warp); }
  /// Per warp: instructions in its I-buffer or on their way there.
  const std::uint8_t* buffered() const { return buffered_; }

 protected:
  FrontEnd(StageSignals& signals, unsigned warps, unsigned entries)
      : signals_(signals), ibuffers_(warps, entries) {}

  StageSignals& signals_;  ///< the implementation keeps arrival, fetchable and heads
  IBuffers ibuffers_;
  std::uint8_t buffered_[64] = {};
};

/// A registered type of front end.
class FrontEndType {
 public:
  static constexpr const char* kKind = "front_end";
  virtual ~FrontEndType() = default;
  virtual std::unique_ptr<FrontEnd> build(const StageContext& context) const = 0;
};

}  // namespace warpvp
