#pragma once
// The work distributor: holds the running kernels in kernel status registers, keeps account of what is free
// on each SM, lets its policy decide which CTA goes where, writes launches to the SMs and takes their
// completions. Kernel and SM status registers as in CUsched (sections II.B and III.C).

#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>

#include <cstdint>
#include <memory>
#include <systemc>
#include <vector>

#include "base/fault.h"
#include "base/fields.h"
#include "base/sm_resources.h"
#include "base/stats.h"
#include "interconnect/clock_domain.h"
#include "interconnect/launch.h"
#include "interconnect/register_block.h"
#include "interconnect/register_map.h"
#include "modules/work_distributor/dispatch_state.h"
#include "modules/work_distributor/policy.h"

namespace warpvp {

struct WorkDistributorConfig {
  std::uint32_t slots = 32;
  std::uint32_t ctas_per_cycle = 1;
  PolicyChoice policy = "smk";

  void fields(FieldVisitor& v) {
    v.field("slots", slots, "", "Kernel status registers: kernels that can run at once.",
            Constraint::range(1, regmap::wd::kMaxSlots));
    v.field("ctas_per_cycle", ctas_per_cycle, "", "CTAs launched per cycle in all; an SM takes one a cycle.",
            Constraint::range(1, 1024));
    v.policy("policy", CtaDispatchPolicy::kKind, policy, "Which kernel's next CTA goes to which SM.");
  }
};

/// What is known about one launch; kept for the whole run. Cycles are those of the distributor's clock
/// domain.
struct KernelRecord {
  std::uint32_t launch_id = 0;
  std::uint64_t kernel_object = 0;
  unsigned slot = 0;
  std::uint32_t stream = 0, context = 0, job = 0;
  std::int32_t priority = 0;
  std::uint32_t budget = 1;
  std::uint32_t grid[3] = {1, 1, 1}, block[3] = {1, 1, 1};
  std::uint64_t ctas = 0;
  std::uint64_t deadline_ns = 0;
  CtaNeeds needs;
  sc_core::sc_time launched_at, first_cta_at, ended_at;
  Cycle launched = 0;        ///< edge at which the kernel became visible to the policy
  Cycle first_cta = kNever;  ///< edge at which its first CTA was sent to an SM
  Cycle ended = kNever;      ///< edge at which its last completion was seen
  std::uint64_t ctas_done = 0;
  bool finished() const { return ended != kNever; }
  void stats(StatVisitor& v) const;
};

struct WorkDistributorStats {
  std::uint64_t kernels = 0, refused = 0, ctas_issued = 0, ctas_done = 0, most_resident = 0;
  void stats(StatVisitor& v) const;
};

/// Told about what happens, for timelines. All calls at the time of the event.
class DispatchObserver {
 public:
  virtual ~DispatchObserver() = default;
  virtual void kernel_begin(const KernelRecord&) {}
  virtual void kernel_end(const KernelRecord&) {}
  virtual void cta_begin(const CtaLaunch&, unsigned sm) {}
  virtual void cta_end(const CtaDone&) {}
};

class WorkDistributor : public sc_core::sc_module, private Clocked {
 public:
  /// `sm_count` SMs, each with `resources`, reached through `bus` at regmap::sm::window(i). Throws InputError
  /// for an unknown policy.
  WorkDistributor(sc_core::sc_module_name name, const WorkDistributorConfig& config,
                  const SmResources& resources, unsigned sm_count, ClockDomain& domain, FaultSink& faults);

  tlm_utils::simple_target_socket<WorkDistributor> registers;  ///< window of regmap::wd
  tlm_utils::simple_initiator_socket<WorkDistributor> bus;     ///< launches to SMs, completions to the CP

  void set_observer(DispatchObserver* observer) { observer_ = observer; }
  /// In order of launch.
  const std::vector<KernelRecord>& records() const { return records_; }
  const WorkDistributorStats& statistics() const { return stats_; }
  const DispatchState& state() const { return state_; }
  const RegisterBlock& register_block() const { return block_; }
  bool idle() const { return state_.kernels().empty() && arrivals_.empty(); }
  /// One line a resident kernel: how far it is. For messages about hangs.
  std::string describe() const;

 private:
  struct Done {
    Cycle visible;
    CtaDone record;
  };
  struct Arrival {
    Cycle visible;
    unsigned slot;
  };
  struct Launch {
    unsigned sm;
    CtaLaunch record;
    SmSetup setup;
  };
  struct Slot {
    bool busy = false;
    std::uint64_t issued = 0, done = 0;
    regmap::wd::SlotStatus status = regmap::wd::SlotStatus::kFree;
    regmap::wd::KernelSlotImage image;  // as it was when the kernel was started
    std::size_t record = 0;
  };

  void evaluate(Cycle now) override;
  Cycle commit(Cycle now) override;

  void declare_registers();
  void b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);
  unsigned transport_dbg(tlm::tlm_generic_payload& payload) { return block_.transport_dbg(payload); }
  regmap::wd::KernelSlotImage image(unsigned slot) const;
  void start(unsigned slot);
  void take_arrivals(Cycle now);
  void take_completions(Cycle now);
  void dispatch(Cycle now);
  /// What is wrong with a choice of the policy; empty: nothing.
  std::string broken_rule(const CtaDispatchPolicy::Choice& choice) const;
  CtaLaunch make_launch(const ResidentKernel& kernel) const;
  bool send(std::uint64_t address, void* record, unsigned bytes);
  void set_up(const Launch& launch);

  WorkDistributorConfig config_;
  SmResources resources_;
  ClockDomain& domain_;
  unsigned clock_id_;
  FaultSink& faults_;
  DispatchObserver* observer_ = nullptr;
  std::unique_ptr<CtaDispatchPolicy> policy_;
  DispatchState state_;
  RegisterBlock block_;
  std::vector<RegisterBlock::Id> image_words_;  // the slots' image registers, in order of offset
  std::vector<Slot> slots_;
  std::uint64_t next_arrival_ = 0;
  sc_core::sc_time access_delay_;  // of the register access under way

  std::vector<Done> inbox_;
  std::vector<Arrival> arrivals_;
  std::vector<Launch> launches_;
  std::vector<regmap::cp::KernelDone> finished_;
  bool more_next_cycle_ = false;

  std::vector<KernelRecord> records_;
  WorkDistributorStats stats_;
};

}  // namespace warpvp
