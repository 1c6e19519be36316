/* The event loop around a policy. */
#ifndef WARPVP_FIRMWARE_SCHEDULER_H
#define WARPVP_FIRMWARE_SCHEDULER_H

#include "policy.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Firmware starts packets. Runs for ever. */
void fw_run(const struct fw_policy *policy) __attribute__((__noreturn__));
/* The hardware does (type: assisted), and firmware says in which order. Runs for ever. */
void fw_assist(const struct fw_policy *policy) __attribute__((__noreturn__));
/* Its two parts, as fw_start and fw_step. */
void fw_assist_start(const struct fw_policy *policy);
void fw_assist_step(void);

/* Its two parts, for tests: fw_start once, then fw_step again and again. A step handles what happened (sleeping
   first if there was nothing to start) and starts at most one packet. */
void fw_start(const struct fw_policy *policy);
void fw_step(void);

#ifdef __cplusplus
}
#endif

#endif
