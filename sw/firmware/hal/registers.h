/* Addresses of the device's registers as the command processor's core sees them. Generated from the
   register blocks' declarations; do not edit. NAME(n) is one of several; NAME_AT is its offset within
   one of them; 64-bit registers take two accesses of 32 bits, low half first in memory.
   docs/register-map.md has the same as tables. */
#ifndef WARPVP_FIRMWARE_REGISTERS_H
#define WARPVP_FIRMWARE_REGISTERS_H

/* Command processor. Queues (Q_ registers, one set a queue), their doorbells and the mailboxes through which
   the work distributor and the DMA engines report. To map a queue, write RING_BASE and RING_PACKETS, then 1
   to CONTROL. */
#define CP_BASE 0x00100000u
/* R, 32 bits: Number of hardware queues. */
#define CP_QUEUE_COUNT 0x00100000u
/* R, 32 bits: Times a queue was stopped by an error. */
#define CP_ERROR_COUNT 0x00100004u
/* R, 64 bits in one or two accesses: Simulated time in ns, the clock of signals' times. */
#define CP_TIMESTAMP 0x00100008u
/* RW, 64 bits in one or two accesses: Host bus address to which a QueueErrorRecord is written when a queue
   stops; 0: none. */
#define CP_ERROR_MAILBOX 0x00100010u
/* RW, 32 bits: As INTERRUPT, for a queue that stops; behind its record in ERROR_MAILBOX. */
#define CP_ERROR_INTERRUPT 0x00100018u
/* W, a record of 8 bytes: The work distributor writes a KernelDone record here when a kernel has ended. */
#define CP_KERNEL_DONE 0x00100020u
/* W, a record of 16 bytes: A DMA engine writes a CopyDone record here when a copy has ended. */
#define CP_COPY_DONE 0x00100040u
/* RW, 64 bits in one or two accesses: Device address of the ring, 64-byte aligned. Taken over when CONTROL is
   written. */
#define CP_Q_RING_BASE(n) (0x00101000u + (n) * 0x40u)
#define CP_Q_RING_BASE_AT 0x0u
/* RW, 32 bits: Packets the ring holds, a power of two. Taken over when CONTROL is written. */
#define CP_Q_RING_PACKETS(n) (0x00101008u + (n) * 0x40u)
#define CP_Q_RING_PACKETS_AT 0x8u
/* RW, 32 bits: Writing 1 maps the queue: indices and error become 0 and doorbells are obeyed. 0 unmaps it. 2
   kills one that is mapped, until it is mapped anew: an error is forgotten, and the signals of all its
   packets go down with the mark of a rejection, code 65536: of those that run when they are complete, of the
   others in their turn, and they never run. */
#define CP_Q_CONTROL(n) (0x0010100cu + (n) * 0x40u)
#define CP_Q_CONTROL_AT 0xcu
/* R, 64 bits in one or two accesses: Packets started since the queue was mapped. */
#define CP_Q_READ_INDEX(n) (0x00101010u + (n) * 0x40u)
#define CP_Q_READ_INDEX_AT 0x10u
/* R, 64 bits in one or two accesses: Packets announced by doorbells. */
#define CP_Q_WRITE_INDEX(n) (0x00101018u + (n) * 0x40u)
#define CP_Q_WRITE_INDEX_AT 0x18u
/* R, 64 bits in one or two accesses: Index of the packet that stopped the queue. */
#define CP_Q_ERROR_INDEX(n) (0x00101020u + (n) * 0x40u)
#define CP_Q_ERROR_INDEX_AT 0x20u
/* R, 32 bits: Why the queue stopped: 0 it did not, 1 packet type, 2 dimensions, 3 kernel object, 4 address, 5
   a CTA never fits, 6 ring overrun, 7 doorbell while unmapped, 8 copy failed, 9 copy kind, 10 not dispatched.
   */
#define CP_Q_ERROR(n) (0x00101028u + (n) * 0x40u)
#define CP_Q_ERROR_AT 0x28u
/* R, 32 bits: 0 off, 1 empty, 2 active, 3 head packet waits, 4 stopped. */
#define CP_Q_STATE(n) (0x0010102cu + (n) * 0x40u)
#define CP_Q_STATE_AT 0x2cu
/* RW, 32 bits: Signed priority of packets without a vendor extension. */
#define CP_Q_PRIORITY(n) (0x00101030u + (n) * 0x40u)
#define CP_Q_PRIORITY_AT 0x30u
/* RW, 32 bits: Context of packets without a vendor extension. */
#define CP_Q_CONTEXT(n) (0x00101034u + (n) * 0x40u)
#define CP_Q_CONTEXT_AT 0x34u
/* R, 32 bits: Packets started and not complete. */
#define CP_Q_IN_FLIGHT(n) (0x00101038u + (n) * 0x40u)
#define CP_Q_IN_FLIGHT_AT 0x38u
/* RW, 32 bits: Signed priority of all packets of the queue in place of their own: of its head at once, of its
   kernels that run from their next CTA on (it is written to their KSR_PRIORITY), of those to come.
   0x80000000: each has its own. Mapping the queue sets that. */
#define CP_Q_LIVE_PRIORITY(n) (0x0010103cu + (n) * 0x40u)
#define CP_Q_LIVE_PRIORITY_AT 0x3cu
/* RW, 32 bits: Bit 31: each completion signal of the queue's packets raises the interrupt whose number is in
   bits 15:0, after its value has been posted. 0: none does. */
#define CP_INTERRUPT(n) (0x00106000u + (n) * 0x4u)
#define CP_INTERRUPT_AT 0x0u
/* W, 64 bits: New write index: how many packets have been written since the queue was mapped. */
#define CP_DOORBELL(n) (0x00108000u + (n) * 0x8u)
#define CP_DOORBELL_AT 0x0u

