/* SPDX-License-Identifier: GPL-2.0 OR Apache-2.0 */
/* What a program asks of the device file of the Linux driver (examples/driver). Plain C, for both sides.
 *
 * Each open file has a share of the device: queues, an interrupt vector, the device memory that it allocates,
 * buffers and pinned memory, all of which go when it is closed. mmap() of WARPVP_MMAP_REGISTERS shows BAR 0,
 * of WARPVP_MMAP_MEMORY BAR 2, and of a buffer's offset that buffer. read() takes the number of interrupts
 * since the last read, 8 bytes; it waits for the first, unless the file is O_NONBLOCK. poll() tells that
 * there are some.
 */
#ifndef WARPVP_DRIVER_INTERFACE_H
#define WARPVP_DRIVER_INTERFACE_H

#include <linux/ioctl.h>
#include <linux/types.h>

#define WARPVP_DRIVER_VERSION 1u
#define WARPVP_MMAP_REGISTERS 0ull
#define WARPVP_MMAP_MEMORY (1ull << 40)
#define WARPVP_MMAP_BUFFERS (1ull << 44)

struct warpvp_info {
  __u32 version; /* WARPVP_DRIVER_VERSION */
  __u32 file;    /* 0 to `files` - 1: which of the open files this is */
  __u32 files;   /* that there can be at once */
  __u32 context; /* whose memory, packets and kernels are this file's */
  __u32 first_queue, queues;
  __u64 registers_bytes, memory_bytes; /* of BAR 0 and BAR 2 */
};

/* A write to BAR 2 as one burst, of 1 to WARPVP_BURST_BYTES; longer ones are several. */
#define WARPVP_BURST_BYTES 1024u
#define WARPVP_BURST_UNTIMED 1u /* in no simulated time */
struct warpvp_burst {
  __u64 offset;
  __u64 data; /* address in the process */
  __u32 bytes, flags;
};

/* A command of the memory manager, with its answer, as the register map has them. */
struct warpvp_manage {
  __u32 operation, owner;
  __u64 address, bytes, alignment;
  __u32 status, answer_owner;
  __u64 begin, end;
};

/* Memory that process and device share, under consecutive DMA addresses. */
struct warpvp_buffer {
  __u64 bytes;
  __u64 dma_address, offset; /* out: for the device, and for mmap() */
};

/* Memory of the process, from `data` on, pinned until WARPVP_UNPIN of `handle`. */
struct warpvp_piece {
  __u64 dma_address, bytes;
};
#define WARPVP_PIN_WRITTEN 1u /* the device writes it, too */
struct warpvp_pin {
  __u64 data, bytes;
  __u64 pieces; /* address of `capacity` of warpvp_piece; one for each page is always enough */
  __u32 capacity, flags;
  __u32 count, reserved; /* out */
  __u64 handle;          /* out */
};

#define WARPVP_INFO _IOR('w', 0x40, struct warpvp_info)
#define WARPVP_BURST _IOW('w', 0x41, struct warpvp_burst)
#define WARPVP_MANAGE _IOWR('w', 0x42, struct warpvp_manage)
#define WARPVP_BUFFER _IOWR('w', 0x43, struct warpvp_buffer)
#define WARPVP_PIN _IOWR('w', 0x44, struct warpvp_pin)
#define WARPVP_UNPIN _IOW('w', 0x45, __u64)
/* Completions of this file's queues interrupt from now on. Each costs the device time that it does not spend
 * without. */
#define WARPVP_INTERRUPTS _IO('w', 0x46)

#endif
