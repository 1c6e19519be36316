#!/usr/bin/env python3
"""The device as processes outside see it, with the real program and a client of another language: one case a call.

usage: serving.py WARPVP CASE
Exit status 0: as expected; anything else: a failed expectation.
"""

import errno
import json
import mmap
import os
import select
import shutil
import socket
import struct
import subprocess
import sys
import time

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from gpu import (ADVANCE, ANSWER, BURST, BURST_DATA, COMMAND, CONTEXT, DMA_REFUSED, DOORBELL, ERROR, ERROR_INTERRUPT, EVER,
                 FIRST_INTERRUPT, FIRST_QUEUE, IDENTITY, IN_USE, MEMORY_BURST, MEMORY_BYTES, PACE, PROPERTIES, Q_IDLE, Q_OFF, Q_STOPPED,
                 QUEUE_COUNT, QUEUES, SM_COUNT, TIME, UNTIMED, WAIT, WRITE_REFUSED, Gpu, Queue)  # noqa: E402
from served import PATIENCE, WORK, Server, expect, expect_refused  # noqa: E402
from vfio_client import (BAR0, BAR2, CONFIG, HEADER, MSIX, REGION_READ, Client)  # noqa: E402

WARPVP, CASE = sys.argv[1:3]


def end(server, *clients, status=0):
    for client in clients:
        client.close()
    ended = server.wait()
    expect(ended == status, f"exit status {ended}: {server.said()}")
    return server.result()


def identity():
    """The device says who it is; registers are read over the link, in simulated time."""
    server = Server(WARPVP, "platform.sms=4")
    client = Client(server.socket)
    expect(client.version == (0, 1), f"version {client.version}")
    expect(client.capabilities["max_data_xfer_size"] == 1 << 20, client.capabilities)
    expect(client.info() == (16, 3, 9, 5), f"device {client.info()}")
    expect(client.region(BAR0) == (3, 1 << 28), f"BAR 0 {client.region(BAR0)}")
    expect(client.irqs(MSIX) == (9, 32), f"MSI-X {client.irqs(MSIX)}")
    expect(client.irqs(0) == (0, 0), "there is no INTx")
    expect(client.read(BAR0, IDENTITY, 4) == b"WRVP", "the identity")
    expect(client.read32(SM_COUNT) == 4, "the work distributor has four SMs")
    before = client.read64(TIME)
    queues = client.read32(QUEUE_COUNT)
    after = client.read64(TIME)
    properties = dict(line.split("=", 1) for line in
                      client.read(BAR0, PROPERTIES, 2048).rstrip(b"\0").decode().splitlines())
    expect((properties["sms"], properties["sm.warps"], properties["machine_code"]) == ("4", "64", "1"), str(properties))
    expect(int(properties["queues"]) == queues, str(properties))
    expect(queues == client.read32(QUEUES), "queues")
    # A read crosses the link there and back.
    expect(500e6 < after - before < 5000e6, f"a register read takes {(after - before) / 1e6} ns")
    now = client.read64(TIME)
    time.sleep(0.1)
    expect(client.read64(TIME) == now, "time stands still while the device rests")
    expect(end(server, client)["exit_code"] == 0, "result.json")
    expect(not os.path.exists(server.socket), "the socket is removed")


def configuration():
    """As a bus driver does it: identity, sizes of BARs, capabilities."""
    server = Server(WARPVP, "platform.memory.capacity_mib=3072")
    client = Client(server.socket)
    vendor, device = struct.unpack("<HH", client.read(CONFIG, 0, 4))
    expect((vendor, device) == (0x1b36, 0x7770), f"{vendor:x}:{device:x}")
    expect(client.read(CONFIG, 9, 3) == b"\0\0\x12", "a processing accelerator")
    sizes = []
    for bar, code in ((0, "<I"), (2, "<Q"), (4, "<I")):
        width = struct.calcsize(code)
        client.write(CONFIG, 0x10 + 4 * bar, b"\xff" * width)
        mask = struct.unpack(code, client.read(CONFIG, 0x10 + 4 * bar, width))[0] & ~15
        sizes.append(mask & -mask)
        expect(sizes[-1] == client.region(bar)[1], f"BAR {bar} has {sizes[-1]} bytes")
    expect(sizes == [1 << 28, 1 << 32, 4096], f"sizes {sizes}")
    expect(client.read64(MEMORY_BYTES) == 3 << 30, "of BAR 2 device memory has three quarters")
    at, found = client.read(CONFIG, 0x34, 1)[0], []
    while at:
        found.append(client.read(CONFIG, at, 1)[0])
        at = client.read(CONFIG, at + 1, 1)[0]
    expect(sorted(found) == [0x01, 0x10, 0x11], f"capabilities {found}")
    client.write(CONFIG, 4, b"\6\0")
    client.reset()
    expect(client.read(CONFIG, 4, 2) == b"\0\0", "a reset forgets the command register")
    end(server, client)


