#include "bandwidth/phases.h"

#include <string.h>

#include "bandwidth/detection.h"
#include "bandwidth/mix.h"
#include "bandwidth/monitors.h"
#include "bandwidth/report.h"
#include "bandwidth/terms.h"
#include "hal.h"
#include "late.h"
#include "policy.h"

/* SM cycles (section 5.4; drain and look are ours). */
#define DRAIN_CYCLES 2000000u
#define LOOK_CYCLES 5000u
#define WARM_UP_CYCLES 50000u
#define FACTOR_CYCLES 20000u
#define TYPE_CYCLES 20000u
#define SKIP_CYCLES 10000u
#define USE_CYCLES 10000u
#define ADJUST_CYCLES 100000u

static const struct bw_terms no_terms = {BW_NO_LIMIT, BW_NO_QUOTA, 0};

static FW_LATE struct bw_settings settings;
static FW_LATE struct bw_device device;
static FW_LATE struct bw_room sm_room;

static FW_LATE struct {
  enum bw_phase phase;
  uint64_t due; /* ns; HAL_NEVER: nothing is */
  bool changed; /* the mix, since it was looked at */
  bool fresh;   /* detected, and not settled since */
  struct bw_kernel *kernels[BW_MOST_KERNELS];
  unsigned count;
  /* BW_WARM_UP */
  bool draining;
  uint64_t drain_until;
  bool measuring; /* BW_USE, BW_ADJUST: a window is open */
  /* BW_USE: of which kernel, with how many CTAs. */
  unsigned kernel, ctas;
  struct bw_terms before;
  /* BW_ADJUST */
  uint32_t prior, best_prior; /* tenths */
  uint64_t goal, best_goal;
  struct bw_share tried[BW_MOST_KERNELS], best[BW_MOST_KERNELS];
} s;

/* A kernel between prepare and started. */
static FW_LATE struct {
  bool there;
  unsigned slot;
  uint64_t object;
  uint32_t context;
  struct bw_kernel *known; /* or NULL */
  struct bw_needs needs;
  struct bw_terms terms;
} coming;

static uint64_t ns_of(uint64_t cycles) { return (cycles * 1000000 + device.sm_clock_khz - 1) / device.sm_clock_khz; }

static void wait_for(uint32_t cycles) { s.due = hal_now_ns() + ns_of(cycles); }
/* The same for a step of the detection, or of the adjusting. */
static void wait_step(uint32_t cycles) { s.due = hal_now_ns() + ns_of((uint64_t)cycles * settings.percent / 100); }

static void enter(enum bw_phase phase) {
  s.phase = phase;
  bw_report(BW_REPORT_PHASE, phase);
}

static void open_window(unsigned what, uint32_t cycles) {
  bw_monitors_open(s.kernels, s.count, what);
  wait_step(cycles);
}

/* ---- Adjusting the priority (section 5.5): hill climbing */

static void allocate(struct bw_share *shares) {
  struct bw_claim claims[BW_MOST_KERNELS];
  for (unsigned k = 0; k < s.count; ++k) {
    const struct bw_kernel *kernel = s.kernels[k];
    const struct bw_claim claim = {kernel->type, &kernel->needs, kernel->last, kernel->network, kernel->dram};
    claims[k] = claim;
  }
  const struct bw_options options = {device.units, s.prior, NULL};
  bw_allocate(claims, s.count, &sm_room, &options, shares);
  bw_report_count(BW_REPORT_ALLOCATIONS);
}

