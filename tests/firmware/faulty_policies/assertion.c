/* Expects what is not so, and prints through the C library first. */
#include <stdio.h>

#include "policy.h"

static int pick(const struct fw_set *can_start) {
  printf("%d queues, first %d\n", (int)hal_machine.queues, fw_next(can_start, 0));
  FW_ASSERT(hal_machine.queues == 5);
  return -1;
}

FW_POLICY = {.name = "assertion", .pick = pick};
