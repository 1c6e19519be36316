// The host's register face of the queues.
#include <cstring>

#include "modules/command_processor/queues/queue_controller.h"

namespace warpvp {

namespace cp = regmap::cp;

void QueueController::declare_registers() {
  const auto ro = RegisterAccess::kReadOnly;
  const auto rw = RegisterAccess::kReadWrite;
  const std::uint32_t n = config_.queues;
  block_.add({"QUEUE_COUNT", cp::kQueueCount, 4, 1, 0, ro, n, "Number of hardware queues."});
  block_.add({"ERROR_COUNT", cp::kErrorCount, 4, 1, 0, ro, 0, "Times a queue was stopped by an error.",
              [this](unsigned) { return std::uint64_t{errors_}; }});
  block_.add(
      in_halves({"TIMESTAMP", cp::kTimestamp, 8, 1, 0, ro, 0,
                 "Simulated time in ns, the clock of signals' times.", [](unsigned) { return now_ns(); }}));
  error_mailbox_ = block_.add(
      in_halves({"ERROR_MAILBOX", cp::kErrorMailbox, 8, 1, 0, rw, 0,
                 "Host bus address to which a QueueErrorRecord is written when a queue stops; 0: none."}));
  error_interrupt_ =
      block_.add({"ERROR_INTERRUPT", cp::kErrorInterrupt, 4, 1, 0, rw, 0,
                  "As INTERRUPT, for a queue that stops; behind its record in ERROR_MAILBOX."});
  block_.add(MailboxSpec{"KERNEL_DONE", cp::kKernelDone, sizeof(cp::KernelDone),
                         "The work distributor writes a KernelDone record here when a kernel has ended.",
                         [this](const unsigned char* data) {
                           cp::KernelDone done;
                           std::memcpy(&done, data, sizeof done);
                           post(Message::kKernelDone, done.slot, done.launch_id);
                         }});
  block_.add(MailboxSpec{"COPY_DONE", cp::kCopyDone, sizeof(cp::CopyDone),
                         "A DMA engine writes a CopyDone record here when a copy has ended.",
                         [this](const unsigned char* data) {
                           cp::CopyDone done;
                           std::memcpy(&done, data, sizeof done);
                           post(Message::kCopyDone, done.engine, done.error);
                         }});

  const auto queue_register = [&](const char* name, std::uint64_t offset, unsigned width,
                                  RegisterAccess access, const char* doc,
                                  std::function<std::uint64_t(unsigned)> read = {},
                                  std::function<void(unsigned, std::uint64_t)> write = {}) {
    return block_.add(in_halves({name, cp::kQueues + offset, width, n, cp::kQueueStride, access, 0, doc,
                                 std::move(read), std::move(write)}));
  };
  ring_base_ =
      queue_register("Q_RING_BASE", cp::kRingBase, 8, rw,
                     "Device address of the ring, 64-byte aligned. Taken over when CONTROL is written.");
  ring_packets_ =
      queue_register("Q_RING_PACKETS", cp::kRingPackets, 4, rw,
                     "Packets the ring holds, a power of two. Taken over when CONTROL is written.");
  queue_register("Q_CONTROL", cp::kControl, 4, rw,
                 "Writing 1 maps the queue: indices and error become 0 and doorbells are obeyed. 0 unmaps "
                 "it. 2 kills one that is "
                 "mapped, until it is mapped anew: an error is forgotten, and the signals of all its packets "
                 "go down with the "
                 "mark of a rejection, code 65536: of those that run when they are complete, of the others "
                 "in their turn, and "
                 "they never run.",
                 {}, [this](unsigned q, std::uint64_t value) { post(Message::kControl, q, value); });
  queue_register("Q_READ_INDEX", cp::kReadIndex, 8, ro, "Packets started since the queue was mapped.",
                 [this](unsigned q) { return queues_[q].read; });
  queue_register("Q_WRITE_INDEX", cp::kWriteIndex, 8, ro, "Packets announced by doorbells.",
                 [this](unsigned q) { return queues_[q].write; });
  queue_register("Q_ERROR_INDEX", cp::kErrorIndex, 8, ro, "Index of the packet that stopped the queue.",
                 [this](unsigned q) { return queues_[q].error_index; });
  queue_register(
      "Q_ERROR", cp::kError, 4, ro,
      "Why the queue stopped: 0 it did not, 1 packet type, 2 dimensions, 3 kernel object, 4 address, "
      "5 a CTA never fits, 6 ring overrun, 7 doorbell while unmapped, 8 copy failed, 9 copy kind, "
      "10 not dispatched.",
      [this](unsigned q) { return static_cast<std::uint64_t>(queues_[q].error); });
  queue_register("Q_STATE", cp::kState, 4, ro, "0 off, 1 empty, 2 active, 3 head packet waits, 4 stopped.",
                 [this](unsigned q) {
                   const Queue& queue = queues_[q];
                   cp::QueueState state = cp::QueueState::kActive;
                   if (queue.error != QueueError::kNone) {
                     state = cp::QueueState::kStopped;
                   } else if (!queue.on) {
                     state = cp::QueueState::kOff;
                   } else if (queue.head_state == HeadState::kReady) {
                     state = cp::QueueState::kWaiting;
                   } else if (queue.read == queue.write && queue.in_flight == 0) {
                     state = cp::QueueState::kIdle;
                   }
                   return static_cast<std::uint64_t>(state);
                 });
  priority_ = queue_register("Q_PRIORITY", cp::kPriority, 4, rw,
                             "Signed priority of packets without a vendor extension.");
  context_ =
      queue_register("Q_CONTEXT", cp::kContext, 4, rw, "Context of packets without a vendor extension.");
  {
    RegisterSpec live{"Q_LIVE_PRIORITY", cp::kQueues + cp::kLivePriority, 4, n, cp::kQueueStride, rw,
                      cp::kOwnPriority,
                      "Signed priority of all packets of the queue in place of their own: of its head at once, of "
                      "its "
                      "kernels that run from their next CTA on (it is written to their KSR_PRIORITY), of those to "
                      "come. 0x80000000: each has its own. Mapping the queue sets that."};
    live.write = [this](unsigned q, std::uint64_t value) { post(Message::kLivePriority, q, value); };
    live_priority_ = block_.add(std::move(live));
  }
  queue_register("Q_IN_FLIGHT", cp::kInFlight, 4, ro, "Packets started and not complete.",
                 [this](unsigned q) { return std::uint64_t{queues_[q].in_flight}; });
  interrupt_ = block_.add(
      {"INTERRUPT", cp::kInterrupts, 4, n, cp::kInterruptStride, rw, 0,
       "Bit 31: each completion signal of the queue's packets raises the interrupt whose number is in bits "
       "15:0, after its value has been posted. 0: none does."});
  block_.add({"DOORBELL",
              cp::kDoorbells,
              8,
              n,
              cp::kDoorbellStride,
              RegisterAccess::kWriteOnly,
              0,
              "New write index: how many packets have been written since the queue was mapped.",
              {},
              [this](unsigned q, std::uint64_t value) { post(Message::kDoorbell, q, value); }});
}

void QueueController::post(Message::Kind kind, unsigned index, std::uint64_t value) {
  // The distributor's report is a posted write that takes the bus's time. Of other writes the time is the
  // sender's.
  const Cycle visible =
      kind == Message::kKernelDone ? domain_.edge_after(access_delay_) : domain_.next_edge();
  inbox_.put(visible, {kind, index, value});
  domain_.wake(clock_id_, visible);
}

}  // namespace warpvp