def memory():
    """BAR 2 is device memory, timed or not; device memory is allocated by the memory manager."""
    server = Server(WARPVP)
    gpu = Gpu(server.socket)
    at = gpu.allocate(1 << 20)
    data = bytes(range(256)) * 64
    before = gpu.read64(TIME)
    gpu.put(at + 3, data)
    expect(gpu.get(at + 3, len(data)) == data, "what was written is read")
    spent = gpu.read64(TIME) - before
    # 16 KiB there and back at 12 to 32 bytes a ns.
    expect(1e9 < spent < 20e9, f"16 KiB there and back take {spent / 1e6} ns")
    gpu.write32(UNTIMED, 1)
    before = gpu.read64(TIME)
    gpu.put(at, data[::-1])
    expect(gpu.get(at, len(data)) == data[::-1], "what was written without time is read")
    expect(gpu.read64(TIME) == before, "untimed accesses take no time")
    expect_refused(errno.EPERM, lambda: gpu.write32(ERROR_INTERRUPT, 1), "an untimed write to a register")
    gpu.write32(UNTIMED, 0)
    # A record that is taken whole, for those who can only write words.
    for i, word in enumerate(struct.unpack("<8I", struct.pack("<IIQQQ", 1, 0, 0, 4096, 256))):
        gpu.write32(BURST_DATA + 4 * i, word)
    used = gpu.read64(IN_USE)
    gpu.write64(BURST, 32 << 32 | COMMAND)
    expect(gpu.read64(IN_USE) == used + 4096, "a burst allocates")
    # Device memory in one piece, for those who have no write-combining buffer: it takes the time of one access.
    gpu.write(BAR0, BURST_DATA, bytes(range(64)))
    before = gpu.read64(TIME)
    gpu.write64(MEMORY_BURST, 1 << 63 | 61 << 48 | at - gpu.memory_base + 5)
    expect(gpu.read64(TIME) == before, "an untimed burst takes no time")
    expect(gpu.get(at + 4, 63) == data[::-1][4:5] + bytes(range(61)) + data[::-1][66:67], "an untimed burst")
    spent = []
    for write in (lambda: gpu.write64(MEMORY_BURST, 64 << 48 | at - gpu.memory_base),
                  lambda: gpu.put(at, bytes(range(64))),
                  lambda: [gpu.put(at + 8 * i, bytes(8)) for i in range(8)]):
        before = gpu.read64(TIME)
        write()
        spent.append(gpu.read64(TIME) - before)
    expect(spent[0] == spent[1] < spent[2], f"times of a burst, of one access and of eight: {spent}")
    end(server, gpu)


def copies():
    """Copies from and to the client's memory, with a file and by messages; signals and interrupts."""
    results = []
    for kind in ("file", "messages"):
        server = Server(WARPVP)
        gpu = Gpu(server.socket)
        size = 1 << 16
        if kind == "file":
            file = os.memfd_create("client")
            os.ftruncate(file, 2 * size)
            gpu.map(0x100000, 2 * size, file)
            put, get = lambda at, data: os.pwrite(file, data, at), lambda at, n: os.pread(file, n, at)
        else:
            gpu.map(0x100000, 2 * size)
            there = gpu.memory[0x100000]

            def put(at, data):
                there[at:at + len(data)] = data

            def get(at, n):
                return bytes(there[at:at + n])
        pattern = bytes(i * 7 % 251 for i in range(size - 4096))
        put(4096, pattern)
        queue = Queue(gpu, 3, mailbox=0x100000)
        event = gpu.eventfd(5)
        queue.interrupt(5)
        device = gpu.allocate(size)
        queue.copy(device, gpu.dma_base + 0x101000, len(pattern))
        expect(gpu.read32(QUEUE_COUNT) > 0, "the next access comes when the device rests")
        expect(os.eventfd_read(event) == 1, "one completion, one interrupt")
        value, start, stop = struct.unpack("<qQQ", get(0, 24))
        expect(value == 0 and 0 < start < stop, f"the signal's value, start and end: {value}, {start}, {stop}")
        expect(gpu.get(device, len(pattern)) == pattern, "the copy arrived")
        queue.fill(device + 16, 0x5a, 32)
        queue.copy(gpu.dma_base + 0x100000 + size, device, len(pattern))
        gpu.read32(QUEUE_COUNT)
        expect(os.eventfd_read(event) == 2, "two more")
        expect(get(size, len(pattern)) == pattern[:16] + b"\x5a" * 32 + pattern[48:], "and came back")
        expect(queue.state() == Q_IDLE, f"state {queue.state()}")
        expect(gpu.error()[0] == 0, f"errors {gpu.error()}")
        results.append((queue.times(), end(server, gpu)))
    expect(results[0] == results[1], "a run by messages is the run with a file")
    expect(results[0][1]["control"]["pcie"]["to_host_bytes"] > 1 << 16, "the copies crossed the link")

