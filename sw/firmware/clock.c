#include "clock.h"

#include "late.h"
#include "policy.h"

static FW_LATE uint32_t late, period;

uint64_t fw_clock_start(uint32_t tick_ns) {
  late = 0;
  period = tick_ns == FW_PERIOD ? hal_read32(SYSCTL_PERIOD_NS) : tick_ns;
  FW_ASSERT(period != 0);
  return hal_now_ns() + period;
}

uint32_t fw_clock_period(void) { return period; }

uint64_t fw_clock_after(uint64_t due, uint64_t now) {
  const uint64_t behind = now - due;
  if (behind < period) return due + period; /* nearly always: without a division */
  const uint32_t missed = (uint32_t)(behind / period);
  late += missed;
  hal_write32(SYSCTL_LATE_TICKS, late);
  return due + (uint64_t)(missed + 1) * period;
}
