/* What the library's other parts tell the loop of type `assisted`. */
#ifndef WARPVP_FIRMWARE_ASSIST_H
#define WARPVP_FIRMWARE_ASSIST_H

/* The queue's head was admitted or rejected: another one may come. */
void fw_assist_settled(unsigned queue);

#endif
