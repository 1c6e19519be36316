/* What CCBP makes of what it has measured (TACO 2019, sections 5.2 to 5.5): factors, types, use by number of
   CTAs, quotas, and the goal. No registers. */
#ifndef WARPVP_FIRMWARE_BANDWIDTH_DETECTION_H
#define WARPVP_FIRMWARE_BANDWIDTH_DETECTION_H

#include "bandwidth/mix.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Equations 2 and 4. */
struct bw_factors bw_factors_of(const struct bw_counts* counts);
/* Equation 5 as a quota: whole, at least 1; BW_NO_QUOTA where nothing bounds it. */
uint32_t bw_even_quota(const struct bw_device* device, struct bw_factors f, unsigned kernels);
/* Demand, type, IPC and use by number of CTAs, from counts under even shares: `even` CTAs on each SM. */
void bw_find_type(const struct bw_device* device, struct bw_kernel* kernel, uint32_t cycles, unsigned kernels,
                  unsigned even);
/* Use with `ctas` CTAs, from counts. More CTAs are never held to use less than fewer of them: a window may
   fall between two launches. */
void bw_note_use(const struct bw_device* device, struct bw_kernel* kernel, unsigned ctas, uint32_t cycles);
/* Beyond `most` CTAs, which are the most that could be tried, use goes on growing, up to what can be
 * sustained. */
void bw_extend_use(const struct bw_device* device, struct bw_kernel* kernel, unsigned most);
/* Section 5.2, end: units become whole requests of an interval. Latency-sensitive kernels are rounded up, and
   the others give back what that exceeds. */
void bw_quotas(const struct bw_device* device, struct bw_kernel* const* kernels, unsigned count,
               const struct bw_share* shares, uint32_t* quotas);
/* Section 3.3: harmonic or weighted speedup by counts of `cycles`, 8.24 in 64 bits. */
uint64_t bw_goal(struct bw_kernel* const* kernels, unsigned count, uint32_t cycles, bool weighted);

#ifdef __cplusplus
}
#endif

#endif
