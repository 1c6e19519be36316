#include "bandwidth/monitors.h"

#include "hal.h"
#include "late.h"

#define COUNTS (sizeof(struct bw_counts) / sizeof(uint32_t))

static FW_LATE uint32_t sms, khz;
static FW_LATE struct {
  struct bw_kernel *kernels[BW_MOST_KERNELS];
  unsigned count, what;
  uint64_t begin_ns;
} window;

void bw_monitors_start(const struct bw_device *device) {
  sms = device->sms;
  khz = device->sm_clock_khz;
  window.count = 0;
}

/* Sums of what wraps at 2^32 wrap there, too, and so do their differences. */
static void read(unsigned slot, struct bw_counts *sum) {
  const unsigned words = window.what & BW_COUNT_DEMAND ? 5 : 4;
  uint32_t *total = (uint32_t *)sum, row[5];
  for (unsigned i = 0; i < COUNTS; ++i) total[i] = 0;
  for (unsigned sm = 0; sm < sms; ++sm) {
    hal_read_burst(SM_CCBP_MISS_QUEUE_REQUESTS(sm, slot), row, words);
    for (unsigned i = 0; i < words; ++i) total[i] += row[i];
    if (window.what & BW_COUNT_INSTRUCTIONS) sum->instructions += hal_read32(SM_INSTRUCTIONS(sm, slot));
  }
}

static void add_up(struct bw_kernel *kernel) {
  struct bw_counts now;
  read(kernel->slot, &now);
  uint32_t *counts = (uint32_t *)&kernel->counts;
  const uint32_t *from = (const uint32_t *)&kernel->seen, *to = (const uint32_t *)&now;
  for (unsigned i = 0; i < COUNTS; ++i) counts[i] += to[i] - from[i];
}

void bw_monitors_open(struct bw_kernel *const *kernels, unsigned count, unsigned what) {
  window.count = count;
  window.what = what;
  window.begin_ns = hal_now_ns();
  for (unsigned k = 0; k < count; ++k) {
    struct bw_kernel *kernel = window.kernels[k] = kernels[k];
    kernel->measured = true;
    fw_clear(&kernel->counts, sizeof kernel->counts);
    if (kernel->running) read(kernel->slot, &kernel->seen);
  }
}

/* Kernels are read in the order of the opening, which each of them is after the moment by as much. */
uint32_t bw_monitors_close(void) {
  const uint32_t ns = (uint32_t)(hal_now_ns() - window.begin_ns);
  for (unsigned k = 0; k < window.count; ++k) {
    struct bw_kernel *kernel = window.kernels[k];
    if (kernel->running) add_up(kernel);
    kernel->measured = false;
  }
  window.count = 0;
  const uint32_t cycles = (uint32_t)(((uint64_t)ns * khz + 500000) / 1000000);
  return cycles == 0 ? 1 : cycles;
}

void bw_monitors_begin_launch(struct bw_kernel *kernel) {
  if (kernel->measured) read(kernel->slot, &kernel->seen);
}

void bw_monitors_end_launch(struct bw_kernel *kernel) {
  if (kernel->measured) add_up(kernel);
}