static void apply(const struct bw_share *shares) {
  uint32_t quotas[BW_MOST_KERNELS];
  bw_quotas(&device, s.kernels, s.count, shares, quotas);
  for (unsigned k = 0; k < s.count; ++k) {
    if (shares[k].ctas == 0)
      hal_panic(FW_HALT_POLICY, "an SM has no room for one CTA of each of the %u kernels that run at once", s.count);
    struct bw_kernel *kernel = s.kernels[k];
    const bool latency = kernel->type == BW_LATENCY_SENSITIVE;
    const struct bw_terms terms = {shares[k].ctas, quotas[k] | (latency ? BW_LATENCY_BIT : 0),
                                   settings.throttles ? 0 : 1};
    bw_terms_give(kernel, &terms);
    bw_report_kernel(kernel->number, kernel->type, shares[k].ctas, quotas[k]);
  }
}

static bool same_shares(const struct bw_share *a, const struct bw_share *b) {
  for (unsigned k = 0; k < s.count; ++k)
    if (a[k].ctas != b[k].ctas || a[k].network != b[k].network || a[k].dram != b[k].dram) return false;
  return true;
}

static void settle(void) {
  s.due = HAL_NEVER;
  bw_report(BW_REPORT_PRIOR_TENTHS, s.best_prior);
  bw_report(BW_REPORT_GOAL, (uint32_t)(s.best_goal * 1000 >> 24));
  if (s.fresh) bw_report(BW_REPORT_SETTLED_CYCLE, (uint32_t)(hal_now_ns() * device.sm_clock_khz / 1000000));
  s.fresh = false;
  enter(BW_SETTLED);
}

/* From s.prior on downwards, the first priority that leads to something that was not just tried. One allocation a tick:
   launches that come meanwhile wait for no more than that. */
static void try_next(void) {
  struct bw_share shares[BW_MOST_KERNELS];
  s.measuring = false;
  if (s.prior == 0) {
    apply(s.best);
    settle();
    return;
  }
  allocate(shares);
  if (s.prior != 10 && same_shares(shares, s.tried)) {
    --s.prior;
    s.due = 0;
    return;
  }
  memcpy(s.tried, shares, sizeof shares);
  apply(shares);
  s.measuring = true;
  open_window(BW_COUNT_INSTRUCTIONS, ADJUST_CYCLES);
}

static void begin_adjusting(void) {
  s.prior = s.best_prior = 10;
  s.best_goal = 0;
  enter(BW_ADJUST);
  if (settings.fixed_priority) {
    allocate(s.best);
    apply(s.best);
    settle();
  } else {
    try_next();
  }
}

static void adjust_step(void) {
  if (!s.measuring) {
    try_next();
    return;
  }
  const uint32_t cycles = bw_monitors_close();
  bw_report_count(BW_REPORT_WINDOWS);
  const uint64_t goal = bw_goal(s.kernels, s.count, cycles, settings.weighted);
  if (s.prior != 10 && goal <= s.best_goal) {
    apply(s.best);
    settle();
    return;
  }
  s.best_goal = goal;
  s.best_prior = s.prior--;
  memcpy(s.best, s.tried, sizeof s.best);
  try_next();
}

/* ---- Detection (section 5.4) */

static unsigned even_ctas(const struct bw_needs *needs, unsigned kernels) {
  const unsigned even = needs->most_ctas / kernels;
  return even > 0 ? even : 1;
}

static void begin_detection(void) {
  bw_report_count(BW_REPORT_DETECTIONS);
  enter(BW_WARM_UP);
  s.fresh = true;
  for (unsigned k = 0; k < s.count; ++k) {
    struct bw_kernel *kernel = s.kernels[k];
    kernel->detected = false;
    const struct bw_terms even = {even_ctas(&kernel->needs, s.count), BW_NO_QUOTA, 1};
    bw_terms_give(kernel, &even);
  }
  s.draining = true;
  s.due = hal_now_ns();
  s.drain_until = s.due + ns_of(DRAIN_CYCLES);
}

/* Issued and done in one access, so that nothing ends in between. */
static bool has_surplus(const struct bw_kernel *kernel) {
  uint32_t words[4];
  if (!kernel->running) return false;
  hal_read_burst(WD_KSR_ISSUED(kernel->slot), words, 4);
  return words[0] - words[2] > even_ctas(&kernel->needs, s.count) * device.sms;
}

