/* What the library's other parts tell the loop of type `assisted`. */
#ifndef WARPVP_FIRMWARE_ASSIST_H
#define WARPVP_FIRMWARE_ASSIST_H

#include <stdbool.h>

/* The queue's head was admitted or rejected: another one may come. False: none waits there, or hardware does not
   assist. */
bool fw_assist_settled(unsigned queue);

/* Another loop begins. For programs that follow one another in a process of the host. */
void fw_assist_ends(void);

#endif
