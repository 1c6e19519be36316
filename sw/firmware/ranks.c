#include "ranks.h"

#include <stddef.h>

#include "gates.h"
#include "hal.h"
#include "late.h"

#define NONE 0xffffu
#define LEAVES FW_MAX_QUEUES
#define MOST_SLOTS 128u

static FW_LATE struct {
  bool bulk;
  uint32_t options;
  uint32_t clock; /* counts admissions, and with FW_OPTION_TURNS starts */
  uint32_t rank[FW_MAX_QUEUES], stamp[FW_MAX_QUEUES];
  struct fw_set open;             /* admitted */
  struct fw_set active;           /* leaves of the tree that count */
  struct fw_set changed;          /* queues with new ranks, between fw_ranks_begin and fw_ranks_end */
  uint16_t first[2 * LEAVES];     /* a tournament: node n is the winner of 2n and 2n+1; leaves are queues */
  uint8_t kernels[FW_MAX_QUEUES]; /* that run, by queue */
  uint8_t slot[FW_MAX_QUEUES];    /* of the one started last */
  uint8_t queue_of[MOST_SLOTS];   /* meaningful where a kernel runs */
  struct fw_set busy;             /* slots with a kernel */
  uint32_t from, to;              /* ranks not yet written to the hardware */
} r;

void fw_ranks_start(uint32_t options) {
  const bool assisted = fw_assisted();
  fw_clear(&r, sizeof r);
  fw_fill(r.first, 0xffffffffu, sizeof r.first);
  fw_fill(r.rank, FW_RANK_LAST, sizeof r.rank);
  r.options = options;
  r.from = FW_MAX_QUEUES;
  const uint32_t wanted = assisted ? options : options & FW_OPTION_DOORBELLS;
  if (wanted != 0) hal_write32(QC_OPTIONS, wanted);
}

uint32_t fw_rank_of(unsigned q) { return r.rank[q]; }
int32_t fw_rank_priority(uint32_t rank) { return (int32_t)(0x7fffffffu - (rank >> 1)); }

/* ---- The tournament */

static bool before(unsigned a, unsigned b) {
  if (r.rank[a] != r.rank[b]) return r.rank[a] < r.rank[b];
  return (int32_t)(r.stamp[a] - r.stamp[b]) < 0;
}

static uint16_t winner(uint16_t a, uint16_t b) {
  if (a == NONE) return b;
  if (b == NONE) return a;
  return before(b, a) ? b : a;
}

static void play(unsigned n) { r.first[n] = winner(r.first[2 * n], r.first[2 * n + 1]); }

static void replay(unsigned q) {
  for (unsigned n = (LEAVES + q) / 2; n != 0; n /= 2) play(n);
}

/* Of `count` nodes beside each other, from `first` on, those in `bits` have changed: plays all that are above
   one of them, up to the one above all, each once. At a distance of `step` a level's bits stand for their
   nodes; what is between them is of no meaning. Bits are shifted out rather than sought, which takes a core
   without an instruction for it longer. */
static void replay_above(unsigned first, unsigned count, uint32_t bits) {
  for (unsigned step = 1; step < count; step *= 2) {
    bits |= bits >> step;
    first /= 2;
    unsigned n = first;
    for (uint32_t rest = bits; rest != 0; rest = rest >> step >> step, ++n)
      if (rest & 1u) play(n);
  }
}

/* The 32 leaves of a word have a tree of their own, and those of the words that changed meet above. */
static void replay_changed(void) {
  uint32_t words = 0;
  for (unsigned w = 0; w < FW_SET_WORDS; ++w) {
    const uint32_t bits = r.changed.word[w];
    if (bits == 0) continue;
    r.changed.word[w] = 0;
    replay_above(LEAVES + 32 * w, 32, bits);
    words |= 1u << w;
  }
  replay_above(FW_SET_WORDS, FW_SET_WORDS, words);
}

