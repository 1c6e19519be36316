#pragma once
// One sub-core of an SM: front end, issue stage, operand stage and execution units, each behind a face of its
// own and chosen by name, and its warps. Four of them and the memory side make an SM
// (streaming_multiprocessor.h).
//
// At each edge with work a sub-core takes in what was fetched, issues, and starts a fetch. An instruction
// takes effect when it issues; the stages account for time. The sub-core keeps what each warp waits for, and
// tells the stages of it.

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "base/slot_pool.h"
#include "modules/sm/config.h"
#include "modules/sm/cta_table.h"
#include "modules/sm/execute/execute_stage.h"
#include "modules/sm/execute/issue_ports.h"
#include "modules/sm/frontend/front_end.h"
#include "modules/sm/instruction_source.h"
#include "modules/sm/issue/issue_observer.h"
#include "modules/sm/issue/issue_stage.h"
#include "modules/sm/issue/operand_latencies.h"
#include "modules/sm/issue/row_map.h"
#include "modules/sm/issue/shared_rows.h"
#include "modules/sm/issue/wake_wheel.h"
#include "modules/sm/memory/memory_side.h"
#include "modules/sm/operands/operand_stage.h"
#include "modules/sm/sm_context.h"
#include "modules/sm/stage_context.h"
#include "modules/sm/warp_slot.h"

namespace warpvp {

/// AccessInFlight::names where rows are not renamed.
inline constexpr std::uint32_t kNoNames = ~std::uint32_t{0};

/// What an instruction writes, where rows are renamed.
struct WrittenNames {
  std::uint16_t writes = 0;
  RowName names[OtherNames::kMostWrites];
};

/// A memory instruction that the memory side has not finished.
struct AccessInFlight {
  const ptx::Inst* inst = nullptr;
  WarpSlot* slot = nullptr;
  std::uint32_t row_base = 0, pred_base = 0;
  bool async = false;
  std::uint32_t signal = ptx::BulkSpans::kNoSignal;  ///< of a bulk copy: told to the stream in the end
  std::uint32_t names = kNoNames;                    ///< where rows are renamed: in SmShared::names_in_flight
};

/// What the sub-cores of an SM share; the SM owns it.
struct alignas(64) SmShared {
  /// `take` adds a register of a policy to those of the SM.
  SmShared(const SmConfig& config, SmContext place, PolicyRegisters::Take take);

  // What every edge looks at lies together.
  Cycle now = 0;
  Cycle next_work = kNever;  ///< of the sub-cores evaluated at this edge
  bool stepped = false;      ///< an instruction issued at this edge
  bool refused = false;      ///< a sub-core sleeps though it has ready warps (SubCore::charge_refused)
  MemorySide* memory = nullptr;
  InstructionSource* source = nullptr;
  ObserverQueue observed;
  CtaTable ctas;
  WakeWheel wheel;  ///< of warp slots whose operands come at a known edge
  SmCounters counters;
  SlotPool<AccessInFlight> in_flight;  ///< by token
  const SmConfig config;
  const unsigned sm_id;
  std::uint64_t local_memory_base = 0,
                local_memory_bytes = 0;  ///< device region in which local memory is timed
  std::uint64_t period_fs = 1'000'000;   ///< of the SM's clock
  SmEvents events;
  const SmContexts contexts;                  ///< of its policies
  SlotPool<WrittenNames> names_in_flight;     ///< by AccessInFlight::names
  std::unique_ptr<SharedFrontEnd> front_end;  ///< nullptr: the sub-cores' front ends share nothing
};

/// What a sub-core leaves to its SM.
class SubCoreOwner {
 public:
  virtual ~SubCoreOwner() = default;
  /// A warp of the CTA arrived at a barrier. Returns the edge from which a warp may go on whose arrival was
  /// the last one.
  virtual Cycle arrived_at_barrier(unsigned cta_slot) = 0;
  /// A warp of the CTA, or some of its lanes, left so that others may go on.
  virtual void release_barriers(unsigned cta_slot) = 0;
  /// The warp has exited and nothing of it is in flight.
  virtual void warp_drained(WarpSlot& slot) = 0;
  /// The instruction at `pc` faulted, as InstructionSource::fault() says.
  virtual void faulted(WarpSlot& slot, ptx::Pc pc) = 0;
  /// The front end has left that at `pc` out, and `what` is wrong about it.
  virtual void skipped_wrongly(WarpSlot& slot, ptx::Pc pc, std::string what) = 0;
};

class SubCore : private IssueClient {
 public:
  SubCore(SmShared& sm, SubCoreOwner& owner, unsigned index);

