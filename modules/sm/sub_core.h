#pragma once
// One sub-core of an SM: front end, issue scheduler with its operand stage, the oracle beside it when asked
// for, and its warps. Four of them and the memory side make an SM (streaming_multiprocessor.h).
//
// At each edge with work a sub-core takes in what was fetched, issues at most one instruction, and starts a
// fetch. An instruction takes effect when it issues; the stages account for time.

#include <optional>
#include <string>
#include <vector>

#include "base/fault.h"
#include "interconnect/device_memory.h"
#include "modules/sm/config.h"
#include "modules/sm/cta_table.h"
#include "modules/sm/frontend/frontend.h"
#include "modules/sm/issue/excused_warps.h"
#include "modules/sm/issue/issue_observer.h"
#include "modules/sm/issue/issue_scheduler.h"
#include "modules/sm/issue/schedule_oracle.h"
#include "modules/sm/issue/wake_wheel.h"
#include "modules/sm/memory/memory_side.h"
#include "modules/sm/warp_slot.h"

namespace warpvp {

/// A memory instruction that the memory side has not finished.
struct AccessInFlight {
  const ptx::Inst* inst = nullptr;
  WarpSlot* slot = nullptr;
  std::uint32_t row_base = 0, pred_base = 0;
  bool async = false;
};

/// What the sub-cores of an SM share; the SM owns it.
struct SmShared {
  SmShared(const SmConfig& config, unsigned sm_id);

  /// Notes an access under a token that is free.
  std::uint32_t take_token(const AccessInFlight& access);

  // What every edge looks at lies together.
  Cycle now = 0;
  MemorySide* memory = nullptr;
  ObserverQueue observed;
  CtaTable ctas;
  WakeWheel wheel;  ///< of warp slots whose operands come at a known edge
  SmCounters counters;
  std::vector<AccessInFlight> in_flight;  ///< by token
  std::vector<std::uint32_t> free_tokens;
  const SmConfig config;
  const unsigned sm_id;
  Cycle latency[static_cast<unsigned>(ptx::OpClass::kCount)];
  std::uint64_t local_memory_base = 0,
                local_memory_bytes = 0;  ///< device region in which local memory is timed
};

/// What a sub-core leaves to its SM.
class SubCoreOwner {
 public:
  virtual ~SubCoreOwner() = default;
  /// A warp of the CTA arrived at a barrier, or left so that others may go on.
  virtual void release_barriers(CtaSlot& cta) = 0;
  /// The warp has exited and nothing of it is in flight.
  virtual void warp_drained(WarpSlot& slot) = 0;
  /// The instruction at `pc` faulted, as the environment's ExecFault says.
  virtual void faulted(WarpSlot& slot, ptx::Pc pc) = 0;
};

class SubCore {
 public:
  SubCore(SmShared& sm, SubCoreOwner& owner, unsigned index);

  /// No room for a further warp.
  bool full() const;
  /// Starts warp `warp_of_cta` of the CTA in `cta_slot`; requires !full().
  WarpSlot& start_warp(unsigned cta_slot, unsigned warp_of_cta, const WarpInfo& info);
  /// The warp is gone: its place is free.
  void free_warp(WarpSlot& slot);

  /// One edge.
  void evaluate(Cycle now);
  Cycle next_work(Cycle now) const { return scheduler_.ready() ? now + 1 : frontend_.next_work(now); }

  /// What the warp's next instruction waits for, looked at again; it issues at `earliest` at the earliest.
  void update_head(WarpSlot& slot, Cycle earliest);
  // The memory side's answers.
  void access_missed(const AccessInFlight& access);
  void access_done(const AccessInFlight& access);
  void stores_drained(WarpSlot& slot);
  void line_filled(std::uint64_t line_address);

  /// Has the oracle look at an edge at which nobody was ready.
  void observe_idle_edge(Cycle edge) { pick_observed(edge, 0); }
  /// Closes the open stall intervals of its warps at the present edge.
  void settle();

  std::vector<WarpSlot>& warps() { return warps_; }
  const Frontend& frontend() const { return frontend_; }

 private:
  /// Beside the scheduler, when asked for.
  struct Oracle {
    ScheduleOracle schedulers;
    ExcusedWarps excused;
  };

  void issue(Cycle now);
  WarpMask issuable_warps(Cycle now);
  void charge_blocked(WarpMask blocked, Stall reason);
  void issue_warp(WarpSlot& slot, Cycle now);
  void issue_nop(WarpSlot& slot, Cycle now);
  void send_to_memory(WarpSlot& slot, const ptx::Inst& inst, std::uint32_t row_base, std::uint32_t pred_base);
  void warp_exited(WarpSlot& slot);
  void set_state(WarpSlot& slot, WarpState state);
  void charge(WarpSlot& slot);
  WarpMask starved_warps(Cycle now) const;
  unsigned pick_observed(Cycle now, WarpMask issuable);
  [[noreturn]] void broken_contract(const char* kind, const PolicyChoice& policy, const char* what,
                                    unsigned picked, WarpMask allowed) const;

  SmShared& sm_;
  SubCoreOwner& owner_;
  const unsigned index_;
  const bool coordinated_;
  Frontend frontend_;
  IssueScheduler scheduler_;
  std::optional<Oracle> oracle_;
  std::vector<WarpSlot> warps_;  // by position, which is the warp's bit in masks
};

}  // namespace warpvp
