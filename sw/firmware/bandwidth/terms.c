#include "bandwidth/terms.h"

#include "hal.h"
#include "late.h"

#define MOST_SLOTS 128u

static FW_LATE uint32_t sm_count;
static FW_LATE struct {
  uint32_t quota, limit, drains; /* as the registers have them */
  bool held;
} slots[MOST_SLOTS];

void bw_terms_start(uint32_t sms) {
  sm_count = sms;
  for (unsigned i = 0; i < MOST_SLOTS; ++i) { /* as at reset */
    slots[i].quota = BW_NO_QUOTA;
    slots[i].limit = BW_NO_LIMIT;
    slots[i].drains = 0;
    slots[i].held = false;
  }
}

static void set_quota(unsigned slot, uint32_t quota) {
  if (slots[slot].quota == quota) return;
  slots[slot].quota = quota;
  for (unsigned sm = 0; sm < sm_count; ++sm) hal_write32(SM_CCBP_MISS_QUEUE_QUOTA(sm, slot), quota);
}

static void set_limit(unsigned slot, uint32_t limit, uint32_t drains) {
  if (slots[slot].limit == limit) return;
  slots[slot].limit = limit;
  if (slots[slot].drains != drains) hal_write32(WD_KSR_LIMIT_DRAINS(slot), drains);
  slots[slot].drains = drains;
  hal_write32(WD_KSR_CTA_LIMIT(slot), limit);
}

static void hold(unsigned slot, bool held) {
  if (slots[slot].held == held) return;
  slots[slot].held = held;
  hal_write32(WD_KSR_HOLD(slot), held);
}

void bw_terms_prepare(unsigned slot, const struct bw_terms *terms) {
  slots[slot].limit = BW_NO_LIMIT; /* that of the kernel before ended with it */
  set_quota(slot, terms->quota);
  hold(slot, terms->ctas != BW_NO_LIMIT);
}

void bw_terms_started(unsigned slot, const struct bw_terms *terms) {
  set_limit(slot, terms->ctas, terms->drains);
  hold(slot, false);
}

void bw_terms_give(struct bw_kernel *kernel, const struct bw_terms *terms) {
  kernel->terms = *terms;
  if (!kernel->running) return;
  set_limit(kernel->slot, terms->ctas, terms->drains);
  set_quota(kernel->slot, terms->quota);
}
