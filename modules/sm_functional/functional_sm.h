#pragma once
// The SM of `sm.type: functional`: CTAs compute what they compute on any other, and take time by the number
// of their instructions alone. For running over what is not to be measured: it is tens of times faster than
// the SM that has a pipeline. docs/functional-sm.md has the model.
//
// Time goes in slices: in each the SM executes the instructions of so many cycles, of all its warps in turns,
// and the ends of CTAs are told at the slice's end. Values are exchanged with other SMs between slices, so
// programs whose CTAs wait for each other go on, too.
//
// While nothing happens on the SM it goes on with one thing for twice as long each time: with a warp, whose
// registers are in the host's near caches, and with a slice.
//
// With `exchange: at_once` a slice is executed in a commit, and what it does to memory is done; it ends with
// a CTA. With `exchange: slice` it is executed in evaluate(), where SMs go on several threads, and its commit
// does to memory what was put off; slices end at multiples of `slice_cycles`, and longer ones at multiples of
// their lengths, so that there are many at each of these edges. One ends at the next of them behind a CTA.
// With `exchange: auto` an SM does the latter, but the former while it has a kernel that is faster so.

#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>

#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "interconnect/ports.h"
#include "modules/sm/functional_ctas.h"
#include "modules/sm/instruction_source.h"
#include "modules/sm/sm.h"
#include "modules/sm/sm_registers.h"
#include "modules/sm_functional/config.h"

namespace warpvp {

class FunctionalSm : public Sm,
                     private Clocked,
                     private InitiatorPort::Client,
                     private FunctionalCtas::Client {
 public:
  FunctionalSm(sc_core::sc_module_name name, const SmPlace& place, const FunctionalSmConfig& config,
               std::unique_ptr<InstructionSource> source);

  tlm::tlm_target_socket<>& control_socket() override { return control_; }
  tlm::tlm_initiator_socket<>& completion_socket() override { return completion_; }
  tlm::tlm_initiator_socket<>& memory_socket() override { return memory_.socket; }
  const RegisterBlock& register_block() const override { return registers_; }
  void settle(Cycle now) override { count_active(now); }
  const SmCounters& counters() const override { return counters_; }
  unsigned resident_warps() const override { return used_.warps; }
  unsigned resident_ctas() const override { return used_.ctas; }
  const SmLaunchCounters* launch_counters(std::uint32_t launch) const override;
  bool busy() const override { return used_.ctas != 0 || !waiting_.empty(); }
  std::string describe_waiting(unsigned at_most) const override;

 private:
  struct Pending {
    Cycle due;
    CtaLaunch record;
    std::uint32_t state;  // it goes on from; 0: it begins
  };

  SmRegisterHooks register_hooks();
  void control(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);
  unsigned control_debug(tlm::tlm_generic_payload& payload) { return registers_.transport_dbg(payload); }
  void accept_launch(const CtaLaunch& record);
  void accept_preemption(std::uint32_t way);
  void set_address_space() { ctas_.source().set_address_space(page_table_, texture_table_); }

  void evaluate(Cycle now) override;
  bool worth_a_thread(Cycle now) const override { return begins_slice(now) && !at_once_; }
  Cycle commit(Cycle now) override;
  void start(const Pending& launch);
  bool begins_slice(Cycle now) const {
    return now >= slice_end_ && used_.ctas != 0 && !halted_ && !stopped_ && !fault_;
  }
  /// Of a CTA that is about to begin: how values are exchanged while it is here.
  void choose_exchange(const CtaLaunch& record, const ptx::Program& program);
  /// Of the kernel that is here: whether slices are of no use to it.
  void look_at_hindrance();
  void exchange_at_once();
  /// CTAs of several kernels are here: none of them waits long for the others.
  bool mixed();
  /// Executes the slice that begins now, if one does.
  void run_slice(Cycle now);
  std::uint64_t instructions_of(Cycle cycles) const;
  /// When a slice ends that begins at edge `now` and executes so many instructions.
  Cycle end_of(Cycle now, std::uint64_t executed) const;
  /// CTAs have to leave, as soon as the slice that they are in has ended.
  bool leaving(Cycle now) const { return leaving_ != Preemption::kDrain && now >= leaving_since_; }
  std::uint64_t cta_ended(unsigned slot, std::uint64_t executed) override;
  void cta_failed(unsigned slot, DeviceFault fault) override;
  /// CTAs that have ended in `slot`.
  void count_ended(unsigned slot, std::uint32_t ctas);
  /// What the SM keeps of the CTA in `slot` beside what it executes.
  void gone(unsigned slot);
  void leave();
  void save(unsigned slot);
  void count_active(Cycle now);
  DeviceFault& new_fault(const CtaLaunch& record, std::string what);

  // It sends nothing to memory.
  void link_free(InitiatorPort&) override {}
  bool response(InitiatorPort&, tlm::tlm_generic_payload&) override { return true; }

  tlm_utils::simple_target_socket<FunctionalSm> control_;
  tlm_utils::simple_initiator_socket<FunctionalSm> completion_;
  InitiatorPort memory_;
  const FunctionalSmConfig config_;
  bool at_once_;  // of exchange: what it is now, if that is `auto`
  const unsigned id_;
  ClockDomain& clock_;
  const unsigned clock_id_;
  const SmResources resources_;
  const SmServices services_;
  FunctionalCtas ctas_;
  RegisterBlock registers_;

  sc_core::sc_time access_delay_;  // of the register access under way
  bool refused_ = false;           // likewise
  std::uint32_t context_ = 0;      // whose CTAs it takes
  std::uint64_t page_table_ = 0, texture_table_ = 0;
  std::uint32_t resume_ = 0;            // state from which the next launch goes on
  std::vector<Pending> waiting_;        // accepted, not started; in order
  std::vector<CtaNeeds> needs_;         // of the CTAs, by slot
  std::vector<CtaDone> done_, ending_;  // to be sent at this edge's commit; at the end of the slice
  std::vector<CtaPreempted> preempted_;
  std::unordered_map<std::uint32_t, SmLaunchCounters> launches_;  // by launch id; CTAs refer to them
  SmUse used_;
  Cycle slice_end_ = 0;       // of the slice that has been executed
  Cycle undisturbed_ = 0;     // how long it goes on with one thing: a warp's turn, a slice
  std::uint32_t launch_ = 0;  // whose CTAs are here, if not `mixed_`
  bool mixed_ = false;
  /// What is known of a kernel with exchange `auto`, from all its launches here.
  struct Hindrance {
    std::uint64_t in_slices = 0, hindered = 0;  // of its instructions: InstructionSource::hindered()
    unsigned at_once = 0;                       // launches to come that are at once
  };
  std::unordered_map<std::uint64_t, Hindrance> hindrances_;  // by kernel object
  Hindrance* hindrance_ = nullptr;                           // of the launch that is here
  Preemption leaving_ = Preemption::kDrain;
  Cycle leaving_since_ = 0;
  Cycle counted_ = 0;  // up to which active cycles are counted
  std::optional<DeviceFault> fault_;
  bool stopped_ = false, halted_ = false;
  SmCounters counters_;
};

}  // namespace warpvp
