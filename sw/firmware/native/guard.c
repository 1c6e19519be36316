#include "guard.h"

#include <stdlib.h>

uint64_t fw_native_blocks_left = UINT64_MAX;
void (*fw_native_stopped)(enum fw_native_stop why, int status) = 0;

/* The compiler's name for it (-fsanitize-coverage=trace-pc). */
void __sanitizer_cov_trace_pc(void);
void __sanitizer_cov_trace_pc(void) {
  if (fw_native_blocks_left-- == 0 && fw_native_stopped) fw_native_stopped(FW_NATIVE_LOOPS, 0);
}

void fw_native_exit(int status) {
  if (fw_native_stopped) fw_native_stopped(FW_NATIVE_EXITS, status);
  exit(status);
}

void fw_native_abort(void) {
  if (fw_native_stopped) fw_native_stopped(FW_NATIVE_EXITS, -1);
  abort();
}
