/* The period of a policy's tick, and the ticks that came too late. */
#ifndef WARPVP_FIRMWARE_CLOCK_H
#define WARPVP_FIRMWARE_CLOCK_H

#include <stdint.h>

/* Begins the period that a policy with this `tick_ns`, which is not 0, has; FW_PERIOD asks the platform. Returns
   when the first tick is due. */
uint64_t fw_clock_start(uint32_t tick_ns);
uint32_t fw_clock_period(void);
/* The next tick, when the one that was `due` is done at `now`. Periods that passed without a tick are counted, and the
   count written to SYSCTL_LATE_TICKS. */
uint64_t fw_clock_after(uint64_t due, uint64_t now);

/* fw_tick_at (fw_queue.h) where firmware starts packets. */
void fw_scheduler_tick_at(uint64_t at_ns);

#endif
