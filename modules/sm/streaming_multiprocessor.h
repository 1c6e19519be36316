#pragma once
// The streaming multiprocessor of `sm.type: cycle`: executes instruction by instruction.
//
// The module owns its sub-cores, its memory side and its registers, and drives them once an edge, in this
// order: set-ups and launches that became due, the memory side (data that came back), operands that became
// ready; then each sub-core takes in what was fetched, issues, and fetches. Between edges with work the SM
// sleeps.

#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "interconnect/launch.h"
#include "modules/sm/config.h"
#include "modules/sm/fast_forward.h"
#include "modules/sm/instruction_source.h"
#include "modules/sm/sm.h"
#include "modules/sm/sm_registers.h"
#include "modules/sm/state_moves.h"
#include "modules/sm/sub_core.h"

namespace warpvp {

class StreamingMultiprocessor : public Sm,
                                public Clocked,
                                private WarpView,
                                private SubCoreOwner,
                                private MemoryClient,
                                private FetchClient,
                                private InstructionSource::EffectClient {
 public:
  StreamingMultiprocessor(sc_core::sc_module_name name, const SmConfig& config, unsigned sm_id,
                          ClockDomain& clock, const SmServices& services);
  ~StreamingMultiprocessor() override;

  /// Window of regmap::sm. Writes act when they arrive, after the delay that comes with them.
  tlm_utils::simple_target_socket<StreamingMultiprocessor> control;
  /// Writes CtaDone records to the distributor's completion mailbox. Any answer but OK is a device fault.
  tlm_utils::simple_initiator_socket<StreamingMultiprocessor> completion;

  tlm::tlm_target_socket<>& control_socket() override { return control; }
  tlm::tlm_initiator_socket<>& completion_socket() override { return completion; }
  tlm::tlm_initiator_socket<>& memory_socket() override { return memory_->socket(); }
  const RegisterBlock& register_block() const override { return registers_; }

  void evaluate(Cycle now) override;
  bool worth_a_thread(Cycle now) const override { return !ahead_ || now > shared_.now; }
  Cycle commit(Cycle now) override;
  std::uint64_t progress() const override;

  void settle(Cycle now) override;
  void charge_stalls(Cycle now) override;
  Cycle last_edge() const override { return std::max(shared_.now, charged_); }
  const SmCounters& counters() const override { return shared_.counters; }
  unsigned resident_warps() const override { return resident_warps_; }
  unsigned resident_ctas() const override { return shared_.ctas.resident(); }
  const SmLaunchCounters* launch_counters(std::uint32_t launch_id) const override {
    return shared_.ctas.counters(launch_id);
  }
  const SmMemoryCounters* memory_counters(std::uint32_t launch_id) const override {
    return memory_->launch_counters(launch_id);
  }
  const SmLaunchCounters* functional_counters(std::uint32_t launch_id) const override {
    return fast_forward_ ? fast_forward_->counters(launch_id) : nullptr;
  }
  void memory_stats(StatVisitor& v) const override { memory_->stats(v); }
  void policy_stats(StatVisitor& v) const override;
  const MemorySide& memory() const { return *memory_; }

  bool busy() const override {
    return resident_warps_ != 0 || !launches_.empty() || !moves_.empty() || !done_.empty() ||
           (fast_forward_ && fast_forward_->busy());
  }
  /// Lines read "CTA (0,0,0) warp 3: waits at barrier 0, file.ptx:12: ...".
  std::string describe_waiting(unsigned at_most) const override;
  WarpView* warps() override { return this; }
  void observe_issue(IssueObserver* observer) override { shared_.observed.watch_by(observer); }
  IssueObserver* issue_observer() const override { return shared_.observed.observer; }
  const std::vector<WarpSlot*>& slots() const override { return slots_; }
  std::uint64_t switch_after() const override { return shared_.config.divergence.switch_after; }
  void profile_instructions() override { shared_.ctas.profile_instructions(); }
  void count_executed() override { shared_.ctas.count_executed(); }
  const std::vector<std::unique_ptr<ProgramProfile>>& instruction_profiles() const override {
    return shared_.ctas.profiles();
  }

 private:
  enum class SetupKind : std::uint8_t {
    kKernelStart,
    kDivision,
    kPageTable,
    kTextures,
    kLocalMemory,
    kCtaLimit,
    kPolicy
  };
  /// A register write that acts at an edge of its own.
  struct Setup {
    Cycle due;
    SetupKind kind;
    std::uint64_t value;     // launch id, bytes, table or limit
    std::size_t policy = 0;  // kPolicy: in policy_writes_
    unsigned index = 0;      // kPolicy: of the value; kCtaLimit: kernel slot
  };

  /// Accepted, not started.
  struct PendingLaunch {
    Cycle due;
    CtaLaunch record;
    std::uint32_t state;  // it goes on from; 0: it begins
  };
  /// A CTA between two SMs of this type.
  struct SavedCycleCta : SavedCta {
    std::unique_ptr<SavedInstructions> instructions;
    std::vector<bool> at_barrier;  // by warp
  };

  // windows.cpp
  void step_ahead();
  void evaluate_window(Cycle now);
  Cycle commit_window(Cycle now);
  bool alone() const;
  bool stops() const;

  void evaluate_edge(Cycle now);
  Cycle commit_edge(Cycle now);
  /// The next edge at which there is work, as known after edge `now`.
  Cycle next_edge(Cycle now) const;
  /// Edges up to this one at which it slept though it had ready warps are accounted for.
  void charge_refused(Cycle until);
  void raise_fault();
  void post_records();
  /// The edge at which what comes with the register access under way acts at the earliest.
  Cycle acts_at() const { return std::max(clock_.edge_after(access_delay_), ahead_ ? shared_.now + 1 : 0); }

  void control_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);
  unsigned control_debug(tlm::tlm_generic_payload& payload) { return registers_.transport_dbg(payload); }
  SmRegisterHooks register_hooks();
  void accept_launch(const CtaLaunch& record);
  void accept_setup(SetupKind kind, std::uint64_t value, unsigned index = 0, std::size_t policy = 0);
  void add_policy_register(RegisterSpec spec);
  /// Lets the oldest CTAs of the slot's kernel issue, as many as its limit allows, and holds the others.
  void apply_limit(unsigned kernel_slot);
  void close_cta(unsigned slot, bool preempted);
  /// Warp instructions of the launch that had CTAs here last from the slot.
  std::uint64_t instructions_of_last(unsigned kernel_slot) const;
  void accept_division(std::uint32_t bytes);
  void set_up(Cycle now);
  std::uint32_t shared_need(const CtaLaunch& record, const ptx::Program& program) const;
  void complete(const CtaDone& done);
  void report(const CtaPreempted& record);
  /// `from`: it goes on from there.
  void start_cta(const CtaLaunch& record, SavedCycleCta* from = nullptr);
  void begin(const PendingLaunch& launch);
  /// A CTA that takes no cycles.
  void accept_functional(const CtaLaunch& record);
  /// The slice of such CTAs that is due at edge `now`, if any; returns the next edge with work.
  Cycle run_functional(Cycle now);
  // preemption.cpp
  void accept_preemption(std::uint32_t way);
  void move_states(Cycle now);
  void leave(Cycle now);
  void save_cta(unsigned slot);
  void drop_cta(unsigned slot);
  void take_off(unsigned slot);
  void observe_skipped_edges(Cycle now);
  SubCore& sub_core_of(const WarpSlot& slot) { return *sub_cores_[slot.sub_core]; }

