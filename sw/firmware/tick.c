/* Ticks at times of the policy's own, for both loops. */
#include "clock.h"
#include "gates.h"
#include "ranks.h"

void fw_tick_at(uint64_t at_ns) {
  if (fw_assisted()) {
    fw_loop.next_tick = at_ns;
  } else {
    fw_scheduler_tick_at(at_ns);
  }
}
