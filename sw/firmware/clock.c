#include "clock.h"

#include "policy.h"

static uint32_t late, the_period;

uint32_t fw_clock_start(uint32_t tick_ns) {
  late = 0;
  the_period = tick_ns;
  if (tick_ns == FW_PERIOD) the_period = hal_read32(SYSCTL_PERIOD_NS);
  FW_ASSERT(tick_ns == 0 || the_period != 0);
  return the_period;
}

uint32_t fw_clock_period(void) { return the_period; }

uint64_t fw_clock_after(uint64_t due, uint32_t period, uint64_t now) {
  const uint64_t behind = now - due;
  if (behind < period) return due + period; /* nearly always: without a division */
  const uint32_t missed = (uint32_t)(behind / period);
  late += missed;
  hal_write32(SYSCTL_LATE_TICKS, late);
  return due + (uint64_t)(missed + 1) * period;
}
