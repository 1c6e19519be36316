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

int fw_best(const struct fw_set *set, unsigned queue, bool (*better)(unsigned a, unsigned b)) {
  const int first = fw_after(set, queue);
  if (first < 0) return -1;
  int best = first;
  for (int q = fw_after(set, (unsigned)first); q != first; q = fw_after(set, (unsigned)q))
    if (better((unsigned)q, (unsigned)best)) best = q;
  return best;
}
