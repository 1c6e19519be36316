/* First come, first served: the packet goes first whose doorbell rang first; of equals, round robin. */
#include "policy.h"

static bool earlier(unsigned a, unsigned b) { return fw_queues[a].doorbell_ns < fw_queues[b].doorbell_ns; }

static int pick(const struct fw_set *can_start) { return fw_best(can_start, fw_last_started(), earlier); }

FW_POLICY = {.name = "fcfs", .reads = FW_READ_DOORBELL, .pick = pick};
