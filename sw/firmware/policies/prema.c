/* PREMA (Choi and Rhu, HPCA 2020), one of the rivals of LAX Table 6.2: a job collects tokens, by its priority and by
   how far waiting has slowed it down compared with running alone. Jobs whose tokens reach the threshold, which is
   the greatest of the levels 1, 3 and 9 that some job reaches, are candidates; of these the shortest goes first, and
   pre-empts: what others run goes on only where CTAs of candidates find no place. The host's priorities -1, 0 and 1
   stand for the levels low, medium and high (1, 3, 9). */
#include "jobs/jobs.h"
#include "late.h"

#define ONE 256u /* of a token */
#define OTHERS 0x40000000u

static FW_LATE uint32_t tokens[FW_JOBS], seen_ns[FW_JOBS], alone_ns[FW_JOBS]; /* set when a job arrives */

static uint32_t weight(int32_t priority) { return priority < 0 ? 1 : priority == 0 ? 3 : 9; }

static uint32_t time_left(const struct fw_job *job) {
  const uint32_t time = fw_job_time(&fw_jobs, job);
  return time >= OTHERS ? OTHERS - 1 : time;
}

/* The tokens that the time since the last look is worth: weight * waited / alone. */
static void collect(unsigned entry, uint32_t now) {
  const uint32_t waited = (now - seen_ns[entry]) >> 4;
  seen_ns[entry] = now;
  const uint32_t alone = alone_ns[entry] >> 4;
  const uint64_t more = (uint64_t)weight(fw_jobs_host_priority(entry)) * waited * ONE / (alone == 0 ? 1 : alone);
  const uint64_t all = tokens[entry] + more;
  tokens[entry] = all > 1000 * ONE ? 1000 * ONE : (uint32_t)all;
}

static uint32_t threshold(void) {
  uint32_t most = 0;
  for (unsigned i = 0; i < fw_jobs_count(); ++i) {
    const unsigned entry = fw_jobs_at(i);
    if (fw_jobs.jobs[entry].state != FW_JOB_INIT && tokens[entry] > most) most = tokens[entry];
  }
  return most >= 9 * ONE ? 9 * ONE : most >= 3 * ONE ? 3 * ONE : ONE;
}

static void rank_all(void) {
  const uint32_t least = threshold();
  for (unsigned i = 0; i < fw_jobs_count(); ++i) {
    struct fw_job *job = &fw_jobs.jobs[fw_jobs_at(i)];
    job->priority = time_left(job) + (tokens[fw_jobs_at(i)] >= least ? 0 : OTHERS);
  }
  fw_jobs_rank_all();
}

static void arrived(unsigned entry, uint32_t now) {
  struct fw_job *job = &fw_jobs.jobs[entry];
  alone_ns[entry] = fw_job_time(&fw_jobs, job);
  tokens[entry] = weight(fw_jobs_host_priority(entry)) * ONE;
  seen_ns[entry] = now;
  job->priority = time_left(job) + (tokens[entry] >= threshold() ? 0 : OTHERS);
  fw_jobs_admit(entry, job->priority);
}

static void tick(void) {
  const uint32_t now = (uint32_t)hal_now_ns();
  fw_jobs_measure(now);
  for (unsigned i = 0; i < fw_jobs_count(); ++i) {
    const unsigned entry = fw_jobs_at(i);
    if (fw_jobs.jobs[entry].state == FW_JOB_READY) collect(entry, now);
    seen_ns[entry] = now;
  }
  rank_all();
}

static const struct fw_jobs_use use = {.whole = true, .arrived = arrived};
static void init(void) { fw_jobs_start(&use, FW_JOBS_OPTIONS); }

FW_POLICY = {.name = "prema", .tick_ns = FW_PERIOD, .options = FW_JOBS_OPTIONS, .init = init, .tick = tick,
             FW_JOBS_EVENTS};
