#!/usr/bin/env python3
"""How fast a served device is for its client (docs/serve.md): register reads, device memory in BAR 2, DMA.

usage: bench/serve.py WARPVP
Times are the machine's, not simulated.
"""

import os
import shutil
import sys
import time

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../tests/vfio_user"))

from gpu import SM_COUNT, UNTIMED, Gpu, Queue  # noqa: E402
from served import WORK, Server  # noqa: E402

PIECE = 1 << 20


def measure(what, unit, amount, call):
    """`call` does `amount` of it; prints the best of three."""
    best = 0.0
    for _ in range(3):
        began = time.perf_counter()
        call()
        best = max(best, amount / (time.perf_counter() - began))
    print(f"{what:<34}{best:>12.1f} {unit}")


def main():
    server = Server(sys.argv[1])
    gpu = Gpu(server.socket)
    measure("register reads", "reads/s", 1000, lambda: [gpu.read32(SM_COUNT) for _ in range(1000)])
    memory = gpu.allocate(PIECE)
    data = bytes(PIECE)
    measure("BAR 2, written over the link", "MB/s", PIECE / 1e6, lambda: (gpu.put(memory, data), gpu.read32(SM_COUNT)))
    measure("BAR 2, read over the link", "MB/s", PIECE / 1e6, lambda: gpu.get(memory, PIECE))
    gpu.write32(UNTIMED, 1)
    measure("BAR 2, written untimed", "MB/s", PIECE / 1e6, lambda: gpu.put(memory, data))
    gpu.write32(UNTIMED, 0)
    queue = Queue(gpu, 0)
    file = os.memfd_create("client")
    os.ftruncate(file, PIECE)
    for name, address, fd in (("DMA, memory as a file", 0x100000, file), ("DMA, memory by messages", 0x300000, None)):
        gpu.map(address, PIECE, fd)
        measure(name, "MB/s", PIECE / 1e6,
                lambda at=address: (queue.copy(memory, gpu.dma_base + at, PIECE), gpu.read32(SM_COUNT)))
    gpu.close()
    server.wait()


try:
    main()
finally:
    shutil.rmtree(WORK, ignore_errors=True)
