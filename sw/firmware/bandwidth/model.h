/* CCBP's relations between the rate at which kernels issue requests and the bandwidth that they use (TACO
   2019, sections 5.3 and 5.4, equations 1 to 7). A rate is requests of one SM in one interval of its
   credits, 16.16. */
#ifndef WARPVP_FIRMWARE_BANDWIDTH_MODEL_H
#define WARPVP_FIRMWARE_BANDWIDTH_MODEL_H

#include "bandwidth/fixed.h"

#ifdef __cplusplus
extern "C" {
#endif

#define BW_MOST_UNITS 1000u /* of each bandwidth */

/* What the platform says in its registers (SYSCTL_SM_CLOCK_KHZ to SYSCTL_DRAM_RATE). */
struct bw_facts {
  uint32_t sm_clock_khz, credit_cycles, line_bytes, reply_header_bytes;
  uint64_t network_rate, dram_rate; /* bytes a second; 0: not limited */
};

struct bw_device {
  uint32_t sms, units;
  uint32_t sm_clock_khz, credit_cycles;
  /* Units of network and DRAM that one request of each SM in an interval takes if it is a read, and a DRAM
     access: 8.24; 0: never short. */
  uint32_t network_cost, dram_cost;
};
/* `units`: M, at most BW_MOST_UNITS. */
void bw_device_of(struct bw_device* device, const struct bw_facts* facts, uint32_t sms, uint32_t units);

enum bw_type { BW_LATENCY_SENSITIVE, BW_NETWORK_INTENSIVE, BW_DRAM_INTENSIVE };

/* What a kernel's requests are, on average. */
struct bw_factors {
  bw_q16 rf; /* reads per request (equation 2) */
  bw_q16 df; /* DRAM accesses per request (equation 4) */
};

/* Equations 1 and 3: units that are used at a rate. */
bw_q32 bw_network_use(const struct bw_device* device, struct bw_factors f, bw_q16 rate);
bw_q32 bw_dram_use(const struct bw_device* device, struct bw_factors f, bw_q16 rate);
/* The rate that uses so many units of network, or of DRAM; BW_UNLIMITED for requests that use none. */
bw_q16 bw_network_rate(const struct bw_device* device, struct bw_factors f, bw_q32 units);
bw_q16 bw_dram_rate(const struct bw_device* device, struct bw_factors f, bw_q32 units);
/* Equation 5: each of `kernels` has an equal part of both. */
bw_q16 bw_even_rate(const struct bw_device* device, struct bw_factors f, unsigned kernels);
/* `demand`: requests of one SM in an interval that it would send, with the even rate in force; inequality 7.
 */
enum bw_type bw_type_of(const struct bw_device* device, struct bw_factors f, bw_q16 demand, unsigned kernels);

/* Requests of all SMs in so many SM cycles, as a rate. */
bw_q16 bw_rate_of(const struct bw_device* device, uint32_t requests, uint32_t cycles);

#ifdef __cplusplus
}
#endif

#endif
