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

void QueueController::drop_rejected(unsigned q) {
  Queue& queue = queues_[q];
  if (queue.head_state != HeadState::kRejected || (queue.head.barrier_bit && queue.in_flight > 0)) return;
  observe(SchedulingDecision::kReject, q, queue.head.index, queue.code);
  ++stats_.rejections;
  const std::uint64_t signal = queue.head.signal;
  consume_head(q);
  update_signal(signal, aql::kRejected | queue.code);
  wake();
}

}  // namespace warpvp
