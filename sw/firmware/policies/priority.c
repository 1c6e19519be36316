/* Strict priority: the most urgent packet goes first, packets of equal priority round robin. */
#include "policy.h"

static bool more_urgent(unsigned a, unsigned b) { return fw_queues[a].priority > fw_queues[b].priority; }

static int pick(const struct fw_set *can_start) { return fw_best(can_start, fw_last_started(), more_urgent); }

FW_POLICY = {.name = "priority", .reads = FW_READ_PRIORITY, .pick = pick};
