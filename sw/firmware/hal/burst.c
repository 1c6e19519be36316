/* Bursts on the RISC-V core: three CSRs of its own (docs/firmware.md). */
#include "hal.h"

#define CSR_LOCAL "0x7c0"
#define CSR_WORDS "0x7c1"
#define CSR_READ "0x7c2"
#define CSR_WRITE "0x7c3"

void hal_read_burst(uint32_t address, uint32_t *to, unsigned words) {
  __asm__ volatile("csrw " CSR_LOCAL ", %0\n\tcsrw " CSR_WORDS ", %1\n\tcsrw " CSR_READ ", %2"
                   :
                   : "r"(to), "r"(words), "r"(address)
                   : "memory");
}

void hal_write_burst(uint32_t address, const uint32_t *from, unsigned words) {
  __asm__ volatile("csrw " CSR_LOCAL ", %0\n\tcsrw " CSR_WORDS ", %1\n\tcsrw " CSR_WRITE ", %2"
                   :
                   : "r"(from), "r"(words), "r"(address)
                   : "memory");
}
