#include "bandwidth/mix.h"

#include <stddef.h>

#include "hal.h"
#include "late.h"

static FW_LATE struct bw_kernel kernels[BW_KNOWN];
static FW_LATE uint8_t order[BW_KNOWN]; /* of coming */
static FW_LATE unsigned count, came;

void bw_mix_start(void) { count = came = 0; }

struct bw_kernel *bw_mix_find(uint64_t object, uint32_t context) {
  for (unsigned i = 0; i < count; ++i) {
    struct bw_kernel *k = &kernels[order[i]];
    if (k->object == object && k->context == context && !k->running) return k;
  }
  return NULL;
}

/* Gives its place up, and the first rank of those behind it. */
static unsigned forget_one(void) {
  unsigned oldest = count;
  for (unsigned i = 0; i < count; ++i)
    if (!kernels[order[i]].present &&
        (oldest == count || kernels[order[i]].left_ns < kernels[order[oldest]].left_ns))
      oldest = i;
  FW_ASSERT(oldest < count); /* at most BW_MOST_KERNELS are present */
  const unsigned place = order[oldest];
  --count;
  for (unsigned i = oldest; i < count; ++i) order[i] = order[i + 1];
  return place;
}

struct bw_kernel *bw_mix_add(uint64_t object, uint32_t context) {
  const unsigned place = count < BW_KNOWN ? count : forget_one();
  order[count++] = (uint8_t)place;
  struct bw_kernel *k = &kernels[place];
  k->object = object;
  k->context = context;
  k->number = came++;
  k->present = k->running = k->detected = k->measured = false;
  return k;
}

struct bw_kernel *bw_mix_in_slot(unsigned slot) {
  for (unsigned i = 0; i < count; ++i)
    if (kernels[order[i]].running && kernels[order[i]].slot == slot) return &kernels[order[i]];
  return NULL;
}

unsigned bw_mix_present(struct bw_kernel *out[BW_MOST_KERNELS]) {
  unsigned n = 0;
  for (unsigned i = 0; i < count; ++i) {
    struct bw_kernel *k = &kernels[order[i]];
    if (!k->present) continue;
    if (n == BW_MOST_KERNELS)
      hal_panic(FW_HALT_POLICY, "more than %u kernels run at once, one for each sub-queue of the miss queue",
                BW_MOST_KERNELS);
    out[n++] = k;
  }
  return n;
}

bool bw_mix_leave(uint64_t ns) {
  bool any = false;
  for (unsigned i = 0; i < count; ++i) {
    struct bw_kernel *k = &kernels[order[i]];
    if (!k->present || k->running || k->left_ns > ns) continue;
    k->present = false;
    any = true;
  }
  return any;
}

uint64_t bw_mix_first_left(void) {
  uint64_t first = UINT64_MAX;
  for (unsigned i = 0; i < count; ++i) {
    const struct bw_kernel *k = &kernels[order[i]];
    if (k->present && !k->running && k->left_ns < first) first = k->left_ns;
  }
  return first;
}