/* Scheduler port. The queues as the firmware sees them. Values with a queue and a destination are destination
   << 16 | queue; destinations are kernel slots for kernels, DMA engines for copies and 0xffff for barrier
   packets. Writes that name what does not exist, or what nobody forwarded, are refused (generic error);
   writes about a head that vanished because its queue was unmapped or stopped, with event 5 still waiting,
   are not. */
#define QC_BASE 0x00110000u
/* R, 32 bits: Bit q % 32 of word q / 32: queue q has a parsed head that has not been taken. */
#define QC_READY(n) (0x00110000u + (n) * 0x4u)
#define QC_READY_AT 0x0u
/* R, 32 bits: Events waiting. */
#define QC_EVENT_COUNT 0x00110040u
/* R, 32 bits: The oldest event: kind << 24 | index; 0: none. Kinds: 1 kernel done (index: kernel slot), 2
   copy done, 3 copy failed (DMA engine), 4 a signal changed (bits 29:6 of its address; 0: any may have), 5
   queue mapped, unmapped or stopped (queue), 6 packets behind the head (queue; if OPTIONS says so), 7 the
   host wrote Q_LIVE_PRIORITY (queue), 8 the log is half full. */
#define QC_EVENT 0x00110044u
/* W, 32 bits: Drops the oldest event; refused when there is none. Dropping event 5 gives back what was
   forwarded from the queue and not taken, and lets its packets be parsed again. */
#define QC_EVENT_POP 0x00110048u
/* W, 32 bits: Destination and queue: copies the head's payload in one burst into that kernel status register
   or DMA engine, which must be free, and reserves it. The write takes the burst's time. READY tells
   afterwards whether the head was still there; if not, zeros were written and nothing is reserved. */
#define QC_FORWARD 0x00110050u
/* W, 32 bits: Destination and queue: the head has been started where it was forwarded to. Read index and
   packets in flight go up by 1, and the next packet is parsed. */
#define QC_TAKE 0x00110054u
/* W, 32 bits: Error and queue: stops the queue at packet STOP_INDEX and gives back what was forwarded and not
   taken. Ignored for a queue that has stopped. */
#define QC_STOP 0x00110058u
/* W, 32 bits: Code << 16 | queue: the head is never started. When everything before it is complete (without
   the barrier bit: at once) it leaves the queue; its signal goes down by 1 and gets bit 63 and the code as
   its start time. The queue goes on. What was forwarded and not taken is given back. Refused for code 0 and
   when there is no head. */
#define QC_REJECT 0x0011005cu
/* RW, 64 bits in one or two accesses: Packet index that STOP reports. */
#define QC_STOP_INDEX 0x00110060u
/* RW, 64 bits in one or two accesses: Completion signal for COMPLETE, or 0. */
#define QC_SIGNAL 0x00110068u
/* RW, 64 bits in one or two accesses: Start time that COMPLETE stamps. */
#define QC_START_NS 0x00110070u
/* W, 32 bits: Queue: one of its packets is complete. Packets in flight go down by 1; if SIGNAL is not 0, that
   signal goes down by 1, gets START_NS and the current time, and is posted to its mirror in host memory;
   event 4 follows when that is visible. Refused when nothing of the queue is in flight. */
#define QC_COMPLETE 0x00110078u
/* W, 32 bits: As REJECT, for the head and all later packets of the queue with the same job, whenever they
   come, until its last one. */
#define QC_REJECT_JOB 0x0011007cu
/* RW, 32 bits: What else firmware wants. Bit 0: event 6. The others are for type assisted, and refused
   without it. Bit 1: heads wait until ADMIT is written; 2: RANK is the priority of kernels that run, too; 3:
   LOG; 4: equal ranks take turns; 5: of equal ranks goes the first queue after the one that started last.
   With neither 4 nor 5, and with 1, the one admitted first. */
#define QC_OPTIONS 0x00110080u
/* R, 32 bits: Type assisted. Entries of the log. */
#define QC_LOG_COUNT 0x00110084u
/* W, 32 bits: Drops so many of the oldest entries; refused where there are not so many. */
#define QC_LOG_POP 0x00110088u
/* R, 32 bits: Type assisted. Bit q % 32 of word q / 32: the head of queue q waits for ADMIT. */
#define QC_GATED(n) (0x001100a0u + (n) * 0x4u)
#define QC_GATED_AT 0x0u
/* W, 32 bits: Type assisted. Writing 1 lets the queue's head start; if it belongs to a job, all packets of it
   up to its last one. */
#define QC_ADMIT(n) (0x00110400u + (n) * 0x4u)
#define QC_ADMIT_AT 0x0u
/* W, 32 bits: Type assisted. Of the heads that could start that of the queue with the smallest rank goes
   first. With bit 2 of OPTIONS its kernels' KSR_PRIORITY is 0x7fffffff - RANK / 2. */
#define QC_RANK(n) (0x00110800u + (n) * 0x4u)
#define QC_RANK_AT 0x0u
/* R, 4 times 32 bits: Type assisted, bit 3 of OPTIONS: the oldest entries of what was started and what ended,
   four words each, 0 where there is none: kind (1 started, 2 ended) << 30 | destination (0x3fff: barrier
   packet) << 16 | 1 << 15 if it was the job's last packet, or of no job | queue; time in ns, lower half; bits
   37:6 of the kernel object, or 0; CTAs. */
#define QC_LOG(n) (0x00110c00u + (n) * 0x10u)
#define QC_LOG_AT 0x0u
/* R, 32 bits: Of the queue's head: AQL packet type, in bit 8 the barrier bit. 1 (invalid): there is no head,
   and its other registers but IN_FLIGHT are 0. */
