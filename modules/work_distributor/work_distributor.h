#pragma once
// The face of the work distributor: it holds the running kernels and hands their CTAs to SMs. Types register
// themselves (registry kind "work_distributor") and are chosen by `work_distributor.type` in YAML.
//
//   register bus -> registers   kernels to start, window of regmap::wd; the SMs' completion records
//   bus -> register bus         CTA launches to the SMs, KernelDone records to the command processor

#include <memory>
#include <optional>
#include <string>
#include <systemc>
#include <tlm>
#include <utility>
#include <vector>

#include "base/block.h"
#include "base/fault.h"
#include "base/sm_resources.h"
#include "base/stats.h"
#include "interconnect/clock_domain.h"
#include "interconnect/launch.h"
#include "interconnect/policy_context.h"
#include "interconnect/register_block.h"
#include "modules/work_distributor/dispatch_state.h"
#include "modules/work_distributor/sampler.h"

namespace warpvp {

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
  Cycle launched = 0;        ///< edge at which the distributor got the kernel
  Cycle first_cta = kNever;  ///< edge at which its first CTA was sent to an SM
  Cycle ended = kNever;      ///< edge at which its last completion was seen
  bool killed = false;       ///< it ended unfinished, with its context
  Cycle reported = kNever;   ///< edge at which the command processor was told, what it left being drained
  std::uint64_t ctas_done = 0;
  std::optional<SampledKernel> sampled;  ///< where kernels are sampled
  bool finished() const { return ended != kNever; }
};

struct WorkDistributorStats {
  std::uint64_t kernels = 0, refused = 0, ctas_issued = 0, ctas_done = 0, most_resident = 0;
  std::uint64_t busy_sm_cycles = 0;  ///< cycles with a CTA, summed over SMs
  std::uint64_t setups = 0, reservations = 0, drain_cycles = 0;
  std::uint64_t preemptions = 0, preemption_cycles = 0, ctas_saved = 0, ctas_dropped = 0, ctas_killed = 0;
  void stats(StatVisitor& v) const;
};

/// An SM was set up for a kernel, reserved for one, left to its own again, or became idle.
struct SmHandover {
  unsigned sm = 0;
  SmState state = SmState::kIdle;
  std::uint32_t context = 0;
  std::uint32_t launch = 0;                    ///< of the kernel whose SM it is; not when idle
  std::uint32_t next_launch = 0;               ///< of the kernel that has reserved it
  Preemption preemption = Preemption::kDrain;  ///< how a reserved SM gets rid of its CTAs
  sc_core::sc_time ready_at;                   ///< when its set-up is over
};

/// Told about what happens, for timelines. All calls at the time of the event.
class DispatchObserver {
 public:
  virtual ~DispatchObserver() = default;
  virtual void kernel_begin(const KernelRecord&) {}
  virtual void kernel_end(const KernelRecord&) {}
  virtual void cta_begin(const CtaLaunch&, unsigned sm) {}
  virtual void cta_end(const CtaDone&) {}
  /// It has left its SM before its end, and begins again some time.
  virtual void cta_preempted(const CtaPreempted&) {}
  /// Only of policies that hand whole SMs to kernels.
  virtual void sm_changed(const SmHandover&) {}
};

class WorkDistributor : public sc_core::sc_module {
 public:
  explicit WorkDistributor(sc_core::sc_module_name name) : sc_module(name) {}

  virtual tlm::tlm_target_socket<>& registers_socket() = 0;
  virtual tlm::tlm_initiator_socket<>& bus_socket() = 0;
  virtual const RegisterBlock& register_block() const = 0;

  /// nullptr: nobody. It outlives the distributor or is taken back.
  virtual void set_observer(DispatchObserver* observer) = 0;
  /// In order of launch.
  virtual const std::vector<KernelRecord>& records() const = 0;
  virtual WorkDistributorStats statistics() const = 0;
  /// A kernel whose CTAs are all done ends when the time of those that were skipped is over.
  virtual bool adds_time() const { return false; }
  /// What its policy counts, in a group of its kind, if it counts anything.
  virtual void policy_stats(StatVisitor&) const {}
  /// One line a resident kernel: how far it is. For messages about hangs.
  virtual std::string describe() const = 0;
};

/// Where a distributor stands. What is referred to outlives it.
struct WorkDistributorPlace {
  ClockDomain& clock;
  FaultSink& faults;
  unsigned slots = 32;           ///< kernels that can run at once
  unsigned sm_count = 1;         ///< reached through `bus` at regmap::sm::window(i)
  const SmResources& resources;  ///< of each SM
  std::uint64_t page_table = 0;  ///< of context 0, which is there from the beginning; 0: no page tables
  std::uint64_t seed = 1;        ///< of everything random in the run
  SamplingConfig sampling = {};
  SampledDevice* sampled = nullptr;  ///< who is asked where kernels are sampled
  std::uint32_t most_followers = 0;  ///< that a CTA may have on its SM
};

/// A configured type of work distributor, made by the registry from YAML.
class WorkDistributorType {
 public:
  static constexpr const char* kKind = "work_distributor";
  virtual ~WorkDistributorType() = default;
  /// What must hold between the type's fields and the number of SMs.
  virtual void check(unsigned /*sm_count*/, const RequireField&) const {}
  /// It can sample kernels (WorkDistributorPlace::sampling), as it is configured; otherwise the key of a
  /// field that prevents it, and why.
  virtual std::optional<std::pair<std::string, std::string>> not_sampled() const {
    return std::pair<std::string, std::string>{"type", "cannot skip CTAs; allowed: status_registers"};
  }
  /// Visits what `WorkDistributor::policy_stats` may visit, with any values: for the reference.
  virtual void visit_policy_stats(StatVisitor&) const {}
  /// As SmType::visit_policy_registers.
  virtual void visit_policy_registers(const ShowPolicyRegisters&) const {}
  virtual std::unique_ptr<WorkDistributor> build(const char* name,
                                                 const WorkDistributorPlace& place) const = 0;
};

}  // namespace warpvp
