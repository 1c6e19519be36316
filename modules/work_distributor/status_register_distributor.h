#pragma once
// `work_distributor.type: status_registers`: holds the running kernels in kernel status registers, keeps
// account of what is free on each SM, lets its policy decide which CTA goes where, writes launches to the SMs
// and takes their completions. Kernel and SM status registers as in CUsched (sections II.B and III.C).

#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "base/fields.h"
#include "base/inbox.h"
#include "base/outlook.h"
#include "interconnect/policy_slot.h"
#include "interconnect/register_map.h"
#include "modules/work_distributor/dispatch_state.h"
#include "modules/work_distributor/policy.h"
#include "modules/work_distributor/sm_partition.h"
#include "modules/work_distributor/work_distributor.h"

namespace warpvp {

struct WorkDistributorConfig {
  std::uint32_t slots = 32;  ///< the platform's
  std::uint32_t ctas_per_cycle = 1;
  std::uint32_t launch_interval = 1;
  std::uint32_t launch_cycles = 0, drain_cycles = 0, setup_cycles = 0;
  PolicyChoice policy = "smk";
  std::string preemption = "drain";

  /// All but `slots`.
  void fields(FieldVisitor& v) {
    v.field("ctas_per_cycle", ctas_per_cycle, "", "CTAs launched per cycle in all; an SM takes one a cycle.",
            Constraint::range(1, 1024));
    v.field("launch_interval", launch_interval, "cycles",
            "Cycles between two cycles in which CTAs are launched: with ctas_per_cycle the rate of launches.",
            Constraint::range(1, 1000));
    v.field("launch_cycles", launch_cycles, "cycles",
            "From the start of a kernel until its first CTA can go to an SM: what the front end prepares.",
            Constraint::range(0, 1000000));
    v.field("drain_cycles", drain_cycles, "cycles",
            "From the end of a kernel's last CTA until the command processor hears of it: what has to be "
            "flushed and reported.",
            Constraint::range(0, 1000000));
    v.field(
        "setup_cycles", setup_cycles, "cycles",
        "From the moment an SM is set up until it takes CTAs. It is set up for another context when it has "
        "no CTA of the last one; where the policy hands whole SMs to kernels, for each kernel.",
        Constraint::range(0, 100000000));
    v.policy("policy", CtaDispatchPolicy::kKind, policy, "Which kernel's next CTA goes to which SM.");
    v.field(
        "preemption", preemption,
        "How an SM is taken from its kernel, by policies that hand out whole SMs: drain lets its CTAs run to "
        "their ends; switch saves them in device memory, and they go on later, on any SM; flush drops those "
        "that can start again, and drains the others.",
        Constraint::words({"drain", "switch", "flush"}));
  }
};

/// A register of the policy as one of the distributor: its offset counts from the policy's window.
RegisterSpec in_policy_window(RegisterSpec spec);

class StatusRegisterDistributor : public WorkDistributor, public Foreseeing, private Clocked {
 public:
  /// `sm_count` SMs, each with `resources`, reached through `bus` at regmap::sm::window(i). `page_table`: of
  /// context 0 at reset. `sampled`: asked where `sampling` is on. Throws InputError for an unknown policy.
  StatusRegisterDistributor(sc_core::sc_module_name name, const WorkDistributorConfig& config,
                            const SmResources& resources, unsigned sm_count, ClockDomain& domain,
                            FaultSink& faults, std::uint64_t page_table = 0, std::uint64_t seed = 1,
                            const SamplingConfig& sampling = {}, SampledDevice* sampled = nullptr,
                            std::uint32_t most_followers = 0);

  tlm_utils::simple_target_socket<StatusRegisterDistributor> registers;  ///< window of regmap::wd
  tlm_utils::simple_initiator_socket<StatusRegisterDistributor>
      bus;  ///< launches to SMs, completions to the CP

  tlm::tlm_target_socket<>& registers_socket() override { return registers; }
  tlm::tlm_initiator_socket<>& bus_socket() override { return bus; }
  const RegisterBlock& register_block() const override { return block_; }
  void set_observer(DispatchObserver* observer) override { observer_ = observer; }
  const std::vector<KernelRecord>& records() const override { return records_; }
  WorkDistributorStats statistics() const override;
  bool adds_time() const override { return !skipping_.empty(); }
  void policy_stats(StatVisitor& v) const override;
  const DispatchState& state() const { return state_; }
  bool idle() const { return state_.kernels().empty() && arrivals_.empty(); }
  std::string describe() const override;
  /// It never waits for an answer: what its policy declined stays declined until somebody calls. But an SM
  /// whose CTAs are to leave will do so by itself.
  Outlook outlook() const override;

