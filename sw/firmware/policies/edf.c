/* Earliest deadline first; packets without a deadline come last, equals round robin. Kernels that run obey, too: the
   distributor sends CTAs of the one with the earliest deadline first. */
#include "policy.h"
#include "ranks.h"

/* 0 means none: subtracting 1 makes that the latest of all. */
static uint64_t deadline(unsigned queue) { return fw_queues[queue].deadline_ns - 1; }

static bool earlier(unsigned a, unsigned b) { return deadline(a) < deadline(b); }

static int pick(const struct fw_set *can_start) { return fw_best(can_start, fw_last_started(), earlier); }

/* In 16 ns, which reaches as far as 68 s. */
static uint32_t rank(unsigned queue) {
  const uint64_t time = deadline(queue) >> 4;
  return time > FW_RANK_LAST ? FW_RANK_LAST : (uint32_t)time;
}

static void prepare(unsigned queue, unsigned slot) {
  hal_write32(WD_KSR_PRIORITY(slot), (uint32_t)fw_rank_priority(rank(queue)));
}

FW_POLICY = {.name = "edf",
             .reads = FW_READ_DEADLINE,
             .options = FW_OPTION_RANKED_KERNELS | FW_OPTION_ROUND,
             .pick = pick,
             .prepare = prepare,
             .rank = rank};