#define QC_HEAD_TYPE(n) (0x00120000u + (n) * 0x100u)
#define QC_HEAD_TYPE_AT 0x0u
/* R, 32 bits: Low half of the packet's index. */
#define QC_HEAD_INDEX(n) (0x00120004u + (n) * 0x100u)
#define QC_HEAD_INDEX_AT 0x4u
/* R, 32 bits: Packets of the queue that were taken and are not complete. */
#define QC_HEAD_IN_FLIGHT(n) (0x00120008u + (n) * 0x100u)
#define QC_HEAD_IN_FLIGHT_AT 0x8u
/* R, 64 bits in one or two accesses: Completion signal, or 0. */
#define QC_HEAD_SIGNAL(n) (0x00120010u + (n) * 0x100u)
#define QC_HEAD_SIGNAL_AT 0x10u
/* R, 64 bits in one or two accesses: When the doorbell came that announced the packet. */
#define QC_HEAD_DOORBELL_NS(n) (0x00120018u + (n) * 0x100u)
#define QC_HEAD_DOORBELL_NS_AT 0x18u
/* R, 32 bits: Counts commands of the whole run. */
#define QC_HEAD_LAUNCH_ID(n) (0x00120020u + (n) * 0x100u)
#define QC_HEAD_LAUNCH_ID_AT 0x20u
/* R, 32 bits: Stream it came from. */
#define QC_HEAD_STREAM(n) (0x00120024u + (n) * 0x100u)
#define QC_HEAD_STREAM_AT 0x24u
/* R, 32 bits: Context it belongs to. */
#define QC_HEAD_CONTEXT(n) (0x00120028u + (n) * 0x100u)
#define QC_HEAD_CONTEXT_AT 0x28u
/* R, 32 bits: Signed; greater is more urgent. */
#define QC_HEAD_PRIORITY(n) (0x0012002cu + (n) * 0x100u)
#define QC_HEAD_PRIORITY_AT 0x2cu
/* R, 32 bits: QAWS budget. */
#define QC_HEAD_BUDGET(n) (0x00120030u + (n) * 0x100u)
#define QC_HEAD_BUDGET_AT 0x30u
/* R, 32 bits: Job it belongs to: commands that share one deadline; 0: none. */
#define QC_HEAD_JOB(n) (0x00120034u + (n) * 0x100u)
#define QC_HEAD_JOB_AT 0x34u
/* R, 64 bits in one or two accesses: Absolute simulated time; 0: none. */
#define QC_HEAD_DEADLINE_NS(n) (0x00120038u + (n) * 0x100u)
#define QC_HEAD_DEADLINE_NS_AT 0x38u
/* R, 64 bits in one or two accesses: When the host wrote the packet. */
#define QC_HEAD_ENQUEUE_NS(n) (0x00120040u + (n) * 0x100u)
#define QC_HEAD_ENQUEUE_NS_AT 0x40u
/* R, 64 bits in one or two accesses: When its job arrived, absolute simulated time. */
#define QC_HEAD_JOB_ARRIVAL_NS(n) (0x00120048u + (n) * 0x100u)
#define QC_HEAD_JOB_ARRIVAL_NS_AT 0x48u
/* R, 32 bits: Number of the packet in its job, from 0. */
#define QC_HEAD_JOB_INDEX(n) (0x00120050u + (n) * 0x100u)
#define QC_HEAD_JOB_INDEX_AT 0x50u
/* R, 32 bits: Kernels that its job will have in all; 0: the host did not say. */
#define QC_HEAD_JOB_KERNELS(n) (0x00120054u + (n) * 0x100u)
#define QC_HEAD_JOB_KERNELS_AT 0x54u
/* R, 32 bits: Bit 0: the last packet of its job. */
#define QC_HEAD_JOB_FLAGS(n) (0x00120058u + (n) * 0x100u)
#define QC_HEAD_JOB_FLAGS_AT 0x58u
/* R, 32 bits: Time that the kernel takes alone on the device, as the host expects; 0: it did not say. */
#define QC_HEAD_EXPECTED_NS(n) (0x0012005cu + (n) * 0x100u)
#define QC_HEAD_EXPECTED_NS_AT 0x5cu
/* R, 32 bits: Of a kernel: bits 37:6 of its kernel object, which tell kernels apart. */
#define QC_HEAD_KERNEL(n) (0x00120060u + (n) * 0x100u)
#define QC_HEAD_KERNEL_AT 0x60u
/* R, 32 bits: Of a kernel: CTAs in all. */
#define QC_HEAD_CTAS(n) (0x00120064u + (n) * 0x100u)
#define QC_HEAD_CTAS_AT 0x64u
/* R, 22 times 32 bits: What FORWARD copies: the image of a kernel status register (KSR_KERNEL_OBJECT to
   KSR_DEADLINE) or a DMA engine's SOURCE to TAG; of a barrier packet five signal addresses of 64 bits, 0
   where none is named. */
#define QC_HEAD_PAYLOAD(n) (0x00120080u + (n) * 0x100u)
#define QC_HEAD_PAYLOAD_AT 0x80u

/* UART. The firmware's console. */
#define UART_BASE 0x00140000u
/* RW, 32 bits: Write: sends bits 7:0. Read: the oldest byte received, 0 when there is none; RX_POP drops it.
   */
#define UART_DATA 0x00140000u
/* R, 32 bits: Bit 0: a byte has been received. Sending never waits. */
#define UART_STATUS 0x00140004u
/* W, 32 bits: Drops the oldest byte received; without one, nothing happens. */
#define UART_RX_POP 0x00140008u

/* Timer. Machine timer; its interrupt is MTIP of the core. */
#define TIMER_BASE 0x00141000u
/* R, 64 bits in one or two accesses: Simulated time in ns. */
#define TIMER_MTIME 0x00141000u
/* RW, 64 bits in one or two accesses: The interrupt is raised while MTIME is at least this. */
#define TIMER_MTIMECMP 0x00141008u

/* Interrupt controller. One bit a line: 0 a queue's head became ready, 1 an event was queued, 2 the host sent
   a word, 3 the console received a byte. PENDING & ENABLE != 0 raises MEIP of the core. */
#define INTC_BASE 0x00142000u
/* RW, 32 bits: Lines on which something happened; writing 1 to a bit clears it. */
#define INTC_PENDING 0x00142000u
/* RW, 32 bits: Lines that may interrupt. */
#define INTC_ENABLE 0x00142004u
/* R, 32 bits: What is there now: a ready head, an event, a word, a byte. */
#define INTC_RAW 0x00142008u

