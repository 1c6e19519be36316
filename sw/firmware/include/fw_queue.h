/* What the scheduler knows of the queues, and what a policy may ask and do. */
#ifndef WARPVP_FIRMWARE_QUEUE_H
#define WARPVP_FIRMWARE_QUEUE_H

#include <stdbool.h>
#include <stdint.h>

#include "codes.h"
#include "fw_set.h"
#include "packet.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The head of a queue: its next packet, parsed by hardware. */
struct fw_queue {
  uint8_t type; /* enum fw_packet_type */
  bool barrier; /* starts when nothing of the queue is in flight */
  /* Packets started and not complete. Right also while there is no head. */
  uint16_t in_flight;

  /* Valid if the policy's `reads` names them. */
  int32_t priority;     /* FW_READ_PRIORITY: greater is more urgent */
  uint32_t launch;      /* FW_READ_LAUNCH: counts commands of the whole run */
  uint32_t stream;      /* FW_READ_STREAM */
  uint32_t context;     /* FW_READ_CONTEXT */
  uint32_t budget;      /* FW_READ_BUDGET: QAWS budget */
  uint32_t job;         /* FW_READ_JOB: commands that share one deadline; 0: of no job */
  uint64_t deadline_ns; /* FW_READ_DEADLINE: simulated time, 0: none */
  uint64_t enqueue_ns;  /* FW_READ_ENQUEUE: when the host wrote the packet */
  uint64_t doorbell_ns; /* FW_READ_DOORBELL: when its doorbell came */

  uint64_t signals[FW_BARRIER_SIGNALS]; /* barrier packets: what they wait for, 0 where none */
};
extern struct fw_queue fw_queues[FW_MAX_QUEUES];

#define FW_READ_PRIORITY (1u << 0)
#define FW_READ_LAUNCH (1u << 1)
#define FW_READ_STREAM (1u << 2)
#define FW_READ_CONTEXT (1u << 3)
#define FW_READ_BUDGET (1u << 4)
#define FW_READ_JOB (1u << 5)
#define FW_READ_DEADLINE (1u << 6)
#define FW_READ_ENQUEUE (1u << 7)
#define FW_READ_DOORBELL (1u << 8)

/* What else the hardware knows of a head. */
struct fw_head {
  uint64_t arrival_ns;             /* of its job */
  uint32_t job_index, job_kernels; /* number of the packet; kernels in all, 0: the host did not say */
  uint32_t job_flags;              /* FW_JOB_LAST */
  uint32_t expected_ns;            /* that the kernel takes alone, 0: the host did not say */
  uint32_t kernel, ctas;           /* which one, and its CTAs; 0: no kernel */
};
/* Reads fw_queues[queue] from `launch` to `doorbell_ns`, and `head`, in one burst; whatever `reads` says. */
void fw_read_head(unsigned queue, struct fw_head *head);

/* Queues that have a head, startable or not. */
const struct fw_set *fw_heads(void);
/* The queue that started a packet last; before the first start: the last queue. */
unsigned fw_last_started(void);
/* The queue whose kernel runs in a slot, or -1. */
int fw_slot_queue(unsigned slot);

/* The queue's head is not to run, for a reason of the policy's own that the host is told: `code`, 1 to FW_MAX_CODE.
   The packet completes as rejected when its turn comes, and the queue goes on with the next one. Do nothing without
   a head. */
void fw_reject(unsigned queue, uint32_t code);
/* The same for the head and every later packet of its job, copies and barrier packets included, whenever the host puts
   them there. A head of no job: as fw_reject. */
void fw_reject_job(unsigned queue, uint32_t code);
#define FW_MAX_CODE 0xffffu
/* Stops a queue for good, reporting its head as a packet at fault (FW_* of enum fw_queue_error): the run ends with a
   device fault. Does nothing without a head. */
void fw_stop(unsigned queue, uint32_t error);

/* The policy's tick comes next at this time, whatever its period; HAL_NEVER: not until this is called again.
   A tick calls it for the next one, or has it after a period. */
void fw_tick_at(uint64_t at_ns);

/* Look-ahead (peek.c). These read queue registers and device memory, so they cost time.
   Packets announced by doorbells and not started: the head and what is behind it. */
uint32_t fw_pending(unsigned queue);
/* Packet number `ahead` of a queue, 0 being the head. False: there are not so many. */
bool fw_peek(unsigned queue, uint32_t ahead, struct fw_packet *packet);
/* The packet's vendor extension record; false: it has none. */
bool fw_peek_extension(const struct fw_packet *packet, struct fw_extension *extension);

#ifdef __cplusplus
}
#endif

#endif
