// SPDX-License-Identifier: GPL-2.0 OR Apache-2.0
/* An open file: a share of the device, mappings of it, and what the program asks (driver_interface.h). */
#include <linux/delay.h>
#include <linux/fs.h>
#include <linux/mm.h>
#include <linux/poll.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "warpvp.h"

static unsigned int first_queue(const struct warpvp_file *file)
{
	return file->slot * file->device->queues_each;
}

static int warpvp_open(struct inode *inode, struct file *filp)
{
	struct warpvp_device *device = container_of(filp->private_data, struct warpvp_device, misc);
	struct warpvp_file *file = kzalloc(sizeof(*file), GFP_KERNEL);
	unsigned int slot;
	int error = -EBUSY;

	if (!file)
		return -ENOMEM;
	file->device = device;
	mutex_init(&file->lock);
	init_waitqueue_head(&file->wait);
	xa_init_flags(&file->buffers, XA_FLAGS_ALLOC);
	xa_init_flags(&file->pins, XA_FLAGS_ALLOC);
	INIT_LIST_HEAD(&file->ranges);
	mutex_lock(&device->lock);
	for (slot = 0; slot < device->files_most && device->files[slot]; ++slot)
		;
	/* Further contexts would need page tables of their own. */
	if (device->gone)
		error = -ENODEV;
	else if (slot < (device->has_page_tables ? 1 : device->files_most))
		error = 0;
	if (!error) {
		file->slot = slot;
		file->context = slot;
		kref_get(&device->kref);
		spin_lock_irq(&device->files_lock);
		device->files[slot] = file;
		spin_unlock_irq(&device->files_lock);
	}
	mutex_unlock(&device->lock);
	if (error) {
		kfree(file);
		return error;
	}
	filp->private_data = file;
	return nonseekable_open(inode, filp);
}

static bool is_last(const struct warpvp_file *file)
{
	unsigned int i;

	for (i = 0; i < file->device->files_most; ++i)
		if (file->device->files[i] && file->device->files[i] != file)
			return false;
	return true;
}

/* Nothing of the file is to be on the device: as the server does it with a client that has gone. */
static void clean_up(struct warpvp_file *file)
{
	struct warpvp_device *device = file->device;
	unsigned int q, tries = 0, first = first_queue(file), end = first + device->queues_each;

	if (is_last(file))
		warpvp_write(device, EP_PACE, 0);
	for (q = first; q < end; ++q)
		if (warpvp_read(device, CP_QUEUE(q) + CP_STATE) != 0)
			warpvp_write(device, CP_QUEUE(q) + CP_CONTROL, CP_KILL);
	warpvp_write(device, WD_KILL_CONTEXT, file->context);
	for (q = first; q < end; ++q) {
		for (; tries < 1000 && warpvp_read(device, CP_QUEUE(q) + CP_IN_FLIGHT) != 0; ++tries)
			msleep(1);
		if (warpvp_read(device, CP_QUEUE(q) + CP_STATE) != 0)
			warpvp_write(device, CP_QUEUE(q) + CP_CONTROL, 0);
		if (file->interrupting)
			warpvp_write(device, CP_INTERRUPT(q), 0);
	}
	if (file->slot == 0) {
		writeq(0, device->registers + CP_ERROR_MAILBOX);
		warpvp_write(device, CP_ERROR_INTERRUPT, 0);
	}
	warpvp_write(device, WD_KILL_CONTEXT, WD_BEGIN_CONTEXT | file->context);
}

static int warpvp_release(struct inode *inode, struct file *filp)
{
	struct warpvp_file *file = filp->private_data;
	struct warpvp_device *device = file->device;
	bool there;

	mutex_lock(&device->lock);
	there = !device->gone && !(warpvp_read(device, EP_ERROR) & EP_DEVICE_FAULT);
	if (there)
		clean_up(file);
	warpvp_free_device_memory(file, there);
	/* The device writes nothing of the file's memory any more. */
	warpvp_free_host_memory(file);
	spin_lock_irq(&device->files_lock);
	device->files[file->slot] = NULL;
	spin_unlock_irq(&device->files_lock);
	mutex_unlock(&device->lock);
	kfree(file);
	warpvp_put(device);
	return 0;
}

/* ---- What programs ask */

static int give_info(struct warpvp_file *file, void __user *argument)
{
	struct pci_dev *pdev = file->device->pdev;
	struct warpvp_info info = {
		.version = WARPVP_DRIVER_VERSION,
		.file = file->slot,
		.files = file->device->files_most,
		.context = file->context,
		.first_queue = first_queue(file),
		.queues = file->device->queues_each,
		.registers_bytes = pci_resource_len(pdev, 0),
		.memory_bytes = pci_resource_len(pdev, 2),
	};

	return copy_to_user(argument, &info, sizeof(info)) ? -EFAULT : 0;
}

static int burst(struct warpvp_file *file, void __user *argument)
{
	struct warpvp_device *device = file->device;
	struct warpvp_burst burst;
	u64 memory_bytes = pci_resource_len(device->pdev, 2);

	if (copy_from_user(&burst, argument, sizeof(burst)))
		return -EFAULT;
	if (burst.bytes == 0 || burst.bytes > WARPVP_BURST_BYTES || burst.flags & ~WARPVP_BURST_UNTIMED ||
	    burst.offset > memory_bytes || burst.bytes > memory_bytes - burst.offset)
		return -EINVAL;
	if (copy_from_user(device->burst, u64_to_user_ptr(burst.data), burst.bytes))
		return -EFAULT;
	warpvp_burst_to_memory(device, burst.offset, burst.bytes, burst.flags & WARPVP_BURST_UNTIMED);
	return 0;
}