/* Host mailbox. Words between the host and the firmware. The host writes SEND, HOST_ADDRESS and HOST_RECORDS,
   the firmware uses the rest. */
#define MAILBOX_BASE 0x00143000u
/* R, 32 bits: Words from the host that wait. */
#define MAILBOX_TO_CORE_COUNT 0x00143000u
/* R, 32 bits: The oldest of them, 0 when there is none. */
#define MAILBOX_TO_CORE 0x00143004u
/* W, 32 bits: Drops the oldest word; refused (generic error) when there is none. */
#define MAILBOX_TO_CORE_POP 0x00143008u
/* W, 32 bits: Sends a word: a record of the number of words sent and the word is posted to HOST_ADDRESS,
   where HOST_RECORDS of them lie in a row that are written in turn. Without that address the word is only
   counted. */
#define MAILBOX_TO_HOST 0x0014300cu
/* W, 32 bits: The host sends a word to the firmware. Refused (command error) while 16 words wait. */
#define MAILBOX_SEND 0x00143010u
/* RW, 64 bits in one or two accesses: Host bus address of the records for words to the host; 0: none. */
#define MAILBOX_HOST_ADDRESS 0x00143018u
/* RW, 32 bits: Records at HOST_ADDRESS; 0 counts as 1. */
#define MAILBOX_HOST_RECORDS 0x00143020u

/* Performance counters. Counts of the platform, for the firmware. */
#define PERF_BASE 0x00144000u
/* R, 32 bits: Counters there are. */
#define PERF_COUNT 0x00144000u
/* R, 64 bits in one or two accesses: Counters since the start: 0 SM_CYCLES (cycles of the SM clock), 1
   WARP_INSTRUCTIONS (warp instructions issued, all SMs), 2 CTAS_ISSUED (CTAs launched), 3 CTAS_DONE (CTAs
   done), 4 L2_ACCESSES (accesses to the L2 cache, all banks), 5 L2_MISSES (of these, misses), 6 DRAM_BYTES
   (bytes read from and written to DRAM, all channels), 7 REGISTER_ACCESSES (accesses on the register bus);
   further ones are 0. */
#define PERF_VALUE(n) (0x00144010u + (n) * 0x8u)
#define PERF_VALUE_AT 0x0u

/* System control. The machine around the core, and its apertures. */
#define SYSCTL_BASE 0x00145000u
/* R, 32 bits: Hardware queues. */
#define SYSCTL_QUEUES 0x00145000u
/* R, 32 bits: Kernel status registers. */
#define SYSCTL_SLOTS 0x00145004u
/* R, 32 bits: DMA engines. */
#define SYSCTL_ENGINES 0x00145008u
/* R, 32 bits: Clock of the core. */
#define SYSCTL_CLOCK_KHZ 0x0014500cu
/* R, 32 bits: How often to look at the signals of waiting barrier packets; 0: only when told (event 4). */
#define SYSCTL_SIGNAL_POLL_NS 0x00145010u
/* W, 32 bits: The firmware gives up with this code: a device fault, which ends the simulation. */
#define SYSCTL_HALT 0x00145014u
/* RW, 32 bits: Bit 0: the core's software interrupt. */
#define SYSCTL_MSIP 0x00145018u
/* RW, 64 bits in one or two accesses: Bus address that the core sees at 0xc000'0000 + n * 0x1000'0000. At
   reset device memory, its first GiB in all. */
#define SYSCTL_APERTURE(n) (0x00145020u + (n) * 0x8u)
#define SYSCTL_APERTURE_AT 0x0u
/* R, 32 bits: Numbers for the policy (command_processor.parameters). */
#define SYSCTL_PARAMETER(n) (0x00145040u + (n) * 0x4u)
#define SYSCTL_PARAMETER_AT 0x0u
/* R, 32 bits: Period of policies that work by the clock (command_processor.period_us). */
#define SYSCTL_PERIOD_NS 0x00145060u
/* R, 32 bits: Time of waiting that is worth a priority of 1 (command_processor.ageing_us); 0: none is. */
#define SYSCTL_AGEING_NS 0x00145064u
/* RW, 32 bits: Periods that passed without the policy's tick, which firmware counts here. */
#define SYSCTL_LATE_TICKS 0x00145068u
/* R, 32 bits: 1: hardware starts packets in the order of RANK (type assisted). */
#define SYSCTL_ASSISTED 0x0014506cu
/* R, 32 bits: Clock of the SMs. */
#define SYSCTL_SM_CLOCK_KHZ 0x00145070u
/* R, 32 bits: SM cycles in which a kernel has its quota of requests (MISS_QUEUE_QUOTA of the SMs); 0: their
   miss queues know none. */
#define SYSCTL_CREDIT_CYCLES 0x00145074u
/* R, 32 bits: Bytes of a line of the L2. */
#define SYSCTL_LINE_BYTES 0x00145078u
/* R, 32 bits: Bytes that a reply on the network has beside the line. */
#define SYSCTL_REPLY_HEADER_BYTES 0x0014507cu
/* R, 64 bits in one or two accesses: Bytes a second that the network from the L2 to the SMs can sustain
   (sustainable_bandwidth of the platform); 0: not limited. */
#define SYSCTL_NETWORK_RATE 0x00145080u
/* R, 64 bits in one or two accesses: Bytes a second that DRAM can sustain (likewise); 0: not limited. */
#define SYSCTL_DRAM_RATE 0x00145088u
/* RW, 32 bits: Whatever the firmware's policy wants to tell; at the end result.json has it. */
#define SYSCTL_REPORT(n) (0x00145100u + (n) * 0x4u)
#define SYSCTL_REPORT_AT 0x0u

