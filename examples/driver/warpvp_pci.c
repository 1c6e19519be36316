// SPDX-License-Identifier: GPL-2.0 OR Apache-2.0
/* The function on the bus: BARs, interrupts, the device file. */
#include <linux/delay.h>
#include <linux/dma-mapping.h>
#include <linux/interrupt.h>
#include <linux/idr.h>
#include <linux/module.h>
#include <linux/slab.h>

#include "warpvp.h"

static unsigned int files = 4;
module_param(files, uint, 0444);
MODULE_PARM_DESC(files, "Files of a device that can be open at once (1 to 8): each gets as many of its queues");

static DEFINE_IDA(numbers);

u32 warpvp_read(struct warpvp_device *device, u32 offset)
{
	return readl(device->registers + offset);
}

void warpvp_write(struct warpvp_device *device, u32 offset, u32 value)
{
	writel(value, device->registers + offset);
}

static void fill_burst_data(struct warpvp_device *device, u32 bytes)
{
	u32 i;

	for (i = 0; i < DIV_ROUND_UP(bytes, 8); ++i)
		writeq(device->burst[i], device->registers + EP_BURST_DATA + 8 * i);
}

void warpvp_burst_to_registers(struct warpvp_device *device, u32 offset, u32 bytes)
{
	fill_burst_data(device, bytes);
	writeq((u64)bytes << 32 | offset, device->registers + EP_BURST);
}

void warpvp_burst_to_memory(struct warpvp_device *device, u64 offset, u32 bytes, bool untimed)
{
	fill_burst_data(device, bytes);
	writeq((u64)bytes << 48 | offset | (untimed ? EP_MEMORY_BURST_UNTIMED : 0),
	       device->registers + EP_MEMORY_BURST);
}

/* ---- Interrupts */

static void note_interrupt(struct warpvp_file *file)
{
	if (!file)
		return;
	atomic64_inc(&file->interrupts);
	wake_up_interruptible(&file->wait);
}

static irqreturn_t error_interrupt(int irq, void *data)
{
	struct warpvp_device *device = data;
	unsigned long flags;
	unsigned int i;

	spin_lock_irqsave(&device->files_lock, flags);
	for (i = 0; i < device->files_most; ++i)
		note_interrupt(device->files[i]);
	spin_unlock_irqrestore(&device->files_lock, flags);
	return IRQ_WAKE_THREAD;
}

/* What the error is takes reads that may have to wait for the device: not in the interrupt itself. */
static irqreturn_t tell_error(int irq, void *data)
{
	struct warpvp_device *device = data;
	u32 i, text[41] = { 0 }, bits = warpvp_read(device, EP_ERROR);

	for (i = 0; i < ARRAY_SIZE(text) - 1; ++i)
		text[i] = warpvp_read(device, EP_ERROR_TEXT + 4 * i);
	if (bits)
		dev_err(&device->pdev->dev, "error %#x: %s\n", bits, (const char *)text);
	return IRQ_HANDLED;
}

static irqreturn_t completion_interrupt(int irq, void *data)
{
	struct warpvp_vector *vector = data;
	struct warpvp_device *device = vector->device;
	unsigned long flags;

	spin_lock_irqsave(&device->files_lock, flags);
	note_interrupt(device->files[vector->slot]);
	spin_unlock_irqrestore(&device->files_lock, flags);
	return IRQ_HANDLED;
}

/* Vector 0 is for errors. */
static void *data_of(struct warpvp_device *device, unsigned int vector)
{
	return vector == 0 ? (void *)device : &device->completions[vector - 1];
}

static void free_interrupts(struct warpvp_device *device, unsigned int count)
{
	while (count-- > 0)
		free_irq(pci_irq_vector(device->pdev, count), data_of(device, count));
	pci_free_irq_vectors(device->pdev);
}

static int set_up_interrupts(struct warpvp_device *device)
{
	unsigned int i, wanted = 1 + device->files_most;
	int error = pci_alloc_irq_vectors(device->pdev, wanted, wanted, PCI_IRQ_MSIX);

	if (error < 0)
		return error;
	for (i = 0; i < wanted; ++i) {
		int irq = pci_irq_vector(device->pdev, i);

		if (i > 0)
			device->completions[i - 1] = (struct warpvp_vector){ device, i - 1 };
		error = i == 0 ? request_threaded_irq(irq, error_interrupt, tell_error, IRQF_ONESHOT, device->name,
						      device)
			       : request_irq(irq, completion_interrupt, 0, device->name, data_of(device, i));
		if (error) {
			free_interrupts(device, i);
			return error;
		}
	}
	return 0;
}

/* ---- Coming and going */

static void free_device(struct kref *kref)
{
	struct warpvp_device *device = container_of(kref, struct warpvp_device, kref);

	pci_dev_put(device->pdev);
	kfree(device);
}

