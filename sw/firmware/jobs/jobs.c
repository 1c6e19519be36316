#include "jobs.h"

#include <string.h>

#include "clock.h"
#include "jobs/look_ahead.h"
#include "late.h"

#define MOST_SLOTS 128u

FW_LATE struct fw_job_tables fw_jobs;
FW_LATE struct fw_work fw_jobs_work;

/* What is known of a queue beyond its job's entry. */
struct stream {
  struct fw_look look;
  uint8_t entry; /* FW_NO_ENTRY: the head is of no job, or waits for an entry */
  bool waits_for_entry, ending, last;
  uint16_t in_flight;
  int32_t priority;
  uint32_t head_kernel, head_ctas;
};

/* The kernel in a slot, and how much of it is counted. */
struct slot {
  bool busy;
  uint8_t queue, entry, kernel;
  uint32_t ctas, done;
};

/* A kernel since it was measured last. */
struct activity {
  uint32_t name;
  uint16_t running;
  bool ran; /* since the last tick */
  uint32_t since_ns, active_ns, done;
  uint32_t ended_ns; /* of active_ns, until the last end of a CTA that is known of */
  uint32_t told;     /* cta_time by what the host said; 0: nothing */
};

static FW_LATE const struct fw_jobs_use *use;
static FW_LATE struct fw_work all_work; /* of jobs not admitted, too */
static FW_LATE struct stream streams[FW_MAX_QUEUES];
static FW_LATE struct slot slots[MOST_SLOTS];
static FW_LATE struct activity activities[FW_KERNELS];
static FW_LATE unsigned slots_used; /* no slot from here on was ever used */
static FW_LATE uint8_t order[FW_JOBS];
static FW_LATE unsigned count;
static FW_LATE bool entry_awaited; /* by some queue, since the tables are full */
static FW_LATE bool offering;      /* entries that became free */

static FW_LATE unsigned found_entry; /* the job that is being looked at */

unsigned fw_jobs_count(void) { return count; }
unsigned fw_jobs_at(unsigned i) { return order[i]; }
uint32_t fw_jobs_number(unsigned entry) { return streams[fw_jobs.jobs[entry].queue].look.job; }
int32_t fw_jobs_host_priority(unsigned entry) { return streams[fw_jobs.jobs[entry].queue].priority; }

void fw_jobs_start(const struct fw_jobs_use *how, uint32_t options) {
  use = how;
  fw_ranks_start(options);
  fw_clear(&fw_jobs, sizeof fw_jobs);
  fw_clear(&fw_jobs_work, sizeof fw_jobs_work);
  fw_clear(&all_work, sizeof all_work);
  fw_clear(streams, sizeof streams);
  fw_clear(slots, sizeof slots);
  fw_clear(activities, sizeof activities);
  for (unsigned q = 0; q < FW_MAX_QUEUES; ++q) streams[q].entry = FW_NO_ENTRY;
  slots_used = count = 0;
  entry_awaited = offering = false;
}

/* ---- Work */

static bool admitted(const struct fw_job *job) { return job->state > FW_JOB_INIT; }

static void add_work(struct fw_job *job, unsigned kernel, uint32_t ctas) {
  const uint32_t added = fw_job_add(job, &kernel, ctas);
  all_work.ctas[kernel] += added;
  if (admitted(job)) fw_jobs_work.ctas[kernel] += added;
}

/* CTAs that belong to no job's entry count in all_work alone, which keeps their kernel in the table. */
static void take_work(unsigned entry, unsigned kernel, uint32_t ctas) {
  if (entry == FW_NO_ENTRY) {
    all_work.ctas[kernel] -= ctas;
    return;
  }
  struct fw_job *job = &fw_jobs.jobs[entry];
  const uint32_t taken = fw_job_take(job, &kernel, ctas);
  all_work.ctas[kernel] -= taken;
  if (admitted(job)) fw_jobs_work.ctas[kernel] -= taken;
}

