/* Longest job first, by measured times: the job with the most work in time, as known at its arrival, goes first. Kernels
   are measured every period, for jobs to come; a job keeps its rank. Jobs of equal work get other ranks as times
   change, unlike under `ljf`. */
#include "jobs/jobs.h"

static uint32_t rank(struct fw_job* job) {
  const uint32_t time = fw_job_time(&fw_jobs, job);
  return job->priority = time > FW_PRIORITY_MOST ? 0 : FW_PRIORITY_MOST - time;
}

static void arrived(unsigned entry, uint32_t now) {
  (void)now;
  fw_jobs_admit(entry, rank(&fw_jobs.jobs[entry]));
}

static const struct fw_jobs_use use = {.whole = true, .arrived = arrived};
static void init(void) { fw_jobs_start(&use, FW_JOBS_OPTIONS); }
static void tick(void) { fw_jobs_measure((uint32_t)hal_now_ns()); }

FW_POLICY = {.name = "ljf_measured",
             .tick_ns = FW_PERIOD,
             .options = FW_JOBS_OPTIONS,
             .init = init,
             .tick = tick,
             FW_JOBS_EVENTS};
