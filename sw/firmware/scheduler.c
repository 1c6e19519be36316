/* The event loop: learn what happened, let the policy pick a queue that can start its head, start it, sleep when there
   is nothing to start. Time passes only in register accesses, so what comes first in a pass is what matters most. */
#include "scheduler.h"

#include <string.h>

#include "clock.h"
#include "gates.h"
#include "heads.h"
#include "incoming.h"

/* What runs on a kernel slot or DMA engine. */
struct running {
  bool busy;
  bool orphan; /* its queue was mapped anew, unmapped or stopped since */
  uint16_t queue;
  uint32_t index; /* of its packet, lower half; copies only */
  uint64_t signal;
  uint64_t start_ns;
};
#define MAX_SLOTS 128u
#define MAX_ENGINES 64u

static const struct fw_policy *policy;
static struct {
  struct running slots[MAX_SLOTS], engines[MAX_ENGINES];
  unsigned free_slots, free_engines;
  struct fw_set can_start;
  bool heads_changed; /* ask which queues have a head, whatever the interrupt lines say */
  bool idle;          /* the last step found nothing to start */
  unsigned last_started;
  uint64_t next_tick, next_poll, timer; /* ns; HAL_NEVER: not at all */
  uint64_t signal, start_ns;            /* as they stand in QC_SIGNAL and QC_START_NS */
} s;

unsigned fw_last_started(void) { return s.last_started; }

int fw_slot_queue(unsigned slot) {
  return slot < MAX_SLOTS && s.slots[slot].busy ? (int)s.slots[slot].queue : -1;
}

/* ---- Stopping and completing */

/* A whole packet index from its lower half: the queue's read index is at most a ring ahead of it. */
static uint64_t whole_index(unsigned q, uint32_t low) {
  const uint64_t read = hal_read64(CP_Q_READ_INDEX(q));
  return read - (uint32_t)((uint32_t)read - low);
}

static void stop(unsigned q, uint32_t error, uint64_t index) {
  hal_write64(QC_STOP_INDEX, index);
  hal_write32(QC_STOP, error << 16 | q);
}

void fw_stop(unsigned q, uint32_t error) {
  if (q >= hal_machine.queues || !fw_has(fw_heads(), q)) return;
  const uint32_t index = hal_read32(QC_HEAD_INDEX(q));
  stop(q, error, whole_index(q, index));
  heads_drop(q);
}

static void reject(unsigned q, uint32_t code, uint32_t how) {
  if (q >= hal_machine.queues || !(fw_has(fw_heads(), q) || fw_assist_settled(q))) return;
  FW_ASSERT(code != 0 && code <= FW_MAX_CODE);
  hal_write32(how, code << 16 | q);
  heads_drop(q);
}

void fw_reject(unsigned q, uint32_t code) { reject(q, code, QC_REJECT); }

void fw_reject_job(unsigned q, uint32_t code) { reject(q, code, QC_REJECT_JOB); }

/* Writes what changed of a 64-bit register: mostly the lower half, since signals lie in the same 4 GiB. */
static void update(uint32_t address, uint64_t *current, uint64_t value) {
  if ((uint32_t)value != (uint32_t)*current) hal_write32(address, (uint32_t)value);
  if (value >> 32 != *current >> 32) hal_write32(address + 4, (uint32_t)(value >> 32));
  *current = value;
}

static void complete(unsigned q, uint64_t signal, uint64_t start_ns) {
  update(QC_SIGNAL, &s.signal, signal);
  if (signal != 0) update(QC_START_NS, &s.start_ns, start_ns);
  hal_write32(QC_COMPLETE, q);
}

static void finished(struct running *running, unsigned destination, bool failed) {
  const unsigned q = running->queue;
  running->busy = false;
  /* What waits for data that never came must not go on: a failed copy leaves its signal alone. */
  complete(q, failed ? 0 : running->signal, running->start_ns);
  heads_in_flight(q, -1);
  if (failed && !running->orphan) {
    stop(q, FW_COPY_FAILED, whole_index(q, running->index));
    heads_drop(q);
  }
  if (policy->completed) policy->completed(q, destination);
}

/* ---- What happened */

