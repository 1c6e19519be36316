// Packets that are never started: one by one, or with their job.
//
// A rejected packet keeps its turn: with the barrier bit it leaves its queue when everything before it is
// complete, so that whoever waits for its signal may rely on that as ever.
#include <algorithm>

#include "modules/command_processor/queues/queue_controller.h"

namespace warpvp {

void QueueController::reject(unsigned q, std::uint32_t code) {
  give_back(q);
  Queue& queue = queues_[q];
  queue.head_state = HeadState::kRejected;
  queue.code = code;
  drop_rejected(q);
}

void QueueController::reject_job(unsigned q, std::uint32_t code) {
  Queue& queue = queues_[q];
  const aql::Extension& x = queue.head.extension;
  if (x.job != 0 && (x.job_flags & aql::kJobLast) == 0) queue.no_longer.push_back({x.job, code});
  reject(q, code);
}

bool QueueController::reject_head_of_job(unsigned q) {
  Queue& queue = queues_[q];
  if (queue.no_longer.empty()) return false;
  const aql::Extension& x = queue.head.extension;
  const auto job = std::find_if(queue.no_longer.begin(), queue.no_longer.end(),
                                [&](const RejectedJob& r) { return r.job == x.job; });
  if (job == queue.no_longer.end()) return false;
  queue.head_state = HeadState::kRejected;
  queue.code = job->code;
  if ((x.job_flags & aql::kJobLast) != 0) queue.no_longer.erase(job);
  drop_rejected(q);
  return true;
}

// The host kills a queue whose program is not to go on (a context that has faulted): what runs completes,
// what waits never runs, and the signals of all of it go down with the mark, so that nobody waits for them in
// vain. A queue that had stopped goes on for that.
void QueueController::kill(unsigned q) {
  Queue& queue = queues_[q];
  if (!queue.on || queue.killed) return;
  queue.killed = true;
  queue.error = QueueError::kNone;
  for (const std::uint64_t signal : queue.failed_signals)
    update_signal(q, signal, aql::kRejected | aql::kContextEnded);
  queue.failed_signals.clear();
  if (queue.head_state == HeadState::kRejected) return;  // its turn comes
  drop_head(q);
  sequencer_->queue_changed(q);
  wake();
}

void QueueController::reject_killed(unsigned q) {
  queues_[q].head_state = HeadState::kRejected;
  queues_[q].code = aql::kContextEnded;
  drop_rejected(q);
}

// Who waits for data that never came must not go on, so the sequencer leaves the signal alone.
void QueueController::copy_failed(const Destination& engine) {
  Queue& queue = queues_[engine.queue];
  if (queue.killed) {
    update_signal(engine.queue, engine.signal, aql::kRejected | aql::kContextEnded);
  } else {
    queue.failed_signals.push_back(engine.signal);
  }
}

void QueueController::drop_rejected(unsigned q) {
  Queue& queue = queues_[q];
  if (queue.head_state != HeadState::kRejected || (queue.head.barrier_bit && queue.in_flight > 0)) return;
  observe(SchedulingDecision::kReject, q, queue.head.index, queue.code);
  ++stats_.rejections;
  const std::uint64_t signal = queue.head.signal;
  consume_head(q);
  update_signal(q, signal, aql::kRejected | queue.code);
  wake();
}

}  // namespace warpvp
