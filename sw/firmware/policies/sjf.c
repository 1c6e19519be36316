/* Shortest job first (LAX Table 6.2, "a static scheduling policy"): the job with the least work in time goes first, by what
   the host says of its kernels (expected_us). Nothing is measured, so jobs of equal work go in the order in which they
   came, as section 6.6.1 has it for benchmarks of one kernel; a kernel of which the host says nothing is no work. */
#include "jobs/jobs.h"

static uint32_t rank(struct fw_job* job) {
  const uint32_t time = fw_job_time(&fw_jobs, job);
  return job->priority = time > FW_PRIORITY_MOST ? FW_PRIORITY_MOST : time;
}

static void arrived(unsigned entry, uint32_t now) {
  (void)now;
  fw_jobs_admit(entry, rank(&fw_jobs.jobs[entry]));
}

static const struct fw_jobs_use use = {.whole = true, .arrived = arrived};
static void init(void) { fw_jobs_start(&use, FW_JOBS_OPTIONS); }

FW_POLICY = {.name = "sjf", .options = FW_JOBS_OPTIONS, .init = init, FW_JOBS_EVENTS};
