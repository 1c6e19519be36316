#include "modules/command_processor/hardware/hardware_sequencer.h"

#include <algorithm>

namespace warpvp {

namespace wd = regmap::wd;
namespace dma = regmap::dma;
using aql::PacketType;

namespace {

/// First `i` < `count` for which `free(i)`, or `count`.
template <class Free>
unsigned first_free(unsigned count, Free free) {
  unsigned i = 0;
  while (i < count && !free(i)) ++i;
  return i;
}

}  // namespace

HardwareSequencer::HardwareSequencer(const CommandProcessorConfig& config, QueueController& queues)
    : queues_(queues),
      dispatch_(config.dispatch_ns, sc_core::SC_NS),
      poll_(config.signal_poll_ns, sc_core::SC_NS),
      check_at_(queues.queue_count(), 0),
      slots_(queues.slots()),
      engines_(queues.engines()) {}

// ---- What is told

void HardwareSequencer::kernel_done(unsigned slot) {
  const Running& r = slots_[slot];
  queues_.complete(r.queue, r.signal, r.start_ns);
}

void HardwareSequencer::copy_done(unsigned engine, bool failed) {
  const Running& r = engines_[engine];
  // The signal of a copy that failed stays: what depends on the data must not go on.
  queues_.complete(r.queue, failed ? 0 : r.signal, r.start_ns);
  if (failed) queues_.stop(r.queue, QueueError::kCopyFailed, r.index);
}

void HardwareSequencer::signals_changed(std::uint64_t, Cycle due) {
  for (unsigned q = 0; q < check_at_.size(); ++q)
    if (queues_.ready(q)) check_at_[q] = std::min(check_at_[q], due);
}

// ---- Starting

Cycle HardwareSequencer::step(Cycle now) {
  const unsigned count = queues_.queue_count();
  unsigned in_vain = 0;
  while (in_vain < count && now >= next_start_) {
    const unsigned q = next_;
    next_ = (q + 1) % count;
    const bool started = queues_.ready(q) && try_start(q, now);
    in_vain = started ? 0 : in_vain + 1;
  }
  return std::max(next_edge(), now + 1);
}

bool HardwareSequencer::try_start(unsigned q, Cycle now) {
  const ParsedPacket& head = queues_.head(q);
  if (head.barrier_bit && queues_.in_flight(q) > 0) return false;
  if (head.is_barrier()) return start_barrier(q, now);
  if (head.is_kernel()) {
    const unsigned slot = first_free(queues_.slots(), [&](unsigned i) { return queues_.can_forward(q, i); });
    if (slot == queues_.slots()) return false;
    start_kernel(q, slot, now);
    return true;
  }
  const unsigned engine =
      first_free(queues_.engines(), [&](unsigned i) { return queues_.can_forward(q, i); });
  if (engine == queues_.engines()) return false;
  start_copy(q, engine, now);
  return true;
}

void HardwareSequencer::pace(Cycle now, const sc_core::sc_time& taken) {
  next_start_ = now + std::max(queues_.cycles(dispatch_), queues_.cycles(taken));
}

void HardwareSequencer::start_kernel(unsigned q, unsigned slot, Cycle now) {
  const ParsedPacket& head = queues_.head(q);
  sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
  std::uint32_t start = 1, status = 0;
  const std::uint64_t base = wd::slot(slot);
  const bool written =
      queues_.forward(q, slot, delay) &&
      queues_.access_bus(tlm::TLM_WRITE_COMMAND, base + wd::kSlotStart, &start, sizeof start, delay) &&
      queues_.access_bus(tlm::TLM_READ_COMMAND, base + wd::kSlotStatus, &status, sizeof status, delay);
  pace(now, delay);
  const auto answer = static_cast<wd::SlotStatus>(status);
  if (!written || answer != wd::SlotStatus::kRunning) {
    QueueError error = QueueError::kDispatchFailed;
    if (answer == wd::SlotStatus::kRefusedNeverFits) error = QueueError::kCtaNeverFits;
    if (answer == wd::SlotStatus::kRefusedDimensions) error = QueueError::kBadDimensions;
    queues_.stop(q, error, head.index);
    return;
  }
  slots_[slot] = {q, head.index, head.signal, QueueController::now_ns()};
  queues_.take(q, slot);
}

void HardwareSequencer::start_copy(unsigned q, unsigned engine, Cycle now) {
  const ParsedPacket& head = queues_.head(q);
  sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
  std::uint32_t start = 1;
  const bool written = queues_.forward(q, engine, delay) &&
                       queues_.access_bus(tlm::TLM_WRITE_COMMAND, dma::engine(engine) + dma::kStart, &start,
                                          sizeof start, delay);
  pace(now, delay);
  if (!written) {
    queues_.stop(q, QueueError::kDispatchFailed, head.index);
    return;
  }
  engines_[engine] = {q, head.index, head.signal, QueueController::now_ns()};
  queues_.take(q, engine);
}

bool HardwareSequencer::start_barrier(unsigned q, Cycle now) {
  if (now < check_at_[q]) return false;
  const ParsedPacket& head = queues_.head(q);
  sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
  unsigned named = 0, zero = 0;
  for (std::uint64_t signal : head.payload_as<ParsedPacket::DependentSignals>()) {
    if (signal == 0) continue;
    ++named;
    std::int64_t value = 0;
    if (queues_.access_memory(tlm::TLM_READ_COMMAND, signal, &value, sizeof value, delay) && value == 0)
      ++zero;
  }
  const bool met = head.type == PacketType::kBarrierAnd ? zero == named : named == 0 || zero > 0;
  if (!met) {
    check_at_[q] = poll_ > sc_core::SC_ZERO_TIME ? now + std::max<Cycle>(1, queues_.cycles(poll_)) : kNever;
    return false;
  }
  check_at_[q] = 0;
  const std::uint64_t signal = head.signal;
  queues_.take(q, regmap::qc::kNoDestination);
  queues_.complete_at(now + queues_.cycles(delay), q, signal, QueueController::now_ns());
  return true;
}

Cycle HardwareSequencer::next_edge() const {
  const bool free_slot =
      first_free(queues_.slots(), [&](unsigned i) { return queues_.slot_free(i); }) < queues_.slots();
  const bool free_engine =
      first_free(queues_.engines(), [&](unsigned i) { return queues_.engine_free(i); }) < queues_.engines();
  Cycle next = kNever;
  for (unsigned q = 0; q < queues_.queue_count(); ++q) {
    if (!queues_.ready(q) || waits(q)) continue;
    const ParsedPacket& head = queues_.head(q);
    if (head.barrier_bit && queues_.in_flight(q) > 0) continue;
    if (head.is_barrier()) {
      next = std::min(next, std::max(check_at_[q], next_start_));
    } else if (head.is_kernel() ? free_slot : free_engine) {
      next = std::min(next, next_start_);
    }
  }
  return next;
}

}  // namespace warpvp
