#pragma once
// A DRAM channel: controller queues, bank state, command timing. Policies decide which command goes next,
// when rows are closed, when writes are drained, which banks are refreshed when, and where addresses lie.
//
// A transaction is cut into column accesses ("bursts") of one atom each. Reads are served until the write
// drain policy wants writes to go, or no read is left. Writes are answered when they enter the queue; a read
// that finds its data in the write queue is answered from there.
//
// Latency of a read of one atom in an idle channel with its row closed, from BEGIN_REQ to BEGIN_RESP:
//   frontend_cycles + t_rcd + t_cl + burst + backend_cycles.
//
// The module is event driven: it ticks only at cycles at which a request comes or is due or a response is
// ready. No request can join the queues sooner than `frontend_cycles` after it came, so at a tick the
// commands of all cycles up to the next one that can join are decided at once; counters and room in the
// queues follow when their cycles have come. Refreshes and the closing of rows that fell into idle time are
// accounted for when the next request comes. Refreshes take no slot of the command bus.

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/slot_pool.h"
#include "interconnect/policy_slot.h"
#include "interconnect/ports.h"
#include "interconnect/ring.h"
#include "interconnect/transaction.h"
#include "modules/dram/address_mapping.h"
#include "modules/dram/candidate_list.h"
#include "modules/dram/dram_config.h"
#include "modules/dram/memory_channel.h"
#include "modules/dram/page_policy.h"
#include "modules/dram/refresh_policy.h"
#include "modules/dram/scheduler.h"
#include "modules/dram/write_drain_policy.h"

namespace warpvp {

class DramController : public MemoryChannel, private Clocked, private TargetPort::Client {
 public:
  /// Throws InputError when a policy's name or parameters are wrong.
  DramController(sc_core::sc_module_name name, const MemoryChannelPlace& place, const DramConfig& config);

  tlm::tlm_target_socket<>& in(unsigned port) override { return ports_[port]->socket; }
  const PerLaunch<MemoryCounters>& launches() const override { return launches_; }
  /// Up to the present cycle.
  DramCounters counters() const;
  void stats(StatVisitor& v) const override;

  /// A command, for tests and traces.
  struct CommandRecord {
    Cycle cycle;
    enum class Kind : std::uint8_t { kActivate, kPrecharge, kRead, kWrite, kRefresh } kind;
    std::uint16_t bank;  ///< group * banks_per_group + bank in group
    std::uint32_t row;
    std::uint32_t column;
    bool closes_row = false;      ///< kRead, kWrite: with auto-precharge
    std::uint64_t refreshed = 0;  ///< kRefresh: its banks, a bit for each; `bank` is the lowest of them
  };
  /// Called with every command from now on, when it is decided: at its cycle or up to `frontend_cycles`
  /// before.
  void set_command_listener(std::function<void(const CommandRecord&)> listener) {
    listener_ = std::move(listener);
  }
  /// Where a device address lies.
  DramPlace place_of(std::uint64_t device_address) const;

 private:
  static constexpr std::uint32_t kClosed = 0xffffffffu;
  static constexpr std::uint32_t kNoSlot = 0xffffffffu;

  struct Arrival {
    tlm::tlm_generic_payload* payload = nullptr;
    std::uint32_t port = 0;
    Cycle seen = 0;         // first cycle at which the controller sees it
    Cycle due = 0;          // first cycle at which it can be scheduled
    bool promised = false;  // sure of a place in the queue
  };
  struct Slot {  // a transaction from its arrival in the queue to its end
    tlm::tlm_generic_payload* payload = nullptr;
    std::uint32_t port = 0;
    std::uint32_t bursts_left = 0;  // not decided yet
    bool write = false;
    bool answered = false;  // the response went out
    bool sent = false;      // so did its last burst
    Cycle data_end = 0;
    Cycle arrival = 0;
    std::uint32_t launch = 0xffffffffu;
    std::uint16_t kernel_slot = 0xffff, context = 0, sm = 0xffff;
  };
  struct Burst {
    std::uint64_t age;
    std::uint32_t row;
    std::uint32_t column;
    std::uint32_t slot;
    bool activated = false;   // its row was opened for it
    bool conflicted = false;  // another row was closed for it
  };
  class Queue {  // bursts of one bank in one direction, oldest first
   public:
    int hit = -1;  // oldest burst to the open row