  /// No room for a further warp.
  bool full() const;
  /// The position that the next warp gets; requires !full().
  unsigned next_position() const { return static_cast<unsigned>(__builtin_ctzll(~signals_.resident)); }
  /// Starts the warp that executes `stream` as one of the CTA in `cta_slot`, at next_position().
  WarpSlot& start_warp(unsigned cta_slot, ptx::InstructionStream& stream, const WarpInfo& info);
  /// A warp that has just started goes on where its stream stands, at a barrier if it waits there.
  void resume(WarpSlot& slot, bool at_barrier);
  /// The warp is gone: its place is free.
  void free_warp(WarpSlot& slot);
  /// The same for one that has not exited, and of which nothing is under way.
  void take_off(WarpSlot& slot);

  /// One edge.
  void evaluate(Cycle now) {
    signals_.refused_until = 0;
    if (signals_.arrival <= now || signals_.ready || signals_.fetchable || observed_) {
      work(now);
    } else {
      sm_.next_work = std::min(sm_.next_work, signals_.arrival);
    }
  }

  /// The next edge at which it has work, as far as is known behind edge `now`.
  Cycle next_work(Cycle now) const {
    if (signals_.fetchable || (signals_.ready && signals_.refused_until <= now)) return now + 1;
    return signals_.ready ? std::min(signals_.refused_until, signals_.arrival) : signals_.arrival;
  }
  /// Warps that were refused at the edge evaluated last have been so at this many more.
  void charge_refused(Cycle edges);

  /// What the warp's next instruction waits for, looked at again; it issues at `earliest` at the earliest.
  void update_head(WarpSlot& slot, Cycle earliest);
  /// A shared row's edge has changed, for which the warp may have waited. `at_once`: no sub-core has been
  /// evaluated at this edge.
  void shared_row_changed(WarpSlot& slot, bool at_once);
  // The memory side's answers.
  void access_missed(const AccessInFlight& access);
  void access_done(const AccessInFlight& access);
  void stores_drained(WarpSlot& slot);
  void line_filled(std::uint64_t line_address);
  /// Of a warp that has no instruction: "waits for instructions (...)", for messages.
  std::string describe_fetch(const WarpSlot& slot) const;

  /// The issue stage looks at an edge at which nobody was ready.
  void observe_idle_edge(Cycle edge) { issue_->observe_idle_edge(edge, *this); }
  /// The warp's CTA is throttled (regmap::sm::kCtaLimits), or may go on: it issues from the next edge on.
  void throttle(WarpSlot& slot, bool throttled);
  /// What its stages and their policies count, each in a group.
  void stats(StatVisitor& v) const;
  /// Closes the open stall intervals of its warps at the present edge.
  void settle();

  std::vector<WarpSlot>& warps() { return warps_; }

 private:
  void issue(unsigned warp, Cycle now) override;
  WarpMask refused_by_memory(WarpMask loads) const override;
  void charge_blocked(WarpMask blocked, Stall reason, Cycle edges) override;
  WarpMask starved(Cycle now) const override;
  void count_verdict(bool discrepancy, bool error) override;

  void work(Cycle now);
  StageContext context(const char* kind, const PolicyChoice& choice);
  template <class Type>
  auto build_stage(const PolicyChoice& choice);
  void issue_instruction(WarpSlot& slot, ptx::Pc pc, Cycle now);
  void issue_nop(WarpSlot& slot, Cycle now);
  void send_to_memory(WarpSlot& slot, ptx::Pc pc, const ptx::Inst& inst, std::uint32_t row_base,
                      std::uint32_t pred_base);
  void warp_exited(WarpSlot& slot);
  /// Nothing keeps a warp that has exited (`sm.warp_exit`).
  bool drained(const WarpSlot& slot) const;
  /// `head_port`: of kReady.
  void set_state(WarpSlot& slot, WarpState state, unsigned head_port = StageSignals::kNoPort);
  void charge(WarpSlot& slot);
  Cycle sleep_cycles(const WarpSlot& slot, const ptx::Inst& inst, std::uint32_t row_base) const;
  /// Counts for `slot.launch->profile` and the launch's `executed`, as far as they are wanted: the warp has
  /// executed `inst` at `pc`, with `active` lanes on its path before.
  void count_issue(WarpSlot& slot, const ptx::Inst& inst, ptx::Pc pc, ptx::LaneMask active);
  /// The same cycles by instruction.
  void profile_blocked(const ResidentLaunch& launch, WarpMask blocked, Stall reason, Cycle edges);
  void note_refusal();
  /// The first edge at which the warp can issue `inst`, as far as operands and its last branch go.
  Cycle clear_at(const WarpSlot& slot, const ptx::Inst& inst) const;
  /// What the warp executes next, as far as its front end knows.
  ptx::Pc next_pc(const WarpSlot& slot) const;

