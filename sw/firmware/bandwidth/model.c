#include "bandwidth/model.h"

#include <stdbool.h>

/* So that rf * rate * cost counts units: sms * bytes * M / bytes that last in an interval, 8.24. */
static uint32_t cost(const struct bw_facts *facts, uint64_t bytes_per_second, uint32_t bytes, uint32_t sms,
                     uint32_t units) {
  if (bytes_per_second == 0) return 0;
  /* Bytes in an interval, with 8 bits below the point; a thousand bytes a second more or less do not show. */
  const uint64_t lasting = bytes_per_second / 1000 * facts->credit_cycles * 256 / facts->sm_clock_khz;
  const uint64_t needed = (uint64_t)sms * bytes * units;
  const uint64_t value = (needed << 32) / (lasting == 0 ? 1 : lasting);
  return value < UINT32_MAX ? (value == 0 ? 1 : (uint32_t)value) : UINT32_MAX;
}

void bw_device_of(struct bw_device *device, const struct bw_facts *facts, uint32_t sms, uint32_t units) {
  device->sms = sms;
  device->units = units;
  device->sm_clock_khz = facts->sm_clock_khz;
  device->credit_cycles = facts->credit_cycles;
  device->network_cost =
      cost(facts, facts->network_rate, facts->line_bytes + facts->reply_header_bytes, sms, units);
  device->dram_cost = cost(facts, facts->dram_rate, facts->line_bytes, sms, units);
}

/* factor * rate has 32 bits below the point, of which 24 are kept; the product with the cost has 48. */
static bw_q32 use(bw_q16 factor, bw_q16 rate, uint32_t cost) {
  return ((uint64_t)factor * rate >> 8) * cost >> 16;
}

bw_q32 bw_network_use(const struct bw_device *device, struct bw_factors f, bw_q16 rate) {
  return use(f.rf, rate, device->network_cost);
}
bw_q32 bw_dram_use(const struct bw_device *device, struct bw_factors f, bw_q16 rate) {
  return use(f.df, rate, device->dram_cost);
}

static bw_q16 rate_for(bw_q16 factor, uint32_t cost, bw_q32 units) {
  const uint64_t of_one = (uint64_t)factor * cost >> 8;
  if (of_one == 0) return BW_UNLIMITED;
  return bw_q16_of(((units << 16) + of_one / 2) / of_one);
}

bw_q16 bw_network_rate(const struct bw_device *device, struct bw_factors f, bw_q32 units) {
  return rate_for(f.rf, device->network_cost, units);
}
bw_q16 bw_dram_rate(const struct bw_device *device, struct bw_factors f, bw_q32 units) {
  return rate_for(f.df, device->dram_cost, units);
}

bw_q16 bw_even_rate(const struct bw_device *device, struct bw_factors f, unsigned kernels) {
  const bw_q32 part = ((bw_q32)device->units << 32) / kernels;
  const bw_q16 network = bw_network_rate(device, f, part), dram = bw_dram_rate(device, f, part);
  return network < dram ? network : dram;
}

enum bw_type bw_type_of(const struct bw_device *device, struct bw_factors f, bw_q16 demand, unsigned kernels) {
  if (demand < bw_even_rate(device, f, kernels)) return BW_LATENCY_SENSITIVE;
  const bool network = (uint64_t)f.rf * device->network_cost > (uint64_t)f.df * device->dram_cost;
  return network ? BW_NETWORK_INTENSIVE : BW_DRAM_INTENSIVE;
}

bw_q16 bw_rate_of(const struct bw_device *device, uint32_t requests, uint32_t cycles) {
  return bw_ratio((uint64_t)requests * device->credit_cycles, (uint64_t)cycles * device->sms);
}