/* The first kernel of a mix may have all of the device, and its CTAs take long. */
static void drain_or_warm_up(void) {
  if (!s.draining) {
    enter(BW_FACTORS);
    open_window(0, FACTOR_CYCLES);
    return;
  }
  if (hal_now_ns() < s.drain_until)
    for (unsigned k = 0; k < s.count; ++k)
      if (has_surplus(s.kernels[k])) {
        wait_for(LOOK_CYCLES);
        return;
      }
  s.draining = false;
  wait_step(WARM_UP_CYCLES);
}

static void factors_found(void) {
  bw_monitors_close();
  for (unsigned k = 0; k < s.count; ++k) {
    struct bw_kernel *kernel = s.kernels[k];
    kernel->factors = bw_factors_of(&kernel->counts);
    struct bw_terms even = kernel->terms;
    even.quota = bw_even_quota(&device, kernel->factors, s.count);
    bw_terms_give(kernel, &even);
  }
  enter(BW_TYPES);
  open_window(BW_COUNT_DEMAND | BW_COUNT_INSTRUCTIONS, TYPE_CYCLES);
}

static void use_next(void);

static void types_found(void) {
  const uint32_t cycles = bw_monitors_close();
  for (unsigned k = 0; k < s.count; ++k) {
    struct bw_kernel *kernel = s.kernels[k];
    bw_find_type(&device, kernel, cycles, s.count, even_ctas(&kernel->needs, s.count));
    if (kernel->number < BW_ALONE_IPCS && settings.alone[kernel->number] != 0)
      kernel->reference = bw_ratio(settings.alone[kernel->number], 1000);
  }
  enter(BW_USE);
  s.kernel = s.ctas = 0;
  use_next();
}

/* Of each bandwidth-intensive kernel in turn, with 1, 2, ... CTAs, the others of its CTAs throttled. */
static void use_next(void) {
  for (; s.kernel < s.count; ++s.kernel, s.ctas = 0) {
    struct bw_kernel *kernel = s.kernels[s.kernel];
    if (kernel->type == BW_LATENCY_SENSITIVE) continue;
    if (s.ctas == 0) s.before = kernel->terms;
    if (s.ctas < even_ctas(&kernel->needs, s.count)) {
      const struct bw_terms throttled = {++s.ctas, BW_NO_QUOTA, 0};
      bw_terms_give(kernel, &throttled);
      s.measuring = false;
      wait_step(SKIP_CYCLES);
      return;
    }
    bw_extend_use(&device, kernel, s.ctas);
    bw_terms_give(kernel, &s.before);
  }
  for (unsigned k = 0; k < s.count; ++k) s.kernels[k]->detected = true;
  begin_adjusting();
}

static void use_step(void) {
  struct bw_kernel *kernel = s.kernels[s.kernel];
  if (!s.measuring) {
    s.measuring = true;
    bw_monitors_open(&kernel, 1, 0);
    wait_step(USE_CYCLES);
    return;
  }
  bw_note_use(&device, kernel, s.ctas, bw_monitors_close());
  use_next();
}

/* ---- The mix */

static void begin(void) {
  s.changed = false;
  bw_monitors_close();
  s.count = bw_mix_present(s.kernels);
  if (s.count < 2) {
    if (s.phase != BW_ALONE) enter(BW_ALONE);
    s.due = HAL_NEVER;
    for (unsigned k = 0; k < s.count; ++k) bw_terms_give(s.kernels[k], &no_terms);
    return;
  }
  bool known = true; /* of kernels that others have left alone everything is */
  for (unsigned k = 0; k < s.count; ++k) known = known && s.kernels[k]->detected;
  if (known) {
    begin_adjusting();
  } else {
    begin_detection();
  }
}

