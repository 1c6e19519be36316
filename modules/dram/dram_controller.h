#pragma once
// A DRAM channel: controller queues, scheduling policy, bank state, refresh. Open-page.
//
// A transaction is cut into column accesses ("bursts") of one atom each. Reads are served until the write
// queue reaches its high watermark (or no read is left); then writes are drained down to the low watermark.
// Writes are answered when they enter the queue; a read that finds its data in the write queue is answered
// from there.
//
// Latency of a read of one atom in an idle channel with its row closed, from BEGIN_REQ to BEGIN_RESP:
//   frontend_cycles + t_rcd + t_cl + burst + backend_cycles.
//
// The module is event driven: it ticks only at cycles at which a command can become legal, a request is due
// or a response is ready. Refreshes that fell into idle time are accounted for when the next request comes.

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/fields.h"
#include "interconnect/ports.h"
#include "interconnect/ring.h"
#include "interconnect/transaction.h"
#include "modules/dram/memory_channel.h"
#include "modules/dram/scheduler.h"
#include "modules/dram/timing.h"

namespace warpvp {

struct DramConfig {
  std::string preset = "hbm2";
  DramTiming timing;
  PolicyChoice scheduler = "fr_fcfs";
  std::uint32_t read_queue = 64;
  std::uint32_t write_queue = 64;
  std::uint32_t write_high = 48;
  std::uint32_t write_low = 16;
  std::uint32_t frontend_cycles = 10;
  std::uint32_t backend_cycles = 10;
  std::uint32_t group_interleave_bytes = 256;
  bool bank_hash = true;

  DramConfig();
  void fields(FieldVisitor& v);

 private:
  std::string applied_preset_;
};

struct DramCounters {
  std::uint64_t row_hits = 0;       ///< bursts that found their row open
  std::uint64_t row_misses = 0;     ///< bursts whose bank was closed
  std::uint64_t row_conflicts = 0;  ///< bursts that had another row closed first
  std::uint64_t read_bursts = 0, write_bursts = 0;
  std::uint64_t activates = 0, precharges = 0, refreshes = 0;
  std::uint64_t busy_cycles = 0;      ///< cycles with data on the bus
  std::uint64_t forwarded_reads = 0;  ///< answered from the write queue
  std::uint64_t write_drains = 0;     ///< times the high watermark was reached

  void stats(StatVisitor& v) const;
};

class DramController : public MemoryChannel, private Clocked, private TargetPort::Client {
 public:
  /// Throws InputError when the scheduler's name or parameters are wrong.
  DramController(sc_core::sc_module_name name, const MemoryChannelPlace& place, const DramConfig& config);

  tlm::tlm_target_socket<>& in(unsigned port) override { return ports_[port]->socket; }
  const PerLaunch<MemoryCounters>& launches() const override { return launches_; }
  const DramCounters& counters() const { return counters_; }
  void stats(StatVisitor& v) const override;

  /// A command as it was sent, for tests and traces.
  struct CommandRecord {
    Cycle cycle;
    enum class Kind : std::uint8_t { kActivate, kPrecharge, kRead, kWrite, kRefresh } kind;
    std::uint16_t bank;  ///< group * banks_per_group + bank in group
    std::uint32_t row;
    std::uint32_t column;
  };
  /// Called with every command from now on.
  void set_command_listener(std::function<void(const CommandRecord&)> listener) {
    listener_ = std::move(listener);
  }
  /// Where a device address lies.
  struct Place {
    std::uint16_t bank;
    std::uint32_t row;
    std::uint32_t column;  ///< in atoms
  };
  Place place_of(std::uint64_t device_address) const;

 private:
  static constexpr std::uint32_t kClosed = 0xffffffffu;

