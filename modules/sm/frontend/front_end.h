#pragma once
// The face of the front end of a sub-core (`sm.frontend.mode`): it brings the instructions of each warp, from
// the instruction cache to the warp's I-buffer. Issue looks at the heads of the I-buffers and takes them
// away.
//
// Within an edge: deliver() first, then issue, which calls selected() and redirect(), then fetch().
//
// A front end may leave instructions out. Between two entries of a warp's I-buffer, or between where a
// redirect sent it and the first entry, those instructions of the program that are missing are skipped: they
// take effect, at no cost, just before the next entry issues (skip.h).

#include <memory>
#include <optional>
#include <string>

#include "base/cycle.h"
#include "modules/sm/frontend/ibuffers.h"
#include "modules/sm/frontend/shared_front_end.h"
#include "modules/sm/frontend/skip.h"
#include "modules/sm/memory/memory_request.h"
#include "modules/sm/policies.h"
#include "modules/sm/stage_signals.h"
#include "modules/sm/statistics.h"
#include "ptx/exec/instruction_stream.h"
#include "ptx/program.h"

namespace warpvp {

class RowMap;
struct OtherNames;
struct SmConfig;
struct StageContext;

/// An entry of an I-buffer that has just issued and taken effect.
struct IssuedEntry {
  unsigned warp = 0;
  ptx::Pc pc = 0;
  std::uint32_t tag = 0;
  const ptx::Inst& inst;
  const ptx::InstructionStream& stream;  ///< of the warp, behind the instruction
  ptx::LaneMask active = 0;              ///< lanes on the warp's path before it
  Cycle now = 0;
  Cycle result_at = 0;  ///< edge from which dependants may issue; Scoreboard::kPendingHit: memory says when
  const OtherNames& names;  ///< of its rows, as the front end's map has named them; none without one
};

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

  /// How the instruction at `pc` of the warp, which it has left out, is passed over.
  virtual Skip how_skipped(unsigned /*warp*/, ptx::Pc /*pc*/) const { return Skip::kCompute; }
  /// It has been passed over; `stream` stands behind it. What is wrong with the values, if anything, which
  /// ends the run as a fault of the device.
  virtual std::string skipped(unsigned /*warp*/, ptx::Pc /*pc*/, const ptx::InstructionStream& /*stream*/) {
    return {};
  }
  /// It renames rows by this map, which lives as long as it. Asked once, after it was built.
  virtual const RowMap* row_map() const { return nullptr; }
  /// Wants issued(). Asked once, after it was built.
  virtual bool follows_issue() const { return false; }
  /// Told of each entry that issues but NOPs, before its redirect if it has one.
  virtual void issued(const IssuedEntry&) {}

  /// What stands at the head of the warp's I-buffer: an instruction, or IBuffers::kNop in its place. Requires
  /// the warp to be one of StageSignals::heads.
  ptx::Pc head(unsigned warp) const { return ibuffers_.head(warp); }
  /// What the front end has put beside it; 0: nothing.
  std::uint32_t tag(unsigned warp) const { return ibuffers_.tag(warp); }
  /// Per warp: instructions in its I-buffer or on their way there.
  const std::uint8_t* buffered() const { return buffered_; }

 protected:
  /// `tagged`: entries carry tags.
  FrontEnd(StageSignals& signals, unsigned warps, unsigned entries, bool tagged = false)
      : signals_(signals), ibuffers_(warps, entries, tagged) {}

  StageSignals& signals_;  ///< the implementation keeps arrival, fetchable and heads
  IBuffers ibuffers_;
  std::uint8_t buffered_[64] = {};
};

/// Of the group of a front end's statistics.
inline constexpr const char kFrontEndSentence[] = "What the front end counts.";

/// A registered type of front end.
class FrontEndType {
 public:
  static constexpr const char* kKind = "front_end";
  virtual ~FrontEndType() = default;
  /// What the front ends of one SM share, made before the first of them; nullptr: nothing. `place` is the SM.
  virtual std::unique_ptr<SharedFrontEnd> build_shared(const SmContext& /*place*/,
                                                       const SmConfig& /*config*/) const {
    return nullptr;
  }
  /// Finds it in StageContext::shared.
  virtual std::unique_ptr<FrontEnd> build(const StageContext& context) const = 0;
  /// What its front ends count in a group of their own, kKind, for the reference of statistics: zeros.
  virtual void stats(StatVisitor&) const {}
};

}  // namespace warpvp
