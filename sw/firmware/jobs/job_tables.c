#include "job_tables.h"

#include <string.h>

void fw_tables_reset(struct fw_job_tables *tables) { memset(tables, 0, sizeof *tables); }

unsigned fw_tables_kernel(struct fw_job_tables *tables, const struct fw_work *work, uint32_t name) {
  unsigned idle = FW_KERNELS - 1;
  for (unsigned k = FW_KERNELS; k-- > 0;) {
    if (tables->kernels[k].name == name) return k;
    if (tables->kernels[k].name == 0 || (work->ctas[k] == 0 && tables->kernels[idle].name != 0)) idle = k;
  }
  if (tables->kernels[idle].name == 0 || work->ctas[idle] == 0) {
    tables->kernels[idle].name = name;
    tables->kernels[idle].cta_time = 0;
  }
  return idle;
}

void fw_tables_measured(struct fw_kernel_entry *kernel, uint32_t ns, uint32_t ctas) {
  if (ctas == 0) return;
  /* A division of 32 bits where that will do: one of 64 takes a core without it ten times as long. */
  const uint32_t most = UINT32_MAX >> 8;
  const uint64_t time = ns <= most ? (ns << 8) / ctas : ((uint64_t)ns << 8) / ctas;
  kernel->cta_time = time == 0 ? 1 : time > UINT32_MAX ? UINT32_MAX : (uint32_t)time;
}

void fw_job_begin(struct fw_job *job, unsigned queue, uint32_t start_ns, uint32_t deadline_ns) {
  memset(job, 0, sizeof *job);
  memset(job->kernel, FW_NO_KERNEL, sizeof job->kernel);
  job->start_ns = start_ns;
  job->deadline_ns = deadline_ns;
  job->priority = FW_PRIORITY_NO_DEADLINE;
  job->queue = (uint8_t)queue;
  job->state = FW_JOB_INIT;
}

/* The place of a kernel in the job's list; if it has none, the first free one or the last. */
static unsigned place_of(const struct fw_job *job, unsigned kernel) {
  unsigned i = 0;
  while (i < FW_JOB_KERNELS - 1 && job->kernel[i] != kernel && job->kernel[i] != FW_NO_KERNEL) ++i;
  return i;
}

uint32_t fw_job_add(struct fw_job *job, unsigned *kernel, uint32_t ctas) {
  const unsigned i = place_of(job, *kernel);
  if (job->kernel[i] == FW_NO_KERNEL) job->kernel[i] = (uint8_t)*kernel;
  *kernel = job->kernel[i];
  const uint32_t room = UINT16_MAX - job->ctas[i];
  if (ctas > room) ctas = room;
  job->ctas[i] = (uint16_t)(job->ctas[i] + ctas);
  return ctas;
}

uint32_t fw_job_take(struct fw_job *job, unsigned *kernel, uint32_t ctas) {
  const unsigned i = place_of(job, *kernel);
  if (job->kernel[i] == FW_NO_KERNEL) return 0;
  *kernel = job->kernel[i];
  if (ctas > job->ctas[i]) ctas = job->ctas[i];
  job->ctas[i] = (uint16_t)(job->ctas[i] - ctas);
  return ctas;
}

static uint32_t in_ns(uint64_t time) {
  const uint64_t ns = time >> 8;
  return ns > UINT32_MAX ? UINT32_MAX : (uint32_t)ns;
}

uint32_t fw_job_time(const struct fw_job_tables *tables, const struct fw_job *job) {
  uint64_t time = 0;
  for (unsigned i = 0; i < FW_JOB_KERNELS && job->kernel[i] != FW_NO_KERNEL; ++i)
    if (job->ctas[i] != 0) time += (uint64_t)job->ctas[i] * tables->kernels[job->kernel[i]].cta_time;
  return in_ns(time);
}

bool fw_job_admitted(const struct fw_job_tables *tables, const struct fw_work *work, const struct fw_job *job,
                     uint32_t now_ns) {
  if (job->deadline_ns == 0) return true;
  uint64_t queueing = 0;
  for (unsigned k = 0; k < FW_KERNELS; ++k)
    if (work->ctas[k] != 0) queueing += (uint64_t)work->ctas[k] * tables->kernels[k].cta_time;
  const uint64_t total = (uint64_t)in_ns(queueing) + fw_job_time(tables, job) + (now_ns - job->start_ns);
  return total < job->deadline_ns;
}

uint32_t fw_job_priority(const struct fw_job_tables *tables, const struct fw_job *job, uint32_t now_ns) {
  if (job->deadline_ns == 0) return FW_PRIORITY_NO_DEADLINE;
  const uint32_t duration = now_ns - job->start_ns;
  if (duration > job->deadline_ns) return FW_PRIORITY_HOPELESS;
  const uint64_t completion = (uint64_t)fw_job_time(tables, job) + duration;
  const uint64_t priority = job->deadline_ns > completion ? job->deadline_ns - completion : completion;
  return priority > FW_PRIORITY_MOST ? FW_PRIORITY_MOST : (uint32_t)priority;
}