static void queue_changed(unsigned q) {
  if (q >= hal_machine.queues) return;
  heads_drop(q);
  if (fw_queues[q].in_flight > 0) {
    for (unsigned i = 0; i < hal_machine.slots; ++i)
      if (s.slots[i].queue == q) s.slots[i].orphan = true;
    for (unsigned i = 0; i < hal_machine.engines; ++i)
      if (s.engines[i].queue == q) s.engines[i].orphan = true;
  }
  s.heads_changed = true;
  if (policy->forgotten) policy->forgotten(q);
}

/* Events that come only when the host or a policy asked for them. */
__attribute__((noinline)) static void handle_rare(uint32_t kind, uint32_t q, uint32_t event) {
  if (kind == FW_EVENT_DOORBELL && policy->doorbell && q < hal_machine.queues) {
    policy->doorbell(q);
  } else if (kind == FW_EVENT_PRIORITY && q < hal_machine.queues) {
    heads_drop(q); /* read it anew */
    s.heads_changed = true;
  } else {
    hal_panic(FW_HALT_HARDWARE, "event %08x", (unsigned)event);
  }
}

static void handle(uint32_t event) {
  const uint32_t index = FW_EVENT_INDEX(event);
  switch (FW_EVENT_KIND(event)) {
    case FW_EVENT_KERNEL_DONE: /* a done message that nobody waits for comes from the host: no business of ours */
      if (index >= MAX_SLOTS || !s.slots[index].busy) break;
      ++s.free_slots;
      finished(&s.slots[index], index, false);
      break;
    case FW_EVENT_COPY_DONE:
    case FW_EVENT_COPY_FAILED:
      if (index >= MAX_ENGINES || !s.engines[index].busy) break;
      ++s.free_engines;
      finished(&s.engines[index], index, FW_EVENT_KIND(event) == FW_EVENT_COPY_FAILED);
      break;
    case FW_EVENT_SIGNALS_CHANGED:
      heads_signal_changed(index);
      break;
    case FW_EVENT_QUEUE_CHANGED:
      queue_changed(index);
      break;
    default:
      handle_rare(FW_EVENT_KIND(event), index, event);
  }
}

static void message(uint32_t word) { policy->message(word); }

static void head_appeared(unsigned q) {
  if (policy->head) policy->head(q);
}

/* ---- Time */

static void handle_timer(void) {
  const uint64_t now = hal_now_ns();
  if (s.next_poll <= now) {
    heads_signal_changed(0);
    s.next_poll = HAL_NEVER;
  }
  if (s.next_tick <= now) {
    s.next_tick = fw_clock_after(s.next_tick, now); /* late ticks are not made up for */
    policy->tick();
  }
}

void fw_scheduler_tick_at(uint64_t at_ns) { s.next_tick = at_ns; }

/* Before sleeping, and when a tick was done: what the timer should report next. */
static void set_timer(void) {
  if (hal_machine.signal_poll_ns != 0 && s.next_poll == HAL_NEVER && heads_waiting())
    s.next_poll = hal_now_ns() + hal_machine.signal_poll_ns;
  const uint64_t due = s.next_tick < s.next_poll ? s.next_tick : s.next_poll;
  if (due != s.timer) hal_set_timer(due);
  s.timer = due;
}

/* ---- Starting */

static void started(unsigned q, uint32_t destination) {
  hal_write32(QC_TAKE, destination << 16 | q);
  heads_drop(q);
  heads_in_flight(q, +1);
  s.last_started = q;
  if (policy->started) policy->started(q, destination);
}

static unsigned first_free(const struct running *all, unsigned count) {
  unsigned i = 0;
  while (i < count && all[i].busy) ++i;
  FW_ASSERT(i < count);
  return i;
}

static void run_on(struct running *running, unsigned q) {
  running->busy = true;
  running->orphan = false;
  running->queue = (uint16_t)q;
  running->start_ns = hal_now_ns();
  running->signal = hal_read64(QC_HEAD_SIGNAL(q));
}

static uint32_t refusal(uint32_t status) {
  switch (status) {
    case FW_SLOT_NEVER_FITS:
      return FW_CTA_NEVER_FITS;
    case FW_SLOT_BAD_DIMENSIONS:
      return FW_BAD_DIMENSIONS;
    default:
      return FW_DISPATCH_FAILED;
  }
}