/* Work distributor. Kernel status registers (KSR) describe the running kernels, SM status registers (SMSR)
   what is free on each SM. To run a kernel, write a free KSR from KERNEL_OBJECT to DEADLINE in one burst,
   then 1 to START. Of a kernel that runs, PRIORITY, BUDGET, HOLD and CTA_LIMIT may be written; writes to the
   rest are refused (generic error) until it has ended. */
#define WD_BASE 0x00200000u
/* R, 32 bits: Number of kernel status registers. */
#define WD_SLOT_COUNT 0x00200000u
/* R, 32 bits: Number of SMs. */
#define WD_SM_COUNT 0x00200004u
/* R, 64 bits in one or two accesses: CTAs launched so far. */
#define WD_CTAS_ISSUED 0x00200008u
/* W, a record of 24 bytes: An SM writes a CtaDone record here when a CTA has ended. */
#define WD_COMPLETION 0x00200020u
/* W, a record of 32 bytes: An SM writes a CtaPreempted record here when a CTA has left it before its end. */
#define WD_PREEMPTED 0x00200040u
/* W, 32 bits: A context that has ended. Its kernels send no CTA any more, SMs drop those that they have, and
   each kernel is reported done when none is left; so is, at once, each that comes later. With bit 31: a new
   one of that number begins, whose kernels run; nothing of the one before may be left. */
#define WD_KILL_CONTEXT 0x00200060u
/* RW, 64 bits in one or two accesses: Bus address of a mailbox; 0: there is none. With one, each kernel that
   comes is held (KSR_HOLD) and a KernelNotice is written there: kernel slot, launch id, 0, 0 (u32 each).
   Another one follows when it has ended, with 1 in the third word. Whoever watches lets it go. */
#define WD_WATCHER 0x00200068u
/* R, 32 bits: Lower half of each KSR_DONE, in a row for reads in one burst. */
#define WD_CTAS_DONE(n) (0x00200400u + (n) * 0x4u)
#define WD_CTAS_DONE_AT 0x0u
/* RW, 64 bits in one or two accesses: Device address of the kernel descriptor. */
#define WD_KSR_KERNEL_OBJECT(n) (0x00201000u + (n) * 0x100u)
#define WD_KSR_KERNEL_OBJECT_AT 0x0u
/* RW, 64 bits in one or two accesses: Device address of the argument block. */
#define WD_KSR_KERNARG_ADDRESS(n) (0x00201008u + (n) * 0x100u)
#define WD_KSR_KERNARG_ADDRESS_AT 0x8u
/* RW, 32 bits: Counts launches of the run; statistics are kept under it. */
#define WD_KSR_LAUNCH_ID(n) (0x00201010u + (n) * 0x100u)
#define WD_KSR_LAUNCH_ID_AT 0x10u
/* RW, 32 bits: Stream the launch came from. */
#define WD_KSR_STREAM(n) (0x00201014u + (n) * 0x100u)
#define WD_KSR_STREAM_AT 0x14u
/* RW, 32 bits: Context it belongs to. */
#define WD_KSR_CONTEXT(n) (0x00201018u + (n) * 0x100u)
#define WD_KSR_CONTEXT_AT 0x18u
/* RW, 32 bits: Signed; greater is more urgent. While the kernel runs, a write acts from its next CTA on. */
#define WD_KSR_PRIORITY(n) (0x0020101cu + (n) * 0x100u)
#define WD_KSR_PRIORITY_AT 0x1cu
/* RW, 32 bits: QAWS budget, at least 1. While the kernel runs, a write acts from its next CTA on. */
#define WD_KSR_BUDGET(n) (0x00201020u + (n) * 0x100u)
#define WD_KSR_BUDGET_AT 0x20u
/* RW, 32 bits: Dynamic shared memory of a CTA in bytes. */
#define WD_KSR_DYNAMIC_SHARED(n) (0x00201024u + (n) * 0x100u)
#define WD_KSR_DYNAMIC_SHARED_AT 0x24u
/* RW, 32 bits: CTAs in x. */
#define WD_KSR_GRID_X(n) (0x00201028u + (n) * 0x100u)
#define WD_KSR_GRID_X_AT 0x28u
/* RW, 32 bits: CTAs in y. */
#define WD_KSR_GRID_Y(n) (0x0020102cu + (n) * 0x100u)
#define WD_KSR_GRID_Y_AT 0x2cu
/* RW, 32 bits: CTAs in z. */
#define WD_KSR_GRID_Z(n) (0x00201030u + (n) * 0x100u)
#define WD_KSR_GRID_Z_AT 0x30u
/* RW, 32 bits: Threads of a CTA in x. */
#define WD_KSR_BLOCK_X(n) (0x00201034u + (n) * 0x100u)
#define WD_KSR_BLOCK_X_AT 0x34u
/* RW, 32 bits: Threads of a CTA in y. */
#define WD_KSR_BLOCK_Y(n) (0x00201038u + (n) * 0x100u)
#define WD_KSR_BLOCK_Y_AT 0x38u
/* RW, 32 bits: Threads of a CTA in z. */
#define WD_KSR_BLOCK_Z(n) (0x0020103cu + (n) * 0x100u)
#define WD_KSR_BLOCK_Z_AT 0x3cu
/* RW, 32 bits: Registers per thread. */
#define WD_KSR_REGISTERS(n) (0x00201040u + (n) * 0x100u)
#define WD_KSR_REGISTERS_AT 0x40u
/* RW, 32 bits: Static shared memory of a CTA in bytes. */
#define WD_KSR_STATIC_SHARED(n) (0x00201044u + (n) * 0x100u)
#define WD_KSR_STATIC_SHARED_AT 0x44u
/* RW, 32 bits: Named barriers of a CTA. */
#define WD_KSR_BARRIERS(n) (0x00201048u + (n) * 0x100u)
#define WD_KSR_BARRIERS_AT 0x48u
/* RW, 32 bits: Job the launch belongs to. */
#define WD_KSR_JOB(n) (0x0020104cu + (n) * 0x100u)
#define WD_KSR_JOB_AT 0x4cu
/* RW, 64 bits in one or two accesses: Absolute deadline in ns of simulated time; 0: none. */
#define WD_KSR_DEADLINE(n) (0x00201050u + (n) * 0x100u)
#define WD_KSR_DEADLINE_AT 0x50u
/* W, 32 bits: Writing 1 hands the kernel described by the register to the distributor; STATUS tells whether
   it was taken. */
