#pragma once
// The hardware part of the command processor: queues, doorbells, completion mailboxes, packet parsers,
// completion signals and posts to host memory. It prepares the head of each queue and leaves to its Sequencer
// which head starts when, and where.
//
// It is Clocked in the domain given to it and sleeps unless something arrives or a parser finishes.
//
// Order: packets of one queue become its head in order. A malformed packet stops its queue with an error
// code, the others go on. A packet that is rejected never runs: its signal goes down with the mark of a
// rejection (aql::kRejected) when its turn has come, and its queue goes on. So does each packet of a queue
// that the host kills (queue_rejection.cpp).

#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>

#include <algorithm>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <systemc>
#include <utility>
#include <vector>

#include "base/inbox.h"
#include "base/outlook.h"
#include "base/stats.h"
#include "interconnect/aql.h"
#include "interconnect/clock_domain.h"
#include "interconnect/ports.h"
#include "interconnect/register_block.h"
#include "interconnect/register_map.h"
#include "interconnect/transaction.h"
#include "modules/command_processor/command_processor.h"
#include "modules/command_processor/config.h"
#include "modules/command_processor/queues/aql_parser.h"
#include "modules/command_processor/queues/fetched_pieces.h"
#include "modules/command_processor/queues/queue_observer.h"
#include "modules/command_processor/queues/queue_stats.h"
#include "modules/command_processor/queues/sequencer.h"

namespace warpvp {

class QueueController : public sc_core::sc_module, private Clocked, private InitiatorPort::Client {
 public:
  using QueueError = regmap::cp::QueueError;

  /// `slots`: kernel status registers of the work distributor; `dma_engines`: copies that can run at once.
  QueueController(sc_core::sc_module_name name, const CommandProcessorConfig& config, unsigned slots,
                  unsigned dma_engines, ClockDomain& domain);

  tlm_utils::simple_target_socket<QueueController> registers;  ///< window of regmap::cp
  tlm_utils::simple_initiator_socket<QueueController> bus;     ///< distributor and DMA registers
  InitiatorPort memory;                                        ///< device memory, with values
  InitiatorPort host;                                          ///< posted writes to host memory

  /// Set once, before the simulation starts.
  void set_sequencer(Sequencer& sequencer) { sequencer_ = &sequencer; }
  void add_observer(QueueObserver& observer) { observers_.push_back(&observer); }
  void set_gate(PacketGate& gate) { gate_ = &gate; }
  const QueueStats& statistics() const { return stats_; }
  const RegisterBlock& register_block() const { return block_; }
  /// When the doorbell came that announced the launch's packet; nullptr: no such kernel was started.
  const sc_core::sc_time* doorbell_of_launch(std::uint32_t launch_id) const;
  /// Some packet has been announced and not started, or started and not completed.
  bool work_pending() const;
  /// Of the queues and their sequencer, not of a core behind it.
  Outlook outlook() const;
  /// One line for each queue that is not empty or has stopped. For messages about hangs.
  std::string describe() const;

  // ---- For the sequencer

  unsigned queue_count() const { return static_cast<unsigned>(queues_.size()); }
  /// Kernel slots are destinations 0 to slots() - 1, DMA engines 0 to engines() - 1: which of the two a
  /// packet goes to follows from its type.
  unsigned slots() const { return static_cast<unsigned>(slots_.size()); }
  unsigned engines() const { return static_cast<unsigned>(engines_.size()); }
  /// The queue has a head that can be started.
  bool ready(unsigned q) const { return queues_[q].head_state == HeadState::kReady; }
  /// Valid while ready(q) or dropped(q).
  const ParsedPacket& head(unsigned q) const { return queues_[q].head; }
  /// Gives the head another priority than it brought along. Requires ready(q).
  void set_head_priority(unsigned q, std::int32_t priority) { set_priority(queues_[q].head, priority); }
  unsigned in_flight(unsigned q) const { return queues_[q].in_flight; }
  /// Index after the last packet announced; packets announced and not taken.
  std::uint64_t write_index(unsigned q) const { return queues_[q].write; }
  std::uint64_t waiting(unsigned q) const { return queues_[q].write - queues_[q].read; }
  /// When the doorbell came that announced the head.
  sc_core::sc_time doorbell_time(unsigned q) const { return queues_[q].head_doorbell; }
  bool slot_free(unsigned slot) const { return !slots_[slot].busy; }
  bool engine_free(unsigned engine) const { return !engines_[engine].busy; }

