#pragma once
// The interface of DRAM scheduling policies (registry kind "dram_scheduler"): which command goes next.
//
// The controller offers, for the direction it is serving (reads, or writes while it drains them), up to two
// candidates a bank: the next command of its oldest column access, and the oldest access to its open row if
// that is another one; or, to a policy that ranks kernels, these two of each kernel slot. The policy names
// one that is legal now, or none.

#include <cstdint>
#include <vector>

#include "base/cycle.h"
#include "base/stats.h"
#include "interconnect/policy_context.h"

namespace warpvp {

class DramScheduler {
 public:
  static constexpr const char* kKind = "dram_scheduler";
  using Context = PolicyContext;

  enum class Command : std::uint8_t { kActivate, kPrecharge, kColumn };
  struct Candidate {
    Command command = Command::kColumn;  ///< kColumn: its row is open
    bool write = false;
    bool bank_has_hits = false;  ///< other accesses wait for the row that is open in this bank
    std::uint16_t bank = 0;
    std::uint64_t age = 0;               ///< order of arrival, smaller is older; unique to an access
    Cycle arrival = 0;                   ///< DRAM cycle at which the access entered the queue
    Cycle earliest = 0;                  ///< first cycle at which the command is legal
    std::uint32_t launch = 0xffffffffu;  ///< who caused the access: MemExtension's fields
    std::uint16_t kernel_slot = 0xffff;
    std::uint16_t context = 0;
    std::uint16_t sm = 0xffff;
    // For the controller.
    std::uint32_t index = 0;  ///< position in the bank's queue
    Cycle bank_ready = 0;     ///< first cycle at which its bank, taken alone, would allow it
  };

  virtual ~DramScheduler() = default;
  /// True: banks offer candidates of each kernel slot, so that an access may overtake older ones of other
  /// kernels. What belongs to no kernel counts as one. Asked once, before all else.
  virtual bool ranks_kernels() const { return false; }
  /// What the policy counts; shown summed over the channels.
  virtual void stats(StatVisitor&) const {}
  /// Index of the candidate whose command goes at `now` (it must have earliest <= now), or -1 to send none.
  /// Asked at cycles at which some candidate is legal. Such a cycle may lie ahead of simulated time, by less
  /// than the controller's `frontend_cycles`: no access that is not among the candidates' queues can come
  /// before it. With two command buses it is asked again in the same cycle, about the commands of the other
  /// bus.
  virtual int pick(const std::vector<Candidate>& candidates, Cycle now) = 0;
  /// The picked command was sent.
  virtual void issued(const Candidate&, Cycle) {}
};

/// Of the group of its statistics.
inline constexpr const char kDramSchedulerSentence[] = "What the DRAM scheduler counts.";

}  // namespace warpvp
