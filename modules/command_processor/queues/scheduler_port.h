#pragma once
// The scheduler port: the queues as firmware sees them, a window of registers (regmap::qc). Firmware learns
// what happened from a queue of events, reads heads, has their payload forwarded and says what it started,
// stopped and completed; the queue controller does the rest.
//
// A queue that was mapped, unmapped or stopped is reported by an event, and its next packet is not parsed
// before firmware has dropped that event. So firmware that is in the middle of starting the old head cannot
// start the new one by mistake; what it still writes about the old one is settled quietly. What no firmware
// in step with the queues would write is refused (TLM_GENERIC_ERROR), an access fault at that instruction.

#include <tlm_utils/simple_target_socket.h>

#include <deque>
#include <functional>
#include <vector>

#include "interconnect/register_block.h"
#include "modules/command_processor/queues/assistance.h"
#include "modules/command_processor/queues/queue_controller.h"

namespace warpvp {

class SchedulerPort : public sc_core::sc_module, public Sequencer {
 public:
  SchedulerPort(sc_core::sc_module_name name, QueueController& queues);

  tlm_utils::simple_target_socket<SchedulerPort> registers;  ///< window of regmap::qc

  /// Called at each head that becomes ready, and at each event queued.
  std::function<void()> on_head, on_event;
  /// A doorbell rang; the packet may have to wait for a parser.
  std::function<void()> on_doorbell;
  /// Some head is ready; some event waits.
  bool head_level() const;
  bool event_level() const { return !events_.empty(); }
  const RegisterBlock& register_block() const { return block_; }

  // ---- For hardware that starts packets by itself: it is the Sequencer then.

  /// Set once, before the simulation starts. What only firmware that starts packets writes is refused from then on.
  void set_assistance(Assistance& assistance) { assistance_ = &assistance; }
  void note_gated() {
    if (on_head) on_head();
  }
  void note_doorbell(unsigned queue);
  void note_changed(unsigned queue) { queue_changed(queue); }
  void note_priority(unsigned queue) { priority_changed(queue); }
  void note_log_half() { queue_event(Event::kLogHalf, 0); }
  bool may_parse(unsigned queue) const override { return !changed_[queue]; }

 private:
  using Event = regmap::qc::Event;
  using QueueError = regmap::cp::QueueError;

  void head_ready(unsigned queue) override;
  void doorbell(unsigned queue) override;
  void kernel_done(unsigned slot) override { queue_event(Event::kKernelDone, slot); }
  void copy_done(unsigned engine, bool failed) override {
    queue_event(failed ? Event::kCopyFailed : Event::kCopyDone, engine);
  }
  void signals_changed(std::uint64_t signal, Cycle due) override;
  void queue_changed(unsigned queue) override;
  void priority_changed(unsigned queue) override { queue_event(Event::kPriority, queue); }
  Cycle step(Cycle now) override;

  void declare_registers();
  void command(const char* name, std::uint64_t offset, const char* doc,
               std::function<void(std::uint32_t)> write);
  void declare_heads();
  void declare_assistance();
  void b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);
  unsigned transport_dbg(tlm::tlm_generic_payload& payload) { return block_.transport_dbg(payload); }

  bool by_hardware();
  bool by_firmware();
  void queue_event(Event event, std::uint32_t index);
  void pop_event();
  void forward(std::uint32_t value);
  void take(std::uint32_t value);
  void stop(std::uint32_t value);
  void reject(std::uint32_t value, bool job);
  void complete(std::uint32_t queue);
  /// Writes about the queue's head mean the one that was dropped.
  bool stale(unsigned queue) const { return changed_[queue] && queues_.dropped(queue); }
  std::uint32_t ready_word(unsigned word) const;
  /// The head of a queue, or the one dropped as long as firmware has not been told; else one of type
  /// kInvalid.
  const ParsedPacket& head(unsigned queue) const;

  struct ChangedSignal {
    Cycle due;
    std::uint32_t index;
  };

  QueueController& queues_;
  Assistance* assistance_ = nullptr;
  RegisterBlock block_;
  RegisterBlock::Id stop_index_, signal_, start_ns_;
  std::deque<std::uint32_t> events_;
  std::vector<bool> changed_;           // by queue: kQueueChanged waits in events_
  std::vector<ChangedSignal> signals_;  // events not yet due
  std::uint32_t options_ = 0;
  std::vector<bool> told_;               // by queue: kDoorbell waits in events_
  std::vector<std::uint64_t> announced_;  // by queue: write index of the last doorbell
  sc_core::sc_time access_delay_;       // of the access under way, beyond the bus
  bool refused_ = false;                // the access under way
};

}  // namespace warpvp