void warpvp_put(struct warpvp_device *device)
{
	kref_put(&device->kref, free_device);
}

static int read_shape(struct warpvp_device *device)
{
	struct device *dev = &device->pdev->dev;
	u32 version = warpvp_read(device, EP_VERSION);

	if (warpvp_read(device, EP_IDENTITY) != EP_IDENTITY_VALUE || version != EP_VERSION_VALUE) {
		dev_err(dev, "registers of version %u; this driver is for version %u\n", version, EP_VERSION_VALUE);
		return -ENODEV;
	}
	device->vectors = warpvp_read(device, EP_VECTORS);
	device->first_interrupt = warpvp_read(device, EP_FIRST_INTERRUPT);
	device->has_page_tables = readq(device->registers + MM_PAGE_BYTES) != 0;
	device->files_most = clamp(files, 1u, (unsigned int)WARPVP_MOST_FILES);
	device->queues_each = warpvp_read(device, EP_QUEUES) / device->files_most;
	if (device->queues_each == 0 || device->vectors < 1 + device->files_most) {
		dev_err(dev, "%u files need as many queues and one vector more\n", device->files_most);
		return -EINVAL;
	}
	return 0;
}

static int warpvp_probe(struct pci_dev *pdev, const struct pci_device_id *id)
{
	struct warpvp_device *device = kzalloc(sizeof(*device), GFP_KERNEL);
	int error, number;

	if (!device)
		return -ENOMEM;
	kref_init(&device->kref);
	mutex_init(&device->lock);
	spin_lock_init(&device->files_lock);
	device->pdev = pci_dev_get(pdev);
	error = pcim_enable_device(pdev);
	if (!error)
		error = dma_set_mask_and_coherent(&pdev->dev, DMA_BIT_MASK(40));
	if (!error)
		error = pci_request_regions(pdev, "warpvp");
	if (error)
		goto put;
	if (pci_resource_len(pdev, 0) < WARPVP_REGISTERS_MAPPED) {
		error = -ENODEV;
		goto release;
	}
	device->registers = ioremap(pci_resource_start(pdev, 0), WARPVP_REGISTERS_MAPPED);
	if (!device->registers) {
		error = -ENOMEM;
		goto release;
	}
	pci_set_master(pdev);
	error = read_shape(device);
	if (error)
		goto unmap;
	number = ida_alloc(&numbers, GFP_KERNEL);
	if (number < 0) {
		error = number;
		goto unmap;
	}
	snprintf(device->name, sizeof(device->name), "warpvp%d", number);
	error = set_up_interrupts(device);
	if (error)
		goto free_number;
	device->misc.minor = MISC_DYNAMIC_MINOR;
	device->misc.name = device->name;
	device->misc.fops = &warpvp_file_operations;
	device->misc.parent = &pdev->dev;
	error = misc_register(&device->misc);
	if (error)
		goto free_vectors;
	pci_set_drvdata(pdev, device);
	dev_info(&pdev->dev, "%s: %u files of %u queues, %llu MiB of BAR 2\n", device->name, device->files_most,
		 device->queues_each, (u64)pci_resource_len(pdev, 2) >> 20);
	return 0;

free_vectors:
	free_interrupts(device, 1 + device->files_most);
free_number:
	ida_free(&numbers, number);
unmap:
	iounmap(device->registers);
release:
	pci_release_regions(pdev);
put:
	warpvp_put(device);
	return error;
}

static void warpvp_remove(struct pci_dev *pdev)
{
	struct warpvp_device *device = pci_get_drvdata(pdev);
	int number;

	misc_deregister(&device->misc);
	/* Files that are open find nothing any more; those of a module cannot be open when it is unloaded. */
	mutex_lock(&device->lock);
	device->gone = true;
	mutex_unlock(&device->lock);
	free_interrupts(device, 1 + device->files_most);
	iounmap(device->registers);
	pci_clear_master(pdev);
	pci_release_regions(pdev);
	if (sscanf(device->name, "warpvp%d", &number) == 1)
		ida_free(&numbers, number);
	warpvp_put(device);
}

static const struct pci_device_id warpvp_ids[] = { { PCI_DEVICE(PCI_VENDOR_ID_REDHAT, 0x7770) }, {} };
MODULE_DEVICE_TABLE(pci, warpvp_ids);

static struct pci_driver warpvp_driver = {
	.name = "warpvp",
	.id_table = warpvp_ids,
	.probe = warpvp_probe,
	.remove = warpvp_remove,
	/* Mappings of BARs outlive no unbinding: it is not offered. */
	.driver = { .suppress_bind_attrs = true },
};
module_pci_driver(warpvp_driver);

MODULE_DESCRIPTION("warpvp's GPU");
MODULE_LICENSE("GPL");
