/* Numbers of the bandwidth policies. The core has no floating-point unit, and multiplies and divides 32 bits.

   What is measured and compared (factors, rates, units used) is unsigned 16.16: a 32-bit word whose
   steps, 1.5e-5, lie far below what two measurements of the same kernel differ by. What Algorithm 1 adds up
   is unsigned 32.32, and dominant shares are fractions of whole numbers and compared exactly (allocation.c).
 */
#ifndef WARPVP_FIRMWARE_BANDWIDTH_FIXED_H
#define WARPVP_FIRMWARE_BANDWIDTH_FIXED_H

#include <stdint.h>

typedef uint32_t bw_q16; /* 16.16 */
typedef uint64_t bw_q32; /* 32.32 */

#define BW_ONE 0x10000u
#define BW_UNLIMITED UINT32_MAX /* as 16.16: no bound */

static inline bw_q16 bw_q16_of(uint64_t value) {
  return value < BW_UNLIMITED ? (bw_q16)value : BW_UNLIMITED - 1;
}

/* part / whole, rounded to the nearest; 0 where nothing was counted. `part` below 2^48. */
static inline bw_q16 bw_ratio(uint64_t part, uint64_t whole) {
  return whole == 0 ? 0 : bw_q16_of(((part << 16) + whole / 2) / whole);
}

#endif
