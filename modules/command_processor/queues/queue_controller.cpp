#include "modules/command_processor/queues/queue_controller.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstring>

#include "base/part_mark.h"
#include "interconnect/outstanding.h"

namespace warpvp {

namespace cp = regmap::cp;
namespace wd = regmap::wd;
namespace dma = regmap::dma;
namespace qc = regmap::qc;

void QueueStats::stats(StatVisitor& v) const {
  v.value("kernels", kernels, "kernels", "Kernels given to the work distributor.");
  v.value("copies", copies, "copies", "Copies started.");
  v.value("barriers", barriers, "packets", "Barrier packets processed.");
  v.value("doorbells", doorbells, "doorbells", "Doorbells received.");
  v.value("errors", errors, "errors", "Times that a queue was stopped by an error.");
  v.value("rejections", rejections, "packets",
          "Packets that firmware rejected, one by one or with their job.");
  v.value("mean_queue_wait_us", kernels ? queue_wait_us / static_cast<double>(kernels) : 0.0, "us",
          "Time from a kernel's doorbell to its dispatch, mean over kernels.");
}

QueueController::QueueController(sc_core::sc_module_name name, const CommandProcessorConfig& config,
                                 unsigned slots, unsigned dma_engines, ClockDomain& domain)
    : sc_module(name),
      registers("registers"),
      bus("bus"),
      memory("memory", *this),
      host("host", *this),
      config_(config),
      domain_(domain),
      clock_id_(domain.join(*this)),
      block_(
          "Command processor", cp::kBytes,
          "Queues (Q_ registers, one set a queue), their doorbells and the mailboxes through which the work "
          "distributor and the DMA engines report. To map a queue, write RING_BASE and RING_PACKETS, then 1 "
          "to "
          "CONTROL."),
      queues_(config.queues),
      slots_(slots),
      engines_(dma_engines) {
  const FetchedPieces pieces(
      [this](std::uint64_t address, std::uint64_t bytes) { return reachable(address, bytes); });
  parsers_.assign(config.parsers, Parser{false, kNever, 0, QueueError::kNone, {}, pieces, 0});
  registers.register_b_transport(this, &QueueController::b_transport);
  registers.register_transport_dbg(this, &QueueController::transport_dbg);
  declare_registers();
}

Cycle QueueController::cycles(const sc_core::sc_time& time) const {
  const std::uint64_t period = domain_.period().value();
  return (time.value() + period - 1) / period;
}

std::uint64_t QueueController::now_ns() {
  static const std::uint64_t kNs = sc_core::sc_time(1, sc_core::SC_NS).value();
  return sc_core::sc_time_stamp().value() / kNs;
}

Cycle QueueController::this_edge() const {
  const Cycle now = domain_.now();
  return domain_.time_of(now) == sc_core::sc_time_stamp() ? now : now + 1;
}

void QueueController::observe_depth(unsigned queue) {
  for (QueueObserver* observer : observers_)
    observer->queue_depth(queue, queues_[queue].write - queues_[queue].read);
}

void QueueController::observe(SchedulingDecision::Kind kind, unsigned queue, std::uint64_t packet,
                              std::uint64_t detail) {
  for (QueueObserver* observer : observers_)
    observer->decision({kind, sc_core::sc_time_stamp(), queue, packet, detail});
}

// ---- What arrives

void QueueController::evaluate(Cycle now) {
  const PartMark mark("command processor");
  if (sequencer_->accesses_in_step()) domain_.commit_by_thread();
  inbox_.take(now, [&](const Message& message) {
    if (message.kind == Message::kLivePriority) domain_.commit_by_thread();
    messages_.push_back(message);
  });
}

bool QueueController::response(InitiatorPort& port, tlm::tlm_generic_payload& payload) {
  if (&port == &host) {
    require_answer_ok(payload, host.socket, "signal to the host");
    payload.release();
    return true;
  }
  arrived_.put(domain_.now() + 1, static_cast<Transaction*>(&payload));
  wake();
  return true;
}

void QueueController::take_message(const Message& message) {
  switch (message.kind) {
    case Message::kDoorbell:
      ring(message.index, message.value);
      break;
    case Message::kControl:
      if (message.value == cp::kKill) {
        kill(message.index);
      } else {
        control(message.index, message.value == 1);
      }
      break;
    case Message::kKernelDone:
      if (message.index >= slots_.size() || !slots_[message.index].busy) break;
      slots_[message.index].busy = false;
      sequencer_->kernel_done(message.index);
      break;
    case Message::kCopyDone:
      if (message.index >= engines_.size() || !engines_[message.index].busy) break;
      engines_[message.index].busy = false;
      if (const auto load = std::exchange(engines_[message.index].load, {}); load.bytes != 0)
        gate_->load(engines_[message.index].queue, load);
      if (message.value != 0) copy_failed(engines_[message.index]);
      sequencer_->copy_done(message.index, message.value != 0);
      break;
    case Message::kLivePriority:
      set_live_priority(message.index, static_cast<std::uint32_t>(message.value));
      break;
  }
}

void QueueController::ring(unsigned index, std::uint64_t write_index) {
  Queue& queue = queues_[index];
  ++stats_.doorbells;
  for (QueueObserver* observer : observers_) observer->doorbell(index, write_index);
  if (queue.error != QueueError::kNone) return;
  if (!queue.on) {
    halt(index, QueueError::kQueueNotMapped, 0);
    return;
  }
  if (write_index < queue.write || write_index - queue.read > queue.ring_packets) {
    halt(index, QueueError::kRingOverrun, queue.read);
    return;
  }
  if (write_index != queue.write) {
    queue.write = write_index;
    queue.doorbells.emplace_back(write_index, sc_core::sc_time_stamp());
    observe_depth(index);
  }
  sequencer_->doorbell(index);
}

void QueueController::control(unsigned index, bool on) {
  Queue& queue = queues_[index];
  queue.on = on;
  queue.killed &= on;
  drop_head(index);
  if (on) {
    queue.ring_base = block_.get(ring_base_, index);
    queue.ring_packets = block_.get(ring_packets_, index);
    queue.killed = false;
    queue.failed_signals.clear();
    queue.read = queue.write = queue.error_index = 0;
    queue.error = QueueError::kNone;
    queue.doorbells.clear();
    queue.no_longer.clear();
    queue.live_priority.reset();
    block_.set(live_priority_, cp::kOwnPriority, index);
    const std::uint64_t n = queue.ring_packets;
    if (n == 0 || (n & (n - 1)) != 0 || queue.ring_base % 64 != 0) {
      halt(index, QueueError::kBadAddress, 0);
      return;
    }
  }
  sequencer_->queue_changed(index);
}

// Priorities that packets brought along come back only with the next packet.
void QueueController::set_live_priority(unsigned index, std::uint32_t value) {
  Queue& queue = queues_[index];
  queue.live_priority.reset();
  if (value == cp::kOwnPriority) return;
  queue.live_priority = static_cast<std::int32_t>(value);
  if (queue.head.type != aql::PacketType::kInvalid) set_priority(queue.head, *queue.live_priority);
  set_running_priority(index, *queue.live_priority);
  sequencer_->priority_changed(index);
}

void QueueController::set_running_priority(unsigned q, std::int32_t priority) {
  sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
  for (unsigned slot = 0; slot < slots(); ++slot)
    if (slots_[slot].busy && slots_[slot].queue == q)
      access_bus(tlm::TLM_WRITE_COMMAND, wd::slot(slot) + offsetof(wd::KernelSlotImage, priority), &priority,
                 sizeof priority, delay);
}

// A head that could have been started stays readable, so that a sequencer that is just starting it can be
// told apart from one that makes things up.
void QueueController::drop_head(unsigned index) {
  Queue& queue = queues_[index];
  if (queue.head_state == HeadState::kParsing) queue.head.type = aql::PacketType::kInvalid;
  queue.head_state = HeadState::kNone;
  for (Parser& parser : parsers_)
    if (parser.busy && parser.queue == index) parser.busy = false;
}

// ---- Parsing

bool QueueController::waits_for_parser(unsigned index) const {
  const Queue& queue = queues_[index];
  return queue.on && queue.error == QueueError::kNone && queue.head_state == HeadState::kNone &&
         queue.read < queue.write && sequencer_->may_parse(index);
}

void QueueController::start_parsing(Cycle now) {
  const Cycle interval = cycles_ns(config_.parse_interval_ns);
  if (interval > 1 && now % interval != 0) return;
  for (Parser& parser : parsers_) {
    if (parser.busy) continue;
    const std::optional<unsigned> waiting = next_to_parse();
    if (!waiting) return;
    const unsigned q = *waiting;
    Queue& queue = queues_[q];
    next_parse_ = (q + 1) % queue_count();
    queue.head_state = HeadState::kParsing;
    queue.head.type = aql::PacketType::kInvalid;
    queue.head_doorbell = queue.doorbells.front().second;
    parser.place.ring_base = queue.ring_base;
    parser.place.ring_packets = queue.ring_packets;
    parser.place.index = queue.read;
    parser.place.priority = static_cast<std::int32_t>(block_.get(priority_, q));
    parser.place.context = static_cast<std::uint16_t>(block_.get(context_, q));
    parser.pieces.clear();
    parser.busy = true;
    parser.queue = q;
    advance_parser(parser, now);
  }
}

std::optional<unsigned> QueueController::next_to_parse() const {
  for (unsigned q = next_parse_; q < queue_count(); ++q)
    if (waits_for_parser(q)) return q;
  for (unsigned q = 0; q < next_parse_; ++q)
    if (waits_for_parser(q)) return q;
  return std::nullopt;
}

// Parses with what has been read so far; where that ends, the next piece is read. `parse_ns` after the last
// piece the packet is the queue's head.
void QueueController::advance_parser(Parser& parser, Cycle now) {
  ParsedPacket packet;
  parser.pieces.rewind();
  parser.error = parse_packet(parser.pieces, parser.place, packet);
  if (const FetchedPieces::Piece* next = parser.pieces.missing()) {
    parser.done = kNever;
    parser.ticket = post_access(tlm::TLM_READ_COMMAND, next->address, nullptr, next->bytes, now);
    return;
  }
  if (!gate_ && packet.load_bytes != 0) parser.error = QueueError::kBadCopy;  // nobody loads
  if (gate_ && parser.error == QueueError::kNone) parser.error = gate_->admit(parser.queue, packet);
  // Launches are told apart by their numbers, which a gate gives: a host that gives them none has them
  // counted here.
  const bool counted = !gate_ || !gate_->numbers_launches();
  if (counted && parser.error == QueueError::kNone && packet.is_kernel() && !packet.has_extension)
    set_launch(packet, unnumbered_launches_++);
  Queue& queue = queues_[parser.queue];
  queue.head = packet;
  if (queue.live_priority) set_priority(queue.head, *queue.live_priority);
  parser.done = now + std::max<Cycle>(1, cycles_ns(config_.parse_ns));
}

void QueueController::finish_parsing(Cycle now) {
  for (Parser& parser : parsers_) {
    if (!parser.busy || parser.done > now) continue;
    parser.busy = false;
    Queue& queue = queues_[parser.queue];
    if (queue.killed) {
      if (parser.error != QueueError::kNone) queue.head.signal = 0;  // nobody knows what it is
      reject_killed(parser.queue);
    } else if (parser.error != QueueError::kNone) {
      halt(parser.queue, parser.error, queue.read);
    } else if (!reject_head_of_job(parser.queue)) {
      queue.head_state = HeadState::kReady;
      sequencer_->head_ready(parser.queue);
    }
  }
}

// ---- Starting

const QueueController::Destination* QueueController::destination(unsigned q, unsigned number) const {
  const ParsedPacket& head = queues_[q].head;
  if (head.is_kernel() && number < slots_.size()) return &slots_[number];
  if (head.is_copy() && number < engines_.size()) return &engines_[number];
  return nullptr;
}

bool QueueController::can_forward(unsigned q, unsigned number) const {
  const Destination* d = destination(q, number);
  return d != nullptr && !d->busy && !d->forwarded;
}

bool QueueController::forward(unsigned q, unsigned number, sc_core::sc_time& delay) {
  const ParsedPacket& head = queues_[q].head;
  auto payload = head.payload;
  if (ready(q)) {
    Destination& d = *destination(q, number);
    d.busy = d.forwarded = true;
    d.queue = q;
    d.load = {};
    if (head.load_bytes != 0) {
      const auto turn = head.payload_as<dma::Descriptor>();
      d.load = {turn.source, head.load_bytes, turn.destination, head.extension.context};
    }
    observe(SchedulingDecision::kForward, q, head.index, number);
  } else {
    payload = {};
  }
  return head.is_kernel() ? access_bus(tlm::TLM_WRITE_COMMAND, wd::slot(number), payload.data(),
                                       sizeof(wd::KernelSlotImage), delay)
                          : access_bus(tlm::TLM_WRITE_COMMAND, dma::engine(number) + dma::kSource,
                                       payload.data(), dma::kStart, delay);
}

bool QueueController::can_take(unsigned q, unsigned number) const {
  if (number == qc::kNoDestination) return queues_[q].head.is_barrier();
  const Destination* d = destination(q, number);
  return d != nullptr && d->forwarded && d->queue == q;
}

void QueueController::take(unsigned q, unsigned number) {
  Queue& queue = queues_[q];
  const ParsedPacket& head = queue.head;
  observe(SchedulingDecision::kTake, q, head.index, number);
  if (number != qc::kNoDestination) {
    destination(q, number)->forwarded = false;
    destination(q, number)->signal = head.signal;
  }
  if (head.is_kernel()) {
    ++stats_.kernels;
    stats_.queue_wait_us += (sc_core::sc_time_stamp() - doorbell_time(q)).to_seconds() * 1e6;
    launch_doorbells_.emplace(head.extension.launch_id, doorbell_time(q));
  } else {
    ++(head.is_copy() ? stats_.copies : stats_.barriers);
  }
  ++queue.in_flight;
  // One that was dropped when its queue was killed runs, and is not to be rejected as well.
  if (ready(q) || (queue.killed && head.index == queue.read)) {
    consume_head(q);
    return;
  }
  queue.head.type = aql::PacketType::kInvalid;
  queue.head_state = HeadState::kNone;
}

void QueueController::consume_head(unsigned q) {
  Queue& queue = queues_[q];
  queue.head.type = aql::PacketType::kInvalid;
  queue.head_state = HeadState::kNone;
  ++queue.read;
  while (!queue.doorbells.empty() && queue.doorbells.front().first <= queue.read)
    queue.doorbells.erase(queue.doorbells.begin());
  observe_depth(q);
}

const sc_core::sc_time* QueueController::doorbell_of_launch(std::uint32_t launch_id) const {
  const auto at = launch_doorbells_.find(launch_id);
  return at == launch_doorbells_.end() ? nullptr : &at->second;
}

// ---- Completing and stopping

void QueueController::finish(const Completion& c) {
  --queues_[c.queue].in_flight;
  observe(SchedulingDecision::kComplete, c.queue, 0, c.signal);
  update_signal(c.queue, c.signal,
                queues_[c.queue].killed ? aql::kRejected | aql::kContextEnded : c.start_ns);
  drop_rejected(c.queue);
}

void QueueController::update_signal(unsigned queue, std::uint64_t signal, std::uint64_t start_ns) {
  if (signal == 0) return;
  SignalUpdate update;
  update.queue = queue;
  update.signal = signal;
  update.start_ns = start_ns;
  update.end_ns = now_ns();
  const bool alone = std::none_of(updates_.begin(), updates_.end(),
                                  [&](const SignalUpdate& u) { return u.signal == signal; });
  updates_.push_back(update);
  if (alone) start_update(updates_.back(), this_edge());
}

void QueueController::give_back(unsigned q) {
  for (auto* all : {&slots_, &engines_})
    for (Destination& d : *all)
      if (d.forwarded && d.queue == q) d.busy = d.forwarded = false;
}

void QueueController::stop(unsigned q, QueueError error, std::uint64_t index) {
  give_back(q);
  halt(q, error, index);
}

void QueueController::halt(unsigned index, QueueError error, std::uint64_t packet) {
  Queue& queue = queues_[index];
  if (queue.error != QueueError::kNone || queue.killed) return;
  observe(SchedulingDecision::kStop, index, packet, static_cast<std::uint64_t>(error));
  queue.error = error;
  queue.error_index = packet;
  drop_head(index);
  ++errors_;
  ++stats_.errors;
  sequencer_->queue_changed(index);
  cp::QueueErrorRecord record;
  record.count = errors_;
  record.queue = index;
  record.error = static_cast<std::uint32_t>(error);
  record.packet_index = packet;
  static_assert(sizeof record <= aql::kSignalMailboxBytes);
  if (block_.get(error_mailbox_) != 0)
    write_host(block_.get(error_mailbox_), &record, sizeof record, this_edge());
  interrupt(block_.get(error_interrupt_), this_edge());
}

void QueueController::interrupt(std::uint64_t number, Cycle due) {
  if ((number & cp::kInterruptOn) == 0) return;
  const std::uint32_t word = 1;
  write_host(regmap::kInterruptBase + 4 * (number & cp::kInterruptNumber), &word, sizeof word, due);
}

void QueueController::write_host(std::uint64_t address, const void* data, unsigned bytes, Cycle due) {
  HostWrite write;
  write.due = host_writes_.empty() ? due : std::max(due, host_writes_.back().due);  // in order
  write.address = address;
  write.bytes = bytes;
  std::memcpy(write.data, data, bytes);
  host_writes_.push_back(write);
}

void QueueController::send_host_writes(Cycle now) {
  while (!host_writes_.empty() && host_writes_.front().due <= now && host.idle()) {
    const HostWrite& write = host_writes_.front();
    Transaction& t = pool_.make(tlm::TLM_WRITE_COMMAND, write.address, write.bytes);
    std::memcpy(t.scratch, write.data, write.bytes);
    t.ext.kind = AccessKind::kCommand;
    host_writes_.pop_front();
    host.send(t);
  }
}

// ---- The edge

Cycle QueueController::commit(Cycle now) {
  const PartMark mark("command processor");
  due_ = kNever;
  take_responses(now);
  for (const Message& message : messages_) take_message(message);
  messages_.clear();
  for (std::size_t i = 0; i < finishing_.size();) {
    if (finishing_[i].at > now) {
      ++i;
      continue;
    }
    const Completion completion = finishing_[i];
    finishing_.erase(finishing_.begin() + static_cast<std::ptrdiff_t>(i));
    finish(completion);
  }
  finish_parsing(now);
  const Cycle sequencer = sequencer_->step(now);
  start_parsing(now);
  send_accesses(now);
  send_host_writes(now);
  const Cycle next = next_edge(now, sequencer);
  due_ = std::min(due_, next);
  return next;
}

Outlook QueueController::outlook() const {
  if (due_ != kNever || !inbox_.empty() || !finishing_.empty()) return Outlook::kActs;
  const bool parses = std::any_of(parsers_.begin(), parsers_.end(), [](const Parser& p) { return p.busy; });
  const bool accesses = parses || !accesses_.empty() || !updates_.empty() || !host_writes_.empty();
  return accesses ? Outlook::kAwaits : Outlook::kRests;
}

Cycle QueueController::next_edge(Cycle now, Cycle sequencer) const {
  Cycle next = sequencer;
  const auto at = [&](Cycle cycle) { next = std::min(next, std::max(cycle, now + 1)); };
  at(inbox_.next());
  at(arrived_.next());
  if (!accesses_.empty() && memory.idle()) at(accesses_.front().due);
  for (const Completion& completion : finishing_) at(completion.at);
  bool free_parser = false;
  for (const Parser& parser : parsers_) {
    if (parser.busy) {
      if (parser.done != kNever) at(parser.done);
    } else {
      free_parser = true;
    }
  }
  if (free_parser) {
    const Cycle interval = cycles_ns(config_.parse_interval_ns);
    for (unsigned q = 0; q < queue_count(); ++q)
      if (waits_for_parser(q)) at(interval > 1 ? (now / interval + 1) * interval : now + 1);
  }
  if (!host_writes_.empty() && host.idle()) at(host_writes_.front().due);
  return next;
}

bool QueueController::work_pending() const {
  return std::any_of(queues_.begin(), queues_.end(), [](const Queue& q) {
    return q.in_flight > 0 || (q.on && q.error == QueueError::kNone && q.read != q.write);
  });
}

std::string QueueController::describe() const {
  std::string out;
  for (unsigned q = 0; q < queues_.size(); ++q) {
    const Queue& queue = queues_[q];
    if (queue.error != QueueError::kNone) {
      out += fmt::format("queue {}: stopped at packet {}: {}{}\n", q, queue.error_index,
                         cp::queue_error_text(queue.error),
                         queue.in_flight > 0 ? fmt::format(", {} in flight", queue.in_flight) : "");
    } else if (queue.read != queue.write || queue.in_flight > 0) {
      std::string head;
      if (queue.head_state == HeadState::kReady) {
        if (queue.head.is_barrier()) {
          head = ", waits for signals";
        } else {
          head = fmt::format(", head is a {} (launch {}, priority {})",
                             queue.head.is_kernel() ? "kernel" : "copy", queue.head.extension.launch_id,
                             queue.head.extension.priority);
        }
      } else if (queue.head_state == HeadState::kRejected) {
        head = fmt::format(", head is rejected with code {}", queue.code);
      } else if (queue.head_state == HeadState::kParsing) {
        head = ", head is being parsed";
      }
      out += fmt::format("queue {}: {} packets waiting, {} in flight{}\n", q, queue.write - queue.read,
                         queue.in_flight, head);
    }
  }
  return out;
}

}  // namespace warpvp
