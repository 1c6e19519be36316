/* Never comes back. */
#include "policy.h"

static volatile int depth;

__attribute__((noinline)) static int descend(const struct fw_set *set) {
  struct fw_set copy = *set;
  if (++depth < 0) return 0;
  return descend(&copy) + (int)copy.word[depth % (int)FW_SET_WORDS];
}

static int pick(const struct fw_set *can_start) { return descend(can_start); }

FW_POLICY = {.name = "stack_overflow", .pick = pick};
