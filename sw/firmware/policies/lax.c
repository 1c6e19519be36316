/* LAX (chapter 6 of the thesis): a job is admitted if Little's law says that it meets its deadline after all work
   admitted before (Algorithm 3), and rejected if not; every period kernels are measured and jobs ranked by laxity
   (Algorithm 4). Jobs without a deadline go behind those with one. */
#include "jobs/jobs.h"

#define LATE 1 /* the code of a rejection: it would miss its deadline */

static void arrived(unsigned entry, uint32_t now) {
  struct fw_job *job = &fw_jobs.jobs[entry];
  if (!fw_job_admitted(&fw_jobs, &fw_jobs_work, job, now)) {
    fw_jobs_reject(entry, LATE);
    return;
  }
  job->priority = fw_job_priority(&fw_jobs, job, now);
  fw_jobs_admit(entry, job->priority);
}

static void tick(void) {
  const uint32_t now = (uint32_t)hal_now_ns();
  fw_jobs_measure(now);
  for (unsigned i = 0; i < fw_jobs_count(); ++i) {
    struct fw_job *job = &fw_jobs.jobs[fw_jobs_at(i)];
    job->priority = fw_job_priority(&fw_jobs, job, now);
  }
  fw_jobs_rank_all();
}

static const struct fw_jobs_use use = {.whole = true, .arrived = arrived};
static void init(void) { fw_jobs_start(&use, FW_JOBS_OPTIONS); }

FW_POLICY = {.name = "lax", .tick_ns = FW_PERIOD, .options = FW_JOBS_OPTIONS, .init = init, .tick = tick,
             FW_JOBS_EVENTS};
