#pragma once
// The command processor as a hardware model: takes packets from many hardware queues, round robin, and starts
// what they ask for: kernels in the work distributor's status registers, copies on DMA engines, waits on
// signals.
//
// Its face is that of the firmware-driven processor: registers (queues, doorbells, completion mailboxes) on
// the register bus, device memory through a socket, posted writes to host memory over PCIe. It is Clocked in
// the domain given to it and sleeps unless something arrives or a parser finishes.
//
// Order: packets of one queue start in order; without the barrier bit the next one may start while earlier
// ones run. A malformed packet stops its queue with an error code, the others go on.

#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>

#include <deque>
#include <systemc>
#include <vector>

#include "base/fields.h"
#include "base/stats.h"
#include "interconnect/aql.h"
#include "interconnect/clock_domain.h"
#include "interconnect/kernel_descriptor.h"
#include "interconnect/ports.h"
#include "interconnect/register_block.h"
#include "interconnect/register_map.h"
#include "interconnect/transaction.h"

namespace warpvp {

struct CommandProcessorConfig {
  std::uint32_t queues = 128;
  std::uint32_t parsers = 4;
  double parse_ns = 100;
  double parse_interval_ns = 0;
  double dispatch_ns = 50;
  double signal_poll_ns = 0;

  void fields(FieldVisitor& v) {
    v.field("queues", queues, "", "Hardware queues (LAX section 6.4, Table 6.1 has 128).",
            Constraint::range(1, regmap::cp::kMaxQueues));
    v.field("parsers", parsers, "", "Packets parsed at once, each from a queue of its own.",
            Constraint::range(1, 64));
    v.field("parse_ns", parse_ns, "ns", "Time to decode a packet, beyond reading it from memory.",
            Constraint::at_least(0));
    v.field("parse_interval_ns", parse_interval_ns, "ns",
            "Parsers take up packets only at multiples of this time; 0: whenever they are free.",
            Constraint::at_least(0));
    v.field("dispatch_ns", dispatch_ns, "ns", "Least time between two commands started.",
            Constraint::at_least(0));
    v.field("signal_poll_ns", signal_poll_ns, "ns",
            "How often a waiting barrier packet looks at its signals for changes made by the host; 0: only "
            "when a "
            "packet completes or its queue's doorbell is rung again.",
            Constraint::at_least(0));
  }
};

struct CommandProcessorStats {
  std::uint64_t kernels = 0, copies = 0, barriers = 0, errors = 0, doorbells = 0;
  double queue_wait_us = 0;  ///< doorbell to start, summed over kernels
  void stats(StatVisitor& v) const;
};

/// Told about queues, for timelines. All calls at the time of the event.
class QueueObserver {
 public:
  virtual ~QueueObserver() = default;
  /// Packets announced by doorbells and not started.
  virtual void queue_depth(unsigned queue, std::uint64_t packets) = 0;
};

class SimpleCommandProcessor : public sc_core::sc_module, private Clocked, private InitiatorPort::Client {
 public:
  /// `slots`: kernel status registers of the work distributor; `dma_engines`: copies that can run at once.
  SimpleCommandProcessor(sc_core::sc_module_name name, const CommandProcessorConfig& config, unsigned slots,
                         unsigned dma_engines, ClockDomain& domain);

  tlm_utils::simple_target_socket<SimpleCommandProcessor> registers;  ///< window of regmap::cp
  tlm_utils::simple_initiator_socket<SimpleCommandProcessor> bus;     ///< distributor and DMA registers
  tlm_utils::simple_initiator_socket<SimpleCommandProcessor>
      memory;          ///< device memory, b_transport with values
  InitiatorPort host;  ///< posted writes to host memory

  void set_observer(QueueObserver* observer) { observer_ = observer; }
  const CommandProcessorStats& statistics() const { return stats_; }
  const RegisterBlock& register_block() const { return block_; }
  /// One line a queue that is not empty or has stopped. For messages about hangs.
  std::string describe() const;

 private:
  using QueueError = regmap::cp::QueueError;

