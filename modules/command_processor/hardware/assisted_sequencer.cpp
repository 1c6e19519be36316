#include "modules/command_processor/hardware/assisted_sequencer.h"

#include <algorithm>

namespace warpvp {

namespace qc = regmap::qc;
using qc::LogKind;

AssistedSequencer::AssistedSequencer(const CommandProcessorConfig& config, QueueController& queues,
                                     SchedulerPort& port)
    : HardwareSequencer(config, queues),
      port_(port),
      gates_(queues.queue_count()),
      kernels_(queues.slots()),
      last_(queues.queue_count() - 1) {
  queues.add_observer(watch_);
}

// ---- What happens

void AssistedSequencer::head_ready(unsigned queue) {
  HardwareSequencer::head_ready(queue);
  if (gated(queue)) port_.note_gated();
}

void AssistedSequencer::doorbell(unsigned queue) {
  HardwareSequencer::doorbell(queue);
  port_.note_doorbell(queue);
}

void AssistedSequencer::kernel_done(unsigned slot) {
  note(LogKind::kDone, running_in_slot(slot), slot, kernels_[slot], false);
  HardwareSequencer::kernel_done(slot);
}

void AssistedSequencer::copy_done(unsigned engine, bool failed) {
  note(LogKind::kDone, running_in_engine(engine), engine, {}, false);
  HardwareSequencer::copy_done(engine, failed);
}

void AssistedSequencer::queue_changed(unsigned queue) {
  gates_[queue].open = false;
  port_.note_changed(queue);
}

void AssistedSequencer::priority_changed(unsigned queue) { port_.note_priority(queue); }

bool AssistedSequencer::may_parse(unsigned queue) const { return port_.may_parse(queue); }

// ---- What firmware says

void AssistedSequencer::set_options(std::uint32_t options) { options_ = options; }

void AssistedSequencer::set_rank(unsigned queue, std::uint32_t rank) {
  gates_[queue].rank = rank;
  if (has(qc::kRankedKernels)) queues_.set_running_priority(queue, qc::priority_of_rank(rank));
}

void AssistedSequencer::admit(unsigned queue) {
  gates_[queue].open = true;
  gates_[queue].stamp = stamps_++;
  queues_.wake();
}

bool AssistedSequencer::gated(unsigned queue) const {
  return has(qc::kGates) && !gates_[queue].open && queues_.ready(queue);
}

void AssistedSequencer::drop_log(std::uint32_t entries) {
  log_.erase(log_.begin(), log_.begin() + entries);
  if (log_.size() < qc::kLogDepth / 2) told_half_ = false;
  queues_.wake();
}

// ---- The log

void AssistedSequencer::note(LogKind kind, unsigned queue, unsigned destination, Kernel kernel, bool last) {
  if (!has(qc::kLogging)) return;
  LogEntry entry;
  entry.what = static_cast<std::uint32_t>(kind) << 30 | (destination & 0x3fff) << 16 |
               static_cast<std::uint32_t>(last) << 15 | queue;
  entry.ns = static_cast<std::uint32_t>(QueueController::now_ns());
  entry.kernel = kernel.kernel;
  entry.ctas = kernel.ctas;
  log_.push_back(entry);
  if (log_.size() < qc::kLogDepth / 2 || told_half_) return;
  told_half_ = true;
  port_.note_log_half();
}

void AssistedSequencer::taken(unsigned queue, unsigned destination) {
  const ParsedPacket& head = queues_.head(queue);
  const bool last = head.extension.job == 0 || (head.extension.job_flags & aql::kJobLast) != 0;
  if (last) gates_[queue].open = false;
  if (has(qc::kTurns)) gates_[queue].stamp = stamps_++;
  last_ = queue;
  const Kernel kernel{head.kernel(), head.ctas()};
  if (head.is_kernel()) kernels_[destination] = kernel;
  note(LogKind::kStarted, queue, destination, kernel, last);
  if (head.is_barrier()) note(LogKind::kDone, queue, destination, {}, false);
}

// ---- Order

bool AssistedSequencer::before(unsigned a, unsigned b) const {
  const Gate &x = gates_[a], &y = gates_[b];
  if (x.rank != y.rank) return x.rank < y.rank;
  if (!has(qc::kRound) && has(qc::kGates)) return x.stamp < y.stamp;
  const unsigned count = queues_.queue_count();
  return (a + count - last_ - 1) % count < (b + count - last_ - 1) % count;
}

unsigned AssistedSequencer::first(const std::vector<bool>& tried) const {
  const unsigned count = queues_.queue_count();
  unsigned best = count;
  for (unsigned q = 0; q < count; ++q)
    if (!tried[q] && queues_.ready(q) && !gated(q) && (best == count || before(q, best))) best = q;
  return best;
}

// Each start may take up to two entries of the log at once, and one when it ends.
Cycle AssistedSequencer::step(Cycle now) {
  std::vector<bool> tried(queues_.queue_count(), false);
  while (now >= next_start() && log_.size() + 3 * (queues_.slots() + queues_.engines()) < qc::kLogDepth) {
    const unsigned q = first(tried);
    if (q == queues_.queue_count()) break;
    if (has(qc::kRankedKernels)) queues_.set_head_priority(q, qc::priority_of_rank(gates_[q].rank));
    tried[q] = !try_start(q, now);
  }
  return std::max(next_edge(), now + 1);
}

bool AssistedSequencer::waits(unsigned queue) const { return gated(queue); }

}  // namespace warpvp
