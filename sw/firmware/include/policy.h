/* A scheduling policy: which queue starts its next packet? One C file, this header, one FW_POLICY.

     #include "policy.h"

     static int pick(const struct fw_set *can_start) { return fw_after(can_start, fw_last_started()); }

     FW_POLICY = {.name = "rr", .pick = pick};

   The scheduler keeps the rules of the queues: packets of a queue start in order, a barrier bit waits for what is in
   flight, barrier packets wait for their signals, kernels need a free slot and copies a free DMA engine. Of the queues
   that could start now it asks the policy for one, again after each start.

   Build it: sw/firmware/build.sh my_policy.c -o my_policy.elf; run it: command_processor: {firmware: my_policy.elf}.
   printf goes to the console; FW_ASSERT(condition) stops the simulation when it does not hold. No call may block. */
#ifndef WARPVP_FIRMWARE_POLICY_H
#define WARPVP_FIRMWARE_POLICY_H

#include <stdio.h>

#include "fw_queue.h"
#include "fw_set.h"
#include "hal.h"
#include "packet.h"

/* What hardware of type `assisted` says of a packet that it started, or that ended. */
struct fw_logged {
  uint32_t kernel, ctas; /* as fw_head; 0: no kernel */
  uint32_t ns;           /* when, lower half */
  bool last;             /* of its job, or of none: another one needs fw_admit */
};

struct fw_policy {
  const char *name;
  /* FW_READ_* (fw_queue.h): what pick wants to know of a head beyond its type. Each field costs a register access. */
  uint32_t reads;
  /* Period of tick in ns; 0: it is never called. */
  uint32_t tick_ns;

  /* Before anything else. Set all state here: it may hold values of an earlier run. */
  void (*init)(void);
  /* Required. A member of `can_start`, which is never empty, or -1 to hold all of them back; then it is asked again
     when anything has happened: a head, a completion, a tick, a message. */
  int (*pick)(const struct fw_set *can_start);

  /* The rest are events, each optional. fw_queues[queue] describes the packet. */

  /* The queue has a new head; fw_peek shows what is behind it. */
  void (*head)(unsigned queue);
  /* The head's kernel is in kernel slot `slot` and about to start: registers of the slot may be changed
     (WD_KSR_PRIORITY(slot), WD_KSR_BUDGET(slot)). */
  void (*prepare)(unsigned queue, unsigned slot);
  /* The head was started. `destination`: kernel slot or DMA engine; FW_NO_DESTINATION for a barrier packet. */
  void (*started)(unsigned queue, unsigned destination);
  /* A packet started on `destination` is complete, or failed (a copy); also what started before the queue was
     forgotten. */
  void (*completed)(unsigned queue, unsigned destination);
  /* The queue was mapped, unmapped or stopped: what was known of its packets is void. */
  void (*forgotten)(unsigned queue);
  void (*tick)(void);
  /* The host sent a word through the mailbox; hal_send_host answers. */
  void (*message)(uint32_t word);
  /* Packets were put behind others of the queue (with FW_OPTION_DOORBELLS). */
  void (*doorbell)(unsigned queue);

  uint32_t options; /* FW_OPTION_* (codes.h) */

  /* How hardware of type `assisted`, which starts packets without asking, knows the order. A policy that uses ranks.h
     needs none of these. */
  /* The rank of the queue's head, of which all fields are known; smaller goes first. */
  uint32_t (*rank)(unsigned queue);
  /* pick is round robin: the hardware does that by itself. */
  bool round_robin;
  /* In place of started and completed (with FW_OPTION_LOG), some time afterwards. */
  void (*logged_start)(unsigned queue, unsigned destination, const struct fw_logged *what);
  void (*logged_end)(unsigned queue, unsigned destination, const struct fw_logged *what);
};

/* `tick_ns` of policies whose period the platform sets (command_processor.period_us). */
#define FW_PERIOD UINT32_MAX

/* A native build holds all policies, and names each of them for itself. */
#ifndef FW_POLICY_SYMBOL
#define FW_POLICY_SYMBOL fw_policy
#endif
#ifdef __cplusplus
#define FW_POLICY extern "C" constexpr fw_policy FW_POLICY_SYMBOL
#else
#define FW_POLICY const struct fw_policy FW_POLICY_SYMBOL
#endif

#if !defined(__riscv) && !defined(__cplusplus) /* the host's C library does not write to the simulated console */
#define printf hal_printf
#endif

#endif
