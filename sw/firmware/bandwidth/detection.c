#include "bandwidth/detection.h"

/* Rates that are whole but for their rounding are taken as whole. */
#define NEARLY (BW_ONE / 256)

struct bw_factors bw_factors_of(const struct bw_counts *counts) {
  const struct bw_factors f = {bw_ratio(counts->reads, counts->requests),
                               bw_ratio(counts->dram_accesses, counts->answers)};
  return f;
}

static uint32_t floor_of(bw_q16 rate) { return (uint32_t)(((uint64_t)rate + NEARLY) >> 16); }
static uint32_t ceil_of(bw_q16 rate) { return (uint32_t)(((uint64_t)rate + BW_ONE - 1 - NEARLY) >> 16); }

static uint32_t quota_of(uint32_t requests) {
  return requests < 1 ? 1 : requests > BW_NO_QUOTA - 1 ? BW_NO_QUOTA - 1 : requests;
}

uint32_t bw_even_quota(const struct bw_device *device, struct bw_factors f, unsigned kernels) {
  const bw_q16 rate = bw_even_rate(device, f, kernels);
  return rate == BW_UNLIMITED ? BW_NO_QUOTA : quota_of(floor_of(rate));
}

/* Tables are 16.16. */
static bw_q16 in_table(bw_q32 units) { return bw_q16_of((units + (BW_ONE / 2)) >> 16); }

void bw_find_type(const struct bw_device *device, struct bw_kernel *kernel, uint32_t cycles, unsigned kernels,
                  unsigned even) {
  kernel->demand = bw_rate_of(device, kernel->counts.demand, cycles);
  kernel->type = bw_type_of(device, kernel->factors, kernel->demand, kernels);
  kernel->reference = bw_ratio(kernel->counts.instructions, cycles);
  kernel->last = kernel->needs.most_ctas;
  const bw_q16 rate = bw_rate_of(device, kernel->counts.requests, cycles);
  const bw_q32 network = bw_network_use(device, kernel->factors, rate) / even;
  const bw_q32 dram = bw_dram_use(device, kernel->factors, rate) / even;
  for (unsigned n = 0; n <= kernel->last; ++n) {
    kernel->network[n] = in_table(network * n);
    kernel->dram[n] = in_table(dram * n);
  }
}

static void raise_to(bw_q16 *table, unsigned n, bw_q16 least) {
  if (table[n] < least) table[n] = least;
}

void bw_note_use(const struct bw_device *device, struct bw_kernel *kernel, unsigned ctas, uint32_t cycles) {
  const struct bw_factors f = bw_factors_of(&kernel->counts);
  const bw_q16 rate = bw_rate_of(device, kernel->counts.requests, cycles);
  kernel->network[ctas] = in_table(bw_network_use(device, f, rate));
  kernel->dram[ctas] = in_table(bw_dram_use(device, f, rate));
  raise_to(kernel->network, ctas, kernel->network[ctas - 1]);
  raise_to(kernel->dram, ctas, kernel->dram[ctas - 1]);
}

static void extend(bw_q16 *table, unsigned most, unsigned last, bw_q16 units) {
  for (unsigned n = most + 1; n <= last; ++n) {
    const uint64_t grown = (uint64_t)table[most] * n / most;
    table[n] = grown < units ? (bw_q16)grown : units;
    raise_to(table, n, table[most]);
  }
}

void bw_extend_use(const struct bw_device *device, struct bw_kernel *kernel, unsigned most) {
  extend(kernel->network, most, kernel->last, device->units << 16);
  extend(kernel->dram, most, kernel->last, device->units << 16);
}

static uint32_t quota_for(const struct bw_device *device, const struct bw_kernel *kernel,
                          const struct bw_share *share) {
  const struct bw_factors f = kernel->factors;
  /* Of whose requests nothing was seen, nothing is known that it could be held to. */
  if (f.rf == 0 && f.df == 0) return BW_NO_QUOTA - 1;
  const bw_q16 network = bw_network_rate(device, f, share->network), dram = bw_dram_rate(device, f, share->dram);
  if (kernel->type == BW_NETWORK_INTENSIVE) return network == BW_UNLIMITED ? BW_NO_QUOTA - 1 : floor_of(network);
  if (kernel->type == BW_DRAM_INTENSIVE) return dram == BW_UNLIMITED ? BW_NO_QUOTA - 1 : floor_of(dram);
  const bw_q16 by_network = f.rf > 0 ? network : 0, by_dram = f.df > 0 ? dram : 0;
  const bw_q16 most = by_network > by_dram ? by_network : by_dram;
  return most == BW_UNLIMITED ? BW_NO_QUOTA - 1 : ceil_of(most);
}

void bw_quotas(const struct bw_device *device, struct bw_kernel *const *kernels, unsigned count,
               const struct bw_share *shares, uint32_t *quotas) {
  const bw_q32 all = ((bw_q32)device->units << 32) + ((bw_q32)device->units << 20); /* but for rounding */
  bw_q32 network = 0, dram = 0;
  for (unsigned k = 0; k < count; ++k) {
    quotas[k] = quota_of(quota_for(device, kernels[k], &shares[k]));
    network += bw_network_use(device, kernels[k]->factors, bw_q16_of((uint64_t)quotas[k] << 16));
    dram += bw_dram_use(device, kernels[k]->factors, bw_q16_of((uint64_t)quotas[k] << 16));
  }
  /* Of both the one that exceeds; never below one request, which would be none at all. */
  while (network > all || dram > all) {
    unsigned most = count;
    for (unsigned k = 0; k < count; ++k)
      if (kernels[k]->type != BW_LATENCY_SENSITIVE && quotas[k] > 1 && (most == count || quotas[k] > quotas[most]))
        most = k;
    if (most == count) break;
    --quotas[most];
    network -= bw_network_use(device, kernels[most]->factors, BW_ONE);
    dram -= bw_dram_use(device, kernels[most]->factors, BW_ONE);
  }
}

uint64_t bw_goal(struct bw_kernel *const *kernels, unsigned count, uint32_t cycles, bool weighted) {
  uint64_t speedups = 0, slowdowns = 0; /* 16.16 */
  for (unsigned k = 0; k < count; ++k) {
    if (kernels[k]->reference == 0) continue;
    const bw_q16 ipc = bw_ratio(kernels[k]->counts.instructions, cycles);
    speedups += bw_ratio(ipc, kernels[k]->reference);
    if (ipc == 0 && !weighted) return 0;
    slowdowns += bw_ratio(kernels[k]->reference, ipc);
  }
  if (weighted) return speedups << 8;
  return slowdowns == 0 ? 0 : ((uint64_t)count << 40) / slowdowns;
}