static unsigned entry_of_kernel(uint32_t name) {
  const unsigned kernel = fw_tables_kernel(&fw_jobs, &all_work, name);
  struct activity *activity = &activities[kernel];
  if (activity->name != fw_jobs.kernels[kernel].name) { /* the entry was another kernel's */
    memset(activity, 0, sizeof *activity);
    activity->name = fw_jobs.kernels[kernel].name;
  }
  return kernel;
}

static unsigned kernel_of(uint32_t name, uint32_t ctas, uint32_t expected_ns) {
  const unsigned kernel = entry_of_kernel(name);
  struct fw_kernel_entry *entry = &fw_jobs.kernels[kernel];
  if (entry->cta_time == 0 && expected_ns != 0) {
    fw_tables_measured(entry, expected_ns, ctas);
    activities[kernel].told = entry->cta_time;
  }
  return kernel;
}

static bool wants_time(uint32_t name) {
  for (unsigned k = 0; k < FW_KERNELS; ++k)
    if (fw_jobs.kernels[k].name == name) return fw_jobs.kernels[k].cta_time == 0;
  return true;
}

static void found(unsigned queue, uint32_t name, uint32_t ctas, uint32_t expected_ns) {
  (void)queue;
  add_work(&fw_jobs.jobs[found_entry], kernel_of(name, ctas, expected_ns), ctas);
}

/* ---- Entries */

static void look(unsigned queue) {
  found_entry = streams[queue].entry;
  fw_look_ahead(queue, &streams[queue].look, wants_time, found);
}

/* Whether there is enough of the job to decide on it. */
static bool announced(const struct stream *stream) {
  return !use->whole || stream->look.complete || stream->look.kernels == 0 || stream->look.ring_full;
}

static void offer(unsigned queue) {
  const struct stream *stream = &streams[queue];
  if (announced(stream)) use->arrived(stream->entry, (uint32_t)hal_now_ns());
}

static void end(unsigned queue) {
  struct stream *stream = &streams[queue];
  const unsigned entry = stream->entry;
  stream->ending = false;
  stream->look.job = 0;
  stream->entry = FW_NO_ENTRY;
  if (entry == FW_NO_ENTRY) return;
  struct fw_job *job = &fw_jobs.jobs[entry];
  for (unsigned i = 0; i < FW_JOB_KERNELS && job->kernel[i] != FW_NO_KERNEL; ++i)
    take_work(entry, job->kernel[i], job->ctas[i]);
  job->state = FW_JOB_FREE;
  unsigned i = 0;
  while (order[i] != entry) ++i;
  --count;
  memmove(&order[i], &order[i + 1], count - i);
  for (unsigned s = 0; s < slots_used; ++s) { /* of a queue that was unmapped, kernels go on */
    if (!slots[s].busy || slots[s].entry != entry) continue;
    slots[s].entry = FW_NO_ENTRY;
    all_work.ctas[slots[s].kernel] += slots[s].ctas - slots[s].done;
  }
}

static unsigned free_entry(void) {
  unsigned entry = 0;
  while (entry < FW_JOBS && fw_jobs.jobs[entry].state != FW_JOB_FREE) ++entry;
  return entry;
}

static uint32_t relative_deadline(uint64_t arrival, uint64_t deadline) {
  if (deadline == 0) return 0;
  const uint64_t time = deadline > arrival ? deadline - arrival : 1;
  return time > UINT32_MAX ? UINT32_MAX : (uint32_t)time;
}

static void begin(unsigned queue, const struct fw_head *head) {
  struct stream *stream = &streams[queue];
  const struct fw_queue *first = &fw_queues[queue];
  const unsigned entry = free_entry();
  stream->waits_for_entry = entry == FW_JOBS; /* its gate stays closed until then */
  if (stream->waits_for_entry) {
    entry_awaited = true;
    return;
  }
  stream->entry = (uint8_t)entry;
  stream->priority = first->priority;
  memset(&stream->look, 0, sizeof stream->look);
  stream->look.job = first->job;
  stream->look.kernels = head->job_kernels > UINT16_MAX ? 0 : (uint16_t)head->job_kernels;
  fw_job_begin(&fw_jobs.jobs[entry], queue, (uint32_t)head->arrival_ns,
               relative_deadline(head->arrival_ns, first->deadline_ns));
  order[count++] = (uint8_t)entry;
  look(queue);
  offer(queue);
}

