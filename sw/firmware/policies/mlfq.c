/* Multi-level feedback queue with two levels, as the LAX thesis tunes it (section 6.5.1): a job begins in the upper
   one, goes down when a third of its deadline has passed, and up again after two thirds. Within a level jobs take
   turns. Jobs without a deadline stay in the upper one. */
#include "jobs/jobs.h"

enum { UPPER = 0, LOWER = 1 };

static uint32_t level(const struct fw_job *job, uint32_t now) {
  const uint64_t three = 3 * (uint64_t)(now - job->start_ns);
  return job->deadline_ns != 0 && three > job->deadline_ns && three <= 2 * (uint64_t)job->deadline_ns ? LOWER : UPPER;
}

static void arrived(unsigned entry, uint32_t now) {
  struct fw_job *job = &fw_jobs.jobs[entry];
  job->priority = level(job, now);
  fw_jobs_admit(entry, job->priority);
}

static void tick(void) {
  const uint32_t now = (uint32_t)hal_now_ns();
  for (unsigned i = 0; i < fw_jobs_count(); ++i) {
    struct fw_job *job = &fw_jobs.jobs[fw_jobs_at(i)];
    job->priority = level(job, now);
  }
  fw_jobs_rank_all();
}

static const struct fw_jobs_use use = {.arrived = arrived};
static void init(void) { fw_jobs_start(&use, FW_JOBS_OPTIONS | FW_OPTION_TURNS); }

FW_POLICY = {.name = "mlfq", .tick_ns = FW_PERIOD, .options = FW_JOBS_OPTIONS | FW_OPTION_TURNS, .init = init,
             .tick = tick, FW_JOBS_EVENTS};
