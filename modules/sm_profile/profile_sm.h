#pragma once
// The SM of `sm.type: profile`: CTAs take the time that their kernels' profiles say, more where they compete
// for issue slots and memory bandwidth, and compute nothing. docs/profile-grain.md has the model.
//
// It is ticked when a CTA begins or ends and when its share of the memory bandwidth changes, never otherwise.

#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>

#include <cmath>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "base/kernel_profile.h"
#include "interconnect/ports.h"
#include "modules/sm/sm.h"
#include "modules/sm/sm_registers.h"
#include "modules/sm_profile/config.h"
#include "modules/sm_profile/cta_groups.h"
#include "modules/sm_profile/memory_pool.h"

namespace warpvp {

class ProfileSm : public Sm, private Clocked, private InitiatorPort::Client, private MemoryPool::Claimant {
 public:
  /// `state_bytes_per_cycle`: at which states of CTAs move that leave or come back; kNoLevel: in no time.
  ProfileSm(sc_core::sc_module_name name, const SmPlace& place, std::shared_ptr<const ProfileSmConfig> config,
            std::shared_ptr<MemoryPool> pool, double state_bytes_per_cycle);

  tlm::tlm_target_socket<>& control_socket() override { return control_; }
  tlm::tlm_initiator_socket<>& completion_socket() override { return completion_; }
  tlm::tlm_initiator_socket<>& memory_socket() override { return memory_.socket; }
  const RegisterBlock& register_block() const override { return registers_; }
  void settle(Cycle now) override { count_active(now); }
  Cycle last_edge() const override { return last_; }
  const SmCounters& counters() const override { return counters_; }
  unsigned resident_warps() const override { return used_.warps; }
  unsigned resident_ctas() const override { return used_.ctas; }
  const SmLaunchCounters* launch_counters(std::uint32_t launch) const override;
  const SmMemoryCounters* memory_counters(std::uint32_t launch) const override;
  void memory_stats(StatVisitor& v) const override;
  bool busy() const override { return used_.ctas != 0 || !waiting_.empty() || !saving_.empty(); }
  bool computes() const override { return false; }
  bool ends_by_itself() const override { return used_.ctas != 0 || !saving_.empty(); }
  std::string describe_waiting(unsigned at_most) const override;

 private:
  static constexpr unsigned kNoGroup = ~0u;

  /// What launches that differ in nothing have in common.
  struct Shape {
    std::string kernel;
    const KernelProfile* profile = nullptr;
    CtaWork work;
    Cycle cold = 0;  ///< from the first CTA's start here
    CtaNeeds needs;
    CtaNeeds saved;  // what counts for a saved state: registers and shared memory of launch or profile
  };
  struct ShapeKey {
    std::uint64_t kernel_object, ctas;
    std::uint32_t threads, dynamic_shared_bytes, context;
    bool operator<(const ShapeKey& o) const {
      return std::tie(kernel_object, ctas, threads, dynamic_shared_bytes, context) <
             std::tie(o.kernel_object, o.ctas, o.threads, o.dynamic_shared_bytes, o.context);
    }
  };
  /// A launch that has, or had, CTAs here. Runs have millions, so each keeps no more than it must.
  struct Launch {
    const Shape* shape = nullptr;
    Cycle first_cycle = ~0ull, last_cycle = 0;
    std::uint64_t ctas = 0;  ///< complete
    unsigned group = kNoGroup;
    std::uint64_t instructions() const { return times(shape->profile->instructions); }
    std::uint64_t read_bytes() const { return times(shape->work.memory_bytes); }

   private:
    std::uint64_t times(double of_one) const {
      return static_cast<std::uint64_t>(std::llround(static_cast<double>(ctas) * of_one));
    }
  };
  /// A CTA that is here. What is left of it is known to groups_, under the number of its slot.
  struct Resident {
    CtaLaunch record;
    Launch* launch = nullptr;  // nullptr: the slot is free
    double left = 0;           // cycles of work, of one that goes on; 0: all
  };
  /// A CTA between two SMs of this type.
  struct SavedProfileCta : SavedCta {
    double left = 0;
  };
  struct Pending {
    Cycle due;
    CtaLaunch record;
    std::uint32_t state;  // it goes on from; 0: it begins
  };
  struct Saving {
    Cycle due;
    CtaPreempted report;
    std::unique_ptr<SavedProfileCta> state;
  };

