/* The primitives of the HAL on the RISC-V core, what its C library asks for, and the end of an unexpected trap. */
#include <stdio.h>

#include "hal.h"

#define MIE_TIMER (1u << 7) /* also the bit of mip */
#define MIE_EXTERNAL (1u << 11)

/* mstatus.MIE stays 0: interrupts wake, and are never taken. */
void hal_enable_wakeup(void) { __asm__ volatile("csrw mie, %0" : : "r"(MIE_TIMER | MIE_EXTERNAL)); }

void hal_sleep(void) { __asm__ volatile("wfi" : : : "memory"); }

bool hal_timer_expired(void) {
  uint32_t pending;
  __asm__ volatile("csrr %0, mip" : "=r"(pending));
  return (pending & MIE_TIMER) != 0;
}

void hal_halt(enum fw_halt code) {
  hal_write32(SYSCTL_HALT, code);
  for (;;) hal_sleep();
}

/* ---- C library */

static int put(char c, FILE *file) {
  (void)file;
  hal_putc(c);
  return (unsigned char)c;
}
static int get(FILE *file) {
  (void)file;
  const int c = hal_getc();
  return c < 0 ? _FDEV_EOF : c;
}
static FILE console = FDEV_SETUP_STREAM(put, get, NULL, _FDEV_SETUP_RW);
FILE *const stdin = &console;
FILE *const stdout = &console;
FILE *const stderr = &console;

void _exit(int status) { hal_panic(FW_HALT_EXIT, "the firmware ended with status %d", status); }

/* ---- Traps */

struct trap_frame {
  uint32_t x[32]; /* x[0] holds nothing */
};

/* Nothing of the C library: it may be what trapped. */
static void print(const char *text) {
  while (*text != '\0') hal_putc(*text++);
}
static void print_hex(uint32_t value) {
  for (int shift = 28; shift >= 0; shift -= 4) hal_putc("0123456789abcdef"[value >> shift & 0xf]);
}

static const char *cause_text(uint32_t cause) {
  static const char *const texts[] = {
      "misaligned fetch", "fetch access fault",     "illegal instruction", "breakpoint",
      "misaligned load",  "load access fault",      "misaligned store",    "store access fault",
      "ecall (U mode)",   "ecall (S mode)",         "reserved",            "ecall",
  };
  return cause < sizeof texts / sizeof texts[0] ? texts[cause] : "interrupt or unknown";
}

/* From trap_entry (crt0.S), on the trap stack. */
void trap_report(const struct trap_frame *frame) {
  static const char names[32][5] = {"zero", "ra", "sp", "gp", "tp", "t0", "t1", "t2",  "s0",  "s1", "a0",
                                    "a1",   "a2", "a3", "a4", "a5", "a6", "a7", "s2",  "s3",  "s4", "s5",
                                    "s6",   "s7", "s8", "s9", "s10", "s11", "t3", "t4", "t5", "t6"};
  uint32_t cause, pc, value;
  __asm__ volatile("csrr %0, mcause" : "=r"(cause));
  __asm__ volatile("csrr %0, mepc" : "=r"(pc));
  __asm__ volatile("csrr %0, mtval" : "=r"(value));
  print("panic: trap: ");
  print(cause_text(cause));
  print(" (mcause ");
  print_hex(cause);
  print(") at pc ");
  print_hex(pc);
  print(", mtval ");
  print_hex(value);
  for (unsigned i = 1; i < 32; ++i) {
    print(i % 8 == 1 ? "\n  " : "  ");
    print(names[i]);
    print(" ");
    print_hex(frame->x[i]);
  }
  print("\n");
  hal_halt(FW_HALT_TRAP);
}
