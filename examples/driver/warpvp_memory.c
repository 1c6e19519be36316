// SPDX-License-Identifier: GPL-2.0 OR Apache-2.0
/* What a file has of memory: ranges of the device's, buffers that both sides share, pages of the program. */
#include <linux/dma-mapping.h>
#include <linux/mm.h>
#include <linux/scatterlist.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "warpvp.h"

/* ---- Device memory */

struct memory_range {
	struct list_head list;
	u64 begin, end;
};

static struct memory_range *range_of(struct warpvp_file *file, u64 address)
{
	struct memory_range *range;

	list_for_each_entry (range, &file->ranges, list)
		if (address >= range->begin && address < range->end)
			return range;
	return NULL;
}

static void ask_manager(struct warpvp_device *device, struct warpvp_manage *manage)
{
	u64 words[3];
	u32 i;

	memcpy(device->burst, manage, 32);
	warpvp_burst_to_registers(device, MM_COMMAND, 32);
	for (i = 0; i < 3; ++i)
		words[i] = readq(device->registers + MM_ANSWER + 8 * i);
	manage->status = (u32)words[0];
	manage->answer_owner = words[0] >> 32;
	manage->begin = words[1];
	manage->end = words[2];
}

/* A file has one context, whatever it calls it, and memory of the driver for its kernels' images; what is not its own
 * is not there. */
int warpvp_manage(struct warpvp_file *file, struct warpvp_manage *manage)
{
	struct memory_range *range = NULL;

	if (manage->operation == MM_CREATE_SPACE && file->slot != 0)
		return -EPERM;
	if (manage->owner != MM_DRIVER && file->slot != 0)
		manage->owner = file->context;
	if (manage->operation == MM_RELEASE || manage->operation == MM_FIND) {
		range = range_of(file, manage->address);
		if (!range || (manage->operation == MM_RELEASE && range->begin != manage->address)) {
			manage->status = MM_NOTHING;
			return 0;
		}
	}
	if (manage->operation == MM_ALLOCATE || manage->operation == MM_ALLOCATE_LAST) {
		range = kzalloc(sizeof(*range), GFP_KERNEL);
		if (!range)
			return -ENOMEM;
	}
	ask_manager(file->device, manage);
	switch (manage->operation) {
	case MM_ALLOCATE:
	case MM_ALLOCATE_LAST:
		if (manage->status != MM_DONE) {
			kfree(range);
			break;
		}
		range->begin = manage->begin;
		range->end = manage->end;
		list_add(&range->list, &file->ranges);
		break;
	case MM_RELEASE:
		if (manage->status == MM_DONE) {
			list_del(&range->list);
			kfree(range);
		}
		break;
	}
	return 0;
}

void warpvp_free_device_memory(struct warpvp_file *file, bool ask)
{
	struct memory_range *range, *next;

	list_for_each_entry_safe (range, next, &file->ranges, list) {
		struct warpvp_manage manage = { .operation = MM_RELEASE, .address = range->begin, .alignment = 1 };

		if (ask)
			ask_manager(file->device, &manage);
		list_del(&range->list);
		kfree(range);
	}
}

/* ---- Buffers */

struct buffer {
	void *memory;
	dma_addr_t address;
	u64 bytes;
};

#define BUFFER_SHIFT 32

int warpvp_make_buffer(struct warpvp_file *file, struct warpvp_buffer *asked)
{
	struct device *dev = &file->device->pdev->dev;
	struct buffer *buffer;
	u32 number;
	int error;

	if (asked->bytes == 0 || asked->bytes > 1u << 30)
		return -EINVAL;
	buffer = kzalloc(sizeof(*buffer), GFP_KERNEL);
	if (!buffer)
		return -ENOMEM;
	buffer->bytes = PAGE_ALIGN(asked->bytes);
	buffer->memory = dma_alloc_coherent(dev, buffer->bytes, &buffer->address, GFP_KERNEL | __GFP_NOWARN);
	if (!buffer->memory) {
		kfree(buffer);
		return -ENOMEM;
	}
	error = xa_alloc(&file->buffers, &number, buffer, XA_LIMIT(0, 65535), GFP_KERNEL);
	if (error) {
		dma_free_coherent(dev, buffer->bytes, buffer->memory, buffer->address);
		kfree(buffer);
		return error;
	}
	asked->dma_address = buffer->address;
	asked->offset = WARPVP_MMAP_BUFFERS + ((u64)number << BUFFER_SHIFT);
	return 0;
}