def errors():
    """What cannot be is refused with an error of its own, and the device goes on."""
    server = Server(WARPVP)
    gpu = Gpu(server.socket)
    expect_refused(errno.EINVAL, lambda: gpu.read(BAR0, QUEUE_COUNT, 2), "a read of two bytes")
    expect_refused(errno.EINVAL, lambda: gpu.read(BAR0, QUEUE_COUNT + 1, 4), "a read across words")
    expect_refused(errno.EINVAL, lambda: gpu.read(BAR0, (1 << 28) - 4, 8), "a read beyond the end")
    expect_refused(errno.EINVAL, lambda: gpu.read(BAR2, gpu.read64(MEMORY_BYTES), 4), "a read behind device memory")
    expect_refused(errno.EINVAL, lambda: gpu.write(1, 0, b"1234"), "a region that there is not")
    expect_refused(errno.ENXIO, lambda: gpu.read(BAR0, 0x600000, 4), "a read where no register is")
    expect_refused(errno.EPERM, lambda: gpu.read(BAR0, DOORBELL, 8), "a read of a doorbell")
    expect_refused(errno.EINVAL, lambda: gpu.set_irqs(4 | 32, 31, 2), "vector 32")
    expect_refused(errno.EINVAL, lambda: gpu.map(0x1000, 10), "a region of ten bytes")
    gpu.map(0x4000, 8192)
    expect_refused(errno.EINVAL, lambda: gpu.unmap(0x4000, 4096), "a part of a region")
    gpu.unmap(0x1000, 4096)  # nothing is there
    gpu.unmap(0, 1 << 40)
    expect(gpu.error() == (0, 0, ""), f"no error is noted yet: {gpu.error()}")
    event = gpu.eventfd(0)
    gpu.write32(QUEUE_COUNT, 7)
    gpu.read32(SM_COUNT)
    bits, address, text = gpu.error()
    expect((bits, address) == (WRITE_REFUSED, QUEUE_COUNT), f"a posted write that nobody takes: {gpu.error()}")
    expect("TLM_COMMAND_ERROR_RESPONSE" in text, text)
    expect(os.eventfd_read(event) == 1, "vector 0 tells of it")
    gpu.write32(ERROR, 0)
    expect(gpu.error() == (0, 0, ""), "it is cleared")

    queue = Queue(gpu, 0)
    gpu.write32(ERROR_INTERRUPT, 0x8000_0000 | gpu.read32(FIRST_INTERRUPT) + 9)
    stopped = gpu.eventfd(9)
    device = gpu.allocate(4096)
    queue.copy(device, gpu.dma_base + 0x7000, 256)
    expect(queue.state() == Q_STOPPED and queue.stopped_by() == 8, f"the copy failed: {queue.stopped_by()}")
    expect(gpu.error()[:2] == (DMA_REFUSED, 0x7000), f"DMA to what is not open: {gpu.error()}")
    expect(os.eventfd_read(stopped) == 1, "the interrupt of a queue that stops")
    expect(os.eventfd_read(event) >= 1, "vector 0")
    gpu.write32(ERROR, 0)
    beyond = Queue(gpu, 1)
    beyond.interrupt(32)
    beyond.fill(device, 1, 16)
    expect(beyond.state() == Q_IDLE, "the queue goes on")
    expect((gpu.error()[0], gpu.error()[2]) == (DMA_REFUSED, "interrupt 32 of 32"), f"an interrupt that there is not: {gpu.error()}")
    gpu.write32(ERROR, 0)
    gpu.reset()
    expect(queue.state() == Q_OFF, "a reset unmaps queues")
    queue = Queue(gpu, 0)
    used = gpu.read64(IN_USE)
    gpu.write(CONFIG, 0x58, struct.pack("<H", 0x8000))  # as an operating system does it: a reset of the function
    expect(queue.state() == Q_OFF and gpu.read64(IN_USE) < used, "it unmaps queues and frees memory")
    end(server, gpu)


