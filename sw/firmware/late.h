/* Data of those parts of the library that a program need not use. Start-up does not clear them, so that every
   program starts in the same time; who uses them does. */
#ifndef WARPVP_FIRMWARE_LATE_H
#define WARPVP_FIRMWARE_LATE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __riscv
#define FW_LATE __attribute__((section(".noinit")))
#else
#define FW_LATE
#endif

/* In words: the C library's memset goes byte by byte. `bytes` is a multiple of 4. */
static inline void fw_fill(void *from, uint32_t value, size_t bytes) {
  uint32_t *word = (uint32_t *)from;
  for (size_t i = 0; i < bytes / sizeof *word; ++i) word[i] = value;
}
static inline void fw_clear(void *from, size_t bytes) { fw_fill(from, 0, bytes); }

#endif
