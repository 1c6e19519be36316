/* Fewest CTAs first, so that short kernels do not wait behind long ones. The example of docs/firmware.md. */
#include "policy.h"

static uint32_t ctas[FW_MAX_QUEUES]; /* of each queue's head; 0: no kernel */

static void head(unsigned queue) {
  struct fw_packet packet;
  ctas[queue] = 0;
  if (fw_queues[queue].type != FW_KERNEL || !fw_peek(queue, 0, &packet)) return;
  ctas[queue] = 1;
  for (int d = 0; d < 3; ++d) ctas[queue] *= packet.kernel.grid_size[d] / packet.kernel.workgroup_size[d];
}

static bool smaller(unsigned a, unsigned b) { return ctas[a] < ctas[b]; }

static int pick(const struct fw_set *can_start) { return fw_best(can_start, fw_last_started(), smaller); }

FW_POLICY = {.name = "small_first", .head = head, .pick = pick};
