// An SM ahead of the device (`platform.evaluation.window`). When the device comes to an edge of the SM, the
// SM is evaluated for that edge and for those after it that nothing can reach any more: an answer of the
// memory system is seen so many edges after it has come (L2Place::reply_edges takes them off the time that
// the L2 itself takes). So an SM's state is in the host's near caches for many edges at a time, and threads
// of the host meet once a window.
//
// What the SM does to others is kept with its edge and happens when the device comes there: requests
// (MemorySide::send), stores to global memory (ptx/exec/store_log.h). The SM stops at an edge after which it
// cannot know what comes next: a CTA has ended, and the distributor may send another one; an atomic is to
// yield its value; the link is busy. Its loads see what other SMs had stored before the window began, and all
// that it has stored itself.
#include <algorithm>

#include "base/part_mark.h"
#include "modules/sm/streaming_multiprocessor.h"

namespace warpvp {

void StreamingMultiprocessor::step_ahead() {
  // The oracle looks at edges at which the SM sleeps.
  ahead_ = !shared_.config.oracle && source_->can_step_ahead() &&
           memory_->step_ahead({clock_, clock_id_, services_.window - 1});
  if (ahead_) source_->step_ahead();
}

/// Nothing outside has to see it edge by edge.
bool StreamingMultiprocessor::alone() const {
  return !shared_.observed.observer && leaving_ == Preemption::kDrain && moves_.empty() && !halted_;
}

/// After the edge evaluated last nothing is known of the next.
bool StreamingMultiprocessor::stops() const {
  return stopped_ || fault_ || !done_.empty() || !preempted_.empty() || source_->put_off() != 0 ||
         memory_->waits_for_link();
}

void StreamingMultiprocessor::evaluate_window(Cycle now) {
  if (now > shared_.now) {
    // Windows of all SMs end together, so that many begin together.
    const Cycle end = alone() ? now - now % services_.window + services_.window - 1 : now;
    for (Cycle edge = now; edge <= end; edge = next_edge(edge)) {
      evaluate_edge(edge);
      shared_.stepped = false;
      {
        const PartMark memory("SM: load/store unit and caches");
        memory_->commit(edge);
      }
      if (stops()) break;
    }
  }
  if (now == shared_.now && (!preempted_.empty() || !done_.empty()))
    clock_.commit_by_thread();  // post_records() calls b_transport
}

Cycle StreamingMultiprocessor::commit_window(Cycle now) {
  const PartMark mark("SM: fetch, issue, scoreboard");
  source_->apply_effects_until(*this, now);
  if (now >= shared_.now) {
    shared_.observed.deliver();
    if (fault_) raise_fault();
    post_records();
  }
  memory_->send(now);
  Cycle next = std::min(source_->next_effect(), memory_->next_send(now));
  if (fault_ || !done_.empty() || !preempted_.empty()) next = std::min(next, std::max(shared_.now, now + 1));
  // Asked anew, as answers and register accesses have come since the edge was evaluated.
  return stopped_ ? next : std::min(next, next_edge(shared_.now));
}

}  // namespace warpvp