  // sub_core_entries.cpp: front ends that leave instructions out, rename rows, or follow what issues.
  /// What is beside the program counter of the entry that issues; made only for front ends that want it.
  struct Entry {
    const RowMap* map = nullptr;   // nullptr: rows are the warp's own
    SharedRows* shared = nullptr;  // nullptr: there are none
    bool follows = false, own_banks = false;
    bool latencies = false;  // a row is there at another edge for who needs it as an address, a guard, ...
    std::uint32_t tag = 0;
    OtherNames names;  // none: rows are the warp's own
    // The same of warps' heads, which are looked at more than once before they issue.
    WarpMask known = 0;
    std::vector<OtherNames> heads;  // by position of the warp; none without a map
    std::vector<RowName> rooms;     // by position of the warp, for maps that keep no names
  };
  std::unique_ptr<Entry> make_entry() const;
  /// Notes the warp's head, which is about to be taken.
  void note_entry(const WarpSlot& slot, ptx::Pc pc) {
    entry_->tag = front_end_->tag(slot.warp);
    if (!entry_->map) return;
    entry_->names = named_head(slot, slot.code[pc]);
    forget_head(slot);
  }
  /// What was left out before `pc` takes effect. False: nothing issues, as the warp is elsewhere, or stops.
  bool pass_over(WarpSlot& slot, ptx::Pc pc, Cycle now);
  /// There is no such row.
  void report_name(const WarpSlot& slot, RowName name) const;
  /// What the map calls the rows of the warp's head, `inst`, until the next one is looked at. Requires a map.
  const OtherNames& named_head(const WarpSlot& slot, const ptx::Inst& inst) {
    if (!(entry_->known >> slot.warp & 1)) name_head(slot, inst);
    return entry_->heads[slot.warp];
  }
  void name_head(const WarpSlot& slot, const ptx::Inst& inst);
  /// The warp's head is taken, or the warp is new. Redirects need none: they come while an entry issues,
  /// before anybody looks at the next.
  void forget_head(const WarpSlot& slot) {
    if (entry_) entry_->known &= ~(WarpMask{1} << slot.warp);
  }
  /// As clear_at(), of the warp's head under its names. A warp that waits for a shared row is told of it.
  Cycle renamed_clear_at(const WarpSlot& slot, const ptx::Inst& inst, const OtherNames& names);
  /// The same with latencies beyond the edges at which rows are there, which is `clear`.
  Cycle renamed_later(const WarpSlot& slot, const ptx::Inst& inst, const OtherNames& names,
                      Cycle clear) const;
  /// For AccessInFlight::names, of the entry that issues.
  std::uint32_t names_to_write();
  Cycle collect_renamed(const WarpSlot& slot, const ptx::Inst& inst, Cycle now);
  /// What `inst` writes is there at `at`, under the `names` of those that stand in `writes`. `by_memory`: it
  /// is the memory side that says so.
  void set_rows(WarpSlot& slot, const ptx::Inst& inst, unsigned row_base, unsigned pred_base, unsigned writes,
                const RowName* names, Cycle at, unsigned unit, bool by_memory);
  void set_result(const AccessInFlight& access, Cycle at) {
    if (access.names == kNoNames)
      return access.slot->scoreboard.set(*access.inst, access.row_base, access.pred_base, at);
    const WrittenNames& names = sm_.names_in_flight[access.names];
    set_rows(*access.slot, *access.inst, access.row_base, access.pred_base, names.writes, names.names, at,
             SharedRows::kNoUnit, true);
  }
  /// The entry has issued, and what it writes is there at `result_at`, kPendingHit: when memory says.
  void settle_entry(WarpSlot& slot, const ptx::Inst& inst, ptx::Pc pc, ptx::LaneMask active,
                    unsigned row_base, unsigned pred_base, Cycle result_at);

  StageSignals signals_;
  const IssuePorts ports_;
  SmShared& sm_;
  SubCoreOwner& owner_;
  const unsigned guard_latency_, address_latency_;
  const std::unique_ptr<OperandLatencies> operand_latencies_;  // none where all are 0
  const bool exit_awaits_stores_;
  const unsigned index_;
  const std::unique_ptr<FrontEnd> front_end_;
  const std::unique_ptr<OperandStage> operands_;
  const std::unique_ptr<ExecuteStage> units_;
  const std::unique_ptr<IssueStage> issue_;
  const std::unique_ptr<Entry> entry_;  // none for a front end that neither renames nor follows
  WarpMask throttled_ = 0;              // warps whose CTAs may not issue
  const bool observed_;                 // by the issue stage, at every edge
  std::vector<WarpSlot> warps_;         // by position, which is the warp's bit in masks
};

}  // namespace warpvp
