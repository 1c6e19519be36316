/* CCBP's allocation of CTAs and bandwidth to the kernels that share a device (TACO 2019, section 5.2,
   Algorithm 1, and DomShareCal of section 5.5). Decisions are those of modules/bandwidth/ccbp_allocation.h,
   in fixed point. */
#ifndef WARPVP_FIRMWARE_BANDWIDTH_ALLOCATION_H
#define WARPVP_FIRMWARE_BANDWIDTH_ALLOCATION_H

#include <stdbool.h>

#include "bandwidth/fixed.h"
#include "bandwidth/model.h"

#ifdef __cplusplus
extern "C" {
#endif

#define BW_MOST_KERNELS 8u /* in a mix: one for each sub-queue of the SMs' miss queues */
#define BW_MOST_CTAS 64u   /* of a kernel on an SM */

/* What a CTA takes of an SM, as WD_KSR_CTA_THREADS and the five registers behind it say. */
struct bw_needs {
  uint32_t threads, warps, registers, shared_bytes, barriers, most_ctas;
};
/* What an SM has, as WD_SMSR_FREE_CTAS and the five behind it say of one that is empty. */
struct bw_room {
  uint32_t ctas, threads, warps, registers, shared_bytes, barriers;
};

/* A kernel as the algorithm sees it. */
struct bw_claim {
  enum bw_type type;
  const struct bw_needs* needs;
  unsigned last; /* of the tables */
  /* nbw and dbw: units that it uses with so many CTAs on each SM, unlimited; [0] is no CTA. */
  const bw_q16 *network, *dram;
};

/* What a kernel gets. */
struct bw_share {
  uint32_t ctas; /* on each SM */
  bw_q32 network, dram;
};

struct bw_options {
  uint32_t units;        /* M */
  uint32_t prior_tenths; /* priorLSK, 1 to 10 tenths; smaller is more urgent */
  /* One turn of the loop, for tests; or NULL. */
  void (*told)(unsigned kernel, bool granted, const struct bw_share* shares);
};

/* `shares`: one for each of `count` claims, in their order. A kernel for which not even one CTA has room gets
 * none. */
void bw_allocate(const struct bw_claim* claims, unsigned count, const struct bw_room* sm,
                 const struct bw_options* options, struct bw_share* shares);

#ifdef __cplusplus
}
#endif

#endif