def unmapping():
    """A region that closes while a copy reads it: the copy fails, and nothing else."""
    server = Server(WARPVP)
    gpu = Gpu(server.socket)
    size = 1 << 20
    gpu.map(0x100000, size)
    queue = Queue(gpu, 0)
    device = gpu.allocate(size)
    gpu.write32(PACE, 1)
    queue.copy(device, gpu.dma_base + 0x100000, size)
    gpu.write64(ADVANCE, 10_000_000_000)  # 10 us: it is under way
    expect(queue.state() != Q_STOPPED, "the copy runs")
    gpu.unmap(0x100000, size)
    gpu.write32(PACE, 0)
    expect(queue.state() == Q_STOPPED and queue.stopped_by() == 8, f"it fails: {queue.state()}")
    expect(gpu.error()[0] == DMA_REFUSED, gpu.error())
    # From the device: what arrives too late is lost, and told.
    gpu.reset()
    device = gpu.allocate(size)
    gpu.map(0x100000, size)
    queue = Queue(gpu, 0)
    gpu.write32(PACE, 1)
    queue.copy(gpu.dma_base + 0x100000, device, size)
    gpu.write64(ADVANCE, 10_000_000_000)
    gpu.unmap(0x100000, size)
    gpu.write32(PACE, 0)
    expect(queue.state() == Q_IDLE, f"the copy ends: {queue.state()}")
    expect(gpu.error()[0] == DMA_REFUSED, gpu.error())
    end(server, gpu)


def waiting():
    """PACE, WAIT and ADVANCE: the client says whose time it is."""
    server = Server(WARPVP)
    gpu = Gpu(server.socket)
    gpu.map(0x100000, 4096)
    queue = Queue(gpu, 0, mailbox=0x100000)
    gpu.write32(PACE, 1)
    device = gpu.allocate(1 << 16)
    before = gpu.read64(TIME)
    gpu.write64(ADVANCE, 123_456_789)
    expect(gpu.read64(TIME) - before == 123_456_789, "time advances by what was said, to the fs")
    queue.fill(device, 1, 1 << 16)
    expect(queue.times()[0] == 1, "the device has not done it at once")
    gpu.write64(WAIT, EVER)
    expect(struct.unpack_from("<q", gpu.memory[0x100000])[0] == 0, "the wait is over when the value was posted")
    before = gpu.read64(TIME)
    gpu.write64(WAIT, before + 5_000_000_000)
    expect(gpu.read64(TIME) - before == 5_000_000_000, "a wait for nothing ends at its time")
    end(server, gpu)


def work(gpu, pause=0.0):
    """Something of everything; with pauses of the client."""
    gpu.map(0x200000, 1 << 16)
    gpu.memory[0x200000][4096:8192] = bytes(range(256)) * 16
    queues = [Queue(gpu, q, mailbox=0x200000 + 64 * q) for q in range(3)]
    event = gpu.eventfd(1)
    queues[1].interrupt(1)
    device = gpu.allocate(1 << 16)
    for round in range(4):
        for queue in queues:
            queue.copy(device + 4096 * queue.number, gpu.dma_base + 0x201000, 4096)
            time.sleep(pause)
        queues[1].fill(device, round, 4096)
        queues[2].barrier()
        gpu.read32(SM_COUNT)
        time.sleep(pause)
    expect(os.eventfd_read(event) == 8, "interrupts")
    return [queue.times() for queue in queues]


def repeats():
    """A run of one client repeats bit for bit, however long the client thinks."""
    runs = []
    for pause in (0, 0.003, 0.05):
        server = Server(WARPVP)
        gpu = Gpu(server.socket)
        times = work(gpu, pause)
        runs.append((times, end(server, gpu)))
    expect(runs[0] == runs[1] and runs[1] == runs[2], "the runs differ")


def leaving():
    """A client goes, and the next one finds the device as the first one did. A signal ends the run."""
    server = Server(WARPVP, "platform.host.ends=never")
    used = None
    for _ in range(3):
        gpu = Gpu(server.socket)
        used = used or gpu.read64(IN_USE)
        expect(gpu.read64(IN_USE) == used, "the memory of the one before is free")
        work(gpu)
        queue = Queue(gpu, 5)
        queue.copy(gpu.allocate(1 << 20), gpu.dma_base + 0x200000, 1 << 16)
        gpu.close()  # in the middle of it
    gpu = Gpu(server.socket)
    for number in (0, 2, 5):
        expect(gpu.read32(0x10102c + 0x40 * number) == Q_OFF, f"queue {number} is off")
    expect(gpu.read64(IN_USE) == used, "all memory is free")
    server.interrupt()
    expect(server.wait() == 130, f"a signal ends it: {server.said()}")
    expect(server.result()["exit_code"] == 130, "result.json")
    expect(server.result()["control"]["hub"]["host_registers"] > 100, "with what happened")


