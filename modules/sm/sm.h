#pragma once
// The face of a streaming multiprocessor. The platform binds its three sockets, gives it its resources and
// asks it for counters; types register themselves (registry kind "sm") and are chosen by `sm.type` in YAML.
//
//   register bus -> control      launches and set-up, window of regmap::sm
//   completion -> register bus   a CtaDone for each CTA, to SmServices::completion_address, or a CtaPreempted
//                                for one that left before its end, to preempted_address
//   memory -> crossbar           loads, stores, atomics, fetches: what takes time; values are in DeviceMemory

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <systemc>
#include <tlm>

#include "base/block.h"
#include "base/fault.h"
#include "base/sm_resources.h"
#include "base/stats.h"
#include "base/stray_accesses.h"
#include "interconnect/address_spaces.h"
#include "interconnect/clock_domain.h"
#include "interconnect/device_memory.h"
#include "interconnect/launch.h"
#include "interconnect/policy_context.h"
#include "interconnect/register_block.h"
#include "modules/sm/kernel_images.h"
#include "modules/sm/memory/backing.h"
#include "modules/sm/memory/memory_counters.h"
#include "modules/sm/saved_ctas.h"
#include "modules/sm/statistics.h"

namespace warpvp {

class IssueObserver;
struct ProgramProfile;
struct WarpSlot;
struct IdleWarps;

/// What an SM shares with the rest of the device. All outlive it.
struct SmServices {
  DeviceMemory& memory;   ///< values, and the allocation map
  KernelImages& kernels;  ///< programs of kernel objects
  FaultSink& faults;
  std::function<void(const std::string&, unsigned context)> print;  ///< device printf
  std::uint64_t completion_address = 0;  ///< register-bus address of the distributor's completion mailbox
  std::uint64_t local_memory_base = 0;   ///< device region in which local memory is timed
  std::uint64_t local_memory_bytes = 0;  ///< its size; places beyond it wrap around
  unsigned sm_count = 1;
  std::uint64_t seed = 1;               ///< of everything random in the run
  double memory_bytes_per_second = 0;   ///< the most that the memory channels can move; 0: without limit
  std::uint64_t preempted_address = 0;  ///< register-bus address of the distributor's PREEMPTED mailbox
  std::shared_ptr<SavedCtas> saved = std::make_shared<SavedCtas>();  ///< one for all SMs
  std::shared_ptr<IdleWarps> idle_warps =
      nullptr;  ///< of SMs that execute one after the other; nullptr: none are shared
  const AddressSpaces* spaces = nullptr;  ///< nullptr: addresses are those of device memory
  unsigned kernel_slots = 32;             ///< kernels that can run at once
  SmBacking backing = {};
  /// Edges for which an SM may be evaluated at once (EvaluationConfig::window); 1: each when the device comes
  /// to it.
  unsigned window = 1;
  std::shared_ptr<StrayAccesses> strays = {};  ///< told of accesses that are let pass; nullptr: nobody is
};

/// A view of the warps of an SM that executes PTX warp by warp: for traces, predictions, the watchdog.
class WarpView {
 public:
  virtual ~WarpView() = default;
  /// Has `observer` see every issue from now on; nullptr: nobody. It outlives the SM or is taken back.
  virtual void observe_issue(IssueObserver* observer) = 0;
  virtual IssueObserver* issue_observer() const = 0;
  virtual const std::vector<WarpSlot*>& slots() const = 0;
  /// Iterations of a loop after which a path of a divergent warp has let another one run.
  virtual std::uint64_t switch_after() const = 0;
  /// Launches that come from now on count by instruction. It influences nothing.
  virtual void profile_instructions() = 0;
  /// Launches that come from now on count what they execute (SmLaunchCounters::executed). It influences
  /// nothing.
  virtual void count_executed() = 0;
  /// What they counted, by program; brought up to date by Sm::settle.
  virtual const std::vector<std::unique_ptr<ProgramProfile>>& instruction_profiles() const = 0;
};

class Sm : public sc_core::sc_module {
 public:
  explicit Sm(sc_core::sc_module_name name) : sc_module(name) {}

  virtual tlm::tlm_target_socket<>& control_socket() = 0;
  virtual tlm::tlm_initiator_socket<>& completion_socket() = 0;
  virtual tlm::tlm_initiator_socket<>& memory_socket() = 0;
  /// What `control` reads and writes.
  virtual const RegisterBlock& register_block() const = 0;