int fw_ranks_pick(const struct fw_set* can_start) {
  for (unsigned w = 0; w < FW_SET_WORDS; ++w) {
    uint32_t wanted = can_start->word[w];
    if (r.options & FW_OPTION_GATES) wanted &= r.open.word[w];
    for (uint32_t changed = wanted ^ r.active.word[w]; changed != 0; changed &= changed - 1) {
      const unsigned q = 32 * w + (unsigned)__builtin_ctz(changed);
      r.first[LEAVES + q] = fw_has(&r.active, q) ? NONE : (uint16_t)q;
      replay(q);
    }
    r.active.word[w] = wanted;
  }
  return r.first[1] == NONE ? -1 : (int)r.first[1];
}

/* ---- Ranks */

static void set_priority(unsigned slot, uint32_t rank) {
  hal_write32(WD_KSR_PRIORITY(slot), (uint32_t)fw_rank_priority(rank));
}

/* Nearly always one kernel of a queue runs, whose slot is known. */
static void rank_kernels(unsigned q) {
  if (r.kernels[q] == 0 || (r.options & FW_OPTION_RANKED_KERNELS) == 0) return;
  if (r.kernels[q] == 1 && fw_has(&r.busy, r.slot[q]) && r.queue_of[r.slot[q]] == q) {
    set_priority(r.slot[q], r.rank[q]);
    return;
  }
  for (int slot = fw_next(&r.busy, 0); slot >= 0; slot = fw_next(&r.busy, (unsigned)slot + 1))
    if (r.queue_of[slot] == q) set_priority((unsigned)slot, r.rank[q]);
}

void fw_rank(unsigned q, uint32_t rank) {
  if (rank > FW_RANK_LAST) rank = FW_RANK_LAST;
  if (r.rank[q] == rank) return;
  r.rank[q] = rank;
  if (fw_assisted()) {
    if (!r.bulk) {
      hal_write32(QC_RANK(q), rank);
    } else {
      if (q < r.from) r.from = q;
      if (q >= r.to) r.to = q + 1;
    }
    return;
  }
  if (fw_has(&r.active, q)) {
    if (r.bulk) {
      fw_add(&r.changed, q);
    } else {
      replay(q);
    }
  }
  rank_kernels(q);
}

void fw_ranks_begin(void) { r.bulk = true; }

void fw_ranks_end(void) {
  r.bulk = false;
  if (!fw_assisted()) {
    replay_changed();
    return;
  }
  for (unsigned q = r.from; q < r.to; q += FW_BURST_WORDS) {
    const unsigned left = r.to - q;
    hal_write_burst(QC_RANK(q), &r.rank[q], left < FW_BURST_WORDS ? left : FW_BURST_WORDS);
  }
  r.from = FW_MAX_QUEUES;
  r.to = 0;
}

void fw_admit(unsigned q) {
  if (fw_assisted()) {
    hal_write32(QC_ADMIT(q), 1);
    fw_assist_settled(q);
    return;
  }
  fw_add(&r.open, q);
  r.stamp[q] = r.clock++;
  if (fw_has(&r.active, q)) replay(q);
}

/* ---- What happens to packets, where firmware starts them */

void fw_ranks_prepare(unsigned q, unsigned slot) {
  if (r.options & FW_OPTION_RANKED_KERNELS) set_priority(slot, r.rank[q]);
}

void fw_ranks_started(unsigned q, unsigned destination, bool last) {
  if (fw_assisted()) return;
  if (last) fw_remove(&r.open, q);
  if (r.options & FW_OPTION_TURNS) {
    r.stamp[q] = r.clock++;
    if (fw_has(&r.active, q)) replay(q);
  }
  if (fw_queues[q].type != FW_KERNEL) return;
  ++r.kernels[q];
  r.slot[q] = (uint8_t)destination;
  r.queue_of[destination] = (uint8_t)q;
  fw_add(&r.busy, destination);
}

void fw_ranks_completed(unsigned q, unsigned destination) {
  if (fw_assisted() || destination >= MOST_SLOTS) return;
  if (!fw_has(&r.busy, destination) || r.queue_of[destination] != q) return;
  fw_remove(&r.busy, destination);
  --r.kernels[q];
}

void fw_ranks_forgotten(unsigned q) { fw_remove(&r.open, q); }
