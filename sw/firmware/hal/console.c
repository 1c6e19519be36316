/* The console: printf on every kind of core. On the RISC-V core stdout and stderr of the C library lead here as
   well. */
#include <stdarg.h>
#include <stdio.h>

#include "hal.h"

void hal_putc(char c) { hal_write32(UART_DATA, (unsigned char)c); }

int hal_getc(void) {
  if ((hal_read32(UART_STATUS) & 1u) == 0) return -1;
  const uint32_t byte = hal_read32(UART_DATA);
  hal_write32(UART_RX_POP, 1);
  return (int)byte;
}

/* A line longer than this is cut: there is no heap. */
#define LINE_BYTES 256

static int print(const char *format, va_list arguments) {
  char line[LINE_BYTES];
  const int length = vsnprintf(line, sizeof line, format, arguments);
  for (const char *c = line; *c != '\0'; ++c) hal_putc(*c);
  return length;
}

int hal_printf(const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  const int length = print(format, arguments);
  va_end(arguments);
  return length;
}

void hal_panic(enum fw_halt code, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  hal_printf("panic: ");
  print(format, arguments);
  hal_putc('\n');
  va_end(arguments);
  hal_halt(code);
}
