/* The loop beside hardware that starts packets (type: assisted): it ranks and admits heads that wait at their
   queues' gates, hears from the hardware's log what was started and what ended, and ticks. Between ticks it sleeps
   unless a gate or an event needs it. */
#include "clock.h"
#include "gates.h"
#include "incoming.h"
#include "late.h"
#include "ranks.h"
#include "scheduler.h"

#define LAST_BIT (1u << 15)

static FW_LATE const struct fw_policy *policy;

/* ---- The log */

static void replay(const uint32_t *entry) {
  const uint32_t q = entry[0] & 0x7fffu;
  uint32_t destination = entry[0] >> 16 & FW_LOG_NO_DESTINATION;
  if (q >= hal_machine.queues) return;
  if (destination == FW_LOG_NO_DESTINATION) destination = FW_NO_DESTINATION;
  struct fw_logged what;
  what.kernel = entry[2];
  what.ctas = entry[3];
  what.ns = entry[1];
  what.last = (entry[0] & LAST_BIT) != 0;
  if (entry[0] >> 30 == FW_LOG_STARTED) {
    ++fw_queues[q].in_flight;
    if (policy->logged_start) policy->logged_start(q, destination, &what);
  } else {
    if (fw_queues[q].in_flight > 0) --fw_queues[q].in_flight;
    if (policy->logged_end) policy->logged_end(q, destination, &what);
  }
}

/* Until it is empty: the event that it is half full comes once, and then not before it has been less. */
static void read_log(void) {
  if ((policy->options & FW_OPTION_LOG) == 0) return;
  uint32_t word[FW_LOG_WORDS * FW_LOG_WINDOW];
  for (uint32_t count = hal_read32(QC_LOG_COUNT); count > 0; count = hal_read32(QC_LOG_COUNT)) {
    const uint32_t n = count < FW_LOG_WINDOW ? count : FW_LOG_WINDOW;
    hal_read_burst(QC_LOG(0), word, FW_LOG_WORDS * n);
    hal_write32(QC_LOG_POP, n);
    for (uint32_t i = 0; i < n; ++i) replay(&word[FW_LOG_WORDS * i]);
  }
}

/* ---- Gates */

static void rank_head(unsigned q) {
  struct fw_head head;
  fw_read_head(q, &head);
  if (policy->head) policy->head(q);
  fw_rank(q, policy->rank(q));
  fw_admit(q);
}

static void look_at_gates(void) {
  for (unsigned w = 0; w < fw_loop.words; ++w) {
    const uint32_t gated = hal_read32(QC_GATED(w));
    /* What was started and ended before these heads came is in the log, and the policy must hear of it first: it may
       be of the job that had the queue before. */
    if ((gated & ~fw_loop.seen.word[w]) != 0) read_log();
    fw_loop.seen.word[w] &= gated;
    for (uint32_t fresh = gated & ~fw_loop.seen.word[w]; fresh != 0; fresh &= fresh - 1) {
      const unsigned q = 32 * w + (unsigned)__builtin_ctz(fresh);
      const uint32_t type = hal_read32(QC_HEAD_TYPE(q));
      if ((type & FW_TYPE_MASK) == FW_NO_HEAD) continue;
      fw_queues[q].type = (uint8_t)(type & FW_TYPE_MASK);
      fw_queues[q].barrier = (type & FW_BARRIER_BIT) != 0;
      fw_add(&fw_loop.seen, q);
      if (policy->rank) {
        rank_head(q);
      } else if (policy->head) {
        policy->head(q);
      }
    }
  }
}

/* ---- Events */

static void handle(uint32_t event) {
  const uint32_t q = FW_EVENT_INDEX(event);
  switch (FW_EVENT_KIND(event)) {
    case FW_EVENT_QUEUE_CHANGED:
      if (q >= hal_machine.queues) break;
      fw_gates_forget(q);
      if (policy->forgotten) policy->forgotten(q);
      break;
    case FW_EVENT_DOORBELL:
      if (policy->doorbell && q < hal_machine.queues) policy->doorbell(q);
      break;
    case FW_EVENT_PRIORITY:
      if (q < hal_machine.queues) fw_gates_forget(q);
      break;
    default: /* the log was read already; signals are the hardware's business */
      break;
  }
}

static void message(uint32_t word) { policy->message(word); }

static void handle_timer(void) {
  const uint64_t now = hal_now_ns();
  if (fw_loop.next_tick > now) return;
  fw_loop.next_tick = fw_clock_after(fw_loop.next_tick, now);
  policy->tick();
}

/* ---- The loop */

void fw_assist_start(const struct fw_policy *chosen) {
  fw_clear(&fw_loop, sizeof fw_loop);
  policy = chosen;
  hal_init(FW_IRQ_HEAD | FW_IRQ_EVENT | (policy->message ? FW_IRQ_MAILBOX : 0));
  FW_ASSERT(hal_machine.queues > 0 && hal_machine.queues <= FW_MAX_QUEUES);
  const bool ranks = policy->rank || (policy->options & FW_OPTION_GATES) != 0;
  if (!ranks && !policy->round_robin)
    hal_panic(FW_HALT_POLICY, "policy %s has no ranks, which command_processor.type assisted needs", policy->name);
  if (policy->tick_ns != 0 && !policy->tick) hal_panic(FW_HALT_POLICY, "policy %s lacks tick", policy->name);
  for (unsigned q = 0; q < hal_machine.queues; ++q) fw_queues[q].in_flight = 0;
  fw_loop.words = (hal_machine.queues + 31) / 32;
  fw_loop.next_tick = fw_loop.timer = HAL_NEVER;
  if (policy->tick_ns != 0) fw_loop.next_tick = fw_clock_start(policy->tick_ns);
  fw_assist_runs = FW_ASSIST_RUNS;
  fw_ranks_start(policy->options | (policy->rank ? FW_OPTION_GATES : 0));
  if (policy->init) policy->init();
}

void fw_assist_step(void) {
  if (fw_loop.next_tick != fw_loop.timer) hal_set_timer(fw_loop.timer = fw_loop.next_tick);
  const uint32_t happened = hal_wait();
  read_log();
  if (happened & FW_IRQ_EVENT) fw_events(handle);
  if ((happened & (FW_IRQ_HEAD | FW_IRQ_EVENT)) != 0) look_at_gates();
  if (happened & FW_IRQ_MAILBOX) fw_messages(message);
  if (happened & HAL_TIMER) handle_timer();
}

void fw_assist(const struct fw_policy *chosen) {
  fw_assist_start(chosen);
  for (;;) fw_assist_step();
}