 private:
  struct Launch {
    unsigned sm;
    CtaLaunch record;
    SmSetup setup;
    bool functional = false;  // it takes no cycles
  };
  struct Slot {
    bool busy = false;
    std::uint64_t issued = 0, done = 0;
    regmap::wd::SlotStatus status = regmap::wd::SlotStatus::kFree;
    regmap::wd::KernelSlotImage image;  // as it was when the kernel was started, but for what may change
    bool held = false;
    std::size_t record = 0;
    std::unique_ptr<Sampler> sampler;  // nullptr: kernels are not sampled
    bool one_by_one = false;           // SMs do not take followers of its CTAs
  };

  /// What firmware changes of a kernel that has started.
  struct Change {
    enum Kind : std::uint8_t { kPriority, kBudget, kHold, kLimit } kind;
    unsigned slot;
    std::uint32_t value;
    bool running;  ///< it was meant for the kernel of `record`; else for the one that comes next
    std::size_t record;
    unsigned sm;  ///< kLimit: or wd::kAllSms
    bool drains;  ///< kLimit: CTAs above it go on
  };
  /// A write to a register of the policy.
  struct PolicyWrite {
    std::size_t which;  ///< in policy_writes_
    unsigned index;
    std::uint64_t value;
  };
  /// What an SM is told of a limit.
  struct LimitWrite {
    unsigned sm, slot;
    std::uint32_t ctas;
  };

  void evaluate(Cycle now) override;
  Cycle commit(Cycle now) override;
  /// The next edge with something to do, as things are.
  Cycle next_work() const;

  void declare_registers();
  void declare_counts();
  void declare_reports();
  void declare_watcher();
  void declare_kernel_image();
  void declare_kernel_control();
  void declare_kernel_limit();
  void declare_kernel_needs();
  void declare_sms();
  void declare_contexts();
  /// A window that takes a Record whole and puts it into `inbox`.
  template <class Record>
  void add_mailbox(const char* name, std::uint64_t offset, const char* doc, Inbox<Record>& inbox);
  /// Of an access to a register: seen at the edge after the access.
  template <class T>
  void put_at_next_edge(Inbox<T>& inbox, const T& item);
  void b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);
  unsigned transport_dbg(tlm::tlm_generic_payload& payload) { return block_.transport_dbg(payload); }
  regmap::wd::KernelSlotImage image(unsigned slot) const;
  CtaNeeds needs_of(const regmap::wd::KernelSlotImage& image) const;
  void start(unsigned slot);
  void kernels_changed();
  void take_arrivals(Cycle now);
  void take_changes(Cycle now);
  void set_limit(unsigned slot, unsigned sm, std::uint32_t ctas, bool drains);
  /// Tells whoever watches.
  void notify(unsigned slot, std::uint32_t launch_id, bool ended);
  void lift_limits(unsigned slot);
  PolicyContext policy_context(unsigned slots, std::uint64_t seed);
  void add_policy_register(RegisterSpec spec);
  void take_kills(Cycle now);
  void kill(unsigned slot);
  void end_if_over(unsigned slot, Cycle now);
  void change(Change::Kind kind, unsigned slot, std::uint64_t value);
  void partition(Cycle now);
  SmHandover handover(unsigned sm) const;
  void take_completions(Cycle now);
  void take_preempted(Cycle now);
  // sampling.cpp
  void begin_sampling(unsigned slot);
  /// Before a CTA of the kernel is issued: those before it are sent to be computed without cycles.
  /// False: kernels that are sampled and others would run at once, which is a fault.
  bool skip_ctas(unsigned kernel, Cycle now);
  /// The kernel in `slot` has computed this CTA without cycles.
  bool skipped(unsigned slot, const std::uint32_t (&cta)[3]) const;
  /// All CTAs of a kernel of which some were skipped are done: it ends when their time is over.
  bool ends_later(unsigned slot);
  void read_samples(Cycle now);
  void finish_skipped(Cycle now);
  void end(unsigned slot, Cycle now);
  std::uint64_t number_of(unsigned slot, const std::uint32_t (&cta)[3]) const;
  bool known(std::uint32_t launch, unsigned slot, unsigned sm, const std::uint32_t (&cta)[3]) const;
  void left(unsigned sm, Cycle now);
  void finish_drained(Cycle now);
  void dispatch(Cycle now);
  /// What is wrong with a choice of the policy; empty: nothing.
  std::string broken_rule(const CtaDispatchPolicy::Choice& choice) const;
  CtaLaunch make_launch(unsigned slot, std::uint64_t cta) const;
  /// How many CTAs are to follow the one that was issued last: more where more are left, so that all places
  /// have something to do until the end.
  std::uint32_t followers_of(const ResidentKernel& kernel, const SmSetup& setup) const;
  /// An SM has declined the CTA of this number in the grid, `first`, and those that were to follow it.
  void take_declined(const CtaPreempted& first, std::uint64_t number, Cycle now);
  bool send(std::uint64_t address, void* record, unsigned bytes);
  void set_up(const Launch& launch);
  void set_context(unsigned sm);
  void preempt(unsigned sm, Preemption how);
  /// What an SM is told of its context.
  struct Told {
    regmap::wd::ContextRow row;
    std::uint64_t local_memory = 0;
    bool operator==(const Told& o) const { return row == o.row && local_memory == o.local_memory; }
  };
  Told row_of(std::uint32_t context) const;

