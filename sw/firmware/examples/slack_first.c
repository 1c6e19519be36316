/* Least slack first: what is left until the job's deadline when its work is taken off. Jobs that cannot make it any
   more go last, and those that never could are turned down. The example of docs/firmware.md for jobs with deadlines. */
#include "jobs/jobs.h"

#define TOO_LATE 7 /* what the host is told of a job that is turned down */

static uint32_t slack(const struct fw_job *job, uint32_t now) {
  const uint32_t needs = now - job->start_ns + fw_job_time(&fw_jobs, job);
  if (job->deadline_ns == 0) return FW_PRIORITY_NO_DEADLINE;
  return needs < job->deadline_ns ? job->deadline_ns - needs : FW_PRIORITY_HOPELESS;
}

/* The job is in the table, with all the work that the host has announced. */
static void arrived(unsigned entry, uint32_t now) {
  const uint32_t rank = slack(&fw_jobs.jobs[entry], now);
  if (rank == FW_PRIORITY_HOPELESS) {
    fw_jobs_reject(entry, TOO_LATE);
  } else {
    fw_jobs_admit(entry, rank);
  }
}

/* Every command_processor.period_us. */
static void tick(void) {
  const uint32_t now = (uint32_t)hal_now_ns();
  fw_jobs_measure(now);
  for (unsigned i = 0; i < fw_jobs_count(); ++i) {
    struct fw_job *job = &fw_jobs.jobs[fw_jobs_at(i)];
    job->priority = slack(job, now);
  }
  fw_jobs_rank_all();
}

static const struct fw_jobs_use use = {.whole = true, .arrived = arrived};
static void init(void) { fw_jobs_start(&use, FW_JOBS_OPTIONS); }

FW_POLICY = {.name = "slack_first", .tick_ns = FW_PERIOD, .options = FW_JOBS_OPTIONS, .init = init, .tick = tick,
             FW_JOBS_EVENTS};
