#pragma once
// The instruction caches of an SM: an L0 of each sub-core, if there is one, the L1 that they share, and the
// port between them. Where lines come from that the L1 lacks is the memory side's affair
// (InstructionBacking).
//
//   fetch -> L0 -> port -> L1 -> InstructionBacking
//
// Without an L0 a fetch is a lookup in the L1. With one, a miss of it goes to the port, which takes
// `lines_per_cycle` requests at an edge, those that a fetch waits for before those made ahead, the sub-cores
// in turn; the lookup in the L1 is `request_latency` after the miss, the line in the sub-core `reply_latency`
// after the lookup, or after the line came to the L1. Requests are looked up in the order in which the port
// took them; one that finds no MSHR holds those behind it.
//
// Sub-cores make requests in their part of an edge, the port looks at them in its own, which comes first at
// the next edge: the order in which sub-cores are evaluated does not matter.

#include <string>
#include <vector>

#include "base/slot_pool.h"
#include "interconnect/ring.h"
#include "modules/sm/memory/instruction_l0.h"
#include "modules/sm/memory/instruction_l1.h"
#include "modules/sm/memory/memory_side.h"

namespace warpvp {

class InstructionMemory {
 public:
  InstructionMemory(const InstructionCacheConfig& config, unsigned sub_cores, InstructionBacking& backing,
                    FetchClient& client, LaunchCounters& counters);

  /// As MemorySide::fetch.
  bool fetch(const InstructionFetch& fetch, Cycle now) {
    SmMemoryCounters& counters = counters_.of(fetch.owner.launch);
    ++counters.instruction_fetches;
    if (ideal_) return true;
    bool hit;
    if (l0s_.empty()) {
      hit = fetch_from_l1(fetch, now);
    } else {
      InstructionL0& l0 = l0s_[fetch.sub_core];
      hit = l0.fetch(fetch.address, fetch.end, fetch.owner);
      note_wishes(fetch.sub_core);
    }
    if (!hit) ++counters.instruction_misses;
    return hit;
  }
  /// The line for which InstructionBacking was asked with `index` is here.
  void filled(unsigned index, Cycle now);

  void evaluate(Cycle now) {
    if (busy()) move(now);
  }
  /// Next edge at which there is work without further input; kNever when waiting for lines only.
  Cycle next_work(Cycle now) const { return busy() ? next_move(now) : kNever; }

  void invalidate();
  bool idle() const;
  /// Where a line is that a warp of the sub-core waits for, as words that go on from "a line that".
  std::string whereabouts(unsigned sub_core, std::uint64_t line) const;

 private:
  struct Request {
    InstructionL0::Request line;
    unsigned sub_core = 0;
  };
  struct Due {
    Cycle at = 0;
    std::uint32_t request = 0;  // of in_flight_
  };

  bool fetch_from_l1(const InstructionFetch& fetch, Cycle now);
  void note_wishes(unsigned sub_core) {
    const InstructionL0& l0 = l0s_[sub_core];
    const std::uint32_t demand = std::uint32_t{1} << sub_core, ahead = demand << kMostSubCores;
    wishes_ =
        (wishes_ & ~(demand | ahead)) | (l0.wants_demand() ? demand : 0) | (l0.wants_prefetch() ? ahead : 0);
  }
  /// Something is between L0 and L1.
  bool busy() const { return wishes_ != 0 || !requests_.empty() || !replies_.empty(); }
  Cycle next_move(Cycle now) const;
  void move(Cycle now);
  void deliver(Cycle now);
  void take_requests(Cycle now);
  void look_up(Cycle now);

  static constexpr unsigned kMostSubCores = 8;  // as sm.schedulers allows

  FetchClient& client_;
  LaunchCounters& counters_;
  const bool ideal_;
  const unsigned per_edge_;  // lines in each direction
  const unsigned request_latency_, reply_latency_;
  InstructionL1 l1_;
  std::vector<InstructionL0> l0s_;      // by sub-core
  std::vector<InstructionFetch> full_;  // fetches without an L0 that found no MSHR, one a line, oldest first
  // Sub-cores whose L0 wants a line, because a fetch waits for it or ahead (the upper half).
  std::uint32_t wishes_ = 0;
  unsigned next_ = 0;  // whose turn it is at the port
  SlotPool<Request> in_flight_;
  GrowingRing<Due> requests_, replies_;  // in order of their edges
  bool blocked_ = false;                 // the oldest of requests_ has found no MSHR
};

}  // namespace warpvp
