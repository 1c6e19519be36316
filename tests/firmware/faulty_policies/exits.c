/* Leaves through the C library. */
#include <stdlib.h>

#include "policy.h"

static int pick(const struct fw_set *can_start) { exit(fw_next(can_start, 0) + 3); }

FW_POLICY = {.name = "exits", .pick = pick};
