#include "modules/command_processor/simple_command_processor.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "base/part_mark.h"

namespace warpvp {

namespace cp = regmap::cp;
namespace wd = regmap::wd;
using aql::PacketType;

void CommandProcessorStats::stats(StatVisitor& v) const {
  v.value("kernels", kernels, "", "kernels dispatched");
  v.value("copies", copies, "", "copies started");
  v.value("barriers", barriers, "", "barrier packets processed");
  v.value("doorbells", doorbells, "", "doorbells received");
  v.value("errors", errors, "", "times a queue was stopped by an error");
  v.value("mean_queue_wait_us", kernels ? queue_wait_us / static_cast<double>(kernels) : 0.0, "us",
          "doorbell to dispatch, mean over kernels");
}

SimpleCommandProcessor::SimpleCommandProcessor(sc_core::sc_module_name name,
                                               const CommandProcessorConfig& config, unsigned slots,
                                               unsigned dma_engines, ClockDomain& domain)
    : sc_module(name),
      registers("registers"),
      bus("bus"),
      memory("memory"),
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
      parsers_(config.parsers),
      slots_(slots),
      engines_(dma_engines) {
  for (unsigned q = 0; q < queues_.size(); ++q) queues_[q].head.queue = q;
  registers.register_b_transport(this, &SimpleCommandProcessor::b_transport);
  registers.register_transport_dbg(this, &SimpleCommandProcessor::transport_dbg);
  declare_registers();
}

Cycle SimpleCommandProcessor::cycles(const sc_core::sc_time& time) const {
  const std::uint64_t period = domain_.period().value();
  return (time.value() + period - 1) / period;
}

std::uint64_t SimpleCommandProcessor::now_ns() const {
  static const std::uint64_t kNs = sc_core::sc_time(1, sc_core::SC_NS).value();
  return sc_core::sc_time_stamp().value() / kNs;
}

bool SimpleCommandProcessor::access(tlm_utils::simple_initiator_socket<SimpleCommandProcessor>& socket,
                                    tlm::tlm_command command, std::uint64_t address, void* data,
                                    unsigned bytes, sc_core::sc_time& delay) {
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

// ---- What arrives

void SimpleCommandProcessor::evaluate(Cycle now) {
  const PartMark mark("command processor");
  std::size_t kept = 0;
  for (std::size_t i = 0; i < inbox_.size(); ++i) {
    if (inbox_[i].visible > now) {
      inbox_[kept++] = inbox_[i];
    } else {
      messages_.push_back(inbox_[i]);
    }
  }
  inbox_.resize(kept);
}

void SimpleCommandProcessor::take(const Message& message, Cycle now) {
  switch (message.kind) {
    case Message::kDoorbell:
      doorbell(message.index, message.value, now);
      break;
    case Message::kControl:
      control(message.index, message.value == 1);
      break;
    case Message::kKernelDone: {
      if (message.index >= slots_.size() || !slots_[message.index].busy) break;
      slots_[message.index].busy = false;
      complete(slots_[message.index].command, now);
      break;
    }
    case Message::kCopyDone: {
      if (message.index >= engines_.size() || !engines_[message.index].busy) break;
      Running& running = engines_[message.index];
      running.busy = false;
      if (message.value == 0) {
        complete(running.command, now);
      } else {  // its signal stays: what depends on the data must not go on
        --queues_[running.command.queue].in_flight;
        stop(running.command.queue, QueueError::kCopyFailed, running.command.index, now);
      }
      break;
    }
  }
}

void SimpleCommandProcessor::doorbell(unsigned index, std::uint64_t write_index, Cycle now) {
  Queue& queue = queues_[index];
  ++stats_.doorbells;
  if (queue.error != QueueError::kNone) return;
  if (!queue.on) {
    stop(index, QueueError::kQueueNotMapped, 0, now);
    return;
  }
  if (write_index < queue.write || write_index - queue.read > queue.ring_packets) {
    stop(index, QueueError::kRingOverrun, queue.read, now);
    return;
  }
  queue.check_at = now;
  if (write_index == queue.write) return;  // only asked to look at signals again
  queue.write = write_index;
  queue.doorbells.emplace_back(write_index, sc_core::sc_time_stamp());
  observe(index);
}

void SimpleCommandProcessor::control(unsigned index, bool on) {
  Queue& queue = queues_[index];
  queue.on = on;
  drop_head(index);
  if (!on) return;
  queue.ring_base = block_.get(ring_base_, index);
  queue.ring_packets = block_.get(ring_packets_, index);
  queue.read = queue.write = queue.error_index = 0;
  queue.error = QueueError::kNone;
  queue.doorbells.clear();
  const std::uint64_t n = queue.ring_packets;
  if (n == 0 || (n & (n - 1)) != 0 || queue.ring_base % 64 != 0)
    stop(index, QueueError::kBadAddress, 0, domain_.now());
}

void SimpleCommandProcessor::drop_head(unsigned index) {
  queues_[index].head_state = HeadState::kNone;
  for (Parser& parser : parsers_)
    if (parser.busy && parser.queue == index) parser.busy = false;
}

// ---- Parsing

void SimpleCommandProcessor::start_parsing(Cycle now) {
  const Cycle interval = cycles_ns(config_.parse_interval_ns);
  if (interval > 1 && now % interval != 0) return;
  const auto count = static_cast<unsigned>(queues_.size());
  for (Parser& parser : parsers_) {
    if (parser.busy) continue;
    for (unsigned i = 0; i < count; ++i) {
      const unsigned q = (next_parse_ + i) % count;
      Queue& queue = queues_[q];
      if (!queue.on || queue.error != QueueError::kNone || queue.head_state != HeadState::kNone ||
          queue.read == queue.write)
        continue;
      next_parse_ = (q + 1) % count;
      queue.head_state = HeadState::kParsing;
      sc_core::sc_time delay(config_.parse_ns, sc_core::SC_NS);
      parser.error = decode(queue, delay);
      parser.busy = true;
      parser.queue = q;
      parser.done = now + std::max<Cycle>(1, cycles(delay));
      break;
    }
  }
}

// ---- Starting

void SimpleCommandProcessor::issue(Cycle now) {
  const auto count = static_cast<unsigned>(queues_.size());
  unsigned in_vain = 0;
  while (in_vain < count && now >= next_start_) {
    const unsigned q = next_issue_;
    next_issue_ = (q + 1) % count;
    const bool started = queues_[q].head_state == HeadState::kReady && try_start(q, now);
    in_vain = started ? 0 : in_vain + 1;
  }
}

bool SimpleCommandProcessor::try_start(unsigned index, Cycle now) {
  Queue& queue = queues_[index];
  if ((queue.head.header & aql::kBarrierBit) != 0 && queue.in_flight > 0) return false;
  const auto first_free = [](const std::vector<Running>& all) {
    return static_cast<unsigned>(
        std::find_if(all.begin(), all.end(), [](const Running& r) { return !r.busy; }) - all.begin());
  };
  switch (queue.head.type()) {
    case PacketType::kKernelDispatch: {
      const unsigned slot = first_free(slots_);
      return slot < slots_.size() && start_kernel(queue, slot, now);
    }
    case PacketType::kVendor: {
      const unsigned engine = first_free(engines_);
      return engine < engines_.size() && start_copy(queue, engine, now);
    }
    default:
      return start_barrier(queue, now);
  }
}

void SimpleCommandProcessor::started(Queue& queue) {
  ++queue.read;
  ++queue.in_flight;
  queue.head_state = HeadState::kNone;
  while (!queue.doorbells.empty() && queue.doorbells.front().first <= queue.head.index)
    queue.doorbells.erase(queue.doorbells.begin());
  observe(queue.head.queue);
}

bool SimpleCommandProcessor::start_kernel(Queue& queue, unsigned slot, Cycle now) {
  Command& c = queue.head;
  wd::KernelSlotImage image;
  image.kernel_object = c.dispatch.kernel_object;
  image.kernarg_address = c.dispatch.kernarg_address;
  image.launch_id = c.extension.launch_id;
  image.stream = c.extension.stream;
  image.context = c.extension.context;
  image.priority = c.extension.priority;
  image.budget = std::max(c.extension.budget, 1u);
  image.dynamic_shared_bytes = c.dispatch.group_segment_size - c.kernel.static_shared_bytes;
  for (int d = 0; d < 3; ++d) {
    image.block[d] = c.dispatch.workgroup_size[d];
    image.grid[d] = c.dispatch.grid_size[d] / image.block[d];
  }
  image.registers_per_thread = c.kernel.registers_per_thread;
  image.static_shared_bytes = c.kernel.static_shared_bytes;
  image.barriers = c.kernel.barriers;
  image.job = c.extension.job;
  image.deadline_ns = c.extension.deadline_ns;

  sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
  std::uint32_t start = 1, status = 0;
  const bool written =
      access(bus, tlm::TLM_WRITE_COMMAND, wd::slot(slot), &image, sizeof image, delay) &&
      access(bus, tlm::TLM_WRITE_COMMAND, wd::slot(slot) + wd::kSlotStart, &start, 4, delay) &&
      access(bus, tlm::TLM_READ_COMMAND, wd::slot(slot) + wd::kSlotStatus, &status, 4, delay);
  next_start_ = now + std::max(cycles_ns(config_.dispatch_ns), cycles(delay));
  const auto answer = static_cast<wd::SlotStatus>(status);
  if (!written || answer != wd::SlotStatus::kRunning) {
    QueueError error = QueueError::kDispatchFailed;
    if (answer == wd::SlotStatus::kRefusedNeverFits) error = QueueError::kCtaNeverFits;
    if (answer == wd::SlotStatus::kRefusedDimensions) error = QueueError::kBadDimensions;
    stop(c.queue, error, c.index, now);
    return true;
  }
  c.start_ns = now_ns();
  if (!queue.doorbells.empty())
    stats_.queue_wait_us += (sc_core::sc_time_stamp() - queue.doorbells.front().second).to_seconds() * 1e6;
  started(queue);
  ++stats_.kernels;
  slots_[slot].busy = true;
  slots_[slot].command = c;
  return true;
}

bool SimpleCommandProcessor::start_copy(Queue& queue, unsigned engine, Cycle now) {
  Command& c = queue.head;
  regmap::dma::Descriptor d;
  d.source = c.copy.source;
  d.destination = c.copy.destination;
  d.bytes = c.copy.bytes;
  d.kind = c.copy.kind;
  d.value = c.copy.value;
  d.tag = static_cast<std::uint32_t>(c.index);
  const std::uint64_t base = regmap::dma::engine(engine);
  sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
  std::uint32_t start = 1;
  const bool written =
      access(bus, tlm::TLM_WRITE_COMMAND, base + regmap::dma::kSource, &d, regmap::dma::kStart, delay) &&
      access(bus, tlm::TLM_WRITE_COMMAND, base + regmap::dma::kStart, &start, 4, delay);
  next_start_ = now + std::max(cycles_ns(config_.dispatch_ns), cycles(delay));
  if (!written) {
    stop(c.queue, QueueError::kDispatchFailed, c.index, now);
    return true;
  }
  c.start_ns = now_ns();
  started(queue);
  ++stats_.copies;
  engines_[engine].busy = true;
  engines_[engine].command = c;
  return true;
}

bool SimpleCommandProcessor::start_barrier(Queue& queue, Cycle now) {
  if (now < queue.check_at) return false;
  Command& c = queue.head;
  sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
  unsigned named = 0, zero = 0;
  for (std::uint64_t signal : c.barrier.dep_signal) {
    if (signal == 0) continue;
    ++named;
    std::int64_t value = 0;
    if (access(memory, tlm::TLM_READ_COMMAND, signal, &value, sizeof value, delay) && value == 0) ++zero;
  }
  const bool met = c.type() == PacketType::kBarrierAnd ? zero == named : named == 0 || zero > 0;
  if (!met) {
    queue.check_at =
        config_.signal_poll_ns > 0 ? now + std::max<Cycle>(1, cycles_ns(config_.signal_poll_ns)) : kNever;
    return false;
  }
  queue.check_at = 0;
  c.start_ns = now_ns();
  started(queue);
  ++stats_.barriers;
  finishing_.push_back({now + cycles(delay), c});
  return true;
}

// ---- Completing

void SimpleCommandProcessor::complete(const Command& c, Cycle now) {
  --queues_[c.queue].in_flight;
  if (c.signal == 0) return;
  aql::Signal signal;
  sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
  access(memory, tlm::TLM_READ_COMMAND, c.signal, &signal, sizeof signal, delay);
  --signal.value;
  signal.start_ns = c.start_ns;
  signal.end_ns = now_ns();
  access(memory, tlm::TLM_WRITE_COMMAND, c.signal, &signal, aql::kSignalMailboxBytes, delay);
  const Cycle due = now + cycles(delay);
  if (signal.mailbox != 0) write_host(signal.mailbox, &signal, due);
  for (Queue& queue : queues_)
    if (queue.head_state == HeadState::kReady) queue.check_at = std::min(queue.check_at, due);
}

void SimpleCommandProcessor::stop(unsigned index, QueueError error, std::uint64_t packet, Cycle now) {
  Queue& queue = queues_[index];
  if (queue.error != QueueError::kNone) return;
  queue.error = error;
  queue.error_index = packet;
  drop_head(index);
  ++errors_;
  ++stats_.errors;
  if (block_.get(error_mailbox_) == 0) return;
  cp::QueueErrorRecord record;
  record.count = errors_;
  record.queue = index;
  record.error = static_cast<std::uint32_t>(error);
  record.packet_index = packet;
  static_assert(sizeof record == aql::kSignalMailboxBytes);
  write_host(block_.get(error_mailbox_), &record, now);
}

void SimpleCommandProcessor::write_host(std::uint64_t address, const void* data, Cycle due) {
  HostWrite write;
  write.due = host_writes_.empty() ? due : std::max(due, host_writes_.back().due);  // in order
  write.address = address;
  std::memcpy(write.data, data, sizeof write.data);
  host_writes_.push_back(write);
}

void SimpleCommandProcessor::send_host_writes(Cycle now) {
  while (!host_writes_.empty() && host_writes_.front().due <= now && host.idle()) {
    Transaction& t =
        pool_.make(tlm::TLM_WRITE_COMMAND, host_writes_.front().address, aql::kSignalMailboxBytes);
    std::memcpy(t.scratch, host_writes_.front().data, aql::kSignalMailboxBytes);
    t.ext.kind = AccessKind::kCommand;
    host_writes_.pop_front();
    host.send(t);
  }
}

Cycle SimpleCommandProcessor::commit(Cycle now) {
  const PartMark mark("command processor");
  for (const Message& message : messages_) take(message, now);
  messages_.clear();
  for (std::size_t i = 0; i < finishing_.size();) {
    if (finishing_[i].due > now) {
      ++i;
      continue;
    }
    const Command command = finishing_[i].command;
    finishing_.erase(finishing_.begin() + static_cast<std::ptrdiff_t>(i));
    complete(command, now);
  }
  for (Parser& parser : parsers_) {
    if (!parser.busy || parser.done > now) continue;
    parser.busy = false;
    Queue& queue = queues_[parser.queue];
    queue.head_state = HeadState::kReady;
    queue.check_at = 0;
    if (parser.error != QueueError::kNone) stop(parser.queue, parser.error, queue.read, now);
  }
  issue(now);
  start_parsing(now);
  send_host_writes(now);

  Cycle next = kNever;
  const auto at = [&](Cycle cycle) { next = std::min(next, std::max(cycle, now + 1)); };
  for (const Message& message : inbox_) at(message.visible);
  for (const Finishing& finishing : finishing_) at(finishing.due);
  bool free_parser = false, free_slot = false, free_engine = false;
  for (const Parser& parser : parsers_) {
    if (parser.busy) {
      at(parser.done);
    } else {
      free_parser = true;
    }
  }
  for (const Running& slot : slots_) free_slot = free_slot || !slot.busy;
  for (const Running& engine : engines_) free_engine = free_engine || !engine.busy;
  const Cycle interval = cycles_ns(config_.parse_interval_ns);
  for (const Queue& queue : queues_) {
    if (queue.head_state == HeadState::kReady) {
      if ((queue.head.header & aql::kBarrierBit) != 0 && queue.in_flight > 0) continue;
      const PacketType type = queue.head.type();
      if (type == PacketType::kBarrierAnd || type == PacketType::kBarrierOr) {
        at(std::max(queue.check_at, next_start_));
      } else if (type == PacketType::kKernelDispatch ? free_slot : free_engine) {
        at(next_start_);
      }
    } else if (free_parser && queue.on && queue.error == QueueError::kNone &&
               queue.head_state == HeadState::kNone && queue.read < queue.write) {
      at(interval > 1 ? (now / interval + 1) * interval : now + 1);
    }
  }
  if (!host_writes_.empty() && host.idle()) at(host_writes_.front().due);
  return next;
}

std::string SimpleCommandProcessor::describe() const {
  std::string out;
  for (unsigned q = 0; q < queues_.size(); ++q) {
    const Queue& queue = queues_[q];
    if (queue.error != QueueError::kNone) {
      out += fmt::format("queue {}: stopped at packet {}: {}\n", q, queue.error_index,
                         cp::queue_error_text(queue.error));
    } else if (queue.read != queue.write || queue.in_flight > 0) {
      out += fmt::format(
          "queue {}: {} packets waiting, {} in flight{}\n", q, queue.write - queue.read, queue.in_flight,
          queue.head_state == HeadState::kReady && (queue.head.type() == PacketType::kBarrierAnd ||
                                                    queue.head.type() == PacketType::kBarrierOr)
              ? ", waits for signals"
              : "");
    }
  }
  return out;
}

}  // namespace warpvp