#define WD_KSR_START(n) (0x00201080u + (n) * 0x100u)
#define WD_KSR_START_AT 0x80u
/* R, 32 bits: 0 free, 1 running, 2 refused: a CTA never fits, 3 refused: impossible grid or block, 4 refused:
   the register was running. */
#define WD_KSR_STATUS(n) (0x00201084u + (n) * 0x100u)
#define WD_KSR_STATUS_AT 0x84u
/* R, 64 bits in one or two accesses: CTAs launched. */
#define WD_KSR_ISSUED(n) (0x00201088u + (n) * 0x100u)
#define WD_KSR_ISSUED_AT 0x88u
/* R, 64 bits in one or two accesses: CTAs done. */
#define WD_KSR_DONE(n) (0x00201090u + (n) * 0x100u)
#define WD_KSR_DONE_AT 0x90u
/* RW, 32 bits: Not 0: the kernel sends no CTAs; those on SMs go on. Acts from the next CTA on, also if
   written before START, and becomes 0 when the kernel ends. */
#define WD_KSR_HOLD(n) (0x00201098u + (n) * 0x100u)
#define WD_KSR_HOLD_AT 0x98u
/* RW, 32 bits: SM that KSR_CTA_LIMIT is about; all ones: each of them. */
#define WD_KSR_LIMIT_SM(n) (0x0020109cu + (n) * 0x100u)
#define WD_KSR_LIMIT_SM_AT 0x9cu
/* RW, 32 bits: Most CTAs of the kernel on the SM of KSR_LIMIT_SM that may issue instructions. No more are
   sent there; of those there already the youngest keep their state and issue nothing (CTA_LIMIT of the SM).
   All ones: no limit, as for each kernel at its start. */
#define WD_KSR_CTA_LIMIT(n) (0x002010a0u + (n) * 0x100u)
#define WD_KSR_CTA_LIMIT_AT 0xa0u
/* RW, 32 bits: 1: CTAs above a limit that KSR_CTA_LIMIT gets from now on issue instructions as the others, to
   their ends, and only no more are sent. 0: they wait. */
#define WD_KSR_LIMIT_DRAINS(n) (0x002010a4u + (n) * 0x100u)
#define WD_KSR_LIMIT_DRAINS_AT 0xa4u
/* R, 32 bits: Threads that a CTA of the kernel in the register takes of an SM, started or not; 32 for each
   warp. */
#define WD_KSR_CTA_THREADS(n) (0x002010a8u + (n) * 0x100u)
#define WD_KSR_CTA_THREADS_AT 0xa8u
/* R, 32 bits: Warp slots that it takes. */
#define WD_KSR_CTA_WARPS(n) (0x002010acu + (n) * 0x100u)
#define WD_KSR_CTA_WARPS_AT 0xacu
/* R, 32 bits: Registers, in whole units of allocation. */
#define WD_KSR_CTA_REGISTERS(n) (0x002010b0u + (n) * 0x100u)
#define WD_KSR_CTA_REGISTERS_AT 0xb0u
/* R, 32 bits: Shared memory in bytes, in whole units of allocation. */
#define WD_KSR_CTA_SHARED(n) (0x002010b4u + (n) * 0x100u)
#define WD_KSR_CTA_SHARED_AT 0xb4u
/* R, 32 bits: Named barriers. */
#define WD_KSR_CTA_BARRIERS(n) (0x002010b8u + (n) * 0x100u)
#define WD_KSR_CTA_BARRIERS_AT 0xb8u
/* R, 32 bits: CTAs of it that an SM has room for that has no others; 0: not even one. */
#define WD_KSR_OCCUPANCY(n) (0x002010bcu + (n) * 0x100u)
#define WD_KSR_OCCUPANCY_AT 0xbcu
/* R, 32 bits: Free CTA slots. */
#define WD_SMSR_FREE_CTAS(n) (0x00220000u + (n) * 0x40u)
#define WD_SMSR_FREE_CTAS_AT 0x0u
/* R, 32 bits: Free threads. */
#define WD_SMSR_FREE_THREADS(n) (0x00220004u + (n) * 0x40u)
#define WD_SMSR_FREE_THREADS_AT 0x4u
/* R, 32 bits: Free warp slots. */
#define WD_SMSR_FREE_WARPS(n) (0x00220008u + (n) * 0x40u)
#define WD_SMSR_FREE_WARPS_AT 0x8u
/* R, 32 bits: Free registers. */
#define WD_SMSR_FREE_REGISTERS(n) (0x0022000cu + (n) * 0x40u)
#define WD_SMSR_FREE_REGISTERS_AT 0xcu
/* R, 32 bits: Shared memory in bytes that CTAs could still have, whatever of it is L1 at present. */
#define WD_SMSR_FREE_SHARED(n) (0x00220010u + (n) * 0x40u)
#define WD_SMSR_FREE_SHARED_AT 0x10u
/* R, 32 bits: Free named barriers. */
#define WD_SMSR_FREE_BARRIERS(n) (0x00220014u + (n) * 0x40u)
#define WD_SMSR_FREE_BARRIERS_AT 0x14u
/* R, 32 bits: CTAs running. */
#define WD_SMSR_RUNNING_CTAS(n) (0x00220018u + (n) * 0x40u)
#define WD_SMSR_RUNNING_CTAS_AT 0x18u
/* R, 32 bits: Bytes that shared memory has at present of the array that it divides with the L1. */
#define WD_SMSR_SHARED(n) (0x0022001cu + (n) * 0x40u)
#define WD_SMSR_SHARED_AT 0x1cu
/* R, 32 bits: 0 idle, 1 running, 2 reserved: gets no CTA until those on it have ended. */
#define WD_SMSR_STATE(n) (0x00220020u + (n) * 0x40u)
#define WD_SMSR_STATE_AT 0x20u
/* R, 32 bits: Context that the SM was last set up for. */
#define WD_SMSR_CONTEXT(n) (0x00220024u + (n) * 0x40u)
#define WD_SMSR_CONTEXT_AT 0x24u
/* R, 32 bits: Kernel status register of the kernel that the SM was handed to; all ones: nobody, or the policy
   does not hand out SMs. */
