/* Earliest deadline first; packets without a deadline come last, equals round robin. */
#include "policy.h"

/* 0 means none: subtracting 1 makes that the latest of all. */
static uint64_t deadline(unsigned queue) { return fw_queues[queue].deadline_ns - 1; }

static bool earlier(unsigned a, unsigned b) { return deadline(a) < deadline(b); }

static int pick(const struct fw_set *can_start) { return fw_best(can_start, fw_last_started(), earlier); }

FW_POLICY = {.name = "edf", .reads = FW_READ_DEADLINE, .pick = pick};
