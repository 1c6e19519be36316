/* The period of a policy's tick, and the ticks that came too late. */
#ifndef WARPVP_FIRMWARE_CLOCK_H
#define WARPVP_FIRMWARE_CLOCK_H

#include <stdint.h>

/* The period in ns that a policy with this `tick_ns` has; FW_PERIOD asks the platform. Forgets late ticks. */
uint32_t fw_clock_start(uint32_t tick_ns);
/* What fw_clock_start returned last. */
uint32_t fw_clock_period(void);
/* The next tick, when the one that was `due` is done at `now`. Periods that passed without a tick are counted, and the
   count written to SYSCTL_LATE_TICKS. */
uint64_t fw_clock_after(uint64_t due, uint32_t period, uint64_t now);

#endif