#define WD_SMSR_OWNER(n) (0x00220028u + (n) * 0x40u)
#define WD_SMSR_OWNER_AT 0x28u
/* R, 32 bits: Kernel status register of the kernel that has reserved the SM; all ones: none. */
#define WD_SMSR_NEXT(n) (0x0022002cu + (n) * 0x40u)
#define WD_SMSR_NEXT_AT 0x2cu
/* R, 32 bits: Of a reserved SM: 0 its CTAs run to their ends, 1 they are being saved, 2 those that can start
   again are dropped. */
#define WD_SMSR_PREEMPTION(n) (0x00220030u + (n) * 0x40u)
#define WD_SMSR_PREEMPTION_AT 0x30u
/* RW, 64 bits in one or two accesses: Device address of the root of a context's page tables; 0: it has none.
   The driver writes it when it makes the context; that of context 0 is there at reset. An SM that is set up
   for the context gets it, before its next CTA where it has been set up already. */
#define WD_CONTEXT_PAGE_TABLE(n) (0x00230000u + (n) * 0x10u)
#define WD_CONTEXT_PAGE_TABLE_AT 0x0u
/* RW, 64 bits in one or two accesses: Device address of a context's table of texture and surface descriptors;
   0: it has none. SMs get it as they get the page table. */
#define WD_CONTEXT_TEXTURES(n) (0x00230008u + (n) * 0x10u)
#define WD_CONTEXT_TEXTURES_AT 0x8u
/* RW, 64 bits in one or two accesses: Device address of a context's local memory, and of the saved states of
   its CTAs; 0: those of context 0. SMs get it as they get the page table. */
#define WD_CONTEXT_LOCAL_MEMORY(n) (0x00234000u + (n) * 0x8u)
#define WD_CONTEXT_LOCAL_MEMORY_AT 0x0u

/* DMA engine. Write SOURCE to TAG in one burst, then 1 to START. Addresses at or above 0x4000'0000'0000 are
   host bus addresses, others device memory. When done, the engine writes a CopyDone record to the command
   processor. */
#define DMA_BASE 0x00300000u
#define DMA_STRIDE 0x100u
/* RW, 64 bits in one or two accesses: Address to read from; unused by a fill. */
#define DMA_SOURCE(i) (0x00300000u + (i) * 0x100u)
#define DMA_SOURCE_AT 0x0u
/* RW, 64 bits in one or two accesses: Address to write to. */
#define DMA_DESTINATION(i) (0x00300008u + (i) * 0x100u)
#define DMA_DESTINATION_AT 0x8u
/* RW, 64 bits in one or two accesses: Length. */
#define DMA_BYTES(i) (0x00300010u + (i) * 0x100u)
#define DMA_BYTES_AT 0x10u
/* RW, 32 bits: Bits 15:0: 1 copy, 2 fill. Bits 31:16: signed priority, greater is more urgent, for engines
   whose copies take turns; others ignore it. */
#define DMA_KIND(i) (0x00300018u + (i) * 0x100u)
#define DMA_KIND_AT 0x18u
/* RW, 32 bits: Bits 7:0: byte that a fill writes. Bits 31:16: context whose device memory the copy may touch;
   all ones: any. */
#define DMA_VALUE(i) (0x0030001cu + (i) * 0x100u)
#define DMA_VALUE_AT 0x1cu
/* RW, 32 bits: Given back in the CopyDone record. */
#define DMA_TAG(i) (0x00300020u + (i) * 0x100u)
#define DMA_TAG_AT 0x20u
/* W, 32 bits: Writing 1 starts the copy; ignored while one is under way. */
#define DMA_START(i) (0x00300024u + (i) * 0x100u)
#define DMA_START_AT 0x24u
/* R, 32 bits: Bit 0: busy. Bits 15:8: error of the last copy (TLM response status, negated). */
#define DMA_STATUS(i) (0x00300028u + (i) * 0x100u)
#define DMA_STATUS_AT 0x28u
/* R, 64 bits in one or two accesses: Bytes of this copy transferred. */
#define DMA_DONE(i) (0x00300030u + (i) * 0x100u)
#define DMA_DONE_AT 0x30u

/* SM. Takes CTAs from the work distributor, and what it must know before. Writes act in the order of their
   arrival. */
#define SM_BASE 0x01000000u
#define SM_STRIDE 0x4000u
/* W, a record of 80 bytes: The work distributor writes a CtaLaunch record here to start a CTA. */
#define SM_LAUNCH(i) (0x01000000u + (i) * 0x4000u)
#define SM_LAUNCH_AT 0x0u
/* W, 32 bits: Launch id of a kernel whose first CTA comes next: L1 data cache and constant cache drop what
   they hold, unless sm.memory.invalidate is never. */
#define SM_KERNEL_START(i) (0x01000080u + (i) * 0x4000u)
#define SM_KERNEL_START_AT 0x80u
/* RW, 32 bits: Bytes that shared memory has of the array that it divides with the L1 data cache, one of
   sm.resources.shared_options_kib. A change empties the L1. Refused (generic error): another size, less than
   CTAs here have, any with a fixed division, and with sm.resources.shared_grows: when_empty a change while
   there are CTAs. */
