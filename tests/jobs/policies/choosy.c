/* Round robin that wants no job of a deadline below parameter 0 (us) from now, and of each other job not its second
   packet if parameter 1 is set. */
#include "policy.h"

static void head(unsigned queue) {
  const struct fw_queue *head = &fw_queues[queue];
  if (head->job == 0) return;
  if (head->deadline_ns != 0 && head->deadline_ns < hal_now_ns() + 1000ull * hal_parameter(0)) {
    fw_reject_job(queue, 100 + head->job);
  } else if (hal_parameter(1) != 0 && hal_read32(QC_HEAD_JOB_INDEX(queue)) == 1) {
    fw_reject(queue, 9);
  }
}

static int pick(const struct fw_set *can_start) { return fw_after(can_start, fw_last_started()); }

FW_POLICY = {.name = "choosy", .reads = FW_READ_JOB | FW_READ_DEADLINE, .head = head, .pick = pick};