    bool empty() const { return bursts_.empty(); }
    std::size_t size() const { return bursts_.size() - gone_; }
    Burst& operator[](std::size_t i) { return bursts_[gone_ + i]; }
    const Burst& operator[](std::size_t i) const { return bursts_[gone_ + i]; }
    void push(const Burst& burst) { bursts_.push_back(burst); }
    void remove(std::size_t index);
    void find_hit(std::uint32_t row, std::size_t first);

   private:
    static constexpr std::size_t kMostGone = 64;
    std::vector<Burst> bursts_;
    std::size_t gone_ = 0;  // how many of the first have been removed; fewer than there are, unless none is
  };
  struct Bank {
    std::uint32_t row = kClosed;
    Cycle next_activate = 0, next_precharge = 0, next_read = 0, next_write = 0;
    Cycle close_at = kNever;  // when the page policy has the open row closed; not before next_precharge
    Queue queue[2];           // reads, writes

    void set_row(std::uint32_t to);
  };
  using Group = CandidateList::Group;
  /// What is left to do when the cycle of a command has come, or that of the beginning of a drain.
  struct Decision {
    enum class Kind : std::uint8_t { kActivate, kPrecharge, kRead, kWrite, kRefresh, kDrain };
    Cycle at = 0;
    Kind kind = Kind::kDrain;
    DramPagePolicy::Found found = DramPagePolicy::Found::kOpen;  // column accesses
    bool closes_row = false;
    std::uint32_t ended = kNoSlot;  // of this slot it is the last burst
    std::uint64_t count = 1;        // refreshes that the command stands for
  };
  struct Response {
    Cycle ready;
    std::uint64_t order;
    std::uint32_t slot;
    bool operator>(const Response& o) const { return ready != o.ready ? ready > o.ready : order > o.order; }
  };

  DramPlace place_in_channel(std::uint64_t channel_local) const;
  void evaluate(Cycle now) override;
  bool worth_a_thread(Cycle) const override { return false; }  // an edge is short
  Cycle commit(Cycle now) override;
  std::uint64_t progress() const override { return moves_; }
  bool request(TargetPort& port, tlm::tlm_generic_payload& payload) override;
  void response_link_free(TargetPort&) override { domain_.wake(id_); }
  void b_transport(TargetPort&, tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) override;
  unsigned transport_dbg(TargetPort&, tlm::tlm_generic_payload& payload) override;
  bool get_direct_mem_ptr(TargetPort&, tlm::tlm_generic_payload& payload, tlm::tlm_dmi& dmi) override;

  Cycle next_look(const Arrival& staged) const;
  void take_promised(Cycle before);
  void take_staged(Cycle now);
  void admit(const Arrival& arrival, Cycle now);
  void enqueue(std::uint32_t slot, const DramPlace& place);
  bool in_write_queue(const DramPlace& place) const;
  void answer(std::uint32_t slot, Cycle ready);
  void finish(std::uint32_t slot);
  void catch_up(Cycle now);
  void refresh(Cycle now);
  void close_rows(Cycle before, Cycle now);
  bool wants_drain() const {
    return queued_writes_ != 0 && write_drain_.call([&](DramWriteDrainPolicy& policy) {
      return policy.drain({queued_bursts_[0], queued_writes_, draining_, drained_});
    });
  }
  void choose_direction(Cycle now);
  unsigned direction_for(bool draining) const {
    return queued_bursts_[1] && (draining || !queued_bursts_[0]) ? 1 : 0;
  }
  Cycle next_room(Cycle now) const;
  Cycle horizon(Cycle now) const;
  void decide(Cycle now);
  void decided(const Decision& decision);
  void record(const CommandRecord& command) {
    if (listener_) listener_(command);
  }
  void take_effect(Cycle before);
  void effect(const Decision& decision);
  static void count(const Decision& decision, const DramTiming& timing, DramCounters& counters);
  void offer(unsigned bank, unsigned direction, unsigned index, DramScheduler::Candidate& candidate) const;
  void find_firsts_of_kernels(const Bank& bank, unsigned direction);
  void bank_changed(unsigned bank) {
    changed_[0] |= std::uint64_t{1} << bank;
    changed_[1] |= std::uint64_t{1} << bank;
    up_to_date_ = kNeither;
  }
  Cycle update_candidates(unsigned direction);
  Cycle schedule(Cycle now);
  int pick(const std::vector<DramScheduler::Candidate>& candidates, Cycle now);
  void issue(const DramScheduler::Candidate& candidate, Cycle now);
  void issue_on_other_bus(const DramScheduler::Candidate& chosen, Cycle now);
  void issue_column(const DramScheduler::Candidate& candidate, Cycle now);
  bool close_row(unsigned bank, bool row_waiting, Cycle when, Cycle now);