  Cycle arrived_at_barrier(unsigned cta_slot) override;
  Cycle barrier_release() const;
  void release_barriers(unsigned cta_slot) override;
  void warp_drained(WarpSlot& slot) override;
  void faulted(WarpSlot& slot, ptx::Pc pc) override;
  void skipped_wrongly(WarpSlot& slot, ptx::Pc pc, std::string what) override;
  void build_shared_front_end();
  void shared_row_changed(unsigned row, Cycle at, bool at_once);
  /// Where the warp is.
  void locate(DeviceFault& fault, const WarpSlot& slot, ptx::Pc pc);
  void page_fault(const tlm::tlm_generic_payload& request);
  void effect_failed(const ptx::InstructionStream& stream, ptx::Pc pc) override;
  void memory_missed(std::uint32_t token) override;
  void memory_done(std::uint32_t token) override;
  void stores_drained(unsigned warp) override;
  void instruction_line_filled(std::uint64_t line_address, unsigned sub_core) override;

  // Before all that declares some.
  RegisterBlock registers_;
  std::vector<std::function<void(unsigned, std::uint64_t)>> policy_writes_;  // of policies' registers
  ClockDomain& clock_;

  // What every edge looks at lies together.
  SmShared shared_;
  unsigned resident_warps_ = 0;
  Cycle charged_ = 0;  // the last edge that charge_refused() knows of
  bool stopped_ = false;
  bool halted_ = false;  // a fault of the context whose CTAs are here: nothing issues until they have left
  Cycle barriers_seen_ = 0;  // edge from which the barrier unit has dealt with all arrivals so far
  std::unique_ptr<MemorySide> memory_;
  std::vector<std::unique_ptr<SubCore>> sub_cores_;
  /// The warps of all sub-cores, by AccessOwner::warp: warp w of sub-core s is slot w * sub-cores + s.
  std::vector<WarpSlot*> slots_;
  std::vector<const ptx::InstructionStream*>
      streams_;                              // of the slots that have one, at hand to be prefetched
  std::vector<PendingLaunch> launches_;      // in order
  std::vector<Setup> setups_;                // accepted, not in force; in order
  std::vector<CtaDone> done_;                // to be sent at this edge's commit
  std::vector<CtaPreempted> preempted_;      // likewise
  StateMoves moves_;                         // of CTAs that leave or come back
  Preemption leaving_ = Preemption::kDrain;  // kDrain: nobody is to leave
  Cycle leaving_since_ = 0;
  std::uint32_t resume_ = 0;  // state from which the next launch goes on
  bool functional_ = false;   // the next launch takes no cycles
  Cycle observed_ = 0;        // the last edge the oracles saw

  unsigned clock_id_;
  SmServices services_;
  bool ahead_ = false;  // edges are evaluated in windows

  std::unique_ptr<InstructionSource> source_;
  std::unique_ptr<FastForward> fast_forward_;  // nullptr: no kernel has been sampled
  std::optional<DeviceFault> fault_;           // to be raised at this edge's commit

  std::vector<std::uint32_t> cta_limits_;             // by kernel slot
  std::vector<std::uint32_t> launch_of_slot_;         // the last that had CTAs here; kNoLaunch: none yet
  std::vector<std::uint64_t> instructions_before_;    // of warps, of the slot's launches before that one
  bool limited_ = false;                              // one has been set
  sc_core::sc_time access_delay_;                     // of the register access under way
  bool refused_ = false;                              // likewise
  std::uint32_t context_ = 0;                         // whose CTAs it takes
  std::uint64_t page_table_ = 0, texture_table_ = 0;  // of that context, in force
  std::uint32_t shared_bytes_;                        // the division as last accepted
  std::uint32_t shared_used_ = 0;                     // by resident CTAs
  std::uint64_t next_age_ = 0;
  unsigned next_sub_core_ = 0;   // for the next warp of a CTA
  unsigned first_sub_core_ = 0;  // at which the next CTA begins under `rotate`
};

}  // namespace warpvp
