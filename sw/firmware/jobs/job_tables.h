/* What LAX keeps of jobs and kernels (LAX section 6.2), and what it computes of that (Algorithms 3 and 4). No
   hardware is touched here, so tests compile it for the host.

   Times are in ns, lower 32 bits of simulated time; differences of them are right up to 4.29 s. The time of a CTA is
   kept in 1/256 ns, and as a time rather than as the rate of the thesis: so remaining work is a product, not a
   quotient. */
#ifndef WARPVP_FIRMWARE_JOB_TABLES_H
#define WARPVP_FIRMWARE_JOB_TABLES_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define FW_JOBS 128u       /* at once */
#define FW_JOB_KERNELS 6u  /* different ones in a job; further ones count as the last of them */
#define FW_KERNELS 18u     /* different ones at once; further ones count as the last of them */
#define FW_NO_KERNEL 0xffu
#define FW_NO_ENTRY 0xffu

enum fw_job_state {
  FW_JOB_FREE,
  FW_JOB_INIT,    /* not admitted yet */
  FW_JOB_READY,   /* admitted */
  FW_JOB_RUNNING, /* something of it was started */
};

/* The kernel profiling table: how long a CTA takes, counted over all CTAs of the kernel that ran at once. */
struct fw_kernel_entry {
  uint32_t name;     /* bits 37:6 of the kernel object; 0: free */
  uint32_t cta_time; /* 1/256 ns; 0: not known */
};

/* The job table, with the list of work left of each job. */
struct fw_job {
  uint32_t start_ns;    /* its arrival */
  uint32_t deadline_ns; /* from there; 0: none */
  uint32_t priority;    /* smaller is more urgent */
  uint16_t ctas[FW_JOB_KERNELS];
  uint8_t kernel[FW_JOB_KERNELS]; /* index in the kernel table; FW_NO_KERNEL */
  uint8_t queue, state;
};

struct fw_job_tables {
  struct fw_job jobs[FW_JOBS];
  struct fw_kernel_entry kernels[FW_KERNELS];
};

/* As much memory as the thesis says for 128 queues. */
#ifndef __cplusplus
_Static_assert(sizeof(struct fw_job_tables) == 4240, "LAX section 6.2: 4240 bytes for 128 compute queues");
#endif

/* CTAs that are left of all admitted jobs, by kernel: what Algorithm 3 sums over jobs, kept as they come and go. */
struct fw_work {
  uint32_t ctas[FW_KERNELS];
};

/* Priorities of jobs. Hopeless is who has overrun its deadline. */
#define FW_PRIORITY_HOPELESS 0xfffffffeu
#define FW_PRIORITY_NO_DEADLINE 0xfffffff0u
#define FW_PRIORITY_MOST (FW_PRIORITY_NO_DEADLINE - 1u)

void fw_tables_reset(struct fw_job_tables *tables);
/* The entry of a kernel, made if there is none, of which no job may have CTAs left (`work`) if another kernel's has to
   go for it. */
unsigned fw_tables_kernel(struct fw_job_tables *tables, const struct fw_work *work, uint32_t name);
/* A kernel's CTA takes `ns / ctas`, by measurement or by what the host expects. Nothing for no CTAs. */
void fw_tables_measured(struct fw_kernel_entry *kernel, uint32_t ns, uint32_t ctas);

/* A new job without work, in state INIT. */
void fw_job_begin(struct fw_job *job, unsigned queue, uint32_t start_ns, uint32_t deadline_ns);
/* Returns what was added or taken, in the kernel table's terms at `*kernel`: the list of a job with many kernels counts
   some as another, and a count has an end (65535). */
uint32_t fw_job_add(struct fw_job *job, unsigned *kernel, uint32_t ctas);
uint32_t fw_job_take(struct fw_job *job, unsigned *kernel, uint32_t ctas);

/* The time that the job's work takes at the rates of the kernel table; at most UINT32_MAX. */
uint32_t fw_job_time(const struct fw_job_tables *tables, const struct fw_job *job);
/* Algorithm 3 for one job in state INIT: whether it meets its deadline after all admitted work (Little's law). */
bool fw_job_admitted(const struct fw_job_tables *tables, const struct fw_work *work, const struct fw_job *job,
                     uint32_t now_ns);
/* Algorithm 4 for one job: its laxity (equation 6.1); if that is not positive its time of completion, which is greater
   than its deadline; hopeless when it is late already. */
uint32_t fw_job_priority(const struct fw_job_tables *tables, const struct fw_job *job, uint32_t now_ns);

#ifdef __cplusplus
}
#endif

#endif
