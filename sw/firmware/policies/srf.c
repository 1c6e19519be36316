/* Shortest remaining time first (LAX Table 6.2): every period, the job with the least work left in time goes first. */
#include "jobs/jobs.h"

static uint32_t rank(const struct fw_job *job) {
  const uint32_t time = fw_job_time(&fw_jobs, job);
  return time > FW_PRIORITY_MOST ? FW_PRIORITY_MOST : time;
}

static void arrived(unsigned entry, uint32_t now) {
  (void)now;
  struct fw_job *job = &fw_jobs.jobs[entry];
  job->priority = rank(job);
  fw_jobs_admit(entry, job->priority);
}

static void tick(void) {
  fw_jobs_measure((uint32_t)hal_now_ns());
  for (unsigned i = 0; i < fw_jobs_count(); ++i) {
    struct fw_job *job = &fw_jobs.jobs[fw_jobs_at(i)];
    job->priority = rank(job);
  }
  fw_jobs_rank_all();
}

static const struct fw_jobs_use use = {.arrived = arrived};
static void init(void) { fw_jobs_start(&use, FW_JOBS_OPTIONS); }

FW_POLICY = {.name = "srf", .tick_ns = FW_PERIOD, .options = FW_JOBS_OPTIONS, .init = init, .tick = tick,
             FW_JOBS_EVENTS};