  /// A head that could be started was dropped because its queue was stopped or unmapped, and no other packet
  /// of the queue has been looked at since. Its packet stays in head().
  bool dropped(unsigned q) const {
    return queues_[q].head_state == HeadState::kNone && queues_[q].head.type != aql::PacketType::kInvalid;
  }
  /// Whether the head (or the one dropped) may go to that destination: there is such a one, and nothing is in
  /// it.
  bool can_forward(unsigned q, unsigned destination) const;
  /// Copies the head's payload in one burst into the destination and reserves it. For a head that was
  /// dropped, nothing is reserved, and zeros are written, which nobody can start by mistake. Requires
  /// can_forward(); false: the destination did not answer.
  bool forward(unsigned q, unsigned destination, sc_core::sc_time& delay);
  /// Whether the head (or the one dropped) was forwarded there and not taken; a barrier packet needs no
  /// destination (qc::kNoDestination).
  bool can_take(unsigned q, unsigned destination) const;
  /// The head has been started; the parsers go on to the next packet. A head that was dropped only counts as
  /// in flight. Requires can_take().
  void take(unsigned q, unsigned destination);
  /// Gives back the destinations to which heads of the queue were forwarded and which were not taken.
  void give_back(unsigned q);
  /// give_back(), and stops the queue: its packets from `index` on are not executed.
  void stop(unsigned q, QueueError error, std::uint64_t index);
  /// The head is never started; it counts as consumed once it could have started, which with the barrier bit
  /// is when nothing of its queue is in flight. `code`: 1 to 65535. Requires ready(q). Gives back as
  /// give_back().
  void reject(unsigned q, std::uint32_t code);
  /// The same, and every later packet of the queue that belongs to the same job, whenever it comes, up to the
  /// job's last one. The head alone if it belongs to no job.
  void reject_job(unsigned q, std::uint32_t code);
  /// One packet of the queue is complete: updates its signal, if any, and posts it to the host. Requires
  /// in_flight(q) > 0.
  void complete(unsigned q, std::uint64_t signal, std::uint64_t start_ns) {
    finish({0, q, signal, start_ns});
  }
  /// The same at a later edge.
  void complete_at(Cycle at, unsigned q, std::uint64_t signal, std::uint64_t start_ns) {
    finishing_.push_back({at, q, signal, start_ns});
  }

  /// Writes the priority of all kernels of the queue that were forwarded or run; they obey from their next CTA
  /// on. To be called where the bus may be accessed.
  void set_running_priority(unsigned q, std::int32_t priority);

  /// An access to the register bus or device memory, now; its time is added to `delay`.
  bool access_bus(tlm::tlm_command command, std::uint64_t address, void* data, unsigned bytes,
                  sc_core::sc_time& delay) {
    return access(bus, command, address, data, bytes, delay);
  }
  bool access_memory(tlm::tlm_command command, std::uint64_t address, void* data, unsigned bytes,
                     sc_core::sc_time& delay) {
    return access(memory.socket, command, address, data, bytes, delay);
  }
  /// Posts a write to host memory at edge `due`, after those posted before. At most 24 bytes.
  void write_host(std::uint64_t address, const void* data, unsigned bytes, Cycle due);
  /// Has the sequencer called at the next edge, or at `cycle` if that is later.
  void wake(Cycle cycle = 0) {
    due_ = std::min(due_, cycle);
    domain_.wake(clock_id_, cycle);
  }
  ClockDomain& domain() const { return domain_; }
  /// Edges that `time` takes, rounded up.
  Cycle cycles(const sc_core::sc_time& time) const;
  Cycle cycles_ns(double ns) const { return cycles(sc_core::sc_time(ns, sc_core::SC_NS)); }
  /// Simulated time, the clock of signals' times.
  static std::uint64_t now_ns();

