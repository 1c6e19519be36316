/* Policies for the native core that go wrong, in place of those of sw/firmware/policies. */
#include <stdlib.h>

#include "native.h"
#include "policy.h"

static volatile int zero = 0;
static volatile unsigned counter = 0;

static int pick(const struct fw_set *can_start) { return fw_next(can_start, 0); }

static int *volatile nowhere = (int *)16;
static void write_nowhere(void) { *nowhere = 1; }
static void divide(void) { counter = (unsigned)(100 / zero); }
static void trap(void) { __builtin_trap(); }
/* Says to a test that the loop has begun. */
volatile int native_loop_begun = 0;
static void loop(void) {
  native_loop_begun = 1;
  while (zero == 0) ++counter;
}
static int descend(int depth) {
  volatile char room[512];
  room[0] = (char)depth;
  return zero == 0 ? descend(depth + 1) + room[0] : 0;
}
static void overflow(void) { counter = (unsigned)descend(0); }
static void call_abort(void) { abort(); }
static void call_exit(void) { exit(7); }
static void store_for_ever(void) {
  for (uint64_t i = 0;; ++i) hal_write32(QC_START_NS, (uint32_t)i);
}
/* Words to the host, to a place that the runtime has mapped and does not use here: the last of its mirrors of
 * signals, which follow the error record. */
static int send_for_ever(const struct fw_set *can_start) {
  (void)can_start;
  hal_write32(MAILBOX_HOST_ADDRESS, hal_read32(CP_ERROR_MAILBOX) + 4096 + 1023 * 24);
  hal_write32(MAILBOX_HOST_ADDRESS + 4, hal_read32(CP_ERROR_MAILBOX + 4));
  for (uint32_t i = 0;; ++i) hal_send_host(i);
  return -1;
}
static int crash_in_pick(const struct fw_set *can_start) {
  *nowhere = fw_next(can_start, 0);
  return -1;
}
static int pick_outside(const struct fw_set *can_start) {
  (void)can_start;
  return 1000;
}

static const struct fw_policy writes_nowhere = {.name = "writes_nowhere", .init = write_nowhere, .pick = pick};
static const struct fw_policy crashes_in_pick = {.name = "crashes_in_pick", .pick = crash_in_pick};
static const struct fw_policy divides = {.name = "divides", .init = divide, .pick = pick};
static const struct fw_policy traps = {.name = "traps", .init = trap, .pick = pick};
static const struct fw_policy loops = {.name = "loops", .init = loop, .pick = pick};
static const struct fw_policy overflows = {.name = "overflows", .init = overflow, .pick = pick};
static const struct fw_policy aborts = {.name = "aborts", .init = call_abort, .pick = pick};
static const struct fw_policy exits = {.name = "exits", .init = call_exit, .pick = pick};
static const struct fw_policy stores = {.name = "stores_for_ever", .init = store_for_ever, .pick = pick};
static const struct fw_policy sends = {.name = "sends_for_ever", .pick = send_for_ever};
static const struct fw_policy picks_outside = {.name = "picks_outside", .pick = pick_outside};

const struct fw_native_policy fw_native_policies[] = {
    {"writes_nowhere", &writes_nowhere}, {"crashes_in_pick", &crashes_in_pick}, {"divides", &divides},
    {"traps", &traps},                   {"loops", &loops},                     {"overflows", &overflows},
    {"aborts", &aborts},                 {"exits", &exits},                     {"stores_for_ever", &stores},
    {"sends_for_ever", &sends},          {"picks_outside", &picks_outside},
};
const unsigned fw_native_policy_count = sizeof fw_native_policies / sizeof fw_native_policies[0];
