#pragma once
// What front ends have in common: where each warp fetches next, and its requests to the instruction cache.
// Branches are predicted not taken: fetching runs on past them. A miss stops the warp's fetching until its
// line is there.

#include <vector>

#include "modules/sm/memory/memory_request.h"
#include "modules/sm/policies.h"
#include "modules/sm/statistics.h"
#include "ptx/program.h"

namespace warpvp {

class MemorySide;
struct StageContext;

class FetchUnit {
 public:
  explicit FetchUnit(const StageContext& context);

  void start(unsigned warp, const ptx::Program& program, const AccessOwner& owner, FetchCounters& counters);
  void stop(unsigned warp);
  /// Goes on at `pc`; `flushed` instructions were fetched in vain.
  void redirect(unsigned warp, ptx::Pc pc, unsigned flushed);
  /// The line that warps wait for is there: they may fetch again. Returns them.
  WarpMask line_filled(std::uint64_t line_address);

  /// The warp has something to fetch, and waits for no line.
  bool can_fetch(unsigned warp) const { return !(missing_ >> warp & 1) && more(warp); }
  /// The program goes on behind what was fetched.
  bool more(unsigned warp) const { return ranges_[warp].next < ranges_[warp].end; }
  /// The next instruction to be fetched.
  ptx::Pc next(unsigned warp) const { return ranges_[warp].next; }
  /// The next instruction is not fetched: it goes on behind it. Requires can_fetch().
  void pass_over(unsigned warp);
  WarpMask missing() const { return missing_; }
  /// The line that a warp of missing() waits for.
  std::uint64_t missing_line(unsigned warp) const { return requesters_[warp].missing_line; }

  /// Asks the instruction cache for the warp's next instructions; requires more(). Returns how many of one
  /// line come, at most `width`; 0 after a miss.
  unsigned request(unsigned warp, unsigned width, Cycle now);

 private:
  /// What is still to be fetched: looked at whenever a warp issues, so apart from the rest.
  struct Range {
    ptx::Pc next = 0, end = 0;  ///< next instruction, end of the program
  };
  struct Requester {
    std::uint64_t code_address = 0;     ///< of the program's first instruction
    std::uint64_t missing_line = 0;     ///< while the warp's bit stands in missing_
    FetchCounters* counters = nullptr;  ///< of the launch
    AccessOwner owner;
  };

  MemorySide& memory_;
  FetchCounters& counters_;  // of the SM
  unsigned sub_core_;
  unsigned line_bytes_;
  WarpMask missing_ = 0;
  // Their line came and they have not fetched since: the fill serves them even when another line took its
  // place meanwhile. Otherwise warps could evict each other's lines for ever.
  WarpMask forwarded_ = 0;
  std::vector<Range> ranges_;
  std::vector<Requester> requesters_;
};

}  // namespace warpvp