def damage():
    """Clients that are killed, stop in the middle, write rubbish or flood do nothing to the next one."""
    server = Server(WARPVP, "platform.host.ends=never", "platform.host.reply_ms=300")

    def healthy():
        gpu = Gpu(server.socket)
        work(gpu)
        gpu.close()

    healthy()
    # Killed in the middle of a message.
    child = subprocess.Popen([sys.executable, "-c", f"""
import sys, os, struct
sys.path.insert(0, {os.path.dirname(os.path.abspath(__file__))!r})
sys.dont_write_bytecode = True
from gpu import *
gpu = Gpu({server.socket!r})
gpu.socket.sendall(struct.pack("<HHII", 9, 10, 4096, 0))
os.kill(os.getpid(), 9)
"""])
    expect(child.wait() == -9, "the client was killed")
    healthy()
    # Half messages, and silence.
    for piece in (b"\1", HEADER.pack(1, 1, 64, 0, 0), HEADER.pack(1, 1, 64, 0, 0) + b"x" * 40):
        half = Client(server.socket, greet=False)
        half.socket.sendall(piece)
        half.close()
    healthy()
    # Rubbish, before the version and after it.
    for greet in (False, True):
        for seed in range(20):
            rubbish = Client(server.socket, greet=greet)
            try:
                rubbish.socket.sendall(bytes((i * i * 31 + seed * 97 + (i >> 3)) % 256 for i in range(5000)))
                rubbish.socket.settimeout(5)
                while rubbish.socket.recv(4096):
                    pass
            except (ConnectionError, socket.timeout):
                pass
            rubbish.close()
    healthy()
    # A flood of reads that nobody takes the answers of.
    flood = Gpu(server.socket)
    flood.socket.setblocking(False)
    message = HEADER.pack(7, REGION_READ, 32, 0, 0) + struct.pack("<QII", 0, CONFIG, 4096)
    deadline = time.monotonic() + 60
    try:
        while time.monotonic() < deadline:
            select.select([], [flood.socket], [], 1)
            flood.socket.send(message * 100)
    except (ConnectionError, BlockingIOError):
        pass
    expect(time.monotonic() < deadline, "who takes no answers is sent away")
    flood.close()
    healthy()
    # One that does not answer an access to its memory.
    silent = Gpu(server.socket)
    silent.map(0x1000, 4096)
    queue = Queue(silent, 0)
    queue.copy(silent.allocate(4096), silent.dma_base + 0x1000, 4096)
    try:
        while True:
            silent.receive()
    except ConnectionError:
        pass
    healthy()
    expect("has not answered an access to its memory within 300 ms" in server.said(), server.said())
    server.interrupt()
    expect(server.wait() == 130, server.said())


def refusals():
    """A socket in use, clients of another version, a second client."""
    server = Server(WARPVP, "platform.host.ends=never")
    other = subprocess.run([WARPVP, "serve", "vector_add", "--socket", server.socket, "--out", os.path.join(WORK, "x")],
                           capture_output=True, text=True)
    expect(other.returncode == 2, other.stderr)
    for version in ((1, 0), (7, 7)):
        expect_refused(errno.ENOTSUP, lambda: Client(server.socket, version=version), f"version {version}")
    server.interrupt()
    expect(server.wait() == 130, server.said())
    server, beside = Server(WARPVP), Server(WARPVP)
    expect(Gpu(beside.socket).read32(SM_COUNT) > 0, "several servers beside each other")
    words = ["--set", "platform=small", "--out", os.path.join(WORK, "y"), "--quiet"]
    file = os.path.join(WORK, "empty.yaml")
    with open(file, "w") as f:
        f.write("platform: small\n")
    for path, why in ((server.socket, "a process listens there"), ("x" * 120, "has 120 characters"),
                      (file, "something else lies there"), ("/no/such/place", "No such file")):
        run = subprocess.run([WARPVP, "serve", file, "--socket", path, *words], capture_output=True, text=True)
        expect(run.returncode == 2 and why in run.stderr and run.stderr.count("\n") == 1, f"{path}: {run.stderr}")
    first = Gpu(server.socket)
    try:
        Client(server.socket)
        expect(False, "a second client was served")
    except ConnectionError:
        pass
    expect(first.read32(SM_COUNT) > 0, "the first one is served")
    end(server, first)


