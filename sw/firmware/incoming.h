/* What comes to the firmware in queues of hardware's, for both loops: events of the scheduler port and words of the
   host. In a header, since a call of its own would make every event dearer. */
#ifndef WARPVP_FIRMWARE_INCOMING_H
#define WARPVP_FIRMWARE_INCOMING_H

#include "hal.h"

/* Takes all events that wait (FW_EVENT_*), the oldest first. Popped before they are handled: whoever reads the next
   one meanwhile gets another. */
static inline void fw_events(void (*handle)(uint32_t event)) {
  for (uint32_t event = hal_read32(QC_EVENT); event != 0; event = hal_read32(QC_EVENT)) {
    hal_write32(QC_EVENT_POP, 1);
    handle(event);
  }
}

/* Takes all words that the host has put into the mailbox. */
static inline void fw_messages(void (*message)(uint32_t word)) {
  while (hal_read32(MAILBOX_TO_CORE_COUNT) != 0) {
    const uint32_t word = hal_read32(MAILBOX_TO_CORE);
    hal_write32(MAILBOX_TO_CORE_POP, 1);
    message(word);
  }
}

#endif
