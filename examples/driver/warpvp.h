/* SPDX-License-Identifier: GPL-2.0 OR Apache-2.0 */
/* A driver for the GPU of warpvp as `warpvp serve` serves it (docs/serve.md). */
#ifndef WARPVP_H
#define WARPVP_H

#include <linux/kref.h>
#include <linux/miscdevice.h>
#include <linux/mutex.h>
#include <linux/pci.h>
#include <linux/wait.h>
#include <linux/xarray.h>

#include "driver_interface.h"

#define WARPVP_MOST_FILES 8

/* BAR 0 (docs/register-map.md). */
#define EP_IDENTITY 0x00
#define EP_VERSION 0x04
#define EP_QUEUES 0x38
#define EP_VECTORS 0x3c
#define EP_FIRST_INTERRUPT 0x40
#define EP_PACE 0x44
#define EP_ERROR 0x4c
#define EP_DEVICE_FAULT 1 /* it has stopped for good; also what a bus reads where nobody answers */
#define EP_BURST 0x68
#define EP_MEMORY_BURST 0x70
#define EP_ERROR_TEXT 0x200
#define EP_BURST_DATA 0x400
#define EP_IDENTITY_VALUE 0x50565257
#define EP_VERSION_VALUE 2
#define EP_MEMORY_BURST_UNTIMED (1ull << 63)
#define CP_ERROR_MAILBOX 0x100010
#define CP_ERROR_INTERRUPT 0x100018
#define CP_QUEUE(q) (0x101000 + 0x40 * (q))
#define CP_CONTROL 0x0c
#define CP_STATE 0x2c
#define CP_IN_FLIGHT 0x38
#define CP_INTERRUPT(q) (0x106000 + 4 * (q))
#define CP_INTERRUPT_ON 0x80000000
#define CP_KILL 2
#define WD_KILL_CONTEXT 0x200060
#define WD_BEGIN_CONTEXT 0x80000000
#define MM_PAGE_BYTES 0x400010
#define MM_COMMAND 0x400040
#define MM_ANSWER 0x400080
#define MM_ALLOCATE 1
#define MM_ALLOCATE_LAST 2
#define MM_RELEASE 3
#define MM_FIND 4
#define MM_CREATE_HEAP 5
#define MM_CREATE_SPACE 6
#define MM_DONE 0
#define MM_NOTHING 2
#define MM_DRIVER 0xffffffff
/* What the kernel maps of BAR 0: up to the memory manager. */
#define WARPVP_REGISTERS_MAPPED 0x401000

struct warpvp_device;
struct warpvp_file;

/* Vector 1 + n is for the completions of file n. */
struct warpvp_vector {
	struct warpvp_device *device;
	unsigned int slot;
};

struct warpvp_device {
	struct kref kref;
	struct pci_dev *pdev;
	struct miscdevice misc;
	char name[24];
	void __iomem *registers;
	unsigned int files_most, queues_each, vectors, first_interrupt;
	bool has_page_tables;
	/* Of the fields below and of registers that are there once: bursts, the memory manager. */
	struct mutex lock;
	bool gone;
	struct warpvp_vector completions[WARPVP_MOST_FILES];
	spinlock_t files_lock; /* of files[], for interrupts */
	struct warpvp_file *files[WARPVP_MOST_FILES];
	u64 burst[WARPVP_BURST_BYTES / 8];
};

struct warpvp_file {
	struct warpvp_device *device;
	unsigned int slot;
	bool interrupting;
	u64 context;
	atomic64_t interrupts;
	wait_queue_head_t wait;
	struct mutex lock; /* of what follows */
	struct xarray buffers, pins;
	struct list_head ranges; /* of device memory */
};

/* warpvp_pci.c */
u32 warpvp_read(struct warpvp_device *device, u32 offset);
void warpvp_write(struct warpvp_device *device, u32 offset, u32 value);
/* With the device's lock held; `bytes` of device->burst to BAR 0 or BAR 2. */
void warpvp_burst_to_registers(struct warpvp_device *device, u32 offset, u32 bytes);
void warpvp_burst_to_memory(struct warpvp_device *device, u64 offset, u32 bytes, bool untimed);
void warpvp_put(struct warpvp_device *device);

/* warpvp_file.c */
extern const struct file_operations warpvp_file_operations;

/* warpvp_memory.c: what a file has of device memory and of the host's. */
int warpvp_manage(struct warpvp_file *file, struct warpvp_manage *manage);
int warpvp_make_buffer(struct warpvp_file *file, struct warpvp_buffer *buffer);
int warpvp_map_buffer(struct warpvp_file *file, struct vm_area_struct *vma, u64 offset);
int warpvp_pin_memory(struct warpvp_file *file, struct warpvp_pin *pin);
int warpvp_unpin_memory(struct warpvp_file *file, u64 handle);
/* `ask`: the device is there to be told. */
void warpvp_free_device_memory(struct warpvp_file *file, bool ask);
void warpvp_free_host_memory(struct warpvp_file *file);

#endif
