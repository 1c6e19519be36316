/* Strict priority: the most urgent packet goes first, packets of equal priority round robin. With ageing
   (command_processor.ageing_us) a packet gains 1 whenever it has waited that long since its doorbell, so that nothing
   waits for ever. All gain at the same rate, so their order does not change as they wait: it is that of the doorbells'
   times, moved ahead by priority times that time. */
#include "policy.h"
#include "ranks.h"

static uint32_t ageing_ns;

static bool more_urgent(unsigned a, unsigned b) { return fw_queues[a].priority > fw_queues[b].priority; }

/* 64 bits hold it for whatever priority: at most 2^31 * 10^9 ns of ageing is refused by the platform's limit of 1 s. */
static int64_t due(unsigned queue) {
  return (int64_t)fw_queues[queue].doorbell_ns - (int64_t)fw_queues[queue].priority * ageing_ns;
}
static bool due_before(unsigned a, unsigned b) { return due(a) < due(b); }

static void init(void) { ageing_ns = hal_read32(SYSCTL_AGEING_NS); }

static void head(unsigned queue) {
  if (ageing_ns != 0 && !fw_assisted()) fw_queues[queue].doorbell_ns = hal_read64(QC_HEAD_DOORBELL_NS(queue));
}

static int pick(const struct fw_set *can_start) {
  return fw_best(can_start, fw_last_started(), ageing_ns != 0 ? due_before : more_urgent);
}

/* Greater priority, smaller rank; with ageing in 64 ns, which reaches 68 s either way. */
static uint32_t rank(unsigned queue) {
  if (ageing_ns == 0) return 0x7fffffffu - (uint32_t)fw_queues[queue].priority;
  const int64_t time = (due(queue) >> 6) + 0x40000000;
  return time < 0 ? 0 : time > FW_RANK_LAST ? FW_RANK_LAST : (uint32_t)time;
}

FW_POLICY = {.name = "priority",
             .reads = FW_READ_PRIORITY,
             .options = FW_OPTION_ROUND,
             .init = init,
             .head = head,
             .pick = pick,
             .rank = rank};
