#pragma once
// The face of the front end of a sub-core (`sm.frontend.mode`): it brings the instructions of each warp, from
// the instruction cache to the warp's I-buffer. Issue looks at the heads of the I-buffers and takes them
// away.
//
// Within an edge: deliver() first, then issue, which calls selected() and redirect(), then fetch().

#include <memory>

#include "base/cycle.h"
#include "modules/sm/frontend/ibuffers.h"
#include "modules/sm/memory/memory_request.h"
#include "modules/sm/policies.h"
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
  /// Issue takes the head of the warp at edge `now`; requires has_head().
  virtual void selected(unsigned warp, Cycle now) = 0;
  /// The instruction taken is not followed by the next one in the program: what is behind it is of no use,
  /// the warp goes on at `pc`.
  virtual void redirect(unsigned warp, ptx::Pc pc) = 0;
  /// A line arrived from the instruction cache. Returns the warps that waited for it.
  virtual WarpMask line_filled(std::uint64_t line_address) = 0;
  /// Takes in what was fetched for `now`; requires arrival() <= now. Returns the warps whose I-buffer was
  /// empty.
  virtual WarpMask deliver(Cycle now) = 0;
  /// The fetch of an edge; requires fetchable().
  virtual void fetch(Cycle now) = 0;
  /// Warps whose fetch missed the instruction cache and whose line is not there.
  virtual WarpMask missing() const = 0;
  /// Of warps without a head, those that lack nothing but an instruction (the oracle's question, SWaS paper,
  /// section VI-A4), and, as far as a head is known, only when it could issue: `could_issue` has them.
  virtual WarpMask starved(WarpMask without_head, WarpMask could_issue) const = 0;

  bool has_head(unsigned warp) const { return heads_ >> warp & 1; }
  /// The head is a NOP in an instruction's place.
  bool nop_at_head(unsigned warp) const { return nop_heads_ >> warp & 1; }
  /// The instruction at the head; requires has_head() and no NOP there.
  ptx::Pc head(unsigned warp) const { return ibuffers_.head(warp); }
  /// Per warp: instructions in its I-buffer or on their way there.
  const std::uint8_t* buffered() const { return buffered_; }
  /// Warps that a fetch may be for.
  WarpMask fetchable() const { return fetchable_; }
  /// The next edge at which something is delivered, or kNever.
  Cycle arrival() const { return arrival_; }
  /// The next edge at which there is something to do, or kNever.
  Cycle next_work(Cycle now) const { return fetchable_ ? now + 1 : arrival_; }

 protected:
  FrontEnd(unsigned warps, unsigned entries) : ibuffers_(warps, entries) {}

  // What every edge looks at first; kept by the implementation.
  WarpMask fetchable_ = 0, heads_ = 0, nop_heads_ = 0;
  Cycle arrival_ = kNever;
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
