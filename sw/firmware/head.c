/* All that the hardware knows of a head, in one access. */
#include "fw_queue.h"
#include "hal.h"

#define FIRST QC_HEAD_DOORBELL_NS_AT
#define WORDS ((QC_HEAD_CTAS_AT + 4 - FIRST) / 4)

void fw_read_head(unsigned q, struct fw_head *head) {
  uint32_t word[WORDS];
  hal_read_burst(QC_HEAD_TYPE(q) + FIRST, word, WORDS);
#define FIELD(name) word[(QC_HEAD_##name##_AT - FIRST) / 4]
#define WIDE(name) ((uint64_t)word[(QC_HEAD_##name##_AT - FIRST) / 4 + 1] << 32 | FIELD(name))
  struct fw_queue *queue = &fw_queues[q];
  queue->doorbell_ns = WIDE(DOORBELL_NS);
  queue->launch = FIELD(LAUNCH_ID);
  queue->stream = FIELD(STREAM);
  queue->context = FIELD(CONTEXT);
  queue->priority = (int32_t)FIELD(PRIORITY);
  queue->budget = FIELD(BUDGET);
  queue->job = FIELD(JOB);
  queue->deadline_ns = WIDE(DEADLINE_NS);
  queue->enqueue_ns = WIDE(ENQUEUE_NS);
  head->arrival_ns = WIDE(JOB_ARRIVAL_NS);
  head->job_index = FIELD(JOB_INDEX);
  head->job_kernels = FIELD(JOB_KERNELS);
  head->job_flags = FIELD(JOB_FLAGS);
  head->expected_ns = FIELD(EXPECTED_NS);
  head->kernel = FIELD(KERNEL);
  head->ctas = FIELD(CTAS);
}
