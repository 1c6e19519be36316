/* What a native build adds to the firmware, so that a program that runs it stays in charge. The firmware is compiled to
   call __sanitizer_cov_trace_pc in every basic block and fw_native_exit for whatever would end the process. */
#ifndef WARPVP_FIRMWARE_NATIVE_GUARD_H
#define WARPVP_FIRMWARE_NATIVE_GUARD_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum fw_native_stop {
  FW_NATIVE_LOOPS, /* fw_native_blocks_left is used up */
  FW_NATIVE_EXITS  /* exit, abort or the like was called */
};

/* Basic blocks that may still be entered; whoever runs the firmware sets it anew whenever time has passed. */
extern uint64_t fw_native_blocks_left;
/* Called for each of the above and does not return. Null: loops go on, and an exit ends the process. */
extern void (*fw_native_stopped)(enum fw_native_stop why, int status);

void fw_native_exit(int status) __attribute__((noreturn));
void fw_native_abort(void) __attribute__((noreturn));

#ifdef __cplusplus
}
#endif

#endif
