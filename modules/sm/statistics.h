#pragma once
// What an SM counts: per kernel launch and scheduler, why warps did not issue.

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "base/stats.h"

namespace warpvp {

/// Why a resident warp does not issue, in warp-cycles. RAW_long and LSU_full as in the CCBP paper, Fig. 11.
enum class Stall : std::uint8_t {
  kNotSelected,  ///< ready, but the scheduler issued another warp
  kFetch,        ///< I-buffer empty
  kRawShort,     ///< operand of an execution unit or of an L1 hit not there yet
  kRawLong,      ///< operand of a load that missed the L1
  kLsuFull,      ///< the load/store unit takes no more
  kUnitBusy,     ///< unit or operand collectors full
  kBarrier,
  kFence,  ///< waits for stores or asynchronous copies
  kDrain,  ///< exited, memory instructions still in flight
  kCount
};
const char* stall_name(Stall s);  ///< "raw_long"

/// Warp-cycles without issue, by reason.
using StallCycles = std::array<std::uint64_t, static_cast<unsigned>(Stall::kCount)>;
void visit_stalls(StatVisitor& v, const StallCycles& cycles);

/// What fetching did.
struct FetchCounters {
  std::uint64_t fetches = 0, fetch_misses = 0, redirects = 0;
  std::uint64_t flushed = 0;  ///< instructions fetched and thrown away
  std::uint64_t nops = 0;     ///< issued in place of instructions, in coordinated mode
  std::uint64_t skipped = 0;  ///< instructions of warps that the front end left out; none of these issued

  void add(const FetchCounters& other);
  void stats(StatVisitor& v) const;
};

/// What the oracles beside the schedulers found (SWaS paper, section VI-A4).
struct SchedulingCounters {
  std::uint64_t cycles = 0;  ///< edges of schedulers with resident warps
  std::uint64_t discrepancies =
      0;  ///< of these: another warp would have been chosen, had no I-buffer been empty
  std::uint64_t errors =
      0;  ///< of these: neither misses of the instruction cache nor taken branches explain it

  void count(bool discrepancy, bool error) {
    ++cycles;
    discrepancies += discrepancy;
    errors += error;
  }
  void add(const SchedulingCounters& other);
  void stats(StatVisitor& v) const;
};
/// When a run has them, as StatVisitor::when() says it, and what they are.
inline constexpr const char kWithOracle[] = "with `platform.sm.oracle`";
inline constexpr const char kSchedulingSentence[] =
    "How often the schedulers chose otherwise than they would with full I-buffers.";

/// What issued, by class of operation, and the rows of the register file that it read and wrote. Counted only
/// when somebody asked for it (WarpView::count_executed): each such count costs the host at every issue.
struct ExecutedCounters {
  struct OfClass {
    std::uint64_t issued = 0;  ///< by warps
    std::uint64_t lanes = 0;   ///< that executed it, guards heeded
  };
  /// Rows of 32 lanes as operands name them, each once an instruction; a 64-bit register has two. Whatever
  /// the lanes that are on, and rows that stand for the constant bank included (ptx::Inst::read_rows).
  std::uint64_t rows_read = 0, rows_written = 0;
  std::vector<OfClass> classes;  ///< by ptx::OpClass; empty: nobody has asked

  bool any() const { return !classes.empty(); }
  void enable();
  void add(const ExecutedCounters& other);
  void stats(StatVisitor& v) const;
};
/// When a run has them, as StatVisitor::when() says it, and what they are.
inline constexpr const char kWithExecuted[] = "with an `energy.table` that charges some of it";
inline constexpr const char kExecutedSentence[] =
    "What was issued, by class of operation, and what of the register file it touched.";

/// Counters of one launch on one SM.
struct SmLaunchCounters {
  std::uint64_t warp_instructions = 0;
  std::uint64_t expansion_instructions = 0;  ///< of these, ones that expand a PTX instruction before it
  std::uint64_t thread_instructions = 0;
  std::uint64_t flops[2] = {0,
                            0};  ///< floating-point operations in single and double precision (Inst::flops)
  std::uint64_t ctas = 0;
  FetchCounters fetch;
  SchedulingCounters scheduling;       ///< of the schedulers at which it had warps
  std::uint64_t first_cycle = ~0ull;   ///< SM cycle of the first CTA's start
  std::uint64_t last_cycle = 0;        ///< SM cycle of the last CTA's end
  std::uint32_t l1_bytes_least = ~0u;  ///< size of the L1 while CTAs of it were resident
  std::uint32_t l1_bytes_most = 0;
  ExecutedCounters executed;
  /// Warp-cycles by scheduler and reason. kNotSelected holds all waiting while ready until `settle`.
  std::vector<StallCycles> stalls;

  void add(const SmLaunchCounters& other);
  void note_l1(std::uint32_t bytes) {
    l1_bytes_least = std::min(l1_bytes_least, bytes);
    l1_bytes_most = std::max(l1_bytes_most, bytes);
  }
};

/// CTAs that left before their ends, and that came back.
struct ContextSwitchCounters {
  std::uint64_t saved = 0, dropped = 0, restored = 0;  ///< CTAs
  std::uint64_t saved_bytes = 0, restored_bytes = 0;
  std::uint64_t quiet_cycles = 0;  ///< from the request until nothing was under way, summed over requests
  std::uint64_t save_cycles = 0, restore_cycles = 0;  ///< a state was moving

  bool any() const { return saved + dropped + restored + quiet_cycles != 0; }
  void stats(StatVisitor& v) const;
};

struct SmCounters {
  std::uint64_t active_cycles = 0;  ///< edges at which the SM ticked with warps resident
  std::uint64_t issued = 0;         ///< warp instructions
  FetchCounters fetch;
  SchedulingCounters scheduling;
  std::uint64_t bank_conflict_cycles = 0;
  std::uint64_t path_switches = 0;  ///< turns taken from paths of a warp that looped while others waited
  std::uint64_t ctas = 0;
  ContextSwitchCounters switches;
  void stats(StatVisitor& v) const;
};

}  // namespace warpvp
