/* What the policy tells in the registers REPORT (bandwidth/phases.h has the words). */
#ifndef WARPVP_FIRMWARE_BANDWIDTH_REPORT_H
#define WARPVP_FIRMWARE_BANDWIDTH_REPORT_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define BW_REPORT_WORDS 32u

void bw_report_start(void);
void bw_report(unsigned word, uint32_t value);
/* One more. */
void bw_report_count(unsigned word);
void bw_report_kernel(unsigned number, uint32_t type, uint32_t ctas, uint32_t quota);

#ifdef __cplusplus
}
#endif

#endif
