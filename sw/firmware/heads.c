#include "heads.h"

#include <string.h>

#include "hal.h"

/* Not cleared at start-up, which would take as long as everything else there: what is read of it was written before. */
#ifdef __riscv
__attribute__((section(".noinit")))
#endif
struct fw_queue fw_queues[FW_MAX_QUEUES];

static struct {
  uint32_t reads;
  unsigned words; /* of a set, that queues of this machine occupy */
  struct fw_set known;
  struct fw_set kernels, copies;
  struct fw_set blocked; /* barrier bit, and packets of the queue in flight */
  struct fw_set unmet;   /* barrier packets: signals not seen met */
  struct fw_set check;   /* of those: worth looking at again */
  bool any_check;        /* there may be some */
} heads;

const struct fw_set *fw_heads(void) { return &heads.known; }

void heads_reset(uint32_t reads) {
#ifndef __riscv /* there, start-up has cleared them */
  memset(&heads, 0, sizeof heads);
#endif
  for (unsigned q = 0; q < hal_machine.queues; ++q) fw_queues[q].in_flight = 0;
  heads.reads = reads;
  heads.words = (hal_machine.queues + 31) / 32;
}

static void read_fields(unsigned q, struct fw_queue *queue) {
  const uint32_t reads = heads.reads;
  if (reads & FW_READ_PRIORITY) queue->priority = (int32_t)hal_read32(QC_HEAD_PRIORITY(q));
  if (reads & FW_READ_LAUNCH) queue->launch = hal_read32(QC_HEAD_LAUNCH_ID(q));
  if (reads & FW_READ_STREAM) queue->stream = hal_read32(QC_HEAD_STREAM(q));
  if (reads & FW_READ_CONTEXT) queue->context = hal_read32(QC_HEAD_CONTEXT(q));
  if (reads & FW_READ_BUDGET) queue->budget = hal_read32(QC_HEAD_BUDGET(q));
  if (reads & FW_READ_JOB) queue->job = hal_read32(QC_HEAD_JOB(q));
  if (reads & FW_READ_DEADLINE) queue->deadline_ns = hal_read64(QC_HEAD_DEADLINE_NS(q));
  if (reads & FW_READ_ENQUEUE) queue->enqueue_ns = hal_read64(QC_HEAD_ENQUEUE_NS(q));
  if (reads & FW_READ_DOORBELL) queue->doorbell_ns = hal_read64(QC_HEAD_DOORBELL_NS(q));
}

/* Device memory begins at 2^32, so an upper half of 0 says that no signal is named. */
static void read_signals(unsigned q, struct fw_queue *queue) {
  for (unsigned i = 0; i < FW_BARRIER_SIGNALS; ++i) {
    const uint64_t high = hal_read32(QC_HEAD_PAYLOAD(q) + 8 * i + 4);
    queue->signals[i] = 0;
    if (high != 0) queue->signals[i] = high << 32 | hal_read32(QC_HEAD_PAYLOAD(q) + 8 * i);
  }
}

/* False: the host has unmapped the queue since it was said to be ready. */
static bool load(unsigned q) {
  struct fw_queue *queue = &fw_queues[q];
  const uint32_t type = hal_read32(QC_HEAD_TYPE(q));
  if ((type & FW_TYPE_MASK) == FW_NO_HEAD) return false;
  queue->type = (uint8_t)(type & FW_TYPE_MASK);
  queue->barrier = (type & FW_BARRIER_BIT) != 0;
  read_fields(q, queue);
  switch (queue->type) {
    case FW_KERNEL:
      fw_add(&heads.kernels, q);
      break;
    case FW_COPY:
      fw_add(&heads.copies, q);
      break;
    case FW_BARRIER_AND:
    case FW_BARRIER_OR:
      read_signals(q, queue);
      fw_add(&heads.unmet, q);
      fw_add(&heads.check, q);
      heads.any_check = true;
      break;
    default:
      hal_panic(FW_HALT_HARDWARE, "queue %u: a head of type %u", q, (unsigned)queue->type);
  }
  if (queue->barrier && queue->in_flight > 0) fw_add(&heads.blocked, q);
  fw_add(&heads.known, q);
  return true;
}