/* If the host has unmapped the queue since its head was seen, what is forwarded are zeros, which are refused. */
static void start_kernel(unsigned q) {
  const unsigned slot = first_free(s.slots, hal_machine.slots);
  hal_write32(QC_FORWARD, slot << 16 | q);
  if (policy->prepare) policy->prepare(q, slot);
  hal_write32(WD_KSR_START(slot), 1);
  const uint32_t status = hal_read32(WD_KSR_STATUS(slot));
  if (status != FW_SLOT_RUNNING && status != FW_SLOT_FREE) {
    fw_stop(q, refusal(status));
    return;
  }
  run_on(&s.slots[slot], q);
  --s.free_slots;
  started(q, slot);
}

/* A DMA engine refuses nothing, so here firmware looks itself whether the head is still there. */
static void start_copy(unsigned q) {
  const unsigned engine = first_free(s.engines, hal_machine.engines);
  hal_write32(QC_FORWARD, engine << 16 | q);
  const uint32_t ready = hal_read32(QC_READY(q / 32));
  if ((ready >> q % 32 & 1u) == 0) {
    fw_stop(q, FW_DISPATCH_FAILED); /* gives the engine back */
    return;
  }
  hal_write32(DMA_START(engine), 1);
  run_on(&s.engines[engine], q);
  s.engines[engine].index = hal_read32(QC_HEAD_INDEX(q));
  --s.free_engines;
  started(q, engine);
}

/* Nothing runs: what it waited for has come, so it is complete. */
static void start_barrier(unsigned q) {
  const uint64_t now = hal_now_ns();
  const uint64_t signal = hal_read64(QC_HEAD_SIGNAL(q));
  started(q, FW_NO_DESTINATION);
  complete(q, signal, now);
  heads_in_flight(q, -1);
  if (policy->completed) policy->completed(q, FW_NO_DESTINATION);
}

static bool start_one(void) {
  if (!heads_startable(s.free_slots > 0, s.free_engines > 0, &s.can_start)) return false;
  const int picked = policy->pick(&s.can_start);
  if (picked < 0) return false;
  const unsigned q = (unsigned)picked;
  if (q >= FW_MAX_QUEUES || !fw_has(&s.can_start, q))
    hal_panic(FW_HALT_POLICY, "policy %s picked queue %u, which cannot start", policy->name, q);
  switch (fw_queues[q].type) {
    case FW_KERNEL:
      start_kernel(q);
      break;
    case FW_COPY:
      start_copy(q);
      break;
    default:
      start_barrier(q);
      break;
  }
  return true;
}

/* ---- The loop */

void fw_start(const struct fw_policy *chosen) {
#ifndef __riscv /* there, start-up has cleared it */
  memset(&s, 0, sizeof s);
  fw_assist_ends();
#endif
  policy = chosen;
  hal_init(FW_IRQ_HEAD | FW_IRQ_EVENT | (policy->message ? FW_IRQ_MAILBOX : 0));
  FW_ASSERT(hal_machine.queues > 0 && hal_machine.queues <= FW_MAX_QUEUES);
  FW_ASSERT(hal_machine.slots <= MAX_SLOTS && hal_machine.engines <= MAX_ENGINES);
  if (!policy->pick || (policy->tick_ns != 0 && !policy->tick))
    hal_panic(FW_HALT_POLICY, "policy %s lacks pick or tick", policy->name);
  heads_reset(policy->reads);
  s.free_slots = hal_machine.slots;
  s.free_engines = hal_machine.engines;
  s.last_started = hal_machine.queues - 1;
  s.next_tick = s.next_poll = s.timer = HAL_NEVER;
  if (policy->tick_ns != 0) s.next_tick = fw_clock_start(policy->tick_ns);
  s.heads_changed = true;
  if (policy->init) policy->init();
}

void fw_step(void) {
  if (s.idle) set_timer();
  const uint32_t happened = s.idle ? hal_wait() : hal_poll();
  if (happened & FW_IRQ_EVENT) fw_events(handle);
  if ((happened & FW_IRQ_HEAD) != 0 || s.heads_changed) {
    s.heads_changed = false;
    heads_refresh(head_appeared);
  }
  if (happened & FW_IRQ_MAILBOX) fw_messages(message);
  if (happened & HAL_TIMER) {
    handle_timer();
    set_timer();
  }
  heads_check_signals();
  s.idle = !start_one();
}

void fw_run(const struct fw_policy *chosen) {
  fw_start(chosen);
  for (;;) fw_step();
}
