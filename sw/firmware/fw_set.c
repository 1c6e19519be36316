#include "fw_set.h"

int fw_next(const struct fw_set *set, unsigned from) {
  unsigned word = from / 32;
  if (word >= FW_SET_WORDS) return -1;
  uint32_t bits = set->word[word] & ~0u << from % 32;
  while (bits == 0) {
    if (++word == FW_SET_WORDS) return -1;
    bits = set->word[word];
  }
  return (int)(word * 32) + __builtin_ctz(bits);
}

int fw_after(const struct fw_set *set, unsigned queue) {
  const int next = fw_next(set, queue + 1);
  return next >= 0 ? next : fw_next(set, 0);
}

/* Every start may look at all queues here, so each costs little: words are taken in turn from the one after `queue`,
   and the first one again at the end for its members up to `queue`. */
int fw_best(const struct fw_set *set, unsigned queue, bool (*better)(unsigned a, unsigned b)) {
  const unsigned start = (queue + 1) % FW_MAX_QUEUES;
  const uint32_t from_start = ~0u << start % 32;
  int best = -1;
  for (unsigned step = 0; step <= FW_SET_WORDS; ++step) {
    const unsigned word = (start / 32 + step) % FW_SET_WORDS;
    uint32_t bits = set->word[word];
    if (step == 0) bits &= from_start;
    if (step == FW_SET_WORDS) bits &= ~from_start;
    for (; bits != 0; bits &= bits - 1) {
      const unsigned q = word * 32 + (unsigned)__builtin_ctz(bits);
      if (best < 0 || better(q, (unsigned)best)) best = (int)q;
    }
  }
  return best;
}
