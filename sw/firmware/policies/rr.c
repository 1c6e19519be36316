/* Round robin: the next queue after the one that started last. */
#include "policy.h"

static int pick(const struct fw_set *can_start) { return fw_after(can_start, fw_last_started()); }

FW_POLICY = {.name = "rr", .pick = pick, .round_robin = true};
