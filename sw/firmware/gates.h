/* What the loop beside hardware that starts packets (type: assisted, assist.c) shares with what serves both
   loops: whether it runs, and which heads wait at the gates of their queues. */
#ifndef WARPVP_FIRMWARE_GATES_H
#define WARPVP_FIRMWARE_GATES_H

#include <stdbool.h>

#include "fw_set.h"
#include "late.h"

/* Of that loop; without meaning where another one runs. */
struct fw_assist_loop {
  uint64_t next_tick, timer; /* ns; HAL_NEVER: not at all */
  unsigned words;            /* of a set, that queues of this machine occupy */
  struct fw_set seen;        /* heads at gates, which the policy was told of */
};
extern FW_LATE struct fw_assist_loop fw_loop;

/* No other value there: memory that start-up does not clear holds this only if that loop runs. */
#define FW_ASSIST_RUNS 0x41535354u
extern FW_LATE uint32_t fw_assist_runs;

/* The queue's head was admitted or rejected: another one may come. False: none waits there, or hardware does
   not assist. */
bool fw_assist_settled(unsigned queue);

/* No head of the queue waits any more that the policy was told of. */
void fw_gates_forget(unsigned queue);

/* Another loop begins. For programs that follow one another in a process of the host. */
void fw_assist_ends(void);

#endif
