/* LAX (chapter 6 of the thesis): a job is admitted if Little's law says that it meets its deadline after all work
   admitted before (Algorithm 3), and rejected if not; every period kernels are measured and jobs ranked by laxity
   (Algorithm 4). Jobs without a deadline go behind those with one.

   Section 6.2 has the rates "periodically updated to reflect contention conditions", and leaves open what becomes of
   CTAs that a period cuts in two, and of kernels that do not run any more. The platform chooses by two parameters:
     0   1: a kernel's time counts up to the last end of a CTA (fw_jobs_use::ended_only)
     1   1: a kernel of which nothing ran for a period has the rate again that the host told (fw_jobs_use::forget) */
#include "hal.h"
#include "jobs/jobs.h"
#include "late.h"

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

static FW_LATE struct fw_jobs_use use;
static void init(void) {
  use = (struct fw_jobs_use){.whole = true, .arrived = arrived};
  use.ended_only = hal_parameter(0) != 0;
  use.forget = hal_parameter(1) != 0;
  fw_jobs_start(&use, FW_JOBS_OPTIONS);
}

FW_POLICY = {.name = "lax", .tick_ns = FW_PERIOD, .options = FW_JOBS_OPTIONS, .init = init, .tick = tick,
             FW_JOBS_EVENTS};
