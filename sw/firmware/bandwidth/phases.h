/* What CCBP does with a mix of kernels, from the moment at which it forms until it changes (TACO 2019,
   sections 5.3 to 5.5), as states that follow one another by the clock:

     even CTAs, drain -> warm up -> rf and df -> even bandwidth: types -> use by number of CTAs -> allocate ->
     priorities -> settled

   The policy hands on what happens to kernels, and its ticks. Nothing blocks: a call reads and writes
   registers, and says by fw_tick_at when it has to be called again. */
#ifndef WARPVP_FIRMWARE_BANDWIDTH_PHASES_H
#define WARPVP_FIRMWARE_BANDWIDTH_PHASES_H

#include "bandwidth/allocation.h"
#include "bandwidth/model.h"

#ifdef __cplusplus
extern "C" {
#endif

enum bw_phase { /* as PHASE of the bandwidth controller */
                BW_ALONE,
                BW_WARM_UP,
                BW_FACTORS,
                BW_TYPES,
                BW_USE,
                BW_ADJUST,
                BW_SETTLED,
};

#define BW_ALONE_IPCS 4u

struct bw_settings {
  bool weighted;                 /* what is to be greatest: weighted instead of harmonic speedup */
  bool fixed_priority;           /* priorLSK stays 1.0 */
  bool throttles;                /* CTAs above a new limit wait, instead of running to their ends */
  uint32_t percent;              /* of the paper's, that phases last */
  uint32_t absent_cycles;        /* after which a kernel that has not come again has left the mix */
  uint32_t alone[BW_ALONE_IPCS]; /* warp instructions in 1000 cycles, of kernels as they come; 0: not known */
};

void bw_phases_start(const struct bw_settings* settings, const struct bw_device* device,
                     const struct bw_room* sm);
/* A kernel is in the slot and about to start; it has started; it has ended. */
void bw_phases_prepare(unsigned slot);
void bw_phases_started(unsigned slot);
void bw_phases_ended(unsigned slot);
void bw_phases_tick(void);

/* Words of SYSCTL_REPORT: these, and three for each of the first kernels. */
enum bw_report {
  BW_REPORT_PHASE,
  BW_REPORT_DETECTIONS,
  BW_REPORT_ALLOCATIONS,
  BW_REPORT_WINDOWS,       /* in which a priority was tried */
  BW_REPORT_PRIOR_TENTHS,  /* priorLSK that was settled on */
  BW_REPORT_GOAL,          /* speedup that it reached while it was tried, in thousandths */
  BW_REPORT_SETTLED_CYCLE, /* when it settled after the last detection, in SM cycles */
  BW_REPORT_KERNELS,       /* that have come */
  BW_REPORT_KERNEL,        /* type, CTAs, quota of the first one; of the next one; ... */
};

#ifdef __cplusplus
}
#endif

#endif
