/* What the C library's assert and abort, and C++, ask for: a panic, since there is nobody to return to. */
#include <stdlib.h>

#include "hal.h"

void abort(void) { hal_panic(FW_HALT_ASSERTION, "abort"); }

void __assert_func(const char *file, int line, const char *function, const char *expression)
    __attribute__((__noreturn__));
void __assert_func(const char *file, int line, const char *function, const char *expression) {
  hal_panic(FW_HALT_ASSERTION, "%s:%d: %s: %s does not hold", file, line, function ? function : "?", expression);
}

/* A pure virtual function was called. */
void __cxa_pure_virtual(void) __attribute__((__noreturn__));
void __cxa_pure_virtual(void) { hal_panic(FW_HALT_ASSERTION, "a pure virtual function was called"); }

/* Where objects with static lifetime are destroyed: never. */
int atexit(void (*function)(void)) {
  (void)function;
  return 0;
}
