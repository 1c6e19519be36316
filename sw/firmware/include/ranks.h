/* Order by rank: each queue has one, and of those that could start the smallest goes first. Policies say when a rank
   changes; to find the first among n queues takes O(log n) where firmware starts packets, and no time where the
   hardware does (type: assisted). The same calls serve both.

   A policy that uses this has, in FW_POLICY, .pick = fw_ranks_pick, .prepare = fw_ranks_prepare, and calls
   fw_ranks_started, fw_ranks_completed and fw_ranks_forgotten from its own functions of these names, or names them
   there. */
#ifndef WARPVP_FIRMWARE_RANKS_H
#define WARPVP_FIRMWARE_RANKS_H

#include "fw_queue.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The greatest rank: of what goes when nothing else can. */
#define FW_RANK_LAST 0xfffffffeu
/* Of packets of no job, where jobs are what is ordered. */
#define FW_RANK_NO_JOB 0xfffffff0u

/* The queue's rank. Of its kernels that run the priority changes with it (FW_OPTION_RANKED_KERNELS). Among equal ranks
   the queue admitted first goes first or, with FW_OPTION_TURNS, they take turns. */
void fw_rank(unsigned queue, uint32_t rank);
uint32_t fw_rank_of(unsigned queue);
/* Many calls of fw_rank may stand between these two: then they cost less together. */
void fw_ranks_begin(void);
void fw_ranks_end(void);
/* The head may start (FW_OPTION_GATES: before, it may not), and if it belongs to a job, all of the job may. */
void fw_admit(unsigned queue);
/* KSR_PRIORITY that belongs to a rank: the smaller the rank, the greater. */
int32_t fw_rank_priority(uint32_t rank);

int fw_ranks_pick(const struct fw_set *can_start);
void fw_ranks_prepare(unsigned queue, unsigned slot);
/* `last`: nothing of what was admitted comes after it. */
void fw_ranks_started(unsigned queue, unsigned destination, bool last);
void fw_ranks_completed(unsigned queue, unsigned destination);
void fw_ranks_forgotten(unsigned queue);

/* Before all others, in the policy's init: FW_OPTION_* that it wants. */
void fw_ranks_start(uint32_t options);
/* Hardware starts packets (type: assisted), and fw_admit and fw_rank write its registers. */
bool fw_assisted(void);

#ifdef __cplusplus
}
#endif

#endif