int warpvp_map_buffer(struct warpvp_file *file, struct vm_area_struct *vma, u64 offset)
{
	struct buffer *buffer = xa_load(&file->buffers, (offset - WARPVP_MMAP_BUFFERS) >> BUFFER_SHIFT);

	if (!buffer || (offset & ((1ull << BUFFER_SHIFT) - 1)) != 0 || vma->vm_end - vma->vm_start > buffer->bytes)
		return -EINVAL;
	vma->vm_pgoff = 0;
	return dma_mmap_coherent(&file->device->pdev->dev, vma, buffer->memory, buffer->address,
				 vma->vm_end - vma->vm_start);
}

/* ---- Pinned memory */

struct pinned {
	struct page **pages;
	unsigned int count;
	bool written;
	struct sg_table table;
};

static void free_pinned(struct warpvp_file *file, struct pinned *pinned)
{
	dma_unmap_sgtable(&file->device->pdev->dev, &pinned->table, DMA_BIDIRECTIONAL, 0);
	sg_free_table(&pinned->table);
	unpin_user_pages_dirty_lock(pinned->pages, pinned->count, pinned->written);
	kvfree(pinned->pages);
	kfree(pinned);
}

static int give_pieces(const struct pinned *pinned, struct warpvp_pin *asked)
{
	struct scatterlist *entry;
	u32 count = 0;
	int i;

	for_each_sgtable_dma_sg (&pinned->table, entry, i) {
		struct warpvp_piece piece = { sg_dma_address(entry), sg_dma_len(entry) };

		if (count == asked->capacity)
			return -ENOSPC;
		if (copy_to_user(u64_to_user_ptr(asked->pieces) + count * sizeof(piece), &piece, sizeof(piece)))
			return -EFAULT;
		++count;
	}
	asked->count = count;
	return 0;
}

int warpvp_pin_memory(struct warpvp_file *file, struct warpvp_pin *asked)
{
	u64 first = asked->data & PAGE_MASK, last;
	struct pinned *pinned;
	u32 handle;
	int error, count;

	if (asked->bytes == 0 || asked->bytes > 1u << 30 || asked->data + asked->bytes < asked->data ||
	    asked->flags & ~WARPVP_PIN_WRITTEN)
		return -EINVAL;
	last = (asked->data + asked->bytes - 1) & PAGE_MASK;
	pinned = kzalloc(sizeof(*pinned), GFP_KERNEL);
	if (!pinned)
		return -ENOMEM;
	pinned->written = asked->flags & WARPVP_PIN_WRITTEN;
	pinned->count = ((last - first) >> PAGE_SHIFT) + 1;
	pinned->pages = kvcalloc(pinned->count, sizeof(*pinned->pages), GFP_KERNEL);
	error = -ENOMEM;
	if (!pinned->pages)
		goto free;
	count = pin_user_pages_fast(first, pinned->count, FOLL_LONGTERM | (pinned->written ? FOLL_WRITE : 0),
				    pinned->pages);
	if (count != pinned->count) {
		error = count < 0 ? count : -EFAULT;
		if (count > 0)
			unpin_user_pages(pinned->pages, count);
		goto free_pages;
	}
	error = sg_alloc_table_from_pages(&pinned->table, pinned->pages, pinned->count, asked->data - first,
					  asked->bytes, GFP_KERNEL);
	if (error)
		goto unpin;
	error = dma_map_sgtable(&file->device->pdev->dev, &pinned->table, DMA_BIDIRECTIONAL, 0);
	if (error)
		goto free_table;
	error = give_pieces(pinned, asked);
	if (!error)
		error = xa_alloc(&file->pins, &handle, pinned, xa_limit_32b, GFP_KERNEL);
	if (error) {
		free_pinned(file, pinned);
		return error;
	}
	asked->handle = handle;
	return 0;

free_table:
	sg_free_table(&pinned->table);
unpin:
	unpin_user_pages(pinned->pages, pinned->count);
free_pages:
	kvfree(pinned->pages);
free:
	kfree(pinned);
	return error;
}

int warpvp_unpin_memory(struct warpvp_file *file, u64 handle)
{
	struct pinned *pinned = handle > U32_MAX ? NULL : xa_erase(&file->pins, handle);

	if (!pinned)
		return -EINVAL;
	free_pinned(file, pinned);
	return 0;
}

void warpvp_free_host_memory(struct warpvp_file *file)
{
	struct buffer *buffer;
	struct pinned *pinned;
	unsigned long index;

	xa_for_each (&file->pins, index, pinned)
		free_pinned(file, pinned);
	xa_destroy(&file->pins);
	xa_for_each (&file->buffers, index, buffer) {
		dma_free_coherent(&file->device->pdev->dev, buffer->bytes, buffer->memory, buffer->address);
		kfree(buffer);
	}
	xa_destroy(&file->buffers);
}
