// The queue controller's accesses to device memory: pieces of packets for its parsers, and completion
// signals.
#include <algorithm>
#include <cstring>

#include "interconnect/outstanding.h"
#include "modules/command_processor/queues/queue_controller.h"

namespace warpvp {

// Only asks whether it is there; nothing depends on the values.
bool QueueController::reachable(std::uint64_t address, std::uint64_t bytes) {
  std::vector<unsigned char> unused(bytes);
  tlm::tlm_generic_payload payload;
  payload.set_command(tlm::TLM_READ_COMMAND);
  payload.set_address(address);
  payload.set_data_ptr(unused.data());
  payload.set_data_length(static_cast<unsigned>(bytes));
  payload.set_streaming_width(static_cast<unsigned>(bytes));
  return memory.socket->transport_dbg(payload) == bytes;
}

std::uint64_t QueueController::post_access(tlm::tlm_command command, std::uint64_t address, const void* data,
                                           unsigned bytes, Cycle due) {
  Transaction& t = pool_.make(command, address, bytes);
  if (data != nullptr) std::memcpy(t.scratch, data, bytes);
  t.ext.kind = AccessKind::kCommand;
  t.ext.token = ++last_ticket_;
  accesses_.push_back({due, &t});
  wake(due);
  return last_ticket_;
}

void QueueController::send_accesses(Cycle now) {
  while (!accesses_.empty() && accesses_.front().due <= now && memory.ready()) {
    Transaction& t = *accesses_.front().transaction;
    accesses_.pop_front();
    memory.send(t);
  }
}

void QueueController::take_responses(Cycle now) {
  arrived_.take(now, [&](Transaction* transaction) {
    Transaction& t = *transaction;
    const std::uint64_t ticket = t.ext.token;
    const auto update = std::find_if(updates_.begin(), updates_.end(),
                                     [&](const SignalUpdate& u) { return u.ticket == ticket; });
    if (update != updates_.end()) {
      // Packets that cannot be read are refused with their queue; of a signal nobody else would hear.
      require_answer_ok(t, memory.socket, "completion signal");
      advance_update(*update, t, now);
    } else {
      // A parser whose queue was stopped or unmapped in the meantime does not wait any more.
      for (Parser& parser : parsers_) {
        if (!parser.busy || parser.done != kNever || parser.ticket != ticket) continue;
        parser.pieces.arrive(t.scratch, t.is_response_ok());
        advance_parser(parser, now);
        break;
      }
    }
    t.release();
  });
}

void QueueController::start_update(SignalUpdate& update, Cycle due) {
  update.ticket = post_access(tlm::TLM_READ_COMMAND, update.signal, nullptr, sizeof(aql::Signal), due);
}

// The signal has its new value when the write is answered; only then do host and sequencer hear of it.
void QueueController::advance_update(SignalUpdate& update, const Transaction& t, Cycle now) {
  if (t.is_read()) {
    std::memcpy(static_cast<void*>(&update.value), t.scratch, sizeof update.value);
    --update.value.value;
    update.value.start_ns = update.start_ns;
    update.value.end_ns = update.end_ns;
    update.ticket =
        post_access(tlm::TLM_WRITE_COMMAND, update.signal, &update.value, aql::kSignalMailboxBytes, now);
    return;
  }
  const SignalUpdate done = update;
  updates_.erase(std::find_if(updates_.begin(), updates_.end(),
                              [&](const SignalUpdate& u) { return u.ticket == done.ticket; }));
  const auto next = std::find_if(updates_.begin(), updates_.end(),
                                 [&](const SignalUpdate& u) { return u.signal == done.signal; });
  if (next != updates_.end()) start_update(*next, now);
  if (done.value.mailbox != 0 && (!gate_ || gate_->may_post(done.queue, done.value.mailbox)))
    write_host(done.value.mailbox, &done.value, aql::kSignalMailboxBytes, now);
  interrupt(block_.get(interrupt_, done.queue), now);
  sequencer_->signals_changed(done.signal, now);
}

}  // namespace warpvp