void fw_jobs_admit(unsigned entry, uint32_t rank) {
  struct fw_job *job = &fw_jobs.jobs[entry];
  job->state = FW_JOB_READY;
  for (unsigned i = 0; i < FW_JOB_KERNELS && job->kernel[i] != FW_NO_KERNEL; ++i)
    fw_jobs_work.ctas[job->kernel[i]] += job->ctas[i];
  fw_rank(job->queue, rank);
  fw_admit(job->queue);
}

/* An entry may have become free: queues that wait for one get it. A job that is turned down at once leaves its entry to
   the next queue of the same round. */
static void offer_entries(void) {
  if (!entry_awaited || offering) return;
  entry_awaited = false;
  offering = true;
  for (unsigned q = 0; q < hal_machine.queues; ++q)
    if (streams[q].waits_for_entry) fw_jobs_head(q);
  offering = false;
}

void fw_jobs_reject(unsigned entry, uint32_t code) {
  const unsigned queue = fw_jobs.jobs[entry].queue;
  end(queue);
  fw_reject_job(queue, code);
  offer_entries();
}

/* ---- Events */

void fw_jobs_head(unsigned queue) {
  struct stream *stream = &streams[queue];
  struct fw_head head;
  fw_read_head(queue, &head);
  const uint32_t job = fw_queues[queue].job;
  stream->head_kernel = head.kernel;
  stream->head_ctas = head.ctas;
  stream->last = job == 0 || (head.job_flags & FW_JOB_LAST) != 0;
  if (job != 0 && job == stream->look.job) return; /* the next packet of a job that is known */
  end(queue);
  if (job == 0) {
    fw_rank(queue, FW_RANK_NO_JOB);
    fw_admit(queue);
    return;
  }
  begin(queue, &head);
}

void fw_jobs_doorbell(unsigned queue) {
  struct stream *stream = &streams[queue];
  if (stream->entry == FW_NO_ENTRY || stream->look.complete) return;
  const bool decided = admitted(&fw_jobs.jobs[stream->entry]);
  look(queue);
  if (!decided) {
    offer(queue);
  } else if (use->grew) {
    use->grew(stream->entry, (uint32_t)hal_now_ns());
  }
}

static void kernel_started(unsigned queue, unsigned slot, uint32_t name, uint32_t ctas, uint32_t now) {
  struct slot *s = &slots[slot];
  const unsigned kernel = entry_of_kernel(name);
  s->busy = true;
  s->queue = (uint8_t)queue;
  s->entry = streams[queue].entry;
  s->kernel = (uint8_t)kernel;
  s->ctas = ctas;
  s->done = 0;
  if (s->entry == FW_NO_ENTRY) all_work.ctas[kernel] += ctas;
  if (slot >= slots_used) slots_used = slot + 1;
  activities[kernel].ran = true;
  if (activities[kernel].running++ == 0) activities[kernel].since_ns = now;
}

static void count_done(struct slot *s, uint32_t done) {
  const uint32_t more = done - s->done;
  s->done = done;
  activities[s->kernel].done += more;
  take_work(s->entry, s->kernel, more);
}

static void kernel_ended(unsigned slot, uint32_t now) {
  struct slot *s = &slots[slot];
  count_done(s, s->ctas);
  s->busy = false;
  struct activity *activity = &activities[s->kernel];
  --activity->running;
  activity->active_ns += now - activity->since_ns;
  activity->since_ns = now;
  activity->ended_ns = activity->active_ns;
}