#define SM_SHARED_BYTES(i) (0x01000084u + (i) * 0x4000u)
#define SM_SHARED_BYTES_AT 0x84u
/* R, 32 bits: Bytes of the L1 data cache at present. */
#define SM_L1_BYTES(i) (0x01000088u + (i) * 0x4000u)
#define SM_L1_BYTES_AT 0x88u
/* R, 32 bits: CTAs that run. */
#define SM_RESIDENT_CTAS(i) (0x0100008cu + (i) * 0x4000u)
#define SM_RESIDENT_CTAS_AT 0x8cu
/* R, 32 bits: Warps that run or drain. */
#define SM_RESIDENT_WARPS(i) (0x01000090u + (i) * 0x4000u)
#define SM_RESIDENT_WARPS_AT 0x90u
/* R, 32 bits: CTAs launched here that have not begun. */
#define SM_WAITING_CTAS(i) (0x01000094u + (i) * 0x4000u)
#define SM_WAITING_CTAS_AT 0x94u
/* RW, 32 bits: Context whose CTAs come from now on (CUsched, section III.B). A CTA of another one is a device
   fault. */
#define SM_CONTEXT(i) (0x01000098u + (i) * 0x4000u)
#define SM_CONTEXT_AT 0x98u
/* RW, 64 bits in one or two accesses: Device address of the root of that context's page tables; 0: addresses
   are not translated (CUsched, section III.B). Another root than before empties the caches of the SM, which
   are virtual. */
#define SM_PAGE_TABLE(i) (0x010000a0u + (i) * 0x4000u)
#define SM_PAGE_TABLE_AT 0xa0u
/* RW, 64 bits in one or two accesses: Device address of that context's table of texture and surface
   descriptors, which handles number; 0: handles are addresses of descriptors. */
#define SM_TEXTURES(i) (0x010000a8u + (i) * 0x4000u)
#define SM_TEXTURES_AT 0xa8u
/* W, 32 bits: The CTAs here leave: 1 their state is saved in device memory, 2 those that may start again are
   dropped, the others run to their ends, 3 all are dropped. Each that leaves is reported to the distributor's
   PREEMPTED mailbox. Refused (generic error): another value. */
#define SM_PREEMPT(i) (0x010000b0u + (i) * 0x4000u)
#define SM_PREEMPT_AT 0xb0u
/* W, 32 bits: The CTA launched next goes on from this state, as it was reported when it left its SM. */
#define SM_RESUME(i) (0x010000b4u + (i) * 0x4000u)
#define SM_RESUME_AT 0xb4u
/* RW, 64 bits in one or two accesses: Device address of that context's local memory, and of the saved states
   of its CTAs; 0: those of context 0. */
#define SM_LOCAL_MEMORY(i) (0x010000b8u + (i) * 0x4000u)
#define SM_LOCAL_MEMORY_AT 0xb8u
/* W, 32 bits: 1: the CTA launched next computes and takes no cycles: one that sampling leaves out
   (docs/sampling.md). It has nothing of the SM's resources. Only sm.type: cycle heeds it. */
#define SM_FUNCTIONAL(i) (0x010000c0u + (i) * 0x4000u)
#define SM_FUNCTIONAL_AT 0xc0u
/* RW, 32 bits: CTAs of the kernel in this kernel slot that issue instructions here: the oldest ones. Others
   that are here keep their state and issue nothing (CCBP, section 5.4). All ones: no limit. The work
   distributor writes it (CTA_LIMIT there). */
#define SM_CTA_LIMIT(i, n) (0x01000200u + (i) * 0x4000u + (n) * 0x4u)
#define SM_CTA_LIMIT_AT 0x0u
/* R, 64 bits in one or two accesses: Warp instructions issued here of the kernels of this kernel slot, since
   reset. */
#define SM_INSTRUCTIONS(i, n) (0x01001400u + (i) * 0x4000u + (n) * 0x8u)
#define SM_INSTRUCTIONS_AT 0x0u

/* miss_queue `ccbp`. CCBP's issue-rate controller: a queue a kernel, and credits. */
#define SM_CCBP_BASE 0x01000000u
#define SM_CCBP_STRIDE 0x4000u
/* RW, 32 bits: Of the kernel in this slot: requests that it may send in an interval, in bits 15:0 (all ones:
   any number), from the next interval on; bit 16: it is sensitive to latency, and goes before kernels that
   are not (CCBP, section 6.2). */
#define SM_CCBP_MISS_QUEUE_QUOTA(i, n) (0x01000400u + (i) * 0x4000u + (n) * 0x18u)
#define SM_CCBP_MISS_QUEUE_QUOTA_AT 0x10u
/* R, 32 bits: Requests that it has sent (CCBP, equation 2). */
#define SM_CCBP_MISS_QUEUE_REQUESTS(i, n) (0x01000404u + (i) * 0x4000u + (n) * 0x18u)
#define SM_CCBP_MISS_QUEUE_REQUESTS_AT 0x14u
/* R, 32 bits: Of these, reads. */
#define SM_CCBP_MISS_QUEUE_READS(i, n) (0x01000408u + (i) * 0x4000u + (n) * 0x18u)
#define SM_CCBP_MISS_QUEUE_READS_AT 0x0u
/* R, 32 bits: Responses that have come back (CCBP, equation 4). */
#define SM_CCBP_MISS_QUEUE_ANSWERS(i, n) (0x0100040cu + (i) * 0x4000u + (n) * 0x18u)
#define SM_CCBP_MISS_QUEUE_ANSWERS_AT 0x4u
/* R, 32 bits: DRAM accesses that they name, 0 to 2 each. */
#define SM_CCBP_MISS_QUEUE_DRAM_ACCESSES(i, n) (0x01000410u + (i) * 0x4000u + (n) * 0x18u)
#define SM_CCBP_MISS_QUEUE_DRAM_ACCESSES_AT 0x8u
/* R, 32 bits: Requests that it wanted to send, summed over intervals: those that waited when the interval
   began, and those that came in it (CCBP, section 4.1). */
#define SM_CCBP_MISS_QUEUE_DEMAND(i, n) (0x01000414u + (i) * 0x4000u + (n) * 0x18u)
#define SM_CCBP_MISS_QUEUE_DEMAND_AT 0xcu

#endif
