/* Starts what waits in queue 0 and nothing else, as firmware that has lost jobs. */
#include "policy.h"

static int pick(const struct fw_set *can_start) { return fw_has(can_start, 0) ? 0 : -1; }

FW_POLICY = {.name = "forgetful", .pick = pick};
