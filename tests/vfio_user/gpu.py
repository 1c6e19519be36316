"""The served GPU in Python: memory, queues and copies, by the pages docs/register-map.md and docs/serve.md and the packets of
interconnect/aql.h."""

import struct
import time

from vfio_client import BAR0, BAR2, Client

# The endpoint
IDENTITY, VERSION, TIME, DMA_BASE, DMA_BYTES, MEMORY_BASE, MEMORY_BYTES = 0, 4, 8, 0x10, 0x18, 0x20, 0x28
CONTEXT, FIRST_QUEUE, QUEUES, VECTORS, FIRST_INTERRUPT, PACE, UNTIMED = 0x30, 0x34, 0x38, 0x3c, 0x40, 0x44, 0x48
ERROR, ERROR_ADDRESS, WAIT, ADVANCE, BURST, MEMORY_BURST = 0x4c, 0x50, 0x58, 0x60, 0x68, 0x70
ERROR_TEXT, BURST_DATA, PROPERTIES = 0x200, 0x400, 0x800
DEVICE_FAULT, WRITE_REFUSED, DMA_REFUSED = 1, 2, 4
EVER = 0xffff_ffff_ffff_ffff
# The device
CP = 0x100000
QUEUE_COUNT, TIMESTAMP, ERROR_MAILBOX, ERROR_INTERRUPT, INTERRUPT, DOORBELL = CP, CP + 8, CP + 0x10, CP + 0x18, CP + 0x6000, CP + 0x8000
SM_COUNT, SIZE, IN_USE, COMMAND, ANSWER = 0x200004, 0x400000, 0x400008, 0x400040, 0x400080
Q_OFF, Q_IDLE, Q_STOPPED = 0, 1, 4
VENDOR, BARRIER_AND = 0, 3
KERNEL = 2
COPY, FILL, LOAD = 1, 2, 3


class Gpu(Client):
    def __init__(self, path, **options):
        super().__init__(path, **options)
        self.dma_base = self.read64(DMA_BASE)
        self.memory_base = self.read64(MEMORY_BASE)

    def manage(self, operation, owner=0, address=0, size=0, alignment=256):
        self.write(BAR0, COMMAND, struct.pack("<IIQQQ", operation, owner, address, size, alignment))
        return struct.unpack("<IIQQ", self.read(BAR0, ANSWER, 24))

    def allocate(self, size):
        status, _, begin, _ = self.manage(1, size=size)
        assert status == 0, f"allocation of {size} bytes: status {status}"
        return begin

    def put(self, address, data):
        self.write(BAR2, address - self.memory_base, data)

    def get(self, address, size):
        return self.read(BAR2, address - self.memory_base, size)

    def load(self, queue, ptx, entry=""):
        """A kernel of PTX text: its object, or what is wrong with it."""
        text, record = self.allocate(len(ptx)), self.allocate(512)
        self.put(text, ptx.encode())
        self.put(record, entry.encode().ljust(512, b"\0"))
        queue.load(record, text, len(ptx))
        queue.wait()
        status, size, parameters, registers, shared, _, kernel = struct.unpack_from("<6IQ", self.get(record, 512), 128)
        message = self.get(record + 160, 352).rstrip(b"\0").decode()
        return (kernel, size, parameters) if status == 1 else message

    def error(self):
        """Bits, address, text."""
        text = self.read(BAR0, ERROR_TEXT, 512).rstrip(b"\0").decode()
        return self.read32(ERROR), self.read64(ERROR_ADDRESS), text


class Queue:
    """A hardware queue with a ring, a signal and where its value is posted."""

    def __init__(self, gpu, number, mailbox=0, packets=16):
        self.gpu, self.number, self.packets, self.written = gpu, number, packets, 0
        self.ring, self.signal = gpu.allocate(64 * packets), gpu.allocate(64)
        self.mailbox = mailbox  # DMA address; 0: none
        self.registers = CP + 0x1000 + 0x40 * number
        gpu.write64(self.registers, self.ring)
        gpu.write32(self.registers + 8, packets)
        gpu.write32(self.registers + 0xc, 1)

    def state(self):
        return self.gpu.read32(self.registers + 0x2c)

    def stopped_by(self):
        return self.gpu.read32(self.registers + 0x28)

    def interrupt(self, vector):
        self.gpu.write32(INTERRUPT + 4 * self.number, 0x8000_0000 | self.gpu.read32(FIRST_INTERRUPT) + vector)

    def arm(self):
        mailbox = self.gpu.dma_base + self.mailbox if self.mailbox else 0
        self.gpu.put(self.signal, struct.pack("<qQQQ32x", 1, 0, 0, mailbox))

    def submit(self, packet):
        self.arm()
        self.gpu.put(self.ring + 64 * (self.written % self.packets), packet)
        self.written += 1
        self.gpu.write64(DOORBELL + 8 * self.number, self.written)

    def copy(self, destination, source, size):
        self.submit(struct.pack("<HHIQQQQQQQ", VENDOR | 256, COPY, 0, source, destination, size, 1, 0, 0, self.signal))

    def fill(self, destination, value, size):
        self.submit(struct.pack("<HHIQQQQQQQ", VENDOR | 256, FILL, value, 0, destination, size, 1, 0, 0, self.signal))

    def barrier(self):
        self.submit(struct.pack("<HHI5QQQ", BARRIER_AND | 256, 0, 0, 0, 0, 0, 0, 0, 0, self.signal))

    def load(self, record, text, size):
        self.submit(struct.pack("<HHIQQQQQQQ", VENDOR | 256, LOAD, 0, text, record, size, 0, 0, 0, self.signal))

    def launch(self, kernel, grid, block, arguments, shared=0):
        self.submit(struct.pack("<HH3HH3III4Q", KERNEL | 256, 3, *block, 0, *(g * b for g, b in zip(grid, block)), 0, shared,
                                kernel, arguments, 0, self.signal))

    def wait(self):
        """Until the last packet is complete."""
        deadline = time.monotonic() + 100
        while self.times()[0] > 0:
            assert time.monotonic() < deadline, f"queue {self.number} goes on, it is {self.state()}"

    def times(self):
        """Value, start and end of the last packet, as the signal has them."""
        return struct.unpack("<qQQ", self.gpu.get(self.signal, 24))
