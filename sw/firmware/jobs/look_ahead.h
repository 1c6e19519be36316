/* Reads the packets of a job in its queue's ring. */
#ifndef WARPVP_FIRMWARE_LOOK_AHEAD_H
#define WARPVP_FIRMWARE_LOOK_AHEAD_H

#include <stdbool.h>
#include <stdint.h>

/* Where the look at a queue has got to. */
struct fw_look {
  uint32_t job, next;      /* its number; lower half of the index of the first packet not looked at */
  uint16_t kernels, seen;  /* that it has in all (0: not said), and that were looked at */
  bool begun;              /* before, it begins at the head */
  bool complete;           /* all of them were, or its last packet */
  bool ring_full;          /* there is no room for more before some have started */
};

/* Looks at what has been announced since. `found` is called for each kernel: `name` as in fw_head, and the time that
   the host expects it to take, if `wants_time(name)`. */
void fw_look_ahead(unsigned queue, struct fw_look *look, bool (*wants_time)(uint32_t name),
                   void (*found)(unsigned queue, uint32_t name, uint32_t ctas, uint32_t expected_ns));

#endif
