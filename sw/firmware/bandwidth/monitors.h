/* What the SMs' monitors count of kernels between two moments: a window. One is open at a time. A kernel
   costs an access to each SM at both ends, of REQUESTS to DRAM_ACCESSES or to DEMAND in one burst, and one
   more for its instructions; and both again for each launch that ends in between. */
#ifndef WARPVP_FIRMWARE_BANDWIDTH_MONITORS_H
#define WARPVP_FIRMWARE_BANDWIDTH_MONITORS_H

#include "bandwidth/mix.h"

#ifdef __cplusplus
extern "C" {
#endif

#define BW_COUNT_DEMAND 1u
#define BW_COUNT_INSTRUCTIONS 2u

void bw_monitors_start(const struct bw_device* device);
/* Opens a window on `kernels`, of requests and what else `what` says. */
void bw_monitors_open(struct bw_kernel* const* kernels, unsigned count, unsigned what);
/* Its counts are in the kernels. Returns the SM cycles that it was open, at least 1. */
uint32_t bw_monitors_close(void);
/* A launch of a kernel is about to start in its slot, or has ended there. Nothing happens without a window on
 * it. */
void bw_monitors_begin_launch(struct bw_kernel* kernel);
void bw_monitors_end_launch(struct bw_kernel* kernel);

#ifdef __cplusplus
}
#endif

#endif