def clock():
    """Time that follows the client's clock; limits end the run."""
    began = time.monotonic()
    server = Server(WARPVP, "platform.host.clock=client", "platform.host.client_rate=0.0001", "limits.cycles=100000")
    gpu = Gpu(server.socket)
    before = gpu.read64(TIME)
    passed = 0
    while passed < 5e9 and time.monotonic() < began + PATIENCE:
        time.sleep(0.1)
        passed = gpu.read64(TIME) - before
    seconds = time.monotonic() - began
    expect(5e9 < passed < 2e11 * seconds, f"in {seconds} s at a ten-thousandth pass {passed / 1e9} us")
    expect(server.wait() == 3, server.said())
    expect("limits.cycles" in server.said(), server.said())
    server = Server(WARPVP, "limits.wall_seconds=2")
    gpu = Gpu(server.socket)
    expect(server.wait() == 124, server.said())


def several():
    """Two clients at once: each has a context, queues, interrupts and memory of its own, and reaches nothing of the other."""
    server = Server(WARPVP, "platform.host.clients=2", "platform.memory.capacity_mib=2048")
    a, b = Gpu(server.socket), Gpu(server.socket)
    expect((a.read32(CONTEXT), b.read32(CONTEXT)) == (1, 2), "contexts")
    mine, other = a.read32(FIRST_QUEUE), b.read32(FIRST_QUEUE)
    expect(other - mine == a.read32(QUEUES) == b.read32(QUEUES), "queues")
    # As files: a client that is not listening does not answer messages.
    files = {}
    for gpu in (a, b):
        files[gpu] = os.memfd_create("client")
        os.ftruncate(files[gpu], 1 << 16)
        gpu.map(0x100000, 1 << 16, files[gpu])
    qa, qb = Queue(a, mine, mailbox=0x100000), Queue(b, other, mailbox=0x100000)
    ma, mb = a.allocate(1 << 16), b.allocate(1 << 16)
    # Each reads the answer to its own command, whatever comes between.
    for gpu, size in ((a, 4096), (b, 8192)):
        gpu.write(BAR0, COMMAND, struct.pack("<IIQQQ", 1, 0, 0, size, 256))
    for gpu, size in ((a, 4096), (b, 8192)):
        status, _, first, past = struct.unpack("<IIQQ", gpu.read(BAR0, ANSWER, 24))
        expect((status, past - first) == (0, size), f"an answer to {past - first} bytes for {size}")
        expect(gpu.manage(3, address=first)[0] == 0, "and what it names is the client's")
    events = [gpu.eventfd(3) for gpu in (a, b)]
    qa.interrupt(3)
    qb.interrupt(3)

    def both_work(value):
        for gpu, queue, memory, byte in ((a, qa, ma, value), (b, qb, mb, value + 1)):
            os.pwrite(files[gpu], bytes([byte]) * 4096, 4096)
            queue.copy(memory, gpu.dma_base + 0x101000, 4096)
        for gpu, queue, memory, byte in ((a, qa, ma, value), (b, qb, mb, value + 1)):
            while queue.times()[0] > 0:
                pass
            expect(gpu.get(memory, 4096) == bytes([byte]) * 4096, "each has its own bytes")

    both_work(10)
    expect(select.select(events, [], [], 20)[0], "an interrupt")
    # Each tries what is the other's.
    expect_refused(errno.EPERM, lambda: a.get(mb, 16), "a read of the other's memory")
    expect_refused(errno.EPERM, lambda: a.put(mb + 8, b"x"), "a write to the other's memory")
    expect_refused(errno.EPERM, lambda: a.get(ma + (1 << 16) - 8, 16), "a read across the end of its own")
    expect_refused(errno.EPERM, lambda: a.write64(DOORBELL + 8 * other, 5), "the other's doorbell")
    expect_refused(errno.EPERM, lambda: a.write32(qb.registers + 0xc, 0), "the other's queue")
    expect_refused(errno.EPERM, lambda: a.write32(0x200060, 2), "the end of the other's context")
    expect_refused(errno.EPERM, lambda: a.write64(0x100010, a.dma_base), "the mailbox that all share")
    expect_refused(errno.EPERM, lambda: a.write32(0x106000 + 4 * mine, 0x8000_0000 | b.read32(FIRST_INTERRUPT)),
                   "the other's interrupt")
    expect(a.manage(3, address=mb)[0] == 2, "the other's memory cannot be freed")
    expect(a.manage(4, address=mb)[0] == 2, "nor found")

    def refused_packet(error, what, submit):
        queue = Queue(a, mine + 1)
        submit(queue)
        deadline = time.monotonic() + 60
        while queue.state() != Q_STOPPED:
            expect(time.monotonic() < deadline, f"{what}: the queue stops, it is {queue.state()}")
        expect(queue.stopped_by() == error, f"{what}: {queue.stopped_by()}")
        a.write32(queue.registers + 0xc, 0)

    refused_packet(4, "a copy from the other's host memory", lambda q: q.copy(ma, b.dma_base + 0x101000, 64))
    refused_packet(4, "a copy to the other's host memory", lambda q: q.copy(b.dma_base + 0x101000, ma, 64))
    refused_packet(4, "a barrier on the other's signal", lambda q: q.submit(
        struct.pack("<HHI5QQQ", 3 | 256, 0, 0, qb.signal, 0, 0, 0, 0, 0, q.signal)))
    refused_packet(4, "the other's signal", lambda q: q.submit(
        struct.pack("<HHIQQQQQQQ", 256, 2, 0, 0, ma, 16, 1, 0, 0, qb.signal)))
    # A signal whose mailbox is the other's: its value goes nowhere.
    before = os.pread(files[b], 64, 0)
    thief = Queue(a, mine + 2)
    thief.arm = lambda: a.put(thief.signal, struct.pack("<qQQQ32x", 1, 0, 0, b.dma_base + 0x100000))
    thief.fill(ma, 1, 16)
    while thief.times()[0] > 0:
        pass
    expect(os.pread(files[b], 64, 0) == before, "the other's host memory is what it was")
    expect(b.error()[0] == 0, f"the other has no error: {b.error()}")
    # A copy to the other's device memory ends the thief's context, and nobody else's.
    thief.copy(mb, ma, 64)
    deadline = time.monotonic() + 60
    while not a.read32(ERROR) & 8:
        expect(time.monotonic() < deadline, "the fault is told")
    expect("in memory of context 2" in a.error()[2], a.error()[2])
    expect(b.get(mb, 16) == bytes([11]) * 16, "the other's memory is what it was")
    a.close()
    time.sleep(0.2)
    a = Gpu(server.socket)
    expect(a.read32(CONTEXT) == 1, "the place is free again")
    files[a] = os.memfd_create("client")
    os.ftruncate(files[a], 1 << 16)
    a.map(0x100000, 1 << 16, files[a])
    qa, ma = Queue(a, mine, mailbox=0x100000), a.allocate(1 << 16)
    both_work(20)
    third = Client(server.socket, greet=False)
    expect(third.socket.recv(1) == b"", "there is no room for a third")
    end(server, a, b)


