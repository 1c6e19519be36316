/* Puts terms of kernels in force: CTA limits in the work distributor, quotas in the miss queue of every SM.
   What a register has already is not written again, since a quota takes an access to each SM. */
#ifndef WARPVP_FIRMWARE_BANDWIDTH_TERMS_H
#define WARPVP_FIRMWARE_BANDWIDTH_TERMS_H

#include "bandwidth/mix.h"

#ifdef __cplusplus
extern "C" {
#endif

void bw_terms_start(uint32_t sms);
/* A kernel is in the slot and about to start. Its quota is set; if it is to have a limit it is held, since
   the distributor takes limits only of kernels that run. */
void bw_terms_prepare(unsigned slot, const struct bw_terms* terms);
/* It has started: its limit is set, and it goes. */
void bw_terms_started(unsigned slot, const struct bw_terms* terms);
/* For the kernel, now and for all its later launches. */
void bw_terms_give(struct bw_kernel* kernel, const struct bw_terms* terms);

#ifdef __cplusplus
}
#endif

#endif