  /// Brings the counters up to date with cycle `now` of the SM clock.
  virtual void settle(Cycle now) = 0;
  /// Between edges: counts the waits of warps up to edge `now`, which is to come, so that a look at the
  /// counters sees them. Nothing else changes, and later looks see the same sums.
  virtual void charge_stalls(Cycle /*now*/) {}
  /// The last edge at which the SM did anything: since then charge_stalls() alone has changed counters.
  /// kNever: not known.
  virtual Cycle last_edge() const { return kNever; }
  virtual const SmCounters& counters() const = 0;
  /// Here now; 0 where a type does not know.
  virtual unsigned resident_warps() const { return 0; }
  virtual unsigned resident_ctas() const { return 0; }
  /// Of one launch, valid until the next call; nullptr if it never ran here. Memory counters stay nullptr
  /// where memory is not modelled.
  virtual const SmLaunchCounters* launch_counters(std::uint32_t launch) const = 0;
  virtual const SmMemoryCounters* memory_counters(std::uint32_t launch) const { return nullptr; }
  /// The same of CTAs that a sampled kernel had computed without cycles here: CTAs and instructions alone.
  virtual const SmLaunchCounters* functional_counters(std::uint32_t /*launch*/) const { return nullptr; }
  virtual void memory_stats(StatVisitor&) const {}
  /// What its policies and stages count, each kind in a group, if any counts anything.
  virtual void policy_stats(StatVisitor&) const {}

  /// A CTA is here, or has been handed over and not started.
  virtual bool busy() const = 0;
  /// False: kernels take time and change no memory, so that results cannot be checked.
  virtual bool computes() const { return true; }
  /// What is resident ends by itself, whatever happens elsewhere: for the watchdog.
  virtual bool ends_by_itself() const { return false; }
  /// For messages about hangs: what is resident and waits for what, one line each, `at_most` lines.
  virtual std::string describe_waiting(unsigned at_most) const = 0;
  /// nullptr: this type has no warps to look at.
  virtual WarpView* warps() { return nullptr; }

 protected:
  /// Writes `record` to the distributor, posted: the SM goes on, and the target reckons with the delay.
  /// Whatever it answers but OK is a device fault of the CTA; false then.
  template <class Record>
  bool post(const SmServices& services, unsigned sm, std::uint64_t address, Record record, const char* what) {
    return post(services, sm, address, {&record, sizeof record, record.cta, what});
  }

 private:
  struct Posted {
    void* data;
    unsigned bytes;
    const std::uint32_t (&cta)[3];
    const char* what;
  };
  bool post(const SmServices& services, unsigned sm, std::uint64_t address, const Posted& record);

  tlm::tlm_generic_payload payload_;  // of posted writes, one after another
};

/// That `cta` has left SM `sm` before its end, with the number of its saved state, if it has one.
inline CtaPreempted preempted(const CtaLaunch& cta, unsigned sm, std::uint32_t state = 0) {
  return {cta.launch_id,
          cta.kernel_slot,
          static_cast<std::uint16_t>(sm),
          {cta.cta[0], cta.cta[1], cta.cta[2]},
          state,
          0,
          static_cast<std::uint16_t>(cta.followers),
          0};
}

/// Where an SM stands. What is referred to outlives it.
struct SmPlace {
  unsigned id = 0;
  ClockDomain& clock;
  const SmResources& resources;
  const SmServices& services;
};

/// A configured type of SM, made by the registry from YAML.
class SmType {
 public:
  static constexpr const char* kKind = "sm";
  virtual ~SmType() = default;
  /// What must hold between the type's fields and the resources that the platform gives every SM.
  virtual void check(const SmResources&, const RequireField&) const {}
  /// Calls `visit` with the longest requests that the SM makes and the key that sets their length: each must
  /// fit a line of the L2.
  virtual void visit_request_lengths(
      const std::function<void(std::uint32_t bytes, const char* key)>& visit) const {}
  /// Why kernels cannot be sampled on SMs of this type as it is configured: the key of a field, and what is
  /// wrong with it. Nothing: they can (register FUNCTIONAL).
  struct NotSampled {
    std::string key, why;
  };
  virtual std::optional<NotSampled> not_sampled() const {
    return NotSampled{"type", "has no cycles to sample; allowed: cycle"};
  }
  /// Edges after which its miss queues renew kernels' credits; 0: they give none.
  virtual Cycle credit_interval() const { return 0; }
  /// Visits what `Sm::memory_stats` of any SM of this type may visit, with any values: for the reference of
  /// all statistics. Called on a type with default fields.
  virtual void visit_memory_stats(StatVisitor&) const {}
  /// The same for `Sm::policy_stats`.
  virtual void visit_policy_stats(StatVisitor&) const {}
  /// The registers that policies of this type's SMs declare, for the register map: calls
  /// it for each policy that has some, with its window at the addresses of sub-core 0.
  virtual void visit_policy_registers(const ShowPolicyRegisters&) const {}
  /// CTAs that may follow one on its SMs without the work distributor's doing (CtaLaunch::followers).
  virtual std::uint32_t most_followers() const { return 0; }
  /// With `evaluation.window: window`, evaluate() of its SMs takes much longer than another thread to begin.
  virtual bool evaluates_long(unsigned /*window*/) const { return false; }
  virtual std::unique_ptr<Sm> build(const char* name, const SmPlace& place) const = 0;
};

}  // namespace warpvp