  WorkDistributorConfig config_;
  SmResources resources_;
  ClockDomain& domain_;
  unsigned clock_id_;
  FaultSink& faults_;
  DispatchObserver* observer_ = nullptr;
  RegisterBlock block_;  // before the policy, which may declare registers
  std::vector<std::function<void(unsigned, std::uint64_t)>> policy_writes_;
  PolicySlot<CtaDispatchPolicy> policy_;
  DispatchState state_;
  std::unique_ptr<SmPartition> partition_;      // nullptr: the policy sends each CTA anywhere
  std::vector<RegisterBlock::Id> image_words_;  // the slots' image registers, in order of offset
  RegisterBlock::Id limit_sms_ = 0, limit_drains_ = 0, watcher_ = 0;
  RegisterBlock::Id page_tables_ = 0, texture_tables_ = 0, local_memories_ = 0;  // the context table
  std::vector<Told> told_;  // by SM: what its registers have
  std::vector<Slot> slots_;
  std::uint64_t next_arrival_ = 0;
  sc_core::sc_time access_delay_;  // of the register access under way

  Inbox<CtaDone> completions_;
  Inbox<CtaPreempted> preempted_;
  std::optional<DeviceFault> fault_;  // found by evaluate, raised by commit
  Inbox<unsigned> arrivals_;          // kernel slots
  Inbox<Change> changes_;
  Inbox<PolicyWrite> writes_;
  std::vector<LimitWrite> limit_writes_;  // to be sent at this edge's commit
  Inbox<std::uint32_t> kills_;            // contexts
  std::vector<std::uint32_t> dead_;       // contexts whose kernels end as they come
  Inbox<unsigned> draining_;              // kernel slots whose CTAs are all done
  const SamplingConfig sampling_;
  SampledDevice* const sampled_;
  const std::uint32_t most_followers_;
  Inbox<unsigned> skipping_;             // kernel slots, when the time of the CTAs skipped is over
  std::vector<unsigned> to_be_settled_;  // kernel slots, at this edge's commit
  unsigned next_skipping_sm_ = 0;
  std::vector<Launch> launches_;
  std::vector<unsigned> set_up_;   // SMs that have to be told their context
  std::vector<unsigned> leaving_;  // SMs that have to be told that their CTAs leave
  std::vector<unsigned> killed_;   // SMs whose CTAs are of a context that has ended
  std::vector<regmap::cp::KernelDone> finished_;
  std::vector<regmap::wd::KernelNotice> notices_;  // to be sent at this edge's commit
  tlm::tlm_generic_payload payload_;               // of posted writes, one after another
  bool more_ = false;                              // CTAs may be launched at next_launch_
  Cycle next_launch_ = 0;

  std::vector<KernelRecord> records_;
  WorkDistributorStats stats_;
  std::vector<Cycle> busy_since_;  // by SM
};

}  // namespace warpvp
