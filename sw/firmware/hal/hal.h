/* What the firmware's C code knows of the machine: register accesses, sleep, time, timer, windows into device
   memory, console, giving up. Nothing else touches hardware, so the same sources run on the RISC-V core
   (riscv.c, crt0.S), on the host (NativeCore) and on the scripted registers of the tests.

   Interrupts are never taken: they only end hal_wait. */
#ifndef WARPVP_FIRMWARE_HAL_H
#define WARPVP_FIRMWARE_HAL_H

#include <stdbool.h>
#include <stdint.h>

#include "codes.h"
#include "registers.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Primitives: one implementation for each kind of core. */

#ifdef __riscv
static inline uint32_t hal_read32(uint32_t address) { return *(volatile uint32_t *)address; }
static inline void hal_write32(uint32_t address, uint32_t value) { *(volatile uint32_t *)address = value; }
#else
uint32_t hal_read32(uint32_t address);
void hal_write32(uint32_t address, uint32_t value);
#endif
/* The same for `words` (1 to FW_BURST_WORDS) consecutive words in one access: the bus takes its time once. */
void hal_read_burst(uint32_t address, uint32_t *to, unsigned words);
void hal_write_burst(uint32_t address, const uint32_t *from, unsigned words);
/* Lets the external interrupt and the timer's end hal_sleep. */
void hal_enable_wakeup(void);
/* Sleeps until an interrupt is pending; returns at once if one is (wfi). */
void hal_sleep(void);
/* The timer's interrupt is pending. */
bool hal_timer_expired(void);
/* Ends the firmware: a device fault of the platform. The console got the reason before. */
void hal_halt(enum fw_halt code) __attribute__((__noreturn__));

/* ---- Made of them (hal.c). */

/* Reads the machine's dimensions and enables the interrupt lines `lines` (FW_IRQ_*). First call of all. */
void hal_init(uint32_t lines);
struct hal_machine {
  uint32_t queues, slots, engines;
  uint32_t signal_poll_ns; /* look at the signals of waiting barriers this often; 0: never by the clock */
};
extern struct hal_machine hal_machine;

/* Two halves, lower one first. Not atomic: for what does not change meanwhile. */
uint64_t hal_read64(uint32_t address);
void hal_write64(uint32_t address, uint64_t value);

#define HAL_TIMER (1u << 31)
/* Sleeps until something happened, then as hal_poll. */
uint32_t hal_wait(void);
/* What happened since the last hal_wait or hal_poll: FW_IRQ_* bits, which are cleared, and HAL_TIMER. */
uint32_t hal_poll(void);

/* Simulated time. */
uint64_t hal_now_ns(void);
/* HAL_TIMER is reported from this time on; HAL_NEVER: not at all. */
#define HAL_NEVER UINT64_MAX
void hal_set_timer(uint64_t at_ns);

/* Where the core sees `bus_address` (device memory, 64-byte aligned pieces never straddle), for hal_read32 and
   hal_write32. Good until the next call, which may move the last aperture. */
uint32_t hal_map(uint64_t bus_address);

/* `command_processor.parameters` of the platform, 0 where none is given. */
uint32_t hal_parameter(unsigned i);
/* A word to the host's mailbox record. */
void hal_send_host(uint32_t word);

/* ---- Console (console.c). hal_printf is printf, whatever core runs this. */
void hal_putc(char c);
int hal_getc(void); /* -1: nothing received */
int hal_printf(const char *format, ...) __attribute__((__format__(__printf__, 1, 2)));

/* Prints "panic: ..." and halts. */
void hal_panic(enum fw_halt code, const char *format, ...)
    __attribute__((__noreturn__, __format__(__printf__, 2, 3)));

#define FW_ASSERT(condition)                                                                \
  do {                                                                                      \
    if (!(condition))                                                                       \
      hal_panic(FW_HALT_ASSERTION, "%s:%d: %s does not hold", __FILE__, __LINE__, #condition); \
  } while (0)

#ifdef __cplusplus
}
#endif

#endif
