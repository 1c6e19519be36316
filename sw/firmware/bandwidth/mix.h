/* The kernels that share the device: a kernel that is launched again and again is one of them all the time,
   whichever slot and launch it has. It is known by its context and its descriptor, as KSR_CONTEXT and
   KSR_KERNEL_OBJECT have them. */
#ifndef WARPVP_FIRMWARE_BANDWIDTH_MIX_H
#define WARPVP_FIRMWARE_BANDWIDTH_MIX_H

#include <stdbool.h>

#include "bandwidth/allocation.h"
#include "bandwidth/model.h"

#ifdef __cplusplus
extern "C" {
#endif

#define BW_KNOWN 16u /* kernels that are remembered, whether present or not */
#define BW_NO_LIMIT UINT32_MAX
#define BW_NO_QUOTA 0xffffu
#define BW_LATENCY_BIT 0x10000u /* of a quota */

/* What a kernel is given, in the words of the registers. */
struct bw_terms {
  uint32_t ctas;   /* on each SM */
  uint32_t quota;  /* requests of each SM in an interval, and BW_LATENCY_BIT */
  uint32_t drains; /* 1: CTAs above the limit run to their ends */
};

/* What SMs count of a kernel, summed over SMs, as 32 bits that wrap. */
struct bw_counts {
  uint32_t requests, reads, answers, dram_accesses, demand, instructions;
};

struct bw_kernel {
  uint64_t object;
  uint32_t context;
  unsigned number; /* counts kernels in the order in which they first came */
  bool present;    /* of the mix: it runs, or has not been away for too long */
  bool running;
  uint8_t slot;     /* while it runs */
  uint64_t left_ns; /* when its last launch ended, while it does not run */
  struct bw_needs needs;
  struct bw_terms terms;

  bool detected; /* what follows is known */
  enum bw_type type;
  struct bw_factors factors;
  bw_q16 demand;
  bw_q16 reference; /* warp instructions in a cycle, alone or with even shares */
  unsigned last;    /* of the tables */
  bw_q16 network[BW_MOST_CTAS + 1], dram[BW_MOST_CTAS + 1]; /* nbw and dbw: units by CTAs on each SM */

  bool measured;           /* by the window that is open */
  struct bw_counts counts; /* in that window */
  struct bw_counts seen;   /* what the monitors had when last looked at */
};

void bw_mix_start(void);
/* The kernel of these that does not run, or NULL: two launches of one kernel at a time are two kernels. */
struct bw_kernel* bw_mix_find(uint64_t object, uint32_t context);
/* A kernel that was never seen. The one that has been gone the longest may be forgotten for it. */
struct bw_kernel* bw_mix_add(uint64_t object, uint32_t context);
struct bw_kernel* bw_mix_in_slot(unsigned slot); /* or NULL */
/* Those that are present, in the order in which they first came; at most BW_MOST_KERNELS, or the firmware
 * gives up. */
unsigned bw_mix_present(struct bw_kernel* out[BW_MOST_KERNELS]);
/* Marks those that have been away since before `ns` as gone. True: there were some. */
bool bw_mix_leave(uint64_t ns);
/* When the first of those that are away left; UINT64_MAX: none is. */
uint64_t bw_mix_first_left(void);

#ifdef __cplusplus
}
#endif

#endif