 private:
  enum class HeadState : std::uint8_t { kNone, kParsing, kReady, kRejected };
  struct RejectedJob {
    std::uint32_t job, code;
  };
  struct Queue {
    bool on = false;
    bool killed = false;                        ///< its packets complete as rejected, whatever they are
    std::vector<std::uint64_t> failed_signals;  ///< of copies that failed
    std::uint64_t ring_base = 0;
    std::uint64_t ring_packets = 0;
    std::uint64_t read = 0, write = 0;
    QueueError error = QueueError::kNone;
    std::uint64_t error_index = 0;
    unsigned in_flight = 0;
    HeadState head_state = HeadState::kNone;
    ParsedPacket head;
    sc_core::sc_time head_doorbell;
    std::optional<std::int32_t> live_priority;  ///< in place of the packets' own
    std::uint32_t code = 0;              ///< of a head that is rejected
    std::vector<RejectedJob> no_longer;  ///< jobs whose last packet has not been seen
    std::vector<std::pair<std::uint64_t, sc_core::sc_time>> doorbells;  ///< write index and when it came
  };
  struct Parser {
    bool busy = false;
    Cycle done = kNever;  ///< kNever: a read is under way
    unsigned queue = 0;
    QueueError error = QueueError::kNone;
    PacketPlace place;
    FetchedPieces pieces;
    std::uint64_t ticket = 0;  ///< of the read under way
  };
  struct Message {
    enum Kind : std::uint8_t { kDoorbell, kControl, kKernelDone, kCopyDone, kLivePriority } kind;
    unsigned index;
    std::uint64_t value;
  };
  /// A kernel slot or DMA engine.
  struct Destination {
    bool busy = false;       ///< from forward to the completion record
    bool forwarded = false;  ///< from forward to take, give back or stop
    unsigned queue = 0;
    std::uint64_t signal = 0;  ///< of what is in it
    PacketGate::LoadCommand load;  ///< that it stands for; no bytes: none
  };
  struct Completion {
    Cycle at;
    unsigned queue;
    std::uint64_t signal, start_ns;
  };
  /// A completion signal on its way to its new value: read, then written.
  struct SignalUpdate {
    std::uint64_t ticket = 0;  ///< of the access under way; 0: waits for an earlier update of the same signal
    std::uint64_t signal = 0, start_ns = 0, end_ns = 0;
    unsigned queue = 0;
    aql::Signal value;
  };
  struct MemoryAccess {
    Cycle due;
    Transaction* transaction;
  };
  struct HostWrite {
    Cycle due;
    std::uint64_t address;
    unsigned bytes;
    unsigned char data[aql::kSignalMailboxBytes];
  };

  void evaluate(Cycle now) override;
  Cycle commit(Cycle now) override;

