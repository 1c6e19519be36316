/* Sets of queues, a bit each. */
#ifndef WARPVP_FIRMWARE_SET_H
#define WARPVP_FIRMWARE_SET_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define FW_MAX_QUEUES 256u
#define FW_SET_WORDS (FW_MAX_QUEUES / 32u)

struct fw_set {
  uint32_t word[FW_SET_WORDS];
};

static inline bool fw_has(const struct fw_set *set, unsigned queue) {
  return (set->word[queue / 32] >> queue % 32 & 1u) != 0;
}
static inline void fw_add(struct fw_set *set, unsigned queue) { set->word[queue / 32] |= 1u << queue % 32; }
static inline void fw_remove(struct fw_set *set, unsigned queue) { set->word[queue / 32] &= ~(1u << queue % 32); }

/* The first member at or after `from`, or -1. All: `for (int q = fw_next(s, 0); q >= 0; q = fw_next(s, q + 1))`. */
int fw_next(const struct fw_set *set, unsigned from);
/* The first member after `queue`, going round: `queue` itself is the last choice. -1: the set is empty. */
int fw_after(const struct fw_set *set, unsigned queue);
/* The best member: `better(a, b)` says that a goes before b for certain. Among equals, the first one after `queue`. */
int fw_best(const struct fw_set *set, unsigned queue, bool (*better)(unsigned a, unsigned b));

#ifdef __cplusplus
}
#endif

#endif
