#include "gates.h"

#include "ranks.h"

FW_LATE struct fw_assist_loop fw_loop;
FW_LATE uint32_t fw_assist_runs;

bool fw_assisted(void) { return fw_assist_runs == FW_ASSIST_RUNS; }
void fw_assist_ends(void) { fw_assist_runs = 0; }

/* Out of line, which keeps programs small. */
__attribute__((noinline)) void fw_gates_forget(unsigned q) { fw_remove(&fw_loop.seen, q); }

bool fw_assist_settled(unsigned q) {
  if (!fw_assisted()) return false;
  const bool seen = fw_has(&fw_loop.seen, q);
  fw_gates_forget(q);
  return seen;
}