def mapped():
    """Device memory as a file that the client maps."""
    server = Server(WARPVP, "platform.host.bar2=mapped")
    gpu = Gpu(server.socket)
    expect(gpu.region(BAR2)[0] == 7 and len(gpu.files) == 1, "BAR 2 comes with a file")
    file = gpu.files[0]
    device = gpu.allocate(8192)
    with mmap.mmap(file, gpu.read64(MEMORY_BYTES)) as memory:
        before = gpu.read64(TIME)
        at = device - gpu.memory_base
        memory[at:at + 4] = b"here"
        expect(gpu.read64(TIME) == before, "it takes no simulated time")
        queue = Queue(gpu, 0)
        queue.copy(device + 4096, device, 4096)
        gpu.read32(SM_COUNT)
        expect(memory[at + 4096:at + 4100] == b"here", "the device copies what the client has put there")
        expect(gpu.get(device + 4096, 4) == b"here", "messages see the same")
    try:
        os.ftruncate(file, 4096)
        expect(False, "a client can cut device memory off")
    except PermissionError:
        pass
    end(server, gpu)


PTX = """
.version 7.0
.target sm_70
.address_size 64
.global .u32 bias = 5;
.visible .entry scale(.param .u64 data, .param .u32 factor) {
  .reg .u64 %rd<4>;
  .reg .u32 %r<6>;
  ld.param.u64 %rd1, [data];
  ld.param.u32 %r1, [factor];
  mov.u32 %r2, %tid.x;
  mad.wide.u32 %rd2, %r2, 4, %rd1;
  ld.global.u32 %r3, [%rd2];
  ld.global.u32 %r4, [bias];
  mad.lo.u32 %r3, %r3, %r1, %r4;
  st.global.u32 [%rd2], %r3;
  ret;
}
.visible .entry nothing() { ret; }
"""