static void packet_started(unsigned queue, bool last) {
  struct stream *stream = &streams[queue];
  ++stream->in_flight;
  stream->ending = last;
  if (stream->entry != FW_NO_ENTRY && fw_jobs.jobs[stream->entry].state == FW_JOB_READY)
    fw_jobs.jobs[stream->entry].state = FW_JOB_RUNNING;
}

static void packet_ended(unsigned queue) {
  struct stream *stream = &streams[queue];
  if (stream->in_flight > 0) --stream->in_flight;
  if (!stream->ending || stream->in_flight > 0) return;
  end(queue);
  offer_entries();
}

void fw_jobs_started(unsigned queue, unsigned destination) {
  const struct stream *stream = &streams[queue];
  fw_ranks_started(queue, destination, stream->last);
  if (fw_queues[queue].type == FW_KERNEL)
    kernel_started(queue, destination, stream->head_kernel, stream->head_ctas, (uint32_t)hal_now_ns());
  packet_started(queue, stream->last);
}

void fw_jobs_completed(unsigned queue, unsigned destination) {
  fw_ranks_completed(queue, destination);
  if (destination < MOST_SLOTS && slots[destination].busy && slots[destination].queue == queue)
    kernel_ended(destination, (uint32_t)hal_now_ns());
  packet_ended(queue);
}

void fw_jobs_logged_start(unsigned queue, unsigned destination, const struct fw_logged *what) {
  if (what->kernel != 0) kernel_started(queue, destination, what->kernel, what->ctas, what->ns);
  packet_started(queue, what->last);
}

void fw_jobs_logged_end(unsigned queue, unsigned destination, const struct fw_logged *what) {
  if (what->kernel != 0 && slots[destination].busy) kernel_ended(destination, what->ns);
  packet_ended(queue);
}

void fw_jobs_forgotten(unsigned queue) {
  fw_ranks_forgotten(queue);
  streams[queue].waits_for_entry = false;
  end(queue);
  offer_entries();
}

/* ---- Periods */

static void count_running(void) {
  uint32_t done[FW_BURST_WORDS];
  for (unsigned first = 0; first < slots_used; first += FW_BURST_WORDS) {
    unsigned n = slots_used - first;
    if (n > FW_BURST_WORDS) n = FW_BURST_WORDS;
    hal_read_burst(WD_CTAS_DONE(first), done, n);
    for (unsigned i = 0; i < n; ++i) {
      struct slot *s = &slots[first + i];
      /* The slot may have another kernel by now, of which the log has not told yet. */
      if (s->busy && done[i] > s->done && done[i] <= s->ctas) {
        count_done(s, done[i]);
        activities[s->kernel].ended_ns = UINT32_MAX; /* about now */
      }
    }
  }
}

/* What ran for a short time only is measured together with what of it runs later: a few CTAs that began before tell
   little of how long one takes. */
void fw_jobs_measure(uint32_t now) {
  const uint32_t enough = fw_clock_period() / 4;
  count_running();
  for (unsigned k = 0; k < FW_KERNELS; ++k) {
    struct activity *activity = &activities[k];
    if (activity->running > 0) {
      activity->active_ns += now - activity->since_ns;
      activity->since_ns = now;
    }
    if (!activity->ran && use->forget && activity->told != 0) fw_jobs.kernels[k].cta_time = activity->told;
    activity->ran = activity->running > 0;
    if (activity->ended_ns > activity->active_ns) activity->ended_ns = activity->active_ns;
    const uint32_t ns = use->ended_only ? activity->ended_ns : activity->active_ns;
    if (activity->done == 0 || (ns < enough && fw_jobs.kernels[k].cta_time != 0)) continue;
    fw_tables_measured(&fw_jobs.kernels[k], ns, activity->done);
    activity->active_ns -= ns;
    activity->ended_ns = activity->done = 0;
  }
}

void fw_jobs_rank_all(void) {
  fw_ranks_begin();
  for (unsigned i = 0; i < count; ++i) {
    const struct fw_job *job = &fw_jobs.jobs[order[i]];
    if (admitted(job)) fw_rank(job->queue, job->priority);
  }
  fw_ranks_end();
}
