/* Numbers that hardware and firmware share beyond the register addresses of registers.h. Those the platform defines
   are compared with interconnect/register_map.h and interconnect/aql.h by tests/firmware. */
#ifndef WARPVP_FIRMWARE_CODES_H
#define WARPVP_FIRMWARE_CODES_H

/* AQL packet types (bits 7:0 of QC_HEAD_TYPE and of a packet's header) and the barrier bit beside them. */
enum fw_packet_type {
  FW_COPY = 0,    /* the vendor packet of this device */
  FW_NO_HEAD = 1, /* the queue has no head (any more) */
  FW_KERNEL = 2,
  FW_BARRIER_AND = 3,
  FW_BARRIER_OR = 5,
};
#define FW_TYPE_MASK 0xffu
#define FW_BARRIER_BIT 0x100u

/* What QC_EVENT says, in bits 31:24; bits 23:0 hold the index. */
enum fw_event {
  FW_EVENT_NONE = 0,
  FW_EVENT_KERNEL_DONE = 1,     /* index: kernel slot */
  FW_EVENT_COPY_DONE = 2,       /* index: DMA engine */
  FW_EVENT_COPY_FAILED = 3,     /* index: DMA engine */
  FW_EVENT_SIGNALS_CHANGED = 4, /* index: bits 29:6 of the signal's address, or 0: any signal may have changed */
  FW_EVENT_QUEUE_CHANGED = 5,   /* index: queue that was mapped, unmapped or stopped */
  FW_EVENT_DOORBELL = 6,        /* index: queue that has more packets behind others */
  FW_EVENT_PRIORITY = 7,        /* index: queue whose priority the host has changed */
  FW_EVENT_LOG_HALF = 8,        /* the log is half full */
};
#define FW_EVENT_KIND(event) ((event) >> 24)
#define FW_EVENT_INDEX(event) ((event)&0xffffffu)

/* Why a queue stops: upper half of QC_STOP. */
enum fw_queue_error {
  FW_BAD_PACKET_TYPE = 1,
  FW_BAD_DIMENSIONS = 2,
  FW_BAD_KERNEL_OBJECT = 3,
  FW_BAD_ADDRESS = 4,
  FW_CTA_NEVER_FITS = 5,
  FW_RING_OVERRUN = 6,
  FW_QUEUE_NOT_MAPPED = 7,
  FW_COPY_FAILED = 8,
  FW_BAD_COPY = 9,
  FW_DISPATCH_FAILED = 10,
};

/* WD_KSR_STATUS after a start. A short kernel may have ended before its status is read: then it is free again. */
enum fw_slot_status {
  FW_SLOT_FREE = 0,
  FW_SLOT_RUNNING = 1,
  FW_SLOT_NEVER_FITS = 2,
  FW_SLOT_BAD_DIMENSIONS = 3,
  FW_SLOT_BUSY = 4,
};

/* Lines of the interrupt controller, as bits of INTC_PENDING and INTC_ENABLE. */
#define FW_IRQ_HEAD (1u << 0)    /* a queue's head became ready */
#define FW_IRQ_EVENT (1u << 1)   /* an event was queued */
#define FW_IRQ_MAILBOX (1u << 2) /* the host sent a word */
#define FW_IRQ_UART_RX (1u << 3) /* the console received a byte */

#define FW_NO_DESTINATION 0xffffu /* QC_TAKE of a barrier packet */

/* The 32-bit core's four windows into the 64-bit bus. */
#define FW_APERTURE_BASE 0xc0000000u
#define FW_APERTURE_BYTES 0x10000000u
#define FW_APERTURES 4u

#define FW_PARAMETERS 8u

/* Bits of QC_OPTIONS: what else a policy wants of the hardware. All but the first are for type `assisted`, whose
   hardware starts packets; the firmware's library does the same where there is none such. */
#define FW_OPTION_DOORBELLS (1u << 0)      /* FW_EVENT_DOORBELL */
#define FW_OPTION_GATES (1u << 1)          /* a head waits until QC_ADMIT is written; then its whole job goes */
#define FW_OPTION_RANKED_KERNELS (1u << 2) /* ranks are priorities of kernels that run, too */
#define FW_OPTION_LOG (1u << 3)            /* what was started and what ended goes into QC_LOG */
#define FW_OPTION_TURNS (1u << 4)          /* equal ranks take turns; else the one admitted first goes on */
#define FW_OPTION_ROUND (1u << 5)          /* of equal ranks goes the first queue after the one that started last */

/* An entry of QC_LOG: what (kind << 30 | destination << 16 | gate closed << 15 | queue), time in ns (lower half),
   kernel (bits 37:6 of its object, 0: none), CTAs. */
#define FW_LOG_WORDS 4u
#define FW_LOG_WINDOW 16u
#define FW_LOG_STARTED 1u
#define FW_LOG_DONE 2u
#define FW_LOG_NO_DESTINATION 0x3fffu

/* Words that one hal_read_burst or hal_write_burst moves at most. */
#define FW_BURST_WORDS 64u

/* What SYSCTL_HALT is told. */
enum fw_halt {
  FW_HALT_TRAP = 1,
  FW_HALT_ASSERTION = 2,
  FW_HALT_POLICY = 3,   /* a policy broke its contract */
  FW_HALT_HARDWARE = 4, /* a device said what it cannot say */
  FW_HALT_EXIT = 5,     /* main or exit returned */
};

#endif
