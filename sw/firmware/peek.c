/* Looking ahead over the packets of a queue, in its ring in device memory. */
#include "fw_queue.h"
#include "hal.h"

#define EXTENSION_MAGIC 0x54584557u /* "WEXT" */

uint32_t fw_pending(unsigned queue) {
  const uint32_t read = hal_read32(CP_Q_READ_INDEX(queue));
  const uint32_t written = hal_read32(CP_Q_WRITE_INDEX(queue));
  return written - read;
}

static void read_record(uint64_t address, uint32_t *words) {
  hal_read_burst(hal_map(address), words, FW_PACKET_BYTES / 4);
}

bool fw_peek(unsigned queue, uint32_t ahead, struct fw_packet *packet) {
  const uint32_t read = hal_read32(CP_Q_READ_INDEX(queue));
  const uint32_t written = hal_read32(CP_Q_WRITE_INDEX(queue));
  if (ahead >= written - read) return false;
  const uint64_t ring = hal_read64(CP_Q_RING_BASE(queue));
  const uint32_t packets = hal_read32(CP_Q_RING_PACKETS(queue));
  read_record(ring + (uint64_t)FW_PACKET_BYTES * ((read + ahead) & (packets - 1)), packet->word);
  return true;
}

bool fw_peek_extension(const struct fw_packet *packet, struct fw_extension *extension) {
  const uint64_t address = packet->barrier.extension; /* at the same place in every packet */
  if (address == 0 || address % FW_PACKET_BYTES != 0) return false;
  read_record(address, extension->word);
  return extension->magic == EXTENSION_MAGIC;
}
