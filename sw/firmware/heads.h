/* The heads of the queues: which there are, which could start now. Register accesses cost far more than instructions,
   so each head is read once, when it appears. */
#ifndef WARPVP_FIRMWARE_HEADS_H
#define WARPVP_FIRMWARE_HEADS_H

#include "fw_queue.h"

/* `reads`: FW_READ_* of the policy. */
void heads_reset(uint32_t reads);
/* Asks the hardware which queues have a head; calls `appeared` for each new one, after its fields were read. */
void heads_refresh(void (*appeared)(unsigned queue));
/* The queue's head was started, or is no more. */
void heads_drop(unsigned queue);
/* Packets of the queue that had been started: what became of one. */
void heads_in_flight(unsigned queue, int change);

/* Some signal changed: FW_EVENT_INDEX of the event, 0: any may have. */
void heads_signal_changed(uint32_t tag);
/* Looks at the signals of barrier packets that have a reason to be looked at. */
void heads_check_signals(void);
/* Barrier packets wait for signals. */
bool heads_waiting(void);

/* The queues whose head could start, given that there is a free kernel slot or DMA engine or not. False: none. Writes
   only the words of queues that this machine has: the others must be 0. */
bool heads_startable(bool slot, bool engine, struct fw_set *can_start);

#endif
