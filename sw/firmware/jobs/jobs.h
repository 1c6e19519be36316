/* Jobs as scheduling policies see them: a table entry each, with the work that is left, found by looking over all
   packets of its queue (stream inspection, LAX section 6.1), and rates of kernels measured as CTAs end. The same for
   firmware that starts packets and for hardware that does (type: assisted).

   A policy names its own functions in fw_jobs_start and calls the fw_jobs_ functions from those of struct fw_policy:

     FW_POLICY = {.name = "my", .tick_ns = FW_PERIOD, .options = FW_JOBS_OPTIONS, .init = init, .tick = tick,
                  FW_JOBS_EVENTS};

   Packets of no job go when no job's packet can. */
#ifndef WARPVP_FIRMWARE_JOBS_H
#define WARPVP_FIRMWARE_JOBS_H

#include "jobs/job_tables.h"
#include "policy.h"
#include "ranks.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Their `options`; others may be added. */
#define FW_JOBS_OPTIONS (FW_OPTION_DOORBELLS | FW_OPTION_GATES | FW_OPTION_RANKED_KERNELS | FW_OPTION_LOG)
#define FW_JOBS_EVENTS                                                                                            \
  .pick = fw_ranks_pick, .head = fw_jobs_head, .prepare = fw_ranks_prepare, .started = fw_jobs_started,           \
  .completed = fw_jobs_completed, .forgotten = fw_jobs_forgotten, .doorbell = fw_jobs_doorbell,                   \
  .logged_start = fw_jobs_logged_start, .logged_end = fw_jobs_logged_end

struct fw_jobs_use {
  /* arrived is called when all kernels of the job have been announced; if not set, at its first packet. The host must
     have said how many there will be; and where they do not fit the ring, they are not waited for. */
  bool whole;
  /* A job is in the table, in state INIT: call fw_jobs_admit or fw_jobs_reject. */
  void (*arrived)(unsigned entry, uint32_t now_ns);
  /* More packets of an admitted job came: its rank may change. May be null. */
  void (*grew)(unsigned entry, uint32_t now_ns);
  /* How kernels' rates are read from the same counts; by default they are what fw_jobs_measure says.
     ended_only: a kernel's time counts up to the last end of a CTA, and what ran after that counts with the next period.
     forget: a kernel of which nothing ran for a whole period takes as long again as the host had said. */
  bool ended_only, forget;
};

extern struct fw_job_tables fw_jobs;
/* Work left of the admitted jobs. */
extern struct fw_work fw_jobs_work;
/* The job's number, and the priority that the host gave it. */
uint32_t fw_jobs_number(unsigned entry);
int32_t fw_jobs_host_priority(unsigned entry);

/* In the policy's init, with its options: calls fw_ranks_start. */
void fw_jobs_start(const struct fw_jobs_use *use, uint32_t options);
/* Entries in use, in the order of arrival. */
unsigned fw_jobs_count(void);
unsigned fw_jobs_at(unsigned i);

/* The job may start: it goes by `rank`. */
void fw_jobs_admit(unsigned entry, uint32_t rank);
void fw_jobs_reject(unsigned entry, uint32_t code);
/* Call at each tick, first: counts the CTAs that have ended, and with that measures kernels: the time in which some of
   a kernel ran, over the CTAs that ended. */
void fw_jobs_measure(uint32_t now_ns);
/* Ranks all admitted jobs by their `priority`. */
void fw_jobs_rank_all(void);

/* Events, as in struct fw_policy. */
void fw_jobs_head(unsigned queue);
void fw_jobs_started(unsigned queue, unsigned destination);
void fw_jobs_completed(unsigned queue, unsigned destination);
void fw_jobs_forgotten(unsigned queue);
void fw_jobs_doorbell(unsigned queue);
void fw_jobs_logged_start(unsigned queue, unsigned destination, const struct fw_logged *what);
void fw_jobs_logged_end(unsigned queue, unsigned destination, const struct fw_logged *what);

#ifdef __cplusplus
}
#endif

#endif
