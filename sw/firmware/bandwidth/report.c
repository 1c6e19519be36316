#include "bandwidth/report.h"

#include "bandwidth/phases.h"
#include "hal.h"
#include "late.h"

static FW_LATE uint32_t told[BW_REPORT_WORDS]; /* what the registers have: an access is spared where nothing is new */

void bw_report_start(void) { fw_clear(told, sizeof told); }

void bw_report(unsigned word, uint32_t value) {
  if (word >= BW_REPORT_WORDS || told[word] == value) return;
  told[word] = value;
  hal_write32(SYSCTL_REPORT(word), value);
}

void bw_report_count(unsigned word) { bw_report(word, told[word] + 1); }

void bw_report_kernel(unsigned number, uint32_t type, uint32_t ctas, uint32_t quota) {
  if (number >= (BW_REPORT_WORDS - BW_REPORT_KERNEL) / 3) return;
  bw_report(BW_REPORT_KERNEL + 3 * number, type);
  bw_report(BW_REPORT_KERNEL + 3 * number + 1, ctas);
  bw_report(BW_REPORT_KERNEL + 3 * number + 2, quota);
}
