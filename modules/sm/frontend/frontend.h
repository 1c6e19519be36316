#pragma once
// Instruction fetch of one sub-core: fetch scheduler, pipelined instruction cache access, I-buffers.
//
// One fetch starts per edge and brings up to `fetch_width` consecutive instructions of one line. Branches are
// predicted not taken: fetching runs on past them, and a redirect (taken branch, reconvergence, call) flushes
// the warp's I-buffer and drops its fetches in flight. A miss stops the warp's fetching until its line is
// there.
//
// In coordinated mode (SWaS paper, section IV-B) there is no fetch scheduler: the warp that issue selects
// fetches one instruction at the same edge, and its I-buffer is a FIFO kept full with NOPs. A miss suspends
// the warp: from the next edge on it has no head, until the line is there and its next selection fetches the
// same instruction again. An instruction past a taken branch is fetched before the branch takes effect, and
// thrown away with the rest.

#include <memory>
#include <vector>

#include "base/cycle.h"
#include "modules/sm/config.h"
#include "modules/sm/frontend/coordinated_buffers.h"
#include "modules/sm/memory/memory_request.h"
#include "modules/sm/memory/memory_side.h"
#include "modules/sm/policies.h"
#include "modules/sm/statistics.h"

namespace warpvp {

class alignas(64) Frontend {
 public:
  Frontend(const SmConfig& config, MemorySide& memory, SmCounters& counters);

  /// Warp `warp` of this sub-core starts `program` at its first instruction.
  void warp_started(unsigned warp, const WarpInfo& info, const ptx::Program& program,
                    const AccessOwner& owner, FetchCounters& counters);
  void warp_finished(unsigned warp);
  /// The warp's next instruction is `pc`: flush and fetch from there.
  void redirect(unsigned warp, ptx::Pc pc);
  /// The head instruction of the warp left its I-buffer.
  void consumed(unsigned warp);
  /// A line arrived: warps waiting for it fetch again. Returns them.
  WarpMask line_filled(std::uint64_t line_address);
  /// Coordinated mode: the warp's head leaves and its next instruction is fetched.
  void select(unsigned warp, Cycle now);

  bool coordinated() const { return coordinated_; }
  bool has_head(unsigned warp) const { return ready_[warp] != 0; }
  /// Per warp: instructions in its I-buffer or on their way there.
  const std::uint8_t* buffered() const { return buffered_; }
  /// The head is a NOP, which only coordinated mode knows.
  bool nop_at_head(unsigned warp) const { return nop_heads_ >> warp & 1; }
  /// Warps whose fetch missed the instruction cache and whose line is not there.
  WarpMask missing() const { return missing_; }

  /// Delivers fetches that arrive at `now`; `f(warp)` is called for each warp whose I-buffer was empty.
  template <class F>
  void deliver(Cycle now, F&& f) {
    while (arrival_ <= now) {
      const Fetch fetch = pipe_[first_];
      first_ = first_ + 1 == pipe_.size() ? 0 : first_ + 1;
      arrival_ = --count_ ? pipe_[first_].arrives : kNever;
      if (streams_[fetch.warp].epoch != fetch.epoch || !(resident_ >> fetch.warp & 1)) continue;
      const bool was_empty = ready_[fetch.warp] == 0;
      ready_[fetch.warp] = static_cast<std::uint8_t>(ready_[fetch.warp] + fetch.instructions);
      if (was_empty) f(fetch.warp);
    }
  }
  /// Warps that the policy may choose from.
  WarpMask fetchable() const { return fetchable_; }
  /// Starts one fetch; requires fetchable(). Returns what the policy chose; nothing is fetched when that is
  /// not one of fetchable().
  unsigned fetch(Cycle now);

  /// The next edge at which there is something to do, or kNever.
  Cycle next_work(Cycle now) const {
    if (fetchable_) return now + 1;
    return arrival_;
  }

 private:
  struct Fetch {
    Cycle arrives;
    std::uint8_t warp, epoch, instructions;
  };
  /// What is fetched for one warp.
  struct Stream {
    std::uint64_t code_address = 0;     ///< of the program's first instruction
    std::uint64_t missing_line = 0;     ///< while the warp's bit stands in missing_
    FetchCounters* counters = nullptr;  ///< of the launch
    AccessOwner owner;
    ptx::Pc next = 0, end = 0;  ///< next instruction to fetch, end of the program
    std::uint8_t epoch = 0;     ///< counts flushes; fetches of an older epoch are dropped
  };
  void update(unsigned warp);
  void update_coordinated(unsigned warp);
  unsigned request(unsigned warp, Cycle now);

  // What every edge looks at first.
  WarpMask fetchable_ = 0;
  Cycle arrival_ = kNever;          // of the first in pipe_
  unsigned first_ = 0, count_ = 0;  // of pipe_
  std::vector<Fetch> pipe_;         // ring, in order of arrival as the latency is the same for all
  unsigned entries_, width_, latency_, line_bytes_;
  MemorySide& memory_;
  FetchCounters& counters_;  // of the SM
  std::unique_ptr<FetchPolicy> policy_;
  WarpMask resident_ = 0, missing_ = 0;
  // Their line came and they have not fetched since: the fill serves them even when another line took its
  // place meanwhile. Otherwise warps could evict each other's lines for ever.
  WarpMask forwarded_ = 0;
  WarpMask nop_heads_ = 0;
  const bool coordinated_;
  std::uint8_t ready_[64] = {};     // instructions in the I-buffer; in coordinated mode: not suspended
  std::uint8_t buffered_[64] = {};  // those and the ones in flight
  std::vector<Stream> streams_;     // one a warp
  CoordinatedBuffers fifos_;        // of coordinated mode
};

}  // namespace warpvp