  struct Shifts {  // of the fields of an address
    explicit Shifts(const DramConfig& config);
    unsigned atom, low_column, group, high_column, bank;
  };
  struct Arrival {
    tlm::tlm_generic_payload* payload = nullptr;
    std::uint32_t port = 0;
    Cycle seen = 0;  // first cycle at which the controller sees it
    Cycle due = 0;   // first cycle at which it can be scheduled
  };
  struct Slot {  // a transaction from its arrival in the queue to its end
    tlm::tlm_generic_payload* payload = nullptr;
    std::uint32_t port = 0;
    std::uint32_t bursts_left = 0;
    bool write = false;
    bool answered = false;  // writes: the response went out
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
  struct Queue {  // bursts of one bank in one direction, oldest first
    std::vector<Burst> bursts;
    int hit = -1;  // oldest burst to the open row
    // What the bank offers to the scheduler: the oldest burst, and `hit` if that is another one.
    unsigned offered = 0;  // 0: to be made anew
    DramScheduler::Candidate offer[2];

    void find_hit(std::uint32_t row, std::size_t first);
  };
  struct Bank {
    std::uint32_t row = kClosed;
    Cycle next_activate = 0, next_precharge = 0, next_read = 0, next_write = 0;
    Queue queue[2];  // reads, writes

    void set_row(std::uint32_t to);
  };
  struct Group {
    Cycle next_activate = 0, next_read = 0, next_write = 0;
  };
  struct Response {
    Cycle ready;
    std::uint64_t order;
    std::uint32_t slot;
    bool operator>(const Response& o) const { return ready != o.ready ? ready > o.ready : order > o.order; }
  };

  Place place_in_channel(std::uint64_t channel_local) const;
  void evaluate(Cycle now) override;
  Cycle commit(Cycle now) override;
  bool request(TargetPort& port, tlm::tlm_generic_payload& payload) override;
  void response_link_free(TargetPort&) override { domain_.wake(id_); }
  void b_transport(TargetPort&, tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) override;
  unsigned transport_dbg(TargetPort&, tlm::tlm_generic_payload& payload) override;
  bool get_direct_mem_ptr(TargetPort&, tlm::tlm_generic_payload& payload, tlm::tlm_dmi& dmi) override;

  void take_staged(Cycle now);
  void admit(const Arrival& arrival, Cycle now);
  void enqueue(std::uint32_t slot, const Place& place);
  bool in_write_queue(const Place& place) const;
  void answer(std::uint32_t slot, Cycle ready);
  void finish(std::uint32_t slot);
  void refresh(Cycle now);
  void choose_direction();
  unsigned direction_for(bool draining) const {
    return queued_bursts_[1] && (draining || !queued_bursts_[0]) ? 1 : 0;
  }
  DramScheduler::Candidate candidate(unsigned bank, unsigned direction, unsigned index) const;
  Cycle update_candidates(unsigned direction);
  Cycle schedule(Cycle now);
  int pick(const std::vector<DramScheduler::Candidate>& candidates, Cycle now);
  void issue(const DramScheduler::Candidate& candidate, Cycle now);
  void record(Cycle now, CommandRecord::Kind kind, unsigned bank, std::uint32_t row, std::uint32_t column);

  ClockDomain& domain_;
  DeviceMemory& memory_;
  const AddressMap& map_;
  DramConfig config_;
  DramTiming timing_;
  Shifts shifts_;
  std::unique_ptr<DramScheduler> scheduler_;
  unsigned id_;
  std::vector<std::unique_ptr<TargetPort>> ports_;
  unsigned next_port_ = 0;   // which of the ports comes first
  std::uint64_t moved_ = 0;  // ports whose place became free at this edge

  // [port]: a request that was taken and waits for a place in the queue. One a port, so that what is taken at
  // an instant does not depend on who came first.
  std::vector<Arrival> staged_;
  unsigned staged_count_ = 0;
  Ring<Arrival> arrivals_;
  std::vector<Slot> slots_;
  std::vector<std::uint32_t> free_slots_;
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
  Cycle next_refresh_;
  unsigned direction_ = 0;  // 0 reads, 1 writes
  bool draining_ = false;
  Cycle next_issue_ = kNever;
  std::vector<DramScheduler::Candidate> candidates_, other_bus_;

  std::vector<std::vector<Response>> responses_;  // [port]: min-heap
  DramCounters counters_;
  PerLaunch<MemoryCounters> launches_;
  std::function<void(const CommandRecord&)> listener_;
};

}  // namespace warpvp