  void declare_registers();
  void b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
    access_delay_ = delay;
    block_.transport(payload);
  }
  unsigned transport_dbg(tlm::tlm_generic_payload& payload) { return block_.transport_dbg(payload); }
  void post(Message::Kind kind, unsigned index, std::uint64_t value);
  void take_message(const Message& message);
  void ring(unsigned queue, std::uint64_t write_index);
  void control(unsigned queue, bool on);
  void set_live_priority(unsigned queue, std::uint32_t value);
  void drop_head(unsigned queue);
  void start_parsing(Cycle now);
  void advance_parser(Parser& parser, Cycle now);
  void finish_parsing(Cycle now);
  bool reachable(std::uint64_t address, std::uint64_t bytes);
  /// Puts an access to device memory behind those before it; returns its ticket.
  std::uint64_t post_access(tlm::tlm_command command, std::uint64_t address, const void* data, unsigned bytes,
                            Cycle due);
  void send_accesses(Cycle now);
  void take_responses(Cycle now);
  void start_update(SignalUpdate& update, Cycle due);
  void advance_update(SignalUpdate& update, const Transaction& transaction, Cycle now);
  bool waits_for_parser(unsigned queue) const;
  std::optional<unsigned> next_to_parse() const;  // queues in rotation
  void finish(const Completion& completion);
  void update_signal(unsigned queue, std::uint64_t signal, std::uint64_t start_ns);
  /// Raises the interrupt that the register names, if any, after the writes posted before.
  void interrupt(std::uint64_t number, Cycle due);
  /// Takes the head off its queue.
  void consume_head(unsigned queue);
  bool reject_head_of_job(unsigned queue);
  void drop_rejected(unsigned queue);
  void kill(unsigned queue);
  void reject_killed(unsigned queue);
  void copy_failed(const Destination& engine);
  void halt(unsigned queue, QueueError error, std::uint64_t index);
  const Destination* destination(unsigned queue, unsigned number) const;
  Destination* destination(unsigned queue, unsigned number) {
    return const_cast<Destination*>(std::as_const(*this).destination(queue, number));
  }
  /// First edge not before the current time; within commit, the edge being processed.
  Cycle this_edge() const;
  template <class Socket>
  bool access(Socket& socket, tlm::tlm_command command, std::uint64_t address, void* data, unsigned bytes,
              sc_core::sc_time& delay) {
    tlm::tlm_generic_payload payload;
    payload.set_command(command);
    payload.set_address(address);
    payload.set_data_ptr(static_cast<unsigned char*>(data));
    payload.set_data_length(bytes);
    payload.set_streaming_width(bytes);
    payload.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
    socket->b_transport(payload, delay);
    return payload.is_response_ok();
  }
  void send_host_writes(Cycle now);
  Cycle next_edge(Cycle now, Cycle sequencer) const;
  void link_free(InitiatorPort&) override { wake(); }
  bool response(InitiatorPort& port, tlm::tlm_generic_payload& payload) override;
  void observe_depth(unsigned queue);
  void observe(SchedulingDecision::Kind kind, unsigned queue, std::uint64_t packet, std::uint64_t detail);

  CommandProcessorConfig config_;
  ClockDomain& domain_;
  unsigned clock_id_;
  Cycle due_ = kNever;             // the next edge with something to do
  sc_core::sc_time access_delay_;  // of the register access under way
  Sequencer* sequencer_ = nullptr;
  std::vector<QueueObserver*> observers_;
  PacketGate* gate_ = nullptr;
  RegisterBlock block_;
  RegisterBlock::Id error_mailbox_, error_interrupt_, interrupt_, ring_base_, ring_packets_, priority_,
      context_, live_priority_;
  TransactionPool pool_;

  std::vector<Queue> queues_;
  std::vector<Parser> parsers_;
  std::vector<Destination> slots_, engines_;
  Inbox<Message> inbox_;
  std::vector<Message> messages_;  // visible at this edge
  std::deque<Completion> finishing_;
  std::deque<HostWrite> host_writes_;
  std::deque<SignalUpdate> updates_;
  std::deque<MemoryAccess> accesses_;
  Inbox<Transaction*> arrived_;  ///< answers from device memory
  std::uint64_t last_ticket_ = 0;
  unsigned next_parse_ = 0;
  std::uint32_t errors_ = 0;
  std::map<std::uint32_t, sc_core::sc_time> launch_doorbells_;
  std::uint32_t unnumbered_launches_ = 0;
  QueueStats stats_;
};

}  // namespace warpvp