  /// A packet taken from a queue, with what it refers to.
  struct Command {
    unsigned queue = 0;
    std::uint64_t index = 0;  ///< in its queue
    std::uint16_t header = 0;
    union {
      unsigned char raw[64];
      aql::KernelDispatch dispatch;
      aql::Barrier barrier;
      aql::Copy copy;
    };
    KernelDescriptor kernel;
    aql::Extension extension;
    std::uint64_t signal = 0;
    std::uint64_t start_ns = 0;
    Command() : raw{} {}
    aql::PacketType type() const { return static_cast<aql::PacketType>(aql::type_of(header)); }
  };
  enum class HeadState : std::uint8_t { kNone, kParsing, kReady };
  struct Queue {
    bool on = false;
    std::uint64_t ring_base = 0;
    std::uint64_t ring_packets = 0;
    std::uint64_t read = 0, write = 0;
    QueueError error = QueueError::kNone;
    std::uint64_t error_index = 0;
    unsigned in_flight = 0;
    HeadState head_state = HeadState::kNone;
    Command head;
    Cycle check_at = 0;  ///< barrier packets: when to look at the signals again
    std::vector<std::pair<std::uint64_t, sc_core::sc_time>> doorbells;  ///< write index and when it came
  };
  struct Parser {
    bool busy = false;
    Cycle done = kNever;
    unsigned queue = 0;
    QueueError error = QueueError::kNone;
  };
  struct Message {
    enum Kind : std::uint8_t { kDoorbell, kControl, kKernelDone, kCopyDone } kind;
    Cycle visible;
    unsigned index;
    std::uint64_t value;
  };
  struct Running {
    bool busy = false;
    Command command;
  };
  struct Finishing {
    Cycle due;
    Command command;
  };
  struct HostWrite {
    Cycle due;
    std::uint64_t address;
    unsigned char data[aql::kSignalMailboxBytes];
  };

  void evaluate(Cycle now) override;
  Cycle commit(Cycle now) override;

  void declare_registers();
  void b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time&) { block_.transport(payload); }
  unsigned transport_dbg(tlm::tlm_generic_payload& payload) { return block_.transport_dbg(payload); }
  void post(Message::Kind kind, unsigned index, std::uint64_t value);
  void take(const Message& message, Cycle now);
  void doorbell(unsigned queue, std::uint64_t write_index, Cycle now);
  void control(unsigned queue, bool on);
  void drop_head(unsigned queue);
  void start_parsing(Cycle now);
  QueueError decode(Queue& queue, sc_core::sc_time& delay);
  QueueError decode_dispatch(Command& command, sc_core::sc_time& delay);
  void issue(Cycle now);
  bool try_start(unsigned queue, Cycle now);
  bool start_kernel(Queue& queue, unsigned slot, Cycle now);
  bool start_copy(Queue& queue, unsigned engine, Cycle now);
  bool start_barrier(Queue& queue, Cycle now);
  void started(Queue& queue);
  void complete(const Command& command, Cycle now);
  void stop(unsigned queue, QueueError error, std::uint64_t index, Cycle now);
  bool access(tlm_utils::simple_initiator_socket<SimpleCommandProcessor>& socket, tlm::tlm_command command,
              std::uint64_t address, void* data, unsigned bytes, sc_core::sc_time& delay);
  void write_host(std::uint64_t address, const void* data, Cycle due);
  void send_host_writes(Cycle now);
  void link_free(InitiatorPort&) override { domain_.wake(clock_id_, domain_.next_edge()); }
  bool response(InitiatorPort&, tlm::tlm_generic_payload& payload) override {
    payload.release();
    return true;
  }
  Cycle cycles(const sc_core::sc_time& time) const;
  Cycle cycles_ns(double ns) const { return cycles(sc_core::sc_time(ns, sc_core::SC_NS)); }
  std::uint64_t now_ns() const;
  void observe(unsigned queue) {
    if (observer_) observer_->queue_depth(queue, queues_[queue].write - queues_[queue].read);
  }

  CommandProcessorConfig config_;
  ClockDomain& domain_;
  unsigned clock_id_;
  QueueObserver* observer_ = nullptr;
  RegisterBlock block_;
  RegisterBlock::Id error_mailbox_, ring_base_, ring_packets_, priority_, context_;
  TransactionPool pool_;

  std::vector<Queue> queues_;
  std::vector<Parser> parsers_;
  std::vector<Running> slots_, engines_;
  std::vector<Message> inbox_, messages_;
  std::deque<Finishing> finishing_;
  std::deque<HostWrite> host_writes_;
  unsigned next_parse_ = 0, next_issue_ = 0;
  Cycle next_start_ = 0;  // pacing of starts
  std::uint32_t errors_ = 0;
  CommandProcessorStats stats_;
};

}  // namespace warpvp
