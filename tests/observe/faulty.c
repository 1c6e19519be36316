/* Firmware that makes one mistake, in the function called `culprit`, and has a handler that would hide it. */
#include <stdint.h>

#define NOINLINE __attribute__((noinline))
volatile uint32_t table[4];
volatile uint32_t sink;

void _exit(int code) {
  (void)code;
  for (;;) __asm__ volatile("wfi");
}
/* A handler's way out: leave the machine spinning, so that only the check tells what happened. */
void trap_report(uint32_t *registers) {
  (void)registers;
  for (;;) ++sink;
}

#if defined(NULL_STORE)
static NOINLINE void culprit(volatile uint32_t *p) { p[4] = 1; }
int main(void) { culprit((volatile uint32_t *)0); }
#elif defined(NULL_CALL)
static NOINLINE void culprit(void (*function)(void)) { function(); sink = 1; }
int main(void) { culprit((void (*)(void))0); }
#elif defined(WILD_LOAD)
static NOINLINE void culprit(volatile uint32_t *p) { sink = p[0x2000000]; }
int main(void) { culprit(table); }
#elif defined(CODE_STORE)
static NOINLINE void culprit(volatile uint32_t *p) { p[1] = 0; }
int main(void) { culprit((volatile uint32_t *)(uintptr_t)main); }
#elif defined(STACK_OVERFLOW)
static NOINLINE uint32_t culprit(uint32_t depth) {
  volatile uint32_t frame[60];
  frame[depth % 60] = depth;
  return sink == 1 ? 0 : culprit(depth + 1) + frame[depth % 60];
}
int main(void) { sink = culprit(2); }
#elif defined(MISALIGNED)
static NOINLINE void culprit(volatile uint8_t *p) { *(volatile uint32_t *)(p + 2) = 1; }
int main(void) { culprit((volatile uint8_t *)table); }
#elif defined(READ_ONLY_REGISTER)
static NOINLINE void culprit(volatile uint32_t *p) { *p = 1; }
int main(void) { culprit((volatile uint32_t *)0x00145000); } /* SYSCTL_QUEUES */
#endif