  SmRegisterHooks register_hooks();
  void control(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);
  unsigned control_debug(tlm::tlm_generic_payload& payload) { return registers_.transport_dbg(payload); }
  void accept_launch(const CtaLaunch& record);
  Launch* launch_of(const CtaLaunch& record);
  const Shape* shape_of(const CtaLaunch& record);
  void start(const Pending& launch);
  void begin_work(std::uint32_t slot);
  void end(std::uint32_t slot, Cycle now);
  void free_slot(std::uint32_t slot);
  // preemption.cpp
  void accept_preemption(std::uint32_t way);
  void leave(Cycle now);
  void save(std::uint32_t slot, Cycle now);
  /// The edge at which a state of so many bytes has moved, behind those before it; its cycles go to
  /// `counter`.
  Cycle state_moved(std::uint64_t bytes, Cycle now, std::uint64_t& counter);
  void count_active(Cycle now);
  void fault(const CtaLaunch& record, const std::string& kernel, std::string what, std::string detail = {});

  void evaluate(Cycle now) override;
  Cycle commit(Cycle now) override;
  void memory_level(Cycle from, double level, bool binds) override;
  bool level_binds() const;

  // It sends nothing to memory.
  void link_free(InitiatorPort&) override {}
  bool response(InitiatorPort&, tlm::tlm_generic_payload&) override { return true; }

  tlm_utils::simple_target_socket<ProfileSm> control_;
  tlm_utils::simple_initiator_socket<ProfileSm> completion_;
  InitiatorPort memory_;
  std::shared_ptr<const ProfileSmConfig> config_;
  std::shared_ptr<MemoryPool> pool_;
  unsigned id_;
  ClockDomain& clock_;
  unsigned clock_id_;
  unsigned claim_;  // in the pool
  SmResources resources_;
  SmServices services_;
  RegisterBlock registers_;

  sc_core::sc_time access_delay_;  // of the register access under way
  CtaGroups groups_;
  std::vector<Pending> waiting_;                       // accepted, not started; in order
  std::vector<std::pair<Cycle, std::uint32_t>> cold_;  // slots of CTAs that have started and wait; in order
  std::vector<Resident> slots_;
  std::vector<std::uint32_t> free_slots_;
  std::vector<Saving> saving_;                     // in order
  std::vector<CtaPreempted> preempted_;            // to be sent at this edge's commit
  std::vector<CtaDone> done_;                      // likewise
  std::vector<std::unique_ptr<Launch>> launches_;  // by launch id
  std::map<ShapeKey, Shape> shapes_;
  mutable SmLaunchCounters shown_;         // to who asked last
  mutable SmMemoryCounters shown_memory_;  // likewise
  SmUse used_;
  double state_bytes_per_cycle_;
  Preemption leaving_ = Preemption::kDrain;  // kDrain: nobody is to leave
  Cycle leaving_since_ = 0;
  Cycle states_moved_ = 0;     // the last state to move will have
  std::uint32_t resume_ = 0;   // state from which the next launch goes on
  bool refused_ = false;       // the register access under way
  std::uint32_t context_ = 0;  // whose CTAs it takes
  Cycle last_ = 0;     // edge
  Cycle counted_ = 0;  // up to which active cycles are counted
  struct Level {
    Cycle from;
    double level;
  };
  std::optional<Level> level_;  // told, not in force
  double level_in_force_ = kNoLevel;
  std::optional<DeviceFault> fault_;  // to be raised at this edge's commit
  bool stopped_ = false;
  SmCounters counters_;
};

}  // namespace warpvp
