/* First come, first served: the packet goes first whose doorbell rang first; of equals, round robin. */
#include "policy.h"
#include "ranks.h"

static bool earlier(unsigned a, unsigned b) { return fw_queues[a].doorbell_ns < fw_queues[b].doorbell_ns; }

static int pick(const struct fw_set *can_start) { return fw_best(can_start, fw_last_started(), earlier); }

/* In 16 ns, which reaches as far as 68 s. */
static uint32_t rank(unsigned queue) {
  const uint64_t time = fw_queues[queue].doorbell_ns >> 4;
  return time > FW_RANK_LAST ? FW_RANK_LAST : (uint32_t)time;
}

FW_POLICY = {.name = "fcfs", .reads = FW_READ_DOORBELL, .options = FW_OPTION_ROUND, .pick = pick, .rank = rank};