def kernel():
    """PTX text is loaded by the device, and its kernel runs; what is wrong with a text is said with its place."""
    server = Server(WARPVP, "platform.host.ends=never")
    for _ in range(2):  # the second client finds nothing of the first
        gpu = Gpu(server.socket)
        used = gpu.read64(IN_USE)
        queue = Queue(gpu, 0)
        loaded = gpu.load(queue, PTX, "scale")
        expect(isinstance(loaded, tuple) and loaded[1:] == (12, 2), f"loaded: {loaded}")
        data, arguments = gpu.allocate(4 * 64), gpu.allocate(64)
        gpu.put(data, struct.pack("<64I", *range(64)))
        gpu.put(arguments, struct.pack("<QI", data, 7))
        queue.launch(loaded[0], (1, 1, 1), (64, 1, 1), arguments)
        expect(struct.unpack("<64I", gpu.get(data, 256)) == tuple(7 * i + 5 for i in range(64)), "the kernel's result")
        expect("It has: nothing, scale" in gpu.load(queue, PTX), gpu.load(queue, PTX))
        wrong = gpu.load(queue, PTX.replace("mad.lo.u32 %r3", "mad.lo.u32 %q3"), "scale")
        expect(isinstance(wrong, str) and wrong.startswith("module:15:") and "%q3" in wrong, f"a place: {wrong}")
        expect(isinstance(gpu.load(queue, PTX, "other"), str), "a kernel that there is not")
        expect(isinstance(gpu.load(queue, "\1\2\3"), str), "what is no text")
        expect(queue.state() == Q_IDLE, "the queue goes on")
        gpu.close()
    gpu = Gpu(server.socket)
    expect(gpu.read64(IN_USE) == used, "what was loaded is gone")
    server.interrupt()
    expect(server.wait() == 130, server.said())
    kernels = server.result()["kernels"]
    expect([k["name"] for k in kernels] == ["scale", "scale"], kernels)


def attach(server, workload, *settings):
    words = [WARPVP, "attach", workload, "--platform", "small", "--socket", server.socket]
    for setting in settings:
        words += ["--set", setting]
    return subprocess.run(words, capture_output=True, text=True)


def applications():
    """Apps outside, over the served device, give the results and the kernels' cycles that they give inside."""
    for app, settings in (("vector_add", []), ("matmul", ["workload.params={m: 48, n: 48, k: 48}"]),
                          ("many_streams", []), ("reduction", [])):
        server = Server(WARPVP)
        outside = attach(server, app, *settings)
        expect(outside.returncode == 0 and "results verified" in outside.stdout, f"{app}: {outside.stdout}{outside.stderr}")
        served = end(server)
        out = os.path.join(WORK, app)
        words = [WARPVP, "run", app, "--platform", "small", "--quiet", "--out", out]
        for setting in settings:
            words += ["--set", setting]
        expect(subprocess.run(words).returncode == 0, app)
        with open(os.path.join(out, "result.json")) as file:
            inside = json.load(file)
        expect(len(inside["kernels"]) > 0, app)
        for a, b in zip(inside["kernels"], served["kernels"]):
            for key in ("start_cycle", "end_cycle", "warp_instructions", "ctas", "entry"):
                expect(a[key] == b[key], f"{app}: {key} is {a[key]} inside and {b[key]} outside")
        expect(len(inside["kernels"]) == len(served["kernels"]), app)
    # Two at once, each with its part of the device. One may be over before the other has come.
    server = Server(WARPVP, "platform.host.clients=2", "platform.host.ends=never")
    words = [WARPVP, "attach", "vector_add", "--socket", server.socket]
    both = [subprocess.Popen(words, stdout=subprocess.PIPE, text=True) for _ in range(2)]
    for process in both:
        said = process.communicate()[0]
        expect(process.returncode == 0 and "results verified" in said, said)
    server.interrupt()
    server.wait()


def fault():
    """A device fault: the client hears of it, and the server ends with status 3 when it has gone."""
    server = Server(WARPVP)
    file = os.path.join(WORK, "fault.yaml")
    with open(file, "w") as f:
        f.write("workload: {app: fault}\n")
    outside = attach(server, file)
    expect(outside.returncode == 3 and "kernel" in outside.stderr, outside.stderr)
    result = end(server, status=3)
    expect(result["exit_code"] == 3 and result["message"] in outside.stderr, result["message"])


CASES = {name: case for name, case in list(globals().items())
         if callable(case) and getattr(case, "__module__", "") == __name__ and name not in ("attach", "end", "work")}

try:
    CASES[CASE]()
finally:
    shutil.rmtree(WORK, ignore_errors=True)