  ClockDomain& domain_;
  DeviceMemory& memory_;
  const AddressMap& map_;
  DramConfig config_;
  DramTiming timing_;
  unsigned atom_shift_, group_shift_;  // bytes of a column access; banks of a group
  std::uint32_t columns_;              // column accesses in a row
  PolicySlot<DramScheduler> scheduler_;
  PolicySlot<DramPagePolicy> page_policy_;
  PolicySlot<DramRefreshPolicy> refresh_;
  PolicySlot<DramWriteDrainPolicy> write_drain_;
  PolicySlot<DramAddressMapping> mapping_;
  unsigned id_;
  std::vector<std::unique_ptr<TargetPort>> ports_;
  unsigned next_port_ = 0;   // which of the ports comes first
  std::uint64_t moves_ = 0;  // requests taken, commands decided, answers sent
  std::uint64_t moved_ = 0;  // ports whose place became free at this edge

  // [port]: a request that was taken and waits for a place in the queue. One a port, so that what is taken at
  // an instant does not depend on who came first.
  std::vector<Arrival> staged_;
  unsigned staged_count_ = 0;
  Ring<Arrival> arrivals_;
  SlotPool<Slot> slots_;
  unsigned reads_ = 0, writes_ = 0;  // transactions between acceptance and their end
  unsigned queued_bursts_[2] = {0, 0};
  unsigned queued_writes_ = 0;  // write transactions with bursts left
  std::uint64_t next_age_ = 0, next_order_ = 0;

  std::vector<Bank> banks_;
  std::vector<Group> groups_;
  std::uint64_t pending_[2] = {0, 0};                         // banks with bursts, by direction
  Cycle next_activate_ = 0, next_read_ = 0, next_write_ = 0;  // limits across groups
  Cycle activations_[4] = {0, 0, 0, 0};                       // times of the last four + t_faw
  unsigned oldest_activation_ = 0;
  Cycle next_refresh_;         // of refresh_
  Cycle next_close_ = kNever;  // no row is to be closed before
  Cycle row_bus_free_ = 0;     // first cycle at which a precharge finds its command bus free
  unsigned direction_ = 0;     // 0 reads, 1 writes
  bool draining_ = false;
  unsigned drained_ = 0;  // write transactions sent since the drain began

  Cycle now_ = 0;                    // of the present or last tick
  Cycle decided_ = 0;                // the last cycle whose commands are decided
  Cycle next_decision_ = kNever;     // the next one at which there may be something to decide
  bool declined_ = false;            // the scheduler last wanted none of the legal commands
  std::vector<Decision> decisions_;  // of later cycles than now_, in order, from first_decision_ on
  std::size_t first_decision_ = 0;
  static constexpr unsigned kNeither = 2;
  CandidateList candidates_[2];        // by direction
  std::uint64_t changed_[2] = {0, 0};  // banks whose candidates are to be made anew, by direction
  unsigned up_to_date_ = kNeither;     // direction whose candidates are as nothing changed since
  std::vector<DramScheduler::Candidate> other_bus_;
  bool ranks_kernels_ = false;          // what the scheduler says
  std::vector<std::uint16_t> seen_[2];  // scratch: kernel slots of which an access, or a hit, was found
  std::vector<unsigned> firsts_;        // scratch: the accesses of a bank that are offered

  std::vector<std::vector<Response>> responses_;  // [port]: min-heap
  DramCounters counters_;
  PerLaunch<MemoryCounters> launches_;
  std::function<void(const CommandRecord&)> listener_;
};

}  // namespace warpvp
