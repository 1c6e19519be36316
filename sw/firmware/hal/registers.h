/* Addresses of the registers that firmware uses, as the 32-bit core sees them (docs/register-map.md says what each
   one does). */
#ifndef WARPVP_FIRMWARE_REGISTERS_H
#define WARPVP_FIRMWARE_REGISTERS_H

/* Command processor, the host's side */
#define CP_Q_RING_BASE(q) (0x00101000u + 0x40u * (q))    /* 64 bits */
#define CP_Q_RING_PACKETS(q) (0x00101008u + 0x40u * (q)) /* 32 bits */
#define CP_Q_READ_INDEX(q) (0x00101010u + 0x40u * (q))   /* 64 bits */
#define CP_Q_WRITE_INDEX(q) (0x00101018u + 0x40u * (q))  /* 64 bits */

/* Scheduler port */
#define QC_READY(i) (0x00110000u + 4u * (i))
#define QC_EVENT_COUNT 0x00110040u
#define QC_EVENT 0x00110044u
#define QC_EVENT_POP 0x00110048u
#define QC_FORWARD 0x00110050u
#define QC_TAKE 0x00110054u
#define QC_STOP 0x00110058u
#define QC_STOP_INDEX 0x00110060u /* 64 bits */
#define QC_SIGNAL 0x00110068u     /* 64 bits */
#define QC_START_NS 0x00110070u   /* 64 bits */
#define QC_COMPLETE 0x00110078u
#define QC_HEAD_TYPE(q) (0x00120000u + 0x100u * (q))
#define QC_HEAD_INDEX(q) (0x00120004u + 0x100u * (q))
#define QC_HEAD_IN_FLIGHT(q) (0x00120008u + 0x100u * (q))
#define QC_HEAD_SIGNAL(q) (0x00120010u + 0x100u * (q))      /* 64 bits */
#define QC_HEAD_DOORBELL_NS(q) (0x00120018u + 0x100u * (q)) /* 64 bits */
#define QC_HEAD_LAUNCH_ID(q) (0x00120020u + 0x100u * (q))
#define QC_HEAD_STREAM(q) (0x00120024u + 0x100u * (q))
#define QC_HEAD_CONTEXT(q) (0x00120028u + 0x100u * (q))
#define QC_HEAD_PRIORITY(q) (0x0012002cu + 0x100u * (q))
#define QC_HEAD_BUDGET(q) (0x00120030u + 0x100u * (q))
#define QC_HEAD_JOB(q) (0x00120034u + 0x100u * (q))
#define QC_HEAD_DEADLINE_NS(q) (0x00120038u + 0x100u * (q)) /* 64 bits */
#define QC_HEAD_ENQUEUE_NS(q) (0x00120040u + 0x100u * (q))  /* 64 bits */
#define QC_HEAD_PAYLOAD(q) (0x00120080u + 0x100u * (q))

/* Devices */
#define UART_DATA 0x00140000u
#define UART_STATUS 0x00140004u
#define UART_RX_POP 0x00140008u
#define TIMER_MTIME 0x00141000u    /* 64 bits */
#define TIMER_MTIMECMP 0x00141008u /* 64 bits */
#define INTC_PENDING 0x00142000u
#define INTC_ENABLE 0x00142004u
#define INTC_RAW 0x00142008u
#define MAILBOX_TO_CORE_COUNT 0x00143000u
#define MAILBOX_TO_CORE 0x00143004u
#define MAILBOX_TO_CORE_POP 0x00143008u
#define MAILBOX_TO_HOST 0x0014300cu
#define PERF_COUNT 0x00144000u
#define PERF_VALUE(i) (0x00144010u + 8u * (i)) /* 64 bits */
#define SYSCTL_QUEUES 0x00145000u
#define SYSCTL_SLOTS 0x00145004u
#define SYSCTL_ENGINES 0x00145008u
#define SYSCTL_CLOCK_KHZ 0x0014500cu
#define SYSCTL_SIGNAL_POLL_NS 0x00145010u
#define SYSCTL_HALT 0x00145014u
#define SYSCTL_MSIP 0x00145018u
#define SYSCTL_APERTURE(i) (0x00145020u + 8u * (i)) /* 64 bits */
#define SYSCTL_PARAMETER(i) (0x00145040u + 4u * (i))

/* Work distributor */
#define WD_KSR_PRIORITY(s) (0x0020101cu + 0x100u * (s))
#define WD_KSR_BUDGET(s) (0x00201020u + 0x100u * (s))
#define WD_KSR_START(s) (0x00201080u + 0x100u * (s))
#define WD_KSR_STATUS(s) (0x00201084u + 0x100u * (s))
#define WD_KSR_ISSUED(s) (0x00201088u + 0x100u * (s)) /* 64 bits */
#define WD_KSR_DONE(s) (0x00201090u + 0x100u * (s))   /* 64 bits */

/* DMA engines */
#define DMA_START(e) (0x00300024u + 0x100u * (e))

#endif