void heads_refresh(void (*appeared)(unsigned queue)) {
  for (unsigned w = 0; w < heads.words; ++w) {
    const uint32_t ready = hal_read32(QC_READY(w));
    for (uint32_t gone = heads.known.word[w] & ~ready; gone != 0; gone &= gone - 1)
      heads_drop(32 * w + (unsigned)__builtin_ctz(gone));
    for (uint32_t fresh = ready & ~heads.known.word[w]; fresh != 0; fresh &= fresh - 1) {
      const unsigned q = 32 * w + (unsigned)__builtin_ctz(fresh);
      if (load(q)) appeared(q);
    }
  }
}

void heads_drop(unsigned q) {
  const unsigned word = q / 32;
  const uint32_t others = ~(1u << q % 32);
  static struct fw_set *const sets[] = {&heads.known,   &heads.kernels, &heads.copies,
                                        &heads.blocked, &heads.unmet,   &heads.check};
  for (unsigned i = 0; i < sizeof sets / sizeof sets[0]; ++i) sets[i]->word[word] &= others;
}

void heads_in_flight(unsigned q, int change) {
  struct fw_queue *queue = &fw_queues[q];
  queue->in_flight = (uint16_t)(queue->in_flight + change);
  if (queue->in_flight != 0 || !fw_has(&heads.blocked, q)) return;
  fw_remove(&heads.blocked, q);
  heads.any_check = true;
}

/* ---- Signals */

void heads_signal_changed(uint32_t tag) {
  heads.any_check = true;
  for (unsigned w = 0; w < heads.words; ++w) {
    if (tag == 0) {
      heads.check.word[w] |= heads.unmet.word[w];
      continue;
    }
    for (uint32_t rest = heads.unmet.word[w]; rest != 0; rest &= rest - 1) {
      const unsigned q = 32 * w + (unsigned)__builtin_ctz(rest);
      for (unsigned i = 0; i < FW_BARRIER_SIGNALS; ++i)
        if (((uint32_t)fw_queues[q].signals[i] >> 6 & 0xffffffu) == tag) fw_add(&heads.check, q);
    }
  }
}

/* Signals count down, so if the upper half is read first, two zeros mean that the whole was zero. */
static bool is_zero(uint64_t signal) {
  const uint32_t at = hal_map(signal);
  return hal_read32(at + 4) == 0 && hal_read32(at) == 0;
}

static bool met(const struct fw_queue *queue) {
  const bool all = queue->type == FW_BARRIER_AND;
  unsigned named = 0;
  for (unsigned i = 0; i < FW_BARRIER_SIGNALS; ++i) {
    if (queue->signals[i] == 0) continue;
    ++named;
    if (is_zero(queue->signals[i]) != all) return !all; /* settles it */
  }
  return all || named == 0;
}

__attribute__((noinline)) static void check_all(void) {
  for (unsigned w = 0; w < heads.words; ++w) {
    for (uint32_t rest = heads.check.word[w] & ~heads.blocked.word[w]; rest != 0; rest &= rest - 1) {
      const unsigned q = 32 * w + (unsigned)__builtin_ctz(rest);
      fw_remove(&heads.check, q);
      if (met(&fw_queues[q])) fw_remove(&heads.unmet, q);
    }
  }
}

/* Called in every pass, mostly for nothing. */
void heads_check_signals(void) {
  if (!heads.any_check) return;
  heads.any_check = false;
  check_all();
}

bool heads_waiting(void) {
  for (unsigned w = 0; w < heads.words; ++w)
    if ((heads.unmet.word[w] & ~heads.blocked.word[w]) != 0) return true;
  return false;
}

/* ---- Choosing */

bool heads_startable(bool slot, bool engine, struct fw_set *can_start) {
  uint32_t any = 0;
  for (unsigned w = 0; w < heads.words; ++w) {
    uint32_t word = heads.known.word[w];
    if (word != 0) { /* most words of many queues are empty most of the time */
      word &= ~(heads.blocked.word[w] | heads.unmet.word[w]);
      if (!slot) word &= ~heads.kernels.word[w];
      if (!engine) word &= ~heads.copies.word[w];
    }
    can_start->word[w] = word;
    any |= word;
  }
  return any != 0;
}
