#include "bandwidth/allocation.h"

#include <stddef.h>

#include "late.h"

/* A kernel while the algorithm runs. Its dominant share is have * weight / whole: of latency-sensitive kernels CTAs
   times the part of the SM's scarcest resource that one takes, times priorLSK (DomShareCal); of the others units. */
struct turn {
  bool finished;
  uint32_t have, weight;
  uint64_t whole;
  uint32_t with_ctas; /* for which `with_it` holds */
  bw_q32 with_it;     /* of the other bandwidth, with a unit of the dominant one */
};

static FW_LATE struct turn turns[BW_MOST_KERNELS];
static FW_LATE struct {
  struct bw_room room; /* what is left */
  bw_q32 network, dram;
} left;

/* ---- Dominant shares */

/* The resource of which a CTA takes the greatest part. */
static void weigh(struct turn *turn, const struct bw_needs *needs, const struct bw_room *sm, uint32_t prior_tenths) {
  const uint32_t takes[] = {needs->registers, needs->shared_bytes, needs->threads};
  const uint32_t whole[] = {sm->registers, sm->shared_bytes, sm->threads};
  uint32_t most = 0, of = 1;
  for (unsigned i = 0; i < sizeof takes / sizeof takes[0]; ++i) {
    if (whole[i] == 0 || (uint64_t)takes[i] * of <= (uint64_t)most * whole[i]) continue;
    most = takes[i];
    of = whole[i];
  }
  turn->weight = most * prior_tenths;
  turn->whole = (uint64_t)of * 10;
}

/* Exactly: have * weight is at most ten times what an SM has, below 2^28 both. */
static bool has_less(const struct turn *a, const struct turn *b) {
  return (uint64_t)a->have * a->weight * b->whole < (uint64_t)b->have * b->weight * a->whole;
}

/* ---- Room */

static bool room_for_cta(const struct bw_needs *needs) {
  const struct bw_room *r = &left.room;
  return r->ctas > 0 && needs->threads <= r->threads && needs->warps <= r->warps && needs->registers <= r->registers &&
         needs->shared_bytes <= r->shared_bytes && needs->barriers <= r->barriers;
}

static void take_cta(const struct bw_needs *needs) {
  struct bw_room *r = &left.room;
  --r->ctas;
  r->threads -= needs->threads;
  r->warps -= needs->warps;
  r->registers -= needs->registers;
  r->shared_bytes -= needs->shared_bytes;
  r->barriers -= needs->barriers;
}

/* ---- One unit more */

/* Of the other bandwidth, what goes with a unit of the dominant one at so many CTAs: rounded, so that `wanted` times it
   is off by less than wanted / 2^33. */
static bw_q32 companion(const struct bw_claim *claim, bool by_network, uint32_t ctas) {
  const bw_q16 dominant = by_network ? claim->network[ctas] : claim->dram[ctas];
  const bw_q16 other = by_network ? claim->dram[ctas] : claim->network[ctas];
  if (dominant == 0) return 0;
  const bw_q32 ratio = (((uint64_t)other << 32) + dominant / 2) / dominant;
  const bw_q32 too_much = (bw_q32)(BW_MOST_UNITS + 1) << 32; /* whatever there is; bounded for the product */
  return ratio < too_much ? ratio : too_much;
}

/* One more unit of the kernel's dominant resource, and of the others what goes with it (lines 4 to 21). False: more
   CTAs than it can have. */
static bool tentative(const struct bw_claim *claim, struct turn *turn, const struct bw_share *has,
                      struct bw_share *next) {
  *next = *has;
  if (claim->type == BW_LATENCY_SENSITIVE) {
    if (++next->ctas > claim->last) return false;
    next->network = (bw_q32)claim->network[next->ctas] << 16;
    next->dram = (bw_q32)claim->dram[next->ctas] << 16;
    return true;
  }
  const bool by_network = claim->type == BW_NETWORK_INTENSIVE;
  const uint32_t wanted = turn->have + 1;
  const bw_q16 *dominant = by_network ? claim->network : claim->dram;
  if (dominant[has->ctas] < wanted << 16 && ++next->ctas > claim->last) return false;
  if (turn->with_ctas != next->ctas) {
    turn->with_ctas = next->ctas;
    turn->with_it = companion(claim, by_network, next->ctas);
  }
  *(by_network ? &next->network : &next->dram) = (bw_q32)wanted << 32;
  *(by_network ? &next->dram : &next->network) = wanted * turn->with_it;
  return true;
}

static bool grant(const struct bw_claim *claim, struct bw_share *has, const struct bw_share *next) {
  const bool cta = next->ctas > has->ctas;
  if (next->ctas > claim->needs->most_ctas || (cta && !room_for_cta(claim->needs))) return false;
  /* The kernel gives back what it has. */
  if (next->network > left.network + has->network || next->dram > left.dram + has->dram) return false;
  left.network = left.network + has->network - next->network;
  left.dram = left.dram + has->dram - next->dram;
  if (cta) take_cta(claim->needs);
  *has = *next;
  return true;
}

/* Of equal shares the kernel that came first. */
static int poorest(unsigned count) {
  int k = -1;
  for (unsigned i = 0; i < count; ++i)
    if (!turns[i].finished && (k < 0 || has_less(&turns[i], &turns[k]))) k = (int)i;
  return k;
}

void bw_allocate(const struct bw_claim *claims, unsigned count, const struct bw_room *sm,
                 const struct bw_options *options, struct bw_share *shares) {
  left.room = *sm;
  /* Sums of thirds must fit though each was rounded: room for all roundings together. */
  left.network = left.dram = ((bw_q32)options->units << 32) + count * options->units;
  for (unsigned i = 0; i < count; ++i) {
    struct turn *turn = &turns[i];
    turn->finished = false;
    turn->have = 0;
    turn->with_ctas = 0; /* of which nothing is asked */
    turn->with_it = 0;
    turn->weight = 1;
    turn->whole = options->units;
    if (claims[i].type == BW_LATENCY_SENSITIVE) weigh(turn, claims[i].needs, sm, options->prior_tenths);
    shares[i].ctas = 0;
    shares[i].network = shares[i].dram = 0;
  }
  for (int k = poorest(count); k >= 0; k = poorest(count)) {
    struct bw_share next;
    struct turn *turn = &turns[k];
    const bool granted = tentative(&claims[k], turn, &shares[k], &next) && grant(&claims[k], &shares[k], &next);
    if (granted) {
      ++turn->have;
    } else {
      turn->finished = true;
    }
    if (options->told) options->told((unsigned)k, granted, shares);
  }
}
