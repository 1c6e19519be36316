/* Stores where nothing is. */
#include "policy.h"

__attribute__((noinline)) static void store_wildly(void) { *(volatile uint32_t *)0x90000000u = 1; }

static int pick(const struct fw_set *can_start) {
  store_wildly();
  return fw_next(can_start, 0);
}

FW_POLICY = {.name = "wild_store", .pick = pick};