static int raise_interrupts(struct warpvp_file *file)
{
	struct warpvp_device *device = file->device;
	u32 q, value = CP_INTERRUPT_ON | (device->first_interrupt + 1 + file->slot);

	for (q = first_queue(file); q < first_queue(file) + device->queues_each; ++q)
		warpvp_write(device, CP_INTERRUPT(q), value);
	if (file->slot == 0)
		warpvp_write(device, CP_ERROR_INTERRUPT, CP_INTERRUPT_ON | device->first_interrupt);
	file->interrupting = true;
	return 0;
}

/* With the device's lock held. */
static long carry_out(struct warpvp_file *file, unsigned int request, void __user *argument)
{
	union {
		struct warpvp_manage manage;
		struct warpvp_buffer buffer;
		struct warpvp_pin pin;
		u64 handle;
	} a;
	long error;

	switch (request) {
	case WARPVP_INFO:
		return give_info(file, argument);
	case WARPVP_BURST:
		return burst(file, argument);
	case WARPVP_INTERRUPTS:
		return raise_interrupts(file);
	case WARPVP_MANAGE:
	case WARPVP_BUFFER:
	case WARPVP_PIN:
	case WARPVP_UNPIN:
		break;
	default:
		return -ENOTTY;
	}
	if (copy_from_user(&a, argument, _IOC_SIZE(request)))
		return -EFAULT;
	switch (request) {
	case WARPVP_MANAGE:
		error = warpvp_manage(file, &a.manage);
		break;
	case WARPVP_BUFFER:
		error = warpvp_make_buffer(file, &a.buffer);
		break;
	case WARPVP_PIN:
		error = warpvp_pin_memory(file, &a.pin);
		break;
	default:
		return warpvp_unpin_memory(file, a.handle);
	}
	if (!error && copy_to_user(argument, &a, _IOC_SIZE(request)))
		return -EFAULT;
	return error;
}

static long warpvp_ioctl(struct file *filp, unsigned int request, unsigned long argument)
{
	struct warpvp_file *file = filp->private_data;
	long error = -ENODEV;

	mutex_lock(&file->device->lock);
	if (!file->device->gone)
		error = carry_out(file, request, (void __user *)argument);
	mutex_unlock(&file->device->lock);
	return error;
}

/* ---- Mappings */

static int map_bar(struct warpvp_file *file, struct vm_area_struct *vma, int bar, u64 offset)
{
	struct pci_dev *pdev = file->device->pdev;
	u64 bytes = vma->vm_end - vma->vm_start, size = pci_resource_len(pdev, bar);

	if (offset > size || bytes > size - offset)
		return -EINVAL;
	vma->vm_page_prot = pgprot_noncached(vma->vm_page_prot);
	return io_remap_pfn_range(vma, vma->vm_start, (pci_resource_start(pdev, bar) + offset) >> PAGE_SHIFT, bytes,
				  vma->vm_page_prot);
}

static int warpvp_mmap(struct file *filp, struct vm_area_struct *vma)
{
	struct warpvp_file *file = filp->private_data;
	u64 offset = (u64)vma->vm_pgoff << PAGE_SHIFT;
	int error = -ENODEV;

	mutex_lock(&file->device->lock);
	if (!file->device->gone) {
		if (!(vma->vm_flags & VM_SHARED))
			error = -EINVAL;
		else if (offset >= WARPVP_MMAP_BUFFERS)
			error = warpvp_map_buffer(file, vma, offset);
		else if (offset >= WARPVP_MMAP_MEMORY)
			error = map_bar(file, vma, 2, offset - WARPVP_MMAP_MEMORY);
		else
			error = map_bar(file, vma, 0, offset);
	}
	mutex_unlock(&file->device->lock);
	return error;
}

/* ---- Interrupts */

static ssize_t warpvp_file_read(struct file *filp, char __user *to, size_t bytes, loff_t *at)
{
	struct warpvp_file *file = filp->private_data;
	u64 count;
	int error;

	if (bytes < sizeof(count))
		return -EINVAL;
	count = atomic64_xchg(&file->interrupts, 0);
	while (count == 0) {
		if (filp->f_flags & O_NONBLOCK)
			return -EAGAIN;
		error = wait_event_interruptible(file->wait, atomic64_read(&file->interrupts) != 0);
		if (error)
			return error;
		count = atomic64_xchg(&file->interrupts, 0);
	}
	return copy_to_user(to, &count, sizeof(count)) ? -EFAULT : sizeof(count);
}

static __poll_t warpvp_poll(struct file *filp, poll_table *table)
{
	struct warpvp_file *file = filp->private_data;

	poll_wait(filp, &file->wait, table);
	return atomic64_read(&file->interrupts) != 0 ? EPOLLIN | EPOLLRDNORM : 0;
}

const struct file_operations warpvp_file_operations = {
	.owner = THIS_MODULE,
	.open = warpvp_open,
	.release = warpvp_release,
	.unlocked_ioctl = warpvp_ioctl,
	.mmap = warpvp_mmap,
	.read = warpvp_file_read,
	.poll = warpvp_poll,
};
