#include "look_ahead.h"

#include "fw_queue.h"
#include "hal.h"
#include "late.h"

#define PACKET_WORDS (FW_PACKET_BYTES / 4)
#define AT_ONCE (FW_BURST_WORDS / PACKET_WORDS)

/* The queue's registers from RING_BASE to WRITE_INDEX, in one burst. */
struct ring {
  uint64_t base;
  uint32_t packets, read, written;
};
static void read_ring(unsigned queue, struct ring *ring) {
  uint32_t word[(CP_Q_WRITE_INDEX_AT - CP_Q_RING_BASE_AT) / 4 + 1];
  hal_read_burst(CP_Q_RING_BASE(queue), word, sizeof word / 4);
  ring->base = (uint64_t)word[1] << 32 | word[0];
  ring->packets = word[2];
  ring->read = word[(CP_Q_READ_INDEX_AT - CP_Q_RING_BASE_AT) / 4];
  ring->written = word[(CP_Q_WRITE_INDEX_AT - CP_Q_RING_BASE_AT) / 4];
}

/* Most grids and workgroups have one dimension, and divisions are slow. */
static uint32_t workgroups(uint32_t items, uint32_t size) {
  if (items == size || size == 0) return 1;
  return size == 1 ? items : items / size;
}

static uint32_t ctas_of(const struct fw_kernel_packet *kernel) {
  uint64_t ctas = 1;
  for (unsigned d = 0; d < 3; ++d) ctas *= workgroups(kernel->grid_size[d], kernel->workgroup_size[d]);
  return ctas > UINT32_MAX ? UINT32_MAX : (uint32_t)ctas;
}

void fw_look_ahead(unsigned queue, struct fw_look *look, bool (*wants_time)(uint32_t name),
                   void (*found)(unsigned queue, uint32_t name, uint32_t ctas, uint32_t expected_ns)) {
  struct ring ring;
  read_ring(queue, &ring);
  look->ring_full = ring.written - ring.read >= ring.packets;
  /* What has started meanwhile may have been overwritten. */
  if (!look->begun || (int32_t)(ring.read - look->next) > 0) look->next = ring.read;
  look->begun = true;
  static FW_LATE struct fw_packet packets[AT_ONCE];
  while (!look->complete && look->next != ring.written) {
    const uint32_t place = look->next & (ring.packets - 1);
    uint32_t n = ring.written - look->next;
    if (n > AT_ONCE) n = AT_ONCE;
    if (n > ring.packets - place) n = ring.packets - place;
    hal_read_burst(hal_map(ring.base + (uint64_t)FW_PACKET_BYTES * place), packets[0].word, n * PACKET_WORDS);
    for (uint32_t i = 0; i < n && !look->complete; ++i) {
      const struct fw_packet *packet = &packets[i];
      const bool is_kernel = (packet->header & FW_TYPE_MASK) == FW_KERNEL;
      const uint32_t name = (uint32_t)(packet->kernel.kernel_object >> 6);
      struct fw_extension extension;
      extension.expected_ns = 0;
      /* Where the number of kernels is not known, each packet's record says whose it is. */
      if (look->kernels == 0 || (is_kernel && wants_time(name))) {
        const bool has = fw_peek_extension(packet, &extension);
        if (look->kernels == 0 && (!has || extension.job != look->job)) {
          look->complete = true;
          return;
        }
        if (!has) extension.expected_ns = 0;
        if (has && (extension.job_flags & FW_JOB_LAST) != 0) look->complete = true;
      }
      ++look->next;
      if (!is_kernel) continue;
      found(queue, name, ctas_of(&packet->kernel), extension.expected_ns);
      if (++look->seen == look->kernels && look->kernels != 0) look->complete = true;
    }
  }
}