static void set_tick(void) {
  const uint64_t left = bw_mix_first_left();
  uint64_t at = s.changed ? 0 : s.due;
  if (left != UINT64_MAX && left + ns_of(settings.absent_cycles) < at) at = left + ns_of(settings.absent_cycles);
  fw_tick_at(at);
}

void bw_phases_start(const struct bw_settings *how, const struct bw_device *what, const struct bw_room *sm) {
  settings = *how;
  device = *what;
  sm_room = *sm;
  memset(&s, 0, sizeof s);
  s.due = HAL_NEVER;
  coming.there = false;
  bw_mix_start();
  bw_monitors_start(&device);
  bw_terms_start(device.sms);
  bw_report_start();
  set_tick();
}

void bw_phases_prepare(unsigned slot) {
  uint32_t image[(WD_KSR_CONTEXT_AT - WD_KSR_KERNEL_OBJECT_AT) / 4 + 1];
  hal_read_burst(WD_KSR_KERNEL_OBJECT(slot), image, sizeof image / sizeof image[0]);
  hal_read_burst(WD_KSR_CTA_THREADS(slot), (uint32_t *)&coming.needs, sizeof coming.needs / sizeof(uint32_t));
  coming.object = (uint64_t)image[1] << 32 | image[0];
  /* Zeros: the queue was unmapped meanwhile. What never fits is refused, too. */
  coming.there = coming.object != 0 && coming.needs.most_ctas != 0;
  if (!coming.there) return;
  if (coming.needs.most_ctas > BW_MOST_CTAS)
    hal_panic(FW_HALT_POLICY, "an SM has room for %u CTAs of a kernel; allowed: at most %u",
              (unsigned)coming.needs.most_ctas, BW_MOST_CTAS);
  coming.slot = slot;
  coming.context = image[sizeof image / sizeof image[0] - 1];
  coming.known = bw_mix_find(coming.object, coming.context);
  coming.terms = no_terms;
  if (coming.known && coming.known->present) {
    coming.terms = coming.known->terms;
  } else {
    /* It joins: an even share from its first CTA on, whatever is found out then. */
    struct bw_kernel *others[BW_MOST_KERNELS];
    const unsigned count = bw_mix_present(others);
    if (count > 0) coming.terms.ctas = even_ctas(&coming.needs, count + 1);
    coming.terms.drains = count > 0;
  }
  bw_terms_prepare(slot, &coming.terms);
}

void bw_phases_started(unsigned slot) {
  if (!coming.there || coming.slot != slot) return;
  coming.there = false;
  bw_terms_started(slot, &coming.terms);
  struct bw_kernel *kernel = coming.known ? coming.known : bw_mix_add(coming.object, coming.context);
  if (!coming.known) bw_report(BW_REPORT_KERNELS, kernel->number + 1);
  if (!kernel->present) s.changed = true;
  kernel->present = kernel->running = true;
  kernel->slot = (uint8_t)slot;
  kernel->needs = coming.needs;
  kernel->terms = coming.terms;
  bw_monitors_begin_launch(kernel);
  set_tick();
}

void bw_phases_ended(unsigned slot) {
  struct bw_kernel *kernel = bw_mix_in_slot(slot);
  if (!kernel) return;
  bw_monitors_end_launch(kernel);
  kernel->running = false;
  kernel->left_ns = hal_now_ns();
  set_tick();
}

void bw_phases_tick(void) {
  const uint64_t now = hal_now_ns(), absent = ns_of(settings.absent_cycles);
  if (now >= absent && bw_mix_leave(now - absent)) s.changed = true;
  if (s.changed) {
    begin();
  } else if (s.due <= now) {
    switch (s.phase) {
      case BW_WARM_UP:
        drain_or_warm_up();
        break;
      case BW_FACTORS:
        factors_found();
        break;
      case BW_TYPES:
        types_found();
        break;
      case BW_USE:
        use_step();
        break;
      case BW_ADJUST:
        adjust_step();
        break;
      default:
        break;
    }
  }
  set_tick();
}
